"""Hinge between two frames about ex, carried by p; ey, ez complete the axes.

    e1 = atan2((Rp ez).(Rq ey) - (Rp ey).(Rq ez), (Rp ey).(Rq ey) + (Rp ez).(Rq ez)), counted on past pi
    e2 = -(Rp ez).(Rq ex)      e3 = (Rp ey).(Rq ex)      zero in a perfect hinge
"""

from .base import Element


def turn(build, row, axes, p="rp", q="rq"):
    """Deformation `row` is the angle of q against p about ex."""
    _, ey, ez = axes
    py, pz = build.direction(p, ey), build.direction(p, ez)
    qy, qz = build.direction(q, ey), build.direction(q, ez)
    build.angle(row, build.dot(pz, qy, 1.0, minus=(py, qz)), build.dot(py, qy, 1.0, plus=(pz, qz)))


def tilt(build, row_y, row_z, axes, p="rp", q="rq"):
    """Deformations that keep ex of q along ex of p."""
    ex, ey, ez = axes
    qx = build.direction(q, ex)
    build.linear(row_y, build.dot(build.direction(p, ez), qx, -1.0))
    build.linear(row_z, build.dot(build.direction(p, ey), qx, 1.0))


class Hinge(Element):
    kind = "hinge"
    slots = {"rp": "frame", "rq": "frame"}
    deformations = ("angle", "bending_y", "bending_z")
    groups = {"bending": ("bending_y", "bending_z")}
    status = {"angle": "free"}

    def describe(self, build):
        turn(build, 0, self.axes)
        tilt(build, 1, 2, self.axes)


class PlanarHinge(Element):
    """e1 = phi_q - phi_p."""

    kind = "planar hinge"
    slots = {"rp": "frame", "rq": "frame"}
    deformations = ("angle",)
    status = {"angle": "free"}
    planar = True

    def describe(self, build):
        build.linear(0, build.coordinate("rq", minus="rp"))
