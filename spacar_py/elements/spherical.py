"""Spherical joint between two points that are one at the start: e = xq - xp, in space."""

import numpy as np

from ..errors import InputError
from .base import Element


class Spherical(Element):
    kind = "spherical joint"
    slots = {"xp": "point", "xq": "point"}
    deformations = ("gap_x", "gap_y", "gap_z")

    def __init__(self, name, nodes, **data):
        super().__init__(name, nodes, **data)
        p, q = nodes["xp"], nodes["xq"]
        if self.L0 > 1e-9 * max(1.0, np.max(np.abs([p.start, q.start]))):  # a gap fixed in space is no joint
            raise InputError(
                f"{self.label}: its points '{p.name}' and '{q.name}' must be at the same place at the start, "
                f"they are {self.L0:g} m apart; move one of them, or use a pin body"
            )

    def describe(self, build):
        for row in range(len(self.deformations)):
            build.linear(row, build.coordinate("xq", minus="xp", component=row, offset=-float(self.chord[row])))


class PlanarPin(Spherical):
    kind = "planar pin"
    deformations = ("gap_x", "gap_y")
    planar = True
