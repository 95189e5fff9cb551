"""Explicit Runge-Kutta pairs of Dormand and Prince, order 5(4) and 8(5,3), adaptive, with dense output.

The coefficients are SciPy's, taken from its public classes. The step control is the usual one: error in the weighted
root mean square, next step by the error's order.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from .rates import copy
from .rhs import back
from .rhs import rhs as rates

DONE, PAUSED = 1, 2
STEP_TOO_SMALL, NEWTON_FAILED = -2000000, -3000000
TIME, STEP, STEPS, RHS, NEXT, TANGENTS, REJECTED, LAST_STEP = range(8)  # of info
PATIENCE = 1000  # steps after which a run comes back to Python, for progress and interruption


def tableau(order: int) -> tuple:
    """(A, B, C, E5, E3, A_extra, C_extra, P) as arrays, order 5 or 8."""
    from scipy.integrate import DOP853, RK45

    if order == 5:
        none = np.zeros((0, 0))
        return RK45.A, RK45.B, RK45.C, RK45.E, np.zeros(0), none, np.zeros(0), RK45.P
    m = DOP853
    return m.A[:12, :12].copy(), m.B[:12], m.C[:12], m.E5, m.E3, m.A_EXTRA, m.C_EXTRA, m.D


@kernel
def _norm(v, n):
    z = 0.0
    for i in range(n):
        z += v[i] * v[i]
    return (z / n) ** 0.5


@inlined
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


@inlined
def _stages(t, w, c, ref, time, s, h, A, B, C, K, s1):
    """All stages of a step and the state s1 at its end, with its rate in K[ns]; the status of the last evaluation."""
    ns = B.size
    for k in range(1, ns):
        _combine(s, h, K, A[k], k, s1)
        status = rates(t, w, c, ref, time + C[k] * h, s1, K[k])
        if status <= 0:
            return status
    _combine(s, h, K, B, ns, s1)
    return rates(t, w, c, ref, time + h, s1, K[ns])


@kernel
def _error(s, s1, h, K, E5, E3, rtol, atol):
    """Weighted error of the step; with E3 the pair of errors of DOP853."""
    e5, e3, n = 0.0, 0.0, s.size
    for i in range(n):
        scale = atol + rtol * max(abs(s[i]), abs(s1[i]))
        z, y = 0.0, 0.0
        for j in range(E5.size):
            z += E5[j] * K[j, i]
        for j in range(E3.size):
            y += E3[j] * K[j, i]
        e5 += (z / scale) ** 2
        e3 += (y / scale) ** 2
    if E3.size == 0:
        return h * (e5 / n) ** 0.5
    both = e5 + 0.01 * e3
    return h * e5 / (both * n) ** 0.5 if both > 0.0 else 0.0


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
def remember(w, near, n):
    """Keep the coordinates and deformations of the present position as the neighbourhood of output point n."""
    nx = w.X.shape[1]
    for i in range(nx):
        near[n, i] = w.X[0, i]
    for i in range(w.e.shape[1]):
        near[n, nx + i] = w.e[0, i]


@inlined
def _outputs(t, w, c, ref, order, time, t1, s, s1, h, K, F, A2, C2, P, times, out, near, info):
    """States at the output times up to t1."""
    nxt = int(info[NEXT])
    if nxt == times.size or times[nxt] > t1:
        return
    first = nxt
    while nxt < times.size and times[nxt] <= t1:
        remember(w, near, nxt)
        nxt += 1
    if order == 8:
        spare = np.empty(s.size)
        for k in range(3):
            _combine(s, h, K, A2[k], A2.shape[1], spare)
            rates(t, w, c, ref, time + C2[k] * h, spare, K[13 + k])
        info[RHS] += 3
    _dense(order, s, s1, h, K, P, F)
    for n in range(first, nxt):
        _interpolate(order, s, h, F, (times[n] - time) / h, out[n])
    info[NEXT] = nxt


@kernel
def begin_output(w, s, time, times, out, near, info):
    """The output points that are already reached at the start."""
    nxt = int(info[NEXT])
    while nxt < times.size and times[nxt] <= time:
        copy(s, out[nxt])
        remember(w, near, nxt)
        nxt += 1
    info[NEXT] = nxt


@kernel
def run_explicit(t, w, c, ref, order, A, B, C, E5, E3, A2, C2, P, s, end, rtol, atol, h_max, times, out, near, info):
    """Integrate s from info[TIME] to end, writing states at `times` into out: DONE, PAUSED, or why it stopped.

    info[STEP] > 0 is taken as the first step, so that a run goes on where it paused. No kink may lie before the end.
    """
    n, ns = s.size, B.size
    K, F, s1 = np.zeros((16, n)), np.zeros((7, n)), np.empty(n)
    time, h = info[TIME], info[STEP]
    status = rates(t, w, c, ref, time, s, K[0])
    info[RHS] += 1
    if status <= 0:
        return status
    copy(w.e[0], ref)
    x = w.X[0].copy()
    begin_output(w, s, time, times, out, near, info)
    if h <= 0.0:
        h = _first_step(t, w, c, ref, time, s, K[0], rtol, atol, 4 if order == 5 else 7, end - time)
        info[RHS] += 1
    rejected, astray, why, power = False, False, STEP_TOO_SMALL, -0.2 if order == 5 else -0.125
    pause = info[STEPS] + PATIENCE
    while time < end:
        if info[STEPS] >= pause:
            return PAUSED
        h = min(h, h_max)
        if h < 1e-14 * max(abs(time), abs(end)):
            return why
        if astray:
            back(t, w, ref, time, s, x)
            astray = False
        last = time + h * 1.0000001 >= end
        hs = end - time if last else h
        info[RHS] += ns
        status = _stages(t, w, c, ref, time, s, hs, A, B, C, K, s1)
        err = _error(s, s1, hs, K, E5, E3, rtol, atol) if status > 0 else 1e300
        if not err < 1.0:
            h = hs * max(0.2, 0.9 * err**power) if err < 1e300 else 0.1 * hs
            why = STEP_TOO_SMALL if status > 0 else status
            rejected = True
            info[REJECTED] += 1
            astray = status <= 0
            continue
        t1 = end if last else time + hs
        copy(w.e[0], ref)
        copy(w.X[0], x)
        _outputs(t, w, c, ref, order, time, t1, s, s1, hs, K, F, A2, C2, P, times, out, near, info)
        factor = 10.0 if err == 0.0 else min(10.0, 0.9 * err**power)
        if rejected:
            factor = min(1.0, factor)
        rejected = False
        if not last or factor < 1.0:
            h = hs * factor
        copy(s1, s)
        copy(K[ns], K[0])
        time = t1
        info[STEPS] += 1
        info[TIME], info[STEP] = time, h
    return DONE
