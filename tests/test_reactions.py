"""What passes through joints and shared nodes, against the laws of Newton and Euler for the element behind."""

import numpy as np
import pytest
from _bodies import pendulum

import spacar_py as sp
from spacar_py.signals import sine

G = 9.81
TIGHT = sp.RungeKutta(order=8, rtol=1e-11, atol=1e-12)
SOFT = sp.Section(EA=2e3, GJ=5.0, EIy=8.0, EIz=6.0, m=1.2, Jx=0.02, Jy=0.01, Jz=0.015)


def two_links(pieces=1):
    """Two soft beams with hinges that share the points base and elbow, driven and loaded."""
    m = sp.Model(gravity=(0, 0, -G))
    m.node("base", (0, 0, 0))
    m.fix("base")
    for f in ("upper root", "upper end", "fore root"):
        m.frame(f)
    m.point("elbow", (0.8, 0, 0))
    m.node("tip", (1.5, 0, 0))
    m.hinge("shoulder", "base", "upper root", axis=(0, 0, 1))
    m.beam("upper", ("base", "upper root"), ("elbow", "upper end"), SOFT, elements=pieces, flexible="all")
    m.hinge("joint", "upper end", "fore root", axis=(0, -1, 0))
    m.beam("fore", ("elbow", "fore root"), "tip", SOFT, flexible="all")
    m.damper("joint", "angle", 0.1)
    m.actuator("joint", "angle", sine(2.0, 6.0))
    m.force("elbow", (0.3, -0.4, 0.5))
    return m


@pytest.fixture(scope="module", params=[1, 2])
def swung(request):
    m = two_links(request.param)
    return sp.simulate(m, t_end=0.4, qd0={"shoulder.angle": 2.0}, points=9, method=TIGHT)


def test_both_sides_of_a_joint_and_the_load_on_its_point_are_in_balance(swung):
    total = swung["upper"].reaction("q").force + swung["fore"].reaction("p").force
    np.testing.assert_allclose(total, np.tile([0.3, -0.4, 0.5], (9, 1)), atol=1e-9)  # forces of some 10 N


def test_first_element_takes_from_its_support_what_the_support_gives(swung):
    # a massless frame and a hinge lie between: the force and the moment pass through
    np.testing.assert_allclose(swung["upper"].reaction("p").force, swung["base"].force, atol=1e-9)
    np.testing.assert_allclose(swung["upper"].reaction("p").moment, swung["base"].moment, atol=1e-9)


def test_drive_and_damper_of_a_hinge_are_the_moment_about_its_axis(swung):
    axis = swung["upper end"].R @ [0.0, -1.0, 0.0]
    about = np.sum(axis * swung["fore"].reaction("p").moment, axis=1)
    given = 2.0 * np.sin(6.0 * swung.t) - 0.1 * swung["joint"].ed["angle"]
    np.testing.assert_allclose(about, given, atol=1e-9)


def test_free_end_of_a_beam_takes_nothing(swung):
    free = swung["fore"].reaction("q")
    np.testing.assert_allclose(free.force, 0, atol=1e-9)
    np.testing.assert_allclose(free.moment, 0, atol=1e-9)


def test_joint_forces_equal_those_of_the_model_cut_open(swung):
    """Kineto-statics finds them as stress resultants of a spherical joint put in."""
    from spacar_py.bondgraph import kinetostatics

    cut = kinetostatics(swung.system.model, motion=swung)["joint"]
    end = swung["fore"].reaction("p")
    np.testing.assert_allclose(end.force, cut.force, atol=1e-8)
    np.testing.assert_allclose(end.moment, cut.moment, atol=1e-8)


def test_uniform_bar_takes_half_its_inertia_at_each_end():
    """Newton for a straight uniform bar: F_p + F_q = m L ((a_p + a_q)/2 - g), a truss between pins."""
    m = sp.Model(gravity=(0, -G), planar=True)
    m.node("O", (0, 0))
    m.fix("O")
    m.frame("crank")
    m.point("A", (0.3, 0))
    m.point("B", (1.1, 0))
    m.fix("B", "y")
    m.hinge("motor", "O", "crank")
    m.rigid_beam("OA", ("O", "crank"), "A", sp.Section(m=2.0))
    m.truss("AB", "A", "B", sp.Section(m=1.5))
    m.prescribe("motor", "angle", sine(2.0, 3.0))
    r = sp.simulate(m, t_end=1.0, points=11)
    p, q = r["AB"].reaction("p"), r["AB"].reaction("q")
    a = (r["A"].a + r["B"].a) / 2
    np.testing.assert_allclose(p.force + q.force, 1.5 * 0.8 * (a + [0, G]), atol=1e-10)
    # at the slider: its guide pushes across, nothing along
    np.testing.assert_allclose(q.force, r["B"].force * [0, 1], atol=1e-10)
    # the pin A passes from crank to rod; the motor's torque is the moment of the crank at O
    np.testing.assert_allclose(p.force, -r["OA"].reaction("q").force, atol=1e-10)
    np.testing.assert_allclose(r["OA"].reaction("p").moment, r.generalised["motor.angle"], atol=1e-10)
    assert p.moment is None  # a pin has no frame


