"""Compiled loops of the linearisation: tangents at many states, and the nodal rows before they are projected.

Balance of the nodes, with sigma of the given deformations apart:

    P(y, yd, ydd) + D_given^T sigma_given = support forces,    P = Z^T C (zdd - g) - f + D_released^T sigma_released

Its derivatives P_ydd = Z^T C V, P_yd, P_y, projected with DF, are M0, C0 + D0 and K0 + G0 + N0; solved with D_c^T they
give the stress resultants of the rigid deformations, and in the given coordinates the support forces.
"""

import numpy as np

from .._jit import kernel, unlocked
from ..dynamics import inputs, position, times_C
from ..integrate.rates import copy
from ..kinematics import solve_transposed
from ..tangent import _clear, _times_D, directions_gradient, loads_gradient, stresses_gradient, tangent, times_Z


@kernel
def prescribed(t, w, times, Y):
    """The prescribed part of y, yd, ydd at all times."""
    nq = t.n[2]
    for n in range(times.size):
        inputs(t, w, times[n])
        for k in range(3):
            for j in range(nq, Y.shape[2]):
                Y[n, k, j] = w.y[k, j]


@unlocked
def follow(t, w, Y, first, last, far, most, ref, X, e):
    """Positions of the states first to last - 1 of Y (N, 3, ny), each from the one before it: -1, or the state that is
    too far from there or does not close in `most` steps."""
    for n in range(first, last):
        for j in range(far.size):
            if abs(Y[n, 0, j] - w.yp[j]) > far[j]:
                return n
        copy(Y[n, 0], w.y[0])
        status = position(t, w, ref)
        if status <= 0 or status > most:
            return n
        copy(w.e[0], ref)
        copy(w.X[0], X[n, 0])
        copy(w.e[0], e[n, 0])
    return -1


@unlocked
def linearise(t, w, times, Y, factors, first, last, ref, matrices, rho, sigma, fx, X, e, DF):
    """Tangents at the states first to last - 1 of Y (N, 3, ny), whose positions `follow` has left in X and e: -1, or
    the state that failed. What one state gets does not depend on the others. DF may be empty."""
    for n in range(first, last):
        copy(factors[n], w.fac)
        for k in range(3):
            copy(Y[n, k], w.y[k])
        copy(Y[n, 0], w.yp)
        copy(X[n, 0], w.X[0])
        copy(e[n, 0], ref)
        if position(t, w, ref) <= 0:
            return n
        tangent(t, w, times[n], ref, matrices[n])
        store(w, n, ref, rho, sigma, fx, X, e)
        if DF.shape[0] > 0:
            for i in range(DF.shape[1]):
                copy(w.DF[i, : DF.shape[2]], DF[n, i])
    return -1


@kernel
def store(w, n, ref, rho, sigma, fx, X, e):
    """Copy what `tangent` has left into row n."""
    for i in range(ref.size):
        ref[i] = w.e[0, i]
        sigma[n, i] = w.sigma[i]
    for j in range(w.rho.size):
        rho[n, j] = w.rho[j]
    for i in range(w.X.shape[1]):
        fx[n, i] = w.fx[i]
    for k in range(3):
        f = 2.0 if k == 2 else 1.0
        for i in range(w.X.shape[1]):
            X[n, k, i] = f * w.X[k, i]
        for i in range(ref.size):
            e[n, k, i] = f * w.e[k, i]


@kernel
def _stress_gradients(t, DFe, DFed, sig):
    """sig[0], sig[1] = d sigma / d(y, yd) by the constitutive law, all deformations."""
    ny = DFe.shape[1]
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            for j in range(n):
                s, d = t.S[s0 + i * n + j], t.Sd[s0 + i * n + j]
                if s != 0.0 or d != 0.0:
                    for c in range(ny):
                        sig[0, e0 + i, c] += s * DFe[e0 + j, c] + d * DFed[e0 + j, c]
                        sig[1, e0 + i, c] += d * DFe[e0 + j, c]


@kernel
def _unit_rows(t, DFe, DFed, DFedd):
    """Given deformations: exact zeros and ones."""
    for i in range(DFe.shape[0]):
        if t.e_given[i] == 1:
            for j in range(DFe.shape[1]):
                DFe[i, j] = 1.0 if t.e_y[i] == j else 0.0
                DFed[i, j] = 0.0
                DFedd[i, j] = 0.0


