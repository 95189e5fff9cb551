"""Truss: e1 = |l| - L0. Consistent mass of a bar."""

import numpy as np

from .base import Element, linear_mass


class Truss(Element):
    kind = "truss"
    needs_length = True
    slots = {"xp": "point", "xq": "point"}
    deformations = ("elongation",)

    def stiffness(self):
        return np.array([[self.section.EA / self.L0 if self.section else 0.0]])

    def describe(self, build):
        build.linear(0, build.length("xp", "xq", offset=-self.L0))
        if self.section is not None and self.section.m > 0:
            build.mass(["xp", "xq"], linear_mass(self.section.m, self.L0))


class PlanarTruss(Truss):
    kind = "planar truss"
    planar = True
