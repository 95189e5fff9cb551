"""Natural frequencies, damping and mode shapes of large models about a state at rest, by shift and invert.

    (s^2 M + s C + K) phi = 0,   K in mixed form: the stress resultants have neither mass nor damping

The lowest n roots come from Lanczos (symmetric, undamped) or Arnoldi iterations on (K + M)^-1 M, or on the companion
form of the quadratic problem; the shift is one rad/s off the origin, so that free motions do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigs, eigsh, splu

from ..errors import InputError
from ..linearize.eigenmodes import Mode, Modes
from ..linearize.mode_names import describe, turn
from ..linearize.states import read_states
from .nominal import NodalState

SHIFT = 1.0
SYMMETRIC = 1e-11


@dataclass(frozen=True, eq=False)
class NodalModes(Modes):
    """Modes of a large model: as `Modes`, with the displacements kept instead of DF.

    `linear` is the nodal state about which they are; left shapes are those of symmetric problems only.
    """

    displacements: np.ndarray = field(default=None)

    @property
    def dx(self) -> np.ndarray:
        """Displacements of all nodal coordinates (nx, n)."""
        return self.displacements

    @property
    def names(self) -> list:
        """What dominates each mode, in words."""
        return [self._name(j) for j in range(len(self.s))]

    def _name(self, j) -> str:
        momentum = self.linear.generalised(self.linear.M @ self.displacements[:, j])
        return describe(self.linear, self.shapes[:, j], self.displacements[:, j], _Known(momentum))

    def at(self, n: int) -> Modes:
        """These modes belong to one point only."""
        raise InputError(f"modes: belong to one point, there is no point {n}; choose it with index when they are made")

    def __getitem__(self, j: int) -> Mode:
        return Mode(
            complex(self.s[j]), float(self.omega[j]), float(self.frequency[j]), float(self.damping[j]),
            self.shapes[:, j], self.dx[:, j], self._name(j),
        )  # fmt: skip


class _Known:
    """Stands for M0, of which only the product with one shape is known."""

    def __init__(self, product):
        self.product = product

    def __matmul__(self, _):
        return self.product


def few_at_rest(system, at, t, n, index=None) -> bool:
    """Whether the sparse solver can find the n modes that are wanted: a few, about one state at rest."""
    if n is None or 4 * n > system.nq:
        return False
    states = read_states(system, at, t, index)
    return len(states.times) == 1 and not np.any(states.Y[0, 1:] != 0.0)


def modes_sparse(model, at=None, t: float = 0.0, *, n: int | None = None, kind: str = "auto", index=None) -> Modes:
    """As `modes`, for the n lowest modes (10 by default) of a large model about one state at rest."""
    system = model.compile()
    states = read_states(system, at, t, index)
    if len(states.times) > 1:
        raise InputError(f"modes: the sparse solver takes one state, got {len(states.times)}; choose one with index")
    if np.any(states.Y[0, 1:] != 0.0):
        raise InputError("modes: the sparse solver takes states at rest; use solver='dense', or reduced_model")
    state = NodalState(system, states)
    n = min(10 if n is None else n, system.nq)
    kind = _kind(kind, state)
    s, V = {"real": _real, "undamped": _undamped, "damped": _damped}[kind](state, n)
    order = np.argsort(np.abs(s), kind="stable")[:n]
    s, V = s[order], V[:, order]
    dx = np.zeros((system.nx, V.shape[1]), V.dtype)
    dx[state.nodal.free] = V[: len(state.nodal.free)]
    norm = np.sqrt(np.abs(np.einsum("ij,ij->j", dx.conj(), state.M @ dx)))
    dx /= np.where(norm > 0, norm, 1.0)
    shapes = state.degrees(dx)
    f = turn(system, shapes, dx)
    shapes, dx = shapes * f, dx * f
    return NodalModes(state, kind, s, shapes, shapes if kind == "real" else np.zeros((system.nq, 0)), dx)


def lowest(state, n: int) -> np.ndarray:
    """The n lowest modes (nq, n) of the symmetric part, of unit modal mass."""
    K = (state.K + state.K.T) / 2
    s, V = _real(state, n, K)
    V = V[:, np.argsort(np.abs(s), kind="stable")]
    dx = np.zeros((state.system.nx, n))
    dx[state.nodal.free] = V[: len(state.nodal.free)]
    return state.degrees(dx / np.sqrt(np.einsum("ij,ij->j", dx, state.M @ dx)))


def _kind(kind, state) -> str:
    symmetric = np.abs(state.K - state.K.T).max() <= SYMMETRIC * np.abs(state.K).max()
    if kind == "real" and not symmetric:
        raise InputError(
            "modes: K0 + G0 + N0 is not symmetric here, real modes do not exist; take kind='undamped', "
            "or symmetric=True for its symmetric part"
        )
    if kind != "auto":
        return kind
    return "damped" if state.C.nnz and np.abs(state.C).max() > 0 else "real" if symmetric else "undamped"


def _space(state, n) -> int:
    """Dimension of the Krylov space, no more than there are modes: stress resultants have no mass."""
    return max(n + 1, min(max(2 * n + 1, 20), state.system.nq))


class _Refined:
    """Factors of a matrix with one step of refinement."""

    def __init__(self, A):
        self.A, self.lu = A.tocsc(), splu(A.tocsc())

    def __call__(self, b):
        x = self.lu.solve(b)
        return x + self.lu.solve(b - self.A @ x)


def _real(state, n, K=None):
    K, M = state.K if K is None else K, state.mass
    solve = _Refined(K + SHIFT * M)
    inverse = LinearOperator(K.shape, matvec=solve, dtype=float)
    start = solve(M @ np.random.default_rng(0).standard_normal(K.shape[0]))
    w2, V = eigsh(K, k=n, M=M, sigma=-SHIFT, OPinv=inverse, v0=start, which="LM", ncv=_space(state, n))
    w2 = np.where(np.abs(w2) < 1e-10 * SHIFT, 0.0, w2)
    return np.where(w2 >= 0, 1j * np.sqrt(np.abs(w2)), np.sqrt(np.abs(w2)) + 0j), V


def _undamped(state, n):
    K, M = state.K, state.mass
    solve = _Refined(K + SHIFT * M)
    start = solve(M @ np.random.default_rng(0).standard_normal(K.shape[0]))
    theta, V = eigs(LinearOperator(K.shape, matvec=lambda v: solve(M @ v), dtype=float), k=n, v0=start, which="LM")
    s = 1j * np.sqrt(1.0 / theta - SHIFT)
    a = np.abs(s)
    s = np.where(np.abs(s.imag) <= 1e-9 * a, a + 0j, np.where(np.abs(s.real) <= 1e-12 * a, 1j * a, s))
    return s, V.real if np.max(np.abs(V.imag)) == 0 else V


def _damped(state, n):
    """z = (u, s u): (K + a C + a^2 M) u' = -M v - (C + a M) u, v' = u + a u', with 1 / (s - a) the eigenvalue."""
    K, M, C, N = state.K, state.mass, state.C, state.K.shape[0]
    solve = _Refined(K + SHIFT * C + SHIFT**2 * M)

    def inverse(z):
        u, v = z[:N], z[N:]
        u1 = -solve(M @ v + C @ u + SHIFT * (M @ u))
        return np.concatenate([u1, u + SHIFT * u1])

    op = LinearOperator((2 * N, 2 * N), matvec=inverse, dtype=float)
    start = inverse(inverse(np.random.default_rng(0).standard_normal(2 * N)))
    theta, Z = eigs(op, k=min(2 * n + 4, 2 * N - 2), v0=start, which="LM")
    s = SHIFT + 1.0 / theta
    keep = (s.imag >= -1e-9 * np.abs(s)) & (np.abs(theta) > 1e-14)
    return s[keep], Z[:N, keep]


