"""Generalised-alpha method in nodal coordinates: the whole time loop over the sparse equations, compiled.

The method, its error estimate and its step control are those of `integrate.implicit`; the unknowns are the nodal
coordinates with the conditions as they stand (index 3). Prescribed coordinates take their values at the end of the
step. The error of a step and the corrections of Newton are measured in the degrees of freedom, D dx, so that a
tolerance means the same as in the dense solver.
"""

import numpy as np

from .._jit import kernel
from ..dynamics import inputs
from ..integrate.explicit import (
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
)  # fmt: skip
from ..integrate.implicit import NEW, NEWTON_STEPS, OLD, QDD, SLOW, A, Q, V, _quintic
from ..integrate.rates import copy
from ..kinematics import _turned_round
from .assembly import tangent_matrix, to_degrees, unbalance
from .lu import backsolve, refactor

STALE = 0.3  # contraction per iteration that asks for a new tangent at once
EAGER = 30  # steps that begin with a new tangent after one whose old tangent had to be replaced on the way
RATE, AT, ANEW = 0, 1, 2  # memory of Newton: contraction by a new tangent, norm where seen, steps to begin with one
SETTLED = 2e-5  # what may remain of the corrections, in parts of the tolerance
GAP = 1e-9  # a condition may be off by this before the last correction
SINGULAR = -4000000  # the matrix of the initial accelerations: minus the place that elimination lost


@kernel
def _predict(s, S, p, careful):
    """xdd at the end of the step: as it has been going; where that failed, such that the velocity stays."""
    am, af, beta = p[0], p[1], p[2]
    for m in range(s.free.size):
        i = s.free[m]
        S[NEW + QDD, i] = 2.0 * S[QDD, i] - S[OLD, i]
        if careful:
            a1 = -(0.5 - beta) / beta * S[A, i]
            S[NEW + QDD, i] = ((1.0 - am) * a1 + am * S[A, i] - af * S[QDD, i]) / (1.0 - af)


@kernel
def _advance(t, w, s, S, h, p):
    """a, x, xd at the end of the step from xdd there; prescribed coordinates from w.y. Into w.X as well."""
    am, af, beta, gamma = p[0], p[1], p[2], p[3]
    for m in range(s.free.size):
        i = s.free[m]
        a0 = S[A, i]
        a1 = ((1.0 - af) * S[NEW + QDD, i] + af * S[QDD, i] - am * a0) / (1.0 - am)
        S[NEW + A, i] = a1
        S[NEW + Q, i] = S[Q, i] + h * S[V, i] + h * h * ((0.5 - beta) * a0 + beta * a1)
        S[NEW + V, i] = S[V, i] + h * ((1.0 - gamma) * a0 + gamma * a1)
    for m in range(s.r_x.size):
        i = s.r_x[m]
        k = t.x_y[i]
        S[NEW + Q, i], S[NEW + V, i], S[NEW + QDD, i] = w.y[0, k], w.y[1, k], w.y[2, k]
        S[NEW + A, i] = w.y[2, k]
    _place(w, S, NEW)


@kernel
def _place(w, S, first):
    for i in range(S.shape[1]):
        w.X[0, i], w.X[1, i], w.X[2, i] = S[first + Q, i], S[first + V, i], 0.5 * S[first + QDD, i]


@kernel
def _right_hand_side(t, w, s, kq):
    """s.b = (-residual, -gap / kq) in the order of elimination; the largest gap of the conditions."""
    gap = 0.0
    for m in range(s.free.size):
        i = s.free[m]
        s.b[s.place[i]] = w.fx[i]
    for m in range(s.bound.size):
        i = s.bound[m]
        g = -w.e[0, i]
        if t.e_y[i] >= 0:
            g += w.y[0, t.e_y[i]]
        gap = max(gap, abs(g))
        s.de[m] = g / kq
        s.b[s.b_place[m]] = g / kq
    return gap


