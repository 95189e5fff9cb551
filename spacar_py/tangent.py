"""Exact derivatives of the residual: M0, C0, D0, K0, G0, N0 about any state (y, yd, ydd).

With DF = dx/dy, DFd = dxd/dy, DFdd = dxdd/dy (at fixed rates), and V, V1, V2 the same for the inertial vectors z:

    D DFd = -Dd DF        D DFdd = -(Ddd DF + 2 Dd DFd)
    M0 = V^T C V          C0 = 2 V^T C V1
    K0 = DFe^T S DFe      D0 = DFe^T Sd DFe
    G0 = DF^T [ sum_i sigma_i d2e_i/dx2 - df/dx ] DF     with all stress resultants, gravity included in f
    N0 = V^T C V2 + DF^T [ sum (C zdd) . d2z/dx2 ] DF + DFe^T Sd d(ed)/dy

No product DF^T P of two full matrices is formed: P, the nodal rows in the brackets, has the sparsity of the mesh times
DF, and DF^T P is a solve with D_c^T. Trees cost as many operations as the matrices have entries, times the size of an
element.

They are the tangent of statics and of the implicit integrator, and the linearised equations of the user.
"""

import numpy as np

from ._jit import kernel
from ._outline import outlined
from .assembly import derivatives, frame_hessian, hessian
from .dynamics import inertial_jacobian, reactions, residual, times_C
from .kinematics import project, solve
from .signals import signal
from .tables import FIXED_X, FOLLOWER_FORCE, FORCE, MOMENT

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
                    if t.x_pos[xi] > FIXED_X:
                        for j in range(A.shape[1]):
                            B[ei, j] += z * A[xi, j]


