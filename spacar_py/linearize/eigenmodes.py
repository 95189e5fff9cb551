"""Natural frequencies, damping and mode shapes about any state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import count
from ..errors import InputError
from ..sparse.choice import use_sparse
from .eigen import damped_modes, is_symmetric, real_modes, undamped_modes
from .linear import LinearModel, linear_model
from .mode_names import describe, turn

FREE = 1e-7  # of the largest frequency
KINDS = ("auto", "real", "undamped", "damped")


@dataclass(frozen=True)
class Mode:
    """One mode: s (1/s), omega (rad/s), frequency (Hz), damping ratio, shape (nq,), dx (nx,), name."""

    s: complex
    omega: float
    frequency: float
    damping: float
    shape: np.ndarray
    dx: np.ndarray
    name: str

    @property
    def stable(self) -> bool:
        return self.s.real <= 1e-9 * max(abs(self.s), 1e-300)


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes in the order of their frequencies; arrays ([N,] n), shapes ([N,] nq, n).

    Attributes
    ----------
    s : complex array
        Roots: the motion is exp(s t); of a conjugate pair the one with positive imaginary part.
    omega, frequency : arrays
        |s| in rad/s, and in Hz. A motion that grows without oscillating has s real and positive.
    damping : array
        Ratio -Re s / |s|; zero for a free motion (s = 0).
    shapes : array
        Mass-normalised, phi^H M0 phi = 1; the largest displacement of a point is real and positive.
    left : array
        Left shapes, psi^H (s^2 M0 + s C + K) = 0.
    kind : "real", "undamped" or "damped"
    """

    linear: LinearModel
    kind: str
    s: np.ndarray
    shapes: np.ndarray
    left: np.ndarray

    @property
    def omega(self) -> np.ndarray:
        return np.abs(self.s)

    @property
    def frequency(self) -> np.ndarray:
        return np.abs(self.s) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        a = np.abs(self.s)
        return np.where(a > 0, -self.s.real / np.where(a > 0, a, 1.0), 0.0) + 0.0  # no minus zero

    @property
    def stable(self) -> np.ndarray:
        """Whether no mode grows, for each point."""
        return np.all(self.s.real <= 1e-9 * np.maximum(self.omega, 1e-300), axis=-1)

    @property
    def dx(self) -> np.ndarray:
        """Displacements of all nodal coordinates, DF phi ([N,] nx, n)."""
        return self.linear.DF @ self.shapes

    @property
    def names(self) -> list:
        """What dominates each mode, in words."""
        if self.s.ndim == 1:
            dx, M = self.dx, self.linear.M0
            return [describe(self.linear, self.shapes[:, j], dx[:, j], M) for j in range(len(self.s))]
        return [self.at(n).names for n in range(len(self.s))]

    def at(self, n: int) -> Modes:
        """The modes at point n of many."""
        return Modes(self.linear[n], self.kind, self.s[n], self.shapes[n], self.left[n])

    def __len__(self) -> int:
        return self.s.shape[-1]

    def __getitem__(self, j: int) -> Mode:
        if self.s.ndim == 2:
            raise InputError(f"modes: belong to {len(self.s)} points; choose a point first with modes.at(n)")
        dx = self.dx[:, j]
        return Mode(
            complex(self.s[j]), float(self.omega[j]), float(self.frequency[j]), float(self.damping[j]),
            self.shapes[:, j], dx, describe(self.linear, self.shapes[:, j], dx, self.linear.M0),
        )  # fmt: skip

    def __str__(self) -> str:
        if self.s.ndim == 2:
            return f"{len(self)} modes ({self.kind}) at {len(self.s)} points"
        lines = [f"{'':>3} {'rad/s':>12} {'Hz':>12} {'damping':>10}  what moves"]
        free = self.omega < FREE * np.max(self.omega, initial=0.0)  # zero but for rounding, with any sign of damping
        told = (np.where(free, 0.0, v) for v in (self.omega, self.frequency, self.damping))
        for j, (w, f, z, name) in enumerate(zip(*told, self.names, strict=True)):
            lines.append(f"{j + 1:>3} {w:>12.6g} {f:>12.6g} {z:>10.3g}  {name}")
        return "\n".join(lines)


