"""The shape of a mechanism for pictures: true deformed beams, rigid links, joints, masses, supports; numbers only.

A beam is the cubic Hermite curve of its mass matrix, with xp, L0 Rp ex at one end and xq, L0 Rq ex at the other:

    x(s) = (1 - 3 s^2 + 2 s^3) xp + (s - 2 s^2 + s^3) L0 Rp ex + (3 s^2 - 2 s^3) xq + (s^3 - s^2) L0 Rq ex
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .rotations import matrix

BEAMS = ("beam", "warping beam", "planar beam")
LINKS = ("rigid beam", "planar rigid link", "pin body", "planar pin body")
BARS = ("truss", "planar truss")
JOINTS = ("hinge", "planar hinge", "universal joint", "spherical joint", "planar pin")
GUIDES = ("slider", "planar slider", "cylinder")


@dataclass(frozen=True, eq=False)
class Shape:
    """What is drawn of a mechanism at N states.

    Attributes
    ----------
    lines : dict
        "beam", "rigid", "bar" and "guide" to arrays (N, k, n, 3): k lines of n points.
    names : dict
        Names of the elements behind the lines, in the same order.
    joints, masses, supports : (N, k, 3) arrays
        Places of hinges, masses and held points.
    joint_names, mass_names : list of str
    mass : (k,) array
        Of each mass (kg).
    """

    lines: dict
    names: dict
    joints: np.ndarray
    joint_names: list
    masses: np.ndarray
    mass_names: list
    mass: np.ndarray
    supports: np.ndarray
    planar: bool

    def extent(self) -> np.ndarray:
        """(2, 3): least and largest coordinates of everything at all states."""
        parts = [v.reshape(-1, 3) for v in (*self.lines.values(), self.joints, self.masses, self.supports)]
        every = np.concatenate([p for p in parts if len(p)] or [np.zeros((1, 3))])
        return np.array([every.min(axis=0), every.max(axis=0)])


def place(system, X: np.ndarray, name: str) -> np.ndarray:
    """Positions (N, 3) of a point; z = 0 in the plane."""
    o, n = system.nodes["point", name]
    out = np.zeros((len(X), 3))
    out[:, :n] = X[:, o : o + n]
    return out


def carried(system, X: np.ndarray, frame, axis) -> np.ndarray:
    """The vector `axis`, given in space at the start, as a frame carries it (N, 3)."""
    o, n = system.nodes["frame", frame.name]
    if n == 4:
        lam = X[:, o : o + 4]
        lam = lam / np.linalg.norm(lam, axis=1, keepdims=True)
        return np.einsum("nij,j->ni", matrix(lam), matrix(frame.start).T @ axis)
    phi = X[:, o] - frame.start[0]
    c, s = np.cos(phi), np.sin(phi)
    return np.column_stack([c * axis[0] - s * axis[1], s * axis[0] + c * axis[1], 0 * c])


def hermite(xp, tp, xq, tq, points: int = 13) -> np.ndarray:
    """Curves (N, points, 3) through xp and xq with the tangents tp and tq there, all (N, 3).

    >>> import numpy as np
    >>> p, q, t = np.zeros((1, 3)), np.array([[1.0, 0, 0]]), np.array([[1.0, 0, 0]])
    >>> hermite(p, t, q, t, 3)[0].tolist()
    [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    s = np.linspace(0.0, 1.0, points)
    h = np.array([1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2])
    return np.einsum("as,and->nsd", h, np.array([xp, tp, xq, tq]))


def shape_of(system, X, points: int = 13) -> Shape:
    """Lines and places of a mechanism at the coordinates X (N, nx) or (nx,)."""
    X = np.atleast_2d(np.asarray(X, float))
    lines: dict = {k: [] for k in ("beam", "rigid", "bar", "guide")}
    names: dict = {k: [] for k in lines}
    model = system.model
    for el in model.elements.values():
        if "xp" not in el.nodes or "xq" not in el.nodes or el.kind in JOINTS:
            continue
        xp, xq = place(system, X, el.nodes["xp"].name), place(system, X, el.nodes["xq"].name)
        if el.kind in BEAMS:
            tp, tq = (el.L0 * carried(system, X, el.nodes[r], el.axes[0]) for r in ("rp", "rq"))
            kind, curve = "beam", hermite(xp, tp, xq, tq, points)
        else:
            kind = "bar" if el.kind in BARS else "guide" if el.kind in GUIDES else "rigid"
            curve = np.stack([xp, xq], axis=1)
        lines[kind].append(curve)
        names[kind].append(el.name)
    joints = _joints(model)
    held = sorted({n.name for (n, _), (s, _) in model.x_status.items() if n.kind == "point" and s == "fixed"})
    bodies = [b for b in model.bodies if b.m > 0]
    return Shape(
        {k: np.stack(v, axis=1) for k, v in lines.items() if v}, {k: v for k, v in names.items() if v},
        _places(system, X, joints.values()), list(joints), _masses(system, X, bodies), [b.name for b in bodies],
        np.array([b.m for b in bodies]), _places(system, X, held), model.planar,
    )  # fmt: skip


def _places(system, X, names) -> np.ndarray:
    found = [place(system, X, n) for n in names]
    return np.stack(found, axis=1) if found else np.zeros((len(X), 0, 3))


def _masses(system, X, bodies) -> np.ndarray:
    found = []
    for b in bodies:
        x = place(system, X, b.nodes["xp"].name)
        found.append(x + carried(system, X, b.nodes["rp"], b.c) if b.c.any() else x)
    return np.stack(found, axis=1) if found else np.zeros((len(X), 0, 3))


def _joints(model) -> dict[str, str]:
    """Joint to the point at which it sits: one that elements put on both of its frames, or on either."""
    of: dict[str, list[str]] = {}
    for name in model.frames:
        of[name] = [name] if name in model.points else []
    for el in model.elements.values():
        for end in ("p", "q"):
            if f"x{end}" in el.nodes and f"r{end}" in el.nodes:
                of[el.nodes[f"r{end}"].name].append(el.nodes[f"x{end}"].name)
    for b in model.bodies:
        if "rp" in b.nodes:
            of[b.nodes["rp"].name].append(b.nodes["xp"].name)
    hinges = {el.name: el for el in model.elements.values() if el.kind in JOINTS}
    found = {n: el.nodes["xp"].name for n, el in hinges.items() if "xp" in el.nodes}
    for _ in range(len(hinges)):  # a frame without a point of its own takes that of the joint beside it
        for name, el in hinges.items():
            if name in found:
                continue
            p, q = of[el.nodes["rp"].name], of[el.nodes["rq"].name]
            both = [x for x in p if x in q] or p or q
            if both:
                found[name] = both[0]
                for side in (p, q):
                    if not side:
                        side.append(both[0])
    return found


def displaced(system, x0, dx, phases, scale: float = 1.0) -> np.ndarray:
    """Coordinates (n, nx) of a mode x0 + scale Re(dx exp(i phase))."""
    turn = np.exp(1j * np.asarray(phases, float))
    return np.asarray(x0, float) + scale * np.real(np.outer(turn, np.asarray(dx, complex)))


def mode_scale(system, x0, dx, part: float = 0.15, most: float = 0.5) -> float:
    """Factor that makes the largest displacement of a point this part of the mechanism's size, no frame turning
    by more than `most` (rad)."""
    low, high = shape_of(system, x0).extent()
    size = float(np.linalg.norm(high - low)) or 1.0
    moves = [np.linalg.norm(np.abs(dx[o : o + n])) for (kind, _), (o, n) in system.nodes.items() if kind == "point"]
    biggest = max(moves, default=0.0)
    turns = [
        (2.0 if n == 4 else 1.0) * np.linalg.norm(np.abs(dx[o : o + n]))
        for (kind, _), (o, n) in system.nodes.items() if kind == "frame"
    ]  # fmt: skip
    factors = [
        part * size / biggest if biggest > 0 else np.inf,
        most / t if (t := max(turns, default=0.0)) > 0 else np.inf,
    ]
    return float(min(factors)) if np.isfinite(min(factors)) else 1.0
