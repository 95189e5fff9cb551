"""Motion in time: what is conserved, what is known in closed form, and the balance of power."""

import numpy as np
import pytest
from _bodies import free_beam, free_planar_beam, momenta, pendulum, slope, thrown
from scipy.integrate import simpson
from scipy.special import ellipj, ellipk

import spacar_py as sp
from spacar_py.signals import polynomial, ramp, sine

TIGHT = sp.RungeKutta(order=8, rtol=1e-12, atol=1e-13)


@pytest.fixture(scope="module", params=[free_beam, free_planar_beam], ids=["spatial", "planar"])
def floating(request):
    m = request.param()
    return sp.simulate(m, t_end=1.4, qd0=thrown(m), points=31, method=TIGHT)  # the spatial one turns half round


def test_free_flexible_body_keeps_its_linear_momentum(floating):
    p, _ = momenta(floating)
    np.testing.assert_allclose(p, np.tile(p[0], (31, 1)), atol=1e-10)


def test_free_flexible_body_keeps_its_angular_momentum(floating):
    _, H = momenta(floating)
    np.testing.assert_allclose(H, np.tile(H[0], (31, 1)), atol=1e-10)


def test_free_flexible_body_keeps_its_energy(floating):
    E = floating.energy["total"]
    np.testing.assert_allclose(E, E[0], rtol=1e-10)
    assert np.ptp(floating.energy["elastic"]) > 0.01 * E[0]  # there is something to keep


# |R(iz)| = 1 + O(z^6) for the order 5, O(z^10) for the even order 8: its energy gains an order
@pytest.mark.parametrize("order, steps, wanted", [(5, (80, 110, 150, 200), 5), (8, (40, 55, 75, 100), 9)])
def test_energy_of_a_free_body_drifts_with_the_order_of_the_integrator(order, steps, wanted):
    m = free_planar_beam(1)
    drift = []
    for n in steps:  # tolerances that never bind: equal steps
        method = sp.RungeKutta(order=order, rtol=1e3, atol=1e3, max_step=1.0 / n)
        E = sp.simulate(m, t_end=1.0, qd0=thrown(m), points=2, method=method).energy["total"]
        drift.append(E[-1] - E[0])
    assert slope(1 / np.array(steps), drift) == pytest.approx(wanted, abs=0.4)


def test_mass_centre_of_a_falling_beam_falls_as_a_stone():
    m = free_beam(1)
    m.gravity[:] = (0, 0, -9.81)
    r = sp.simulate(m, t_end=0.5, qd0=thrown(m), points=6, method=TIGHT)
    p, _ = momenta(r)
    np.testing.assert_allclose(p[:, 2], p[0, 2] - 9.81 * 1.0 * r.t, atol=1e-9)  # mass 1 kg/m times 1 m


def test_power_of_loads_drives_and_dampers_is_the_rate_of_energy():
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("turret")
    m.frame("root")
    m.node("tip", (1, 0, 0))
    m.hinge("drive", "base", "turret", axis=(0, 0, 1))
    m.hinge("joint", "turret", "root", axis=(0, -1, 0))
    section = sp.Section(EIy=20.0, EIz=30.0, GJ=10.0, m=1.0, Jx=0.01)
    m.beam("arm", ("base", "root"), "tip", section, flexible=("bending", "torsion"), damping=2e-3)
    m.mass("tip", 0.5)
    m.spring("joint", "angle", 5.0, free=0.4)
    m.damper("joint", "angle", 0.3)
    m.prestress("arm", "bending_y_p", 0.2)
    m.actuator("joint", "angle", sine(4.0, 7.0))
    m.force("tip", (1.0, 0.5, 2.0), signal=sine(1.0, 5.0))
    m.force("tip", (0.0, 0.0, 3.0), follow="tip")
    m.moment("tip", (0.1, 0.2, 0.3), signal=polynomial(1.0, 2.0))
    m.moment("tip", (0.3, -0.2, 0.1), follow=True)
    m.prescribe("drive", "angle", sine(0.5, 3.0))
    r = sp.simulate(m, t_end=1.0, points=2001, method=TIGHT)
    E = r.energy["total"]
    gained = [simpson(r.power["balance"][: k + 1], x=r.t[: k + 1]) for k in (500, 1000, 2000)]
    # Simpson with 2000 steps on oscillations up to 300 rad/s: (0.15)^4/180 of a small part
    np.testing.assert_allclose(E[[500, 1000, 2000]] - E[0], gained, atol=1e-6 * np.ptp(E))
    for part in ("loads", "actuators", "drives", "dampers"):
        assert np.ptp(r.power[part]) > 1e-2  # each of them takes part


