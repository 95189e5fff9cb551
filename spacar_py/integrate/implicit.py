"""Generalised-alpha method with the exact tangent, modified Newton and adaptive step, for stiff models.

Equilibrium holds at the end of the step; a is the auxiliary acceleration (Arnold and Bruels 2007):

    (1 - am) a1 + am a0 = (1 - af) qdd1 + af qdd0
    q1 = q0 + h qd0 + h^2 ((1/2 - beta) a0 + beta a1)        qd1 = qd0 + h ((1 - gamma) a0 + gamma a1)

with am, af, beta, gamma from the spectral radius at infinite frequency. a belongs to the time t + (am - af) h, so that
q1 is off by c h^3 qddd, c = beta + (am - af)/2 - 1/6, while qd1 is exact to that order: the error of the step is taken
as |c| h^2 |a1 - a0|. The controller's state follows by the trapezoidal rule, eliminated into the tangent.
"""

import numpy as np

from .._jit import inlined, kernel
from ..controller import control
from ..dynamics import balance, inputs, position, velocities
from ..linalg import gauss_solve, lu_factor, lu_solve
from ..tangent import tangent
from .explicit import (
    DONE,
    LAST_STEP,
    NEWTON_FAILED,
    NEXT,
    PATIENCE,
    PAUSED,
    REJECTED,
    RHS,
    STEP,
    STEP_TOO_SMALL,
    STEPS,
    TANGENTS,
    TIME,
    begin_output,
    remember,
)  # fmt: skip
from .rates import copy, go_back, rates

NEWTON_STEPS = 8
SLOW = 3  # iterations after which the next step deserves a new tangent
Q, V, A, QDD = 0, 1, 2, 3  # rows of the state at the start of a step; the same + 4 at its end
NEW = 4
OLD = 8  # qdd at the start of the step before, scaled to the present step: where qdd is going


def parameters(radius: float) -> np.ndarray:
    """am, af, beta, gamma and the constant c of the error, from the spectral radius."""
    am, af = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    beta, gamma = 0.25 * (1 + af - am) ** 2, 0.5 + af - am
    return np.array([am, af, beta, gamma, beta + (am - af) / 2 - 1 / 6])


@kernel
def _advance(S, h, p):
    """a, q, qd at the end of the step from qdd there."""
    am, af, beta, gamma = p[0], p[1], p[2], p[3]
    for i in range(S.shape[1]):
        a0 = S[A, i]
        a1 = ((1.0 - af) * S[NEW + QDD, i] + af * S[QDD, i] - am * a0) / (1.0 - am)
        S[NEW + A, i] = a1
        S[NEW + Q, i] = S[Q, i] + h * S[V, i] + h * h * ((0.5 - beta) * a0 + beta * a1)
        S[NEW + V, i] = S[V, i] + h * ((1.0 - gamma) * a0 + gamma * a1)


@kernel
def _predict(S, p):
    """qdd at the end of the step such that q goes on at constant velocity, so that stiff parts do not run away."""
    am, af, beta = p[0], p[1], p[2]
    for i in range(S.shape[1]):
        a1 = -(0.5 - beta) / beta * S[A, i]
        S[NEW + QDD, i] = ((1.0 - am) * a1 + am * S[A, i] - af * S[QDD, i]) / (1.0 - af)


@kernel
def _resolvent(c, h, v):
    """v = (I - h/2 A)^-1 v of the controller's state."""
    nz = c.n[2]
    M = np.empty((nz, nz))
    for i in range(nz):
        for j in range(nz):
            M[i, j] = -0.5 * h * c.A[i, j]
        M[i, i] += 1.0
    gauss_solve(M, v, nz)


@inlined
def _state(t, w, c, ref, time, h, S, z, zd, z1):
    """Position, velocities and controller at the end of the step; the status of Newton for the position."""
    for j in range(S.shape[1]):
        w.y[0, j], w.y[1, j], w.y[2, j] = S[NEW + Q, j], S[NEW + V, j], S[NEW + QDD, j]
    inputs(t, w, time)
    status = position(t, w, ref)
    if status <= 0:
        return status
    velocities(t, w, ref)
    if c.n[0] > 0:
        control(t, w, c, time, z1)  # for the errors c.y
        for i in range(z.size):
            z1[i] = z[i] + 0.5 * h * zd[i]
            for j in range(c.y.size):
                z1[i] += 0.5 * h * c.B[i, j] * c.y[j]
        if z.size > 0:
            _resolvent(c, h, z1)
            control(t, w, c, time, z1)
    return 1


@kernel
def _feedback(t, c, h, kq, kv, J):
    """J += derivative of the drives by the sensors that are degrees of freedom: W (D + C (I - h/2 A)^-1 h/2 B)."""
    nu, ns, nz, nq = c.n[0], c.n[1], c.n[2], t.n[2]
    column = np.empty(nz)
    for m in range(2 * ns):
        sensor = m if m < ns else m - ns
        js = t.e_y[c.sensor[sensor, 1]]
        if c.sensor[sensor, 0] != 0 or js < 0 or js >= nq:
            continue
        for i in range(nz):
            column[i] = 0.5 * h * c.B[i, m]
        if nz > 0:
            _resolvent(c, h, column)
        for i in range(nu):
            f = 0.0
            for l in range(nu):
                g = c.D[l, m]
                for j in range(nz):
                    g += c.C[l, j] * column[j]
                f += c.Wt[i, l] * g
            ji = t.e_y[c.act[i]]
            if ji >= 0 and ji < nq:
                J[ji * nq + js] += (kq if m < ns else kv) * f


