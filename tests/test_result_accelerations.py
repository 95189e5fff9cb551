"""What a simulation reports beyond its states must obey the equations of motion at every point."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.signals import polynomial


def driven_pendulum():
    """A driven rod of 1 m with 2 kg, and a free one of 1 m with 1 kg hanging on it."""
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    for frame, point, x in (("swing", "bob", 1.0), ("second", "end", 2.0)):
        m.frame(frame)
        m.point(point, (x, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.hinge("knee", "swing", "second", axis=(0, 1, 0))
    m.rigid_beam("shank", ("bob", "second"), "end")
    m.mass("bob", 2.0)
    m.mass("end", 1.0)
    m.prescribe("joint", "angle", polynomial(0, 0.2, 0.15))
    return m


def test_reported_acceleration_is_the_rate_of_the_reported_velocity():
    r = sp.simulate(driven_pendulum(), t_end=1.0, points=2001)
    rate = np.gradient(r["end"].v, r.t, axis=0)
    assert np.abs(rate - r["end"].a)[2:-2].max() < 1e-4 * np.abs(rate).max()  # central differences, step 0.5 ms


def test_support_carries_weight_and_inertia():
    r = sp.simulate(driven_pendulum(), t_end=1.0, points=101)
    # Newton for the whole: support + weight = sum of m a
    need = 2.0 * r["bob"].a + 1.0 * r["end"].a + 3.0 * np.array([0, 0, 9.81])
    np.testing.assert_allclose(r["pivot"].force, need, atol=1e-9)


def test_turning_rod_needs_its_inertia_torque_and_its_weight():
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (1, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", 2.0)
    m.prescribe("joint", "angle", polynomial(0, 0.2, 0.15))
    r = sp.simulate(m, t_end=1.0, points=11)
    angle = r.dof("joint.angle")  # about y: downwards
    assert r.drive[:, 0] == pytest.approx(2 * 0.3 - 2 * 9.81 * np.cos(angle), rel=1e-12)
