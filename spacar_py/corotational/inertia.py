"""Inertia of beams and rigid bodies, from momenta of r, m and n with constant mass matrices.

    T = (1/2) sum_ij c_ij (rhoA r_i'.r_j' + rhoIz m_i'.m_j' + rhoIy n_i'.n_j'),   m' = w x m,   n' = w x n
    F_i = rhoA sum_j c_ij r_j'',   T_i = sum_j c_ij (rhoIz m_i x m_j'' + rhoIy n_i x n_j'')
    m'' = w' x m + w x (w x m)

A rigid body is the same with its own inertia: F = m r'', T = J w' + w x J w about the mass centre.

Source: Damic and Cohodar, equations 14-18.
"""

from __future__ import annotations

import numpy as np

from spacar_py._jit import kernel
from spacar_py.corotational.rotations import product3, skew


@kernel
def beam_inertia(t1, t2, i1, i2, w, a, wd, mass, out):
    """Forces and moments (F1 T1 F2 T2) that accelerate a beam, global axes.

    Parameters
    ----------
    t1, t2 : (3, 3) array
        Section frames l m n of the ends.
    w, a, wd : (nodes, 3) array
        Angular velocity, acceleration, angular acceleration; rows i1 and i2.
    mass : (5,) array
        rhoA, rhoIz, rhoIy, c11 = c22, c12 = c21.
    """
    for i in range(12):
        out[i] = 0.0
    u = np.empty((2, 3), w.dtype)
    udd = np.empty((2, 3), w.dtype)
    for axis in range(1, 3):
        rho = mass[axis]
        for end in range(2):
            k = i1 if end == 0 else i2
            t = t1 if end == 0 else t2
            x, y, z = t[0, axis], t[1, axis], t[2, axis]
            wx, wy, wz = w[k, 0], w[k, 1], w[k, 2]
            px, py, pz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
            u[end, 0], u[end, 1], u[end, 2] = x, y, z
            udd[end, 0] = wd[k, 1] * z - wd[k, 2] * y + wy * pz - wz * py
            udd[end, 1] = wd[k, 2] * x - wd[k, 0] * z + wz * px - wx * pz
            udd[end, 2] = wd[k, 0] * y - wd[k, 1] * x + wx * py - wy * px
        for end in range(2):
            other = 1 - end
            px = rho * (mass[3] * udd[end, 0] + mass[4] * udd[other, 0])
            py = rho * (mass[3] * udd[end, 1] + mass[4] * udd[other, 1])
            pz = rho * (mass[3] * udd[end, 2] + mass[4] * udd[other, 2])
            out[6 * end + 3] += u[end, 1] * pz - u[end, 2] * py
            out[6 * end + 4] += u[end, 2] * px - u[end, 0] * pz
            out[6 * end + 5] += u[end, 0] * py - u[end, 1] * px
    for i in range(3):
        out[i] = mass[0] * (mass[3] * a[i1, i] + mass[4] * a[i2, i])
        out[6 + i] = mass[0] * (mass[4] * a[i1, i] + mass[3] * a[i2, i])


@kernel
def beam_inertia_slopes(t1, t2, i1, i2, w, wd, mass, K, D, M):
    """Derivatives (12, 12) of beam_inertia by spins (K), angular velocities (D) and accelerations (M)."""
    for i in range(12):
        for j in range(12):
            K[i, j] = 0.0
            D[i, j] = 0.0
            M[i, j] = 0.0
    for i in range(3):
        M[i, i] = M[6 + i, 6 + i] = mass[0] * mass[3]
        M[i, 6 + i] = M[6 + i, i] = mass[0] * mass[4]
    us = np.empty((2, 3, 3))
    slopes = np.empty((2, 3, 3, 3))
    udd = np.empty((2, 3))
    v = np.empty(3)
    tmp = np.empty((3, 3))
    ws = np.empty((3, 3))
    for axis in range(1, 3):
        for end in range(2):
            k = i1 if end == 0 else i2
            t = t1 if end == 0 else t2
            for i in range(3):
                v[i] = t[i, axis]
            skew(v, us[end])
            _second_rate_slopes(v, w, wd, k, us[end], ws, tmp, udd[end], slopes[end])
        for end in range(2):
            other = 1 - end
            for i in range(3):
                v[i] = mass[axis] * (mass[3] * udd[end, i] + mass[4] * udd[other, i])
            skew(v, ws)
            product3(ws, us[end], tmp)
            for i in range(3):
                for j in range(3):
                    K[6 * end + 3 + i, 6 * end + 3 + j] += tmp[i, j]
            for col in range(2):
                c = mass[axis] * (mass[3] if col == end else mass[4])
                for i in range(3):
                    for j in range(3):
                        r, q = 6 * end + 3 + i, 6 * col + 3 + j
                        for n in range(3):
                            K[r, q] += c * us[end, i, n] * slopes[col, 0, n, j]
                            D[r, q] += c * us[end, i, n] * slopes[col, 1, n, j]
                            M[r, q] += c * us[end, i, n] * slopes[col, 2, n, j]


