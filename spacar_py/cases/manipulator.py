"""Spatial two-link manipulator of Aarts and Jonker (perturbation method and adaptive modal integration).

Joint 1 about z at the origin, shoulder and elbow about parallel horizontal axes, each positive upwards; two flexible
links of one element each, point masses at the elbow and the tip. Elbow up, tip at A at the start.
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..sections import Section

LENGTH = 0.7  # of each link (m)
A = np.array([0.536, 0.0, 0.0])  # start and end of the tip's path (m)
B = np.array([0.0, 1.300, 0.0])
JOINTS = ("turret.angle", "shoulder.angle", "elbow.angle")


def joint_angles(tip) -> np.ndarray:
    """Angles (turret, shoulder, elbow) of the rigid arm, elbow up, zero with both links along x; on stacks (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(tip, float), -1, 0)
    reach, r = np.sqrt(x**2 + y**2 + z**2), np.hypot(x, y)
    half = np.arccos(reach / (2 * LENGTH))  # between each link and the line to the tip
    return np.stack([np.arctan2(y, x), np.arctan2(z, r) + half, -2 * half], axis=-1)


def build(gravity: float = 9.81, damping: float = 0.0) -> Model:
    """The arm at A with its links straight; 12 degrees of freedom: 3 joint angles, 5 + 4 deformations.

    The joint angles are counted from the arm at A. `damping` (s) is stiffness proportional in both links.
    """
    L = LENGTH
    _, up, _ = joint_angles(A)
    model = Model(gravity=(0, 0, -gravity), name="two-link manipulator")
    model.node("base", (0, 0, 0))
    model.fix("base")
    for frame in ("column", "upper_root", "fore_root"):
        model.frame(frame)
    model.node("elbow", (L * np.cos(up), 0, L * np.sin(up)))
    model.node("tip", A)
    model.hinge("turret", "base", "column", (0, 0, 1))
    model.hinge("shoulder", "column", "upper_root", (0, -1, 0))
    model.hinge("elbow", "elbow", "fore_root", (0, -1, 0))
    upper = Section(EIy=48300 * L**3, EIz=48300 * L**3, GJ=41580 * L**3, m=4.0)
    fore = Section(EIy=24460 * L**3, EIz=24460 * L**3, m=2.0)
    same = dict(y=(0, 1, 0), damping=damping)
    model.beam("upper", ("base", "upper_root"), "elbow", upper, flexible=("torsion", "bending"), **same)
    model.beam("fore", ("elbow", "fore_root"), "tip", fore, flexible="bending", **same)
    model.mass("elbow", 10.0)
    model.mass("tip", 30.0)
    return model
