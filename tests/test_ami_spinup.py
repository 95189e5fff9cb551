"""Spin-up of a flexible beam, linearised about the rigid spin (Wu and Haug; reference values, section 5)."""

from functools import cache

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.signals import Signal

T, SPEED = 15.0, 4.0
TIMES = np.linspace(0.0, T, 3001)
REFERENCE = -0.532654  # minimum of the tip deflection, m; independent calculation, converged to 1e-4
PLAIN = {1: -0.536119, 2: -0.532093, 3: -0.532712, 5: -0.532660}  # the same with fixed modes and no static correction


def spin() -> Signal:
    """theta = 60 (tau^2/2 + (cos 2 pi tau - 1)/(2 pi)^2), tau = t/15, then 4 rad/s."""
    w = 2 * np.pi / T
    a = 60 / (2 * np.pi) ** 2
    return Signal([(0.0, [-a, 0, 30 / T**2, 0, 0, 0, a, w, np.pi / 2]), (T, [30.0, SPEED])])


@cache
def beam(elements: int) -> sp.Model:
    """8 m, EI 566, m .201; shear and rotary inertia shift the minimum by less than 1e-5 of it and are left out."""
    m = sp.Model(planar=True, name="spin-up")
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (8, 0))
    m.hinge("drive", "hub", "arm")
    m.prescribe("drive", "angle", spin())
    m.beam("beam", ("hub", "arm"), "tip", sp.Section(EIz=566.0, m=0.201), elements=elements, flexible="bending")
    return m


THETA = np.array([spin()(t) for t in TIMES])


def deflection(result, first_order=True):
    """Transverse tip deflection in the turning frame."""
    d = result.deviation("tip", first_order)
    return np.cos(THETA) * d[:, 1] - np.sin(THETA) * d[:, 0]


@cache
def linear(elements: int, modes: int | str = 0, correction: str = "inertial"):
    tight = dict(rtol=1e-8, atol=1e-11)
    method = sp.AMI(modes, correction, **tight) if modes else sp.Perturbation(**tight)
    return sp.simulate(beam(elements), times=TIMES, method=method)


def test_the_prescribed_spin_is_the_nominal_motion():
    """No joint, no controller: the hinge is the model's own prescribed motion."""
    r = linear(4)
    np.testing.assert_allclose(r.nominal["tip"].x, 8 * np.column_stack([np.cos(THETA), np.sin(THETA)]), atol=1e-10)
    assert r.dq.shape[1] == 8  # two bending deformations in each of four elements, nothing else


def test_minimum_of_the_deflection():
    y = deflection(linear(8, 5))
    assert y.min() == pytest.approx(REFERENCE, abs=1e-4)
    assert TIMES[y.argmin()] == pytest.approx(6.763, abs=6e-3)  # points are 5 ms apart


@pytest.mark.parametrize(
    "t, value", [(2.5, -0.142422), (5.0, -0.421616), (7.5, -0.519586), (10.0, -0.347098), (12.5, -0.110126)]
)
def test_deflection_at_five_times(t, value):
    assert deflection(linear(8, 5))[int(round(t / T * 3000))] == pytest.approx(value, abs=1e-4)


def test_the_deflection_converges_with_the_elements():
    error = [abs(deflection(linear(n, min(4, 2 * n))).min() - REFERENCE) for n in (2, 4, 8)]
    assert error[0] > 10 * error[1] > 50 * error[2]


@pytest.mark.parametrize("modes", [1, 2, 3])
@pytest.mark.parametrize("correction", ["static", "inertial"])
def test_the_left_out_modes_quasi_statically_beat_the_plain_ones(modes, correction):
    """Against all 8 modes of the same mesh; the listed plain values against their own limit."""
    error = abs(deflection(linear(4, modes, correction)).min() - deflection(linear(4)).min())
    assert error < 0.02 * abs(PLAIN[modes] - REFERENCE)


def test_carried_modes_without_correction_beat_fixed_ones():
    """One mode that follows the stiffening of the spin: less error than one fixed mode, -.536119."""
    error = abs(deflection(linear(4, 1, "none")).min() - deflection(linear(4)).min())
    assert error < 0.75 * abs(PLAIN[1] - REFERENCE)


def test_the_error_falls_with_the_number_of_modes():
    full = deflection(linear(4))
    error = [np.abs(deflection(linear(4, k)) - full).max() for k in (1, 2, 3)]
    assert error[0] > 3 * error[1] > 9 * error[2]


def test_one_mode_is_found_sufficient():
    info = linear(4, "auto").info
    assert info["modes"] == 1
    true = np.abs(deflection(linear(4, 1)) - deflection(linear(4))).max()
    assert true / 3 < info["estimated_error"] < 3 * true


def test_the_nonlinear_minimum():
    """-.530575 by another program, within 0.5 %."""
    r = sp.simulate(beam(4), times=TIMES, method=sp.GeneralizedAlpha(1e-6, 1e-8))
    x = r["tip"].x
    y = np.cos(THETA) * x[:, 1] - np.sin(THETA) * x[:, 0]
    assert y.min() == pytest.approx(-0.530575, rel=5e-3)


def test_a_beam_that_already_spins_starts_in_its_steady_state():
    """Constant speed, a mass off the axis of the beam: the deflection at the start is the one that stays."""
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (1, 0.2))
    m.node("start", (0.2, 0))
    m.hinge("drive", "hub", "arm")
    m.prescribe("drive", "angle", Signal([(0.0, [0.0, 5.0])]))
    m.rigid_beam("rim", ("hub", "arm"), "start")
    m.beam("beam", ("start", "arm"), "tip", sp.Section(EIz=50.0, m=0.2), flexible="bending", damping=1e-3)
    m.mass("tip", 0.5)
    r = sp.simulate(m, t_end=0.5, method=sp.Perturbation(40))
    assert np.abs(r.dq[0]).max() > 1e-3
    np.testing.assert_allclose(r.dq, np.broadcast_to(r.dq[0], r.dq.shape), atol=1e-8)


def test_a_model_without_prescribed_motion_needs_a_path():
    m = sp.Model(planar=True)
    m.node("root", (0, 0))
    m.fix("root")
    m.node("tip", (1, 0))
    m.beam("beam", "root", "tip", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    with pytest.raises(sp.InputError, match="path: the model prescribes no motion; give a path"):
        sp.simulate(m, t_end=1.0, method=sp.AMI(1))


def test_the_end_of_the_time_is_needed():
    with pytest.raises(sp.InputError, match="simulate: needs t_end or times"):
        sp.simulate(beam(2), method=sp.AMI(1))


def test_output_times_may_lie_turns_apart():
    """Four times in 15 s and 30 rad: the same deflection as on the fine grid."""
    r = sp.simulate(beam(4), times=np.array([0.0, 5.0, 10.0, 15.0]), method=sp.AMI(3, rtol=1e-8, atol=1e-11))
    np.testing.assert_allclose(r.deviation("tip"), linear(4, 3).deviation("tip")[::1000], atol=1e-6)
