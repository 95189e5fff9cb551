"""Words for mode shapes: which deformations and which node take most part."""

from __future__ import annotations

import numpy as np


def family(name: str) -> str:
    """Beam and bending plane of a degree of freedom: 'upper[3].bending_y_p' becomes 'upper.bending_y'."""
    owner, _, part = name.rpartition(".")
    owner = owner.split("[")[0]
    return f"{owner}.{part.removesuffix('_p').removesuffix('_q')}"


def shares(dof, shape: np.ndarray, matrix: np.ndarray) -> dict[str, float]:
    """Part of each family in the energy phi_i (A phi)_i; with A = M0 a free joint has none unless the mode is rigid."""
    parts: dict[str, float] = {}
    for name, z in zip(dof, np.real(shape.conj() * (matrix @ shape)), strict=True):
        parts[family(name)] = parts.get(family(name), 0.0) + float(z)
    total = sum(abs(p) for p in parts.values()) or 1.0
    return dict(sorted(((k, abs(p) / total) for k, p in parts.items()), key=lambda p: (-round(p[1], 6), p[0])))


def moving_node(system, dx: np.ndarray) -> str:
    """The point that moves most, with the axis in which it does; a frame if no point moves."""
    size = {"point": 0.0, "frame": 0.0, "warp": 0.0}
    best: dict[str, str] = {}
    for (kind, name), (o, m) in system.nodes.items():
        v = np.abs(dx[o : o + m])
        z = float(np.linalg.norm(v))
        if z > size[kind] * (1 + 1e-6):
            size[kind] = z
            best[kind] = system.x_names[o + int(np.argmax(v > (1 - 1e-6) * v.max()))] if kind == "point" else name
    for kind in ("point", "frame", "warp"):
        if kind in best and size[kind] > 1e-9 * max(size.values()):
            return best[kind]
    return ""


def describe(linear, shape: np.ndarray, dx: np.ndarray, matrix: np.ndarray, least: float = 0.15) -> str:
    """Name of a mode such as 'upper.bending_y 82 %, fore.bending_y 18 %; tip.z'."""
    parts = [(k, p) for k, p in shares(linear.dof, shape, matrix).items() if p >= least][:3]
    words = ", ".join(f"{k} {p:.0%}".replace("%", " %") for k, p in parts)
    node = moving_node(linear.system, dx)
    return f"{words}; {node}" if node else words


def leading(v: np.ndarray) -> int:
    """Index of the largest component, the first of equal ones."""
    a = np.abs(v)
    return int(np.argmax(a > (1 - 1e-6) * np.max(a))) if len(a) else 0


def turn(system, V: np.ndarray, DX: np.ndarray) -> np.ndarray:
    """Factors of modulus one that make the largest displacement of a point (or the largest entry) positive."""
    points = np.zeros(system.nx, bool)
    for (kind, _), (o, m) in system.nodes.items():
        points[o : o + m] = kind == "point"
    out = np.ones(V.shape[1], V.dtype)
    for j in range(V.shape[1]):
        v = DX[points, j]
        if not np.max(np.abs(v), initial=0.0) > 1e-9 * np.max(np.abs(DX[:, j]), initial=1e-300):
            v = V[:, j]
        z = v[leading(v)]
        if z != 0:
            out[j] = np.conj(z) / abs(z)
    return out
