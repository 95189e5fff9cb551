"""Anthropomorphic arm of Damic and Cohodar: a rigid column, two links of 0.5 m, PD control in joint space.

Table 2 and equation 23 of their paper. Open there and assumed here: first hinge at the origin about the vertical, the
other two horizontal; the 0.10 m side of the links upright; elbow up; gravity 9.81 downwards. The column has the printed
mass and inertias (its printed radius of 0.15 m does not belong to them). What is fed forward is not printed either.
"""

from __future__ import annotations

import numpy as np

from ..corotational.examples import HEIGHT, REACH, joint_path
from ..model import Model
from ..sections import Section
from ..signals import Signal

KP = KD = 1000.0  # N m/rad, N m s/rad, all axes
JOINTS = ("waist.angle", "shoulder.angle", "elbow.angle")
PIECES = 40


def section(E: float, rho: float) -> Section:
    """0.10 m along the section's y (upright), 0.05 m along z; without shear, as in the paper."""
    s = Section.rectangle(0.10, 0.05, E=E, nu=0.3, rho=rho)
    return Section(EA=s.EA, GJ=s.GJ, EIy=s.EIy, EIz=s.EIz, m=s.m, Jx=s.Jx, Jy=s.Jy, Jz=s.Jz)


def motions() -> dict[str, Signal]:
    """Joint angles that lead the rigid arm's tip along the path of equation 23, counted from the start.

    Quintic pieces through angles, rates and accelerations at 41 instants of the 1 s: exact to 1e-8 rad between them.
    """
    times = np.linspace(0.0, 1.0, PIECES + 1)
    nodes = np.array([joint_path(float(t)) for t in times])
    nodes[:, 0] -= nodes[0, 0].copy()
    h = times[1]
    s0, out = np.array([1.0, h, h**2 / 2]), {}
    for k, name in enumerate(JOINTS):
        pieces = []
        for t, a, b in zip(times, nodes, nodes[1:], strict=False):
            c = [a[0, k], a[1, k], a[2, k] / 2]
            gap = [b[0, k] - s0 @ [a[0, k], a[1, k], a[2, k]], b[1, k] - a[1, k] - h * a[2, k], b[2, k] - a[2, k]]
            rest = np.array([[h**3, h**4, h**5], [3 * h**2, 4 * h**3, 5 * h**4], [6 * h, 12 * h**2, 20 * h**3]])
            pieces.append((float(t), [*c, *np.linalg.solve(rest, gap)]))
        out[name] = Signal(pieces)
    return out


def anthropomorphic(flexible: bool = True, elements: int = 2, gravity: float = 9.81) -> Model:
    """The model, drawn where the path begins; `elements` beams of the core per link."""
    _, up, bend = joint_path(0.0)[0]
    elbow = np.array([REACH * np.cos(up), 0.0, HEIGHT + REACH * np.sin(up)])
    tip = elbow + REACH * np.array([np.cos(up + bend), 0.0, np.sin(up + bend)])
    m = Model(gravity=(0, 0, -gravity), name="anthropomorphic arm")
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.point("top", (0, 0, HEIGHT))
    for frame in ("column", "upper_root", "fore_root"):
        m.frame(frame)
    m.node("middle", elbow)
    m.node("tip", tip)
    m.hinge("waist", "base", "column", (0, 0, 1))
    m.hinge("shoulder", "column", "upper_root", (0, -1, 0))
    m.hinge("elbow", "middle", "fore_root", (0, -1, 0))
    m.pin_body("column", ("base", "column"), "top")
    m.body(("base", "column"), 24.88, J=(0.2488, 0.2488, 0.1244), centre=(0, 0, HEIGHT / 2))
    soft = dict(flexible="all") if flexible else {}
    upright = (0, 0, 1)
    m.beam("upper", ("top", "upper_root"), "middle", section(0.699e11, 2640.0), y=upright, elements=elements, **soft)
    m.beam("fore", ("middle", "fore_root"), "tip", section(1.727e11, 1300.0), y=upright, elements=elements, **soft)
    return m
