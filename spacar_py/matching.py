"""A column of its own for every row of a sparse pattern."""

import numpy as np

from ._jit import kernel

FEW = 4


@kernel
def match_rows(ptr, idx, order, column, row, cheap, place, seen, stack):
    """Largest matching of the rows of a sparse pattern to its columns: column (rows) and row (columns), -1 for none.

    Augmenting paths by depth first search that looks ahead for a free column, no column twice in a search: at worst
    rows times entries. (Duff 1981, MC21. SciPy's matching may visit a column again and again, and then never ends.)
    """
    column[:], row[:], seen[:] = -1, -1, -1
    for r in range(column.size):
        cheap[r] = ptr[r]
    for start in order:
        depth, found = 0, -1
        stack[0], place[start] = start, ptr[start]
        while depth >= 0 and found < 0:
            r = stack[depth]
            while cheap[r] < ptr[r + 1] and found < 0:
                if row[idx[cheap[r]]] < 0:
                    found = idx[cheap[r]]
                cheap[r] += 1
            deeper = found >= 0
            while place[r] < ptr[r + 1] and not deeper:
                c = idx[place[r]]
                place[r] += 1
                if seen[c] != start:
                    seen[c], deeper = start, True
                    depth += 1
                    stack[depth], place[row[c]] = row[c], ptr[row[c]]
            if not deeper:
                depth -= 1
        while found >= 0:
            r = stack[depth]
            c = found
            found = column[r]
            column[r], row[c] = c, r
            depth -= 1


def own_columns(A) -> np.ndarray:
    """Column of each row of a compressed pattern in a largest matching, -1 where there is none.

    Rows of few entries, such as the norms of Euler parameters, choose first: in a chain all others then find a free
    column at once.
    """
    order = np.argsort(np.diff(A.indptr) > FEW, kind="stable")
    column, cheap, place, stack = (np.empty(A.shape[0], np.int64) for _ in range(4))
    row, seen = (np.empty(A.shape[1], np.int64) for _ in range(2))
    match_rows(A.indptr.astype(np.int64), A.indices.astype(np.int64), order, column, row, cheap, place, seen, stack)
    return column
