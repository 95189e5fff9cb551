"""Planar double link of Damic and Cohodar (after Liu and Hong): two links of 8 m, both hinges driven, no gravity.

Table 1 and equations 21 and 22 of their paper: the inner hinge turns from upright to level in 10 s, the outer one
spins up to 1 rad/s in 10 s. The outer angle is taken between the end section of the inner link and the first section of
the outer one; the paper does not say.
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..sections import Section
from ..signals import Signal

LENGTH, T, SPEED = 8.0, 10.0, 1.0  # m, s, rad/s
E, RHO = 6.8952e10, 2766.7
INNER, OUTER = (3.84e-4, 1.5e-7), (7.3e-5, 8.218e-9)  # A (m^2), I (m^4)


def section(A: float, I: float) -> Section:
    """Doubly symmetric; only bending in the plane and elongation matter."""
    return Section(EA=E * A, EIy=E * I, EIz=E * I, GJ=E * I / 1.3, m=RHO * A, Jx=2 * RHO * I, Jy=RHO * I, Jz=RHO * I)


def motions() -> dict[str, Signal]:
    """Angles of the hinges, counted from both links upright."""
    w = 2 * np.pi / T
    k, a = -(np.pi / 2) / T, SPEED / (T * w**2)
    return {
        "shoulder.angle": Signal([(0, [0, k, 0, 0, 0, 0, -k / w, w, 0]), (T, [-np.pi / 2])]),
        "elbow.angle": Signal([(0, [-a, 0, SPEED / (2 * T), 0, 0, 0, a, w, np.pi / 2]), (T, [SPEED * T / 2, SPEED])]),
    }


def double_link(elements: int = 4, flexible: bool = True) -> Model:
    """The model, drawn upright; `elements` beams of the core per link."""
    m = Model(planar=True, name="double link")
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("root")
    m.node("middle", (0, LENGTH))
    m.frame("second")
    m.node("tip", (0, 2 * LENGTH))
    m.hinge("shoulder", "base", "root")
    m.hinge("elbow", "middle", "second")
    soft = dict(flexible=["bending", "elongation"]) if flexible else {}
    m.beam("inner", ("base", "root"), "middle", section(*INNER), elements=elements, **soft)
    m.beam("outer", ("middle", "second"), "tip", section(*OUTER), elements=elements, **soft)
    for name, signal in motions().items():
        m.prescribe(*name.split("."), signal)
    return m
