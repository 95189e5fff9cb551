"""Exact Jacobian dF/dy + cj dF/dy' of the arm's equations (dense array with banded content).

Everything is first derived by the spin phi of the node, phi = 2 Q(p) dp / (p.p), where the formulas are short, and
then turned into columns of p.
"""

from __future__ import annotations

import numpy as np

from spacar_py._jit import kernel
from spacar_py.corotational.beam3d import beam_stiffness
from spacar_py.corotational.inertia import beam_inertia_slopes, body_inertia, body_inertia_slopes
from spacar_py.corotational.residual import constraint_forces, cross, motor_state, turned, unpack
from spacar_py.corotational.rotations import product3, skew


@kernel
def _spin(out, row, o, H, n, k, value):
    """Add a derivative by component k of the spin of node n."""
    for c in range(4):
        out[row, o + 3 + c] += value * H[n, k, c]


@kernel
def _force(out, o, Q, n, comp, kind, col, value):
    """Add d(G^T multiplier)[n, comp]/dy[col]: to the momentum rows (kind 0) or the kinematic rows (kind 1)."""
    if kind == 0:
        out[o + 7 + comp, col] -= value
    elif comp < 3:
        out[o + comp, col] -= value
    else:
        for c in range(4):
            out[o + 3 + c, col] -= 0.5 * Q[n, comp - 3, c] * value


@kernel
def _force_spin(out, o, Q, n, comp, kind, oc, H, m, k, value):
    """The same by component k of the spin of node m."""
    for c in range(4):
        _force(out, o, Q, n, comp, kind, oc + 3 + c, value * H[m, k, c])


@kernel
def _beams(tb, x, R, H, w, wd, cj, out):
    K, D, M, S = np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    t1, t2 = np.empty((3, 3)), np.empty((3, 3))
    for e in range(tb.beam_nodes.shape[0]):
        n, m = tb.beam_nodes[e, 0], tb.beam_nodes[e, 1]
        product3(R[n], tb.beam_axes[e, 0], t1)
        product3(R[m], tb.beam_axes[e, 1], t2)
        beam_stiffness(x, n, m, t1, t2, tb.beam_l0[e], tb.beam_law[e], S)
        beam_inertia_slopes(t1, t2, n, m, w, wd, tb.beam_mass[e], K, D, M)
        for br in range(2):
            row = tb.node_at[tb.beam_nodes[e, br]] + 7
            for bc in range(2):
                node = tb.beam_nodes[e, bc]
                o = tb.node_at[node]
                for i in range(6):
                    r = 6 * br + i
                    for j in range(6):
                        q = 6 * bc + j
                        if j < 3:
                            out[row + i, o + j] += S[r, q] + K[r, q]
                        else:
                            _spin(out, row + i, o, H, node, j - 3, S[r, q] + K[r, q])
                        out[row + i, o + 7 + j] += D[r, q] + cj * M[r, q]


@kernel
def _bodies(tb, R, H, w, a, wd, cj, out):
    J, K, D = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    f = np.empty(6)
    for b in range(tb.body_node.shape[0]):
        n = tb.body_node[b]
        o = tb.node_at[n]
        body_inertia(R[n], tb.body_inertia[b], tb.body_mass[b], w, a, wd, n, J, f)
        body_inertia_slopes(J, w, wd, n, K, D)
        for i in range(3):
            out[o + 7 + i, o + 7 + i] += cj * tb.body_mass[b]
            for j in range(3):
                _spin(out, o + 10 + i, o, H, n, j, K[i, j])
                out[o + 10 + i, o + 10 + j] += D[i, j] + cj * J[i, j]


@kernel
def _points(tb, R, Q, H, w, y, out):
    A = np.empty(3)
    lam = np.empty(3)
    As, P, ls, ws = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for c in range(tb.point_nodes.shape[0]):
        first, second = tb.point_at[c, 0], tb.point_at[c, 1]
        for end in range(2):
            n = tb.point_nodes[c, end]
            if n < 0:
                continue
            o = tb.node_at[n]
            sign = 1.0 - 2.0 * end
            turned(R, n, tb.point_arms[c, end], A)
            skew(A, As)
            skew(w[n], ws)
            product3(ws, As, P)
            for i in range(3):
                out[first + i, o + 7 + i] += sign
                for j in range(3):
                    out[first + i, o + 10 + j] -= sign * As[i, j]
                    _spin(out, first + i, o, H, n, j, -sign * P[i, j])
                if tb.stabilise[0] == 1:
                    out[second + i, o + i] += sign
                    for j in range(3):
                        _spin(out, second + i, o, H, n, j, -sign * As[i, j])
            for kind in range(2):
                at = tb.point_at[c, kind]
                for i in range(3):
                    lam[i] = y[at + i]
                skew(lam, ls)
                product3(ls, As, P)
                for i in range(3):
                    _force(out, o, Q, n, i, kind, at + i, sign)
                    for j in range(3):
                        _force(out, o, Q, n, 3 + i, kind, at + j, sign * As[i, j])
                        _force_spin(out, o, Q, n, 3 + i, kind, o, H, n, j, sign * P[i, j])


