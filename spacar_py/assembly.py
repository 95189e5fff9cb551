"""Deformations and their derivatives, as Taylor series in time: e, D and the Hessian contracted with sigma."""

import math

import numpy as np

from ._jit import kernel
from ._outline import outlined
from .primitives import basics, chords, directions, gradients
from .tables import DOT, DOT_CHORD, DOT_UNIT, LENGTH, LINEAR


@kernel
def _angle(s, c, ref):
    """atan2(s, c) on the turn nearest to ref; the correction carries a complex step through."""
    a = math.atan2(s.real, c.real)
    a += 2.0 * math.pi * np.round((ref.real - a) / (2.0 * math.pi))
    ca, sa = math.cos(a), math.sin(a)
    return a + (s * ca - c * sa) / (c * ca + s * sa)


@kernel
def deformations(t, w, first, K, ref):
    """Series of the deformations e; angles on the turn nearest to ref."""
    b, e = w.b, w.e
    for k in range(first, K):
        for n in range(e.shape[1]):
            e[k, n] = 0.0
    for el in range(t.el_b.size - 1):
        b0, e0 = t.el_b[el], t.el_e[el]
        for m in range(t.lin[el], t.lin[el + 1]):
            for k in range(first, K):
                e[k, e0 + t.lin_e[m]] += t.lin_c[m] * b[k, b0 + t.lin_b[m]]
        for m in range(t.qd[el], t.qd[el + 1]):
            i, j = b0 + t.qd_i[m], b0 + t.qd_j[m]
            for k in range(first, K):
                z = b[0, i] * b[k, j]
                for o in range(1, k + 1):
                    z += b[o, i] * b[k - o, j]
                e[k, e0 + t.qd_e[m]] += t.qd_c[m] * z
        for m in range(t.an[el], t.an[el + 1]):
            i, j, row = b0 + t.an_s[m], b0 + t.an_c[m], e0 + t.an_e[m]
            if first == 0:
                e[0, row] = _angle(b[0, i], b[0, j], ref[row])
            rr = b[0, i] * b[0, i] + b[0, j] * b[0, j]
            if first < 2 and K > 1:
                e[1, row] = (b[0, j] * b[1, i] - b[0, i] * b[1, j]) / rr
            if K > 2:  # d/dt (c s' - s c') = c s'' - s c''
                rd = 2.0 * (b[0, i] * b[1, i] + b[0, j] * b[1, j])
                e[2, row] = (2.0 * (b[0, j] * b[2, i] - b[0, i] * b[2, j]) - rd * e[1, row]) / (2.0 * rr)


@kernel
def _add_row(D, start, w_bg, b_n, b_col, n, f0, f1, f2, K):
    """D row += (f * gradient of basic n), series product."""
    for o in range(b_n[n]):
        col = start + b_col[n, o]
        g0 = w_bg[0, n, o]
        D[0, col] += f0 * g0
        if K > 1:
            D[1, col] += f0 * w_bg[1, n, o] + f1 * g0
        if K > 2:
            D[2, col] += f0 * w_bg[2, n, o] + f1 * w_bg[1, n, o] + f2 * g0


