"""Motion in nodal coordinates with sparse matrices: the physics of the dense solver, and its tolerances."""

import numpy as np
import pytest
from _bodies import free_beam, free_planar_beam, momenta, pendulum, slope, thrown
from _linear_models import four_bar
from _sparse import cantilever, cross_flexure, ladder
from scipy.special import ellipk

import spacar_py as sp
from spacar_py.signals import polynomial


def run(model, solver="sparse", points=5, t_end=0.1, times=None, q0=None, qd0=None, **options):
    method = sp.GeneralizedAlpha(solver=solver, **options)
    return sp.simulate(model, t_end=t_end, times=times, points=points, q0=q0, qd0=qd0, method=method)


def driven(step=0.0):
    """A beam on a hub that is turned as t^3, and from 0.05 s on with a kink in its acceleration."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("turn")
    m.node("tip", (1, 0))
    m.beam("arm", ("hub", "turn"), "tip", sp.Section(EA=1e4, EIz=5.0, m=1.0), elements=3, flexible="all", damping=1e-3)
    law = sp.Signal([(0.0, [0.0, 0.0, 1.0, 40.0]), (0.05, [0.0075, 0.4 + step, 2.0])])
    m.prescribe("turn", "phi", law)
    return m


CASES = {
    "tree": (lambda: cantilever(4), {}, 0.004, 2e-5),
    "closed loop with follower loads": (lambda: cross_flexure(1e-5), {}, 0.004, 2e-5),
    "driven": (driven, {}, 0.1, 1e-3),
    "driven with a jump in velocity": (lambda: driven(0.3), {}, 0.1, 1e-3),
    "four-bar": (four_bar, {"drive.angle": 2.0}, 0.1, 1e-3),
}


@pytest.mark.parametrize("case", CASES)
def test_trajectories_of_both_solvers_come_together_with_the_second_order(case):
    build, qd0, end, h = CASES[case]
    exact = sp.simulate(build(), t_end=end, points=3, qd0=qd0, method=sp.RungeKutta(8, rtol=1e-11, atol=1e-13))
    steps, errors = h * 0.5 ** np.arange(4), []
    for step in steps:
        errors.append(np.abs(run(build(), t_end=end, points=3, qd0=qd0, step=step).x - exact.x).max())
    assert slope(steps, errors) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("case", CASES)
def test_everything_about_a_state_is_what_the_dense_solver_finds(case):
    build, qd0, end, h = CASES[case]
    r = run(build(), t_end=end, points=4, qd0=qd0, step=h)
    from spacar_py.results import evaluated

    Y = r.y.copy()
    Y[:, 2] = 0.0
    d = evaluated(r.system, r.t, Y, given=0, near=np.concatenate([r.X[0], r.E[0]], axis=1))
    for name in ("X", "E", "sigma", "f", "energies", "powers", "drive"):
        a, b = getattr(d, name), getattr(r, name)
        # accelerations and reactions of thin leaves pass through matrices with a condition number of up to 1e6
        np.testing.assert_allclose(b, a, atol=1e-9 * max(np.abs(a).max(initial=0.0), 1e-3), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("build", [free_beam, free_planar_beam], ids=["spatial", "planar"])
def test_a_free_flexible_body_keeps_momenta_and_energy_with_the_second_order(build):
    m = build()
    steps, errors = 0.002 * 0.5 ** np.arange(4), []  # from the step on that resolves the elongation
    for h in steps:
        # the tolerances are Newton's: far below the errors of the finest step
        r = run(m, t_end=0.5, points=3, qd0=thrown(m), step=h, radius=1.0, rtol=1e-8, atol=1e-11)
        p, H = momenta(r)
        errors.append([np.abs(p - p[0]).max(), np.abs(H - H[0]).max(), np.ptp(r.energy["total"])])
    for error in np.array(errors).T:
        assert slope(steps, error) == pytest.approx(2.0, abs=0.2)
    # p = 1 kg times up to 1 m/s; the mass of a beam turns with its ends, so that p is no linear function of xd
    assert errors[-1][0] < 1e-6


def test_a_rigid_pendulum_has_the_period_of_the_elliptic_integral():
    T = 4 * np.sqrt(1 / 9.81) * ellipk(np.sin(np.pi / 4) ** 2)  # from level, amplitude pi/2, length 1 m
    r = run(pendulum(), times=np.array([0.0, T / 2, T]), rtol=1e-8, atol=1e-10)
    # 1e-8 per step over about a thousand steps
    np.testing.assert_allclose(r["bob"].x, [[1, 0, 0], [-1, 0, 0], [1, 0, 0]], atol=2e-5)
    np.testing.assert_allclose(np.linalg.norm(r["bob"].x, axis=1), 1.0, atol=1e-12)


def test_steps_and_accuracy_are_those_of_the_dense_solver_at_the_same_tolerance():
    sparse, dense = (run(cantilever(6), s, t_end=0.05, rtol=1e-5, atol=1e-8) for s in ("sparse", "dense"))
    assert sparse.info["steps"] == pytest.approx(dense.info["steps"], rel=0.1)
    exact = sp.simulate(cantilever(6), t_end=0.05, points=5, method=sp.RungeKutta(8, rtol=1e-10, atol=1e-12))
    e = [np.abs(r["b"].x - exact["b"].x).max() for r in (sparse, dense)]
    assert e[0] < 1.5 * e[1] + 1e-9
    assert (sparse.info["solver"], dense.info["solver"]) == ("sparse", "dense")


def test_output_times_do_not_change_the_motion():
    few, many = (run(cantilever(3), t_end=0.01, points=n, rtol=1e-4, atol=1e-7) for n in (3, 41))
    assert few.info["steps"] == many.info["steps"]
    np.testing.assert_allclose(few.x, many.x[::20], atol=1e-13)


def test_a_large_model_is_simulated_without_naming_a_method():
    r = sp.simulate(ladder(30), t_end=0.01, points=3)  # 360 degrees of freedom
    assert r.info["method"] == "generalised alpha, sparse"
    fall = r["b30"].x[-1, 2]
    assert -0.5 * 9.81 * 0.01**2 < fall < 0  # the free end falls, held back by the rest


def test_missing_inertia_is_named():
    m = sp.Model(planar=True)
    m.node("a", (0, 0))
    m.fix("a")
    m.node("b", (1, 0))
    m.beam("link", "a", "b", sp.Section(EA=1e3, EIz=1.0), flexible="all")
    with pytest.raises(sp.InputError, match=r"mass matrix is singular at t = 0 s: nothing gives inertia to 'b\."):
        run(m)


def test_python_functions_are_refused_with_the_remedy():
    m = cantilever(2)
    m.user_force("b", lambda t, x, v: np.zeros(3))
    with pytest.raises(sp.InputError, match="motion: Python functions need the dense solver; take solver='dense'"):
        run(m)


def test_prescribed_motion_has_its_drive_in_the_result():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("turn")
    m.node("tip", (1, 0))
    m.hinge("motor", "hub", "turn")
    m.beam("arm", ("hub", "turn"), "tip")
    m.mass("tip", 2.0)
    m.prescribe("motor", "angle", polynomial(0, 0, 1.5))  # 3 rad/s^2
    r = run(m, t_end=0.4, points=3)
    np.testing.assert_allclose(r.drive[:, 0], 2.0 * 1.0**2 * 3.0, rtol=1e-9)  # m L^2 times the acceleration
    np.testing.assert_allclose(np.abs(r.power["drives"]), 6.0 * 3.0 * r.t, rtol=1e-9)  # torque times rate
