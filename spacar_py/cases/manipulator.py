"""Spatial two-link manipulator of Aarts and Jonker (perturbation method and adaptive modal integration).

Joint 1 about z at the origin, shoulder and elbow about parallel horizontal axes, each positive upwards; two flexible
links of one element each, point masses at the elbow and the tip. Elbow up, tip at A at the start.
"""

from __future__ import annotations

import numpy as np

from ..ami.control import PID
from ..ami.paths import LinePath
from ..model import Model
from ..sections import Section

LENGTH = 0.7  # of each link (m)
A = np.array([0.536, 0.0, 0.0])  # start and end of the tip's path (m)
B = np.array([0.0, 1.300, 0.0])
T, T_END = 1.0, 2.0  # duration of the path, end of the simulation (s)
BANDWIDTH = 12.0  # of the controller (rad/s)
DAMPING = 2 * 0.002 / 34.27  # (s), relative damping 0.002 at the lowest frequency with the joints held
JOINTS = ("turret.angle", "shoulder.angle", "elbow.angle")


def joint_angles(tip) -> np.ndarray:
    """Angles (turret, shoulder, elbow) of the rigid arm, elbow up, zero with both links along x; on stacks (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(tip, float), -1, 0)
    reach, r = np.sqrt(x**2 + y**2 + z**2), np.hypot(x, y)
    half = np.arccos(reach / (2 * LENGTH))  # between each link and the line to the tip
    return np.stack([np.arctan2(y, x), np.arctan2(z, r) + half, -2 * half], axis=-1)


def path(profile="squared_sine", ramp: float = 0.25) -> LinePath:
    """The tip's straight line from A to B in 1 s; the paper does not print the ramps, 0.25 s fits all it reports."""
    return LinePath(A, B, T=T, node="tip", profile=profile, ramp=ramp)


def controller(roll_off: bool = False):
    """The PID of the paper, scheduled with the nominal inertia of the joints; with one pole more where asked for."""
    return PID(BANDWIDTH, roll_off=roll_off)


def build(gravity: float = 9.81, damping: float = 0.0, flexibility: float = 1.0) -> Model:
    """The arm at A with its links straight; 12 degrees of freedom: 3 joint angles, 5 + 4 deformations.

    The joint angles are counted from the arm at A. `damping` (s) is stiffness proportional in both links; `flexibility`
    divides their stiffness.
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
    S = L**3 / flexibility
    upper = Section(EIy=48300 * S, EIz=48300 * S, GJ=41580 * S, m=4.0)
    fore = Section(EIy=24460 * S, EIz=24460 * S, m=2.0)
    same = dict(y=(0, 1, 0), damping=damping)
    model.beam("upper", ("base", "upper_root"), "elbow", upper, flexible=("torsion", "bending"), **same)
    model.beam("fore", ("elbow", "fore_root"), "tip", fore, flexible="bending", **same)
    model.mass("elbow", 10.0)
    model.mass("tip", 30.0)
    return model
