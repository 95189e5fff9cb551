"""Stability of the loop at frozen points of the path: the paper's section 3.2 and figure 4."""

import numpy as np
import pytest
from _ami import loop, run

import spacar_py as sp
from spacar_py.ami.frequency import closed_loop, eigenvalues, margins, margins_along, open_loop
from spacar_py.cases import manipulator


def vibration(lam):
    """The least damped eigenvalue between 60 and 200 rad/s, upper half plane."""
    lam = lam[(lam.imag > 60) & (lam.imag < 200)]
    return lam[lam.real.argmax()]


@pytest.mark.parametrize(
    "roll_off, t, value",
    [(False, 0.0, -5.0 + 92.9j), (False, 1.0, -6.3 + 144.9j), (True, 0.0, 0.95 + 90.4j), (True, 1.0, 5.7 + 135.6j)],
)
def test_eigenvalues_of_the_vibration_mode(roll_off, t, value):
    lam = eigenvalues(loop(roll_off), t)
    near = lam[np.argmin(np.abs(lam - value))]
    assert near == pytest.approx(value, abs=0.08)  # section 6, printed to a decimal, either part


def test_the_papers_controller_is_stable_along_the_whole_path():
    for t in np.linspace(0, 1, 11):
        assert eigenvalues(loop(), t).real.max() < 1e-9


def test_an_additional_pole_makes_the_vibration_mode_unstable_most_in_the_final_posture():
    worst = [vibration(eigenvalues(loop(True), t)).real for t in (0.0, 1.0)]
    assert 0 < worst[0] < worst[1]


@pytest.mark.parametrize("t", [0.0, 1.0])
def test_the_phase_margin_is_positive_with_the_papers_controller(t):
    m = margins(loop(), t, "turret.angle")
    assert m.stable
    assert m.phase > 0.1


@pytest.mark.parametrize("t", [0.0, 1.0])
def test_the_phase_margin_at_the_vibration_mode_is_lost_with_the_additional_pole(t):
    m = margins(loop(True), t, "turret.angle")
    assert not m.stable
    assert m.phase < 0
    assert 60 < m.omega_phase < 200


def test_margins_along_the_path_say_where_the_loop_is_weakest():
    times = np.linspace(0, 1, 5)
    with_pole = margins_along(loop(True), "turret.angle", times)
    assert [m.stable for m in margins_along(loop(), "turret.angle", times)] == [True] * 5
    assert [m.stable for m in with_pole] == [False] * 5
    assert with_pole[-1].phase == min(m.phase for m in with_pole)


TIMES = np.linspace(0, 1.8, 901)


def growth(result):
    """Exponent (1/s) of the turret's vibration after the end of the path."""
    x = result.dq[:, 0]
    early, late = (np.ptp(x[(TIMES > a) & (TIMES <= a + 0.2)]) for a in (1.3, 1.6))
    return np.log(late / early) / 0.3


def test_the_vibration_mode_grows_in_a_simulation_with_the_additional_pole():
    """With the real part of the eigenvalue in the final posture, 5.7 /s (section 6)."""
    assert growth(run(sp.AMI(4), manipulator.controller(roll_off=True), times=TIMES)) == pytest.approx(5.7, abs=0.3)


def test_the_same_simulation_with_the_papers_controller_comes_to_rest():
    assert growth(run(sp.AMI(4), times=TIMES)) < -2.0


def test_the_nonlinear_simulation_is_unstable_too():
    """At amplitudes of 0.1 rad, where the growth is no longer quite exponential."""
    full = run(sp.GeneralizedAlpha(1e-5, 1e-8), manipulator.controller(roll_off=True), times=TIMES)
    assert growth(full) == pytest.approx(5.7, abs=1.5)


def test_the_open_loop_is_the_rigid_one_well_below_the_vibration():
    """Rigid joints decoupled by M0ee: L = H(s)/s^2, H from the paper's equation 14."""
    w, wb, a = 3.0, 12.0, 0.1
    s, tI, tD = 1j * w, 6 / wb, 1.5 / wb
    H = wb**2 * (tI * s + 1) / (tI * s) * (tD * s + 1) / (a * tD * s + 1)
    L = open_loop(loop(), 0.0, [w], "turret.angle")[0]
    assert abs(L - H / s**2) < 0.03 * abs(L)  # (w/34)^2 of flexibility


def test_the_additional_pole_is_one_more_lag_in_the_open_loop():
    w = np.array([5.0, 50.0, 500.0])
    plain, more = (open_loop(loop(r), 1.0, w, 0) for r in (False, True))
    np.testing.assert_allclose(more, plain / (0.1 * 1.5 / 12 * 1j * w + 1), rtol=1e-9)


def test_the_loop_of_one_joint_has_the_others_closed():
    """Broken at one joint only, L_j = -1 at an eigenvalue of the whole loop."""
    lam = vibration(eigenvalues(loop(), 0.5))
    for joint in range(3):
        assert open_loop(loop(), 0.5, [lam / 1j], joint)[0] == pytest.approx(-1.0, abs=1e-4)


def test_the_first_joint_is_a_loop_of_its_own_and_the_other_two_are_coupled():
    """The paper's observation, in the initial posture (the arm's plane is a plane of symmetry)."""
    L = np.abs(open_loop(loop(), 0.0, [30.0])[0])
    assert max(L[0, 1], L[0, 2], L[1, 0], L[2, 0]) < 1e-9 * L[0, 0]
    assert L[1, 2] > 1e-3 * L[1, 1]


def test_the_closed_loop_is_the_open_one_fed_back():
    w = [2.0, 20.0]
    L, T = open_loop(loop(), 0.5, w), closed_loop(loop(), 0.5, w)
    np.testing.assert_allclose(T, np.linalg.solve(np.eye(3) + L, L), rtol=1e-12)


def test_the_frozen_loop_has_the_poles_of_its_characteristic_equation():
    """det(1 + L(s)) = 0 at a closed-loop eigenvalue: the two descriptions of the loop agree."""
    lp = loop()
    lam = vibration(eigenvalues(lp, 1.0))
    L = open_loop(lp, 1.0, [lam / 1j])[0]
    assert abs(np.linalg.det(np.eye(3) + L)) < 1e-6


def test_an_unknown_joint_is_refused():
    with pytest.raises(sp.InputError, match=r"open loop: there is no joint 'turret' \(did you mean 'turret.angle'\?\)"):
        margins(loop(), 0.0, "turret")


def test_a_joint_number_out_of_range_is_refused():
    with pytest.raises(sp.InputError, match="open loop: joint must be 0 to 2 or a name, got 3"):
        margins(loop(), 0.0, 3)


def test_a_time_beyond_the_path_is_refused():
    with pytest.raises(sp.InputError, match="open loop: t must lie between 0 and 1 s, got 1.5"):
        open_loop(loop(), 1.5, [1.0])