@kernel
def _dots(tb, R, Q, H, w, y, out):
    A, B, N, d, T = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    As, Bs, ds = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    P = np.empty((2, 3, 3))
    for c in range(tb.dot_nodes.shape[0]):
        first, second = tb.dot_at[c, 0], tb.dot_at[c, 1]
        n, m = tb.dot_nodes[c, 0], tb.dot_nodes[c, 1]
        turned(R, n, tb.dot_first[c, 0], A)
        turned(R, m, tb.dot_second[c], B)
        cross(A, B, N)
        skew(A, As)
        skew(B, Bs)
        # N = A x B turns with both nodes: dN = B~ A~ phi_n - A~ B~ phi_m
        product3(Bs, As, P[0])
        product3(As, Bs, P[1])
        turned(R, n, tb.dot_first[c, 1], d)
        cross(d, B, T)
        for i in range(3):
            d[i] = 0.0
            if n >= 0:
                d[i] += w[n, i]
            if m >= 0:
                d[i] -= w[m, i]
        skew(d, ds)
        for end in range(2):
            k = tb.dot_nodes[c, end]
            if k < 0:
                continue
            o = tb.node_at[k]
            sign = 1.0 - 2.0 * end
            for j in range(3):
                turn = T[j]
                for i in range(3):
                    turn += d[i] * P[end, i, j]
                out[first, o + 10 + j] += sign * N[j]
                _spin(out, first, o, H, k, j, sign * turn)
                if tb.stabilise[0] == 1:
                    _spin(out, second, o, H, k, j, sign * N[j])
            for kind in range(2):
                at = tb.dot_at[c, kind]
                for i in range(3):
                    _force(out, o, Q, k, 3 + i, kind, at, sign * N[i])
                    for other in range(2):
                        q = tb.dot_nodes[c, other]
                        if q >= 0:
                            flip = sign * (1.0 - 2.0 * other) * y[at]
                            for j in range(3):
                                value = flip * P[other, i, j]
                                _force_spin(out, o, Q, k, 3 + i, kind, tb.node_at[q], H, q, j, value)


@kernel
def _loads(tb, R, Q, H, out):
    A = np.empty(3)
    As, Fs, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for c in range(tb.load_node.shape[0]):
        n = tb.load_node[c]
        turned(R, n, tb.load_arm[c], A)
        skew(A, As)
        skew(tb.load[c], Fs)
        product3(Fs, As, P)
        for i in range(3):
            for j in range(3):
                _force_spin(out, tb.node_at[n], Q, n, 3 + i, 0, tb.node_at[n], H, n, j, P[i, j])


@kernel
def _motors(tb, R, Q, H, w, out):
    A, z, d, T = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    As = np.empty((3, 3))
    for c in range(tb.motor_nodes.shape[0]):
        angle, rate = motor_state(tb, c, R, w, A, z, d)
        kp, kd = tb.motor_gains[c, 0], tb.motor_gains[c, 1]
        torque = tb.motor_target[c, 2] + kp * (tb.motor_target[c, 0] - angle) + kd * (tb.motor_target[c, 1] - rate)
        skew(A, As)
        cross(A, d, T)
        for end in range(2):
            k = tb.motor_nodes[c, end]
            if k < 0:
                continue
            o = tb.node_at[k]
            sign = 2.0 * end - 1.0
            for other in range(2):
                q = tb.motor_nodes[c, other]
                if q < 0:
                    continue
                oq = tb.node_at[q]
                side = 2.0 * other - 1.0
                for i in range(3):
                    for j in range(3):
                        _force(out, o, Q, k, 3 + i, 0, oq + 10 + j, -sign * A[i] * kd * side * A[j])
                        value = -A[i] * kp * side * z[j]
                        if other == 0:
                            value -= A[i] * kd * T[j] + torque * As[i, j]
                        _force_spin(out, o, Q, k, 3 + i, 0, oq, H, q, j, sign * value)


@kernel
def jacobian(tb, y, yp, cj, out):
    """out = dF/dy + cj dF/dy', shape (size, size)."""
    out[:, :] = 0.0
    nn = tb.node_at.shape[0]
    x, v, w, a, wd = np.empty((nn, 3)), np.empty((nn, 3)), np.empty((nn, 3)), np.empty((nn, 3)), np.empty((nn, 3))
    R, Q, H = np.empty((nn, 3, 3)), np.empty((nn, 3, 4)), np.empty((nn, 3, 4))
    unpack(tb.node_at, y, yp, x, R, Q, v, w, a, wd)
    extra = np.zeros((nn, 6))
    constraint_forces(tb, R, y, 1, extra)
    for n in range(nn):
        o = tb.node_at[n]
        norm = y[o + 3] ** 2 + y[o + 4] ** 2 + y[o + 5] ** 2 + y[o + 6] ** 2
        for i in range(3):
            out[o + i, o + i] += cj
            out[o + i, o + 7 + i] -= 1.0
            turn = 0.5 * (w[n, i] + extra[n, 3 + i])
            out[o + 3, o + 4 + i] += turn
            out[o + 4 + i, o + 3] -= turn
            # (w x a)/2 : column j of row i
            p, q = (i + 1) % 3, (i + 2) % 3
            out[o + 4 + p, o + 4 + q] += turn
            out[o + 4 + q, o + 4 + p] -= turn
            for c in range(4):
                H[n, i, c] = 2.0 * Q[n, i, c] / norm
                out[o + 3 + c, o + 10 + i] -= 0.5 * Q[n, i, c]
        for c in range(4):
            out[o + 3 + c, o + 3 + c] += cj
    _beams(tb, x, R, H, w, wd, cj, out)
    _bodies(tb, R, H, w, a, wd, cj, out)
    _points(tb, R, Q, H, w, y, out)
    _dots(tb, R, Q, H, w, y, out)
    _loads(tb, R, Q, H, out)
    _motors(tb, R, Q, H, w, out)
    if tb.stabilise[0] == 0:
        for c in range(tb.point_at.shape[0]):
            for i in range(3):
                out[tb.point_at[c, 1] + i, tb.point_at[c, 1] + i] += 1.0
        for c in range(tb.dot_at.shape[0]):
            out[tb.dot_at[c, 1], tb.dot_at[c, 1]] += 1.0