@kernel
def _iteration_matrix(t, c, h, kq, kv, mats, J, piv):
    """Factors of J = M0 + kv (C0 + D0) + kq (K0 + G0 + N0) with the controller's feedback."""
    nq = t.n[2]
    for i in range(nq):
        for j in range(nq):
            damping, stiffness = mats[1, i, j] + mats[2, i, j], mats[3, i, j] + mats[4, i, j] + mats[5, i, j]
            J[i * nq + j] = mats[0, i, j] + kv * damping + kq * stiffness
    if c.n[0] > 0:
        _feedback(t, c, h, kq, kv, J)
    return lu_factor(J, 0, nq, piv, 0)


@inlined
def _solve_step(
    t, w, c, ref, time, h, S, p, z, zd, z1, fresh, refactor, careful, mats, J, piv, rows, rest, rtol, atol, info
):  # fmt: skip
    """Newton for qdd at the end of the step: iterations used, NEWTON_FAILED, or the status of the kinematics.

    fresh asks for new matrices; another step length alone needs only new factors of the old ones.
    """
    nq = S.shape[1]
    ratio = (1.0 - p[1]) / (1.0 - p[0])
    kq, kv, last = h * h * p[2] * ratio, h * p[3] * ratio, 1e300
    if careful:
        _predict(S, p)
    else:
        for i in range(nq):
            S[NEW + QDD, i] = 2.0 * S[QDD, i] - S[OLD, i]
    copy(z, z1)
    for it in range(NEWTON_STEPS):
        _advance(S, h, p)
        status = _state(t, w, c, ref, time, h, S, z, zd, z1)
        info[RHS] += 1
        if status <= 0:
            return status if it == 0 else NEWTON_FAILED
        if fresh and it == 0:
            info[TANGENTS] += 1
            tangent(t, w, time, ref, mats)
        else:
            balance(t, w, time, ref)
        if refactor and it == 0 and _iteration_matrix(t, c, h, kq, kv, mats, J, piv) == 0:
            return NEWTON_FAILED
        for i in range(nq):
            rest[i, 0] = -w.rho[i]
        lu_solve(J, 0, nq, piv, 0, rest, rows, 1)
        norm = 0.0
        for i in range(nq):
            S[NEW + QDD, i] += rest[i, 0]
            weight = atol + rtol * abs(S[NEW + Q, i])
            norm += ((kq * rest[i, 0]) ** 2 + (h * kv * rest[i, 0]) ** 2) / weight**2
        norm = (norm / (2 * nq)) ** 0.5
        if not norm < 1e30 or (it > 1 and norm > 2.0 * last):
            return NEWTON_FAILED
        if norm < 1e-3:
            _advance(S, h, p)
            return it + 1
        last = norm
    return NEWTON_FAILED


@kernel
def _error(S, h, constant, rtol, atol):
    """Weighted error of the step."""
    z, n = 0.0, S.shape[1]
    for i in range(n):
        weight = atol + rtol * max(abs(S[Q, i]), abs(S[NEW + Q, i]))
        z += (constant * h * h * (S[NEW + A, i] - S[A, i]) / weight) ** 2
    return (z / n) ** 0.5


@kernel
def _first_step(S, rtol, atol, span):
    """A cautious step: the acceleration moves q by a hundredth of the tolerance; it grows fast."""
    big = 0.0
    for i in range(S.shape[1]):
        big = max(big, abs(S[QDD, i]) / (atol + rtol * abs(S[Q, i])))
    return min(0.1 * span, 0.1 / (big**0.5 + 1e-10) + 1e-6)