@kernel
def jacobian(t, w, K):
    """Series of D = de/dx, element by element, row by row."""
    b, D, bg = w.b, w.D, w.bg
    b_n, b_col = t.b_n, t.b_col
    zero = b[0, 0] * 0.0
    for k in range(K):
        for n in range(D.shape[1]):
            D[k, n] = 0.0
    for el in range(t.el_b.size - 1):
        b0, nx = t.el_b[el], t.el_x[el + 1] - t.el_x[el]
        d0 = t.el_D[el]
        for m in range(t.lin[el], t.lin[el + 1]):
            _add_row(D, d0 + t.lin_e[m] * nx, bg, b_n, b_col, b0 + t.lin_b[m], zero + t.lin_c[m], zero, zero, K)
        for m in range(t.qd[el], t.qd[el + 1]):
            i, j, c = b0 + t.qd_i[m], b0 + t.qd_j[m], t.qd_c[m]
            row = d0 + t.qd_e[m] * nx
            _add_row(D, row, bg, b_n, b_col, i, c * b[0, j], c * b[1, j], c * b[2, j], K)
            _add_row(D, row, bg, b_n, b_col, j, c * b[0, i], c * b[1, i], c * b[2, i], K)
        for m in range(t.an[el], t.an[el + 1]):
            i, j = b0 + t.an_s[m], b0 + t.an_c[m]
            row = d0 + t.an_e[m] * nx
            s0, s1, s2, c0, c1, c2 = b[0, i], b[1, i], b[2, i], b[0, j], b[1, j], b[2, j]
            r0 = s0 * s0 + c0 * c0
            r1 = 2.0 * (s0 * s1 + c0 * c1)
            r2 = 2.0 * (s0 * s2 + c0 * c2) + s1 * s1 + c1 * c1
            f0, h0 = c0 / r0, -s0 / r0
            f1, h1 = (c1 - r1 * f0) / r0, (-s1 - r1 * h0) / r0
            f2, h2 = (c2 - r1 * f1 - r2 * f0) / r0, (-s2 - r1 * h1 - r2 * h0) / r0
            _add_row(D, row, bg, b_n, b_col, i, f0, f1, f2, K)
            _add_row(D, row, bg, b_n, b_col, j, h0, h1, h2, K)


@outlined("t", "w", "i0", "i0", "n1")
def values(t, w, first, K, ref):
    """Series of e for the coordinates in w.X, orders first to K - 1; order 0 alone, for Newton, in code of its own."""
    if K == 1:
        directions(t, w, 0, 1)
        chords(t, w, 0, 1)
        basics(t, w, 0, 1)
        deformations(t, w, 0, 1, ref)
        return 1
    directions(t, w, first, K)
    chords(t, w, first, K)
    basics(t, w, first, K)
    deformations(t, w, first, K, ref)
    return 1


@outlined("t", "w", "i0")
def derivatives(t, w, K):
    """Series of D, after `values`."""
    if K == 1:
        gradients(t, w, 1)
        jacobian(t, w, 1)
        return 1
    gradients(t, w, K)
    jacobian(t, w, K)
    return 1


@kernel
def series(t, w, K, ref):
    """Series of e and D for the coordinates in w.X."""
    values(t, w, 0, K, ref)
    derivatives(t, w, K)


@kernel
def frame_hessian(n, a0, a1, a2, v0, v1, v2, W):
    """Second derivative of v . R(lambda) a: constant in the Euler parameters; -v.u in a planar angle (a = u)."""
    va = v0 * a0 + v1 * a1 + v2 * a2
    if n == 1:
        W[0, 0] = -(v0 * a0 + v1 * a1)
        return
    x0, x1, x2 = a1 * v2 - a2 * v1, a2 * v0 - a0 * v2, a0 * v1 - a1 * v0
    W[0, 0] = 2.0 * va
    W[0, 1] = 2.0 * x0
    W[0, 2] = 2.0 * x1
    W[0, 3] = 2.0 * x2
    W[1, 1] = 2.0 * (2.0 * v0 * a0 - va)
    W[2, 2] = 2.0 * (2.0 * v1 * a1 - va)
    W[3, 3] = 2.0 * (2.0 * v2 * a2 - va)
    W[1, 2] = 2.0 * (v0 * a1 + v1 * a0)
    W[1, 3] = 2.0 * (v0 * a2 + v2 * a0)
    W[2, 3] = 2.0 * (v1 * a2 + v2 * a1)
    for i in range(4):
        for j in range(i):
            W[i, j] = W[j, i]


