"""The integrators themselves: orders as fitted slopes, tolerances, dense output, kinks, stiffness, messages."""

import numpy as np
import pytest
from _bodies import pendulum, slope
from scipy.special import ellipj, ellipk

import spacar_py as sp
from spacar_py.signals import Signal, polynomial, ramp

G = 9.81
TIGHT = sp.RungeKutta(order=8, rtol=1e-12, atol=1e-13)


def exact_pendulum(t, amplitude=np.pi / 2):
    """Angle of `pendulum` released at rest, from the level position: -pi/2 + 2 asin(k sn(K + w t, k))."""
    k = np.sin(amplitude / 2)
    sn = ellipj(ellipk(k**2) + np.sqrt(G) * np.asarray(t), k**2)[0]
    return -np.pi / 2 + 2 * np.arcsin(k * sn)


def error(method, t_end=2.0, points=2):
    r = sp.simulate(pendulum(), t_end=t_end, points=points, method=method)
    return np.abs(r.q[:, 0] - exact_pendulum(r.t)).max(), r


@pytest.mark.parametrize("order, steps", [(5, (40, 60, 80, 120)), (8, (10, 12, 16, 22))])
def test_runge_kutta_converges_with_its_order(order, steps):
    # tolerances that never bind give equal steps
    errors = [error(sp.RungeKutta(order, rtol=1e3, atol=1e3, max_step=1.0 / n), t_end=1.0)[0] for n in steps]
    assert slope(1 / np.array(steps), errors) == pytest.approx(order, abs=0.6)


@pytest.mark.parametrize("radius", [0.3, 0.8, 1.0])
def test_generalised_alpha_converges_with_second_order(radius):
    steps = np.array([200, 400, 800, 1600])
    errors = [error(sp.GeneralizedAlpha(rtol=1e-9, atol=1e-12, radius=radius, step=2.0 / n))[0] for n in steps]
    assert slope(1 / steps, errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("order", [5, 8])
def test_error_of_runge_kutta_follows_its_tolerance(order):
    tolerances = 10.0 ** -np.arange(5, 10)
    errors = [error(sp.RungeKutta(order, rtol=tol, atol=tol))[0] for tol in tolerances]
    assert np.all(np.array(errors) < 50 * tolerances)  # errors of all steps add up
    assert slope(tolerances, errors) == pytest.approx(1.0, abs=0.3)


def test_error_of_generalised_alpha_follows_its_tolerance():
    tolerances = 10.0 ** -np.arange(4, 8)
    errors = [error(sp.GeneralizedAlpha(rtol=tol, atol=tol))[0] for tol in tolerances]
    # error h^3 per step, kept at the tolerance, and h^2 in all
    assert slope(tolerances, errors) == pytest.approx(2 / 3, abs=0.15)
    assert errors[-1] < 2e-4


@pytest.mark.parametrize("order", [5, 8])
def test_dense_output_is_as_good_as_the_steps(order):
    at_end, _ = error(sp.RungeKutta(order, rtol=1e-8, atol=1e-8))
    between, r = error(sp.RungeKutta(order, rtol=1e-8, atol=1e-8), points=1001)
    assert r.info["steps"] < 200
    assert between < 20 * max(at_end, 1e-8)  # the interpolant of the order 5 is of order 4


def test_output_points_do_not_change_the_steps():
    few, many = (sp.simulate(pendulum(), t_end=2.0, points=n) for n in (2, 501))
    assert few.info["steps"] == many.info["steps"]
    np.testing.assert_array_equal(few.q[-1], many.q[-1])


@pytest.mark.parametrize("method", [sp.RungeKutta(5), sp.RungeKutta(8), sp.GeneralizedAlpha()], ids=["5", "8", "alpha"])
def test_results_are_the_same_to_the_last_bit_every_time(method):
    a, b = (sp.simulate(pendulum(), t_end=1.0, points=11, method=method) for _ in range(2))
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.sigma, b.sigma)


