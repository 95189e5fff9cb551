"""Saddle-point form of a model: nodal coordinates and the stress resultants of its rigid deformations.

    H dx + D^T dsigma = -(residual)        D_b dx = e_target - e        D_s dx = S^-1 dsigma_s

Unknown are the stress resultants of the rigid deformations (b) and of the elastic ones (s): no degree of freedom has to
be chosen, every matrix has the sparsity of the mesh, and stiffness enters by its inverse. A chain of n elements would
have a condition number of n^4 in displacements alone, which is all digits from a few thousand elements on.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ..assembly import hessian, series
from ..dynamics import NEWTON_MOST, NEWTON_TOL, add_inertia, inertia_forces, inputs, loads, stresses
from ..kinematics import newton
from ..tables import GRADIENT, Arrays, Work, pack_work
from .entries import condition_entries, direction_entries, element_entries, load_entries, mass_entries
from .kernels import (
    add_deformations,
    deformation_rates,
    direction_stiffness,
    element_stiffness,
    load_stiffness,
    mass_blocks,
)

LARGEST_BLOCK = 100  # larger blocks of D_c are solved with sparse factors


def lean_work(t: Arrays) -> Work:
    """Work space without any array of the size coordinates times degrees of freedom."""
    nx, ne, _, ny = (int(i) for i in t.n)
    nd, nc, nb, nz = len(t.dir_x), len(t.ch_p), len(t.b_kind), len(t.z_kind)
    shapes = dict(
        X=(3, nx), U=(3, nd, 3), G=(3, nd, 3, 4), L=(3, nc, 3), R=(3, nc), E=(3, nc, 3), b=(3, nb),
        bg=(3, nb, GRADIENT), e=(3, ne), D=(3, int(t.el_D[-1])), piv=(len(t.eq_e),),
        one=(ne, 1), sol=(nx, 1), zdd=(nz, 3), w=(nz, 3), fx=(nx,), sigma=(ne,),
        y=(3, ny), rho=(ny,), X0=(nx,), H=(int(t.el_H[-1]),), u_ext=(ne,), f_ext=(nx,),
    )  # fmt: skip
    if np.diff(t.blk).max(initial=0) <= LARGEST_BLOCK:
        shapes["lu"] = (int(t.blk_lu[-1]),)
    return pack_work(shapes)


class Pattern:
    """Where flat element numbers go in a compressed matrix; built once, used at every assembly."""

    def __init__(self, rows, cols, n):
        keep = np.flatnonzero((rows >= 0) & (cols >= 0))
        r, c = rows[keep].astype(np.int64), cols[keep].astype(np.int64)
        order = np.lexsort((r, c))
        key = c[order] * n + r[order]
        first = np.r_[np.ones(min(len(key), 1), bool), key[1:] != key[:-1]]
        slot = np.empty(len(keep), np.int64)
        slot[order] = np.cumsum(first) - 1
        self.keep, self.slot, self.n = keep, slot, n
        self.indices = r[order][first].astype(np.int32)
        counts = np.bincount(c[order][first], minlength=n)
        self.indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def matrix(self, values: np.ndarray) -> csc_matrix:
        """The matrix of the flat values."""
        data = np.bincount(self.slot, weights=values[self.keep], minlength=len(self.indices))
        return csc_matrix((data, self.indices, self.indptr), shape=(self.n, self.n))


def compliances(t, is_bound):
    """Elastic deformations, and the inverse of their stiffness entry by entry: numbers, rows, columns."""
    sizes, groups = np.diff(t.el_e), {}
    for el, n in enumerate(sizes):
        S = t.S[t.el_S[el] : t.el_S[el + 1]].reshape(n, n)
        mask = (is_bound[t.el_e[el] : t.el_e[el + 1]] == 0) & (np.diag(S) > 0)
        if mask.any():
            groups.setdefault((int(n), mask.tobytes()), []).append(el)
    elastic, values, rows, cols = ([np.zeros(0, kind)] for kind in (np.int64, float, np.int64, np.int64))
    for (n, mask), els in groups.items():
        local, els = np.flatnonzero(np.frombuffer(mask, bool)), np.array(els)
        S = t.S[t.el_S[els][:, None] + np.arange(n * n)].reshape(-1, n, n)[:, local[:, None], local]
        e = t.el_e[els][:, None] + local
        elastic.append(e.ravel())
        values.append(np.linalg.inv(S).ravel())
        rows.append(np.repeat(e, len(local), axis=1).ravel())
        cols.append(np.tile(e, (1, len(local))).ravel())
    return tuple(np.concatenate(a) for a in (elastic, values, rows, cols))


class Transfer:
    """x, xd of y, yd with sparse factors of D_c, the given deformations by the dependent coordinates."""

    def __init__(self, system):
        self.system, t = system, system.tables
        self.given, self.dependent = np.flatnonzero(t.e_given == 1), np.flatnonzero(t.x_pos >= 0)
        number = np.full(system.nx, -1, np.int64)
        number[self.dependent] = np.arange(len(self.dependent))
        ptr, self.numbers, cols = condition_entries(t, number, self.given)
        rows = np.repeat(np.arange(len(self.given)), np.diff(ptr))
        self.pattern = Pattern(rows, cols, len(self.given))
        self.of_e, self.of_x = np.flatnonzero(t.e_y >= 0), np.flatnonzero(t.x_y >= 0)

    def _solve(self, w, lack):
        """Change of the dependent coordinates (or rates) that changes the given deformations by `lack`."""
        return splu(self.pattern.matrix(w.D[0][self.numbers])).solve(lack[self.given])

    def _wanted(self, y):
        out = np.zeros(self.system.ne)
        out[self.of_e] = y[self.system.tables.e_y[self.of_e]]
        return out

    def position(self, w, ref) -> int:
        """Newton for w.X[0] of w.y[0]: iterations used, or 0 with the coordinates as they were."""
        t, s, keep, last = self.system.tables, self.system, w.X[0].copy(), np.inf
        w.X[0, self.of_x] = w.y[0, t.x_y[self.of_x]]
        wanted = self._wanted(w.y[0])
        ref[self.of_e] = wanted[self.of_e]
        for it in range(NEWTON_MOST):
            series(s.k, w.k, 1, ref)
            try:
                dx = self._solve(w, wanted - w.e[0])
            except RuntimeError:
                break
            w.X[0, self.dependent] += dx
            size = np.max(np.abs(dx) / (1.0 + np.abs(w.X[0, self.dependent])), initial=0.0)
            if not size < 1e6:
                break
            if size < NEWTON_TOL or (size < 1e4 * NEWTON_TOL and size > 0.1 * last):
                series(s.k, w.k, 1, ref)
                return it + 1
            last = size
        w.X[0] = keep
        return 0

    def velocity(self, w) -> None:
        """w.X[1] of w.y[1], at the position of the last D."""
        t, s = self.system.tables, self.system
        w.X[1] = 0.0
        w.X[1, self.of_x] = w.y[1, t.x_y[self.of_x]]
        rate = np.zeros(s.ne)
        deformation_rates(s.k, w.D[0], w.X[1], rate)
        w.X[1, self.dependent] = self._solve(w, self._wanted(w.y[1]) - rate)


class Nodal:
    """Sparse residual and matrices of a compiled system.

    Attributes
    ----------
    free : index array
        Coordinates that move: neither fixed nor prescribed.
    bound : index array
        Deformations that are conditions: fixed or prescribed.
    """

    def __init__(self, system):
        self.system, t = system, system.tables
        self.w = lean_work(t)
        self.small_blocks = len(self.w.lu) == int(t.blk_lu[-1])
        self.w.X[0] = system.x0
        self.is_bound = np.array([int(s in ("fixed", "prescribed")) for s in system.e_status], np.int64)
        held = np.array([s in ("fixed", "prescribed") for s in system.x_status])
        self.free, self.bound = np.flatnonzero(~held), np.flatnonzero(self.is_bound)
        self.place = np.full(system.nx, -1, np.int64)
        self.place[self.free] = np.arange(len(self.free))
        self.elastic, self.compliance, self.comp_rows, self.comp_cols = compliances(t, self.is_bound)
        self.conditions = np.union1d(self.bound, self.elastic)
        self.n = len(self.free) + len(self.conditions)
        self.ref, self.iterations = np.zeros(system.ne), 0
        self._patterns()

    def _patterns(self):
        t, place = self.system.tables, self.place
        er, ec = element_entries(t, place)
        zr, zc = direction_entries(t, place)
        lr, lc = load_entries(t, place)
        ptr, self.numbers, bc = condition_entries(t, place, self.conditions)
        br = np.repeat(len(self.free) + np.arange(len(self.conditions)), np.diff(ptr))
        br = np.where(bc >= 0, br, -1)
        sr, sc = (len(self.free) + np.searchsorted(self.conditions, i) for i in (self.comp_rows, self.comp_cols))
        rows = np.concatenate([er, zr, lr, br, bc, sr])
        cols = np.concatenate([ec, zc, lc, bc, br, sc])
        self.damping_pattern = Pattern(er, ec, self.n)
        self.saddle = Pattern(rows, cols, self.n)
        mr, mc = mass_entries(t, place)
        self.mass_pattern = Pattern(mr, mc, self.n)

    # evaluation ---------------------------------------------------------------------------------------------------

    def set_inputs(self, time: float, r=None) -> None:
        """Prescribed values at a time (or as given) into the coordinates and the targets of the deformations."""
        s, w = self.system, self.w
        if r is None:
            s.set_python_signals(time)
            inputs(s.k, w.k, float(time))
            r = w.y[0, s.nq :].copy()
        t = s.tables
        self.target = np.zeros(s.ne)
        for k in range(len(r)):
            x, e = np.flatnonzero(t.x_y == s.nq + k), np.flatnonzero(t.e_y == s.nq + k)
            w.X[0, x] = r[k]
            self.target[e] = r[k]

    def law(self, time: float) -> np.ndarray:
        """Stress resultants of the conditions by the constitutive law; w.sigma has all of them."""
        stresses(self.system.k, self.w.k, float(time))
        return self.w.sigma[self.conditions]

    def unbalance(self, time: float, sigma: np.ndarray) -> np.ndarray:
        """(force on the free coordinates, gap of the conditions) at rest, the latter's stress resultants as given.

        D and all stress resultants are left in w.
        """
        s, w = self.system, self.w
        series(s.k, w.k, 1, self.ref)
        excess = np.zeros(s.ne)
        excess[self.conditions] = sigma - self.law(time)
        gap = np.bincount(self.comp_rows, self.compliance * excess[self.comp_cols], s.ne)
        gap[self.bound] = (self.target - w.e[0])[self.bound]
        w.sigma[self.conditions] = sigma
        loads(s.k, w.k, float(time))
        inertia_forces(s.k, w.k, w.fac[0])
        add_inertia(s.k, w.k, -1.0)
        add_deformations(s.k, w.D[0], -w.sigma, w.fx)
        return np.concatenate([w.fx[self.free], gap[self.conditions]])

    def q(self) -> np.ndarray:
        """Degrees of freedom of the coordinates and deformations in w."""
        t, nq = self.system.tables, self.system.nq
        q = np.zeros(nq)
        e, x = self.system.dof_places
        q[t.e_y[e]], q[t.x_y[x]] = self.w.e[0, e], self.w.X[0, x]
        return q

    def move(self, q: np.ndarray, r: np.ndarray) -> int:
        """x = F(q, r) by Newton: block by block, with sparse factors of D_c where a loop makes one large block.

        Positive where it converged; the coordinates stay as they are where not.
        """
        self.w.y[0] = np.concatenate([q, r])
        if self.small_blocks:
            return newton(self.system.k, self.w.k, self.ref, NEWTON_TOL, NEWTON_MOST)
        return self.transfer.position(self.w, self.ref)

    @cached_property
    def transfer(self) -> Transfer:
        """Sparse solves with D_c."""
        return Transfer(self.system)

    def dof_rates(self, dx: np.ndarray, dsigma: np.ndarray) -> np.ndarray:
        """dq of dx (nx,) and of the conditions' stress resultants: S^-1 dsigma, D dx or dx itself."""
        t, nq = self.system.tables, self.system.nq
        de = np.zeros(self.system.ne)
        deformation_rates(self.system.k, self.w.D[0], dx, de)
        stress = np.zeros(self.system.ne)
        stress[self.conditions] = dsigma
        de[self.elastic] = 0.0
        np.add.at(de, self.comp_rows, self.compliance * stress[self.comp_cols])
        dq = np.zeros(nq)
        e, x = self.system.dof_places
        dq[t.e_y[e]], dq[t.x_y[x]] = de[e], dx[x]
        return dq

    def stiffness(self, time: float) -> csc_matrix:
        """The mixed matrix at the state that `unbalance` has left."""
        s, w, t = self.system, self.w, self.system.tables
        hessian(s.k, w.k, w.sigma)
        z, ld = np.empty(16 * len(t.z_kind)), np.empty(16 * len(t.ld_kind))
        direction_stiffness(s.k, w.k, w.fac[0], z)
        load_stiffness(s.k, w.k, float(time), ld)
        b = w.D[0][self.numbers]
        return self.saddle.matrix(np.concatenate([w.H, z, ld, b, b, -self.compliance]))

    def damping(self) -> csc_matrix:
        """D^T Sd D."""
        s, out = self.system, np.empty(int(self.system.tables.el_H[-1]))
        element_stiffness(s.k, self.w.k, self.is_bound, s.tables.Sd, 0, out)
        return self.damping_pattern.matrix(out)

    def mass(self) -> csc_matrix:
        """The mass matrix, with zeros for the stress resultants."""
        s, w = self.system, self.w
        out = np.empty(16 * len(s.tables.c_val))
        mass_blocks(s.k, w.k, 0, out)
        return self.mass_pattern.matrix(out)

