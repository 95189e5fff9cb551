"""Controllers: one description for all methods, continuous, sampled, from python-control and from a function."""

import numpy as np
import pytest
from _ami import TIGHT, arm, gap, link, run, slope, turn

import spacar_py as sp
from spacar_py.ami.control import from_control
from spacar_py.cases import manipulator
from spacar_py.signals import quintic

SOFT = sp.PID(6, 1, alpha=0.5)


def tip(result, first_order=False):
    return result.deviation("tip", first_order)


def difference(a, b):
    return np.abs(tip(a) - tip(b)).max()


def test_the_pid_is_the_papers_transfer_function():
    """H = kp (tI s + 1)/(tI s) (tD s + 1)/(alpha tD s + 1), kp = wb^2, tI = 6/wb, tD = 1.5/wb, alpha = 0.1."""
    s, wb = 3.0 + 7.0j, 12.0
    tI, tD, a = 6 / wb, 1.5 / wb, 0.1
    H = wb**2 * (tI * s + 1) / (tI * s) * (tD * s + 1) / (a * tD * s + 1)
    np.testing.assert_allclose(sp.PID(12).response(s), H * np.eye(3), rtol=1e-12, atol=1e-9)


def test_roll_off_is_one_more_pole():
    s = 2.0 + 40.0j
    more = 1 / (0.1 * 1.5 / 12 * s + 1)
    rolled = sp.PID(12, roll_off=True).response(s)
    np.testing.assert_allclose(rolled, sp.PID(12).response(s) * more, rtol=1e-9, atol=1e-9)


def test_each_joint_can_have_its_own_bandwidth():
    c = sp.PID([10.0, 12.0, 14.0])
    np.testing.assert_allclose(np.diag(c.kp), (100.0, 144.0, 196.0))


def test_pd_with_a_bandwidth():
    s = 1.0 + 2.0j
    np.testing.assert_allclose(sp.PD(10, 2).response(s), (100 + 14 * s) * np.eye(2))


