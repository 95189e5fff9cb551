"""Generalised-alpha method with the exact tangent, modified Newton and adaptive step, for stiff models.

Equilibrium holds at the end of the step; a is the auxiliary acceleration (Arnold and Bruels 2007):

    (1 - am) a1 + am a0 = (1 - af) qdd1 + af qdd0
    q1 = q0 + h qd0 + h^2 ((1/2 - beta) a0 + beta a1)        qd1 = qd0 + h ((1 - gamma) a0 + gamma a1)

with am, af, beta, gamma from the spectral radius rho at infinite frequency. The controller's state follows by the
trapezoidal rule, eliminated into the tangent. Error of the step: (h^2/6) |a1 - a0| / 2, weighted.
"""

import numpy as np

from .._jit import kernel
from ..controller import control
from ..dynamics import balance, inputs, position, velocities
from ..linalg import gauss_solve
from ..tangent import tangent
from .explicit import DONE, STEP_TOO_SMALL
from .rates import rates

NEWTON_STEPS = 8


@kernel
def _residual(t, w, c, ref, time, q, v, a, z, kind):
    """w.rho at the state; kind 1 leaves the position for the tangent that follows."""
    nq = t.n[2]
    for j in range(nq):
        w.y[0, j], w.y[1, j], w.y[2, j] = q[j], v[j], a[j]
    inputs(t, w, time)
    for j in range(nq):
        w.y[2, j] = a[j]
    status = position(t, w, ref)
    if status <= 0:
        return status
    velocities(t, w, ref)
    if c.n[0] > 0:
        control(t, w, c, time, z)
    if kind == 0:
        balance(t, w, time, ref)
    return 1


@kernel
def _iteration_matrix(t, w, c, ref, time, mats, kq, kv, h, J):
    """J = M0 + kv (C0 + D0) + kq (K0 + G0 + N0) with the controller's feedback."""
    nq = t.n[2]
    tangent(t, w, time, ref, mats)
    for i in range(nq):
        for j in range(nq):
            J[i, j] = (
                mats[0, i, j]
                + kv * (mats[1, i, j] + mats[2, i, j])
                + kq * (mats[3, i, j] + mats[4, i, j] + mats[5, i, j])
            )
    nu, ns, nz = c.n[0], c.n[1], c.n[2]
    if nu == 0:
        return
    # z1 = (I - h/2 A)^-1 (... + h/2 B y1): feedback D + C (I - h/2 A)^-1 h/2 B
    Q, col = np.empty((nz, nz)), np.empty(nz)
    for m in range(2 * ns):
        for i in range(nz):
            col[i] = 0.5 * h * c.B[i, m]
            for j in range(nz):
                Q[i, j] = -0.5 * h * c.A[i, j]
            Q[i, i] += 1.0
        if nz > 0:
            gauss_solve(Q, col, nz)
        k = kq if m < ns else kv
        s = m if m < ns else m - ns
        if c.sensor[s, 0] != 0:
            continue
        js = t.e_y[c.sensor[s, 1]]
        if js < 0 or js >= nq:
            continue
        for i in range(nu):
            f = 0.0
            for l in range(nu):
                g = c.D[l, m]
                for j in range(nz):
                    g += c.C[l, j] * col[j]
                f += c.Wt[i, l] * g
            ji = t.e_y[c.act[i]]
            if ji >= 0 and ji < nq:
                J[ji, js] += k * f