def test_progress_is_reported_and_changes_nothing():
    seen = []
    method = sp.RungeKutta(5, max_step=1e-3)
    a = sp.simulate(pendulum(), t_end=3.0, points=5, method=method, progress=seen.append)
    b = sp.simulate(pendulum(), t_end=3.0, points=5, method=method)
    assert len(seen) >= 3 and seen == sorted(seen) and seen[-1] == 1.0
    np.testing.assert_array_equal(a.q, b.q)


# stiffness ------------------------------------------------------------------------------------------------------------


def stiff_arm():
    """A pendulum of a stiff beam: it swings at 4 rad/s and vibrates at up to 1e5 rad/s."""
    m = sp.Model(gravity=(0, -G), planar=True)
    m.node("pivot", (0, 0))
    m.fix("pivot")
    m.frame("root")
    m.node("tip", (1, 0))
    m.hinge("joint", "pivot", "root")
    m.beam("rod", ("pivot", "root"), "tip", sp.Section(EA=1e9, EIz=1e6, m=1.0), elements=2, flexible="all")
    return m


def test_stiff_model_takes_far_fewer_implicit_steps():
    explicit = sp.simulate(stiff_arm(), t_end=0.05, points=2, method=sp.RungeKutta(5, 1e-4, 1e-6))
    implicit = sp.simulate(stiff_arm(), t_end=1.0, points=21, method=sp.GeneralizedAlpha(1e-4, 1e-6))
    assert explicit.info["steps"] / 0.05 > 50 * implicit.info["steps"] / 1.0
    # a rigid uniform bar swings as a pendulum of length 2/3
    k2 = 0.5
    sn = ellipj(ellipk(k2) + np.sqrt(1.5 * G) * implicit.t, k2)[0]
    exact = -np.pi / 2 + 2 * np.arcsin(np.sqrt(k2) * sn)
    np.testing.assert_allclose(implicit.dof("joint.angle"), exact, atol=5e-3)


def test_spectral_radius_damps_what_the_steps_cannot_follow():
    found = []
    for radius in (0.0, 1.0):
        method = sp.GeneralizedAlpha(radius=radius, step=0.005)
        r = sp.simulate(stiff_arm(), t_end=0.5, qd0={"rod[1].elongation": 1e-3}, points=101, method=method)
        found.append(np.ptp(r.dof("rod[1].elongation")[-20:]))
    assert found[0] < 0.1 * found[1]  # what is left is the slow change by the weight


# kinks ----------------------------------------------------------------------------------------------------------------


def pushed(signal):
    m = sp.Model(planar=True)
    m.point("a", (0, 0))
    m.fix("a", "y")
    m.dof("a", "x")
    m.mass("a", 1.0)
    m.force("a", (1.0, 0.0), signal=signal)
    return m


@pytest.mark.parametrize("method", [sp.RungeKutta(5), sp.RungeKutta(8), sp.SciPy("RK45")], ids=["5", "8", "scipy"])
def test_steps_end_where_a_signal_has_a_kink(method):
    # force 0, from 0.3 s on 1 N, from 0.7 s on nothing: between the kinks x is a quadratic, exact for every method
    r = sp.simulate(pushed(Signal([(0.0, [0.0]), (0.3, [1.0]), (0.7, [0.0])])), t_end=1.0, points=11, method=method)
    t = r.t
    exact = np.where(t < 0.3, 0, np.where(t < 0.7, (t - 0.3) ** 2 / 2, 0.08 + 0.4 * (t - 0.7)))
    np.testing.assert_allclose(r["a"].x[:, 0], exact, atol=1e-13)
    assert r.info["steps"] < 60


def test_kinks_do_not_spoil_the_order():
    # a ramp that stops at 0.37: with steps across it the order would fall to 2 or 3
    method = sp.RungeKutta(8, rtol=1e-10, atol=1e-12)
    r = sp.simulate(pushed(ramp(0.0, 1.0, 0.37)), t_end=1.0, points=2, method=method)
    v, x = 0.37 / 2, 0.37**2 / 6
    assert r["a"].x[-1, 0] == pytest.approx(x + v * 0.63 + 0.63**2 / 2, abs=1e-13)


