"""Exact derivatives of the residual: M0, C0, D0, K0, G0, N0 about any state (y, yd, ydd).

With DF = dx/dy, DFd = dxd/dy, DFdd = dxdd/dy (at fixed rates), and V, V1, V2 the same for the inertial vectors z:

    D DFd = -Dd DF        D DFdd = -(Ddd DF + 2 Dd DFd)
    M0 = V^T C V          C0 = 2 V^T C V1
    K0 = DFe^T S DFe      D0 = DFe^T Sd DFe
    G0 = DF^T [ sum_i sigma_i d2e_i/dx2 - df/dx ] DF     with all stress resultants, gravity included in f
    N0 = V^T C V2 + DF^T [ sum (C zdd) . d2z/dx2 ] DF + DFe^T Sd d(ed)/dy

They are the tangent of statics and of the implicit integrator, and the linearised equations of the user.
"""

import numpy as np

from ._jit import kernel
from .assembly import frame_hessian, hessian, jacobian
from .dynamics import gram, inertial_jacobian, reactions, residual, times_C
from .kinematics import solve
from .primitives import gradients
from .signals import signal
from .tables import FOLLOWER_FORCE, FORCE, MOMENT

M0, C0, D0, K0, G0, N0 = range(6)


@kernel
def _times_D(t, w, k, f, A, B):
    """B += f D[k] A, row by row of the deformations."""
    D = w.D[k]
    for el in range(t.el_e.size - 1):
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        for ei in range(t.el_e[el], t.el_e[el + 1]):
            d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
            for c in range(nx):
                z = f * D[d0 + c]
                if z != 0.0:
                    xi = t.el_xi[x0 + c]
                    if t.x_pos[xi] > -2:
                        for j in range(A.shape[1]):
                            B[ei, j] += z * A[xi, j]


