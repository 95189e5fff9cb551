"""Adaptive modal integration: accuracy by number of modes, corrections, clusters, automatic choice."""

import numpy as np
import pytest
from _ami import TIGHT, ami, arm, gap, loop, nonlinear, perturbation, run
from _linear_models import four_bar

import spacar_py as sp
from spacar_py.ami.modal import GAP, modal_basis
from spacar_py.cases import manipulator
from spacar_py.signals import quintic

MM = 1e-3


def to_perturbation(modes, correction="inertial"):
    return gap(ami(modes, correction), perturbation()) / MM


def test_three_modes_with_mode_acceleration():
    np.testing.assert_allclose(to_perturbation(3, "static"), (0.113, 0.191, 0.388), atol=1e-3)  # section 6


def test_four_modes_with_mode_acceleration():
    """Section 6: 0.161 0.040 0.007; the paper: at most about 0.15 mm, in x."""
    np.testing.assert_allclose(to_perturbation(4, "static"), (0.161, 0.040, 0.007), atol=1.5e-3)


def test_the_largest_error_of_four_modes_is_in_x_near_the_end_of_the_path():
    """Section 6: near 0.9 s; the paper: near 1.04 s."""
    d = np.abs(ami(4, "static").deviation("tip", True) - perturbation().deviation("tip", True))
    k, c = np.unravel_index(d.argmax(), d.shape)
    assert c == 0
    assert 0.8 < ami(4, "static").t[k] < 1.1


def test_the_inertia_of_the_quasi_static_part_makes_four_modes_exact_to_a_hundredth_of_a_millimetre():
    """Beyond the paper; section 6 has 0.036 mm with the inertia of F sigma0 alone."""
    assert to_perturbation(4).max() < 0.01


def test_three_modes_with_inertia_are_as_good_as_the_linearisation():
    """The paper's claim for three modes; linearisation errs by 0.17 mm."""
    assert to_perturbation(3).max() < 0.12


def test_plain_truncation_is_worse_by_orders():
    """Section 6: 15.7 mm in z with four modes."""
    plain = to_perturbation(4, "none")
    assert plain[2] == pytest.approx(15.7, abs=0.05)
    assert plain.max() > 50 * to_perturbation(4, "static").max()
    assert plain.max() > 1000 * to_perturbation(4).max()


def test_all_modes_kept_is_the_perturbation_method():
    """12 modes at tight tolerance: 1e-7 m asked for."""
    for correction in ("none", "static", "inertial"):
        assert gap(ami(12, correction), perturbation()).max() < 1e-8


@pytest.mark.parametrize("modes", range(3, 13))
def test_any_number_of_modes_is_within_what_three_give(modes):
    """Figure 6 of the paper: nothing is lost by more modes, and little is gained beyond the fourth."""
    assert to_perturbation(modes).max() <= 1.001 * to_perturbation(3).max()
    if modes > 3:
        assert to_perturbation(modes).max() < 0.011


def test_the_fifth_mode_costs_much_and_gains_nothing():
    """The paper's claim: the next frequency is 1472 rad/s after 85 to 123."""
    four, five = ami(4).info, ami(5).info
    assert five["rhs"] > 2.5 * four["rhs"]
    assert to_perturbation(5).max() > 0.9 * to_perturbation(4).max()


def test_four_modes_are_as_near_to_the_nonlinear_result_as_the_perturbation_method():
    a = gap(ami(4), nonlinear(), first_order=False).max()
    b = gap(perturbation(), nonlinear(), first_order=False).max()
    assert a == pytest.approx(b, rel=0.1)


@pytest.mark.parametrize("modes", [3, 4, 7])
@pytest.mark.parametrize("correction", ["static", "inertial"])
def test_the_start_is_the_static_equilibrium(modes, correction):
    np.testing.assert_allclose(ami(modes, correction).dq[0], perturbation().dq[0], atol=1e-12)


def test_rates_are_the_derivatives_of_the_deviations():
    """With the inertia of the quasi-static part v is d(dq)/dt; central differences at 5 ms leave w^2 h^2/6 of it."""
    r = ami(4)
    between = slice(20, 40)  # 0.1 to 0.2 s, inside a smooth piece
    rate = np.gradient(r.dq, r.t, axis=0)[between]
    v = (r.qd - r.nominal.qd)[between]
    assert np.abs(rate - v).max() < 0.05 * np.abs(v).max()


# controllers other than the paper's ---------------------------------------------------------------------------------