def test_statically_bent_beam_carries_what_hangs_outside_the_section():
    """Clamped beam under its ramped weight and a tip load: F = t (P + m g (L - x)), M = sum of arms times weights."""
    n, L, P, m0 = 5, 1.0, 3.0, 2.0
    m = sp.Model(gravity=(0, -G), planar=True)
    m.node("root", (0, 0))
    m.fix("root")
    m.node("tip", (L, 0))
    m.beam("arm", "root", "tip", sp.Section(EA=1e6, EIz=1e5, m=m0), elements=n, flexible="all")
    m.force("tip", (0, -P))
    r = sp.solve_static(m, steps=4)
    for k in range(n):
        out = L * (n - k) / n
        end = r[f"arm[{k}]"].reaction("p")
        np.testing.assert_allclose(end.force[:, 1], r.t * (P + m0 * G * out), rtol=1e-9, atol=1e-9)
        # small deflection of 1e-4 L: arms as drawn
        np.testing.assert_allclose(end.moment, r.t * (P * out + m0 * G * out**2 / 2), rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(r["arm"].reaction("p").moment, r["root"].moment, rtol=1e-9, atol=1e-12)


def test_held_warping_takes_the_bimoment_of_vlasov():
    """B(0) = T tanh(kL)/k for torsion clamped against warping at the root, k^2 = GJ/EIw."""
    GJ, L, T, k = 2.0, 0.5, 0.01, 6.0
    found = []
    for n in (8, 16):
        m = sp.Model()
        m.node("root", (0, 0, 0))
        m.node("tip", (L, 0, 0))
        m.warp("clamped")
        m.warp("loose")
        m.fix("root")
        m.fix("clamped")
        section = sp.Section(GJ=GJ, EIw=GJ / k**2)
        m.beam("arm", "root", "tip", section, elements=n, warping=("clamped", "loose"), dof=("torsion", "warping_q"),
               release="warping_p")  # fmt: skip
        m.moment("tip", (T, 0, 0))
        r = sp.solve_static(m, steps=1)
        found.append(abs(r["clamped"].bimoment[-1]))
        assert abs(r["arm"].reaction("p").bimoment[-1]) == pytest.approx(found[-1], rel=1e-9)
    exact = T * np.tanh(k * L) / k
    assert found[1] == pytest.approx(exact, rel=1e-5)
    assert np.log2((found[0] - exact) / (found[1] - exact)) == pytest.approx(4, abs=0.3)  # Hermite elements


def test_angular_acceleration_is_the_rate_of_the_angular_velocity():
    m = two_links()
    r = sp.simulate(m, t_end=0.01, qd0={"shoulder.angle": 2.0}, points=101, method=TIGHT)
    for frame in ("fore root", "tip"):
        rate = (r[frame].omega[2:] - r[frame].omega[:-2]) / (r.t[2] - r.t[0])
        h2 = (r.t[1] - r.t[0]) ** 2
        vibration = 3e3  # rad/s, of a beam in the bending that follows from its stretch: relative error (w h)^2/6
        np.testing.assert_allclose(r[frame].alpha[1:-1], rate, atol=vibration**2 * h2 / 6 * np.ptp(rate))


def test_beam_in_pieces_is_known_under_its_own_name():
    r = sp.simulate(two_links(pieces=2), t_end=0.1, points=3, method=TIGHT)
    e = r["upper"].e["bending_y_q"]
    assert e.shape == (3, 2)
    np.testing.assert_array_equal(e[:, 1], r["upper[1]"].e["bending_y_q"])
    assert r["upper"].sigma["torsion", "elongation"].shape == (3, 2, 2)


def test_pivot_of_a_pendulum_passes_its_force_on_to_the_rod():
    r = sp.simulate(pendulum(m=2.0), t_end=1.0, points=21, method=TIGHT)
    np.testing.assert_allclose(r["rod"].reaction("p").force, 2.0 * (r["bob"].a + [0, 0, G]), atol=1e-9)
    np.testing.assert_allclose(r["rod"].reaction("p").moment, 0, atol=1e-9)


@pytest.mark.parametrize("ask, message", [
    (lambda r: r["rod"].reaction("x"), "element 'rod': its ends are 'p' and 'q', got 'x'"),
    (lambda r: r["bob"].reaction("p"), "'bob' is not an element in this model"),
    (lambda r: r["rdo"], "result has no 'rdo' .did you mean 'rod'"),
    (lambda r: r[3], "result: a node or element is asked for by its name, got 3"),
    (lambda r: r["rod"].e[None], "element 'rod': give a name or several, got None; known: elongation"),
    (lambda r: r["rod"].e["torsion"], "element 'rod' has no 'torsion'.*; known: elongation"),
    (lambda r: r.energy["kinetik"], "energy has no 'kinetik' .did you mean 'kinetic'"),
    (lambda r: r.dof(["joint.angle"]), "result has no degree of freedom"),
])  # fmt: skip
def test_what_a_result_does_not_have_is_said_by_name(ask, message):
    r = sp.simulate(pendulum(), t_end=0.1, points=3)
    with pytest.raises(sp.InputError, match=message):
        ask(r)