@kernel
def _second_rate_slopes(u, w, wd, k, us, ws, tmp, udd, slopes):
    """Second rate of a turning vector u, and its derivatives by spin, angular velocity and acceleration."""
    v = np.empty(3)
    for i in range(3):
        v[i] = w[k, i]
    skew(v, ws)
    product3(ws, us, tmp)
    wu = np.empty(3)
    for i in range(3):
        wu[i] = ws[i, 0] * u[0] + ws[i, 1] * u[1] + ws[i, 2] * u[2]
    wus = np.empty((3, 3))
    skew(wu, wus)
    for i in range(3):
        for j in range(3):
            slopes[1, i, j] = -wus[i, j] - tmp[i, j]
            slopes[2, i, j] = -us[i, j]
    ww = np.empty((3, 3))
    product3(ws, ws, ww)
    for i in range(3):
        v[i] = wd[k, i]
    skew(v, ws)
    for i in range(3):
        for j in range(3):
            ww[i, j] += ws[i, j]
    for i in range(3):
        udd[i] = ww[i, 0] * u[0] + ww[i, 1] * u[1] + ww[i, 2] * u[2]
    product3(ww, us, tmp)
    for i in range(3):
        for j in range(3):
            slopes[0, i, j] = -tmp[i, j]


@kernel
def body_inertia(R, J0, m, w, a, wd, k, J, out):
    """Force and moment (6,) that accelerate a rigid body with its mass centre at node k; J is left in global axes."""
    for i in range(3):
        for j in range(3):
            total = 0.0 * m * R[0, 0]
            for p in range(3):
                for q in range(3):
                    total += R[i, p] * J0[p, q] * R[j, q]
            J[i, j] = total
        out[i] = m * a[k, i]
    hx = J[0, 0] * w[k, 0] + J[0, 1] * w[k, 1] + J[0, 2] * w[k, 2]
    hy = J[1, 0] * w[k, 0] + J[1, 1] * w[k, 1] + J[1, 2] * w[k, 2]
    hz = J[2, 0] * w[k, 0] + J[2, 1] * w[k, 1] + J[2, 2] * w[k, 2]
    out[3] = J[0, 0] * wd[k, 0] + J[0, 1] * wd[k, 1] + J[0, 2] * wd[k, 2] + w[k, 1] * hz - w[k, 2] * hy
    out[4] = J[1, 0] * wd[k, 0] + J[1, 1] * wd[k, 1] + J[1, 2] * wd[k, 2] + w[k, 2] * hx - w[k, 0] * hz
    out[5] = J[2, 0] * wd[k, 0] + J[2, 1] * wd[k, 1] + J[2, 2] * wd[k, 2] + w[k, 0] * hy - w[k, 1] * hx


@kernel
def body_inertia_slopes(J, w, wd, k, K, D):
    """Derivatives (3, 3) of the moment of body_inertia by spin (K) and angular velocity (D); by acceleration it is J.

    dJ = phi~ J - J phi~, so d(J b) = (J b~ - (J b)~) phi.
    """
    vs = np.empty((3, 3))
    hs = np.empty((3, 3))
    P = np.empty((3, 3))
    _turned_momentum(J, wd, k, vs, hs, K)
    _turned_momentum(J, w, k, vs, hs, P)
    for i in range(3):
        for j in range(3):
            D[i, j] = -hs[i, j]
            for n in range(3):
                K[i, j] += vs[i, n] * P[n, j]
                D[i, j] += vs[i, n] * J[n, j]


@kernel
def _turned_momentum(J, b, k, vs, hs, out):
    """out = J v~ - h~ with v row k of b, h = J v; v~ and h~ are left in vs and hs."""
    v = np.empty(3)
    h = np.empty(3)
    for i in range(3):
        v[i] = b[k, i]
    for i in range(3):
        h[i] = J[i, 0] * v[0] + J[i, 1] * v[1] + J[i, 2] * v[2]
    skew(v, vs)
    skew(h, hs)
    product3(J, vs, out)
    for i in range(3):
        for j in range(3):
            out[i, j] -= hs[i, j]
