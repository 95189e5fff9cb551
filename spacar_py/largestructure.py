"""Degrees of freedom and regularity of large models, found without any full matrix."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.sparse.linalg import LinearOperator, onenormest, splu

from .matching import own_columns

LARGE = 1500  # dependent coordinates above which no full matrix is made


def choose_sparse(tables, D: csr_matrix, given: np.ndarray, free: np.ndarray, cols: np.ndarray) -> np.ndarray | None:
    """Candidates `free` (rows of D) that complete the given conditions on the coordinates `cols`; None if none do.

    Loops are cut at elements that are flexible throughout: these close a loop without any condition of their own, and
    what is left is a tree. Where that cannot be, the assignment of rows to columns with the largest product of entries
    is taken.
    """
    chosen = _cut(tables, given, free, cols)
    return _assign(D, given, free, cols) if chosen is None else chosen


def _cut(t, given, free, cols) -> np.ndarray | None:
    """Grow from what is held, element by element, those with rigid deformations first."""
    n = len(t.el_e) - 1
    unknown, kind = np.zeros(int(t.n[0]), bool), np.zeros(int(t.n[1]), np.int64)
    unknown[cols], kind[given], kind[free] = True, 1, 2
    norm = {}  # first Euler parameter -> row of its condition
    norms = np.zeros(n, bool)
    for el in range(n):
        x = t.el_xi[t.el_x[el] : t.el_x[el + 1]]
        if t.el_e[el + 1] - t.el_e[el] == 1 and t.b_kind[t.el_b[el]] == 5:
            norm[int(x.min())], norms[el] = int(t.el_e[el]), True
    owners = {}
    for el in np.flatnonzero(~norms):
        for x in t.el_xi[t.el_x[el] : t.el_x[el + 1]]:
            owners.setdefault(int(x), []).append(int(el))
    rows = [np.arange(t.el_e[el], t.el_e[el + 1]) for el in range(n)]
    rank = [int(not np.any(kind[r] == 1)) for r in rows]
    heap = [(rank[el], el) for el in np.flatnonzero(~norms)]
    heapq.heapify(heap)
    used, chosen = np.zeros(int(t.n[1]), bool), []
    while heap:
        _, el = heapq.heappop(heap)
        open_ = [int(x) for x in t.el_xi[t.el_x[el] : t.el_x[el + 1]] if unknown[x]]
        own = [int(r) for r in rows[el] if kind[r] and not used[r]]
        frames = [norm[x] for x in open_ if x in norm]
        if not open_ or len(own) + len(frames) != len(open_):
            continue
        used[own], used[frames] = True, True
        chosen += [r for r in own if kind[r] == 2]
        unknown[open_] = False
        for x in open_:
            for other in owners[x]:
                heapq.heappush(heap, (rank[other], other))
    if unknown.any() or not np.all(used[given]):
        return None
    return np.sort(np.array(chosen, int))


def _assign(D, given, free, cols) -> np.ndarray | None:
    A = csr_matrix(D[np.concatenate([given, free])][:, cols])
    A.data = np.abs(A.data)
    A.data[A.data < 1e-9] = 0.0
    A.eliminate_zeros()
    A.data = 1.0 - np.log(np.minimum(A.data, 1.0))
    cost = csr_matrix(A.copy())
    first_free = cost.indptr[len(given)]
    cost.data[first_free:] += 1e3  # conditions are not a matter of choice
    try:
        _, rows = min_weight_full_bipartite_matching(csr_matrix(cost.T))
    except ValueError:
        return None
    rows = np.sort(rows)
    if np.sum(rows < len(given)) < len(given):
        return None
    return np.sort(free[rows[rows >= len(given)] - len(given)])


def well_away(B: csc_matrix, tol: float) -> bool:
    """Whether a large block is well away from singular, by an estimate of the norm of its inverse."""
    try:
        lu = splu(csc_matrix(B))
    except RuntimeError:
        return False
    inverse = LinearOperator(B.shape, matvec=lu.solve, rmatvec=lambda v: lu.solve(v, "T"))
    size = onenormest(inverse)
    return bool(np.isfinite(size) and 1.0 / size > tol)


def structural_rank(P: csr_matrix, rows, cols) -> int:
    """Largest number of conditions that can each have a coordinate of its own."""
    return int(np.sum(own_columns(csr_matrix(P[rows][:, cols])) >= 0))
