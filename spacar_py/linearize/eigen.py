"""Eigenvalue problems of linearised equations, on plain arrays.

The low frequencies of a fine mesh lie many orders below the high ones, and it is the low ones that matter: wherever K
is regular the problem is turned round, (M, K) instead of (K, M), so that they come out as the largest eigenvalues.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eig, eigh

from ..errors import InputError

SYMMETRIC = 1e-10  # part of the largest entry by which a matrix may differ from its transpose
MASSLESS = 1e-14  # eigenvalues of the scaled mass matrix below this part of the largest are no inertia


def is_symmetric(A: np.ndarray) -> bool:
    """Whether A equals its transpose up to rounding."""
    return bool(np.max(np.abs(A - A.T), initial=0.0) <= SYMMETRIC * np.max(np.abs(A), initial=0.0))


def scales(M: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Units for the degrees of freedom that bring lengths and angles to one size."""
    d = np.diag(M).copy()
    k = np.abs(np.diag(K))
    d = np.where(d > 0, d, np.where(k > 0, k / max(np.max(k), 1e-300) * np.max(d, initial=1.0), 1.0))
    return 1.0 / np.sqrt(np.maximum(d, 1e-300))


def real_modes(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """omega^2, ascending, and mass-normalised shapes of symmetric (K, M); what has no inertia follows statically."""
    M, K = (M + M.T) / 2, (K + K.T) / 2
    s = scales(M, K)
    Ms, Ks = s[:, None] * M * s, s[:, None] * K * s
    lam, U = np.linalg.eigh(Ms)
    heavy = lam > MASSLESS * lam[-1]
    T = np.eye(len(M))
    if not heavy.all():
        T = _condense(U, heavy, Ks)
        Ms, Ks = T.T @ Ms @ T, T.T @ Ks @ T
        Ms, Ks = (Ms + Ms.T) / 2, (Ks + Ks.T) / 2
    w2, V = _pair(Ms, Ks)
    V = s[:, None] * (T @ V)
    order = np.argsort(w2, kind="stable")
    V = V[:, order]
    return w2[order], V / np.sqrt(np.einsum("ij,ik,kj->j", V, M, V))


def _condense(U, heavy, K):
    """Basis of the motion with inertia, the rest in static balance."""
    a, b = U[:, heavy], U[:, ~heavy]
    Kbb = b.T @ K @ b
    if np.linalg.cond(Kbb) > 1e12:
        raise InputError(
            "modes: the mass matrix is singular and some motion without inertia has no stiffness either; "
            "give it mass, or make it rigid"
        )
    return a - b @ np.linalg.solve(Kbb, b.T @ K @ a)


def _pair(M, K):
    try:
        mu, V = eigh(M, K)
        return 1.0 / mu, V
    except LinAlgError:  # free or unstable motion: shift
        rough = eigh(K, M, eigvals_only=True)
        top = np.max(np.abs(rough))
        clear = rough[rough > 1e-7 * top]
        shift = max(clear[0] if len(clear) else top, 2 * abs(min(rough[0], 0.0)), 1e-300)
        try:
            mu, V = eigh(M, K + shift * M)
            return 1.0 / mu - shift, V
        except LinAlgError:
            return eigh(K, M)


def undamped_modes(M, K) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """omega^2 (complex), right and left shapes of a general K without velocity terms."""
    s = scales(M, K)
    Ms, Ks = s[:, None] * M * s, s[:, None] * K * s
    if np.linalg.cond(Ks) < 1e13:
        mu, L, V = eig(np.linalg.solve(Ks, Ms), left=True)
        L = np.linalg.solve(Ks.T, L)
        keep = np.abs(mu) > 1e-15 * np.max(np.abs(mu))
        w2, V, L = 1.0 / mu[keep], V[:, keep], L[:, keep]
    else:
        _refuse_massless(Ms)
        w2, L, V = eig(np.linalg.solve(Ms, Ks), left=True)
        L = np.linalg.solve(Ms.T, L)
    order = np.lexsort((np.round(w2.imag, 12), w2.real))
    return w2[order], s[:, None] * V[:, order], s[:, None] * L[:, order]


def damped_modes(M, C, K) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues s of (s^2 M + s C + K) phi = 0, one of each conjugate pair, with right and left shapes."""
    n = len(M)
    d = scales(M, K)
    M, C, K = (d[:, None] * A * d for A in (M, C, K))
    I, Z = np.eye(n), np.zeros((n, n))
    if np.linalg.cond(K) < 1e13:
        Ki = np.linalg.inv(K)
        w = np.sqrt(1.0 / max(np.max(np.abs(np.linalg.eigvals(Ki @ M))), 1e-300))  # unit of frequency: the lowest
        mu, V = eig(np.block([[-w * Ki @ C, -w * w * Ki @ M], [I, Z]]))
        keep = np.abs(mu) > 1e-13 * np.max(np.abs(mu))
        s, V = w / mu[keep], V[:, keep]
        V = V[:n]
    else:
        _refuse_massless(M)
        Mi = np.linalg.inv(M)
        s, V = eig(np.block([[Z, I], [-Mi @ K, -Mi @ C]]))
        V = V[:n]
    scale = np.max(np.abs(s), initial=1e-300)
    upper = s.imag >= -1e-13 * np.abs(s) - 1e-300 * scale
    s, V = s[upper], V[:, upper]
    s = np.where(np.abs(s.imag) <= 1e-13 * np.abs(s), s.real + 0j, s)
    order = np.lexsort((s.real, np.round(np.abs(s), 12)))
    s, V = s[order], V[:, order]
    L = np.array([_left(M, C, K, z) for z in s]).T.reshape(n, -1)
    return s, d[:, None] * V, d[:, None] * L


def _left(M, C, K, s) -> np.ndarray:
    """Null vector of (s^2 M + s C + K)^H, for sensitivities."""
    U, _, _ = np.linalg.svd(s * s * M + s * C + K)
    return U[:, -1]


def _refuse_massless(M) -> None:
    low = np.linalg.eigvalsh((M + M.T) / 2)
    if not low[0] > MASSLESS * low[-1]:
        raise InputError(
            "modes: mass matrix and stiffness matrix are both singular; give every motion mass or rotary inertia"
        )
