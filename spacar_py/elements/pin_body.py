"""Pin body: a point q carried by the body of p, free to turn there.

    e = Rp^T (xq - xp) minus its initial value, in the element's axes
"""

from .base import Element


class PinBody(Element):
    kind = "pin body"
    slots = {"xp": "point", "rp": "frame", "xq": "point"}
    deformations = ("shift_x", "shift_y", "shift_z")

    def describe(self, build):
        for row, a in enumerate(self.axes[: len(self.deformations)]):
            build.linear(row, build.dot_chord(build.direction("rp", a), 1.0, offset=-float(a @ self.chord)))


class PlanarPinBody(PinBody):
    kind = "planar pin body"
    deformations = ("shift_x", "shift_y")
    planar = True
