"""A pendulum of one rigid rod and a bob: the smallest case, for examples, tests and studies."""

from __future__ import annotations

from ..model import Model


def build(length: float = 1.0, mass: float = 1.0, gravity: float = 9.81, damping: float = 0.0) -> Model:
    """The pendulum drawn hanging, its angle about y counted from there; `damping` of the joint in N m s/rad."""
    m = Model(gravity=(0, 0, -gravity), name="pendulum")
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (0, 0, -length))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", mass)
    if damping:
        m.damper("joint", "angle", damping)
    return m


def case(length: float = 1.0, mass: float = 1.0, angle: float = 1.0, damping: float = 0.0, t_end: float = 5.0) -> dict:
    """Arguments of `simulate`: released at rest from `angle` (rad)."""
    return dict(model=build(length, mass, damping=damping), q0={"joint.angle": angle}, t_end=t_end)
