"""Elements against closed forms: stiffness of beams, angles of joints, inertia of bodies."""

import numpy as np
import pytest
from _motion import deformation, of, small_displacement, state
from _nodal import mass

from spacar_py import Model, Section
from spacar_py.continuation import move
from spacar_py.rotations import angular_velocity, from_vector, matrix

ROUNDING = 1e-10  # relative: a linear solve with entries over six decades


def cantilever(section, L=0.8, elements=1, planar=False, **status):
    m = Model(planar=planar)
    m.node("root", (0, 0) if planar else (0, 0, 0))
    m.node("tip", (L, 0) if planar else (L, 0, 0))
    m.fix("root")
    status = status or {"dof": "all"}
    m.beam("arm", "root", "tip", section, elements=elements, **({} if planar else {"y": (0, 1, 0)}), **status)
    return m


BENDY = Section(EA=5e4, GJ=3.0, EIy=7.0, EIz=11.0, m=1.0)
SHEARING = Section(EA=5e4, GJ=3.0, EIy=7.0, EIz=11.0, shear_y=0.02, shear_z=0.03)
P = 1e-3


@pytest.mark.parametrize("elements", [1, 3])
@pytest.mark.parametrize(("section", "shear"), [(BENDY, 0.0), (SHEARING, 0.02)])
def test_tip_force_along_z_bends_a_cantilever_about_y(elements, section, shear):
    """Deflection P L^3/(3 EI) + P L/(k G A), slope P L^2/(2 EI); shear = EI/(k G A); exact for any mesh."""
    L, EI = 0.8, 7.0
    m = cantilever(section, L, elements)
    m.force("tip", (0, 0, P))
    d = small_displacement(m.compile())
    assert d["tip.z"] == pytest.approx(P * L**3 / (3 * EI) + P * L * shear / EI, rel=ROUNDING)
    assert 2 * d["tip.lambda2"] == pytest.approx(-P * L**2 / (2 * EI), rel=ROUNDING)


@pytest.mark.parametrize(("section", "shear"), [(BENDY, 0.0), (SHEARING, 0.03)])
def test_tip_force_along_y_bends_a_cantilever_about_z(section, shear):
    L, EI = 0.8, 11.0
    m = cantilever(section, L, 2)
    m.force("tip", (0, P, 0))
    d = small_displacement(m.compile())
    assert d["tip.y"] == pytest.approx(P * L**3 / (3 * EI) + P * L * shear / EI, rel=ROUNDING)
    assert 2 * d["tip.lambda3"] == pytest.approx(P * L**2 / (2 * EI), rel=ROUNDING)


@pytest.mark.parametrize(("section", "shear"), [(BENDY, 0.0), (SHEARING, 0.03)])
def test_planar_beam_deflects_as_the_spatial_one(section, shear):
    L, EI = 0.8, 11.0
    m = cantilever(section, L, 2, planar=True)
    m.force("tip", (0, P))
    d = small_displacement(m.compile())
    assert d["tip.y"] == pytest.approx(P * L**3 / (3 * EI) + P * L * shear / EI, rel=ROUNDING)
    assert d["tip.phi"] == pytest.approx(P * L**2 / (2 * EI), rel=ROUNDING)


def test_tip_torque_twists_a_cantilever_by_TL_over_GJ():
    m = cantilever(BENDY, 0.8, 3)
    m.moment("tip", (P, 0, 0))
    assert 2 * small_displacement(m.compile())["tip.lambda1"] == pytest.approx(P * 0.8 / 3.0, rel=ROUNDING)


def test_axial_force_stretches_a_beam_and_a_truss_by_PL_over_EA():
    m = cantilever(BENDY, 0.8)
    m.force("tip", (P, 0, 0))
    assert small_displacement(m.compile())["tip.x"] == pytest.approx(P * 0.8 / 5e4, rel=ROUNDING)
    bar = Model(planar=True)
    bar.point("a", (0, 0))
    bar.point("b", (0.8, 0))
    bar.fix("a")
    bar.fix("b", "y")
    bar.truss("bar", "a", "b", BENDY, dof="elongation")
    bar.force("b", (P, 0))
    assert small_displacement(bar.compile())["b.x"] == pytest.approx(P * 0.8 / 5e4, rel=ROUNDING)


