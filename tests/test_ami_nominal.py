"""Nominal motion: drives, excitation and linearised equations along the path (reference values, section 6)."""

import numpy as np
import pytest
from _ami import arm, loop, nominal

import spacar_py as sp
from spacar_py.ami.ltv import at_times, coefficients, intervals
from spacar_py.ami.modal import modal_basis
from spacar_py.ami.nominal import nominal_motion
from spacar_py.ami.runs import nominal_result
from spacar_py.cases import manipulator
from spacar_py.signals import quintic, sine


@pytest.mark.parametrize("point, torques", [(0, (193.2374, 80.7128)), (-1, (468.6728, 195.7586))])
def test_nominal_torques_at_both_ends(point, torques):
    np.testing.assert_allclose(np.abs(nominal().u0[point, 1:]), torques, atol=1e-4)  # section 6, four decimals


def test_nominal_drives_are_those_of_inverse_dynamics():
    """The same model asked another way: `inverse_dynamics` with the same joint motion and no deformation."""
    n = nominal()
    k = slice(3, -3, 17)
    q, qd, qdd = n.Y[k, 0], n.Y[k, 1], n.Y[k, 2]
    r = sp.inverse_dynamics(arm(), n.t[k], q, qd, qdd)
    np.testing.assert_allclose(n.u0[k], r.rho[:, n.em], rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(n.sigma_eps0[k], -r.rho[:, n.flex], rtol=1e-10, atol=1e-9)


def test_the_first_drive_rests_at_both_ends():
    """Joint 1 is vertical: gravity does not load it."""
    np.testing.assert_allclose(nominal().u0[[0, -1], 0], 0.0, atol=1e-10)


@pytest.mark.parametrize("point, inertia", [(0, (9.64, 14.41, 14.93)), (-1, (56.70, 57.47, 14.93))])
def test_inertia_of_the_joints_at_both_ends(point, inertia):
    np.testing.assert_allclose(np.diag(nominal().M0[point])[:3], inertia, atol=5e-3)  # two decimals


def test_some_inertias_differ_by_a_factor_of_six():
    """The paper's reason to schedule the controller."""
    M = nominal().M0
    assert (M[-1, 0, 0] / M[0, 0, 0]) == pytest.approx(6.0, abs=0.2)


@pytest.mark.parametrize("point, omega", [(0, (11.17, 11.37, 12.10, 84.65)), (-1, (10.71, 10.77, 11.92, 123.44))])
def test_closed_loop_frequencies_at_both_ends(point, omega):
    np.testing.assert_allclose(modal_basis(loop()).omega[point, :4], omega, atol=5.5e-3)


def test_the_third_closed_loop_frequency_has_its_maximum_near_the_end():
    third = modal_basis(loop()).omega[:, 2]
    assert third.max() == pytest.approx(13.85, abs=0.01)
    assert loop().nominal.t[third.argmax()] == pytest.approx(0.91, abs=0.01)


def test_linearised_equations_do_not_depend_on_the_grid():
    """The same instant on two grids."""
    a, b = nominal(), nominal(1500)
    i, j = np.argmin(np.abs(a.t - 0.5)), np.argmin(np.abs(b.t - 0.5))
    assert a.t[i] == pytest.approx(b.t[j], abs=1e-12)
    np.testing.assert_allclose(a.mats[i], b.mats[j], rtol=1e-9, atol=1e-9 * np.abs(b.mats[j]).max())


def test_the_automatic_number_of_points_interpolates_the_mass_to_its_tolerance():
    a, b = nominal(), nominal(1500)
    M = at_times(intervals(a.t, a.pieces), coefficients(a.t, a.M0, a.pieces), b.t[:-1])
    assert np.abs(M - b.M0[:-1]).max() < 2e-6 * np.abs(b.M0).max()


def test_the_grid_has_both_limits_of_what_jumps_at_a_kink():
    """The acceleration of a trapezoidal profile jumps at the end of the ramp; so do the drives."""
    n = nominal_motion(arm(), manipulator.path("trapezoidal"), 48)
    end, start = n.pieces[0][1] - 1, n.pieces[1][0]
    assert n.t[start] - n.t[end] == pytest.approx(0.0, abs=1e-15)
    assert np.abs(n.u0[start] - n.u0[end]).max() > 10.0  # Nm


def test_the_state_before_the_start_has_no_acceleration():
    """A trapezoidal profile accelerates at once, but the arm waits at rest with its weight only: section 6 again."""
    n = nominal_motion(arm(), manipulator.path("trapezoidal"), 48)
    np.testing.assert_allclose(np.abs(n.start[1][n.em][1:]), (193.2374, 80.7128), atol=1e-4)
    assert np.abs(n.u0[0] - n.start[1][n.em]).max() > 10.0  # Nm


def test_the_final_state_is_at_rest_even_where_the_signal_goes_on():
    """A cosine from its trough to its crest: zero speed at T, but not zero acceleration."""
    path = sp.JointPath({"turret.angle": 0.1 * sine(1.0, np.pi, -np.pi / 2)}, T=1.0)
    n = nominal_motion(arm(), path, 40)
    assert n.at_rest
    assert n.u0[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert abs(n.u0[-2, 0]) > 1.0


def test_reactions_of_the_nominal_motion_carry_the_weight():
    """Vertical force of the fixed base at rest: all masses, 2.8 + 1.4 + 10 + 30 kg."""
    r = nominal_result(nominal(), np.array([0.0, 2.0]))
    np.testing.assert_allclose(np.abs(r["base"].force[:, 2]), 9.81 * 44.2, rtol=1e-9)


def test_loads_in_time_are_part_of_the_nominal_motion_and_of_its_kinks():
    m = manipulator.build()
    m.force("tip", (0, 0, -1), quintic(0.0, 50.0, 0.4, start=0.2))
    n = nominal_motion(m, manipulator.path(), 100)
    bare = nominal()
    assert {0.2, 0.6} <= set(np.round(n.t[[a for a, _ in n.pieces]], 12))
    lever = np.linalg.norm(n.X[-1, m.compile().nodes["point", "tip"][0] :][:2])
    assert n.u0[-1, 1] - bare.u0[-1, 1] == pytest.approx(50.0 * lever, rel=1e-9)


def test_a_python_load_is_evaluated_at_every_point():
    m = manipulator.build()
    m.force("tip", (0, 0, -1), lambda t: 50.0 * t)
    n, bare = nominal_motion(m, manipulator.path(), 40), nominal_motion(arm(), manipulator.path(), 40)
    arm_of = n.X[:, m.compile().nodes["point", "tip"][0] :][:, :2]
    lever = np.linalg.norm(arm_of, axis=1)
    np.testing.assert_allclose((n.u0 - bare.u0)[:, 1], 50.0 * n.t * lever, rtol=1e-9, atol=1e-9)


def test_a_force_without_derivatives_is_refused():
    m = manipulator.build()
    m.user_force("tip", lambda t, x, v: -x)
    with pytest.raises(sp.InputError, match="nominal motion: .* is a Python function, which has no derivatives"):
        nominal_motion(m, manipulator.path(), 10)


def test_too_few_points_are_refused():
    with pytest.raises(sp.InputError, match="nominal motion: points must be a whole number, 4 at least, got 3"):
        nominal_motion(arm(), manipulator.path(), 3)


def test_the_nominal_motion_can_be_asked_for_at_few_times():
    """Inverse kinematics keeps its posture however far apart the times are (angles of the triangle, elbow up)."""
    got = nominal().motion([0.0, 0.9, 2.0])[:, 0, :3]
    tip = [manipulator.path().rates(t)[0] for t in (0.0, 0.9, 1.0)]
    np.testing.assert_allclose(got, manipulator.joint_angles(tip) - manipulator.joint_angles(manipulator.A), atol=1e-12)


def test_a_motion_that_jumps_is_named_instead_of_followed_for_ever():
    from spacar_py import cases
    from spacar_py.modelfile import case_from_data, case_to_data

    data = case_to_data(cases.load("double_link"))
    data["elements"]["elbow"]["prescribed"]["angle"]["coefficients"][0][4] = 1e20
    case = case_from_data(data)
    with pytest.raises(sp.ConvergenceError, match="motion: elbow.angle must not jump, at t = .* take more points"):
        case.simulate("AMI")
