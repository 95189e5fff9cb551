"""Equations of motion in y = (q, r): residual, mass matrix, accelerations, stress resultants, energies.

    rho(y, yd, ydd) = DF^T [ Z^T C (zdd - g) - f ] + DFe^T sigma = 0,    sigma = S e + Sd ed + sigma0 - u

with z the inertial vectors, Z = dz/dx. Rows of q vanish in a free motion; rows of r are the driving forces.
"""

import numpy as np

from ._jit import inlined, kernel
from ._outline import outlined
from .assembly import values
from .kinematics import add_rows, newton, product, solve, solve_transposed, transfer
from .linalg import cholesky, cholesky_solve
from .signals import signal
from .tables import FOLLOWER_FORCE, FORCE, MOMENT

NEWTON_TOL = 1e-13  # relative change of x
NEWTON_MOST = 25
SINGULAR_MASS = -1000000


@kernel
def inputs(t, w, time):
    """Prescribed r, rd, rdd into w.y."""
    out = np.empty(3)
    nq = t.n[2]
    for i in range(t.r_sig.size):
        signal(t.sg_ptr, t.sg_t, t.sg_c, t.r_sig[i], time, out)
        for k in range(3):
            w.y[k, nq + i] = out[k]


@kernel
def loads(t, w, time):
    """w.fx = nodal forces of the loads and of the caller, gravity excepted."""
    fx, X, out = w.fx, w.X[0], np.empty(3)
    for i in range(fx.size):
        fx[i] = w.f_ext[i]
    for n in range(t.ld_kind.size):
        f = w.fac[1]
        if t.ld_sig[n] >= 0:
            signal(t.sg_ptr, t.sg_t, t.sg_c, t.ld_sig[n], time, out)
            f *= out[0]
        kind, o = t.ld_kind[n], t.ld_x[n]
        v0, v1, v2 = f * t.ld_v[n, 0], f * t.ld_v[n, 1], f * t.ld_v[n, 2]
        if kind == FORCE:
            fx[o] += v0
            if t.ld_n[n] > 1:
                fx[o + 1] += v1
            if t.ld_n[n] > 2:
                fx[o + 2] += v2
        elif kind == FOLLOWER_FORCE:
            for c in range(t.ld_n[n]):
                fx[o + c] += f * w.U[0, t.ld_dir[n], c]
        else:  # 2 Lambda^T m, in space or in the frame
            s = 1.0 if kind == MOMENT else -1.0
            l0, l1, l2, l3 = X[o], X[o + 1], X[o + 2], X[o + 3]
            fx[o] -= 2.0 * (l1 * v0 + l2 * v1 + l3 * v2)
            fx[o + 1] += 2.0 * (l0 * v0 + s * (v1 * l3 - v2 * l2))
            fx[o + 2] += 2.0 * (l0 * v1 + s * (v2 * l1 - v0 * l3))
            fx[o + 3] += 2.0 * (l0 * v2 + s * (v0 * l2 - v1 * l1))


@kernel
def stresses(t, w, time):
    """w.sigma by the constitutive law for all deformations, from w.e of orders 0 and 1."""
    out = np.empty(3)
    sg = w.sigma
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            z = w.fac[3] * t.sigma0[e0 + i] - w.u_ext[e0 + i]
            for j in range(n):
                z += t.S[s0 + i * n + j] * w.e[0, e0 + j] + t.Sd[s0 + i * n + j] * w.e[1, e0 + j]
            sg[e0 + i] = z
    for n in range(t.act_e.size):
        signal(t.sg_ptr, t.sg_t, t.sg_c, t.act_sig[n], time, out)
        sg[t.act_e[n]] -= w.fac[2] * out[0]


@kernel
def inertial_jacobian(t, w):
    """w.V = Z DF."""
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        if t.z_kind[n] != 1:
            for c in range(t.z_n[n]):
                for j in range(w.V.shape[1]):
                    w.V[3 * n + c, j] = w.DF[i + c, j]
        else:
            o = t.dir_x[i]
            for c in range(3):
                for j in range(w.V.shape[1]):
                    z = w.G[0, i, c, 0] * w.DF[o, j]
                    for k in range(1, t.dir_n[i]):
                        z += w.G[0, i, c, k] * w.DF[o + k, j]
                    w.V[3 * n + c, j] = z


@kernel
def times_C(t, A, out):
    """out = (C x I3) A for rows 3 n + c."""
    m = A.shape[1]
    for n in range(t.z_kind.size):
        for c in range(3):
            r = 3 * n + c
            for j in range(m):
                out[r, j] = 0.0
            for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
                z, s = t.c_val[p], 3 * t.c_idx[p] + c
                for j in range(m):
                    out[r, j] += z * A[s, j]


@kernel
def mass_matrix(t, w):
    """w.M = V^T C V, whose lower triangle is enough."""
    V, CV, M = w.V, w.CV, w.M
    times_C(t, V, CV)
    for a in range(M.shape[0]):
        for b in range(M.shape[1]):
            M[a, b] = 0.0
    for i in range(V.shape[0]):
        for a in range(V.shape[1]):
            z = V[i, a]
            if z != 0.0:
                for b in range(a + 1):
                    M[a, b] += z * CV[i, b]
    for a in range(M.shape[0]):
        for b in range(a):
            M[b, a] = M[a, b]


