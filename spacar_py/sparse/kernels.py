"""Element matrices in nodal coordinates, written one after the other into flat arrays."""

import numpy as np

from .._jit import kernel
from ..assembly import frame_hessian
from ..signals import signal
from ..tables import FOLLOWER_FORCE, FORCE, MOMENT


@kernel
def element_stiffness(t, w, bound, S, k, out):
    """out = D^T S D per element (nx x nx each) over the deformations that are not bound, plus H where k = 1."""
    D = w.D[0]
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        nx, d0, h0 = t.el_x[el + 1] - t.el_x[el], t.el_D[el], t.el_H[el]
        for m in range(nx * nx):
            out[h0 + m] = w.H[h0 + m] if k == 1 else 0.0
        for i in range(n):
            if bound[e0 + i] == 1:
                continue
            for j in range(n):
                s = S[s0 + i * n + j]
                if s == 0.0 or bound[e0 + j] == 1:
                    continue
                for a in range(nx):
                    f = s * D[d0 + i * nx + a]
                    if f != 0.0:
                        for b in range(nx):
                            out[h0 + a * nx + b] += f * D[d0 + j * nx + b]


@kernel
def add_deformations(t, D, sigma, out):
    """out += D^T sigma over all deformations."""
    for el in range(t.el_e.size - 1):
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        for ei in range(t.el_e[el], t.el_e[el + 1]):
            s = sigma[ei]
            if s != 0.0:
                d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
                for c in range(nx):
                    out[t.el_xi[x0 + c]] += D[d0 + c] * s


@kernel
def deformation_rates(t, D, dx, out):
    """out = D dx."""
    for el in range(t.el_e.size - 1):
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        for ei in range(t.el_e[el], t.el_e[el + 1]):
            d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
            z = 0.0
            for c in range(nx):
                z += D[d0 + c] * dx[t.el_xi[x0 + c]]
            out[ei] = z


@kernel
def direction_stiffness(t, w, g, out):
    """Second derivatives of inertial directions, w.zdd included, 16 numbers each: (C (zdd - g)) . d2u/dx2."""
    W = np.zeros((4, 4))
    for n in range(t.z_kind.size):
        for m in range(16):
            out[16 * n + m] = 0.0
        if t.z_kind[n] != 1:
            continue
        i = t.z_i[n]
        if t.dir_n[i] == 4:
            frame_hessian(4, t.dir_a[i, 0], t.dir_a[i, 1], t.dir_a[i, 2], w.w[n, 0], w.w[n, 1], w.w[n, 2], W)
        else:
            frame_hessian(1, w.U[0, i, 0], w.U[0, i, 1], 0.0, w.w[n, 0], w.w[n, 1], w.w[n, 2], W)
        for a in range(t.dir_n[i]):
            for b in range(t.dir_n[i]):
                out[16 * n + 4 * a + b] = W[a, b]


@kernel
def load_stiffness(t, w, time, out):
    """-df/dx of each load, 16 numbers: 4 x 4 of a moment, 3 x 4 of a follower force."""
    s3 = np.empty(3)
    for n in range(t.ld_kind.size):
        for m in range(16):
            out[16 * n + m] = 0.0
        kind = t.ld_kind[n]
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
                    out[16 * n + 4 * c + k] = -f * w.G[0, d, c, k]
            continue
        s = 1.0 if kind == MOMENT else -1.0
        v0, v1, v2 = -2.0 * f * t.ld_v[n, 0], -2.0 * f * t.ld_v[n, 1], -2.0 * f * t.ld_v[n, 2]
        o = 16 * n
        out[o + 1], out[o + 2], out[o + 3] = -v0, -v1, -v2
        out[o + 4], out[o + 8], out[o + 12] = v0, v1, v2
        out[o + 7], out[o + 6] = s * v1, -s * v2
        out[o + 9], out[o + 11] = s * v2, -s * v0
        out[o + 14], out[o + 13] = s * v0, -s * v1


@kernel
def mass_blocks(t, w, k, out):
    """C_nm Z_n^T Z_m[k] per entry of C, 16 numbers each: the mass matrix (k = 0), or with G of order k."""
    for n in range(t.z_kind.size):
        for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
            m = t.c_idx[p]
            o = 16 * p
            for a in range(16):
                out[o + a] = 0.0
            na = t.dir_n[t.z_i[n]] if t.z_kind[n] == 1 else t.z_n[n]
            nb = t.dir_n[t.z_i[m]] if t.z_kind[m] == 1 else t.z_n[m]
            for a in range(na):
                for b in range(nb):
                    z = 0.0
                    for c in range(3):
                        if t.z_kind[n] == 1:
                            l = w.G[0, t.z_i[n], c, a]
                        else:
                            l = 1.0 if a == c else 0.0
                        if t.z_kind[m] == 1:
                            r = w.G[k, t.z_i[m], c, b]
                        else:
                            r = 1.0 if b == c and k == 0 else 0.0
                        z += l * r
                    out[o + 4 * a + b] = t.c_val[p] * z
