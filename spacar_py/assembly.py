"""Deformations and their derivatives, as Taylor series in time: e, D and the Hessian contracted with sigma."""

import math

import numpy as np

from ._jit import kernel
from .tables import DOT, DOT_CHORD, DOT_UNIT, LENGTH, LINEAR


@kernel
def directions(t, w, K):
    """Series of all directions u = R a and of their gradients G = du/dlambda, up to order K - 1."""
    X, U, G = w.X, w.U, w.G
    for d in range(t.dir_x.size):
        o = t.dir_x[d]
        a0, a1, a2 = t.dir_a[d, 0], t.dir_a[d, 1], t.dir_a[d, 2]
        if t.dir_n[d] == 4:
            for k in range(K):
                s, v0, v1, v2 = X[k, o], X[k, o + 1], X[k, o + 2], X[k, o + 3]
                va = 2.0 * (v0 * a0 + v1 * a1 + v2 * a2)
                G[k, d, 0, 0] = 2.0 * (s * a0 + v1 * a2 - v2 * a1)
                G[k, d, 1, 0] = 2.0 * (s * a1 + v2 * a0 - v0 * a2)
                G[k, d, 2, 0] = 2.0 * (s * a2 + v0 * a1 - v1 * a0)
                G[k, d, 0, 1] = va
                G[k, d, 1, 1] = 2.0 * (-v0 * a1 + v1 * a0 - s * a2)
                G[k, d, 2, 1] = 2.0 * (-v0 * a2 + v2 * a0 + s * a1)
                G[k, d, 0, 2] = 2.0 * (-v1 * a0 + v0 * a1 + s * a2)
                G[k, d, 1, 2] = va
                G[k, d, 2, 2] = 2.0 * (-v1 * a2 + v2 * a1 - s * a0)
                G[k, d, 0, 3] = 2.0 * (-v2 * a0 + v0 * a2 - s * a1)
                G[k, d, 1, 3] = 2.0 * (-v2 * a1 + v1 * a2 + s * a0)
                G[k, d, 2, 3] = va
            for k in range(K):
                for c in range(3):
                    z = X[0, o] * 0.0
                    for i in range(k + 1):
                        for j in range(4):
                            z += G[i, d, c, j] * X[k - i, o + j]
                    U[k, d, c] = 0.5 * z
        else:
            c0, s0 = np.cos(X[0, o]), np.sin(X[0, o])
            U[0, d, 0] = c0 * a0 - s0 * a1
            U[0, d, 1] = s0 * a0 + c0 * a1
            for k in range(1, K):  # u' = phi' (e_z x u)
                zx, zy = X[0, o] * 0.0, X[0, o] * 0.0
                for i in range(1, k + 1):
                    zx -= i * X[i, o] * U[k - i, d, 1]
                    zy += i * X[i, o] * U[k - i, d, 0]
                U[k, d, 0] = zx / k
                U[k, d, 1] = zy / k
            for k in range(K):
                G[k, d, 0, 0] = -U[k, d, 1]
                G[k, d, 1, 0] = U[k, d, 0]


@kernel
def chords(t, w, K):
    """Series of chords l, lengths r and unit chords el."""
    X, L, R, E = w.X, w.L, w.R, w.E
    for d in range(t.ch_p.size):
        p, q = t.ch_p[d], t.ch_q[d]
        for k in range(K):
            for c in range(t.ch_n[d]):
                L[k, d, c] = X[k, q + c] - X[k, p + c]
        R[0, d] = np.sqrt(L[0, d, 0] * L[0, d, 0] + L[0, d, 1] * L[0, d, 1] + L[0, d, 2] * L[0, d, 2])
        for c in range(3):
            E[0, d, c] = L[0, d, c] / R[0, d]
        for k in range(1, K):
            z = R[0, d] * 0.0
            for i in range(k + 1):
                z += L[i, d, 0] * L[k - i, d, 0] + L[i, d, 1] * L[k - i, d, 1] + L[i, d, 2] * L[k - i, d, 2]
            for i in range(1, k):
                z -= R[i, d] * R[k - i, d]
            R[k, d] = z / (2.0 * R[0, d])
            for c in range(3):
                y = L[k, d, c]
                for i in range(1, k + 1):
                    y -= R[i, d] * E[k - i, d, c]
                E[k, d, c] = y / R[0, d]