@kernel
def _correction(t, w, s, S, h, kq, kv, sigma_b, dx, dq, rtol, atol):
    """Solve and correct xdd and sigma_b; the weighted size of the correction in the degrees of freedom."""
    backsolve(s.start, s.rows, s.diag, s.V, s.b)
    for m in range(s.free.size):
        i = s.free[m]
        dx[i] = s.b[s.place[i]]
        S[NEW + QDD, i] += dx[i]
    for m in range(s.bound.size):
        sigma_b[m] += s.b[s.b_place[m]] + s.rho[m] * s.de[m]
    to_degrees(t, w, s, dx, dq)
    norm, ne = 0.0, s.dof_e.size
    for m in range(dq.size):
        q = w.e[0, s.dof_e[m]] if m < ne else S[NEW + Q, s.dof_x[m - ne]]
        weight = atol + rtol * abs(q)
        norm += ((kq * dq[m]) ** 2 + (h * kv * dq[m]) ** 2) / weight**2
    return (norm / (2 * max(dq.size, 1))) ** 0.5


@kernel
def _factors(t, w, s, time, kq, kv, sigma):
    tangent_matrix(t, w, s, time, kq, kv, 1.0, sigma)
    return refactor(s.start, s.rows, s.diag, s.V, s.x)


@kernel
def _remains(memory, norm, last, since):
    """Size of all corrections to come, `since` iterations after a new tangent: after its first they shrink with the
    square; with a tangent of an earlier step (since < 0) as they have done in this one."""
    if since == 0 and norm < 0.1:
        return norm * memory[RATE] * max(1.0, norm / memory[AT])
    rate = min(norm / last, 0.95) if last < 1e300 else 0.95
    if since == 1:
        memory[RATE], memory[AT] = rate, last
    return norm * rate / (1.0 - rate)


@kernel
def _solve_step(t, w, s, ref, time, h, S, p, fresh, careful, sigma_b, dx, dq, rtol, atol, info, memory):
    """Newton for xdd and sigma_b at the end of the step: iterations used, or NEWTON_FAILED.

    A tangent of an earlier step is kept while its corrections shrink fast, and replaced on the spot where they do not;
    the next steps then begin with one of their own, whose first correction is the only one where it is known to do.
    Its stress resultants are those of the last accepted point, which a rough prediction of stiff elements cannot spoil.
    """
    ratio = (1.0 - p[1]) / (1.0 - p[0])
    kq, kv, last = h * h * p[2] * ratio, h * p[3] * ratio, 1e300
    inputs(t, w, time)
    _predict(s, S, p, careful)
    orders, renewed, taken = 2 if s.n[2] == 1 else 1, fresh, NEWTON_STEPS + 2
    for it in range(NEWTON_STEPS + 2):
        _advance(t, w, s, S, h, p)
        unbalance(t, w, s, time, ref, sigma_b, orders if fresh else 1)
        info[RHS] += 1
        if fresh:
            info[TANGENTS] += 1
            if it == 0:
                for m in range(s.bound.size):
                    s.sg[s.bound[m]] = sigma_b[m]
            bad = _factors(t, w, s, time, kq, kv, s.sg if it == 0 else w.sigma)
            if bad >= 0:
                return NEWTON_FAILED
            fresh, taken = False, it
        gap = _right_hand_side(t, w, s, kq)
        norm = _correction(t, w, s, S, h, kq, kv, sigma_b, dx, dq, rtol, atol)
        rounding = it > 1 and norm < 0.1 and norm > 0.3 * last  # short elements leave little more than it
        if not norm < 1e30 or (it > 1 and norm > 2.0 * last and not rounding):
            return NEWTON_FAILED
        if (_remains(memory, norm, last, it - taken) < SETTLED or rounding) and gap < GAP:
            _advance(t, w, s, S, h, p)
            return it + 1
        if it > 0 and norm > STALE * last and not renewed:
            fresh, renewed, memory[ANEW] = True, True, EAGER
        last = norm
    return NEWTON_FAILED


@kernel
def _error(t, w, s, S, h, constant, dx, dq, rtol, atol):
    """Weighted error of the step, in the degrees of freedom."""
    for m in range(s.free.size):
        i = s.free[m]
        dx[i] = constant * h * h * (S[NEW + A, i] - S[A, i])
    to_degrees(t, w, s, dx, dq)
    z, ne = 0.0, s.dof_e.size
    for m in range(dq.size):
        if m < ne:
            size = max(abs(w.e[0, s.dof_e[m]]), abs(s.e0[s.dof_e[m]]))
        else:
            i = s.dof_x[m - ne]
            size = max(abs(S[Q, i]), abs(S[NEW + Q, i]))
        z += (dq[m] / (atol + rtol * size)) ** 2
    return (z / max(dq.size, 1)) ** 0.5