@kernel
def _clear(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0


@kernel
def _clear_again(A):
    """Zeros where there are none: memory that was never written stays unclaimed."""
    for i in range(A.shape[0]):
        some = 0.0
        for j in range(A.shape[1]):
            some += abs(A[i, j])
        if some != 0.0:
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
def times_Z(t, w, A, f, out):
    """out += f Z^T A for rows 3 n + c of A."""
    m = A.shape[1]
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        for c in range(3):
            r = 3 * n + c
            if t.z_kind[n] != 1:
                if c < t.z_n[n]:
                    for j in range(m):
                        out[i + c, j] += f * A[r, j]
            else:
                o = t.dir_x[i]
                for k in range(t.dir_n[i]):
                    g = f * w.G[0, i, c, k]
                    if g != 0.0:
                        for j in range(m):
                            out[o + k, j] += g * A[r, j]


@kernel
def _small(W, o, n, p, m, f, DF, out):
    """out[o:o+n] += f W DF[p:p+m]."""
    for a in range(n):
        for b in range(m):
            z = f * W[a, b]
            if z != 0.0:
                for j in range(DF.shape[1]):
                    out[o + a, j] += z * DF[p + b, j]


@kernel
def directions_gradient(t, w, part, out):
    """out += (sum v . d2z/dx2) DF, v = C (zdd - g): of the weight (part 0), the accelerations (1), or both (2)."""
    W, v = np.zeros((4, 4), w.X.dtype), np.zeros(3, w.X.dtype)
    for n in range(t.z_kind.size):
        if t.z_kind[n] != 1:
            continue
        i, big = t.z_i[n], 0.0
        for c in range(3):
            v[c] = 0.0
        for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
            m = t.c_idx[p]
            for c in range(3):
                if part != 0:
                    v[c] += t.c_val[p] * w.zdd[m, c]
                if part != 1 and t.z_kind[m] == 0:
                    v[c] -= t.c_val[p] * w.fac[0] * t.gravity[c]
        for c in range(3):
            big += abs(v[c])
        if big == 0.0:
            continue
        if t.dir_n[i] == 4:
            frame_hessian(4, t.dir_a[i, 0], t.dir_a[i, 1], t.dir_a[i, 2], v[0], v[1], v[2], W)
        else:
            frame_hessian(1, w.U[0, i, 0], w.U[0, i, 1], 0.0, v[0], v[1], v[2], W)
        _small(W, t.dir_x[i], t.dir_n[i], t.dir_x[i], t.dir_n[i], 1.0, w.DF, out)


@kernel
def loads_gradient(t, w, time, out):
    """out -= (df/dx) DF for moments and follower forces."""
    W, s3 = np.zeros((4, 4), w.X.dtype), np.empty(3)
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
                    W[c, k] = w.G[0, d, c, k]
            _small(W, o, t.ld_n[n], t.dir_x[d], t.dir_n[d], -f, w.DF, out)
            continue
        s = 1.0 if kind == MOMENT else -1.0
        v0, v1, v2 = 2.0 * t.ld_v[n, 0], 2.0 * t.ld_v[n, 1], 2.0 * t.ld_v[n, 2]
        _clear(W)
        W[0, 1], W[0, 2], W[0, 3] = -v0, -v1, -v2
        W[1, 0], W[2, 0], W[3, 0] = v0, v1, v2
        W[1, 3], W[1, 2] = s * v1, -s * v2
        W[2, 1], W[2, 3] = s * v2, -s * v0
        W[3, 2], W[3, 1] = s * v0, -s * v1
        _small(W, o, 4, o, 4, -f, w.DF, out)


@kernel
def stresses_gradient(t, w, out):
    """out += (sum sigma_i d2e_i/dx2) DF, element by element from w.H."""
    ny = out.shape[1]
    for el in range(t.el_e.size - 1):
        x0, nx, h0 = t.el_x[el], t.el_x[el + 1] - t.el_x[el], t.el_H[el]
        for a in range(nx):
            xa = t.el_xi[x0 + a]
            for b in range(nx):
                z = w.H[h0 + a * nx + b]
                xb = t.el_xi[x0 + b]
                if z != 0.0 and t.x_pos[xb] > FIXED_X:
                    for j in range(ny):
                        out[xa, j] += z * w.DF[xb, j]


@kernel
def _rates_of(t, w, el, ei, k, row):
    """row = de/dy (k = 0) or d(ed)/dy (k = 1) of one deformation; exact zeros and ones where it is given."""
    for j in range(row.size):
        row[j] = 0.0
    if t.e_given[ei] == 1:
        if k == 0 and t.e_y[ei] >= 0:
            row[t.e_y[ei]] = 1.0
        return
    x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
    d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
    for c in range(nx):
        z, z1, xi = w.D[0, d0 + c], w.D[1, d0 + c], t.el_xi[x0 + c]
        if t.x_pos[xi] > FIXED_X:
            for j in range(row.size):
                row[j] += z * w.DF[xi, j] if k == 0 else z1 * w.DF[xi, j] + z * w.DFd[xi, j]


@kernel
def _elastic(t, w, S, k, P, out):
    """Rows of DFe^T S (de/dy, or its rate k = 1) that released deformations have part in: P += D^T S (.), out += S (.).

    Nothing to do, and nothing done, where all deformations are given. Whether anything was added to P.
    """
    some, ny = False, out.shape[1]
    row = np.empty(ny, out.dtype)
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        for j in range(n):
            gj, ready = t.e_given[e0 + j], False
            if gj == 1 and (k == 1 or t.e_y[e0 + j] < 0):
                continue
            for i in range(n):
                s, gi, yi = S[s0 + i * n + j], t.e_given[e0 + i], t.e_y[e0 + i]
                if s == 0.0 or (gi == 1 and (gj == 1 or yi < 0)):
                    continue
                if not ready:
                    _rates_of(t, w, el, e0 + j, k, row)
                    ready = True
                if gi == 1:
                    for b in range(ny):
                        out[yi, b] += s * row[b]
                    continue
                some = True
                d0 = t.el_D[el] + i * nx
                for c in range(nx):
                    z = s * w.D[0, d0 + c]
                    if z != 0.0:
                        xi = t.el_xi[x0 + c]
                        for b in range(ny):
                            P[xi, b] += z * row[b]
    return some


@kernel
def _constitutive(t, w, out):
    """K0, D0 and the part of N0 from dampers on released deformations."""
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            yi = t.e_y[e0 + i]
            if t.e_given[e0 + i] == 0 or yi < 0:
                continue
            for j in range(n):
                yj = t.e_y[e0 + j]
                if t.e_given[e0 + j] == 1 and yj >= 0:
                    out[K0, yi, yj] += t.S[s0 + i * n + j]
                    if t.Sd[s0 + i * n + j] != 0.0:
                        out[D0, yi, yj] += t.Sd[s0 + i * n + j]
    for part in range(3):
        _clear(w.P)
        if part == 0:
            some = _elastic(t, w, t.S, 0, w.P, out[K0])
        elif part == 1:
            some = _elastic(t, w, t.Sd, 0, w.P, out[D0])
        else:
            some = _elastic(t, w, t.Sd, 1, w.P, out[N0])
        if some:
            project(t, w, w.P, out[K0 if part == 0 else D0 if part == 1 else N0])


@outlined("t", "w", "f0", "n1", "n3", numbers="f")
def tangent(t, w, time, ref, out):
    """out = (M0, C0, D0, K0, G0, N0) at w.y, after `position`; leaves w.rho, w.sigma, w.fx as `reactions` does."""
    residual(t, w, time, ref)
    reactions(t, w)
    derivatives(t, w, 3)
    transfer_rates(t, w)
    inertial_jacobian(t, w)
    _inertial_rates(t, w)
    for k in range(6):
        _clear_again(out[k])
    for k in range(4):
        _clear(w.P)
        if k < 3:
            times_C(t, w.V if k == 0 else w.V1 if k == 1 else w.V2, w.CV)
            times_Z(t, w, w.CV, 2.0 if k == 1 else 1.0, w.P)
        if k == 2:
            directions_gradient(t, w, 1, w.P)
        if k == 3:
            directions_gradient(t, w, 0, w.P)
            hessian(t, w, w.sigma)
            stresses_gradient(t, w, w.P)
            loads_gradient(t, w, time, w.P)
        project(t, w, w.P, out[M0 if k == 0 else C0 if k == 1 else N0 if k == 2 else G0])
    _constitutive(t, w, out)
    return 1