def test_rate_feedback_reaches_the_left_out_modes():
    """PD acts on joint rates that the left-out modes take part in; without the lagged correction 0.86 mm are lost."""
    pd = sp.PD(12)
    full = run(sp.Perturbation(**TIGHT), pd)
    assert gap(run(sp.AMI(4, **TIGHT), pd), full).max() < 0.05 * MM
    assert gap(run(sp.AMI(4, "static", **TIGHT), pd), full).max() > 1.0 * MM


def test_a_jump_of_the_acceleration_costs_nothing():
    """Trapezoidal profile: the quasi-static part jumps at the kinks and leaves a step in the momentum of the modes."""
    full = run(sp.Perturbation(400, **TIGHT), profile="trapezoidal")
    assert gap(run(sp.AMI(4, points=400, **TIGHT), profile="trapezoidal"), full).max() < 0.01 * MM


def test_the_open_loop_keeps_its_rigid_modes():
    """Without gravity and feedback K0bar is singular at rest; the three rigid modes are kept, the fourth vibrates."""
    m = manipulator.build(gravity=0.0, damping=manipulator.DAMPING)
    times = np.linspace(0, 1.2, 121)
    common = dict(points=400, **TIGHT)
    full = sp.simulate(m, manipulator.path(), None, times=times, method=sp.Perturbation(**common))
    four = sp.simulate(m, manipulator.path(), None, times=times, method=sp.AMI(4, **common))
    assert gap(four, full).max() < 0.01 * np.abs(full.deviation("tip", True)).max()


# the carried basis --------------------------------------------------------------------------------------------------


def test_kept_modes_are_separated_into_clusters():
    """11 to 14 rad/s, then 85 to 130, then above 1400."""
    basis = modal_basis(loop())
    assert [c[:2] for c in basis.clusters(4)] == [(0, 3), (3, 4)]


def test_a_carried_basis_is_orthonormal_and_spans_the_lowest_modes():
    basis = modal_basis(loop())
    Phi, Psi = basis.carried(4)
    both = np.concatenate([Phi, Psi], axis=2)
    unit = np.swapaxes(both, 1, 2) @ basis.M0 @ both
    np.testing.assert_allclose(unit, np.broadcast_to(np.eye(12), unit.shape), atol=1e-9)
    left = np.swapaxes(basis.V[:, :, 4:], 1, 2) @ basis.M0 @ Phi
    assert np.abs(left).max() < 1e-9


def test_a_carried_basis_does_not_turn_within_its_space():
    """Phi_k^T M0 Phi_(k-1) is symmetric by the polar factor; single modes turn into each other by 0.1 rad a step."""
    basis = modal_basis(loop())

    def turn(B):
        step = np.swapaxes(B[1:], 1, 2) @ basis.M0[1:] @ B[:-1]
        return np.abs(step - np.swapaxes(step, 1, 2)).max() / 2

    assert turn(basis.carried(3)[0]) < 1e-12
    assert turn(basis.V[:, :, :3]) > 0.05


def test_a_cut_through_a_cluster_is_carried_smoothly():
    """Two of the three soft modes: the third, which comes within a quarter of them, belongs to the cluster."""
    basis = modal_basis(loop())
    assert basis.clusters(2) == [(0, 2, 3)]
    assert np.any(basis.omega[:, 2] < GAP * basis.omega[:, 1])
    Phi = basis.carried(2)[0]
    step = np.swapaxes(Phi[1:], 1, 2) @ basis.M0[1:] @ Phi[:-1]
    assert np.linalg.svd(step)[1].min() > 0.99


def test_a_cut_through_a_cluster_loses_accuracy_but_not_stability():
    for modes in (1, 2):
        error = gap(run(sp.AMI(modes)), perturbation()).max()
        assert 0.5 * MM < error < 10.0 * MM  # the deviation is 20 mm


def boom(elements=2):
    """Spatial boom on a vertical joint, the same stiffness in both planes: all its bending modes are pairs."""
    m = sp.Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("root")
    m.node("tip", (1, 0, 0))
    m.hinge("slew", "base", "root", (0, 0, 1))
    m.beam("boom", ("base", "root"), "tip", sp.Section(EIy=300.0, EIz=300.0, m=1.0), y=(0, 1, 0), elements=elements,
           flexible="bending", damping=1e-4)  # fmt: skip
    m.mass("tip", 1.0)
    return m