def warping_cantilever(elements, kL=3.0, L=0.5, GJ=2.0):
    m = Model()
    m.node("root", (0, 0, 0))
    m.node("tip", (L, 0, 0))
    m.warp("clamped")
    m.warp("loose")
    m.fix("root")
    m.fix("clamped")
    section = Section(GJ=GJ, EIw=GJ * (L / kL) ** 2)
    m.beam("arm", "root", "tip", section, elements=elements, warping=("clamped", "loose"), dof=("torsion", "warping_q"),
           release="warping_p")  # fmt: skip
    m.moment("tip", (P, 0, 0))
    k = kL / L
    return m, P / GJ * (L - np.tanh(kL) / k)  # Vlasov: EIw th'''' - GJ th'' = 0, th'(0) = 0, th''(L) = 0


def test_torsion_with_warping_clamped_at_the_root_follows_vlasov():
    """theta(L) = T/GJ (L - tanh(kL)/k), k^2 = GJ/EIw; Hermite elements converge with order 4 at the nodes."""
    errors = []
    for n in (4, 8, 16):
        m, exact = warping_cantilever(n)
        errors.append(abs(2 * small_displacement(m.compile())["tip.lambda1"] / exact - 1))
    slopes = np.diff(np.log(errors)) / -np.log(2)
    assert errors[-1] < 1e-6
    assert np.all(np.abs(slopes - 4) < 0.3)


# joints ---------------------------------------------------------------------------------------------------------------


def test_hinge_angle_counts_on_over_three_turns():
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("wheel")
    m.hinge("drive", "base", "wheel", axis=(0, 0, 2), dof="angle")
    m.hinge("meter", "base", "wheel", axis=(0, 0, -1), release="all")
    s = m.compile()
    w, ref = s.work(), np.zeros(s.ne)
    for angle in np.arange(0.0, 6 * np.pi, 0.7):
        state(s, [angle], work=w, ref=ref)
        assert deformation(s, w, "drive.angle") == pytest.approx(angle, abs=1e-12)
        assert deformation(s, w, "meter.angle") == pytest.approx(-angle, abs=1e-12)
        R = matrix(of(s, w, "frame", "wheel"))
        assert np.allclose(R, matrix(from_vector((0, 0, angle))), rtol=0, atol=1e-12)


def test_hinge_rate_is_the_angular_velocity_about_its_axis():
    m = Model()
    m.node("base", (0, 0, 0), rotation=(0.3, -0.2, 0.9))
    m.fix("base")
    m.frame("wheel", rotation=(1.0, 0.5, 0.1))
    axis = np.array([1.0, -2.0, 2.0]) / 3
    m.hinge("drive", "base", "wheel", axis=axis, dof="angle")
    s = m.compile()
    w = state(s, [2.5], [0.7])
    omega = angular_velocity(of(s, w, "frame", "wheel"), of(s, w, "frame", "wheel", 1))
    assert np.allclose(omega, 0.7 * axis, rtol=0, atol=1e-12)


def test_universal_joint_turns_the_driven_shaft_by_the_law_of_hooke():
    """tan(out) = tan(in) cos(delta) for shafts at an angle delta, with the input arm square to their plane."""
    delta = 0.6
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("driving")
    m.frame("driven")
    m.hinge("input", "base", "driving", axis=(1, 0, 0), dof="angle")
    m.hinge("output", "base", "driven", axis=(np.cos(delta), np.sin(delta), 0), release="angle")
    m.universal("cross", "driving", "driven", axis=(0, 0, 1), y=(-np.sin(delta), np.cos(delta), 0),
                release=("angle_x", "angle_y"))  # fmt: skip
    s = m.compile()
    w, ref = s.work(), np.zeros(s.ne)
    for angle in np.linspace(0, 7, 36):  # past a full turn
        state(s, [angle], [1.0], work=w, ref=ref)
        out = deformation(s, w, "output.angle")
        assert np.sin(out) * np.cos(angle) == pytest.approx(np.cos(delta) * np.sin(angle) * np.cos(out), abs=1e-12)
        assert abs(out - angle) < 0.5  # the same turn
        rate = np.cos(delta) / (np.cos(angle) ** 2 + (np.cos(delta) * np.sin(angle)) ** 2)
        assert deformation(s, w, "output.angle", 1) == pytest.approx(rate, rel=1e-10)


