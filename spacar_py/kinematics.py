"""Geometric transfer functions: x = F(y) by Newton, DF, and solves with D_c in block triangular form.

y = (q, r) are the degrees of freedom followed by the prescribed coordinates and deformations. The given deformations
are as many equations as there are dependent coordinates. Ordered by strongly connected blocks, D_c is block lower
triangular: a tree is solved element by element in linear time, a closed loop is one larger block.
"""

import numpy as np

from ._jit import kernel
from .assembly import series
from .linalg import lu_factor, lu_solve, lu_solve_transposed, lu_solve_transposed_rows
from .tables import FIXED_X, GIVEN_X, NORM

HALF_TURN = 0.1  # least Euler parameter that may follow from three given ones: beyond, the wrong root is near


@kernel
def factor(t, w):
    """LU of the diagonal blocks of D_c; -1, or the first singular block."""
    D, lu, piv = w.D[0], w.lu, w.piv
    blk, blk_lu, eq_e, e_el, el_e = t.blk, t.blk_lu, t.eq_e, t.e_el, t.el_e
    el_x, el_xi, el_D, x_pos = t.el_x, t.el_xi, t.el_D, t.x_pos
    for n in range(lu.size):
        lu[n] = 0.0
    for k in range(blk.size - 1):
        p0, n = blk[k], blk[k + 1] - blk[k]
        for i in range(n):
            ei = eq_e[p0 + i]
            el = e_el[ei]
            x0, nx = el_x[el], el_x[el + 1] - el_x[el]
            d0, row = el_D[el] + (ei - el_e[el]) * nx, blk_lu[k] + i * n - p0
            for c in range(nx):
                pos = x_pos[el_xi[x0 + c]]
                if pos >= p0 and pos < p0 + n:
                    lu[row + pos] += D[d0 + c]
        if n == 1 and t.b_kind[t.el_b[e_el[eq_e[p0]]]] == NORM and abs(lu[blk_lu[k]].real) < 2.0 * HALF_TURN:
            return k
        if lu_factor(lu, blk_lu[k], n, piv, p0) == 0:
            return k
    return -1


@kernel
def _reach(A, i):
    """Number of columns of row i up to its last non-zero one."""
    m = A.shape[1]
    while m > 0 and A[i, m - 1] == 0.0:
        m -= 1
    return m


@kernel
def solve(t, w, rhs, Z):
    """Solve D_c Z_c = rhs - D_given Z_given for all columns; Z holds its given rows, the dependent ones are filled.

    Along a chain the columns beyond those of the earlier blocks are zero: each row knows how far it reaches.
    """
    D, lu, piv = w.D[0], w.lu, w.piv
    blk, blk_lu, eq_e, eq_x, e_el, el_e = t.blk, t.blk_lu, t.eq_e, t.eq_x, t.e_el, t.el_e
    el_x, el_xi, el_D, x_pos = t.el_x, t.el_xi, t.el_D, t.x_pos
    reach = np.empty(Z.shape[0], np.int64)
    for i in range(Z.shape[0]):
        if x_pos[i] == GIVEN_X:
            reach[i] = _reach(Z, i)
    for k in range(blk.size - 1):
        p0, n = blk[k], blk[k + 1] - blk[k]
        most = 0
        for i in range(n):
            ei = eq_e[p0 + i]
            el = e_el[ei]
            x0, nx = el_x[el], el_x[el + 1] - el_x[el]
            d0 = el_D[el] + (ei - el_e[el]) * nx
            row = eq_x[p0 + i]  # the block's own rows of Z serve as its right-hand side
            for j in range(Z.shape[1]):
                Z[row, j] = rhs[ei, j]
            most = max(most, _reach(rhs, ei))
            for c in range(nx):
                xi = el_xi[x0 + c]
                pos = x_pos[xi]
                if pos < p0 and pos > FIXED_X:
                    z = D[d0 + c]
                    if z != 0.0:
                        for j in range(reach[xi]):
                            Z[row, j] -= z * Z[xi, j]
                        most = max(most, reach[xi])
        lu_solve(lu, blk_lu[k], n, piv, p0, Z, eq_x, most)
        for i in range(n):
            reach[eq_x[p0 + i]] = most


@kernel
def solve_transposed(t, w, fx, sigma):
    """sigma of the given deformations from D_c^T sigma = fx on the dependent coordinates."""
    D = w.D[0]
    m = t.eq_e.size
    v = np.empty(m, fx.dtype)
    for i in range(m):
        v[i] = fx[t.eq_x[i]]
    for k in range(t.blk.size - 2, -1, -1):
        p0, n = t.blk[k], t.blk[k + 1] - t.blk[k]
        lu_solve_transposed(w.lu, t.blk_lu[k], n, w.piv, p0, v)
        for i in range(n):
            ei = t.eq_e[p0 + i]
            el = t.e_el[ei]
            x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
            d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
            s = v[p0 + i]
            sigma[ei] = s
            for c in range(nx):
                pos = t.x_pos[t.el_xi[x0 + c]]
                if pos >= 0 and pos < p0:
                    v[pos] -= D[d0 + c] * s