@kernel
def inertia_forces(t, w, g):
    """w.zdd and w.w = C (zdd - g gravity) for the series w.X, w.U of orders 0 to 2."""
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        for c in range(3):
            w.zdd[n, c] = 0.0
        if t.z_kind[n] != 1:
            for c in range(t.z_n[n]):
                w.zdd[n, c] = 2.0 * w.X[2, i + c]
        else:
            for c in range(3):
                w.zdd[n, c] = 2.0 * w.U[2, i, c]
    for n in range(t.z_kind.size):
        for c in range(3):
            z = w.X[0, 0] * 0.0
            for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
                m = t.c_idx[p]
                z += t.c_val[p] * w.zdd[m, c]
                if t.z_kind[m] == 0:
                    z -= t.c_val[p] * g * t.gravity[c]
            w.w[n, c] = z


@kernel
def add_inertia(t, w, sign):
    """w.fx += sign Z^T w."""
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        if t.z_kind[n] != 1:
            for c in range(t.z_n[n]):
                w.fx[i + c] += sign * w.w[n, c]
        else:
            o = t.dir_x[i]
            for k in range(t.dir_n[i]):
                z = w.G[0, i, 0, k] * w.w[n, 0] + w.G[0, i, 1, k] * w.w[n, 1] + w.G[0, i, 2, k] * w.w[n, 2]
                w.fx[o + k] += sign * z


@outlined("t", "w", "n1")
def velocities(t, w, ref):
    """xd = DF yd and the convective part: w.e[2] = 1/2 D2 xd xd, with w.X[2] = 0."""
    product(w.DF, w.y[1], w.X[1])
    for i in range(w.X.shape[1]):
        w.X[2, i] = 0.0
    values(t, w, 0, 3, ref)
    return 1


@inlined
def accelerations(t, w, ref):
    """w.X[2] = xdd / 2 with xdd = DF ydd + D2F yd yd; then the series of order 2 once more.

    e of order 2 is linear in X[2]: what is missing there is added, whatever X[2] was before.
    """
    for i in range(w.one.shape[0]):
        w.one[i, 0] = -2.0 * w.e[2, i]
        if t.e_y[i] >= 0:
            w.one[i, 0] += w.y[2, t.e_y[i]]
    for i in range(w.sol.shape[0]):
        w.sol[i, 0] = 0.0
        if t.x_y[i] >= 0:
            w.sol[i, 0] = w.y[2, t.x_y[i]] - 2.0 * w.X[2, i]
    solve(t, w, w.one, w.sol)
    for i in range(w.sol.shape[0]):
        w.X[2, i] += 0.5 * w.sol[i, 0]
    values(t, w, 2, 3, ref)


@outlined("t", "w", "n1")
def position(t, w, ref):
    """x and DF for w.y[0], from the guess w.X[0], which stays where Newton fails; the status of Newton."""
    status = newton(t, w, ref, NEWTON_TOL, NEWTON_MOST)
    if status > 0:
        transfer(t, w)
        for j in range(w.yp.size):
            w.yp[j] = w.y[0, j]
    return status


@inlined
def residual(t, w, time, ref):
    """w.rho for w.y = (y, yd, ydd), at the position that `position` has left."""
    velocities(t, w, ref)
    balance(t, w, time, ref)


@outlined("t", "w", "f0", "n1")
def balance(t, w, time, ref):
    """The rest of `residual`, after `velocities`: between the two a controller can read e, ed and set w.u_ext."""
    accelerations(t, w, ref)
    stresses(t, w, time)
    loads(t, w, time)
    inertia_forces(t, w, w.fac[0])
    add_inertia(t, w, -1.0)
    for i in range(w.sigma.size):  # fx - D^T sigma over the released deformations
        w.one[i, 0] = -w.sigma[i]
    add_rows(t, w, w.D[0], w.one[:, 0], 0, w.fx)
    for j in range(w.rho.size):
        w.rho[j] = 0.0
    for i in range(w.fx.size):
        z = w.fx[i]
        if z != 0.0:
            for j in range(w.rho.size):
                w.rho[j] -= w.DF[i, j] * z
    for i in range(w.sigma.size):
        if t.e_y[i] >= 0:
            w.rho[t.e_y[i]] += w.sigma[i]
    return 1


@outlined("t", "w")
def reactions(t, w):
    """After `residual`: w.sigma of the given deformations by equilibrium, w.fx the forces in the given coordinates.

    A degree of freedom keeps its constitutive stress plus the residual of its own equation, which is zero in a motion
    that satisfies them, and the missing drive in an inverse problem.
    """
    solve_transposed(t, w, w.fx, w.sigma)
    for i in range(w.fx.size):
        w.fx[i] = -w.fx[i]
    add_rows(t, w, w.D[0], w.sigma, 1, w.fx)
    return 1


@kernel
def forward(t, w, time, ref):
    """Accelerations of q into w.y[2]: 1, or the status of Newton, or -1000000-j for a mass matrix singular at dof j."""
    inputs(t, w, time)
    status = position(t, w, ref)
    if status <= 0:
        return status
    velocities(t, w, ref)
    return accelerate(t, w, time, ref)


@outlined("t", "w", "f0", "n1")
def accelerate(t, w, time, ref):
    """The rest of `forward`, after `velocities`."""
    nq = t.n[2]
    for j in range(nq):
        w.y[2, j] = 0.0
    balance(t, w, time, ref)
    inertial_jacobian(t, w)
    mass_matrix(t, w)
    for i in range(nq):
        for j in range(nq):
            w.A[i, j] = w.M[i, j]
    bad = cholesky(w.A, nq)
    if bad >= 0:
        return SINGULAR_MASS - bad
    for j in range(nq):
        w.y[2, j] = -w.rho[j]
    cholesky_solve(w.A, nq, w.y[2])
    return 1
