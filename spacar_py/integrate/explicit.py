"""Explicit Runge-Kutta pairs of Dormand and Prince, order 5(4) and 8(5,3), adaptive, with dense output.

The coefficients are SciPy's, taken from its public classes. The step control is the usual one: error in the weighted
root mean square, next step by the error's order.
"""

from __future__ import annotations

import numpy as np

from .._jit import kernel
from .rhs import rhs as rates

DONE, STEP_TOO_SMALL, TOO_MANY = 1, -1, -2


def tableau(order: int) -> tuple:
    """(A, B, C, E5, E3, A_extra, C_extra, P) as arrays, order 5 or 8."""
    from scipy.integrate import DOP853, RK45

    if order == 5:
        none = np.zeros((0, 0))
        return RK45.A, RK45.B, RK45.C, RK45.E, np.zeros(0), none, np.zeros(0), RK45.P
    m = DOP853
    A = np.zeros((12, 12))
    A[:, :12] = m.A[:12, :12]
    return A, m.B[:12], m.C[:12], m.E5, m.E3, m.A_EXTRA, m.C_EXTRA, m.D


@kernel
def _norm(v, n):
    z = 0.0
    for i in range(n):
        z += v[i] * v[i]
    return (z / n) ** 0.5


@kernel
def _first_step(t, w, c, ref, time, s, f, rtol, atol, order, span):
    """Starting step of Hairer, Norsett and Wanner (1993), II.4."""
    n = s.size
    scale, s1, f1 = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        scale[i] = atol + rtol * abs(s[i])
        s1[i], f1[i] = s[i] / scale[i], f[i] / scale[i]
    d0, d1 = _norm(s1, n), _norm(f1, n)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = min(h, span)
    for i in range(n):
        s1[i] = s[i] + h * f[i]
    if rates(t, w, c, ref, time + h, s1, f1) <= 0:
        return h * 1e-3
    for i in range(n):
        f1[i] = (f1[i] - f[i]) / scale[i]
    d2 = _norm(f1, n) / h
    h1 = max(1e-6, h * 1e-3) if max(d1, d2) <= 1e-15 else (0.01 / max(d1, d2)) ** (1.0 / (order + 1))
    return min(100.0 * h, h1, span)


@kernel
def _combine(s, h, K, row, m, out):
    for i in range(s.size):
        z = 0.0
        for j in range(m):
            z += row[j] * K[j, i]
        out[i] = s[i] + h * z


@kernel
def _dense(order, s, s1, h, K, P, F):
    """Coefficients of the interpolant of the step."""
    n = s.size
    m = P.shape[0]
    if order == 5:
        for k in range(P.shape[1]):
            for i in range(n):
                z = 0.0
                for j in range(m):
                    z += K[j, i] * P[j, k]
                F[k, i] = z
        return
    for i in range(n):
        d = s1[i] - s[i]
        F[0, i] = d
        F[1, i] = h * K[0, i] - d
        F[2, i] = 2.0 * d - h * (K[12, i] + K[0, i])
    for k in range(4):
        for i in range(n):
            z = 0.0
            for j in range(16):
                z += P[k, j] * K[j, i]
            F[3 + k, i] = h * z


@kernel
def _interpolate(order, s, h, F, x, out):
    for i in range(s.size):
        if order == 5:
            out[i] = s[i] + h * x * (F[0, i] + x * (F[1, i] + x * (F[2, i] + x * F[3, i])))
        else:
            z = 0.0
            for k in range(6, -1, -1):
                z += F[k, i]
                z *= x if (6 - k) % 2 == 0 else 1.0 - x
            out[i] = s[i] + z


@kernel
def run_explicit(t, w, c, ref, order, A, B, C, E5, E3, A2, C2, P, s, span, rtol, atol, h_max, times, out, info):
    """Integrate s from span[0] to span[1], writing states at `times` into out; info = (time, h, steps, rhs, next output).

    info[1] > 0 is taken as the first step, so that a run can go on where it stopped. `span` must not cross a kink.
    """
    n, ns = s.size, B.size
    K, F = np.zeros((16, n)), np.zeros((7, n))
    s1, scale = np.empty(n), np.empty(n)
    time, end = span[0], span[1]
    nxt = int(info[4])
    status = rates(t, w, c, ref, time, s, K[0])
    if status <= 0:
        return status
    for i in range(ref.size):
        ref[i] = w.e[0, i]
    h = info[1]
    if h <= 0.0:
        h = _first_step(t, w, c, ref, time, s, K[0], rtol, atol, 4 if order == 5 else 7, end - time)
        info[3] += 1
    while nxt < times.size and times[nxt] <= time:
        for i in range(n):
            out[nxt, i] = s[i]
        nxt += 1
    rejected = False
    power = -0.2 if order == 5 else -0.125
    while time < end:
        h = min(h, h_max)
        if h < 1e-14 * max(abs(time), abs(end)):
            info[0], info[4] = time, nxt
            return STEP_TOO_SMALL
        hs, last = h, False
        if time + h * 1.0000001 >= end:
            hs, last = end - time, True
        ok = True
        for k in range(1, ns):
            _combine(s, hs, K, A[k], k, s1)
            if rates(t, w, c, ref, time + C[k] * hs, s1, K[k]) <= 0:
                ok = False
                break
        if ok:
            _combine(s, hs, K, B, ns, s1)
            ok = rates(t, w, c, ref, time + hs, s1, K[ns]) > 0
        info[3] += ns
        if not ok:
            h = 0.25 * hs
            rejected = True
            continue
        e5, e3 = 0.0, 0.0
        for i in range(n):
            sc = atol + rtol * max(abs(s[i]), abs(s1[i]))
            z, y = 0.0, 0.0
            for j in range(E5.size):
                z += E5[j] * K[j, i]
            for j in range(E3.size):
                y += E3[j] * K[j, i]
            e5 += (z / sc) ** 2
            e3 += (y / sc) ** 2
        if order == 5:
            err = hs * (e5 / n) ** 0.5
        else:
            den = e5 + 0.01 * e3
            err = hs * e5 / (den * n) ** 0.5 if den > 0.0 else 0.0
        if not err < 1.0:
            h = hs * max(0.2, 0.9 * err**power) if err < 1e300 else 0.1 * hs
            rejected = True
            continue
        t1 = end if last else time + hs
        for i in range(ref.size):
            ref[i] = w.e[0, i]
        if nxt < times.size and times[nxt] <= t1:
            if order == 8:
                for k in range(3):
                    _combine(s, hs, K, A2[k], A2.shape[1], scale)
                    rates(t, w, c, ref, time + C2[k] * hs, scale, K[13 + k])
                info[3] += 3
            _dense(order, s, s1, hs, K, P, F)
            while nxt < times.size and times[nxt] <= t1:
                _interpolate(order, s, hs, F, (times[nxt] - time) / hs, out[nxt])
                nxt += 1
        factor = 10.0 if err == 0.0 else min(10.0, 0.9 * err**power)
        if rejected:
            factor = min(1.0, factor)
        rejected = False
        if not last or factor < 1.0:
            h = hs * factor
        for i in range(n):
            s[i] = s1[i]
            K[0, i] = K[ns, i]
        time = t1
        info[2] += 1
        info[0], info[1], info[4] = time, h, nxt
    return DONE
