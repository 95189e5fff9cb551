"""Residual and exact tangent of the motion in nodal coordinates, assembled straight into the factors' storage.

    Z^T C (zdd - g) + D^T sigma(e, ed) + D_b^T sigma_b - f = 0        e_b(x) = target(t)

The unknowns are the accelerations of the free coordinates and the stress resultants sigma_b of the conditions. The
matrix

    [ A + rho D_b^T D_b   D_b^T ]      A = M + kv d/dxd + kq d/dx of the residual
    [ D_b                 0     ]

is positive definite in its first block where A is so for the motions that the conditions leave, whatever rho > 0: the
diagonal can serve as pivot, in any order in which a condition follows its coordinates. rho leaves dx as it is and
shifts sigma_b by a known amount.
"""


from .._jit import kernel
from ..assembly import hessian, jacobian, values
from ..dynamics import add_inertia, inertia_forces, loads, stresses
from ..primitives import gradients
from ..tables import struct_maker
from .kernels import add_deformations, direction_stiffness, load_stiffness

NODAL = {
    "n": "i1",  # free coordinates, conditions, whether there is damping
    "free": "i1",
    "bound": "i1",
    "is_bound": "i1",
    "place": "i1",  # of each coordinate in the order of elimination, -1 where it is held
    "b_place": "i1",  # of each condition
    "dof_e": "i1",  # deformations and coordinates that are degrees of freedom, and prescribed ones
    "dof_x": "i1",
    "r_x": "i1",
    "start": "i1",  # the filled matrix
    "rows": "i1",
    "diag": "i1",
    "el_slot": "i1",  # places of element, mass, direction, load and condition numbers in it
    "m_slot": "i1",
    "z_slot": "i1",
    "l_slot": "i1",
    "b_ptr": "i1",
    "b_num": "i1",  # place of each number of D_b in D
    "b_x": "i1",  # its coordinate's number among the free ones
    "b_slot": "i1",
    "c_slot": "i1",
    "V": "f1",  # numbers of the matrix, then of its factors
    "rho": "f1",
    "x": "f1",  # scratch (n)
    "b": "f1",
    "T": "f1",  # scratch of one element
    "zW": "f1",
    "lW": "f1",
    "J": "f2",  # (nz * 3, 4) directions' gradients combined
    "sg": "f1",  # stress resultants at the last accepted point
    "de": "f1",
    "e0": "f1",  # deformations at the start of the step
}
make_nodal = struct_maker("make_nodal", NODAL, "f")


@kernel
def unbalance(t, w, s, time, ref, sigma_b, K):
    """w.fx = minus the residual of the motion w.X; e, D (K orders) and all stress resultants are left in w."""
    values(t, w, 0, 3, ref)
    gradients(t, w, K)
    jacobian(t, w, K)
    stresses(t, w, time)
    for i in range(s.bound.size):
        w.sigma[s.bound[i]] = sigma_b[i]
    loads(t, w, time)
    inertia_forces(t, w, w.fac[0])
    add_inertia(t, w, -1.0)
    for i in range(w.sigma.size):
        s.de[i] = -w.sigma[i]
    add_deformations(t, w.D[0], s.de, w.fx)


@kernel
def _elements(t, w, s, kq, kv):
    """V += D^T (kq S + kv Sd) D + kq D^T Sd Dd + kq H."""
    D, D1, H, V, T, damped = w.D[0], w.D[1], w.H, s.V, s.T, s.n[2]
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        nx, d0, h0 = t.el_x[el + 1] - t.el_x[el], t.el_D[el], t.el_H[el]
        for m in range(nx * nx):
            H[h0 + m] *= kq
        for i in range(n):
            if s.is_bound[e0 + i] == 1:
                continue
            some = False
            for a in range(nx):
                T[a] = 0.0
            for j in range(n):
                if s.is_bound[e0 + j] == 1:
                    continue
                k, c = t.S[s0 + i * n + j], 0.0
                f = kq * k
                if damped == 1:
                    c = t.Sd[s0 + i * n + j]
                    f += kv * c
                if f != 0.0:
                    some = True
                    for a in range(nx):
                        T[a] += f * D[d0 + j * nx + a]
                if c != 0.0:
                    for a in range(nx):
                        T[a] += kq * c * D1[d0 + j * nx + a]
            if some:
                for a in range(nx):
                    z = D[d0 + i * nx + a]
                    if z != 0.0:
                        for b in range(nx):
                            H[h0 + a * nx + b] += z * T[b]
        for m in range(h0, h0 + nx * nx):
            if s.el_slot[m] >= 0:
                V[s.el_slot[m]] += H[m]