@kernel
def _quintic(x, h, p0, d0, a0, p1, d1, a1, out):
    d0, d1, a0, a1 = d0 * h, d1 * h, a0 * h * h, a1 * h * h
    c3 = 10.0 * (p1 - p0) - 6.0 * d0 - 4.0 * d1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * (p1 - p0) + 8.0 * d0 + 7.0 * d1 + 1.5 * a0 - a1
    c5 = 6.0 * (p1 - p0) - 3.0 * (d0 + d1) - 0.5 * (a0 - a1)
    out[0] = p0 + x * (d0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))))
    out[1] = (d0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h


@kernel
def _outputs(w, time, t1, h, S, z, z1, times, out, near, info):
    """States at the output times up to t1, by the quintic through q, qd, qdd at both ends."""
    nxt, nq, pair = int(info[NEXT]), S.shape[1], np.empty(2)
    while nxt < times.size and times[nxt] <= t1:
        x = (times[nxt] - time) / h
        for i in range(nq):
            _quintic(x, h, S[Q, i], S[V, i], S[QDD, i], S[NEW + Q, i], S[NEW + V, i], S[NEW + QDD, i], pair)
            out[nxt, i], out[nxt, nq + i] = pair[0], pair[1]
        for i in range(z.size):
            out[nxt, 2 * nq + i] = z[i] + x * (z1[i] - z[i])
        remember(w, near, nxt)
        nxt += 1
    info[NEXT] = nxt


@inlined
def _start(t, w, c, ref, s, S, zd, carry, info):
    """State at info[TIME]; the auxiliary acceleration is carried on, or begins as qdd. The status of `rates`."""
    nq = S.shape[1]
    ds = np.empty(s.size)
    status = rates(t, w, c, ref, info[TIME], s, ds)
    if status <= 0:
        return status
    for i in range(nq):
        S[Q, i], S[V, i], S[QDD, i] = s[i], s[nq + i], ds[nq + i]
        S[A, i] = carry[i] if info[LAST_STEP] > 0.0 else ds[nq + i]
        S[OLD, i] = S[QDD, i]
    for i in range(zd.size):
        zd[i] = ds[2 * nq + i]
    copy(w.e[0], ref)
    return 1


@kernel
def run_implicit(t, w, c, ref, p, s, end, rtol, atol, h_max, fixed, times, out, near, info, carry):
    """Integrate s = (q, qd, z) as `run_explicit` does; fixed > 0 takes that step throughout.

    carry (nq) holds the auxiliary acceleration and info[LAST_STEP] the step it belongs to when a run goes on.
    """
    nq, nz, ny = t.n[2], c.n[2], t.n[3]
    S, z, zd, z1 = np.zeros((9, nq)), s[2 * nq :].copy(), np.zeros(nz), np.zeros(nz)
    mats, J, piv, rest = np.empty((6, ny, ny)), np.empty(nq * nq), np.empty(nq, np.int64), np.empty((nq, 1))
    rows, x = np.arange(nq), w.X[0].copy()
    status = _start(t, w, c, ref, s, S, zd, carry, info)
    if status <= 0:
        return status
    copy(w.X[0], x)
    time, h = info[TIME], fixed if fixed > 0.0 else info[STEP]
    begin_output(w, s, time, times, out, near, info)
    if h <= 0.0:
        h = _first_step(S, rtol, atol, end - time)
    belongs = info[LAST_STEP] if info[LAST_STEP] > 0.0 else h
    fresh, factored, why, astray, pause = True, 0.0, STEP_TOO_SMALL, False, info[STEPS] + PATIENCE
    while time < end:
        if info[STEPS] >= pause:
            copy(S[A], carry)
            info[LAST_STEP] = belongs
            return PAUSED
        h = min(h, h_max)
        if h < 1e-13 * max(abs(time), abs(end)):
            return why
        careful = astray
        if astray:
            go_back(t, w, ref, time, s, x)
            astray = False
        last = time + h * 1.0000001 >= end
        hs = end - time if last else h
        t1 = end if last else time + hs
        for i in range(nq):  # a leads qdd by a part of the step
            S[A, i] = S[QDD, i] + (hs / belongs) * (S[A, i] - S[QDD, i])
            S[OLD, i] = S[QDD, i] + (hs / belongs) * (S[OLD, i] - S[QDD, i])
        belongs = hs
        used = _solve_step(
            t, w, c, ref, t1, hs, S, p, z, zd, z1, fresh, fresh or factored != hs, careful, mats, J, piv, rows, rest,
            rtol, atol, info,
        )  # fmt: skip
        factored, was_fresh, fresh = hs, fresh, not 0 < used <= SLOW
        if used <= 0:
            info[REJECTED] += 1
            astray = True
            if was_fresh:  # else the next attempt has a new tangent
                why = used
                if fixed > 0.0 and careful:
                    return why
                h = fixed if fixed > 0.0 else 0.5 * hs
            continue
        err = _error(S, hs, p[4], rtol, atol)
        if fixed <= 0.0 and not err < 1.0:
            why = STEP_TOO_SMALL
            h = hs * max(0.2, 0.9 * err ** (-1.0 / 3.0)) if err < 1e300 else 0.1 * hs
            info[REJECTED] += 1
            continue
        copy(w.e[0], ref)
        copy(w.X[0], x)
        _outputs(w, time, t1, hs, S, z, z1, times, out, near, info)
        copy(S[QDD], S[OLD])
        for k in range(4):
            copy(S[NEW + k], S[k])
        for i in range(nq):
            s[i], s[nq + i] = S[Q, i], S[V, i]
        for i in range(nz):
            z[i], zd[i], s[2 * nq + i] = z1[i], c.zd[i], z1[i]
        time = t1
        info[STEPS] += 1
        if fixed <= 0.0:
            factor = 2.0 if err < 1e-3 else min(2.0, 0.9 * err ** (-1.0 / 3.0))
            if factor < 1.0 or (factor > 1.2 and not last):  # a kept step keeps its factors
                h = hs * factor
        info[TIME], info[STEP] = time, h
    return DONE
