"""Order of elimination and the places of all numbers, found once for a system: what the compiled time loop reads."""

from __future__ import annotations

import numpy as np

from ..tables import Arrays
from .assembly import NODAL, make_nodal
from .entries import condition_entries, direction_entries, element_entries, load_entries, mass_entries
from .lu import elimination_order, fill, permuted, slots, symbolic

HELD = ("fixed", "prescribed")


def plan(system) -> Arrays:
    """The arrays of `assembly.NODAL` of a system, with the struct for the kernels in `k`."""
    t = system.tables
    held = np.array([s in HELD for s in system.x_status], bool)
    is_bound = np.array([s in HELD for s in system.e_status], np.int64)
    free, bound = np.flatnonzero(~held), np.flatnonzero(is_bound)
    nf, nb = len(free), len(bound)
    number = np.full(system.nx, -1, np.int64)
    number[free] = np.arange(nf)
    parts = [element_entries(t, number), mass_entries(t, number), direction_entries(t, number), load_entries(t, number)]
    b_ptr, b_num, b_x = condition_entries(t, number, bound)
    condition = np.repeat(np.arange(nb), np.diff(b_ptr))
    place = _order(parts, nf, nb, condition, b_x)
    a = dict(
        n=np.array([nf, nb, int(np.any(t.Sd != 0))], np.int64), free=free, bound=bound, is_bound=is_bound,
        place=np.where(number >= 0, place[np.maximum(number, 0)], -1) if nf else number, b_place=place[nf:],
        dof_e=system.dof_places[0], r_x=np.flatnonzero(t.x_y >= system.nq),
        dof_x=system.dof_places[1], b_ptr=b_ptr, b_num=b_num, b_x=b_x,
    )  # fmt: skip
    a.update(_filled(parts, place, nf, condition, b_x))
    n, nx = nf + nb, int(np.diff(t.el_x).max(initial=0))
    shapes = dict(V=len(a["rows"]), rho=nb, x=n, b=n, T=nx, zW=16 * len(t.z_kind), lW=16 * len(t.ld_kind),
                  sg=system.ne, de=system.ne, e0=system.ne)  # fmt: skip
    a.update({k: np.zeros(v) for k, v in shapes.items()})
    a["J"] = np.zeros((3 * len(t.z_kind), 4))
    ready = {k: np.ascontiguousarray(a[k], np.int64 if code[0] == "i" else float) for k, code in NODAL.items()}
    return Arrays(**ready, k=make_nodal(*ready.values()))


def _pattern(parts):
    rows, cols = (np.concatenate([p[i] for p in parts]) for i in (0, 1))
    keep = (rows >= 0) & (cols >= 0)
    return rows[keep], cols[keep]


def _order(parts, nf, nb, condition, b_x) -> np.ndarray:
    rows, cols = _pattern(parts)
    keep = b_x >= 0
    return elimination_order(rows, cols, nf, nb, (condition[keep], b_x[keep]))


def _filled(parts, place, nf, condition, b_x) -> dict:
    """The filled pattern, and where in it each flat number goes."""
    from scipy.sparse import csr_matrix

    rows, cols = _pattern(parts)
    A = csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(nf, nf))
    keep = b_x >= 0
    ptr, idx = permuted(csr_matrix(A + A.T), place, nf, condition[keep], b_x[keep])
    start, row, diag = symbolic(ptr, idx, len(place), int(fill(ptr, idx, len(place))[0]))

    def at(r, c):
        out = np.empty(len(r), np.int64)
        slots(start, row, np.ascontiguousarray(r, np.int64), np.ascontiguousarray(c, np.int64), out)
        return out

    def moved(i):
        return np.where(i >= 0, place[np.maximum(i, 0)], -1)

    names = ("el_slot", "m_slot", "z_slot", "l_slot")
    out = {name: at(moved(r), moved(c)) for name, (r, c) in zip(names, parts, strict=True)}
    x, c = moved(b_x), np.where(b_x >= 0, place[nf + condition], -1)
    return dict(start=start, rows=row, diag=diag, b_slot=at(c, x), c_slot=at(x, c), **out)