@kernel
def _quintic(x, h, p0, d0, a0, p1, d1, a1, out):
    d0, d1, a0, a1 = d0 * h, d1 * h, a0 * h * h, a1 * h * h
    c3 = 10.0 * (p1 - p0) - 6.0 * d0 - 4.0 * d1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * (p1 - p0) + 8.0 * d0 + 7.0 * d1 + 1.5 * a0 - a1
    c5 = 6.0 * (p1 - p0) - 3.0 * (d0 + d1) - 0.5 * (a0 - a1)
    out[0] = p0 + x * (d0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))))
    out[1] = (d0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h


@kernel
def run_implicit(t, w, c, ref, radius, s, span, rtol, atol, h_max, fixed, times, out, info):
    """Integrate s = (q, qd, z) over span; arguments as in `run_explicit`; fixed > 0 takes that step throughout."""
    nq, nz, ny = t.n[2], c.n[2], t.n[3]
    am, af = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (1.0 + af - am) ** 2
    ratio = (1.0 - af) / (1.0 - am)
    ds = np.empty(s.size)
    q, v, z = s[:nq].copy(), s[nq : 2 * nq].copy(), s[2 * nq :].copy()
    q1, v1, z1, qdd1, a1 = q.copy(), v.copy(), z.copy(), np.empty(nq), np.empty(nq)
    zd, rest, dv, pair = np.empty(nz), np.empty(nq), np.empty(nq), np.empty(2)
    mats, J, lu = np.empty((6, ny, ny)), np.empty((nq, nq)), np.empty((nq, nq))
    Q = np.empty((nz, nz))
    time, end = span[0], span[1]
    nxt = int(info[4])
    status = rates(t, w, c, ref, time, s, ds)
    if status <= 0:
        return status
    qdd, a = ds[nq : 2 * nq].copy(), ds[nq : 2 * nq].copy()
    for i in range(nz):
        zd[i] = ds[2 * nq + i]
    while nxt < times.size and times[nxt] <= time:
        out[nxt, :] = s
        nxt += 1
    h = info[1]
    if fixed > 0.0:
        h = fixed
    elif h <= 0.0:
        big = 0.0
        for i in range(nq):
            big = max(big, abs(qdd[i]) / (atol + rtol * abs(q[i])))
        h = min(0.1 * (end - time), 0.1 / (big**0.5 + 1e-10) + 1e-6)
    h_old, J_h, bad_newton = h, 0.0, False
    while time < end:
        h = min(h, h_max)
        if h < 1e-13 * max(abs(time), abs(end)):
            info[0], info[4] = time, nxt
            return STEP_TOO_SMALL
        hs = h
        if time + h * 1.0000001 >= end:
            hs = end - time
        for i in range(nq):  # the auxiliary acceleration leads qdd by a part of the step
            a[i] = qdd[i] + (hs / h_old) * (a[i] - qdd[i])
            qdd1[i] = qdd[i]
        h_old = hs
        kq, kv = hs * hs * beta * ratio, hs * gamma * ratio
        converged, last_norm = False, 1e300
        t1 = time + hs
        for it in range(NEWTON_STEPS):
            for i in range(nq):
                a1[i] = ((1.0 - af) * qdd1[i] + af * qdd[i] - am * a[i]) / (1.0 - am)
                q1[i] = q[i] + hs * v[i] + hs * hs * ((0.5 - beta) * a[i] + beta * a1[i])
                v1[i] = v[i] + hs * ((1.0 - gamma) * a[i] + gamma * a1[i])
            if nz > 0 and it == 0:
                for i in range(nz):
                    z1[i] = z[i]
            status = _residual(t, w, c, ref, t1, q1, v1, qdd1, z1, 1)
            if status <= 0:
                break
            if nz > 0:  # the trapezoidal rule with the present errors in c.y
                for i in range(nz):
                    z1[i] = z[i] + 0.5 * hs * zd[i]
                    for j in range(c.y.size):
                        z1[i] += 0.5 * hs * c.B[i, j] * c.y[j]
                    for j in range(nz):
                        Q[i, j] = -0.5 * hs * c.A[i, j]
                    Q[i, i] += 1.0
                gauss_solve(Q, z1, nz)
                control(t, w, c, t1, z1)
            if it == 0 and (bad_newton or J_h != hs):
                _iteration_matrix(t, w, c, ref, t1, mats, kq, kv, hs, J)
                J_h, bad_newton = hs, False
                info[5] += 1
            else:
                balance(t, w, t1, ref)
            info[3] += 1
            for i in range(nq):
                rest[i] = -w.rho[i]
                for j in range(nq):
                    lu[i, j] = J[i, j]
            if gauss_solve(lu, rest, nq) == 0:
                break
            norm = 0.0
            for i in range(nq):
                qdd1[i] += rest[i]
                e = kq * rest[i] / (atol + rtol * abs(q1[i]))
                f = kv * rest[i] * hs / (atol + rtol * abs(q1[i]))
                norm += e * e + f * f
            norm = (norm / (2 * nq)) ** 0.5
            if not norm < 1e30 or (it > 1 and norm > 2.0 * last_norm):
                break
            if norm < 1e-3:
                converged = True
                bad_newton = it > 3
                break
            last_norm = norm
        if not converged:
            bad_newton = True
            if J_h == hs and fixed <= 0.0:
                h = 0.5 * hs
            J_h = 0.0
            info[6] += 1
            if fixed > 0.0 or info[6] > 100000:
                info[0], info[4] = time, nxt
                return STEP_TOO_SMALL
            continue
        err = 0.0
        for i in range(nq):
            a1[i] = ((1.0 - af) * qdd1[i] + af * qdd[i] - am * a[i]) / (1.0 - am)
            q1[i] = q[i] + hs * v[i] + hs * hs * ((0.5 - beta) * a[i] + beta * a1[i])
            v1[i] = v[i] + hs * ((1.0 - gamma) * a[i] + gamma * a1[i])
            e = hs * hs / 12.0 * (a1[i] - a[i]) / (atol + rtol * max(abs(q[i]), abs(q1[i])))
            err += e * e
        err = (err / max(nq, 1)) ** 0.5
        if fixed <= 0.0 and not err < 1.0:
            h = hs * max(0.2, 0.9 * err ** (-1.0 / 3.0)) if err < 1e300 else 0.1 * hs
            info[6] += 1
            continue
        if nz > 0:
            for i in range(nz):
                zd[i] = c.zd[i]
        for i in range(ref.size):
            ref[i] = w.e[0, i]
        if time + hs * 1.0000001 >= end:
            t1 = end
        while nxt < times.size and times[nxt] <= t1:
            x = (times[nxt] - time) / hs
            for i in range(nq):
                _quintic(x, hs, q[i], v[i], qdd[i], q1[i], v1[i], qdd1[i], pair)
                out[nxt, i], out[nxt, nq + i] = pair[0], pair[1]
            for i in range(nz):
                out[nxt, 2 * nq + i] = z[i] + x * (z1[i] - z[i])
            nxt += 1
        for i in range(nq):
            q[i], v[i], qdd[i], a[i] = q1[i], v1[i], qdd1[i], a1[i]
            s[i], s[nq + i] = q1[i], v1[i]
        for i in range(nz):
            z[i] = z1[i]
            s[2 * nq + i] = z1[i]
        time = t1
        info[2] += 1
        if fixed <= 0.0:
            factor = 2.0 if err < 1e-3 else min(2.0, 0.9 * err ** (-1.0 / 3.0))
            if factor > 1.2 or factor < 1.0:  # a kept step keeps its factorisation
                h = hs * factor if hs == h or factor < 1.0 else h
        info[0], info[1], info[4] = time, h, nxt
    return DONE
