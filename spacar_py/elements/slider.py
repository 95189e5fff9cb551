"""Slider (prismatic joint) along ex, an axis carried by p, between two bodies.

    displacement = (Rp ex).(xq - xp), offset_y, offset_z likewise, minus their initial values
    rotation_x = ((Rp ez).(Rq ey) - (Rp ey).(Rq ez)) / 2,  rotation_y = -(Rp ez).(Rq ex),  rotation_z = (Rp ey).(Rq ex)
"""

from .base import Element
from .hinge import tilt


def slide(build, axes, chord, rows=(0, 1, 2)):
    """Deformations `rows` are the components of the chord in the axes carried by p."""
    for row, a in zip(rows, axes, strict=False):
        build.linear(row, build.dot_chord(build.direction("rp", a), 1.0, offset=-float(a @ chord)))


class Slider(Element):
    kind = "slider"
    slots = {"xp": "point", "rp": "frame", "xq": "point", "rq": "frame"}
    deformations = ("displacement", "offset_y", "offset_z", "rotation_x", "rotation_y", "rotation_z")
    groups = {"offset": ("offset_y", "offset_z"), "rotation": ("rotation_x", "rotation_y", "rotation_z")}
    status = {"displacement": "free"}

    def describe(self, build):
        _, ey, ez = self.axes
        slide(build, self.axes, self.chord)
        py, pz = build.direction("rp", ey), build.direction("rp", ez)
        qy, qz = build.direction("rq", ey), build.direction("rq", ez)
        build.linear(3, build.dot(pz, qy, 0.5, minus=(py, qz)))
        tilt(build, 4, 5, self.axes)


class PlanarSlider(Element):
    """Displacement along ex, offset along ey, and the relative angle."""

    kind = "planar slider"
    slots = {"xp": "point", "rp": "frame", "xq": "point", "rq": "frame"}
    deformations = ("displacement", "offset", "rotation")
    status = {"displacement": "free"}
    planar = True

    def describe(self, build):
        slide(build, self.axes[:2], self.chord)
        build.linear(2, build.coordinate("rq", minus="rp"))
