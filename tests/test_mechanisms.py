"""Closed loops against closed forms and published benchmarks; reactions and inverse dynamics."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import spacar_py as sp
from spacar_py.signals import Signal, polynomial, quintic

TIGHT = sp.RungeKutta(order=8, rtol=1e-11, atol=1e-12)
R, L = 0.3, 0.8  # crank and rod


def slider_crank(gravity=9.81):
    m = sp.Model(gravity=(0, -gravity), planar=True)
    m.node("O", (0, 0))
    m.fix("O")
    m.frame("crank")
    m.point("A", (R, 0))
    m.point("B", (R + L, 0))
    m.fix("B", "y")
    m.hinge("motor", "O", "crank")
    m.rigid_beam("OA", ("O", "crank"), "A", sp.Section(m=2.0))
    m.truss("AB", "A", "B", sp.Section(m=1.5))
    m.mass("B", 0.7)
    return m


def crank_motion(a, w, acc):
    """Points A, B with velocity, acceleration, and derivative by the angle, (N, 2) each."""
    one, zero = np.ones_like(a), np.zeros_like(a)
    A = R * np.stack([np.cos(a), np.sin(a)], axis=1)
    jA = R * np.stack([-np.sin(a), np.cos(a)], axis=1)
    root = np.sqrt(L**2 - R**2 * np.sin(a) ** 2)
    x1 = -R * np.sin(a) - R**2 * np.sin(a) * np.cos(a) / root
    x2 = -R * np.cos(a) - R**2 * np.cos(2 * a) / root - R**4 * np.sin(2 * a) ** 2 / (4 * root**3)
    B, jB, kB = (np.stack([v, zero], axis=1) for v in (R * np.cos(a) + root, x1, x2))
    w, acc = (w * one)[:, None], (acc * one)[:, None]
    return (A, jA * w, jA * acc - A * w**2, jA), (B, jB * w, jB * acc + kB * w**2, jB)


def crank_torque(a, w, acc, gravity=9.81):
    """Virtual power of inertia and weight: bars of 2.0 R and 1.5 L kg, 0.7 kg at B."""
    (_, _, aA, jA), (_, _, aB, jB) = crank_motion(a, w, acc)
    dot = lambda u, v: np.sum(u * v, axis=1)  # noqa: E731
    g = np.array([0.0, gravity])
    aA, aB = aA + g, aB + g
    bar = 2.0 * R / 6 * dot(2 * aA + g, jA)
    rod = 1.5 * L / 6 * (dot(2 * aA + aB, jA) + dot(aA + 2 * aB, jB))
    return bar + rod + 0.7 * dot(aB, jB)


@pytest.fixture(scope="module")
def driven_crank():
    m = slider_crank()
    m.prescribe("motor", "angle", polynomial(0.2, 3.0, 1.0))
    r = sp.simulate(m, t_end=3.0, points=61)
    return r, (0.2 + 3.0 * r.t + r.t**2, 3.0 + 2.0 * r.t, 2.0 + 0 * r.t)


def test_slider_moves_as_the_closed_form(driven_crank):
    r, motion = driven_crank
    _, (B, v, a, _) = crank_motion(*motion)
    np.testing.assert_allclose(r["B"].x, B, atol=1e-12)
    np.testing.assert_allclose(r["B"].v, v, atol=1e-10)
    np.testing.assert_allclose(r["B"].a, a, atol=1e-9)


def test_motor_of_a_slider_crank_gives_the_torque_of_virtual_power(driven_crank):
    r, motion = driven_crank
    np.testing.assert_allclose(r.generalised["motor.angle"], crank_torque(*motion), atol=1e-9)


def test_inverse_dynamics_of_a_slider_crank_is_that_torque():
    m, t = slider_crank(), np.linspace(0, 2, 21)
    a, w, acc = 0.3 + np.sin(t), np.cos(t), -np.sin(t)
    r = sp.inverse_dynamics(m, t, a[:, None], w[:, None], acc[:, None])
    np.testing.assert_allclose(r.generalised["motor.angle"], crank_torque(a, w, acc), atol=1e-10)


def test_support_forces_are_the_inertia_of_all_masses_and_their_weight():
    m = slider_crank()
    r = sp.simulate(m, q0={"motor.angle": 0.5}, t_end=1.0, points=21, method=TIGHT)
    inertia = 2.0 * R / 2 * r["A"].a + 1.5 * L / 2 * (r["A"].a + r["B"].a) + 0.7 * r["B"].a
    weight = np.array([0, 9.81 * (2.0 * R + 1.5 * L + 0.7)])
    np.testing.assert_allclose(r["O"].force + r["B"].force, inertia + weight, atol=1e-9)


def test_forward_dynamics_undoes_inverse_dynamics():
    t = np.linspace(0, 1, 401)
    path = quintic(0.2, 1.5, 1.0)
    needed = sp.inverse_dynamics(slider_crank(), t, {"motor.angle": path}).generalised["motor.angle"]
    m = slider_crank()
    c = CubicSpline(t, needed).c
    m.actuator("motor", "angle", Signal([(t[k], c[::-1, k]) for k in range(400)]))
    r = sp.simulate(m, q0={"motor.angle": 0.2}, times=t[::40], method=sp.RungeKutta(5, 1e-10, 1e-12))
    wanted = [path(x) for x in t[::40]]
    np.testing.assert_allclose(r.q[:, 0], wanted, atol=1e-7)  # the spline through 401 torques: about 1e-8


# four-bar: ground 1, crank 0.3, coupler 0.9, rocker 0.7 ---------------------------------------------------------------


def four_bar():
    a0, P = 0.8, (0.3 * np.cos(0.8), 0.3 * np.sin(0.8))
    m = sp.Model(gravity=(0, -9.81), planar=True)
    m.node("O", (0, 0))
    m.fix("O")
    m.point("C", (1, 0))
    m.fix("C")
    m.frame("crank", a0)
    m.point("A", P)
    m.point("B", rocker(np.array([a0]))[0][0])
    m.hinge("motor", "O", "crank")
    m.rigid_beam("OA", ("O", "crank"), "A")
    m.truss("AB", "A", "B")
    m.truss("CB", "C", "B")
    m.mass("A", 1.0)
    m.mass("B", 2.0)
    return m, a0


def rocker(a):
    """B (N, 2) and dB/da on the upper branch: intersection of the circles about A and C."""
    A = 0.3 * np.stack([np.cos(a), np.sin(a)], axis=1)
    C = np.array([1.0, 0.0])
    d = C - A
    dist = np.linalg.norm(d, axis=1)
    along = (0.9**2 - 0.7**2 + dist**2) / (2 * dist)
    height = np.sqrt(0.9**2 - along**2)
    e = d / dist[:, None]
    n = np.stack([-e[:, 1], e[:, 0]], axis=1)
    B = A + along[:, None] * e + height[:, None] * n
    # (B - A).(B' - A') = 0 and (B - C).B' = 0
    jA = 0.3 * np.stack([-np.sin(a), np.cos(a)], axis=1)
    M = np.stack([B - A, B - C], axis=1)
    rhs = np.stack([np.sum((B - A) * jA, axis=1), 0 * a], axis=1)
    return B, np.linalg.solve(M, rhs[:, :, None])[:, :, 0]


def test_rocker_of_a_four_bar_follows_the_circles():
    m, a0 = four_bar()
    m.prescribe("motor", "angle", polynomial(0.0, 5.0))
    r = sp.simulate(m, t_end=3.0, points=121)  # more than two turns
    B, j = rocker(a0 + 5.0 * r.t)
    np.testing.assert_allclose(r["B"].x, B, atol=1e-11)
    np.testing.assert_allclose(r["B"].v, 5.0 * j, atol=1e-9)


def test_four_bar_holds_its_weight_by_the_torque_of_virtual_power():
    m, a0 = four_bar()
    q = np.linspace(0, 2 * np.pi, 25)
    r = sp.inverse_dynamics(m, np.arange(25.0), q[:, None])
    _, j = rocker(a0 + q)
    torque = 9.81 * (1.0 * 0.3 * np.cos(a0 + q) + 2.0 * j[:, 1])
    np.testing.assert_allclose(r.generalised["motor.angle"], torque, atol=1e-9)


def test_free_four_bar_keeps_its_energy():
    m, _ = four_bar()
    r = sp.simulate(m, t_end=3.0, qd0={"motor.angle": 8.0}, points=31, method=TIGHT)
    np.testing.assert_allclose(r.energy["total"], r.energy["total"][0], rtol=1e-8)
    assert np.ptp(r.q) > 2 * np.pi


def test_few_output_points_stay_on_the_branch_of_the_motion():
    m, a0 = four_bar()
    sparse = sp.simulate(m, t_end=3.0, qd0={"motor.angle": 8.0}, points=3, method=TIGHT)
    dense = sp.simulate(m, t_end=3.0, qd0={"motor.angle": 8.0}, points=301, method=TIGHT)
    np.testing.assert_allclose(sparse["B"].x, dense["B"].x[::150], atol=1e-9)


def test_two_four_bars_end_where_the_benchmark_says():
    m = sp.Model(gravity=(0, -9.81), planar=True)
    bar = sp.Section(m=1.0)
    m.node("O0", (0, 0))
    m.fix("O0")
    m.frame("swing")
    m.point("B0", (0, 1))
    m.hinge("joint", "O0", "swing")
    m.rigid_beam("link0", ("O0", "swing"), "B0", bar)
    for i in (1, 2):
        m.point(f"O{i}", (i, 0))
        m.fix(f"O{i}")
        m.point(f"B{i}", (i, 1))
        m.truss(f"link{i}", f"O{i}", f"B{i}", bar)
        m.truss(f"bar{i}", f"B{i - 1}", f"B{i}", bar)
    r = sp.simulate(m, qd0={"joint.angle": -1.0}, t_end=10.0, points=101, method=sp.RungeKutta(5, 1e-9, 1e-9, 0.01))
    # Richardson limit of another program (IFToMM benchmark A02, N = 2); the flat, singular position, which it passes
    # twenty times, costs digits
    np.testing.assert_allclose(r["B0"].x[-1], (0.328458099, 0.944518543), atol=1e-6)
    # closed form: all couplers translate, 3 theta'' = 3.5 g sin(theta)
    rhs = lambda t, y: [y[1], 3.5 * 9.81 / 3 * np.sin(y[0])]  # noqa: E731
    exact = solve_ivp(rhs, (0, 10), [0, 1], "DOP853", rtol=1e-12, atol=1e-13)
    a = exact.y[0, -1]
    np.testing.assert_allclose(r["B0"].x[-1], (np.sin(a), np.cos(a)), atol=1e-6)


# four-bar with a misaligned hinge (Bauchau et al.): displacement of C at five times, from another program
MISALIGNED = {
    1: (0.067748, -0.020956, -0.000565),
    2: (0.111824, -0.076595, -0.002670),
    4: (-0.032527, -0.004497, -0.000811),
    8: (-0.119564, -0.110451, -0.003256),
    12: (0.095225, -0.047004, -0.001514),
}


TILT = (0, -np.sin(np.radians(5)), np.cos(np.radians(5)))  # the axis z turned by 5 degrees about the bar BC


def misaligned_four_bar(n=2, tilt=TILT):
    stout = sp.Section(EA=52.99e6, GJ=733.5, EIy=1131.0, EIz=1131.0, m=1.997, Jx=85.2e-6, Jy=42.6e-6, Jz=42.6e-6,
                       shear_y=1131.0 / 16.88e6, shear_z=1131.0 / 16.88e6)  # fmt: skip
    thin = sp.Section(EA=13.25e6, GJ=45.84, EIy=70.66, EIz=70.66, m=0.4992, Jx=5.324e-6, Jy=2.662e-6, Jz=2.662e-6,
                      shear_y=70.66 / 4.22e6, shear_z=70.66 / 4.22e6)  # fmt: skip
    m = sp.Model()
    for name, x in dict(A=(0, 0, 0), B=(0, 0.12, 0), C=(0.24, 0.12, 0), D=(0.24, 0, 0)).items():
        m.node(name, x)
    m.fix("A")
    m.fix("D")
    for f in ("A1", "B1", "C1", "D1"):
        m.frame(f)
    m.hinge("hA", "A", "A1", axis=(0, 0, 1))
    m.beam("AB", ("A", "A1"), "B", stout, elements=n, dof="all")
    m.hinge("hB", "B", "B1", axis=(0, 0, 1))
    m.beam("BC", ("B", "B1"), "C", stout, elements=n, dof="all")
    m.hinge("hC", "C", "C1", axis=tilt)
    m.beam("CD", ("C", "C1"), ("D", "D1"), thin, elements=n, dof="all")
    m.hinge("hD", "D", "D1", axis=(0, 0, 1))
    for h in ("hB", "hC", "hD"):
        m.dof(h, "angle")
    m.release("CD[0]" if n > 1 else "CD")  # opens the loop: no position is singular, not even the flat one
    m.prescribe("hA", "angle", polynomial(0.0, -0.6))
    return m


def test_misaligned_four_bar_moves_as_published():
    m = misaligned_four_bar()
    method = sp.GeneralizedAlpha(rtol=1e-3, atol=1e-6, radius=0.5)
    r = sp.simulate(m, times=[0.0, *map(float, MISALIGNED)], method=method)
    found = r["C"].x[1:] - r["C"].x[0]
    wanted = np.array(list(MISALIGNED.values()))
    np.testing.assert_allclose(found[:, :2], wanted[:, :2], rtol=0.01)
    np.testing.assert_allclose(found[:, 2], wanted[:, 2], atol=5e-5)


def test_misaligned_four_bar_with_rigid_bars_locks():
    m = misaligned_four_bar(1)
    for bar in ("AB", "BC", "CD"):
        m.fix(bar, "all")
    for h in ("hB", "hC", "hD"):
        m.release(h, "angle")
    with pytest.raises(sp.InputError, match="overconstrained"):
        m.compile()


def test_beam_that_is_spun_up_bends_as_published():
    # Wu and Haug: theta = 60 (tau^2/2 + (cos 2 pi tau - 1)/(2 pi)^2), tau = t/15
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("root")
    m.node("tip", (8, 0))
    m.hinge("shaft", "hub", "root")
    section = sp.Section(EA=5.03e6, EIz=566.0, m=0.201, Jz=22.7e-6, shear_z=566.0 / 1.94e6)
    m.beam("blade", ("hub", "root"), "tip", section, elements=6, flexible="bending")  # elongation 1e-6: rigid
    c = 60 / (2 * np.pi) ** 2
    up = [-c, 0, 30 / 15**2, 0, 0, 0, c, 2 * np.pi / 15, np.pi / 2]
    m.prescribe("shaft", "angle", Signal([(0.0, up), (15.0, [30.0, 4.0])]))
    t = [0, 2.5, 5, 6.764, 7.5, 10, 12.5]
    r = sp.simulate(m, times=t, method=sp.RungeKutta(5, 1e-6, 1e-8))
    a, tip = r.dof("shaft.angle"), r["tip"].x
    deflection = -np.sin(a) * tip[:, 0] + np.cos(a) * tip[:, 1]
    # another nonlinear program, to 0.5 % each
    wanted = (0, -0.141910, -0.419898, -0.530575, -0.518102, -0.347148, -0.110022)
    np.testing.assert_allclose(deflection, wanted, rtol=0.005, atol=1e-12)