@kernel
def _add_frame(H, h0, nx, t, n, first, d, s, v0, v1, v2, U, W):
    nd = t.dir_n[d]
    if nd == 1:
        frame_hessian(1, U[0, d, 0], U[0, d, 1], 0.0, v0, v1, v2, W)
    else:
        frame_hessian(4, t.dir_a[d, 0], t.dir_a[d, 1], t.dir_a[d, 2], v0, v1, v2, W)
    for o in range(nd):
        r = h0 + t.b_col[n, first + o] * nx
        for m in range(nd):
            H[r + t.b_col[n, first + m]] += s * W[o, m]


@kernel
def _add_chord(H, h0, nx, t, n, first, nc, P):
    """Add P (nc, nc) for the chord: + at pp and qq, - at pq and qp."""
    for o in range(nc):
        rp = h0 + t.b_col[n, first + o] * nx
        rq = h0 + t.b_col[n, first + nc + o] * nx
        for m in range(nc):
            cp, cq = t.b_col[n, first + m], t.b_col[n, first + nc + m]
            H[rp + cp] += P[o, m]
            H[rq + cq] += P[o, m]
            H[rp + cq] -= P[o, m]
            H[rq + cp] -= P[o, m]


@kernel
def _add_cross(H, h0, nx, t, n, nd, nc, Q):
    """Add Q (nd, nc), mixed derivatives of frame and chord, and its transpose."""
    for o in range(nd):
        a = t.b_col[n, o]
        for m in range(nc):
            cp, cq = t.b_col[n, nd + m], t.b_col[n, nd + nc + m]
            H[h0 + a * nx + cq] += Q[o, m]
            H[h0 + cq * nx + a] += Q[o, m]
            H[h0 + a * nx + cp] -= Q[o, m]
            H[h0 + cp * nx + a] -= Q[o, m]


@kernel
def _dot_hessian(t, w, H, h0, nx, n, i, j, s, W):
    """H += s * second derivative of u_i . u_j."""
    U, ni, nj = w.U, t.dir_n[i], t.dir_n[j]
    _add_frame(H, h0, nx, t, n, 0, i, s, U[0, j, 0], U[0, j, 1], U[0, j, 2], U, W)
    _add_frame(H, h0, nx, t, n, ni, j, s, U[0, i, 0], U[0, i, 1], U[0, i, 2], U, W)
    for o in range(ni):
        a = t.b_col[n, o]
        for m in range(nj):
            c = t.b_col[n, ni + m]
            z = w.G[0, i, 0, o] * w.G[0, j, 0, m] + w.G[0, i, 1, o] * w.G[0, j, 1, m]
            z = s * (z + w.G[0, i, 2, o] * w.G[0, j, 2, m])
            H[h0 + a * nx + c] += z
            H[h0 + c * nx + a] += z


