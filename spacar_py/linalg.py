"""Small dense factorisations on flat arrays, compiled; they return a status instead of raising."""

import numpy as np

from ._jit import kernel


@kernel
def lu_factor(a, o, n, piv, p0):
    """LU with partial pivoting of the n x n block at a[o:], in place; 0 when it is singular."""
    for k in range(n):
        best, row = abs(a[o + k * n + k]), k
        for i in range(k + 1, n):
            z = abs(a[o + i * n + k])
            if z > best:
                best, row = z, i
        piv[p0 + k] = row
        if not best > 1e-280:
            return 0
        if row != k:
            for j in range(n):
                z = a[o + k * n + j]
                a[o + k * n + j] = a[o + row * n + j]
                a[o + row * n + j] = z
        d = 1.0 / a[o + k * n + k]
        for i in range(k + 1, n):
            z = a[o + i * n + k] * d
            a[o + i * n + k] = z
            if z != 0.0:
                for j in range(k + 1, n):
                    a[o + i * n + j] -= z * a[o + k * n + j]
    return 1


@kernel
def lu_solve(a, o, n, piv, p0, Y, rows, m):
    """Solve in place for the first m columns of Y, whose rows rows[p0:p0+n] hold the right-hand side."""
    for k in range(n):
        i, j = rows[p0 + k], rows[p0 + piv[p0 + k]]
        if i != j:
            for c in range(m):
                z = Y[i, c]
                Y[i, c] = Y[j, c]
                Y[j, c] = z
    for i in range(1, n):
        r = rows[p0 + i]
        for k in range(i):
            z = a[o + i * n + k]
            if z != 0.0:
                s = rows[p0 + k]
                for c in range(m):
                    Y[r, c] -= z * Y[s, c]
    for i in range(n - 1, -1, -1):
        r = rows[p0 + i]
        for k in range(i + 1, n):
            z = a[o + i * n + k]
            if z != 0.0:
                s = rows[p0 + k]
                for c in range(m):
                    Y[r, c] -= z * Y[s, c]
        d = 1.0 / a[o + i * n + i]
        for c in range(m):
            Y[r, c] *= d


@kernel
def lu_solve_transposed(a, o, n, piv, p0, v):
    """Solve A^T v = v in place for the contiguous vector v[p0:p0+n]."""
    for i in range(n):
        z = v[p0 + i]
        for k in range(i):
            z -= a[o + k * n + i] * v[p0 + k]
        v[p0 + i] = z / a[o + i * n + i]
    for i in range(n - 1, -1, -1):
        z = v[p0 + i]
        for k in range(i + 1, n):
            z -= a[o + k * n + i] * v[p0 + k]
        v[p0 + i] = z
    for k in range(n - 1, -1, -1):
        j = piv[p0 + k]
        if j != k:
            z = v[p0 + k]
            v[p0 + k] = v[p0 + j]
            v[p0 + j] = z


@kernel
def lu_solve_transposed_rows(a, o, n, piv, p0, Y, rows, m):
    """Solve with the transposed block in place for the first m columns of Y, in its rows rows[p0:p0+n]."""
    for i in range(n):
        r, d = rows[p0 + i], 1.0 / a[o + i * n + i]
        for k in range(i):
            z = a[o + k * n + i]
            if z != 0.0:
                s = rows[p0 + k]
                for c in range(m):
                    Y[r, c] -= z * Y[s, c]
        for c in range(m):
            Y[r, c] *= d
    for i in range(n - 1, -1, -1):
        r = rows[p0 + i]
        for k in range(i + 1, n):
            z = a[o + k * n + i]
            if z != 0.0:
                s = rows[p0 + k]
                for c in range(m):
                    Y[r, c] -= z * Y[s, c]
    for k in range(n - 1, -1, -1):
        i, j = rows[p0 + k], rows[p0 + piv[p0 + k]]
        if i != j:
            for c in range(m):
                z = Y[i, c]
                Y[i, c] = Y[j, c]
                Y[j, c] = z


@kernel
def cholesky(A, n):
    """Upper factor in place, A = U^T U, from the upper triangle; the first pivot that is not positive, or -1.

    A pivot that elimination has brought down to rounding counts as zero.
    """
    least = np.empty(n)
    for k in range(n):
        least[k] = 1e-14 * abs(A[k, k])
    for k in range(n):
        if not A[k, k].real > least[k]:
            return k
        d = 1.0 / A[k, k] ** 0.5
        for j in range(k, n):
            A[k, j] *= d
        for i in range(k + 1, n):
            z = A[k, i]
            if z != 0.0:
                for j in range(i, n):
                    A[i, j] -= z * A[k, j]
    return -1


@kernel
def cholesky_solve(A, n, v):
    """Solve with the factor of `cholesky`, in place."""
    for i in range(n):
        z = v[i] / A[i, i]
        v[i] = z
        for k in range(i + 1, n):
            v[k] -= A[i, k] * z
    for i in range(n - 1, -1, -1):
        z = v[i]
        for k in range(i + 1, n):
            z -= A[i, k] * v[k]
        v[i] = z / A[i, i]


@kernel
def gauss_solve(A, v, n):
    """Solve A v = v by elimination with partial pivoting, destroying A; 0 when singular."""
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        if not best > 1e-280:
            return 0
        if row != k:
            for j in range(k, n):
                z = A[k, j]
                A[k, j] = A[row, j]
                A[row, j] = z
            z = v[k]
            v[k] = v[row]
            v[row] = z
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                v[i] -= f * v[k]
                A[i, k] = f
    for i in range(n - 1, -1, -1):
        z = v[i]
        for j in range(i + 1, n):
            z -= A[i, j] * v[j]
        v[i] = z / A[i, i]
    return 1