def test_universal_joint_angles_build_up_a_rotation_about_x_then_about_y():
    """R = Rx(angle_x) Ry(angle_y) with both angles given."""
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("end")
    m.universal("cross", "base", "end", axis=(1, 0, 0), y=(0, 1, 0), dof=("angle_x", "angle_y"))
    s = m.compile()
    w = state(s, [0.9, -0.5])
    want = matrix(from_vector((0.9, 0, 0))) @ matrix(from_vector((0, -0.5, 0)))
    assert np.allclose(matrix(of(s, w, "frame", "end")), want, rtol=0, atol=1e-12)


def test_cylinder_slides_and_turns():
    """A point at (r, 0) on the sleeve goes along a screw: (r cos a, r sin a, d)."""
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.node("sleeve", (0, 0, 0))
    m.point("mark", (0.3, 0, 0))
    m.cylinder("joint", "base", "sleeve", axis=(0, 0, 1), dof=("displacement", "angle"))
    m.pin_body("arm", "sleeve", "mark")
    s = m.compile()
    w, ref = s.work(), np.zeros(s.ne)
    for k in range(12):
        a, d = 0.8 * k, 0.1 * k
        state(s, [d, a], work=w, ref=ref)
        assert np.allclose(of(s, w, "point", "mark"), (0.3 * np.cos(a), 0.3 * np.sin(a), d), rtol=0, atol=1e-12)


@pytest.mark.parametrize("planar", [False, True])
def test_slider_on_a_turning_arm_has_the_coriolis_acceleration(planar):
    """r = s u: rdd = (sdd - s w^2) u + (s wd + 2 sd w) v, with u along the arm and v across."""
    m = Model(planar=planar)
    zero, out, axis = ((0, 0), (0.5, 0), (1, 0)) if planar else ((0, 0, 0), (0.5, 0, 0), (1, 0, 0))
    m.node("hub", zero)
    m.fix("hub")
    m.frame("arm")
    m.node("block", out)
    m.hinge("pivot", "hub", "arm", **({} if planar else {"axis": (0, 0, 1)}), dof="angle")
    m.slider("rail", ("hub", "arm"), "block", axis=axis, dof="displacement")
    s = m.compile()
    a, w1, w2, d, v1, v2 = 2.2, 0.7, -0.3, 0.4, 1.1, 0.9
    w = state(s, [a, d], [w1, v1], [w2, v2])
    u, v, r = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)]), 0.5 + d
    assert np.allclose(of(s, w, "point", "block")[:2], r * u, rtol=0, atol=1e-12)
    assert np.allclose(of(s, w, "point", "block", 1)[:2], v1 * u + r * w1 * v, rtol=0, atol=1e-12)
    want = (v2 - r * w1**2) * u + (r * w2 + 2 * v1 * w1) * v
    assert np.allclose(of(s, w, "point", "block", 2)[:2], want, rtol=0, atol=1e-12)


def test_spherical_joint_equals_a_shared_point():
    def arm(shared):
        m = Model()
        m.node("base", (0, 0, 0))
        m.fix("base")
        m.frame("first")
        m.point("end", (1, 0, 0))
        m.hinge("pivot", "base", "first", axis=(0, 0, 1), dof="angle")
        m.rigid_beam("rod", ("base", "first"), "end")
        m.frame("second")
        if not shared:
            m.point("start", (1, 0, 0))
            m.spherical("ball", "end", "start")
        m.hinge("wrist", "first", "second", axis=(0, 1, 0), dof="angle")
        m.point("tip", (1.5, 0, 0))
        m.rigid_beam("finger", ("end" if shared else "start", "second"), "tip")
        s = m.compile()
        return of(s, state(s, [0.7, -1.3]), "point", "tip")

    assert np.allclose(arm(True), arm(False), rtol=0, atol=1e-13)


