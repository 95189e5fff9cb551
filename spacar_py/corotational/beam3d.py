"""Beam3D: flows and efforts of a spatial beam in a frame that turns with it.

Section frames (l m n) of both ends, the co-rotated frame E = (i j k):

    i = (r2 - r1)/l,   k = i x m1 / |i x m1|,   j = k x i,   eta = m1.i / m1.j       so that m1.k = 0 at all times

Local deformations s = (theta1, u, theta2) with u = l - l0 and theta the rotation vectors of E^T (l m n). Local flows
from the nodal ones in the axes of E, (v1 w1 v2 w2), by the rows of J11 J12 / J21 J22:

    w1x = eta (w1y + (v2z - v1z)/l)                    w2x = w2x - w1x + eta (w1y + (v2z - v1z)/l)
    w1y = w1y + (v2z - v1z)/l                          w2y = w2y + (v2z - v1z)/l
    w1z = w1z - (v2y - v1y)/l     u' = v2x - v1x       w2z = w2z - (v2y - v1y)/l

and s' = diag(Lambda(theta1), 1, Lambda(theta2)) J f = B f. Efforts are dual: e = B^T dV/ds. The derivative of e is
taken term by term: the turning of E, eta' = -(1 + eta^2) w1z and l' = u' in J, theta in Lambda, s in dV/ds.

Source: Damic and Cohodar, Bond graph based modelling and simulation of flexible robotic manipulators, equations 1-13.
"""

from __future__ import annotations

import numpy as np

from spacar_py._jit import kernel
from spacar_py.corotational.rotations import (
    lambda_matrix,
    lambda_transposed_slope,
    product3,
    rotation_vector,
)


@kernel
def beam_local(x, i1, i2, t1, t2, l0, frame, s):
    """Co-rotated frame and local deformations.

    Parameters
    ----------
    x : (nodes, 3) array
        Positions; i1 and i2 are the rows of the two ends.
    t1, t2 : (3, 3) array
        Section frames, columns l m n, in global axes.
    l0 : float
        Length at rest.
    frame, s : (3, 3) and (7,) array
        Filled: columns i j k; theta1, u, theta2.

    Returns
    -------
    l, eta : current length, and the ratio of the x to the y component of m1 in the frame.
    """
    dx, dy, dz = x[i2, 0] - x[i1, 0], x[i2, 1] - x[i1, 1], x[i2, 2] - x[i1, 2]
    l2 = dx * dx + dy * dy + dz * dz
    length = np.sqrt(l2)
    ix, iy, iz = dx / length, dy / length, dz / length
    mx, my, mz = t1[0, 1], t1[1, 1], t1[2, 1]
    kx, ky, kz = iy * mz - iz * my, iz * mx - ix * mz, ix * my - iy * mx
    k = np.sqrt(kx * kx + ky * ky + kz * kz)
    frame[0, 0], frame[1, 0], frame[2, 0] = ix, iy, iz
    frame[0, 2], frame[1, 2], frame[2, 2] = kx / k, ky / k, kz / k
    frame[0, 1] = frame[1, 2] * iz - frame[2, 2] * iy
    frame[1, 1] = frame[2, 2] * ix - frame[0, 2] * iz
    frame[2, 1] = frame[0, 2] * iy - frame[1, 2] * ix
    eta = (mx * ix + my * iy + mz * iz) / k
    local = np.empty_like(frame)
    theta = np.empty_like(s)
    for end in range(2):
        t = t1 if end == 0 else t2
        for i in range(3):
            for j in range(3):
                local[i, j] = frame[0, i] * t[0, j] + frame[1, i] * t[1, j] + frame[2, i] * t[2, j]
        rotation_vector(local, theta)
        for i in range(3):
            s[4 * end + i] = theta[i]
    # l - l0 from the squares: the plain difference loses the digits that stiff elements need
    s[3] = (l2 - l0 * l0) / (length + l0)
    return length, eta


@kernel
def beam_flow_matrix(length, eta, s, out):
    """Matrix B (7, 12) of s' = B (v1 w1 v2 w2), flows in the axes of the co-rotated frame."""
    for i in range(7):
        for j in range(12):
            out[i, j] = 0.0
    lam = np.empty((3, 3), s.dtype)
    th = np.empty(3, s.dtype)
    row = np.zeros((3, 12), s.dtype)
    for end in range(2):
        for i in range(3):
            th[i] = s[4 * end + i]
            for j in range(12):
                row[i, j] = 0.0
        lambda_matrix(th, lam)
        # the frame's spin, taken off the spin of this end
        row[0, 2], row[0, 8], row[0, 4] = -eta / length, eta / length, eta
        row[1, 2], row[1, 8] = -1.0 / length, 1.0 / length
        row[2, 1], row[2, 7] = 1.0 / length, -1.0 / length
        if end == 0:
            row[1, 4] = 1.0
            row[2, 5] = 1.0
        else:
            row[0, 3] = -1.0
            row[0, 9] = 1.0
            row[1, 10] = 1.0
            row[2, 11] = 1.0
        for i in range(3):
            for j in range(12):
                out[4 * end + i, j] = lam[i, 0] * row[0, j] + lam[i, 1] * row[1, j] + lam[i, 2] * row[2, j]
    out[3, 0] = -1.0
    out[3, 6] = 1.0


