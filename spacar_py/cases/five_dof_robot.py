"""Robot with five degrees of freedom (Z. Wang and Y. Tao, kineto-static analysis by vector bond graphs).

A column (body 1) moves and turns on a vertical cylindrical joint, an arm (body 2) moves and turns on a horizontal one,
a hand (body 3) turns on a revolute joint. Masses, inertias, c and L are printed; the figure that places them is lost.

Geometry assumed, axes of space at the start of the drawing (all coordinates zero): z upwards, y along the arm. Mass
centre of the column at the origin; the arm's slide along y passes c above it; mass centre of the arm in its middle, on
the slide; revolute joint at the arm's end, L from its mass centre, about x; mass centre of the hand L further along y.
The axes x, y, z of each inertia are those of space in the drawing. Gravity 9.81 downwards.
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..signals import Signal, sine

MASSES = (250.0, 150.0, 100.0)
INERTIAS = ((90.0, 10.0, 90.0), (13.0, 0.75, 13.0), (4.0, 1.0, 4.3))
C, L = 0.05, 0.50


def five_dof_robot(gravity: float = 9.81, c: float = C, length: float = L) -> Model:
    """The model: `lift` (cylinder along z), `arm` (cylinder along y), `hand` (hinge about x)."""
    m = Model(gravity=(0, 0, -gravity), name="five-degree-of-freedom robot")
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.node("column", (0, 0, 0))
    m.point("slide", (0, 0, c))
    m.node("arm", (0, 0, c))
    m.point("wrist", (0, length, c))
    m.frame("hand")
    m.cylinder("lift", "base", "column", axis=(0, 0, 1), y=(1, 0, 0), dof=("displacement", "angle"))
    m.pin_body("saddle", "column", "slide")
    m.cylinder("slide", ("slide", "column"), "arm", axis=(0, 1, 0), y=(1, 0, 0), dof=("displacement", "angle"))
    m.pin_body("forearm", "arm", "wrist")
    m.hinge("wrist", "arm", "hand", axis=(1, 0, 0), y=(0, 1, 0), dof="angle")
    m.body("column", MASSES[0], J=INERTIAS[0])
    m.body("arm", MASSES[1], J=INERTIAS[1])
    m.body(("wrist", "hand"), MASSES[2], J=INERTIAS[2], centre=(0, length, 0))
    return m


def motion() -> dict[str, Signal]:
    """Zc1 = cos pi t, th1 = sin pi t, Yc2 = cos 2 pi t, th2 = sin 2 pi t, th3 = sin 3 pi t."""
    pi = np.pi
    return {
        "lift.displacement": sine(1.0, pi, pi / 2),
        "lift.angle": sine(1.0, pi),
        "slide.displacement": sine(1.0, 2 * pi, pi / 2),
        "slide.angle": sine(1.0, 2 * pi),
        "wrist.angle": sine(1.0, 3 * pi),
    }
