"""Spherical joint between two points: e = xq - xp minus its initial value, in space."""

from .base import Element


class Spherical(Element):
    kind = "spherical joint"
    slots = {"xp": "point", "xq": "point"}
    deformations = ("gap_x", "gap_y", "gap_z")

    def describe(self, build):
        for row in range(len(self.deformations)):
            build.linear(
                row, build.coordinate("xq", minus="xp", component=row, offset=-float(self.chord[row]))
            )


class PlanarPin(Spherical):
    kind = "planar pin"
    deformations = ("gap_x", "gap_y")
    planar = True
