"""The part of the Model that adds inertia, loads, springs, dampers and drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import checks
from .elements.body import Body
from .errors import InputError
from .nodes import Load
from .signals import as_signal


class LoadMethods:
    """Masses, forces and laws on deformations; `Model` inherits from it."""

    def mass(self, point: str, m: float) -> None:
        """A point mass (kg)."""
        what = f"mass at '{point}'"
        checks.known(what, "point", point, self.points)
        m = checks.number(what, "m", m, positive=True)
        self._touch()
        self.bodies.append(Body(point, {"xp": self.points[point]}, m))

    def body(self, node, m: float = 0.0, J=None, centre=None) -> None:
        """A rigid body on a node or (point, frame): mass (kg), inertia J about its centre (kg m^2: a number, three
        principal values or a matrix), centre off the point (m), both in the axes of space at the start."""
        what = f"body at '{node}'"
        point, frame = self._end(what, node)
        m = checks.number(what, "m", m, minimum=0.0)
        J = np.zeros((3, 3)) if J is None else checks.inertia(what, J)
        c = np.zeros(3)
        if centre is not None:
            c[: self.dim] = checks.vector(what, "centre", centre, self.dim)
        if m == 0 and not J.any():
            raise InputError(f"{what}: needs a mass or an inertia, got neither; leave the body out")
        self._touch()
        self.bodies.append(Body(point, {"xp": self.points[point], "rp": self.frames[frame]}, m, J, c))

    def force(self, point: str, vector, signal=None, follow: str | None = None) -> None:
        """A force (N) on a point, times an optional signal; `follow` names the frame that carries it."""
        what = f"force on '{point}'"
        checks.known(what, "point", point, self.points)
        v = np.zeros(3)
        v[: self.dim] = checks.vector(what, "vector", vector, self.dim)
        frame = None
        if follow is not None:
            checks.known(what, "frame", follow, self.frames)
            frame = self.frames[follow]
        self._add_load(self.points[point], "follower_force" if frame else "force", v, signal, frame)

    def moment(self, frame: str, vector, signal=None, follow: bool = False) -> None:
        """A moment (N m) on a frame, fixed in space or carried by the frame; in the plane a number."""
        what = f"moment on '{frame}'"
        checks.known(what, "frame", frame, self.frames)
        if self.planar:
            v = np.array([checks.number(what, "its value", vector), 0.0, 0.0])
            self._add_load(self.frames[frame], "force", v, signal)
        else:
            v = checks.vector(what, "vector", vector, 3)
            self._add_load(self.frames[frame], "follower_moment" if follow else "moment", v, signal)

    def _add_load(self, node, kind, vector, signal, frame=None) -> None:
        signal = None if signal is None else as_signal(signal, rates=False)
        self._touch()
        self.loads.append(Load(node, kind, vector, signal, frame))

    def user_force(self, point: str, function: Callable) -> None:
        """A force on a point from a Python function (t, x, v) -> vector; runs on the slower path."""
        what = f"user force on '{point}'"
        checks.known(what, "point", point, self.points)
        if not callable(function):
            raise InputError(f"{what}: needs a function (t, x, v) -> force, got {function!r}")
        self._touch()
        self.user_forces.append((what, self.points[point], function, False))

    def spring(self, element: str, deformation: str, stiffness: float, free: float = 0.0) -> None:
        """A spring on a deformation: stress = stiffness (e - free)."""
        k = checks.number(f"spring on '{element}'", "stiffness", stiffness, positive=True)
        free = checks.number(f"spring on '{element}'", "free", free)
        self._add_law("spring", self.springs, element, deformation, k, free)

    def damper(self, element: str, deformation: str, damping: float) -> None:
        """A viscous damper on a deformation: stress = damping ed."""
        c = checks.number(f"damper on '{element}'", "damping", damping, positive=True)
        self._add_law("damper", self.dampers, element, deformation, c)

    def prestress(self, element: str, deformation: str, value: float) -> None:
        """A stress resultant that is there without deformation."""
        v = checks.number(f"prestress on '{element}'", "value", value)
        self._add_law("prestress", self.prestresses, element, deformation, v)

    def actuator(self, element: str, deformation: str, signal) -> None:
        """A drive force or torque on a deformation, positive where it lets the deformation grow."""
        self._add_law("actuator", self.actuators, element, deformation, as_signal(signal, rates=False))

    def _add_law(self, kind, laws, element, deformation, *data) -> None:
        """Append a law for every deformation meant: of a chain of elements, for each of them."""
        what = f"{kind} on '{element}'"
        checks.known(what, "element", element, {**self.elements, **self.chains})
        found = []
        for part in self.chains.get(element, [element]):
            el = self.elements[part]
            found += [(part, d, *data) for d in self._expand(what, el, deformation)]
        if not found:
            raise InputError(f"{what}: name a deformation, got {deformation!r}")
        self._touch()
        laws += found
