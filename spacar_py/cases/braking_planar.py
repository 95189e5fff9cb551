"""Planar manipulator with a long elastic rod that brakes (K. Lipinski, rigid finite elements, section 4).

Two rigid arms upright one above the other, a rod level to the right, three driven joints; gravity downwards. The rod is
eleven rigid elements and ten hinges with springs. Spring constant, masses, inertias and damping are used as printed.
The mass per length, 3.15 kg/m, is not that of a steel rod of 20 mm (2.45 kg/m) but of a square bar of 20 mm.
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..rigidfe.chain import rigid_chain
from ..sections import Section

E = 2.02e11  # Pa: the value behind 1.5865e4 N m/rad and 7.93252e3 N m/rad with 20 mm
EI = E * np.pi * 0.02**4 / 64
SPEEDS = {"joint1.angle": np.pi / 4, "joint2.angle": np.pi / 4, "joint3.angle": np.pi / 2}  # rad/s
TRAVEL = 1.0  # s of constant velocity in all; fixes the final pose
PAIR = {1.0: (0.509, 0.469), 5.0: (0.507, 0.466)}  # the paper's braking times (s) for each damping


def section() -> Section:
    """The rod: slender elements without rotary inertia of the section."""
    return Section(EIz=EI, m=3.15)


def braking_planar(damper: float = 1.0, elements: int = 10, gravity: float = 9.81) -> Model:
    """The model; joint angles are counted from the start. `damper` in N m s/rad, each spring."""
    m = Model(gravity=(0, -gravity), planar=True, name="planar manipulator with a rod")
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("arm1")
    m.point("elbow", (0, 0.2))
    m.frame("arm2")
    m.point("wrist", (0, 0.5))
    m.frame("grip")
    m.node("tip", (1, 0.5))
    for joint, p, q in (("joint1", "base", "arm1"), ("joint2", "arm1", "arm2"), ("joint3", "arm2", "grip")):
        m.hinge(joint, p, q)
    m.pin_body("lower", ("base", "arm1"), "elbow")
    m.pin_body("upper", ("elbow", "arm2"), "wrist")
    m.body(("base", "arm1"), 0.63, J=0.00061, centre=(0, 0.1))
    m.body(("elbow", "arm2"), 0.95, J=0.001781, centre=(0, 0.15))
    rigid_chain(m, "rod", ("wrist", "grip"), "tip", section(), elements=elements, damper=damper)
    return m
