"""What an element is: a table of primitives and coefficients. No compiled code is needed to add one.

To add an element:
1. write one file with the equations in plain text on top, and a class that inherits from Element;
2. name its `kind`, the `slots` of its nodes, its `deformations`, the `status` that each has by default, and whether
   it is `planar`, `needs_length` between its points, or is `elastic`;
3. in `describe(build)` state the basics (dot products, lengths, coordinates) and how the deformations follow from
   them, linearly, quadratically or as an angle; state its inertia as a quadratic form of points and directions;
4. return its stiffness from `stiffness()`, where it has a section;
5. add it to registry.py, and a method that makes it to model.py.
The contract tests find it by itself: derivatives by the complex step, rigid motion, mass.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..rotations import triad

STATUSES = ("fixed", "released", "dof", "prescribed", "free")
SHORTEST = 1e-60  # m; its powers in the equations are still numbers


class Element:
    """Base of all elements: slots filled with nodes, and the element's own data.

    Parameters
    ----------
    name : str
    nodes : dict
        Slot to node, as in `slots`.
    section : Section, optional
    axis : (3,) array, optional
        Local x axis, for elements without a chord.
    y : (3,) array, optional
        Vector that orients the local y axis.
    """

    kind: ClassVar[str] = ""
    slots: ClassVar[dict[str, str]] = {}  # slot -> "point" | "frame" | "warp"
    deformations: ClassVar[tuple[str, ...]] = ()
    groups: ClassVar[dict[str, tuple[str, ...]]] = {}
    status: ClassVar[dict[str, str]] = {}  # other than "fixed"
    planar: ClassVar[bool] = False
    needs_length: ClassVar[bool] = False  # whether its two points must be apart
    elastic: ClassVar[bool] = False  # whether only a section can make its deformations flexible

    def __init_subclass__(cls) -> None:
        for what in ("kind", "slots", "deformations"):
            if not getattr(cls, what):
                raise TypeError(f"element class {cls.__name__} does not state its {what}")
        if "describe" not in cls.__dict__ and not any("describe" in b.__dict__ for b in cls.__mro__[1:-2]):
            raise TypeError(f"element class {cls.__name__} does not define describe(build)")

    def __init__(self, name, nodes, *, section=None, axis=None, y=None):
        self.name, self.nodes, self.section = name, nodes, section
        self.axis, self.y = axis, y  # as given, so that the element can be written to a file
        self.chord = self.L0 = None
        if "xp" in nodes and "xq" in nodes:
            self.chord = self._chord()
            self.L0 = float(np.linalg.norm(self.chord))
            if self.needs_length:
                self._check_length()
        self.axes = None if self.planar and axis is None and self.chord is None else self._axes(axis, y)

    def _chord(self) -> np.ndarray:
        d = np.zeros(3)
        p, q = self.nodes["xp"].start, self.nodes["xq"].start
        d[: len(p)] = np.asarray(q) - np.asarray(p)
        return d

    @property
    def label(self) -> str:
        return f"{self.kind} '{self.name}'"

    def _axes(self, axis, y) -> np.ndarray:
        if axis is None and self.chord is not None and self.L0 > 0:
            axis = self.chord
        if axis is None:
            return np.eye(3)
        if self.planar:
            c, s = np.asarray(axis)[:2] / np.hypot(*np.asarray(axis)[:2])
            return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
        if y is not None and np.linalg.norm(np.cross(axis, y)) < 1e-9 * np.linalg.norm(axis) * np.linalg.norm(y):
            raise InputError(
                f"{self.label}: the orientation vector y must not lie along the local x axis "
                f"{_show(axis)}, got {_show(y)}; choose another vector"
            )
        return triad(axis, y)

    def _check_length(self) -> None:
        p, q = self.nodes["xp"], self.nodes["xq"]
        if not self.L0 > max(1e-12 * np.max(np.abs([p.start, q.start])), SHORTEST):
            raise InputError(
                f"{self.label}: its points '{p.name}' and '{q.name}' must be apart, both are at "
                f"{_show(p.start)}; move one of them"
            )

    def need_section(self) -> None:
        """Refuse a missing section where deformations may be free."""
        if self.section is None:
            raise InputError(f"{self.label}: needs a section to be flexible; give section=Section(...)")

    def stiffness(self) -> np.ndarray:
        """S (ne, ne) of sigma = S e; zero where nothing else is said."""
        n = len(self.deformations)
        return np.zeros((n, n))

    def describe(self, build) -> None:
        """State basics, deformations and inertia."""
        raise NotImplementedError


def _show(v) -> str:
    return "(" + ", ".join(f"{float(x):g}" for x in v) + ")"


def lumped_inertia(section, L0: float) -> np.ndarray | None:
    """Second moments (3, 3) about ex, ey, ez of half the element: E = tr(J)/2 I - J, J the rotary inertia."""
    J = section.J * (L0 / 2)
    if not J.any():
        return None
    return np.trace(J) / 2 * np.eye(3) - J


def bending(EI: float, shear: float, L0: float) -> np.ndarray:
    """EI/(L0^3 (1+Phi)) [[4+Phi, -2+Phi], [-2+Phi, 4+Phi]], Phi = 12 EI/(k G A L0^2), shear = EI/(k G A)."""
    Phi = 12 * shear / L0**2
    return EI / (L0**3 * (1 + Phi)) * np.array([[4 + Phi, -2 + Phi], [-2 + Phi, 4 + Phi]])


def hermite_mass(m: float, L: float) -> np.ndarray:
    """Consistent mass of a beam in (xp, Rp ex, xq, Rq ex), cubic Hermite, mass m per length."""
    rows = [
        [156, 22 * L, 54, -13 * L],
        [22 * L, 4 * L * L, 13 * L, -3 * L * L],
        [54, 13 * L, 156, -22 * L],
        [-13 * L, -3 * L * L, -22 * L, 4 * L * L],
    ]
    return m * L / 420 * np.array(rows)


def linear_mass(m: float, L: float) -> np.ndarray:
    """Consistent mass of a bar in (xp, xq), mass m per length."""
    return m * L / 6 * np.array([[2.0, 1.0], [1.0, 2.0]])
