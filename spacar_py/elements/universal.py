"""Universal joint between two frames: ex carried by p and ey carried by q stay square.

    skew = (Rp ex).(Rq ey)
    angle_x = atan2((Rp ez).(Rq ey), (Rp ey).(Rq ey))      turn of the cross about ex of p
    angle_y = atan2((Rp ex).(Rq ez), (Rp ex).(Rq ex))      turn of q about ey of the cross
"""

from .base import Element


class Universal(Element):
    kind = "universal joint"
    slots = {"rp": "frame", "rq": "frame"}
    deformations = ("angle_x", "angle_y", "skew")
    status = {"angle_x": "free", "angle_y": "free"}

    def describe(self, build):
        px, py, pz = (build.direction("rp", a) for a in self.axes)
        qx, qy, qz = (build.direction("rq", a) for a in self.axes)
        build.angle(0, build.dot(pz, qy), build.dot(py, qy))
        build.angle(1, build.dot(px, qz), build.dot(px, qx))
        build.linear(2, build.dot(px, qy))
