"""Beam whose ends also warp: one more coordinate w (rate of twist) per end.

    e7 = L0^2 w_p     e8 = L0^2 w_q
    [s2 s7 s8] = ( GJ/L0^3 [[6/5, -1/10, -1/10], [-1/10, 2/15, -1/30], [-1/10, -1/30, 2/15]]
                 + EIw/L0^5 [[12, -6, -6], [-6, 4, 2], [-6, 2, 4]] ) [e2 e7 e8]

Hermite interpolation of the twist. Warping inertia lumped, L0/2 at each end.
"""

import numpy as np

from .beam import Beam


class WarpingBeam(Beam):
    kind = "warping beam"
    slots = {"xp": "point", "rp": "frame", "wp": "warp", "xq": "point", "rq": "frame", "wq": "warp"}
    deformations = (*Beam.deformations, "warping_p", "warping_q")
    groups = {**Beam.groups, "warping": ("warping_p", "warping_q")}

    def stiffness(self):
        S = super().stiffness()
        s, L = self.section, self.L0
        if s is not None:
            twist = s.GJ / L**3 * np.array([[6 / 5, -0.1, -0.1], [-0.1, 2 / 15, -1 / 30], [-0.1, -1 / 30, 2 / 15]])
            warp = s.EIw / L**5 * np.array([[12.0, -6, -6], [-6, 4, 2], [-6, 2, 4]])
            S[np.ix_((1, 6, 7), (1, 6, 7))] = twist + warp
        return S

    def describe(self, build):
        super().describe(build)
        build.linear(6, build.coordinate("wp", factor=self.L0**2))
        build.linear(7, build.coordinate("wq", factor=self.L0**2))
        if self.section is not None and self.section.Jw > 0:
            for slot in ("wp", "wq"):
                build.mass([slot], [[self.section.Jw * self.L0 / 2]])