# messages -------------------------------------------------------------------------------------------------------------


def test_singular_mass_matrix_is_refused_by_name():
    m = pendulum()
    m.bodies.clear()
    m._touch()
    with pytest.raises(sp.InputError, match="singular at t = 0 s: nothing gives inertia to 'joint.angle'"):
        sp.simulate(m, t_end=1.0)


@pytest.mark.parametrize("method", [None, sp.RungeKutta(8), sp.GeneralizedAlpha(), sp.SciPy()],
                         ids=["5", "8", "alpha", "scipy"])  # fmt: skip
@pytest.mark.parametrize("wobble", [0.0, 0.1])
def test_free_body_does_not_turn_back_at_half_a_turn_but_is_told_to_use_hinges(method, wobble):
    """With lambda1 to lambda3 as degrees of freedom lambda0 = +-sqrt(1 - ...): its other root is the turn back."""
    m = sp.Model()
    m.node("body", (0, 0, 0))
    m.body("body", m=1.0, J=(1.0, 2.0, 2.5))
    m.dof("body")
    # 2 lambda3' = 1 rad/s about z: lambda0 = cos(t/2) passes zero at pi
    message = (
        r"stopped at t = [23]\.\d* s: frame 'body' has turned too close to half a turn for Euler parameters "
        r"as degrees of freedom \(three hinges that carry it, or GeneralizedAlpha.* have no such limit\)"
    )
    with pytest.raises(sp.ConvergenceError, match=message):
        sp.simulate(m, t_end=10.0, qd0={"body.lambda3": 0.5, "body.lambda1": wobble}, method=method)


def test_nodal_equations_turn_a_free_body_round_and_round():
    m = sp.Model()
    m.node("body", (0, 0, 0))
    m.body("body", m=1.0, J=(1.0, 2.0, 2.5))
    m.dof("body")
    method = sp.GeneralizedAlpha(rtol=1e-6, atol=1e-8, solver="sparse")
    r = sp.simulate(m, t_end=10.0, points=21, qd0={"body.lambda3": 0.5}, method=method)
    np.testing.assert_allclose(r["body"].euler[:, 0], np.cos(r.t / 2), atol=2e-3)  # second order: some 1e-4 per turn
    np.testing.assert_allclose(r["body"].omega[:, 2], 1.0, atol=2e-3)


def test_free_body_on_three_hinges_turns_as_often_as_it_likes():
    m = sp.Model()
    m.node("anchor", (0, 0, 0))
    m.fix("anchor")
    m.point("centre", (0, 0, 0))
    for f in ("outer", "inner", "body"):
        m.frame(f)
    m.hinge("z", "anchor", "outer", axis=(0, 0, 1))
    m.hinge("x", "outer", "inner", axis=(1, 0, 0))
    m.hinge("y", "inner", "body", axis=(0, 1, 0))
    m.body(("centre", "body"), m=1.0, J=(1.0, 2.0, 2.5))
    m.dof("centre")
    r = sp.simulate(m, t_end=10.0, points=11, qd0={"z.angle": 1.0, "centre.x": 0.2}, method=TIGHT)
    np.testing.assert_allclose(r.dof("z.angle"), r.t, atol=1e-9)
    np.testing.assert_allclose(r["centre"].x[:, 0], 0.2 * r.t, atol=1e-9)


def reach(motion):
    """A slider-crank whose slider is driven: it can be from 0.5 to 1.1 away from the crank's axle."""
    m = sp.Model(planar=True)
    m.node("O", (0, 0))
    m.fix("O")
    m.frame("crank")
    m.point("A", (0, 0.3))
    m.point("B", (np.sqrt(0.8**2 - 0.3**2), 0))
    m.fix("B", "y")
    m.hinge("pin", "O", "crank", release="angle")
    m.rigid_beam("OA", ("O", "crank"), "A")
    m.truss("AB", "A", "B")
    m.mass("A", 1.0)
    m.prescribe("B", "x", motion)
    return m


