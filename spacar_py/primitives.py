"""Directions, chords and basics of the elements, and the basics' gradients, as Taylor series in time."""

import numpy as np

from ._jit import kernel
from .tables import DOT, DOT_CHORD, DOT_UNIT, LENGTH, LINEAR


@kernel
def directions(t, w, first, K):
    """Series of all directions u = R a and of their gradients G = du/dlambda, orders first to K - 1."""
    X, U, G = w.X, w.U, w.G
    dir_x, dir_n, dir_a = t.dir_x, t.dir_n, t.dir_a
    for d in range(dir_x.size):
        o = dir_x[d]
        a0, a1, a2 = dir_a[d, 0], dir_a[d, 1], dir_a[d, 2]
        if dir_n[d] == 4:
            for k in range(first, K):
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
            for k in range(first, K):
                for c in range(3):
                    z = X[0, o] * 0.0
                    for i in range(k + 1):
                        for j in range(4):
                            z += G[i, d, c, j] * X[k - i, o + j]
                    U[k, d, c] = 0.5 * z
        else:
            if first == 0:
                c0, s0 = np.cos(X[0, o]), np.sin(X[0, o])
                U[0, d, 0] = c0 * a0 - s0 * a1
                U[0, d, 1] = s0 * a0 + c0 * a1
            for k in range(max(first, 1), K):  # u' = phi' (e_z x u)
                zx, zy = X[0, o] * 0.0, X[0, o] * 0.0
                for i in range(1, k + 1):
                    zx -= i * X[i, o] * U[k - i, d, 1]
                    zy += i * X[i, o] * U[k - i, d, 0]
                U[k, d, 0] = zx / k
                U[k, d, 1] = zy / k
            for k in range(first, K):
                G[k, d, 0, 0] = -U[k, d, 1]
                G[k, d, 1, 0] = U[k, d, 0]


@kernel
def chords(t, w, first, K):
    """Series of chords l, lengths r and unit chords el."""
    X, L, R, E = w.X, w.L, w.R, w.E
    for d in range(t.ch_p.size):
        p, q = t.ch_p[d], t.ch_q[d]
        for k in range(first, K):
            for c in range(t.ch_n[d]):
                L[k, d, c] = X[k, q + c] - X[k, p + c]
        if first == 0:
            R[0, d] = np.sqrt(L[0, d, 0] * L[0, d, 0] + L[0, d, 1] * L[0, d, 1] + L[0, d, 2] * L[0, d, 2])
            for c in range(3):
                E[0, d, c] = L[0, d, c] / R[0, d]
        for k in range(max(first, 1), K):
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
def basics(t, w, first, K):
    """Series of the basics b."""
    X, b, U, L, R, E = w.X, w.b, w.U, w.L, w.R, w.E
    b_kind, b_i, b_j, b_k, b_l, b_c, b_s, b_0 = t.b_kind, t.b_i, t.b_j, t.b_k, t.b_l, t.b_c, t.b_s, t.b_0
    for n in range(b_kind.size):
        kind, i, j, c = b_kind[n], b_i[n], b_j[n], b_c[n]
        for k in range(first, K):
            if kind == DOT:
                z = _dot(U, i, U, j, k)
                if b_k[n] >= 0:
                    z += b_s[n] * _dot(U, b_k[n], U, b_l[n], k)
            elif kind == DOT_UNIT:
                z = _dot(U, i, E, j, k)
            elif kind == LENGTH:
                z = R[k, i]
            elif kind == DOT_CHORD:
                z = _dot(U, i, L, j, k)
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
        if first == 0:
            b[0, n] += b_0[n]


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
    bg, b, U, G, E, R, L = w.bg, w.b, w.U, w.G, w.E, w.R, w.L
    b_kind, b_i, b_j, b_k, b_l, b_c, b_s = t.b_kind, t.b_i, t.b_j, t.b_k, t.b_l, t.b_c, t.b_s
    b_n, b_0, dir_n, ch_n = t.b_n, t.b_0, t.dir_n, t.ch_n
    for n in range(b_kind.size):
        kind, i, j, c = b_kind[n], b_i[n], b_j[n], b_c[n]
        for k in range(K):
            for o in range(b_n[n]):
                bg[k, n, o] = 0.0
            if kind == DOT:
                _gradient_direction(bg, n, 0, c, G, i, dir_n[i], U, j, k)
                _gradient_direction(bg, n, dir_n[i], c, G, j, dir_n[j], U, i, k)
                if b_k[n] >= 0:
                    c2, i2, j2 = c * b_s[n], b_k[n], b_l[n]
                    _gradient_direction(bg, n, 0, c2, G, i2, dir_n[i], U, j2, k)
                    _gradient_direction(bg, n, dir_n[i], c2, G, j2, dir_n[j], U, i2, k)
            elif kind == DOT_UNIT:
                nd, nc = dir_n[i], ch_n[j]
                _gradient_direction(bg, n, 0, c, G, i, nd, E, j, k)
                for o in range(nc):  # (u - (u.el) el) / r
                    z = c * U[k, i, o]
                    for m in range(k + 1):
                        bm = b[m, n]
                        if m == 0:
                            bm -= b_0[n]
                        z -= bm * E[k - m, j, o]
                    for m in range(1, k + 1):
                        z -= R[m, j] * bg[k - m, n, nd + nc + o]
                    bg[k, n, nd + nc + o] = z / R[0, j]
                    bg[k, n, nd + o] = -z / R[0, j]
            elif kind == LENGTH:
                nc = ch_n[i]
                for o in range(nc):
                    bg[k, n, nc + o] = c * E[k, i, o]
                    bg[k, n, o] = -c * E[k, i, o]
            elif kind == DOT_CHORD:
                nd, nc = dir_n[i], ch_n[j]
                _gradient_direction(bg, n, 0, c, G, i, nd, L, j, k)
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