@kernel
def deformation_rates(t, w, DFe, DFed, DFedd):
    """de/dy, d(ed)/dy, d(edd)/dy after `tangent`."""
    _clear(DFe)
    _clear(DFed)
    _clear(DFedd)
    _times_D(t, w, 0, 1.0, w.DF, DFe)
    _times_D(t, w, 1, 1.0, w.DF, DFed)
    _times_D(t, w, 0, 1.0, w.DFd, DFed)
    _times_D(t, w, 2, 2.0, w.DF, DFedd)
    _times_D(t, w, 1, 2.0, w.DFd, DFedd)
    _times_D(t, w, 0, 1.0, w.DFdd, DFedd)
    _unit_rows(t, DFe, DFed, DFedd)


@kernel
def nodal_rows(t, w, time, DFe, DFed, sig, P):
    """After `tangent` and `deformation_rates`: sig (3, ne, ny) of all stress resultants, P (3, nx, ny) support forces.

    Rows of sig that belong to degrees of freedom and released deformations are constitutive, the others follow from
    the balance of the nodes.
    """
    nx, ny = P.shape[1], P.shape[2]
    for k in range(3):
        _clear(sig[k])
        _clear(P[k])
    _stress_gradients(t, DFe, DFed, sig)
    times_C(t, w.V, w.CV)
    times_Z(t, w, w.CV, 1.0, P[2])
    times_C(t, w.V1, w.CV)
    times_Z(t, w, w.CV, 2.0, P[1])
    times_C(t, w.V2, w.CV)
    times_Z(t, w, w.CV, 1.0, P[0])
    directions_gradient(t, w, 2, P[0])
    loads_gradient(t, w, time, P[0])
    stresses_gradient(t, w, P[0])
    for el in range(t.el_e.size - 1):
        for ei in range(t.el_e[el], t.el_e[el + 1]):
            if t.e_given[ei] == 0:
                _add_rows(t, w, el, ei, sig, P)
    fx, sg = np.zeros(nx, w.X.dtype), np.zeros(sig.shape[1], w.X.dtype)
    for k in range(3):
        for j in range(ny):
            for i in range(nx):
                fx[i] = -P[k, i, j]
            solve_transposed(t, w, fx, sg)
            for el in range(t.el_e.size - 1):
                x0, nl = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
                for ei in range(t.el_e[el], t.el_e[el + 1]):
                    if t.e_given[ei] == 0:
                        continue
                    d0 = t.el_D[el] + (ei - t.el_e[el]) * nl
                    for c in range(nl):
                        P[k, t.el_xi[x0 + c], j] += w.D[0, d0 + c] * sg[ei]
                    if t.e_y[ei] < 0 or t.e_y[ei] >= t.n[2]:
                        sig[k, ei, j] = sg[ei]


@kernel
def _add_rows(t, w, el, ei, sig, P):
    """P += D_released^T d(sigma_released)."""
    x0, nl = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
    d0 = t.el_D[el] + (ei - t.el_e[el]) * nl
    for c in range(nl):
        z = w.D[0, d0 + c]
        if z != 0.0:
            for k in range(2):
                for j in range(P.shape[2]):
                    P[k, t.el_xi[x0 + c], j] += z * sig[k, ei, j]


@kernel
def static_rows(t, w, B, sig):
    """sig (ne, m) and B (nx, m) turned from nodal forces into stress resultants of the given deformations and support
    forces, at the present factors of D_c."""
    fx, sg = np.zeros(B.shape[0], w.X.dtype), np.zeros(sig.shape[0], w.X.dtype)
    for j in range(B.shape[1]):
        for i in range(fx.size):
            fx[i] = B[i, j]
            B[i, j] = -B[i, j]
        solve_transposed(t, w, fx, sg)
        for el in range(t.el_e.size - 1):
            x0, nl = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
            for ei in range(t.el_e[el], t.el_e[el + 1]):
                if t.e_given[ei] == 1:
                    d0 = t.el_D[el] + (ei - t.el_e[el]) * nl
                    for c in range(nl):
                        B[t.el_xi[x0 + c], j] += w.D[0, d0 + c] * sg[ei]
                    if t.e_y[ei] < 0 or t.e_y[ei] >= t.n[2]:
                        sig[ei, j] += sg[ei]