@kernel
def accelerate_nodal(t, w, s, time, ref, sigma_b):
    """xdd and sigma_b of a consistent position and velocity in w.X, prescribed accelerations from w.y: 1 or SINGULAR.

    M xdd + D_b^T sigma_b = f - h - D^T sigma,    D_b xdd = edd - Dd_b xd.
    """
    for i in range(w.X.shape[1]):
        w.X[2, i] = 0.0
    for m in range(s.r_x.size):
        w.X[2, s.r_x[m]] = 0.5 * w.y[2, t.x_y[s.r_x[m]]]
    for m in range(s.bound.size):
        sigma_b[m] = 0.0
    unbalance(t, w, s, time, ref, sigma_b, 1)
    tangent_matrix(t, w, s, time, 0.0, 0.0, 1.0, w.sigma)
    bad = refactor(s.start, s.rows, s.diag, s.V, s.x)
    if bad >= 0:
        return SINGULAR - bad
    for again in range(2):  # the second time refines
        if again == 1:
            unbalance(t, w, s, time, ref, sigma_b, 1)
        for m in range(s.free.size):
            s.b[s.place[s.free[m]]] = w.fx[s.free[m]]
        for m in range(s.bound.size):
            i = s.bound[m]
            s.de[m] = -2.0 * w.e[2, i]
            if t.e_y[i] >= 0:
                s.de[m] += w.y[2, t.e_y[i]]
            s.b[s.b_place[m]] = s.de[m]
        backsolve(s.start, s.rows, s.diag, s.V, s.b)
        for m in range(s.free.size):
            w.X[2, s.free[m]] += 0.5 * s.b[s.place[s.free[m]]]
        for m in range(s.bound.size):
            sigma_b[m] += s.b[s.b_place[m]] + s.rho[m] * s.de[m]
    unbalance(t, w, s, time, ref, sigma_b, 1)
    return 1


@kernel
def _start(t, w, s, ref, S, sigma_b, info):
    """Accelerations of the state S at info[TIME]; the auxiliary ones begin equal to them."""
    inputs(t, w, info[TIME])
    _place(w, S, 0)
    status = accelerate_nodal(t, w, s, info[TIME], ref, sigma_b)
    if status <= 0:
        return status
    for i in range(S.shape[1]):
        S[QDD, i] = 2.0 * w.X[2, i]
        S[A, i] = S[OLD, i] = S[QDD, i]
        for k in range(4):
            S[NEW + k, i] = S[k, i]
    copy(w.sigma, s.sg)
    copy(w.e[0], s.e0)
    copy(w.e[0], ref)
    return 1


@kernel
def _first_step(w, s, S, rtol, atol, span):
    """A cautious step: the acceleration moves q by a hundredth of the tolerance; it grows fast."""
    big = 0.0
    for m in range(s.dof_e.size):
        i = s.dof_e[m]
        big = max(big, abs(2.0 * w.e[2, i]) / (atol + rtol * abs(w.e[0, i])))
    for m in range(s.dof_x.size):
        i = s.dof_x[m]
        big = max(big, abs(S[QDD, i]) / (atol + rtol * abs(S[Q, i])))
    return min(0.1 * span, 0.1 / (big**0.5 + 1e-10) + 1e-6)


@kernel
def _outputs(w, time, t1, h, S, times, X, E, info):
    """States at the output times up to t1, by the quintic through x, xd, xdd at both ends."""
    nxt, pair = int(info[NEXT]), np.empty(2)
    while nxt < times.size and times[nxt] <= t1:
        for i in range(S.shape[1]):
            if h > 0.0:
                x = (times[nxt] - time) / h
                _quintic(x, h, S[Q, i], S[V, i], S[QDD, i], S[NEW + Q, i], S[NEW + V, i], S[NEW + QDD, i], pair)
                X[0, nxt, i], X[1, nxt, i] = pair[0], pair[1]
            else:
                X[0, nxt, i], X[1, nxt, i] = S[Q, i], S[V, i]
        for i in range(E.shape[2]):
            E[0, nxt, i] = w.e[0, i]
        nxt += 1
    info[NEXT] = nxt