def modes(
    model, at=None, t: float = 0.0, *, n: int | None = None, kind: str = "auto", symmetric: bool = False,
    solver: str = "auto", **options
) -> Modes:  # fmt: skip
    """Natural frequencies, damping ratios and mode shapes.

    Parameters
    ----------
    model : Model or LinearModel
        A model is linearised first, with `at`, `t` and further options of `linear_model`.
    n : int, optional
        How many modes, the lowest first; all by default.
    kind : "auto", "real", "undamped" or "damped"
        (K0 + G0 + N0, M0) as a symmetric pair; the same without velocity terms but not symmetric; or everything. "auto"
        takes the simplest one that leaves nothing out.
    symmetric : bool
        Take the symmetric part of K0 + G0 + N0.
    solver : "auto", "dense" or "sparse"
        Full matrices, or sparse ones in nodal coordinates with shift and invert, for the n lowest modes (10 by default)
        of a large model about one state at rest. "auto" takes it from 300 degrees of freedom on, where n is at most a
        quarter of them.

    Returns
    -------
    Modes

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import modes
    >>> m = sp.Model()
    >>> m.node("clamp", (0, 0, 0)); m.fix("clamp"); m.node("tip", (1, 0, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIy=1.0, EIz=4.0, m=0.01), flexible="bending")
    >>> m.mass("tip", 1.0)
    >>> [round(float(w), 2) for w in modes(m, n=2).omega]
    [1.73, 3.46]
    >>> modes(m)[0].name
    'leaf.bending_y 100 %; tip.z'
    """
    if kind not in KINDS:
        raise InputError(f"modes: kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if n is not None:
        n = count("modes", "n", n)
    if not isinstance(model, LinearModel):
        dense = symmetric or set(options) - {"index", "workers"}
        only = "symmetric=True, free=True and complex_step=True" if dense else ""
        if use_sparse("modes", solver, model.compile(), only):
            from ..sparse.modes import few_at_rest, modes_sparse

            index = options.get("index")
            if solver == "sparse" or few_at_rest(model.compile(), at, t, n, index):
                return modes_sparse(model, at, t, n=n, kind=kind, index=index)
    linear = model if isinstance(model, LinearModel) else linear_model(model, at, t, **options)
    M, C, K = _stacks(linear)
    if symmetric:
        K = (K + np.swapaxes(K, 1, 2)) / 2
    kind = _kind(kind, M, C, K)
    DF = np.asarray(linear.DF).reshape(len(linear), linear.system.nx, -1)
    parts = [_solve(linear, kind, M[k], C[k], K[k], DF[k], n) for k in range(len(linear))]
    most = min(len(p[0]) for p in parts)
    s = np.stack([p[0][:most] for p in parts])
    V, L = (np.stack([p[i][:, :most] for p in parts]) for i in (1, 2))
    return Modes(linear, kind, *(linear._one(a) for a in (s, V, L)))


def _stacks(linear):
    out = (linear.M0, linear.velocity, linear.stiffness)
    return tuple(a[None] if linear.single else a for a in out)


def _kind(kind, M, C, K) -> str:
    if kind != "auto":
        if kind == "real" and not all(is_symmetric(k) for k in K):
            raise InputError(
                "modes: K0 + G0 + N0 is not symmetric here, real modes do not exist; take kind='undamped', "
                "or symmetric=True for its symmetric part"
            )
        return kind
    scale = np.sqrt(np.max(np.abs(M)) * np.max(np.abs(K)))
    if np.max(np.abs(C), initial=0.0) > 1e-14 * scale:
        return "damped"
    return "real" if all(is_symmetric(k) for k in K) else "undamped"


def _solve(linear, kind, M, C, K, DF, n):
    if kind == "real":
        w2, V = real_modes(M, K)
        s = np.where(w2 >= 0, 1j * np.sqrt(np.abs(w2)), np.sqrt(np.abs(w2)) + 0j)
        L = V
    elif kind == "undamped":
        w2, V, L = undamped_modes(M, K)
        s = 1j * np.sqrt(w2)
        a = np.abs(s)
        s = np.where(np.abs(s.imag) <= 1e-9 * a, a + 0j, np.where(np.abs(s.real) <= 1e-12 * a, 1j * a, s))
        if np.max(np.abs(V.imag), initial=0.0) == 0:
            V, L = V.real, L.real
    else:
        s, V, L = damped_modes(M, C, K)
    s, V, L = s[:n], V[:, :n], L[:, :n]
    norm = np.sqrt(np.abs(np.einsum("ij,ik,kj->j", V.conj(), M, V)))
    V = V / np.where(norm > 0, norm, 1.0)
    f = turn(linear.system, V, DF @ V)
    return s, V * f, L * f if kind == "real" else L
