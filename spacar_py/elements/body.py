"""Inertia without deformation: a point mass, or a rigid body on a point and its frame.

    T = 1/2 m |xd + Rd c|^2 + 1/2 sum E_ij (Rd e_i).(Rd e_j),   E = tr(J)/2 I - J
c is the mass centre and J the inertia about it, both in the axes of space at the start. The quadratic form in
directions carries the gyroscopic moments by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Body:
    """Mass m (kg) at a point, mass centre c (m) off it, inertia J (kg m^2) about the mass centre."""

    name: str
    nodes: dict
    m: float = 0.0
    J: np.ndarray | None = None
    c: np.ndarray = field(default_factory=lambda: np.zeros(3))

    deformations = ()

    def describe(self, build):
        """State the inertia; there is no deformation."""
        if self.m > 0:
            if self.c.any():
                build.mass(["xp", build.direction("rp", self.c)], self.m * np.ones((2, 2)))
            else:
                build.mass(["xp"], [[self.m]])
        if self.J is not None and self.J.any():
            if build.planar:
                build.mass([build.direction("rp", np.eye(3)[0])], [[self.J[2, 2]]])
            else:
                E = np.trace(self.J) / 2 * np.eye(3) - self.J
                build.mass([build.direction("rp", a) for a in np.eye(3)], E)