def test_pin_body_and_rigid_beam_carry_a_point_alike():
    m = Model()
    m.node("hub", (0.1, 0.2, 0.3))
    m.fix("hub", "x", "y", "z")
    m.dof("hub", "rotation")
    m.point("a", (1, -0.5, 0.2))
    m.point("b", (1, -0.5, 0.2))
    m.pin_body("pin", "hub", "a")
    m.rigid_beam("bar", "hub", "b")
    s = m.compile()
    turn = np.array([0.4, -0.9, 0.5])
    w = state(s, from_vector(turn)[1:])
    want = np.array([0.1, 0.2, 0.3]) + matrix(from_vector(turn)) @ np.array([0.9, -0.7, -0.1])
    for name in "ab":
        assert np.allclose(of(s, w, "point", name), want, rtol=0, atol=1e-12)


# bodies ---------------------------------------------------------------------------------------------------------------


def test_rigid_body_has_the_kinetic_energy_of_euler():
    """T = m |v + w x c|^2/2 + w.J w/2 with c and J turned along with the body."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(3, 3))
    J = A @ A.T
    J = np.trace(J) * np.eye(3) - J  # of a cloud of points, so a body can have it
    c = np.array([0.3, -0.1, 0.2])
    m = Model()
    m.node("body", (1, 2, 3), rotation=(0.5, 0.1, -0.7))
    m.body("body", m=2.5, J=J, centre=c)
    m.dof("body")
    s = m.compile()
    turn = from_vector((0.3, 1.1, -0.4))
    start = s.x0[3:7]
    R = matrix(turn)
    lam = np.r_[turn[0] * start[0] - turn[1:] @ start[1:],
                turn[0] * start[1:] + start[0] * turn[1:] + np.cross(turn[1:], start[1:])]  # fmt: skip
    omega, v = rng.normal(size=(2, 3))
    lamd = 0.5 * np.r_[-omega @ lam[1:], lam[0] * omega + np.cross(omega, lam[1:])]
    w, ref = s.work(), np.zeros(s.ne)
    w.y[0] = s.y0
    all_y = dict(zip(s.x_names, np.r_[0.4, 0.5, 0.6, lam], strict=True))
    move(s, w, np.array([all_y[n] for n in s.dof]), ref)
    M, weight = mass(s.tables, w, s.nx)
    xd = np.r_[v, lamd]
    centre = v + np.cross(omega, R @ c)
    T = 0.5 * 2.5 * centre @ centre + 0.5 * omega @ R @ J @ R.T @ omega
    assert 0.5 * xd @ M @ xd == pytest.approx(T, rel=1e-12)
    g = np.array([0.3, -2.0, 5.0])
    assert weight @ g @ xd == pytest.approx(2.5 * g @ centre, rel=1e-12)


def test_planar_body_has_mass_and_one_inertia():
    m = Model(planar=True)
    m.node("disc", (0, 0))
    m.body("disc", m=2.0, J=0.3, centre=(0.1, 0))
    m.dof("disc")
    s = m.compile()
    M, _ = mass(s.tables, state(s, s.y0), s.nx)
    c = 0.1  # about the point: m, m c, J + m c^2
    assert np.allclose(M, [[2, 0, 0], [0, 2, 2 * c], [0, 2 * c, 0.3 + 2 * c**2]], rtol=0, atol=1e-15)


def test_springs_add_to_the_stiffness_and_shift_the_rest_position():
    m = Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("arm")
    m.point("end", (1, 0))
    m.hinge("pivot", "base", "arm", dof="angle")
    m.rigid_beam("rod", ("base", "arm"), "end")
    m.spring("pivot", "angle", 40.0, free=1e-3)
    m.spring("pivot", "angle", 10.0)
    m.force("end", (0, 0.01))
    d = small_displacement(m.compile())
    assert d["arm.phi"] == pytest.approx((0.01 + 40e-3) / 50.0, rel=1e-12)


def test_prestress_and_actuator_pull_as_stress_and_drive():
    """At rest S e + prestress - drive = 0."""
    m = Model(planar=True)
    m.point("a", (0, 0))
    m.point("b", (2, 0))
    m.fix("a")
    m.fix("b", "y")
    m.truss("wire", "a", "b", Section(EA=100.0), dof="elongation")
    m.prestress("wire", "elongation", 0.3)
    m.actuator("wire", "elongation", 0.8)
    assert small_displacement(m.compile())["b.x"] == pytest.approx((0.8 - 0.3) / 50.0, rel=1e-12)
