"""Rigid beam from the body of p to a point q, which may turn there.

    e1 = |l| - L0     e2 = -L0 (Rp ez).el     e3 = L0 (Rp ey).el
Mass of a straight bar in (xp, xq); its rotary inertia goes to the frame of p.
"""

from .base import Element, linear_mass, lumped_inertia


class RigidBeam(Element):
    kind = "rigid beam"
    needs_length = True
    slots = {"xp": "point", "rp": "frame", "xq": "point"}
    deformations = ("elongation", "bending_y", "bending_z")
    groups = {"bending": ("bending_y", "bending_z")}

    def describe(self, build):
        ex, ey, ez = self.axes
        build.forward(build.direction("rp", ex))
        build.linear(0, build.length("xp", "xq", offset=-self.L0))
        build.linear(1, build.dot_unit(build.direction("rp", ez), -self.L0))
        build.linear(2, build.dot_unit(build.direction("rp", ey), self.L0))
        self.inertia(build)

    def inertia(self, build):
        """Bar between the points, rotary inertia at p."""
        if self.section is None:
            return
        if self.section.m > 0:
            build.mass(["xp", "xq"], linear_mass(self.section.m, self.L0))
        E = lumped_inertia(self.section, self.L0)
        if E is not None:
            build.mass([build.direction("rp", a) for a in self.axes], 2 * E)


class PlanarRigidLink(RigidBeam):
    kind = "planar rigid link"
    deformations = ("elongation", "bending")
    groups = {}
    planar = True

    def describe(self, build):
        build.forward(build.direction("rp", self.axes[0]))
        build.linear(0, build.length("xp", "xq", offset=-self.L0))
        build.linear(1, build.dot_unit(build.direction("rp", self.axes[1]), self.L0))
        self.inertia(build)

    def inertia(self, build):
        """Bar between the points; J about z alone matters in the plane."""
        if self.section is None:
            return
        if self.section.m > 0:
            build.mass(["xp", "xq"], linear_mass(self.section.m, self.L0))
        if self.section.J[2, 2] > 0:
            build.mass([build.direction("rp", self.axes[0])], [[self.section.J[2, 2] * self.L0]])