def test_pairs_of_modes_and_a_cut_through_a_pair():
    """With a stiff drive the modes of both planes are nearly equal; odd numbers of modes cut a pair in two."""
    m, path, c = boom(), sp.JointPath({"slew.angle": quintic(0.0, 1.0, 0.5)}, T=0.5), sp.PD(60, 1)
    times = np.linspace(0, 0.8, 161)
    full = sp.simulate(m, path, c, times=times, method=sp.Perturbation(**TIGHT))
    largest = np.abs(full.deviation("tip", True)).max()
    errors = [gap(sp.simulate(m, path, c, times=times, method=sp.AMI(k, **TIGHT)), full).max() for k in range(1, 8)]
    assert max(errors[2:]) < 0.01 * largest
    assert errors[-1] < 1e-3 * largest


def test_a_mechanism_with_a_loop():
    """Four-bar with flexible crank and coupler: one mode and its quasi-static part is near the five of the full one."""
    m, path, c = four_bar(), sp.JointPath({"drive.angle": quintic(0.0, -0.6, 0.5)}, T=0.5), sp.PID(20, 1)
    times = np.linspace(0, 0.8, 161)
    full = sp.simulate(m, path, c, times=times, method=sp.Perturbation(**TIGHT))
    largest = np.abs(full.deviation("C", True)).max()
    error = {
        k: gap(sp.simulate(m, path, c, times=times, method=sp.AMI(k, **TIGHT)), full, "C").max() for k in (1, 2, 4, 5)
    }
    assert error[1] < 0.005 * largest
    assert error[4] < 0.0005 * largest
    assert error[5] < 1e-8
    nonlinear = sp.simulate(m, path, c, times=times, method=sp.GeneralizedAlpha(1e-7, 1e-10))
    assert gap(full, nonlinear, "C", False).max() < 0.05 * largest


def test_single_modes_are_followed_for_pictures():
    """The same frequencies, in an order that does not break where two cross."""
    basis = modal_basis(loop())
    followed = basis.followed()
    np.testing.assert_allclose(np.sort(followed, axis=1), np.sort(basis.omega, axis=1))


# modes="auto" -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tol, modes", [(5e-3, 2), (1e-3, 3), (2e-4, 3), (1e-4, 4), (2e-5, 4)])
def test_the_smallest_sufficient_number_of_modes_is_chosen(tol, modes):
    """True errors (m): 9e-3, 1.7e-3, 1.2e-4, 6e-6 with 1, 2, 3, 4 modes."""
    assert run(sp.AMI("auto", tol=tol)).info["modes"] == modes


@pytest.mark.parametrize("correction, modes", [("inertial", 3), ("inertial", 4), ("static", 3), ("static", 4)])
def test_the_estimated_error_is_of_the_right_size(correction, modes):
    from spacar_py.ami.estimate import left_out_error
    from spacar_py.ami.modal import reduce
    from spacar_py.ami.runs import led_rows

    method, lp = sp.AMI(modes, correction), loop()
    reduction = reduce(lp, modal_basis(lp), modes, correction)
    estimate = left_out_error(reduction, led_rows(lp.nominal), lambda ltv: method.trial(lp, ltv))
    true = MM * to_perturbation(modes, correction).max()
    assert true / 2 < estimate < 2 * true


def test_a_strict_tolerance_takes_all_modes():
    info = run(sp.AMI("auto", tol=1e-12)).info
    assert info["modes"] == 12
    assert info["estimated_error"] < 1e-8


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: sp.AMI(0), "AMI: modes must be a whole number, 1 at least, got 0"),
        (lambda: sp.AMI(4.0), "AMI: modes must be a whole number, 1 at least, got 4.0"),
        (lambda: sp.AMI(4, "inertia"), "AMI: correction must be one of inertial, static, none, got 'inertia'"),
        (lambda: run(sp.AMI(13)), "AMI: modes must be at most the 12 degrees of freedom, got 13"),
    ],
)
def test_wrong_options_are_refused(make, text):
    with pytest.raises(sp.InputError) as e:
        make()
    assert text in str(e.value)


def test_an_unstable_loop_is_named_with_its_time():
    with pytest.raises(sp.ConvergenceError, match=r"AMI: the closed loop is unstable, at t = \d"):
        run(sp.AMI(4), manipulator.controller(roll_off=True), times=np.linspace(0, 4, 401))


def test_the_model_is_not_touched():
    before = arm().compile()
    run(sp.AMI(4))
    assert arm().compile() is before
