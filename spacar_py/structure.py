"""Which coordinates depend on what: block triangular form, choice of degrees of freedom, mobility report."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_matrix, diags
from scipy.sparse.csgraph import connected_components

from .errors import InputError
from .largestructure import LARGE, well_away
from .matching import own_columns

RANK_TOL = 1e-9  # singular values below this part of the largest count as zero


def sparse_D(tables, D: np.ndarray) -> csr_matrix:
    """The element matrices D assembled to (ne, nx)."""
    t = tables
    rows, cols = [np.zeros(0, int)], [np.zeros(0, int)]
    for el in range(len(t.el_e) - 1):
        x = t.el_xi[t.el_x[el] : t.el_x[el + 1]]
        e = np.arange(t.el_e[el], t.el_e[el + 1])
        rows.append(np.repeat(e, len(x)))
        cols.append(np.tile(x, len(e)))
    return csr_matrix((D, (np.concatenate(rows), np.concatenate(cols))), shape=(int(t.n[1]), int(t.n[0])))


def dense_D(tables, D: np.ndarray) -> np.ndarray:
    """The same as a full matrix."""
    return sparse_D(tables, D).toarray()


def dimensionless(D: csr_matrix, scale: np.ndarray) -> csr_matrix:
    """D by coordinates in their natural units and with rows of length one, so that its rank knows no units."""
    D = D @ diags(scale)
    norm = np.sqrt(np.asarray(D.multiply(D).sum(axis=1)).ravel())
    return csr_matrix(diags(1.0 / np.where(norm > 0, norm, 1.0)) @ D)


def regular(D: csr_matrix, blocks) -> bool:
    """Whether every diagonal block is well away from singular."""
    block, place = np.full((2, D.shape[0]), -1), np.full((2, D.shape[1]), -1)
    for k, (rows, cols) in enumerate(blocks):
        block[0, rows], block[1, rows] = k, np.arange(len(rows))
        place[0, cols], place[1, cols] = k, np.arange(len(cols))
    A = D.tocoo()
    own = (block[0, A.row] >= 0) & (block[0, A.row] == place[0, A.col])
    which, i, j, value = block[0, A.row[own]], block[1, A.row[own]], place[1, A.col[own]], A.data[own]
    large = [k for k, (rows, _) in enumerate(blocks) if len(rows) > LARGE]
    for k in large:
        of, n = which == k, len(blocks[k][0])
        if not well_away(csr_matrix((value[of], (i[of], j[of])), shape=(n, n)), RANK_TOL):
            return False
    dense = [np.zeros((len(rows), len(rows)) if len(rows) <= LARGE else (0, 0)) for rows, _ in blocks]
    for k, a, b, v in zip(which, i, j, value, strict=True):
        if k not in large:
            dense[k][a, b] = v
    dense = [B for B in dense if B.size]
    if not all(np.isfinite(B).all() for B in dense):
        return False
    return all(s[-1] > RANK_TOL * max(s[0], 1.0) for s in (np.linalg.svd(B, compute_uv=False) for B in dense))


def pattern(tables) -> csr_matrix:
    """Structural pattern of D (ne, nx)."""
    t = tables
    rows, cols = [], []

    def add(el, row, b):
        b = t.el_b[el] + b
        for c in t.b_col[b, : t.b_n[b]]:
            rows.append(t.el_e[el] + row)
            cols.append(t.el_xi[t.el_x[el] + c])

    for el in range(len(t.el_e) - 1):
        for m in range(t.lin[el], t.lin[el + 1]):
            add(el, t.lin_e[m], t.lin_b[m])
        for m in range(t.qd[el], t.qd[el + 1]):
            add(el, t.qd_e[m], t.qd_i[m])
            add(el, t.qd_e[m], t.qd_j[m])
        for m in range(t.an[el], t.an[el + 1]):
            add(el, t.an_e[m], t.an_s[m])
            add(el, t.an_e[m], t.an_c[m])
    return csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(int(t.n[1]), int(t.n[0])))


def blocks(P: csr_matrix, rows: np.ndarray, cols: np.ndarray) -> list[tuple[list[int], list[int]]] | None:
    """Blocks (rows, columns) of the square system each needing only earlier ones; None if singular."""
    A = csr_matrix(P[rows][:, cols])
    match = own_columns(A)
    if len(match) and match.min() < 0:
        return None
    A = A[:, match]  # row i has its own column at i
    count, label = connected_components(A, directed=True, connection="strong")
    members = [[] for _ in range(count)]
    for i, k in enumerate(label):
        members[k].append(i)
    A = A.tocoo()
    edges = {(label[r], label[c]) for r, c in zip(A.row, A.col, strict=True) if label[r] != label[c]}
    needs = [set() for _ in range(count)]
    wanted = [set() for _ in range(count)]
    for a, b in edges:
        needs[a].add(b)
        wanted[b].add(a)
    ready = sorted((k for k in range(count) if not needs[k]), key=lambda k: members[k][0], reverse=True)
    order = []
    while ready:
        k = ready.pop()
        order.append(k)
        for a in sorted(wanted[k], key=lambda a: members[a][0], reverse=True):
            needs[a].discard(k)
            if not needs[a]:
                ready.append(a)
    return [([int(rows[i]) for i in members[k]], [int(cols[match[i]]) for i in members[k]]) for k in order]


def choose(D: np.ndarray, given: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Candidates (rows of D) that complete the given conditions best.

    Left out are those that the others determine best: the largest in the dependencies, by pivoted QR of these. (To pick
    the independent ones by pivoted QR instead can leave out one that the others hardly determine.)
    """
    if len(candidates) == 0:
        return candidates
    N = null_space(D[given])
    if N.shape[1] == 0:
        return candidates[:0]
    U, s, _ = np.linalg.svd(D[candidates] @ N)
    left = U[:, int(np.sum(s > 1e-7)) :]  # the rows of D have length one
    if left.shape[1] == 0:
        return candidates
    _, _, piv = qr(left.T, mode="economic", pivoting=True)
    return np.sort(np.delete(candidates, piv[: left.shape[1]]))