# pendulum, top, rigid body --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amplitude", [0.1, np.pi / 2, 3.0])
def test_pendulum_has_the_period_of_the_elliptic_integral(amplitude):
    T = 4 * np.sqrt(1 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    start = amplitude - np.pi / 2  # hangs at -pi/2
    r = sp.simulate(pendulum(), q0={"joint.angle": start}, t_end=T, points=3, method=TIGHT)
    assert r.q[1, 0] == pytest.approx(-np.pi - start, abs=1e-8)  # the other side after half a period
    assert r.q[2, 0] == pytest.approx(start, abs=1e-9)


def test_rod_of_a_pendulum_carries_weight_and_centripetal_force():
    r = sp.simulate(pendulum(m=2.0), t_end=1.0, points=21, method=TIGHT)
    a, w = r.q[:, 0], r.qd[:, 0]
    # tension m (L w^2 - g sin a), elongation positive in tension
    np.testing.assert_allclose(r["rod"].sigma["elongation"], 2.0 * (w**2 - 9.81 * np.sin(a)), atol=1e-9)


def test_pivot_of_a_pendulum_carries_weight_and_inertia():
    r = sp.simulate(pendulum(m=2.0), t_end=1.0, points=21, method=TIGHT)
    np.testing.assert_allclose(r["pivot"].force, 2.0 * (r["bob"].a + [0, 0, 9.81]), atol=1e-9)


def test_pivot_of_a_frictionless_pendulum_carries_no_moment():
    r = sp.simulate(pendulum(), t_end=1.0, points=21, method=TIGHT)
    np.testing.assert_allclose(r["pivot"].moment, 0, atol=1e-10)


def test_damped_oscillator_decays_at_its_rate():
    m = sp.Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("wheel")
    m.hinge("shaft", "base", "wheel")
    m.body(("base", "wheel"), J=2.0)
    m.spring("shaft", "angle", 50.0)
    m.damper("shaft", "angle", 4.0)
    r = sp.simulate(m, q0={"shaft.angle": 0.3}, t_end=2.0, points=41, method=TIGHT)
    d = 4.0 / (2 * 2.0)  # c / 2J
    w = np.sqrt(50.0 / 2.0 - d**2)
    exact = 0.3 * np.exp(-d * r.t) * (np.cos(w * r.t) + d / w * np.sin(w * r.t))
    np.testing.assert_allclose(r.q[:, 0], exact, atol=1e-11)


def test_twisting_thin_walled_bar_vibrates_with_its_warping_inertia():
    """w^2 = (GJ k^2 + EIw k^4)/(Jx + Jw k^2) for a twist sin(k x): Vlasov's equation with both inertias."""
    GJ, EIw, Jx, Jw, L = 2.0, 0.7, 0.05, 0.02, 1.0
    k = np.pi / (2 * L)  # a fork at the root; half of the bar, with no warping at the plane of symmetry
    exact = np.sqrt((GJ * k**2 + EIw * k**4) / (Jx + Jw * k**2))
    assert exact < 0.75 * np.sqrt((GJ * k**2 + EIw * k**4) / Jx)  # the warping inertia matters
    sizes, errors = np.array([4, 8, 16]), []
    for n in sizes:
        m = sp.Model()
        m.node("root", (0, 0, 0))
        m.node("middle", (L, 0, 0))
        m.warp("loose")
        m.warp("none")
        m.fix("root")
        m.fix("none")
        section = sp.Section(GJ=GJ, EIw=EIw, Jx=Jx, Jw=Jw)
        m.beam("bar", "root", "middle", section, elements=n, warping=("loose", "none"), flexible=("torsion", "warping"))
        errors.append(sp.modes(m, n=1).omega[0] - exact)
    assert abs(errors[-1]) < 2e-3 * exact
    assert slope(1 / sizes, errors) == pytest.approx(2.0, abs=0.1)  # lumped inertia


A, C, MASS, ARM = 0.03, 0.05, 1.5, 0.2  # inertia of the top about its centre, mass, distance of the centre


def top():
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("foot", (0, 0, 0))
    m.fix("foot")
    for f in ("ring", "fork", "body"):
        m.frame(f)
    m.point("centre", (0, 0, ARM))
    m.hinge("precession", "foot", "ring", axis=(0, 0, 1))
    m.hinge("nutation", "ring", "fork", axis=(1, 0, 0))
    m.hinge("spin", "fork", "body", axis=(0, 0, 1))
    m.rigid_beam("axle", ("foot", "body"), "centre")
    m.body(("centre", "body"), m=MASS, J=(A, A, C))
    return m


def test_fast_top_precesses_steadily_at_the_rate_of_the_closed_form():
    I1, theta, spin = A + MASS * ARM**2, 0.6, 60.0
    # (I1 - C) cos(theta) W^2 - C spin W + m g l = 0, the slow root
    a, b, c = (I1 - C) * np.cos(theta), -C * spin, MASS * 9.81 * ARM
    W = (-b - np.sqrt(b * b - 4 * a * c)) / (2 * a)
    r = sp.simulate(
        top(), q0={"nutation.angle": theta}, qd0={"precession.angle": W, "spin.angle": spin}, t_end=1.0, points=11,
        method=TIGHT,
    )  # fmt: skip
    np.testing.assert_allclose(r.dof("nutation.angle"), theta, atol=1e-9)
    np.testing.assert_allclose(r.dof("precession.angle"), W * r.t, atol=1e-8)


def test_nodding_top_keeps_both_angular_momenta():
    start = dict(q0={"nutation.angle": 0.5}, qd0={"spin.angle": 40.0, "precession.angle": 1.0})
    r = sp.simulate(top(), **start, t_end=1.0, points=21, method=TIGHT)
    i = [r.system.dof.index(f"{n}.angle") for n in ("precession", "nutation", "spin")]
    theta = r.q[:, i[1]]
    Wp, Ws = r.qd[:, i[0]], r.qd[:, i[2]]
    p_psi = C * (Ws + Wp * np.cos(theta))
    p_phi = (A + MASS * ARM**2) * Wp * np.sin(theta) ** 2 + p_psi * np.cos(theta)
    assert np.ptp(theta) > 0.02
    np.testing.assert_allclose(p_psi, p_psi[0], rtol=1e-10)
    np.testing.assert_allclose(p_phi, p_phi[0], rtol=1e-10)


def test_torque_free_body_turns_as_jacobis_elliptic_functions():
    I1, I2, I3 = 0.8, 1.1, 1.5
    w1, w3 = 0.6, 2.0
    m = sp.Model()
    m.node("centre", (0, 0, 0))
    m.fix("centre")
    for f in ("outer", "inner", "body"):
        m.frame(f)
    m.hinge("z", "centre", "outer", axis=(0, 0, 1))
    m.hinge("x", "outer", "inner", axis=(1, 0, 0))
    m.hinge("y", "inner", "body", axis=(0, 1, 0))
    m.body(("centre", "body"), J=(I1, I2, I3))
    r = sp.simulate(m, qd0={"x.angle": w1, "z.angle": w3}, t_end=6.0, points=61, method=TIGHT)
    w = np.einsum("nji,nj->ni", r["body"].R, r["body"].omega)  # in the body
    E2, M2 = I1 * w1**2 + I3 * w3**2, (I1 * w1) ** 2 + (I3 * w3) ** 2
    # Landau and Lifshitz, Mechanics, section 37, for M^2 > 2 E I2 and w2(0) = 0
    assert M2 > E2 * I2
    tau = r.t * np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    k2 = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    sn, cn, dn, _ = ellipj(tau, k2)
    np.testing.assert_allclose(w[:, 0], w1 * cn, atol=1e-9)
    np.testing.assert_allclose(w[:, 1], np.sqrt((E2 * I3 - M2) / (I2 * (I3 - I2))) * sn, atol=1e-9)
    np.testing.assert_allclose(w[:, 2], w3 * dn, atol=1e-9)


# prescribed motions ---------------------------------------------------------------------------------------------------


def test_prescribed_rotation_takes_the_torque_of_the_inertia():
    m = pendulum(g=0.0, L=0.5, m=3.0)
    m.prescribe("joint", "angle", polynomial(0.1, 0.2, 0.3, 0.4))
    r = sp.simulate(m, t_end=1.0, points=11)
    acceleration = 2 * 0.3 + 6 * 0.4 * r.t
    np.testing.assert_allclose(r.generalised["joint.angle"], 3.0 * 0.5**2 * acceleration, rtol=1e-12)


def test_motion_driven_by_a_python_function_equals_the_compiled_one():
    found = []
    for motion in (sine(0.4, 3.0), lambda t: (0.4 * np.sin(3 * t), 1.2 * np.cos(3 * t), -3.6 * np.sin(3 * t))):
        m = double_pendulum()
        m.prescribe("shoulder", "angle", motion)
        found.append(sp.simulate(m, t_end=1.0, points=11, method=sp.SciPy("DOP853", rtol=1e-10, atol=1e-12)))
    np.testing.assert_allclose(found[0].x, found[1].x, atol=1e-12)
    np.testing.assert_allclose(found[0].sigma, found[1].sigma, atol=1e-9)


def double_pendulum():
    m = sp.Model(gravity=(0, -9.81), planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    for f in ("upper", "lower"):
        m.frame(f)
    m.point("elbow", (1, 0))
    m.point("tip", (2, 0))
    m.hinge("shoulder", "base", "upper")
    m.hinge("elbow joint", "upper", "lower")
    m.rigid_beam("arm", ("base", "upper"), "elbow")
    m.rigid_beam("forearm", ("elbow", "lower"), "tip")
    m.mass("elbow", 1.0)
    m.mass("tip", 1.0)
    return m


def test_user_force_gives_the_same_motion_as_the_load_it_stands_for():
    a, b = double_pendulum(), double_pendulum()
    a.force("tip", (1.0, 2.0), signal=sine(1.0, 4.0))
    b.user_force("tip", lambda t, x, v: np.array([1.0, 2.0]) * np.sin(4 * t))
    method = sp.SciPy("DOP853", rtol=1e-10, atol=1e-12)
    ra, rb = (sp.simulate(m, t_end=1.0, points=11, method=method) for m in (a, b))
    np.testing.assert_allclose(ra.x, rb.x, atol=1e-12)
    np.testing.assert_allclose(ra.sigma, rb.sigma, atol=1e-9)


def test_user_force_sees_position_and_velocity():
    spring, user = pendulum(), pendulum()
    user.user_force("bob", lambda t, x, v: -3.0 * x - 0.5 * v)
    spring.point("anchor", (0, 0, 0))
    spring.fix("anchor")
    r = sp.simulate(user, t_end=1.0, points=101)
    # the rod keeps |x| = 1: only the damping does work, at the rate 0.5 v^2
    lost = simpson(0.5 * np.sum(r["bob"].v ** 2, axis=1), x=r.t)
    assert r.energy["total"][0] - r.energy["total"][-1] == pytest.approx(lost, rel=1e-6)


def test_event_stops_the_pendulum_at_its_lowest_point():
    def lowest(t, q, qd):
        return q[0] + np.pi / 2

    lowest.terminal = True
    method = sp.SciPy("DOP853", rtol=1e-11, atol=1e-13, events=(lowest,))
    r = sp.simulate(pendulum(), t_end=5.0, points=201, method=method)
    quarter = np.sqrt(1 / 9.81) * ellipk(0.5)  # released level: a quarter of the period
    assert r.t[-1] == r.info["stopped"] == pytest.approx(quarter, abs=1e-9)
    assert r["bob"].x[-1, 2] == pytest.approx(-1.0, abs=1e-12)


def test_events_that_do_not_stop_are_all_recorded_in_their_direction():
    def lowest(t, q, qd):
        return q[0] + np.pi / 2

    def upwards(t, q, qd):
        return q[0] + np.pi / 2

    upwards.direction = 1
    m = pendulum()
    m.force("bob", (0, 1.0, 0), signal=ramp(0.0, 1.0, 1.0))  # along the axle; its kink makes two pieces of one motion
    method = sp.SciPy("DOP853", rtol=1e-11, atol=1e-13, events=(lowest, upwards))
    r = sp.simulate(m, t_end=4.0, points=11, method=method)
    quarter = np.sqrt(1 / 9.81) * ellipk(0.5)
    passed = quarter * np.array([1, 3, 5, 7])  # released level on the right: leftwards first
    found = [np.array([t for k, t, *_ in r.info["events"] if k == which]) for which in (0, 1)]
    np.testing.assert_allclose(found[0], passed[passed < 4.0], atol=1e-8)
    np.testing.assert_allclose(found[1], passed[1::2][passed[1::2] < 4.0], atol=1e-8)
    assert r.t[-1] == 4.0 and len(r) == 11


def test_scipys_solvers_agree_with_the_compiled_ones():
    m = double_pendulum()
    ours = sp.simulate(m, t_end=1.0, points=11, method=TIGHT)
    for name in ("DOP853", "LSODA", "Radau"):
        theirs = sp.simulate(m, t_end=1.0, points=11, method=sp.SciPy(name, rtol=1e-9, atol=1e-11))
        np.testing.assert_allclose(theirs.q, ours.q, atol=1e-6)


def test_python_functions_need_the_slower_path():
    m = double_pendulum()
    m.user_force("tip", lambda t, x, v: (0.0, 0.0))
    with pytest.raises(sp.InputError, match="Python functions.*choose method=SciPy"):
        sp.simulate(m, t_end=1.0, method=sp.RungeKutta())
