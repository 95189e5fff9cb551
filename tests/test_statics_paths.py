"""Follower loads, prestress, prescribed displacements, limit points, and what statics refuses."""

import numpy as np
import pytest

import spacar_py as sp


def slope(h, error):
    """Fitted order of an error in h."""
    return np.polyfit(np.log(h), np.log(np.abs(error)), 1)[0]


def cantilever(n=8, EI=1.0, flexible="bending", EA=1e6):
    m = sp.Model(planar=True)
    m.node("root", (0, 0))
    m.node("tip", (1, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", sp.Section(EA=EA, EIz=EI), elements=n, flexible=flexible)
    return m


def lever(k=10.0):
    """A rigid bar of length 1 along x on a torsion spring at the origin."""
    m = sp.Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("bar")
    m.point("tip", (1, 0))
    m.hinge("joint", "base", "bar")
    m.rigid_beam("rod", ("base", "bar"), "tip")
    m.spring("joint", "angle", k)
    return m


def test_dead_force_loses_its_lever_arm():
    m = lever(k=1.0)
    m.force("tip", (0, 2.0))
    a = sp.solve_static(m).q[-1, 0]
    assert a == pytest.approx(2.0 * np.cos(a), rel=1e-12)  # k a = P L cos a


def test_follower_force_keeps_its_lever_arm():
    m = lever(k=1.0)
    m.force("tip", (0, 2.0), follow="bar")
    assert sp.solve_static(m).q[-1, 0] == pytest.approx(2.0, rel=1e-12)  # k a = P L


def spatial_lever(follow):
    """A body on a universal suspension with equal springs about two axes, the second carried by the first."""
    m = sp.Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("ring")
    m.frame("body")
    m.hinge("outer", "base", "ring", axis=(0, 0, 1))
    m.hinge("inner", "ring", "body", axis=(0, 1, 0))
    m.spring("outer", "angle", 1.0)
    m.spring("inner", "angle", 1.0)
    m.moment("body", (0.0, 0.7, 0.5), follow=follow)
    return m


def test_dead_moment_works_about_the_turned_axes():
    a, b = sp.solve_static(spatial_lever(False)).q[-1]
    assert a == pytest.approx(0.5, rel=1e-12)  # M.ez
    assert b == pytest.approx(0.7 * np.cos(a), rel=1e-12)  # M.(Rz(a) ey)


def test_follower_moment_turns_with_the_body():
    a, b = sp.solve_static(spatial_lever(True)).q[-1]
    assert b == pytest.approx(0.7, rel=1e-12)  # M.ey in the body, which the inner axis carries
    assert a == pytest.approx(0.5 * np.cos(b), rel=1e-12)  # (Ry(b) M).ez = M_z cos b - M_x sin b


def test_follower_force_on_a_cantilever_equals_the_rotated_elastica():
    # the force stays normal to the tip: theta'' = -P cos(theta_tip - theta), clamped and without moment at the tip
    from scipy.integrate import solve_bvp

    P = 3.0
    f = lambda s, y: np.array([y[1], -P * np.cos(y[2] - y[0]), np.zeros_like(s), np.cos(y[0]), np.sin(y[0])])  # noqa: E731
    ends = lambda a, b: np.array([a[0], b[1], b[0] - b[2], a[3], a[4]])  # noqa: E731
    s = np.linspace(0, 1, 101)
    exact = solve_bvp(f, ends, s, np.array([s, 1 - s, 1 + 0 * s, s, s]), tol=1e-10).y[3:, -1]
    sizes, errors = np.array([8, 16, 32]), []
    for n in sizes:
        m = cantilever(n)
        m.force("tip", (0, P), follow="tip")
        errors.append(np.linalg.norm(sp.solve_static(m)["tip"].x[-1] - exact))
    assert slope(1 / sizes, errors) == pytest.approx(2.0, abs=0.15)


def test_prestress_shortens_a_bar_as_a_force_would():
    m = sp.Model(planar=True)
    m.point("a", (0, 0))
    m.point("b", (2, 0))
    m.fix("a")
    m.fix("b", "y")
    m.truss("bar", "a", "b", sp.Section(EA=100.0), flexible="all")
    m.prestress("bar", "elongation", 3.0)
    assert sp.solve_static(m)["b"].x[-1, 0] == pytest.approx(2 - 3.0 / (100.0 / 2), rel=1e-12)  # e = -sigma0 / (EA/L)


def test_string_under_tension_has_the_stiffness_of_its_tension():
    m = sp.Model(planar=True)
    for name, x in (("a", 0), ("mid", 1), ("b", 2)):
        m.point(name, (x, 0))
    m.fix("a")
    m.fix("b")
    for name, p, q in (("left", "a", "mid"), ("right", "mid", "b")):
        m.truss(name, p, q, sp.Section(EA=1.0), release="all")
        m.prestress(name, "elongation", 50.0)
    m.dof("mid", "x", "y")
    m.force("mid", (0, 0.5))
    y = sp.solve_static(m, ramp=("loads",))["mid"].x[-1, 1]
    # 2 (T + EA (l - 1)) y / l = F with l = sqrt(1 + y^2)
    l = np.hypot(1, y)
    assert 2 * (50.0 + (l - 1)) * y / l == pytest.approx(0.5, rel=1e-10)


def test_prescribed_displacement_takes_the_force_that_would_cause_it():
    m = cantilever(6)
    m.force("tip", (0, 2.0))
    loaded = sp.solve_static(m)
    d = cantilever(6)
    d.prescribe("tip", "y", loaded["tip"].x[-1, 1])
    driven = sp.solve_static(d)
    assert driven["tip"].force[-1, 1] == pytest.approx(2.0, rel=1e-8)
    np.testing.assert_allclose(driven["tip"].x[-1], loaded["tip"].x[-1], atol=1e-10)


def test_prescribed_displacement_is_ramped_in_equal_steps():
    d = cantilever(4)
    d.prescribe("tip", "y", 0.4)
    np.testing.assert_allclose(sp.solve_static(d, steps=4)["tip"].x[:, 1], np.linspace(0, 0.4, 5), atol=1e-12)


def test_python_drive_is_ramped_like_a_number():
    d = cantilever(4)
    d.prescribe("tip", "y", lambda t: (0.4, 0.0, 0.0))
    np.testing.assert_allclose(sp.solve_static(d, steps=4)["tip"].x[:, 1], np.linspace(0, 0.4, 5), atol=1e-12)


def test_what_is_not_ramped_acts_from_the_start():
    m = lever(k=10.0)
    m.force("tip", (0, 1.0))
    a = sp.solve_static(m, steps=2, ramp=()).q[:, 0]
    np.testing.assert_allclose(a, a[-1], rtol=1e-12)


def test_work_of_the_loads_is_the_elastic_energy():
    m = cantilever(8)
    m.force("tip", (0, 3.0))
    r = sp.solve_static(m, steps=64)
    y = r["tip"].x[:, 1]
    work = np.trapezoid(3.0 * r.t, y)
    assert r.energy["elastic"][-1] == pytest.approx(work, rel=2e-4)  # trapezoidal rule with 64 steps: about 1/64^2


# limit points ---------------------------------------------------------------------------------------------------------


def truss_dome(height=0.2):
    """Shallow von Mises truss over a span of 2, EA = 1, force downwards on its top."""
    m = sp.Model(planar=True)
    m.point("left", (-1, 0))
    m.point("top", (0, height))
    m.point("right", (1, 0))
    for end in ("left", "right"):
        m.fix(end)
        m.truss(f"{end} bar", end, "top", sp.Section(EA=1.0), release="all")
    m.dof("top", "x", "y")
    m.force("top", (0, -1.0))
    return m


def mises_force(y, height=0.2):
    """Downward force that holds the top at y: 2 EA/L0 (L0 - l) y / l."""
    L0, l = np.hypot(1, height), np.hypot(1, y)
    return 2 / L0 * (L0 - l) * y / l


def test_arc_length_follows_the_von_mises_truss_through_both_limit_points():
    r = sp.trace_static(truss_dome(), factor=0.01, step=1e-4)
    y = r["top"].x[:, 1]
    np.testing.assert_allclose(r.t, mises_force(y), atol=1e-12)
    assert r.info["reached"] and y[-1] < -0.2  # snapped through
    top = np.max(mises_force(np.linspace(0, 0.2, 20001)))
    assert r.t[y > 0].max() == pytest.approx(top, rel=1e-3)  # the nearest point of the path
    assert r.t.min() == pytest.approx(-top, rel=1e-3)


def test_arc_length_ends_exactly_at_the_load_wanted():
    r = sp.trace_static(truss_dome(), factor=0.01, step=0.001)
    assert r.t[-1] == 0.01
    assert mises_force(r["top"].x[-1, 1]) == pytest.approx(0.01, rel=1e-9)


def test_load_step_that_is_too_long_is_halved_until_newton_follows():
    m = cantilever(8)
    m.force("tip", (0, 8.0))
    with pytest.raises(sp.ConvergenceError, match="no equilibrium between load factors 0 and 1"):
        sp.solve_static(m, steps=1, iterations=5, min_step=0.9)  # no halving allowed
    halved = sp.solve_static(m, steps=1, iterations=5)
    assert list(halved.t) == [0.0, 1.0]  # only the steps asked for are reported
    small = sp.solve_static(m, steps=40)
    np.testing.assert_allclose(halved["tip"].x[-1], small["tip"].x[-1], atol=1e-11)


def test_load_steps_jump_past_a_limit_point_or_say_so():
    m = truss_dome()
    top = np.max(mises_force(np.linspace(0, 0.2, 20001)))
    with pytest.raises(sp.ConvergenceError, match="near a limit point use trace_static"):
        sp.solve_static(loaded(m, 1.05 * top), steps=20, iterations=6, min_step=1e-2)


def loaded(model, force):
    """The dome with another force."""
    m = truss_dome()
    m.loads.clear()
    m.force("top", (0, -force))
    return m


def shallow_arch(n, a=0.03, EA=1e4):
    """Sinusoidal arch y = a sin(pi x), pinned, L = EI = 1, radius of gyration 0.01, under a sinusoidal load."""
    m = sp.Model(planar=True)
    x = np.linspace(0, 1, n + 1)
    for i, xi in enumerate(x):
        m.node(f"n{i}", (xi, a * np.sin(np.pi * xi)))
    for i in range(n):  # the elongation that follows from the others does so in every position of the arch
        status = dict(dof="bending", release="elongation") if i == 0 else dict(dof="all")
        m.beam(f"b{i}", f"n{i}", f"n{i + 1}", sp.Section(EA=EA, EIz=1.0), **status)
    m.fix("n0", "x", "y")
    m.fix(f"n{n}", "x", "y")
    for i in range(1, n):
        m.force(f"n{i}", (0, -np.sin(np.pi * x[i]) / n))
    return m


def arch_load(w, a=0.03, EA=1e4):
    """p = EI k^4 (a - w) + EA k^4 / 4 (a^2 - w^2) w for y = w sin(pi x), k = pi (Fung and Kaplan 1952).

    Exact for shallow arches while the axial force stays below the four Euler loads of two half waves: a < 4 sqrt(I/A).
    """
    return np.pi**4 * ((a - w) + EA / 4 * (a**2 - w**2) * w)


def test_shallow_arch_snaps_through_along_the_one_term_solution():
    sizes, errors = np.array([4, 8, 16]), []
    top = arch_load(np.linspace(0, 0.03, 4001)).max()
    for n in sizes:
        r = sp.trace_static(shallow_arch(n), factor=1.5 * top, step=top / 5)
        errors.append(np.abs(r.t - arch_load(r[f"n{n // 2}"].x[:, 1])).max() / top)
        assert r.info["reached"] and np.any(np.diff(r.t) < 0)
    assert errors[-1] < 0.015
    # a polygon stands for a sine; the one-term solution itself is off by about (a k)^2 = 1 %
    assert slope(1 / sizes, errors) == pytest.approx(2.0, abs=0.3)


# refusals -------------------------------------------------------------------------------------------------------------


def test_python_force_is_refused_by_statics():
    m = lever()
    m.user_force("tip", lambda t, x, v: (0.0, 1.0))
    with pytest.raises(sp.InputError, match="user force on 'tip' is a Python force without a derivative"):
        sp.solve_static(m)


def test_kind_of_load_that_cannot_be_ramped_is_refused():
    with pytest.raises(sp.InputError, match="statics: there is no kind of load 'load'.*did you mean 'loads'"):
        sp.solve_static(lever(), ramp=("load",))


def test_number_of_steps_must_be_positive():
    with pytest.raises(sp.InputError, match="statics: steps must be a whole number, 1 at least, got 0"):
        sp.solve_static(lever(), steps=0)


def test_mechanism_without_stiffness_has_no_equilibrium():
    m = sp.Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("bar")
    m.point("tip", (1, 0))
    m.hinge("joint", "base", "bar")
    m.rigid_beam("rod", ("base", "bar"), "tip")
    with pytest.raises(sp.ConvergenceError, match="no equilibrium without load: the stiffness matrix is singular"):
        sp.solve_static(m)


def test_displacement_out_of_reach_is_refused_by_name():
    m = sp.Model(planar=True)
    m.point("a", (0, 0))
    m.point("b", (1, 0))
    m.fix("a")
    m.truss("bar", "a", "b", sp.Section(EA=1.0))
    m.prescribe("b", "y", 2.0)  # a rigid bar of length 1
    with pytest.raises(sp.ConvergenceError, match=r"no equilibrium between load factors .* (bar.elongation|singular)"):
        sp.solve_static(m)


def test_step_of_the_arc_length_must_be_positive():
    with pytest.raises(sp.InputError, match="trace: step must be a positive finite number, got -1"):
        sp.trace_static(truss_dome(), step=-1)


def test_trace_that_runs_out_of_points_says_so():
    assert not sp.trace_static(truss_dome(), factor=0.01, step=1e-4, most=5).info["reached"]