@kernel
def _dot(A, i, B, j, k):
    z = A[0, i, 0] * 0.0
    for m in range(k + 1):
        z += A[m, i, 0] * B[k - m, j, 0] + A[m, i, 1] * B[k - m, j, 1] + A[m, i, 2] * B[k - m, j, 2]
    return z


@kernel
def basics(t, w, K):
    """Series of the basics b."""
    X, b = w.X, w.b
    for n in range(t.b_kind.size):
        kind, i, j, c = t.b_kind[n], t.b_i[n], t.b_j[n], t.b_c[n]
        for k in range(K):
            if kind == DOT:
                z = _dot(w.U, i, w.U, j, k)
                if t.b_k[n] >= 0:
                    z += t.b_s[n] * _dot(w.U, t.b_k[n], w.U, t.b_l[n], k)
            elif kind == DOT_UNIT:
                z = _dot(w.U, i, w.E, j, k)
            elif kind == LENGTH:
                z = w.R[k, i]
            elif kind == DOT_CHORD:
                z = _dot(w.U, i, w.L, j, k)
            elif kind == LINEAR:
                z = X[k, j]
                if i >= 0:
                    z -= X[k, i]
            else:
                z = X[0, i] * 0.0
                for m in range(k + 1):
                    for o in range(4):
                        z += X[m, i + o] * X[k - m, i + o]
            b[k, n] = c * z
        b[0, n] += t.b_0[n]


@kernel
def _gradient_direction(bg, n, first, c, G, d, nd, V, j, k):
    """bg += c * d(u_d . v_j)/dlambda_d, order k."""
    for o in range(nd):
        z = bg[0, 0, 0] * 0.0
        for m in range(k + 1):
            z += G[m, d, 0, o] * V[k - m, j, 0] + G[m, d, 1, o] * V[k - m, j, 1] + G[m, d, 2, o] * V[k - m, j, 2]
        bg[k, n, first + o] += c * z


@kernel
def gradients(t, w, K):
    """Series of the gradients of the basics: frames first, then chord ends p and q."""
    bg, U, E, R = w.bg, w.U, w.E, w.R
    for n in range(t.b_kind.size):
        kind, i, j, c = t.b_kind[n], t.b_i[n], t.b_j[n], t.b_c[n]
        for k in range(K):
            for o in range(t.b_n[n]):
                bg[k, n, o] = 0.0
            if kind == DOT:
                _gradient_direction(bg, n, 0, c, w.G, i, t.dir_n[i], U, j, k)
                _gradient_direction(bg, n, t.dir_n[i], c, w.G, j, t.dir_n[j], U, i, k)
                if t.b_k[n] >= 0:
                    c2, i2, j2 = c * t.b_s[n], t.b_k[n], t.b_l[n]
                    _gradient_direction(bg, n, 0, c2, w.G, i2, t.dir_n[i], U, j2, k)
                    _gradient_direction(bg, n, t.dir_n[i], c2, w.G, j2, t.dir_n[j], U, i2, k)
            elif kind == DOT_UNIT:
                nd, nc = t.dir_n[i], t.ch_n[j]
                _gradient_direction(bg, n, 0, c, w.G, i, nd, E, j, k)
                for o in range(nc):  # (u - (u.el) el) / r
                    z = c * U[k, i, o]
                    for m in range(k + 1):
                        bm = w.b[m, n]
                        if m == 0:
                            bm -= t.b_0[n]
                        z -= bm * E[k - m, j, o]
                    for m in range(1, k + 1):
                        z -= R[m, j] * bg[k - m, n, nd + nc + o]
                    bg[k, n, nd + nc + o] = z / R[0, j]
                    bg[k, n, nd + o] = -z / R[0, j]
            elif kind == LENGTH:
                nc = t.ch_n[i]
                for o in range(nc):
                    bg[k, n, nc + o] = c * E[k, i, o]
                    bg[k, n, o] = -c * E[k, i, o]
            elif kind == DOT_CHORD:
                nd, nc = t.dir_n[i], t.ch_n[j]
                _gradient_direction(bg, n, 0, c, w.G, i, nd, w.L, j, k)
                for o in range(nc):
                    bg[k, n, nd + nc + o] = c * U[k, i, o]
                    bg[k, n, nd + o] = -c * U[k, i, o]
            elif kind == LINEAR:
                if k == 0:
                    bg[0, n, 0] = c
                    bg[0, n, 1] = -c
            else:
                for o in range(4):
                    bg[k, n, o] = 2.0 * c * w.X[k, i + o]


