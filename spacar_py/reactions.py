"""What the nodes at the ends of an element do to it: the forces and moments that pass through joints and shared nodes.

    f = Z^T C (zdd - g) + D^T sigma          of one element alone: its inertia, weight and stress resultants

Joints often share a point; what goes through such a joint is no stress resultant of its own but the force that the
point exerts on the element behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .rotations import angular_velocity, matrix, nodal_moment


@dataclass(frozen=True, eq=False)
class EndReaction:
    """Force (N, 3) and moment (N, 3) of the node at one end on the element, in space; in the plane (N, 2) and (N,).

    `bimoment` (N,) is that of a warping coordinate. What the element has no node for is None.
    """

    force: np.ndarray | None
    moment: np.ndarray | None
    bimoment: np.ndarray | None


def end_reaction(result, name: str, end: str) -> EndReaction:
    """Force and moment of the node at the end "p" or "q" of an element on that element."""
    if end not in ("p", "q"):
        raise InputError(f"element '{name}': its ends are 'p' and 'q', got {end!r}")
    s = result.system
    element = s.model.elements[name]
    nodal = _elastic(result, name)
    vectors = _inertial(result, element)
    out = {}
    for what, slot in (("force", "x"), ("moment", "r"), ("bimoment", "w")):
        node = element.nodes.get(slot + end)
        if node is None:
            out[what] = None
            continue
        first, n = s.nodes[node.kind, node.name]
        f = nodal[:, first : first + n]
        if slot == "r":
            m = _moment(result, first, n, f) + sum(np.cross(u, w) for o, u, w in vectors["turning"] if o == first)
            out[what] = m[:, 2] if n == 1 else m
        else:
            f = f + sum(w[:, :n] for o, w in vectors["moving"] if o == first)
            out[what] = f[:, 0] if slot == "w" else f
    return EndReaction(**out)


def _elastic(result, name) -> np.ndarray:
    """D^T sigma of one element in all coordinates, (N, nx)."""
    from .assembly import series

    s, t = result.system, result.system.tables
    k = list(s.elements).index(name)
    w, ref, out = s.work(), np.zeros(s.ne), np.zeros_like(result.x)
    rows, cols = slice(t.el_e[k], t.el_e[k + 1]), t.el_xi[t.el_x[k] : t.el_x[k + 1]]
    for n, x in enumerate(result.x):
        w.X[0] = x
        series(s.k, w.k, 1, ref)
        D = w.D[0, t.el_D[k] : t.el_D[k + 1]].reshape(-1, len(cols))
        out[n, cols] = result.sigma[n, rows] @ D
    return out


def _moment(result, first, n, f) -> np.ndarray:
    if n == 1:
        return f * [0.0, 0.0, 1.0]
    return nodal_moment(result.x[:, first : first + 4], f)


def _inertial(result, element) -> dict:
    """C (zdd - g) of one element: (coordinate, vector) at its points, (coordinate, direction, vector) at its frames."""
    from .build import Build

    s = result.system
    offsets = {node: s.nodes[node.kind, node.name][0] for node in element.nodes.values()}
    b = Build(offsets, s.model.planar)
    b.add(element)
    N = len(result)
    g = s.model.gravity * _gravity(result)[:, None]
    zdd, places = [], []
    for kind, i, n in b.z:
        v, u = np.zeros((N, 3)), None
        if kind == 1:
            i, size, a = b.dirs[i]
            u, v = _direction(result, i, size, a)
        else:
            v[:, :n] = result.xdd[:, i : i + n]
        zdd.append(v - g if kind == 0 else v)
        places.append((i, u))
    force = np.zeros((len(zdd), N, 3))
    for (i, j), c in b.C.items():
        force[i] += c * zdd[j]
    pairs = list(zip(places, force, strict=True))
    return dict(moving=[(o, w) for (o, u), w in pairs if u is None],
                turning=[(o, u, w) for (o, u), w in pairs if u is not None])  # fmt: skip


def _direction(result, o, size, a) -> tuple[np.ndarray, np.ndarray]:
    """u = R a and its second rate, alpha x u + omega x (omega x u)."""
    x, xd, xdd = (h[:, o : o + size] for h in (result.x, result.xd, result.xdd))
    if size == 1:
        c, s = np.cos(x[:, 0]), np.sin(x[:, 0])
        u = np.stack([c * a[0] - s * a[1], s * a[0] + c * a[1], 0 * c], axis=1)
        omega, alpha = xd * [0.0, 0.0, 1.0], xdd * [0.0, 0.0, 1.0]
    else:
        u = matrix(x) @ a
        omega, alpha = angular_velocity(x, xd), angular_velocity(x, xdd)
    return u, np.cross(alpha, u) + np.cross(omega, np.cross(omega, u))


def _gravity(result) -> np.ndarray:
    """Part of the gravity that acts at each state: the load factor where statics has ramped it."""
    if "gravity" in result.info.get("ramp", ()):
        return result.t
    return np.ones(len(result))