@kernel
def run_nodal(t, w, s, ref, p, S, sigma_b, end, rtol, atol, h_max, fixed, times, X, E, info):
    """Integrate S from info[TIME] to end, filling X and E at the output times: as `run_implicit`.

    S = (x, xd, a, xdd; the same at the end of the step; xdd at the start of the step before). info[LAST_STEP] is zero
    where a piece begins, and the step to which S[A] belongs where a run goes on.
    """
    dx, dq = np.zeros(S.shape[1]), np.zeros(s.dof_e.size + s.dof_x.size)
    if info[LAST_STEP] <= 0.0:
        status = _start(t, w, s, ref, S, sigma_b, info)
        if status <= 0:
            return status
    time, h = info[TIME], fixed if fixed > 0.0 else info[STEP]
    _outputs(w, time, time, 0.0, S, times, X, E, info)
    if h <= 0.0:
        h = _first_step(w, s, S, rtol, atol, end - time)
    belongs = info[LAST_STEP] if info[LAST_STEP] > 0.0 else h
    tangent_step, why, astray, pause = 0.0, STEP_TOO_SMALL, False, info[STEPS] + PATIENCE
    before, memory = sigma_b.copy(), np.array([1.0, 1.0, 0.0])
    while time < end:
        if info[STEPS] >= pause:
            info[LAST_STEP] = belongs
            copy(before, sigma_b)
            return PAUSED
        h = min(h, h_max)
        if h < 1e-13 * max(abs(time), abs(end)):
            return why
        careful, astray = astray, False
        last = time + h * 1.0000001 >= end
        hs = end - time if last else h
        t1 = end if last else time + hs
        for i in range(S.shape[1]):  # a leads xdd by a part of the step
            S[A, i] = S[QDD, i] + (hs / belongs) * (S[A, i] - S[QDD, i])
            S[OLD, i] = S[QDD, i] + (hs / belongs) * (S[OLD, i] - S[QDD, i])
        belongs = hs
        fresh = tangent_step != hs or memory[ANEW] > 0.0
        copy(before, sigma_b)
        used = _solve_step(t, w, s, ref, t1, hs, S, p, fresh, careful, sigma_b, dx, dq, rtol, atol, info,
                           memory)  # fmt: skip
        if fresh:
            memory[ANEW] -= 1.0 if used == 1 else 10.0  # pays where it saves an iteration or two
        if used > 0 and _turned_round(t, w):
            used = NEWTON_FAILED
        tangent_step = hs if 0 < used <= SLOW else 0.0
        if used <= 0:
            info[REJECTED] += 1
            astray, memory[RATE] = True, 1.0
            if fresh:  # else the next attempt has a new tangent
                why = used
                if fixed > 0.0 and careful:
                    return why
                h = fixed if fixed > 0.0 else 0.5 * hs
            continue
        err = _error(t, w, s, S, hs, p[4], dx, dq, rtol, atol)
        if fixed <= 0.0 and not err < 1.0:
            why = STEP_TOO_SMALL
            h = hs * max(0.2, 0.9 * err ** (-1.0 / 3.0)) if err < 1e300 else 0.1 * hs
            info[REJECTED] += 1
            continue
        copy(w.e[0], ref)
        copy(w.e[0], s.e0)
        copy(w.sigma, s.sg)
        copy(sigma_b, before)
        _outputs(w, time, t1, hs, S, times, X, E, info)
        copy(S[QDD], S[OLD])
        for k in range(4):
            copy(S[NEW + k], S[k])
        time = t1
        info[STEPS] += 1
        if fixed <= 0.0:
            factor = 2.0 if err < 1e-3 else min(2.0, 0.9 * err ** (-1.0 / 3.0))
            if factor < 1.0 or (factor > 1.2 and not last):  # a kept step keeps its tangent
                h = hs * factor
        info[TIME], info[STEP] = time, h
    return DONE