@kernel
def beam_effort(x, i1, i2, t1, t2, l0, S, out):
    """Elastic forces and moments (F1 T1 F2 T2) that the nodes must exert, global axes; returns the strain energy."""
    frame = np.empty((3, 3), x.dtype)
    s = np.empty(7, x.dtype)
    B = np.empty((7, 12), x.dtype)
    stress = np.empty(7, x.dtype)
    length, eta = beam_local(x, i1, i2, t1, t2, l0, frame, s)
    beam_flow_matrix(length, eta, s, B)
    energy = 0.0 * length
    for i in range(7):
        total = 0.0 * length
        for j in range(7):
            total += S[i, j] * s[j]
        stress[i] = total
        energy += 0.5 * total * s[i]
    for block in range(4):
        for i in range(3):
            out[3 * block + i] = 0.0
        for j in range(3):
            local = 0.0 * length
            for k in range(7):
                local += B[k, 3 * block + j] * stress[k]
            for i in range(3):
                out[3 * block + i] += frame[i, j] * local
    return energy


@kernel
def beam_stiffness(x, i1, i2, t1, t2, l0, S, out):
    """Derivative (12, 12) of the elastic efforts by the nodal displacements and spins, global axes.

    Not symmetric away from equilibrium: spins are not coordinates.
    """
    frame = np.empty((3, 3))
    s = np.empty(7)
    B = np.empty((7, 12))
    stress = np.empty(7)
    length, eta = beam_local(x, i1, i2, t1, t2, l0, frame, s)
    beam_flow_matrix(length, eta, s, B)
    for i in range(7):
        total = 0.0
        for j in range(7):
            total += S[i, j] * s[j]
        stress[i] = total
    K = np.zeros((12, 12))
    _material(B, S, K)
    _geometric(length, eta, s, stress, K)
    _to_global(frame, K, out)


@kernel
def _material(B, S, K):
    """K += B^T S B."""
    SB = np.empty((7, 12))
    for i in range(7):
        for j in range(12):
            total = 0.0
            for k in range(7):
                total += S[i, k] * B[k, j]
            SB[i, j] = total
    for i in range(12):
        for j in range(12):
            total = 0.0
            for k in range(7):
                total += B[k, i] * SB[k, j]
            K[i, j] += total


@kernel
def _geometric(length, eta, s, stress, K):
    """Terms of the efforts' derivative that the efforts themselves cause, in the axes of the co-rotated frame."""
    lam = np.empty((3, 3))
    slope = np.empty((3, 3))
    HL = np.empty((3, 3))
    th = np.empty(3)
    e = np.empty(3)
    a = np.empty((2, 3))
    J = np.zeros((2, 3, 12))
    for end in range(2):
        J[end, 0, 2], J[end, 0, 8], J[end, 0, 4] = -eta / length, eta / length, eta
        J[end, 1, 2], J[end, 1, 8] = -1.0 / length, 1.0 / length
        J[end, 2, 1], J[end, 2, 7] = 1.0 / length, -1.0 / length
    J[0, 1, 4] = J[0, 2, 5] = 1.0
    J[1, 0, 3] = -1.0
    J[1, 0, 9] = J[1, 1, 10] = J[1, 2, 11] = 1.0
    for end in range(2):
        for i in range(3):
            th[i] = s[4 * end + i]
            e[i] = stress[4 * end + i]
        lambda_matrix(th, lam)
        lambda_transposed_slope(th, e, slope)
        product3(slope, lam, HL)
        for i in range(3):
            a[end, i] = lam[0, i] * e[0] + lam[1, i] * e[1] + lam[2, i] * e[2]
        for p in range(12):
            for i in range(3):
                if J[end, i, p] != 0.0:
                    for q in range(12):
                        for j in range(3):
                            K[p, q] += J[end, i, p] * HL[i, j] * J[end, j, q]
    ax = a[0, 0] + a[1, 0]
    qy = a[0, 1] + a[1, 1] + eta * ax
    qz = a[0, 2] + a[1, 2]
    g = np.empty((4, 3))
    g[0, 0], g[0, 1], g[0, 2] = -stress[3], qz / length, -qy / length
    g[1, 0], g[1, 1], g[1, 2] = -a[1, 0], a[0, 1] + eta * ax, a[0, 2]
    g[2, 0], g[2, 1], g[2, 2] = stress[3], -qz / length, qy / length
    g[3, 0], g[3, 1], g[3, 2] = a[1, 0], a[1, 1], a[1, 2]
    for q in range(12):
        d_length = 0.0
        if q == 0:
            d_length = -1.0
        elif q == 6:
            d_length = 1.0
        d_eta = -(1.0 + eta * eta) * J[0, 2, q]
        fy = qz / (length * length) * d_length
        fz = (ax * d_eta - qy / length * d_length) / length
        K[1, q] -= fy
        K[7, q] += fy
        K[2, q] -= fz
        K[8, q] += fz
        K[4, q] += ax * d_eta
        wx = -J[0, 0, q]
        if q == 3:
            wx += 1.0
        wy, wz = -J[1, 1, q], -J[1, 2, q]
        if q == 10:
            wy += 1.0
        elif q == 11:
            wz += 1.0
        for b in range(4):
            K[3 * b, q] += wy * g[b, 2] - wz * g[b, 1]
            K[3 * b + 1, q] += wz * g[b, 0] - wx * g[b, 2]
            K[3 * b + 2, q] += wx * g[b, 1] - wy * g[b, 0]


@kernel
def _to_global(frame, K, out):
    """out = E K E^T for all sixteen 3 x 3 blocks."""
    half = np.empty((3, 3))
    for bi in range(4):
        for bj in range(4):
            for i in range(3):
                for j in range(3):
                    total = 0.0
                    for k in range(3):
                        total += frame[i, k] * K[3 * bi + k, 3 * bj + j]
                    half[i, j] = total
            for i in range(3):
                for j in range(3):
                    total = 0.0
                    for k in range(3):
                        total += half[i, k] * frame[j, k]
                    out[3 * bi + i, 3 * bj + j] = total