def test_impossible_prescribed_motion_is_refused_with_time_and_name():
    start = np.sqrt(0.8**2 - 0.3**2)
    with pytest.raises(sp.ConvergenceError, match=r"kinematics did not converge at t = 0\.\d+ s .*(AB|OA)\.elongation"):
        sp.simulate(reach(polynomial(start, 1.0)), t_end=1.0, points=101)  # out of reach after 0.36 s


def test_mechanism_that_passes_a_singular_position_stops_there():
    # a rocker as degree of freedom of a crank-rocker: at its dead point the crank could go either way
    m = sp.Model(planar=True)
    m.node("O", (0, 0))
    m.node("C", (1, 0))
    m.fix("O")
    m.fix("C")
    m.frame("rocker")
    m.point("A", (0, 0.3))
    m.point("B", (0.95442, 0.69850))
    m.hinge("pin", "C", "rocker")
    m.rigid_beam("CB", ("C", "rocker"), "B")
    m.truss("OA", "O", "A")
    m.truss("AB", "A", "B")
    m.mass("B", 1.0)
    with pytest.raises(sp.ConvergenceError, match=r"stopped at t = 0\.\d+ s: (the mechanism is singular|kinem)"):
        sp.simulate(m, t_end=2.0, qd0={"pin.angle": -1.0})


def test_step_that_becomes_too_small_is_said_with_the_time():
    # an attractive force 1/x^2 that ends in a collision
    m = sp.Model(planar=True)
    m.node("a", (0, 0))
    m.fix("a")
    m.point("b", (1, 0))
    m.fix("b", "y")
    m.dof("b", "x")
    m.mass("b", 1.0)
    m.user_force("b", lambda t, x, v: (-1.0 / x[0] ** 2, 0.0))
    with pytest.raises(sp.ConvergenceError, match=r"simulation stopped at t = 1\.11\d* s: .*step"):
        sp.simulate(m, t_end=2.0, method=sp.SciPy("RK45"))  # collision after pi/sqrt(8) = 1.1107 s


def test_fixed_implicit_step_that_is_too_long_is_refused():
    # whether Newton or the kinematics of its first guess give up first
    with pytest.raises(sp.ConvergenceError, match="stopped at t = 0 s: .* not converge .*; try a smaller step"):
        sp.simulate(stiff_arm(), t_end=20.0, qd0={"joint.angle": 30.0}, method=sp.GeneralizedAlpha(step=1.0))


@pytest.mark.parametrize("make, message", [
    (lambda: sp.RungeKutta(order=4), "Runge-Kutta: order must be 5 or 8, got 4"),
    (lambda: sp.RungeKutta(rtol=-1), "Runge-Kutta: rtol must be a positive finite number, got -1"),
    (lambda: sp.RungeKutta(max_step=0), "Runge-Kutta: max_step must be positive, got 0"),
    (lambda: sp.GeneralizedAlpha(radius=1.2), "generalised alpha: radius must lie between 0 and 1, got 1.2"),
    (lambda: sp.GeneralizedAlpha(step=0), "generalised alpha: step must be a positive finite number, got 0"),
    (lambda: sp.SciPy("RK54"), "SciPy: there is no solver 'RK54' .did you mean 'RK45'"),
    (lambda: sp.simulate(pendulum()), "simulate: needs t_end or times"),
    (lambda: sp.simulate(pendulum(), t_end=-1.0), "simulate: t_end must be later than t_start = 0, got -1"),
    (lambda: sp.simulate(pendulum(), times=[0, 1, 1]), "times must be at least two finite increasing numbers"),
    (lambda: sp.simulate(pendulum(), t_end=1, q0={"joint.angel": 1}), "q0: there is no degree of freedom 'joint.ang"),
    (lambda: sp.simulate(pendulum(), t_end=1, method="rk45"), "simulate: method must be RungeKutta"),
])  # fmt: skip
def test_wrong_options_are_refused_before_any_step(make, message):
    with pytest.raises(sp.InputError, match=message):
        make()
