"""Spatial beam with six deformations and their second-order terms.

With l = xq - xp, el = l/|l|, axes ex, ey, ez carried by the end frames Rp, Rq:

    b1 = |l| - L0                     b2 = L0 ((Rp ez).(Rq ey) - (Rp ey).(Rq ez)) / 2
    b3 = -L0 (Rp ez).el   b4 = L0 (Rq ez).el   b5 = L0 (Rp ey).el   b6 = -L0 (Rq ey).el
    e1 = b1 + (2 b3^2 + b3 b4 + 2 b4^2 + 2 b5^2 + b5 b6 + 2 b6^2) / (30 L0)
    e2 = b2 + (-b3 b6 + b4 b5) / L0
    e3 = b3 + b2 (b5 + b6) / (6 L0)     e4 = b4 - b2 (b5 + b6) / (6 L0)
    e5 = b5 - b2 (b3 + b4) / (6 L0)     e6 = b6 + b2 (b3 + b4) / (6 L0)

Source: the SPACAR beam (Jonker and Meijaard), checked against its output. Mass: consistent, cubic Hermite; rotary
inertia lumped at the end frames, half each.
"""

import numpy as np

from .base import Element, bending, hermite_mass, lumped_inertia


class Beam(Element):
    kind = "beam"
    needs_length = True
    elastic = True
    slots = {"xp": "point", "rp": "frame", "xq": "point", "rq": "frame"}
    deformations = ("elongation", "torsion", "bending_y_p", "bending_y_q", "bending_z_p", "bending_z_q")
    groups = {
        "bending_y": ("bending_y_p", "bending_y_q"),
        "bending_z": ("bending_z_p", "bending_z_q"),
        "bending": ("bending_y_p", "bending_y_q", "bending_z_p", "bending_z_q"),
    }

    def stiffness(self):
        s, L = self.section, self.L0
        n = len(self.deformations)
        S = np.zeros((n, n))
        if s is not None:
            S[0, 0] = s.EA / L
            S[1, 1] = s.GJ / L**3
            S[2:4, 2:4] = bending(s.EIy, s.shear_y, L)
            S[4:6, 4:6] = bending(s.EIz, s.shear_z, L)
        return S

    def describe(self, build):
        L = self.L0
        ex, ey, ez = self.axes
        build.forward(build.direction("rp", ex))
        py, pz = build.direction("rp", ey), build.direction("rp", ez)
        qy, qz = build.direction("rq", ey), build.direction("rq", ez)
        b1 = build.length("xp", "xq", offset=-L)
        b2 = build.dot(pz, qy, L / 2, minus=(py, qz))
        b3, b4 = build.dot_unit(pz, -L), build.dot_unit(qz, L)
        b5, b6 = build.dot_unit(py, L), build.dot_unit(qy, -L)
        for row, b in enumerate((b1, b2, b3, b4, b5, b6)):
            build.linear(row, b)
        for i, j, c in ((b3, b3, 2), (b3, b4, 1), (b4, b4, 2), (b5, b5, 2), (b5, b6, 1), (b6, b6, 2)):
            build.quadratic(0, i, j, c / (30 * L))
        build.quadratic(1, b3, b6, -1 / L)
        build.quadratic(1, b4, b5, 1 / L)
        for row, sign, i, j in ((2, 1, b5, b6), (3, -1, b5, b6), (4, -1, b3, b4), (5, 1, b3, b4)):
            build.quadratic(row, b2, i, sign / (6 * L))
            build.quadratic(row, b2, j, sign / (6 * L))
        self.inertia(build)

    def inertia(self, build):
        """Consistent mass in (xp, Rp ex, xq, Rq ex), lumped rotary inertia about the element's axes."""
        if self.section is None:
            return
        ex, ey, ez = self.axes
        if self.section.m > 0:
            p, q = build.direction("rp", ex), build.direction("rq", ex)
            build.mass(["xp", p, "xq", q], hermite_mass(self.section.m, self.L0))
        E = lumped_inertia(self.section, self.L0)
        if E is not None:
            for r in ("rp", "rq"):
                build.mass([build.direction(r, a) for a in (ex, ey, ez)], E)