def null_space(A: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the null space (n, k)."""
    if A.size == 0:
        return np.eye(A.shape[1])
    _, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > RANK_TOL * max(s[0], 1.0)))
    return Vt[rank:].T


@dataclass
class Mobility:
    """What the singular values of D_c say about a model.

    Attributes
    ----------
    conditions, coordinates, rank : int
        Given deformations, dependent coordinates, rank of D_c.
    condition_number : float
        Of D_c in natural units, infinite where the rank is short of conditions or coordinates.
    redundant : list of list of str
        For each redundant condition, the deformations that contradict or repeat one another.
    free_motions : list of list of str
        For each motion that nothing prescribes, the coordinates that take part.
    dof : list of str
    """

    conditions: int
    coordinates: int
    rank: int
    condition_number: float
    singular_values: np.ndarray
    redundant: list = field(default_factory=list)
    free_motions: list = field(default_factory=list)
    dof: list = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.redundant and not self.free_motions

    def __str__(self) -> str:
        lines = [
            f"{self.conditions} conditions on {self.coordinates} dependent coordinates, rank {self.rank}, "
            f"condition number {self.condition_number:.3g}",
            f"degrees of freedom ({len(self.dof)}): " + (", ".join(self.dof) or "none"),
        ]
        lines += [f"redundant condition {i + 1}: among {', '.join(names)}" for i, names in enumerate(self.redundant)]
        lines += [f"free motion {i + 1}: moves {', '.join(names)}" for i, names in enumerate(self.free_motions)]
        return "\n".join(lines)


def mobility(D: np.ndarray, rows, cols, driven, e_names, x_names, dof) -> Mobility:
    """Mobility report of the conditions `rows` on the coordinates `cols`, with the coordinates `driven` given."""
    A = D[np.ix_(rows, cols)]
    if not np.isfinite(A).all():
        bad = ", ".join(e_names[r] for r, ok in zip(rows, np.isfinite(A).all(axis=1), strict=True) if not ok)
        raise InputError(f"model: the conditions {bad} have no finite derivatives; check the positions and axes there")
    U, s, Vt = np.linalg.svd(A) if A.size else (np.eye(len(rows)), np.zeros(0), np.eye(len(cols)))
    rank = int(np.sum(s > RANK_TOL * max(s[0], 1.0))) if len(s) else 0
    square = len(rows) == len(cols) == rank
    cond = (float(s[0] / s[-1]) if len(s) else 1.0) if square else np.inf
    left, right = U[:, rank:], Vt[rank:].T
    weight = D[np.ix_(rows, driven)].T @ left  # a driven coordinate can be one of those that contradict each other
    return Mobility(
        len(rows), len(cols), rank, cond, s, free_motions=_named(right, [x_names[c] for c in cols]),
        redundant=_named(np.vstack([weight, left]), [x_names[c] for c in driven] + [e_names[r] for r in rows]),
        dof=list(dof),
    )  # fmt: skip


def _named(vectors: np.ndarray, names: list[str], most: int = 8) -> list[list[str]]:
    """For each null vector, made as sparse as pivoting makes it, the names that take part, largest first."""
    if vectors.shape[1] == 0:
        return []
    _, _, piv = qr(vectors.T, pivoting=True, mode="economic")
    k = vectors.shape[1]
    sparse = vectors @ np.linalg.inv(vectors[piv[:k]])
    out = []
    for v in sparse.T:
        order = np.argsort(-np.abs(v), kind="stable")
        out.append([names[i] for i in order[:most] if abs(v[i]) > 1e-6 * abs(v[order[0]])])
    return out