def test_the_proportional_part_is_in_the_stiffness():
    """K0bar = K0 + G0 + N0 + wb^2 M0ee in the joint rows: the paper's equations 9 and 17."""
    from _ami import loop

    n, K = loop().nominal, loop().K
    plain = n.K0 + n.G0 + n.N0
    np.testing.assert_allclose((K - plain)[:, :3, :3], 144.0 * n.M0[:, :3, :3], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose((K - plain)[:, 3:], 0.0, atol=1e-6)


CONTROLLERS = {
    "PID": sp.PID(12, 1),
    "PID not scheduled": sp.Controller(*[sp.PID(12, 1).__dict__[k] for k in "ABCD"], kp=[[144.0]], scheduled=False),
    "PD": sp.PD(12, 1),
    "PD without feedforward": sp.PD(30, 1, feedforward=False),
    "PID without feedforward": sp.PID(12, 1, feedforward=False),
    "lead": sp.Controller([[-80.0]], [[1.0]], [[-9000.0]], [[400.0]]),
}


@pytest.mark.parametrize("name", sorted(CONTROLLERS))
def test_all_methods_take_the_same_controller(name):
    """Linear to nonlinear: second order in a deviation of some cm; AMI to linear: far less."""
    c = CONTROLLERS[name]
    full, lin, few = (turn(c, m) for m in (sp.GeneralizedAlpha(1e-7, 1e-10), sp.Perturbation(), sp.AMI(3)))
    largest = np.abs(tip(full)).max()
    assert difference(full, lin) < 0.5 * largest**2 + 0.005 * largest
    assert difference(lin, few) < 0.005 * largest


@pytest.mark.parametrize("name", sorted(CONTROLLERS))
def test_a_run_starts_in_equilibrium_with_any_controller(name):
    """Where nothing is to move, nothing moves: path of no length."""
    path = sp.JointPath({"drive.angle": 0.0}, T=0.5)
    for method in (sp.GeneralizedAlpha(1e-6, 1e-9), sp.Perturbation(20), sp.AMI(3, points=20)):
        r = sp.simulate(link(), path, CONTROLLERS[name], times=np.linspace(0, 0.5, 26), method=method)
        assert np.abs(r.dq - r.dq[0]).max() < 1e-8


def test_integral_action_holds_the_load_without_joint_error():
    assert turn(CONTROLLERS["PID"], sp.GeneralizedAlpha()).dq[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_proportional_action_without_feedforward_sags_by_load_over_gain():
    """(2 + 1/2) kg at 1 m under gravity against kp M0ee, M0ee = 2 + 1/3 kg m^2; statics of a stiff link."""
    sag = turn(CONTROLLERS["PD without feedforward"], sp.GeneralizedAlpha()).dq[0, 0]
    assert sag == pytest.approx(-9.81 * 2.5 / (900 * (2 + 1 / 3)), rel=0.02)


def test_a_controller_that_cannot_hold_the_load_is_refused():
    with pytest.raises(sp.InputError, match="feedforward only: cannot hold the manipulator at rest at the start"):
        sp.simulate(arm(), manipulator.path(), None, method=sp.AMI(4))


# python-control -----------------------------------------------------------------------------------------------------


def python_control_pid(control):
    s = control.tf("s")
    wb = 12.0
    tI, tD, a = 6 / wb, 1.5 / wb, 0.1
    return wb**2 * (tI * s + 1) * (tD * s + 1) / (tI * s * (a * tD * s + 1))


def test_a_transfer_function_of_python_control():
    control = pytest.importorskip("control")
    a, b = turn(CONTROLLERS["PID"], sp.AMI(3)), turn(from_control(python_control_pid(control), kp=[[144.0]]), sp.AMI(3))
    assert difference(a, b) < 1e-7


def test_a_state_space_system_of_python_control_goes_in_as_it_is():
    control = pytest.importorskip("control")
    one = control.ss(python_control_pid(control))
    many = control.append(one, one, one)
    assert gap(run(sp.Perturbation(), many), run(sp.Perturbation())).max() < 1e-7


def test_a_discrete_system_of_python_control_is_a_sampled_controller():
    control = pytest.importorskip("control")
    c = SOFT
    one = control.ss(c.A, c.B, c.C, c.D).sample(0.002, "tustin")
    assert difference(turn(one), turn(sp.Sampled(c, 0.002))) < 1e-8


def test_a_discrete_system_without_a_sample_time_is_refused():
    control = pytest.importorskip("control")
    with pytest.raises(sp.InputError, match="the discrete system has no sample time; give it one, dt=..."):
        turn(control.ss([[0.5]], [[1.0]], [[1.0]], [[1.0]], True))


# sampled ------------------------------------------------------------------------------------------------------------

METHODS = {"nonlinear": sp.GeneralizedAlpha(1e-6, 1e-9), "perturbation": sp.Perturbation(), "AMI": sp.AMI(3)}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_sampled_control_tends_to_continuous_control(name):
    """Holding the drives is a delay of half a sample: first order in Ts."""
    Ts = np.array([8e-3, 4e-3, 2e-3])
    continuous = turn(SOFT, METHODS[name])
    error = [difference(turn(sp.Sampled(SOFT, T), METHODS[name]), continuous) for T in Ts]
    assert slope(Ts, error) == pytest.approx(1.0, abs=0.15)


def test_sampled_control_of_the_manipulator_with_four_modes_tends_to_continuous_control():
    """The quasi-static part follows every sample at once, and its rate is not lost."""
    times, Ts = np.linspace(0, 1.2, 61), np.array([4e-3, 2e-3, 1e-3])
    continuous = run(sp.AMI(4), times=times)
    error = [gap(run(sp.AMI(4), sp.Sampled(sp.PID(12), T), times=times), continuous).max() for T in Ts]
    assert slope(Ts, error) == pytest.approx(1.0, abs=0.1)


def test_sampled_control_is_the_same_in_all_methods():
    c = sp.Sampled(SOFT, 0.005, delay=0.002)
    full, lin, few = (turn(c, METHODS[k]) for k in ("nonlinear", "perturbation", "AMI"))
    largest = np.abs(tip(full)).max()
    assert difference(full, lin) < 0.5 * largest**2 + 0.005 * largest
    assert difference(lin, few) < 0.005 * largest


def test_a_delay_of_the_drives_costs_phase_as_a_longer_sample_does():
    """Half a sample and the delay add up: 4 ms sampled without delay is 2 ms sampled with 1 ms of delay."""
    continuous = turn(SOFT)
    a = tip(turn(sp.Sampled(SOFT, 0.004))) - tip(continuous)
    b = tip(turn(sp.Sampled(SOFT, 0.002, delay=0.001))) - tip(continuous)
    assert np.abs(a - b).max() < 0.1 * np.abs(a).max()


def test_a_delay_longer_than_a_sample_keeps_the_order_of_the_drives():
    a = turn(sp.Sampled(SOFT, 0.002, delay=0.005))
    b = turn(sp.Sampled(SOFT, 0.001, delay=0.0055))
    assert difference(a, b) < 0.02 * np.abs(tip(a)).max()


def test_a_sampled_controller_without_integral_action_starts_where_the_continuous_one_rests():
    """A lead without feedforward: gain 100 at rest, 150 at high frequency; the link sags before it moves."""
    c = sp.Controller([[-30.0]], [[1.0]], [[-1500.0]], [[150.0]], feedforward=False)
    for method in (sp.Perturbation(), sp.GeneralizedAlpha()):
        a, b = turn(c, method), turn(sp.Sampled(c, 0.001, feedforward=False), method)
        assert a.dq[0, 0] < -0.05  # 24.5 Nm over 100 * 2.33 Nm
        np.testing.assert_allclose(b.dq[0], a.dq[0], atol=1e-12)
        assert difference(a, b) < 0.05 * np.abs(tip(a)).max()


def pd_function(t, de, ded):
    return -(60.0 * de + 6.0 * ded)


def test_a_python_function_is_a_controller():
    """The same PD as a function and as a Controller, both sampled."""
    pd = sp.PD(joints=1, kp=60.0, kd=6.0, scheduled=False)
    a = turn(sp.Sampled(pd, 0.002))
    b = turn(sp.Sampled(pd_function, 0.002, joints=1, kp=[[60.0]]))
    late = slice(100, None)  # the function starts with the drives that hold the load, the PD with its sag
    assert np.abs(tip(a) - tip(b))[late].max() < 0.02 * np.abs(tip(a)).max()


def test_a_python_function_acts_in_all_methods():
    c = sp.Sampled(pd_function, 0.002, joints=1, kp=[[60.0]])
    full, lin, few = (turn(c, METHODS[k]) for k in ("nonlinear", "perturbation", "AMI"))
    largest = np.abs(tip(full)).max()
    assert difference(full, lin) < 0.5 * largest**2 + 0.005 * largest
    assert difference(lin, few) < 0.02 * largest


# refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: sp.PID(0.0), "controller: bandwidth must be positive, got 0.0"),
        (lambda: sp.PID(12, tI=-1.0), "controller: tI must be positive, got -1.0"),
        (lambda: sp.PID([1.0, 2.0]), "controller: bandwidth must be a number or one for each of 3 joints"),
        (lambda: sp.PD(), "PD: give a bandwidth, or kp and kd"),
        (
            lambda: sp.Controller([[0.0]], [[1.0, 2.0]], [[1.0]], [[1.0]]),
            "controller: B must have 1 rows and 1 columns, got (1, 2)",
        ),
        (lambda: sp.Controller([[np.nan]], [[1.0]], [[1.0]], [[1.0]]), "controller: A must be finite"),
        (lambda: sp.Sampled(SOFT, 0.0), "sampled controller: Ts must be a positive finite number, got 0"),
        (lambda: sp.Sampled(SOFT, 0.1, -1.0), "sampled controller: delay must be a finite number, 0 at least, got -1"),
        (lambda: sp.Sampled(pd_function, 0.1), "sampled controller: a function needs joints=..., the number of drives"),
        (lambda: sp.Sampled("PID", 0.1), "sampled controller: needs a Controller or a function (t, de, ded) -> du"),
        (lambda: turn(sp.PID(12)), "PID: has 3 errors, but the model has 1 joints (drive.angle)"),
        (lambda: turn(pd_function), "a function needs a sample time, Sampled(function, Ts, joints=...)"),
        (lambda: sp.simulate(link(), None, SOFT, t_end=1.0), "simulate: a controller needs a path; give path=LinePath"),
        (
            lambda: turn(sp.Sampled(lambda t, e, ed: np.zeros(2), 0.1, joints=1)),
            "sampled controller: must return 1 finite drives, got [0. 0.] at t = 0",
        ),
    ],
)
def test_a_wrong_controller_is_refused(make, text):
    with pytest.raises(sp.InputError) as e:
        make()
    assert text in str(e.value)


def test_a_drive_needs_a_deformation():
    m = sp.Model(planar=True)
    m.point("cart", (0, 0))
    m.fix("cart", "y")
    m.dof("cart", "x")
    m.mass("cart", 1.0)
    m.node("top", (0, 1))
    m.frame("pole")
    m.beam("rod", ("cart", "pole"), "top", sp.Section(EIz=10.0, m=1.0), flexible="bending")
    m.fix("pole")
    path = sp.JointPath({"cart.x": quintic(0.0, 0.1, 1.0)}, T=1.0)
    message = "'cart.x' is a coordinate; a drive needs a deformation such as a hinge angle"
    with pytest.raises(sp.InputError, match=message):
        sp.simulate(m, path, sp.PID(12, 1), t_end=1.0)


def test_four_modes_of_a_tight_run_do_not_depend_on_the_order_of_the_integrator():
    a, b = run(sp.AMI(4, order=5, **TIGHT)), run(sp.AMI(4, order=8, **TIGHT))
    assert gap(a, b).max() < 1e-8