@kernel
def _basic_hessian(t, w, H, h0, nx, n, s, W, Q):
    """H += s * second derivative of basic n."""
    kind, i, j = t.b_kind[n], t.b_i[n], t.b_j[n]
    s = s * t.b_c[n]
    U, E = w.U, w.E
    if kind == DOT:
        _dot_hessian(t, w, H, h0, nx, n, i, j, s, W)
        if t.b_k[n] >= 0:
            _dot_hessian(t, w, H, h0, nx, n, t.b_k[n], t.b_l[n], s * t.b_s[n], W)
    elif kind == DOT_UNIT:
        nd, nc, r = t.dir_n[i], t.ch_n[j], w.R[0, j]
        e0, e1, e2 = E[0, j, 0], E[0, j, 1], E[0, j, 2]
        _add_frame(H, h0, nx, t, n, 0, i, s, e0, e1, e2, U, W)
        ue = U[0, i, 0] * e0 + U[0, i, 1] * e1 + U[0, i, 2] * e2
        for o in range(nd):
            ge = w.G[0, i, 0, o] * e0 + w.G[0, i, 1, o] * e1 + w.G[0, i, 2, o] * e2
            for m in range(nc):
                Q[o, m] = s * (w.G[0, i, m, o] - ge * E[0, j, m]) / r
        _add_cross(H, h0, nx, t, n, nd, nc, Q)
        for o in range(nc):
            uo = U[0, i, o] - ue * E[0, j, o]
            for m in range(nc):
                um = U[0, i, m] - ue * E[0, j, m]
                z = uo * E[0, j, m] + E[0, j, o] * um - ue * E[0, j, o] * E[0, j, m]
                if o == m:
                    z += ue
                Q[o, m] = -s * z / (r * r)
        _add_chord(H, h0, nx, t, n, nd, nc, Q)
    elif kind == LENGTH:
        nc, r = t.ch_n[i], w.R[0, i]
        for o in range(nc):
            for m in range(nc):
                z = -E[0, i, o] * E[0, i, m]
                if o == m:
                    z += 1.0
                Q[o, m] = s * z / r
        _add_chord(H, h0, nx, t, n, 0, nc, Q)
    elif kind == DOT_CHORD:
        nd, nc = t.dir_n[i], t.ch_n[j]
        _add_frame(H, h0, nx, t, n, 0, i, s, w.L[0, j, 0], w.L[0, j, 1], w.L[0, j, 2], U, W)
        for o in range(nd):
            for m in range(nc):
                Q[o, m] = s * w.G[0, i, m, o]
        _add_cross(H, h0, nx, t, n, nd, nc, Q)
    elif kind != LINEAR:
        for o in range(4):
            c = t.b_col[n, o]
            H[h0 + c * nx + c] += 2.0 * s


@kernel
def _outer(H, h0, nx, t, bg, i, j, c):
    """H += c * (grad_i grad_j^T), not symmetrised."""
    for o in range(t.b_n[i]):
        a = c * bg[0, i, o]
        r = h0 + t.b_col[i, o] * nx
        for m in range(t.b_n[j]):
            H[r + t.b_col[j, m]] += a * bg[0, j, m]


@kernel
def hessian(t, w, sigma):
    """w.H = sum_i sigma_i d2e_i/dx2, element by element; needs the gradients of order zero."""
    b, bg, H = w.b, w.bg, w.H
    W = np.empty((4, 4), b.dtype)
    Q = np.empty((4, 4), b.dtype)
    s = np.zeros(b.shape[1], b.dtype)
    for n in range(H.size):
        H[n] = 0.0
    for el in range(t.el_b.size - 1):
        b0, e0, h0 = t.el_b[el], t.el_e[el], t.el_H[el]
        nx = t.el_x[el + 1] - t.el_x[el]
        for m in range(t.lin[el], t.lin[el + 1]):
            s[b0 + t.lin_b[m]] += t.lin_c[m] * sigma[e0 + t.lin_e[m]]
        for m in range(t.qd[el], t.qd[el + 1]):
            i, j = b0 + t.qd_i[m], b0 + t.qd_j[m]
            c = t.qd_c[m] * sigma[e0 + t.qd_e[m]]
            s[i] += c * b[0, j]
            s[j] += c * b[0, i]
            _outer(H, h0, nx, t, bg, i, j, c)
            _outer(H, h0, nx, t, bg, j, i, c)
        for m in range(t.an[el], t.an[el + 1]):
            i, j = b0 + t.an_s[m], b0 + t.an_c[m]
            bs, bc, c = b[0, i], b[0, j], sigma[e0 + t.an_e[m]]
            rr = bs * bs + bc * bc
            s[i] += c * bc / rr
            s[j] -= c * bs / rr
            _outer(H, h0, nx, t, bg, i, i, -2.0 * c * bs * bc / (rr * rr))
            _outer(H, h0, nx, t, bg, j, j, 2.0 * c * bs * bc / (rr * rr))
            _outer(H, h0, nx, t, bg, i, j, c * (bs * bs - bc * bc) / (rr * rr))
            _outer(H, h0, nx, t, bg, j, i, c * (bs * bs - bc * bc) / (rr * rr))
        for n in range(b0, t.el_b[el + 1]):
            _basic_hessian(t, w, H, h0, nx, n, s[n], W, Q)
