"""Saddle-point form of a model: nodal coordinates and the stress resultants of its rigid deformations.

    K dx + D_b^T dsigma = -(residual)        D_b dx = e_target - e

Flexible deformations enter by their stiffness, so that no degree of freedom has to be chosen and nothing is eliminated:
every matrix has the sparsity of the mesh.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from ..assembly import hessian, series
from ..dynamics import NEWTON_MOST, NEWTON_TOL, add_inertia, inertia_forces, inputs, loads, stresses
from ..kinematics import newton
from ..tables import GRADIENT, WORK, Arrays, _make_work
from .kernels import (
    add_deformations,
    deformation_rates,
    direction_stiffness,
    element_stiffness,
    load_stiffness,
    mass_blocks,
)


def lean_work(t: Arrays) -> Arrays:
    """Work space without any array of the size coordinates times degrees of freedom."""
    nx, ne, _, ny = (int(i) for i in t.n)
    nd, nc, nb, nz = len(t.dir_x), len(t.ch_p), len(t.b_kind), len(t.z_kind)
    shapes = dict(
        X=(3, nx), U=(3, nd, 3), G=(3, nd, 3, 4), L=(3, nc, 3), R=(3, nc), E=(3, nc, 3), b=(3, nb),
        bg=(3, nb, GRADIENT), e=(3, ne), D=(3, int(t.el_D[-1])), lu=(int(t.blk_lu[-1]),), piv=(len(t.eq_e),),
        one=(ne, 1), sol=(nx, 1), zdd=(nz, 3), w=(nz, 3), fx=(nx,), sigma=(ne,),
        y=(3, ny), X0=(nx,), H=(int(t.el_H[-1]),), fac=(4,), u_ext=(ne,), f_ext=(nx,),
    )  # fmt: skip
    ready = {}
    for name, code in WORK.items():
        shape = shapes.get(name, (0,) * int(code[1]))
        ready[name] = np.zeros(shape, np.int64 if code[0] == "i" else np.float64)
    ready["fac"][:] = 1.0
    return Arrays(**ready, k=_make_work["f"](*ready.values()))


class Pattern:
    """Where flat element numbers go in a compressed matrix; built once, used at every assembly."""

    def __init__(self, rows, cols, n):
        keep = np.flatnonzero((rows >= 0) & (cols >= 0))
        r, c = rows[keep].astype(np.int64), cols[keep].astype(np.int64)
        order = np.lexsort((r, c))
        key = c[order] * n + r[order]
        first = np.concatenate([[True], key[1:] != key[:-1]])
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
        self.w.X[0] = system.x0
        self.is_bound = np.array([int(s in ("fixed", "prescribed")) for s in system.e_status], np.int64)
        held = np.array([s in ("fixed", "prescribed") for s in system.x_status])
        self.free, self.bound = np.flatnonzero(~held), np.flatnonzero(self.is_bound)
        self.place = np.full(system.nx, -1, np.int64)
        self.place[self.free] = np.arange(len(self.free))
        self.n = len(self.free) + len(self.bound)
        self.ref = np.zeros(system.ne)
        self._patterns()

    def _patterns(self):
        t, place = self.system.tables, self.place
        sizes = np.diff(t.el_x)
        row, col = [], []
        for k in np.unique(sizes):  # all elements with the same number of coordinates at once
            els = np.flatnonzero(sizes == k)
            x = place[t.el_xi[t.el_x[els][:, None] + np.arange(k)]]
            row.append(np.repeat(x, k, axis=1).ravel())
            col.append(np.tile(x, (1, k)).ravel())
        order = np.concatenate(
            [(t.el_H[:-1][sizes == k][:, None] + np.arange(k * k)).ravel() for k in np.unique(sizes)]
        )
        er, ec = np.empty(int(t.el_H[-1]), np.int64), np.empty(int(t.el_H[-1]), np.int64)
        er[order], ec[order] = np.concatenate(row), np.concatenate(col)
        zr, zc = self._frames([t.dir_x[t.z_i[n]] if t.z_kind[n] == 1 else -1 for n in range(len(t.z_kind))],
                              [t.dir_n[t.z_i[n]] if t.z_kind[n] == 1 else 0 for n in range(len(t.z_kind))])  # fmt: skip
        lr, lc = self._load_blocks()
        br, bc = self._bound_rows()
        rows = np.concatenate([er, zr, lr, br, bc])
        cols = np.concatenate([ec, zc, lc, bc, br])
        self.saddle = Pattern(rows, cols, self.n)
        mr, mc = self._mass_entries()
        self.mass_pattern = Pattern(mr, mc, self.n)

    def _block(self, first_r, n_r, first_c, n_c):
        """16 rows and columns of a block of at most 4 x 4 (-1 where there is none)."""
        r, c = np.full((4, 4), -1, np.int64), np.full((4, 4), -1, np.int64)
        for a in range(n_r):
            for b in range(n_c):
                r[a, b], c[a, b] = self.place[first_r + a], self.place[first_c + b]
        return r.ravel(), c.ravel()

    def _frames(self, first, size):
        blocks = [self._block(f, n, f, n) for f, n in zip(first, size, strict=True)]
        return _stack(blocks)

    def _load_blocks(self):
        t, blocks = self.system.tables, []
        for n in range(len(t.ld_kind)):
            d = t.ld_dir[n]
            if d >= 0:
                blocks.append(self._block(t.ld_x[n], t.ld_n[n], t.dir_x[d], t.dir_n[d]))
            else:
                size = 4 if t.ld_kind[n] in (1, 3) else 0
                blocks.append(self._block(t.ld_x[n], size, t.ld_x[n], size))
        return _stack(blocks)

    def _bound_rows(self):
        """Rows and columns of D_b within the saddle matrix, and the places of its numbers in D."""
        t = self.system.tables
        el = t.e_el[self.bound]
        nx = np.diff(t.el_x)[el]
        start = t.el_D[el] + (self.bound - t.el_e[el]) * nx
        offset = np.concatenate([[0], np.cumsum(nx)])
        local = np.arange(offset[-1]) - np.repeat(offset[:-1], nx)
        self.bound_numbers = np.repeat(start, nx) + local
        cols = self.place[t.el_xi[np.repeat(t.el_x[el], nx) + local]]
        rows = np.repeat(len(self.free) + np.arange(len(self.bound)), nx)
        return np.where(cols >= 0, rows, -1), cols

    def _mass_entries(self):
        t = self.system.tables
        first = np.where(t.z_kind == 1, t.dir_x[np.where(t.z_kind == 1, t.z_i, 0)] if len(t.dir_x) else 0, t.z_i)
        size = np.where(t.z_kind == 1, t.dir_n[np.where(t.z_kind == 1, t.z_i, 0)] if len(t.dir_n) else 0, t.z_n)
        blocks = []
        for n in range(len(t.z_kind)):
            for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
                m = t.c_idx[p]
                blocks.append(self._block(first[n], size[n], first[m], size[m]))
        return _stack(blocks)

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

    def residual(self, time: float, sigma_b: np.ndarray) -> np.ndarray:
        """(unbalanced force on the free coordinates, gap of the conditions) at rest; D and stresses are left in w."""
        s, w = self.system, self.w
        series(s.k, w.k, 1, self.ref)
        stresses(s.k, w.k, float(time))
        w.sigma[self.bound] = sigma_b
        loads(s.k, w.k, float(time))
        inertia_forces(s.k, w.k, w.fac[0])
        add_inertia(s.k, w.k, -1.0)
        add_deformations(s.k, w.D[0], -w.sigma, w.fx)
        return np.concatenate([w.fx[self.free], (self.target - w.e[0])[self.bound]])

    def move(self, q: np.ndarray, r: np.ndarray) -> int:
        """x = F(q, r) by Newton in block triangular form, in linear time for a tree; its status."""
        self.w.y[0] = np.concatenate([q, r])
        return newton(self.system.k, self.w.k, self.ref, NEWTON_TOL, NEWTON_MOST)

    def dof_rates(self, dx: np.ndarray) -> np.ndarray:
        """dq that belongs to dx (nx,): D dx for deformations, dx itself for coordinates."""
        t, nq = self.system.tables, self.system.nq
        de = np.zeros(self.system.ne)
        deformation_rates(self.system.k, self.w.D[0], dx, de)
        dq = np.zeros(nq)
        e, x = np.flatnonzero((t.e_y >= 0) & (t.e_y < nq)), np.flatnonzero((t.x_y >= 0) & (t.x_y < nq))
        dq[t.e_y[e]], dq[t.x_y[x]] = de[e], dx[x]
        return dq

    def stiffness(self, time: float) -> csc_matrix:
        """The saddle-point matrix at the state of the last residual."""
        s, w, t = self.system, self.w, self.system.tables
        hessian(s.k, w.k, w.sigma)
        el, z, ld = np.empty(int(t.el_H[-1])), np.empty(16 * len(t.z_kind)), np.empty(16 * len(t.ld_kind))
        element_stiffness(s.k, w.k, self.is_bound, t.S, 1, el)
        direction_stiffness(s.k, w.k, w.fac[0], z)
        load_stiffness(s.k, w.k, float(time), ld)
        b = w.D[0][self.bound_numbers]
        return self.saddle.matrix(np.concatenate([el, z, ld, b, b]))

    def mass(self) -> csc_matrix:
        """The mass matrix, with zeros for the stress resultants."""
        s, w = self.system, self.w
        out = np.empty(16 * len(s.tables.c_val))
        mass_blocks(s.k, w.k, 0, out)
        return self.mass_pattern.matrix(out)


def _stack(blocks):
    if not blocks:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])