@kernel
def _angle(s, c, ref):
    """atan2(s, c) on the turn nearest to ref; the correction carries a complex step through."""
    a = math.atan2(s.real, c.real)
    a += 2.0 * math.pi * np.round((ref.real - a) / (2.0 * math.pi))
    ca, sa = math.cos(a), math.sin(a)
    return a + (s * ca - c * sa) / (c * ca + s * sa)


@kernel
def deformations(t, w, K, ref):
    """Series of the deformations e; angles on the turn nearest to ref."""
    b, e = w.b, w.e
    for k in range(K):
        for n in range(e.shape[1]):
            e[k, n] = 0.0
    for el in range(t.el_b.size - 1):
        b0, e0 = t.el_b[el], t.el_e[el]
        for m in range(t.lin[el], t.lin[el + 1]):
            for k in range(K):
                e[k, e0 + t.lin_e[m]] += t.lin_c[m] * b[k, b0 + t.lin_b[m]]
        for m in range(t.qd[el], t.qd[el + 1]):
            i, j = b0 + t.qd_i[m], b0 + t.qd_j[m]
            for k in range(K):
                z = b[0, i] * b[k, j]
                for o in range(1, k + 1):
                    z += b[o, i] * b[k - o, j]
                e[k, e0 + t.qd_e[m]] += t.qd_c[m] * z
        for m in range(t.an[el], t.an[el + 1]):
            i, j, row = b0 + t.an_s[m], b0 + t.an_c[m], e0 + t.an_e[m]
            e[0, row] = _angle(b[0, i], b[0, j], ref[row])
            rr = b[0, i] * b[0, i] + b[0, j] * b[0, j]
            if K > 1:
                e[1, row] = (b[0, j] * b[1, i] - b[0, i] * b[1, j]) / rr
            if K > 2:  # d/dt (c s' - s c') = c s'' - s c''
                rd = 2.0 * (b[0, i] * b[1, i] + b[0, j] * b[1, j])
                e[2, row] = (2.0 * (b[0, j] * b[2, i] - b[0, i] * b[2, j]) - rd * e[1, row]) / (2.0 * rr)


@kernel
def _add_row(D, start, w_bg, t, n, f0, f1, f2, K):
    """D row += (f * gradient of basic n), series product."""
    for o in range(t.b_n[n]):
        col = start + t.b_col[n, o]
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
    zero = b[0, 0] * 0.0
    for k in range(K):
        for n in range(D.shape[1]):
            D[k, n] = 0.0
    for el in range(t.el_b.size - 1):
        b0, nx = t.el_b[el], t.el_x[el + 1] - t.el_x[el]
        d0 = t.el_D[el]
        for m in range(t.lin[el], t.lin[el + 1]):
            _add_row(D, d0 + t.lin_e[m] * nx, bg, t, b0 + t.lin_b[m], zero + t.lin_c[m], zero, zero, K)
        for m in range(t.qd[el], t.qd[el + 1]):
            i, j, c = b0 + t.qd_i[m], b0 + t.qd_j[m], t.qd_c[m]
            row = d0 + t.qd_e[m] * nx
            _add_row(D, row, bg, t, i, c * b[0, j], c * b[1, j], c * b[2, j], K)
            _add_row(D, row, bg, t, j, c * b[0, i], c * b[1, i], c * b[2, i], K)
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
            _add_row(D, row, bg, t, i, f0, f1, f2, K)
            _add_row(D, row, bg, t, j, h0, h1, h2, K)


@kernel
def values(t, w, K, ref):
    """Series of e only."""
    directions(t, w, K)
    chords(t, w, K)
    basics(t, w, K)
    deformations(t, w, K, ref)


@kernel
def series(t, w, K, ref):
    """Series of e and D for the coordinates in w.X."""
    values(t, w, K, ref)
    gradients(t, w, K)
    jacobian(t, w, K)


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