@kernel
def _inertia(t, w, s, kq, kv, m):
    """V += Z^T C (m Z + 2 kv Z1 + 2 kq Z2)."""
    G, J, V = w.G, s.J, s.V
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        if t.z_kind[n] == 1:
            for c in range(3):
                for a in range(t.dir_n[i]):
                    J[3 * n + c, a] = m * G[0, i, c, a] + 2.0 * (kv * G[1, i, c, a] + kq * G[2, i, c, a])
        else:
            for c in range(3):
                for a in range(4):
                    J[3 * n + c, a] = m if a == c else 0.0
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        direction = t.z_kind[n] == 1
        na = t.dir_n[i] if direction else t.z_n[n]
        for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
            k, o, f = t.c_idx[p], 16 * p, t.c_val[p]
            nb = t.dir_n[t.z_i[k]] if t.z_kind[k] == 1 else t.z_n[k]
            for a in range(na):
                for b in range(nb):
                    slot = s.m_slot[o + 4 * a + b]
                    if slot < 0:
                        continue
                    if direction:
                        z = G[0, i, 0, a] * J[3 * k, b] + G[0, i, 1, a] * J[3 * k + 1, b]
                        z += G[0, i, 2, a] * J[3 * k + 2, b]
                    else:
                        z = J[3 * k + a, b]
                    V[slot] += f * z


@kernel
def _conditions(t, w, s):
    """Border D_b, and rho D_b^T D_b within the elements, rho of the size of A."""
    D, V, place = w.D[0], s.V, s.place
    big = 0.0
    for i in range(s.free.size):
        big = max(big, abs(V[s.diag[place[s.free[i]]]]))
    if big == 0.0:
        big = 1.0
    for i in range(s.free.size):
        s.x[i] = abs(V[s.diag[place[s.free[i]]]])  # before rho is added
    for m in range(s.bound.size):
        most, d = 0.0, 0.0
        for p in range(s.b_ptr[m], s.b_ptr[m + 1]):
            if s.b_slot[p] >= 0:
                z = D[s.b_num[p]]
                V[s.b_slot[p]] += z
                V[s.c_slot[p]] += z
                most, d = max(most, s.x[s.b_x[p]]), max(d, z * z)
        s.rho[m] = (most if most > 1e-12 * big else big) / d if d > 0.0 else 0.0
        ei = s.bound[m]
        el = t.e_el[ei]
        nx, h0 = t.el_x[el + 1] - t.el_x[el], t.el_H[el]
        d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
        for a in range(nx):
            z = s.rho[m] * D[d0 + a]
            if z != 0.0:
                for b in range(nx):
                    slot = s.el_slot[h0 + a * nx + b]
                    if slot >= 0:
                        V[slot] += z * D[d0 + b]


@kernel
def tangent_matrix(t, w, s, time, kq, kv, m, sigma):
    """s.V = the matrix above for A = m M + kv d/dxd + kq d/dx, with the stress resultants sigma in H."""
    for p in range(s.V.size):
        s.V[p] = 0.0
    if kq != 0.0 or kv != 0.0:
        hessian(t, w, sigma)
        _elements(t, w, s, kq, kv)
        direction_stiffness(t, w, w.fac[0], s.zW)
        for p in range(s.zW.size):
            if s.z_slot[p] >= 0:
                s.V[s.z_slot[p]] += kq * s.zW[p]
        load_stiffness(t, w, time, s.lW)
        for p in range(s.lW.size):
            if s.l_slot[p] >= 0:
                s.V[s.l_slot[p]] += kq * s.lW[p]
    _inertia(t, w, s, kq, kv, m)
    _conditions(t, w, s)


@kernel
def to_degrees(t, w, s, dx, out):
    """out = D dx in the deformations, then dx in the coordinates, that are degrees of freedom."""
    D, m = w.D[0], 0
    for i in range(s.dof_e.size):
        ei = s.dof_e[i]
        el = t.e_el[ei]
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
        z = 0.0
        for c in range(nx):
            z += D[d0 + c] * dx[t.el_xi[x0 + c]]
        out[m] = z
        m += 1
    for i in range(s.dof_x.size):
        out[m] = dx[s.dof_x[i]]
        m += 1
