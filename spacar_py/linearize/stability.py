"""Buckling: load factors lambda at which (K_a + lambda G) phi = 0.

K_a is the stiffness without the load pattern, G the change that the pattern makes through its stress resultants, taken
from the linear answer of the structure: rigid deformations and degrees of freedom by equilibrium, released ones S e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, eigh

from ..checks import count, known
from ..errors import InputError
from .eigen import is_symmetric, scales
from .linear import LinearModel, _linearise
from .mode_names import describe, leading
from .states import read_states

PATTERN = ("gravity", "loads", "actuators", "prestress")


@dataclass(frozen=True, eq=False)
class Buckling:
    """Buckling load factors, ascending, and their shapes.

    Attributes
    ----------
    factors : (n,) array
        Positive multiples of the pattern at which the structure buckles.
    reversed : (m,) array
        Negative ones: of the pattern turned round, the nearest to zero first.
    shapes : (nq, n) array
        The largest displacement of a point is 1.
    names : list of str
    """

    linear: LinearModel
    factors: np.ndarray
    reversed: np.ndarray
    shapes: np.ndarray

    @property
    def dx(self) -> np.ndarray:
        """Displacements of all nodal coordinates (nx, n)."""
        return self.linear.DF @ self.shapes

    @property
    def names(self) -> list[str]:
        dx, K = self.dx, self.linear.K0
        return [describe(self.linear, self.shapes[:, j], dx[:, j], K) for j in range(len(self.factors))]

    def __len__(self) -> int:
        return len(self.factors)

    def __str__(self) -> str:
        lines = [f"{'':>3} {'factor':>14}  what moves"]
        lines += [f"{j + 1:>3} {f:>14.8g}  {n}" for j, (f, n) in enumerate(zip(self.factors, self.names, strict=True))]
        return "\n".join(lines if len(lines) > 1 else ["no buckling under a positive multiple of this load"])


def buckling(model, at=None, t: float = 0.0, *, n: int | None = None, pattern="loads") -> Buckling:
    """Buckling load factors and modes of a load pattern.

    Parameters
    ----------
    model : Model
    at : optional
        State about which the structure buckles, as in `linear_model`; by default the initial position.
    n : int, optional
        How many, the lowest first.
    pattern : str or tuple of str
        What is multiplied, out of "gravity", "loads", "actuators", "prestress"; the rest acts as it is.

    Returns
    -------
    Buckling

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import buckling
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("top", (1, 0))
    >>> m.beam("column", "clamp", "top", sp.Section(EIz=1.0), elements=8, flexible="bending")
    >>> m.force("top", (-1, 0))
    >>> round(float(buckling(m).factors[0]), 3)
    2.467
    """
    system = model.compile()
    pattern = (pattern,) if isinstance(pattern, str) else tuple(pattern)
    for p in pattern:
        known("buckling", "kind of load", p, PATTERN)
    states = read_states(system, at, t)
    if not states.single:
        raise InputError(f"buckling: needs one state, got {len(states.times)}; choose one point of the result")
    if n is not None:
        n = count("buckling", "n", n)
    states.factors = None
    low = np.array([0.0 if p in pattern else 1.0 for p in PATTERN])
    base = _linearise(system, states, low)
    K = base.stiffness
    G = _pattern_stiffness(system, states, base) - K
    if not np.max(np.abs(G), initial=0.0) > 1e-14 * np.max(np.abs(K), initial=0.0):
        raise InputError(
            f"buckling: the pattern ({', '.join(pattern)}) causes no stress; add loads, or choose another pattern"
        )
    lam, V = _factors(K, G, base)
    up = np.flatnonzero(lam > 0)
    up = up[np.argsort(lam[up])][:n]
    down = lam[lam < 0]
    V = V[:, up]
    dx = base.DF @ V
    points = np.concatenate([np.arange(o, o + m) for (kind, _), (o, m) in system.nodes.items() if kind == "point"])
    for j in range(V.shape[1]):
        v = dx[points, j] if np.max(np.abs(dx[points, j])) > 1e-9 * np.max(np.abs(dx[:, j])) else V[:, j]
        V[:, j] /= v[leading(v)]
    return Buckling(base, lam[up], down[np.argsort(-down)], V)


def _pattern_stiffness(system, states, base) -> np.ndarray:
    """Stiffness with the stress resultants of the linear answer to the pattern, on the unchanged geometry."""
    loaded = _linearise(system, states, np.ones(4))
    released = np.asarray(system.tables.e_given) == 0
    if not released.any():
        return loaded.stiffness
    K, p = base.stiffness, -(loaded.rho - base.rho)[0, : system.nq]
    try:
        dq = np.linalg.solve(K, p)
    except np.linalg.LinAlgError:
        raise InputError("buckling: the structure is a mechanism, it moves without load; hold its joints") from None
    sig, _ = base.nodal(0)
    u = np.where(released, -(sig[0][:, : system.nq] @ dq), 0.0)
    return _linearise(system, states, np.ones(4), u).stiffness


def _factors(K, G, linear) -> tuple[np.ndarray, np.ndarray]:
    s = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(K)), 1e-300)) if np.all(np.diag(K) > 0) else scales(linear.M0, K)
    Ks, Gs = s[:, None] * K * s, s[:, None] * G * s
    if is_symmetric(K) and is_symmetric(G):
        try:
            mu, V = eigh((Gs + Gs.T) / 2, (Ks + Ks.T) / 2)
        except LinAlgError:
            low, v = np.linalg.eigh((Ks + Ks.T) / 2)
            name = linear.dof[int(np.argmax(np.abs(v[:, 0])))]
            raise InputError(
                f"buckling: the structure is not stable without the pattern: {name} has no positive stiffness; hold it"
            ) from None
    else:
        mu, V = np.linalg.eig(np.linalg.solve(Ks, Gs))
        real = np.abs(mu.imag) <= 1e-9 * np.abs(mu)
        mu, V = mu[real].real, V[:, real].real
    keep = np.abs(mu) > 1e-12 * np.max(np.abs(mu), initial=0.0)
    return -1.0 / mu[keep], s[:, None] * V[:, keep]
