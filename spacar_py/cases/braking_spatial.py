"""Spatial manipulator with a rod of 2 m that brakes (K. Lipinski, rigid finite elements, section 5).

A column turns about z; two arms of 1.5 m in the plane y-z, the first 45 degrees upwards, the second 45 degrees
downwards, turn about axes along x; a wrist of 0.08 m along y carries the rod, which lies along x. The wrist is locked.

Open in the paper and assumed here: all three rates positive about z, x, x (the arms rise); the whole way would take 2 s
at full speed; gravity 9.81 downwards; ten segments of 0.2 m, which is what the printed spring constant, lengths and
masses belong to (the text says nine segments and eight spring-dampers).
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..rigidfe.chain import rigid_chain
from ..sections import Section
from .braking_planar import EI

SPEEDS = {"joint1.angle": np.pi / 4, "joint2.angle": np.pi / 4, "joint3.angle": np.pi / 2}  # rad/s
TRAVEL = 2.0  # s of constant velocity in all
MASS = 0.49071 / 0.2  # kg/m


def section() -> Section:
    """The rod: slender elements, lengthwise inertia m d^2/8."""
    return Section(EIy=EI, EIz=EI, m=MASS, Jx=MASS * 0.02**2 / 8)


def braking_spatial(damper: float = 10.0, elements: int = 10, gravity: float = 9.81) -> Model:
    """The model; `damper` in N m s/rad for both rotations of each Cardan joint.

    `rod[0].angle_x` turns about the rod's y axis (bends it in the plane x-z at the start), `rod[0].angle_y` about z.
    """
    m = Model(gravity=(0, 0, -gravity), name="spatial manipulator with a rod")
    c = 1.5 * np.cos(np.pi / 4)
    m.node("base", (0, 0, 0))
    m.fix("base")
    for name, at in (("shoulder", (0, 0, 0.7)), ("elbow", (0, c, 0.7 + c)), ("hand", (0, 2 * c, 0.7))):
        m.point(name, at)
    m.point("grip", (0, 2 * c + 0.08, 0.7))
    for frame in ("column", "arm1", "arm2"):
        m.frame(frame)
    m.node("tip", (2, 2 * c + 0.08, 0.7))
    m.hinge("joint1", "base", "column", (0, 0, 1))
    m.hinge("joint2", "column", "arm1", (1, 0, 0))
    m.hinge("joint3", "arm1", "arm2", (1, 0, 0))
    m.pin_body("post", ("base", "column"), "shoulder")
    m.body(("base", "column"), 35.0, J=(1.5412, 1.5412, 0.224), centre=(0, 0, 0.35))
    for name, node, end, up in (("lower", ("shoulder", "arm1"), "elbow", 1), ("upper", ("elbow", "arm2"), "hand", -1)):
        along = np.array([0, 1, up]) / np.sqrt(2)
        m.pin_body(name, node, end)
        m.body(node, 20.0, J=3.766 * np.eye(3) - (3.766 - 0.032) * np.outer(along, along), centre=0.75 * along)
    m.pin_body("wrist", ("hand", "arm2"), "grip")
    m.body(("hand", "arm2"), 0.5, J=(0.00026667, 0.00013333, 0.00026667), centre=(0, 0.04, 0))
    rigid_chain(m, "rod", ("grip", "arm2"), "tip", section(), elements=elements, y=(0, 1, 0), damper=damper)
    return m