@kernel
def project(t, w, P, out):
    """out += DF^T P for all columns of P (nx, m), which is overwritten: D_c^T sigma = P_c, then P_given - D^T sigma."""
    D, lu, piv, m = w.D[0], w.lu, w.piv, P.shape[1]
    for k in range(t.blk.size - 2, -1, -1):
        p0, n = t.blk[k], t.blk[k + 1] - t.blk[k]
        lu_solve_transposed_rows(lu, t.blk_lu[k], n, piv, p0, P, t.eq_x, m)
        for i in range(n):
            ei, row = t.eq_e[p0 + i], t.eq_x[p0 + i]
            el = t.e_el[ei]
            x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
            d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
            for c in range(nx):
                xi = t.el_xi[x0 + c]
                pos = t.x_pos[xi]
                z = D[d0 + c]
                if pos < p0 and pos > FIXED_X and z != 0.0:
                    for j in range(m):
                        P[xi, j] -= z * P[row, j]
            if t.e_y[ei] >= 0:
                for j in range(m):
                    out[t.e_y[ei], j] += P[row, j]
    for i in range(P.shape[0]):
        if t.x_y[i] >= 0:
            for j in range(m):
                out[t.x_y[i], j] += P[i, j]


@kernel
def transfer(t, w):
    """w.DF = dx/dy at the present D."""
    for i in range(w.rhs.shape[0]):
        for j in range(w.rhs.shape[1]):
            w.rhs[i, j] = 0.0
        if t.e_y[i] >= 0:
            w.rhs[i, t.e_y[i]] = 1.0
    for i in range(w.DF.shape[0]):
        for j in range(w.DF.shape[1]):
            w.DF[i, j] = 0.0
        if t.x_y[i] >= 0:
            w.DF[i, t.x_y[i]] = 1.0
    solve(t, w, w.rhs, w.DF)


@kernel
def _turned_round(t, w):
    """Whether a beam or link points backwards: the other root, el = -ex, of its conditions."""
    for d in range(t.ch_d.size):
        i = t.ch_d[d]
        if i >= 0:
            z = w.U[0, i, 0] * w.E[0, d, 0] + w.U[0, i, 1] * w.E[0, d, 1] + w.U[0, i, 2] * w.E[0, d, 2]
            if z.real < 0.0:
                return True
    return False


@kernel
def newton(t, w, ref, tol, most):
    """x from y (w.y[0]), starting at w.X[0]: iterations used, or 0 when not converged, -1-k for a singular block k.

    On success D and its factors belong to a point within `tol` of the solution: DF is as exact as x. Otherwise X is as
    it was. ref holds the deformations of the last accepted point, which decide the turn of released angles.
    """
    for i in range(w.X0.size):
        w.X0[i] = w.X[0, i]
    status = _newton(t, w, ref, tol, most)
    if status > 0 and _turned_round(t, w):
        status = 0
    if status <= 0:
        for i in range(w.X0.size):
            w.X[0, i] = w.X0[i]
    return status


@kernel
def _newton(t, w, ref, tol, most):
    X, y = w.X[0], w.y[0]
    last = 1e300
    for i in range(w.DF.shape[0]):  # predictor along DF of the last position; large models keep no DF
        if t.x_pos[i] >= 0:
            z = X[i]
            for j in range(y.size):
                z += w.DF[i, j] * (y[j] - w.yp[j])
            X[i] = z
    for i in range(X.size):
        if t.x_y[i] >= 0:
            X[i] = y[t.x_y[i]]
    for i in range(ref.size):
        if t.e_y[i] >= 0:
            ref[i] = y[t.e_y[i]]
    for it in range(most):
        series(t, w, 1, ref)
        bad = factor(t, w)
        if bad >= 0:
            return -1 - bad
        for i in range(ref.size):
            w.one[i, 0] = -w.e[0, i]
            if t.e_y[i] >= 0:
                w.one[i, 0] += y[t.e_y[i]]
        for i in range(X.size):
            w.sol[i, 0] = 0.0
        solve(t, w, w.one, w.sol)
        big = 0.0
        for i in range(X.size):
            d = w.sol[i, 0]
            X[i] += d
            z = abs(d)
            if not z < 1e6:
                return 0
            z /= 1.0 + abs(X[i])
            if z > big:
                big = z
        if big < tol or (big < 1e4 * tol and big > 0.1 * last):  # the latter: rounding is all that is left
            return it + 1
        last = big
    return 0


@kernel
def product(A, v, out):
    """out = A v."""
    for i in range(A.shape[0]):
        z = v[0] * 0.0 if v.size else 0.0
        for j in range(A.shape[1]):
            z += A[i, j] * v[j]
        out[i] = z


@kernel
def add_rows(t, w, D, sigma, given, out):
    """out += D^T sigma over the released deformations (given = 0) or the given ones (1)."""
    for el in range(t.el_e.size - 1):
        x0, nx = t.el_x[el], t.el_x[el + 1] - t.el_x[el]
        for ei in range(t.el_e[el], t.el_e[el + 1]):
            if t.e_given[ei] == given and sigma[ei] != 0.0:
                d0 = t.el_D[el] + (ei - t.el_e[el]) * nx
                for c in range(nx):
                    out[t.el_xi[x0 + c]] += D[d0 + c] * sigma[ei]