@kernel
def _clear(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0


@kernel
def transfer_rates(t, w):
    """w.DFd and w.DFdd from the series D of orders 0 to 2."""
    _clear(w.rhs)
    _clear(w.DFd)
    _times_D(t, w, 1, -1.0, w.DF, w.rhs)
    solve(t, w, w.rhs, w.DFd)
    _clear(w.rhs)
    _clear(w.DFdd)
    _times_D(t, w, 2, -2.0, w.DF, w.rhs)
    _times_D(t, w, 1, -2.0, w.DFd, w.rhs)
    solve(t, w, w.rhs, w.DFdd)


@kernel
def _inertial_rates(t, w):
    """w.V1 = d(zd)/dy, w.V2 = d(zdd)/dy."""
    ny = w.V1.shape[1]
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        if t.z_kind[n] != 1:
            for c in range(t.z_n[n]):
                for j in range(ny):
                    w.V1[3 * n + c, j] = w.DFd[i + c, j]
                    w.V2[3 * n + c, j] = w.DFdd[i + c, j]
        else:
            o = t.dir_x[i]
            for c in range(3):
                r = 3 * n + c
                for j in range(ny):
                    w.V1[r, j] = 0.0
                    w.V2[r, j] = 0.0
                for k in range(t.dir_n[i]):
                    g0, g1, g2 = w.G[0, i, c, k], w.G[1, i, c, k], 2.0 * w.G[2, i, c, k]
                    for j in range(ny):
                        a, b = w.DF[o + k, j], w.DFd[o + k, j]
                        w.V1[r, j] += g1 * a + g0 * b
                        w.V2[r, j] += g2 * a + 2.0 * g1 * b + g0 * w.DFdd[o + k, j]


@kernel
def _sandwich(DF, o, n, W, out, sign):
    """out += sign DF[o:o+n]^T W DF[o:o+n]."""
    ny = DF.shape[1]
    for a in range(n):
        for b in range(n):
            z = sign * W[a, b]
            if z != 0.0:
                for i in range(ny):
                    f = z * DF[o + a, i]
                    if f != 0.0:
                        for j in range(ny):
                            out[i, j] += f * DF[o + b, j]


@kernel
def _inertial_hessian(t, w, out_g, out_n):
    """Second derivatives of directions: weight into G0, acceleration into N0."""
    W = np.zeros((4, 4), w.X.dtype)
    for n in range(t.z_kind.size):
        if t.z_kind[n] != 1:
            continue
        i = t.z_i[n]
        for part in range(2):
            v = np.zeros(3, w.X.dtype)
            big = 0.0
            for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
                m = t.c_idx[p]
                for c in range(3):
                    if part == 1:
                        v[c] += t.c_val[p] * w.zdd[m, c]
                    elif t.z_kind[m] == 0:
                        v[c] -= t.c_val[p] * w.fac[0] * t.gravity[c]
            for c in range(3):
                big += abs(v[c])
            if big == 0.0:
                continue
            if t.dir_n[i] == 4:
                frame_hessian(4, t.dir_a[i, 0], t.dir_a[i, 1], t.dir_a[i, 2], v[0], v[1], v[2], W)
            else:
                frame_hessian(1, w.U[0, i, 0], w.U[0, i, 1], 0.0, v[0], v[1], v[2], W)
            _sandwich(w.DF, t.dir_x[i], t.dir_n[i], W, out_n if part == 1 else out_g, 1.0)


@kernel
def _load_stiffness(t, w, time, out):
    """out -= DF^T (df/dx) DF for moments and follower forces."""
    W, s3 = np.zeros((4, 4), w.X.dtype), np.empty(3)
    ny = out.shape[0]
    for n in range(t.ld_kind.size):
        kind, o = t.ld_kind[n], t.ld_x[n]
        if kind == FORCE:
            continue
        f = w.fac[1]
        if t.ld_sig[n] >= 0:
            signal(t.sg_ptr, t.sg_t, t.sg_c, t.ld_sig[n], time, s3)
            f *= s3[0]
        if kind == FOLLOWER_FORCE:
            d = t.ld_dir[n]
            for c in range(t.ld_n[n]):
                for k in range(t.dir_n[d]):
                    z = f * w.G[0, d, c, k]
                    for i in range(ny):
                        for j in range(ny):
                            out[i, j] -= w.DF[o + c, i] * z * w.DF[t.dir_x[d] + k, j]
            continue
        s = 1.0 if kind == MOMENT else -1.0
        v0, v1, v2 = 2.0 * f * t.ld_v[n, 0], 2.0 * f * t.ld_v[n, 1], 2.0 * f * t.ld_v[n, 2]
        _clear(W)
        W[0, 1], W[0, 2], W[0, 3] = -v0, -v1, -v2
        W[1, 0], W[2, 0], W[3, 0] = v0, v1, v2
        W[1, 3], W[1, 2] = s * v1, -s * v2
        W[2, 1], W[2, 3] = s * v2, -s * v0
        W[3, 2], W[3, 1] = s * v0, -s * v1
        _sandwich(w.DF, o, 4, W, out, -1.0)


@kernel
def _geometric(t, w, out):
    """out += DF^T (sum sigma_i d2e_i/dx2) DF."""
    ny = out.shape[0]
    T = np.empty(ny, out.dtype)
    for el in range(t.el_e.size - 1):
        x0, nx, h0 = t.el_x[el], t.el_x[el + 1] - t.el_x[el], t.el_H[el]
        for a in range(nx):
            xa = t.el_xi[x0 + a]
            if t.x_pos[xa] == -2:
                continue
            for j in range(ny):
                T[j] = 0.0
            any_ = False
            for b in range(nx):
                z = w.H[h0 + a * nx + b]
                xb = t.el_xi[x0 + b]
                if z != 0.0 and t.x_pos[xb] > -2:
                    any_ = True
                    for j in range(ny):
                        T[j] += z * w.DF[xb, j]
            if any_:
                for i in range(ny):
                    f = w.DF[xa, i]
                    if f != 0.0:
                        for j in range(ny):
                            out[i, j] += f * T[j]


@kernel
def _constitutive(t, w, out):
    """K0, D0 and the part of N0 from dampers on released deformations; w.rhs serves as DFe."""
    ny = out.shape[1]
    ne = w.e.shape[1]
    _clear(w.rhs)
    _times_D(t, w, 0, 1.0, w.DF, w.rhs)  # exact unit rows for the given ones below
    rate = np.zeros((ne, ny), out.dtype)
    _times_D(t, w, 1, 1.0, w.DF, rate)
    _times_D(t, w, 0, 1.0, w.DFd, rate)
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            yi, gi = t.e_y[e0 + i], t.e_given[e0 + i]
            if gi == 1 and yi < 0:
                continue
            for j in range(n):
                yj, gj = t.e_y[e0 + j], t.e_given[e0 + j]
                s, d = t.S[s0 + i * n + j], t.Sd[s0 + i * n + j]
                if (gj == 1 and yj < 0) or (s == 0.0 and d == 0.0):
                    continue
                if gi == 1 and gj == 1:
                    out[K0, yi, yj] += s
                    out[D0, yi, yj] += d
                    continue
                for a in range(ny):
                    fa = w.rhs[e0 + i, a]
                    if gi == 1:
                        fa = 1.0 if a == yi else 0.0
                    if fa == 0.0:
                        continue
                    for b in range(ny):
                        fb = w.rhs[e0 + j, b]
                        if gj == 1:
                            fb = 1.0 if b == yj else 0.0
                        out[K0, a, b] += fa * s * fb
                        out[D0, a, b] += fa * d * fb
                        if gj == 0:
                            out[N0, a, b] += fa * d * rate[e0 + j, b]


@kernel
def tangent(t, w, time, ref, out):
    """out = (M0, C0, D0, K0, G0, N0) at w.y, after `position`; leaves w.rho, w.sigma, w.fx as `reactions` does."""
    residual(t, w, time, ref)
    reactions(t, w)
    gradients(t, w, 3)
    jacobian(t, w, 3)
    transfer_rates(t, w)
    inertial_jacobian(t, w)
    _inertial_rates(t, w)
    for k in range(6):
        _clear(out[k])
    times_C(t, w.V, w.CV)
    gram(w.V, w.CV, out[M0])
    times_C(t, w.V1, w.CV)
    gram(w.V, w.CV, out[C0])
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[C0, i, j] *= 2.0
    times_C(t, w.V2, w.CV)
    gram(w.V, w.CV, out[N0])
    _inertial_hessian(t, w, out[G0], out[N0])
    hessian(t, w, w.sigma)
    _geometric(t, w, out[G0])
    _load_stiffness(t, w, time, out[G0])
    _constitutive(t, w, out)
