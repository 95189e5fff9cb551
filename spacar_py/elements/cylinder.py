"""Cylindrical joint: q slides along ex, an axis carried by p, and turns about it.

    displacement, offset_y, offset_z as in the slider; angle, rotation_y, rotation_z as in the hinge
"""

from .base import Element
from .hinge import tilt, turn
from .slider import slide


class Cylinder(Element):
    kind = "cylinder"
    slots = {"xp": "point", "rp": "frame", "xq": "point", "rq": "frame"}
    deformations = ("displacement", "offset_y", "offset_z", "angle", "rotation_y", "rotation_z")
    groups = {"offset": ("offset_y", "offset_z"), "rotation": ("rotation_y", "rotation_z")}
    status = {"displacement": "free", "angle": "free"}

    def describe(self, build):
        slide(build, self.axes, self.chord)
        turn(build, 3, self.axes)
        tilt(build, 4, 5, self.axes)
