"""Sparse LU with a fixed order of elimination: symbolic work once, numbers again and again without any allocation.

The matrices have a symmetric pattern and are made such that the diagonal can serve as pivot in the given order (see
`assembly`): rows and columns are never exchanged. Column j of the factors holds U above the diagonal, the pivot, and
the unit lower triangle below it, in place of the matrix itself.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from .._jit import kernel

TINY = 1e-15  # part of a diagonal that elimination may leave before it counts as lost


@kernel
def _tree(ptr, idx, n):
    """Elimination tree of a symmetric pattern (Liu): parent of each column, -1 for a root."""
    parent, root = np.full(n, -1), np.full(n, -1)
    for j in range(n):
        for p in range(ptr[j], ptr[j + 1]):
            k = idx[p]
            while k < j and k >= 0:
                up = root[k]
                root[k] = j
                if up == -1:
                    parent[k] = j
                    break
                if up == j:
                    break
                k = up
    return parent


@kernel
def _row(ptr, idx, parent, mark, i, found):
    """Columns k < i of row i of the lower factor, by the paths of the tree; their number."""
    m = 0
    mark[i] = i
    for p in range(ptr[i], ptr[i + 1]):
        k = idx[p]
        while k < i and mark[k] != i:
            mark[k] = i
            found[m] = k
            m += 1
            k = parent[k]
    return m


@kernel
def fill(ptr, idx, n):
    """Entries of the factors of a symmetric pattern in its own order, and the multiplications they take."""
    parent, mark, found, below = _tree(ptr, idx, n), np.full(n, -1), np.empty(n, np.int64), np.zeros(n, np.int64)
    entries = n
    for i in range(n):
        m = _row(ptr, idx, parent, mark, i, found)
        entries += 2 * m
        for q in range(m):
            below[found[q]] += 1
    work = 0.0
    for i in range(n):
        work += float(below[i]) * (below[i] + 1)
    return entries, work


@kernel
def symbolic(ptr, idx, n, entries):
    """Columns of the filled matrix: start, rows in order, place of the diagonal."""
    parent, mark, found = _tree(ptr, idx, n), np.full(n, -1), np.empty(n, np.int64)
    above, below = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        m = _row(ptr, idx, parent, mark, i, found)
        above[i] = m
        for q in range(m):
            below[found[q]] += 1
    start, diag, rows = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.empty(entries, np.int64)
    for j in range(n):
        diag[j] = start[j] + above[j]
        rows[diag[j]] = j
        start[j + 1] = diag[j] + 1 + below[j]
    at = diag + 1
    for i in range(n):
        mark[i] = -1
    for i in range(n):
        m = _row(ptr, idx, parent, mark, i, found)
        col = np.sort(found[:m])
        for q in range(m):
            k = col[q]
            rows[start[i] + q] = k
            rows[at[k]] = i
            at[k] += 1
    return start, rows, diag


@kernel
def slots(start, rows, r, c, out):
    """Place of each entry (r, c) in the filled matrix; -1 where r or c is negative."""
    for n in range(r.size):
        out[n] = -1
        if r[n] < 0 or c[n] < 0:
            continue
        lo, hi = start[c[n]], start[c[n] + 1] - 1
        while lo < hi:
            mid = (lo + hi) // 2
            if rows[mid] < r[n]:
                lo = mid + 1
            else:
                hi = mid
        out[n] = lo


@kernel
def refactor(start, rows, diag, V, x):
    """Factors in place of the numbers V (left-looking, column by column); -1, or the column whose pivot is lost."""
    for j in range(diag.size):
        p0, pd, p1 = start[j], diag[j], start[j + 1]
        for p in range(p0, p1):
            x[rows[p]] = V[p]
        size = abs(V[pd])
        for p in range(p0, pd):
            k = rows[p]
            z = x[k]
            V[p] = z
            if z != 0.0:
                for q in range(diag[k] + 1, start[k + 1]):
                    x[rows[q]] -= V[q] * z
        pivot = x[j]
        if not abs(pivot) > TINY * size or not abs(pivot) < 1e300:
            return j
        V[pd] = pivot
        f = 1.0 / pivot
        for p in range(pd + 1, p1):
            V[p] = x[rows[p]] * f
    return -1


@kernel
def backsolve(start, rows, diag, V, b):
    """b = A^-1 b with the factors of `refactor`, in the order of elimination."""
    n = diag.size
    for j in range(n):
        z = b[j]
        if z != 0.0:
            for p in range(diag[j] + 1, start[j + 1]):
                b[rows[p]] -= V[p] * z
    for j in range(n - 1, -1, -1):
        z = b[j] / V[diag[j]]
        b[j] = z
        if z != 0.0:
            for p in range(start[j], diag[j]):
                b[rows[p]] -= V[p] * z


def elimination_order(rows, cols, nf, nb, after) -> np.ndarray:
    """Place of each unknown: the coordinates in the better one of two orders, each condition after its coordinates.

    Parameters
    ----------
    rows, cols : index arrays
        Pattern among the nf coordinates.
    after : two index arrays
        One of the nb conditions and one of its coordinates, entry by entry.
    """
    A = csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(nf, nf))
    A = csr_matrix(((A + A.T) != 0).astype(float))
    orders = [np.asarray(reverse_cuthill_mckee(A, symmetric_mode=True), np.int64), _minimum_degree(A)]
    places = [_with_conditions(order, nf, nb, *after) for order in orders]
    return min(places, key=lambda place: _work(A, place, nf, *after))


def _minimum_degree(A) -> np.ndarray:
    size = np.asarray(A.sum(axis=1)).ravel() + 1.0
    dominant = csc_matrix(A + csc_matrix((size, (np.arange(len(size)),) * 2), shape=A.shape))
    factors = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=dict(SymmetricMode=True))
    order = np.empty(len(size), np.int64)
    order[factors.perm_c] = np.arange(len(size))
    return order


def _with_conditions(order, nf, nb, condition, coordinate) -> np.ndarray:
    """Place of coordinates (first nf) and conditions, each right after the last coordinate that it needs."""
    rank = np.empty(nf, np.int64)
    rank[order] = np.arange(nf)
    last = np.full(nb, -1, np.int64)
    np.maximum.at(last, condition, rank[coordinate])
    key = np.concatenate([2 * rank, 2 * last + 1])
    place = np.empty(nf + nb, np.int64)
    place[np.argsort(key, kind="stable")] = np.arange(nf + nb)
    return place


def _work(A, place, nf, condition, coordinate) -> float:
    ptr, idx = permuted(A, place, nf, condition, coordinate)
    return fill(ptr, idx, len(place))[1]


def permuted(A, place, nf, condition, coordinate) -> tuple[np.ndarray, np.ndarray]:
    """Pattern of the whole matrix in the order of elimination, as compressed rows."""
    A, n = A.tocoo(), len(place)
    c, x = place[nf + condition], place[coordinate]
    r = np.concatenate([place[A.row], c, x, np.arange(n)])
    k = np.concatenate([place[A.col], x, c, np.arange(n)])
    P = csr_matrix((np.ones(len(r)), (r, k)), shape=(n, n))
    P.sum_duplicates()
    return P.indptr.astype(np.int64), P.indices.astype(np.int64)
