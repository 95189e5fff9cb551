"""Planar beam: the spatial one in the plane.

    b1 = |l| - L0     b2 = L0 (Rp ey).el     b3 = -L0 (Rq ey).el
    e1 = b1 + (2 b2^2 + b2 b3 + 2 b3^2) / (30 L0)     e2 = b2     e3 = b3
"""

import numpy as np

from .base import Element, bending, hermite_mass


class PlanarBeam(Element):
    kind = "planar beam"
    needs_length = True
    elastic = True
    slots = {"xp": "point", "rp": "frame", "xq": "point", "rq": "frame"}
    deformations = ("elongation", "bending_p", "bending_q")
    groups = {"bending": ("bending_p", "bending_q")}
    planar = True

    def stiffness(self):
        S = np.zeros((3, 3))
        if self.section is not None:
            S[0, 0] = self.section.EA / self.L0
            S[1:, 1:] = bending(self.section.EIz, self.section.shear_z, self.L0)
        return S

    def describe(self, build):
        L = self.L0
        ex, ey, _ = self.axes
        build.forward(build.direction("rp", ex))
        b1 = build.length("xp", "xq", offset=-L)
        b2 = build.dot_unit(build.direction("rp", ey), L)
        b3 = build.dot_unit(build.direction("rq", ey), -L)
        for row, b in enumerate((b1, b2, b3)):
            build.linear(row, b)
        for i, j, c in ((b2, b2, 2), (b2, b3, 1), (b3, b3, 2)):
            build.quadratic(0, i, j, c / (30 * L))
        if self.section is None:
            return
        if self.section.m > 0:
            p, q = build.direction("rp", ex), build.direction("rq", ex)
            build.mass(["xp", p, "xq", q], hermite_mass(self.section.m, L))
        if self.section.J[2, 2] > 0:
            for r in ("rp", "rq"):
                build.mass([build.direction(r, ex)], [[self.section.J[2, 2] * L / 2]])
