"""Natural frequencies, damping and mode shapes against formulas and tables."""

import numpy as np
import pytest
from _linear_models import cantilever, slope

import spacar_py as sp
from spacar_py.errors import InputError
from spacar_py.linearize import linear_model, modes
from spacar_py.statics import solve_static

FREE = (3.516015269, 22.03449156, 61.69721441)  # (beta L)^2, clamped-free, reference values, section 4
CLAMPED = (22.37328545, 61.67282287)  # clamped-clamped


def clamped(elements):
    """Both ends clamped, free to slide in along the axis."""
    m = sp.Model(planar=True)
    m.node("a", (0, 0))
    m.fix("a")
    m.node("b", (1, 0))
    m.fix("b", "y", "phi")
    m.beam("beam", "a", "b", sp.Section(EIz=1.0, m=1.0), elements=elements, flexible="bending")
    return m


def test_cantilever_frequencies_converge_with_order_four():
    n = np.array([4, 8, 16])
    errors = [modes(cantilever(k, planar=True), n=2).omega / FREE[:2] - 1 for k in n]
    for j in range(2):
        assert slope(1 / n, [e[j] for e in errors]) == pytest.approx(4.0, abs=0.25)


def test_clamped_clamped_frequencies_converge_with_order_four():
    n = np.array([4, 8, 16])
    errors = [modes(clamped(k), n=2).omega / CLAMPED - 1 for k in n]
    for j in range(2):
        assert slope(1 / n, [e[j] for e in errors]) == pytest.approx(4.0, abs=0.25)


def test_sixteen_elements_give_three_cantilever_frequencies():
    np.testing.assert_allclose(
        modes(cantilever(16, planar=True), n=3).omega, FREE, rtol=4.1e-5
    )  # (beta L/n)^4/1440, third


def test_frequencies_of_a_fine_mesh_keep_their_digits():
    """200 degrees of freedom, the highest frequency 1e5 times the lowest: 1e-9 against inverse iteration."""
    lin = linear_model(cantilever(100, planar=True))
    v = np.ones(len(lin.dof))
    for _ in range(40):
        v = np.linalg.solve(lin.stiffness, lin.M0 @ v)
        v /= np.sqrt(v @ lin.M0 @ v)
    assert modes(lin, n=1).omega[0] ** 2 == pytest.approx(v @ lin.stiffness @ v, rel=1e-9)


@pytest.mark.parametrize(
    "P, omega", [(1.0, 2.753624945), (2.0, 1.580913207), (-10.0, 7.167467025)]
)  # reference values, section 4: dead P in units EI/L^2, compression positive
def test_compressed_and_stretched_cantilever_has_its_frequency(P, omega):
    m = cantilever(16, planar=True)
    m.force("tip", (-P, 0.0))
    assert modes(m, n=1).omega[0] == pytest.approx(omega, rel=1e-5)  # 16 elements


def rotating(elements, gamma, plane):
    """Beam on a hub that turns at gamma rad/s (EI = rhoA = L = 1), bending in one plane, rigid in length."""
    m = sp.Model()
    m.node("hub", (0, 0, 0))
    m.fix("hub", "x", "y", "z")
    m.frame("ground")
    m.fix("ground")
    m.hinge("spin", "ground", "hub", (0, 0, 1))
    m.prescribe("spin", "angle", sp.Signal([(0.0, [0.0, gamma])]))
    m.node("tip", (1, 0, 0))
    bend = "bending_y" if plane == "flap" else "bending_z"  # y axis in the plane of rotation
    m.beam("blade", "hub", "tip", sp.Section(EIy=1.0, EIz=1.0, m=1.0), y=(0, 1, 0), elements=elements, flexible=bend)
    return m


WRIGHT = {  # reference values, section 3 (Ritz; Wright et al. 1982)
    ("flap", 0): (3.516015, 22.034492),
    ("flap", 2): (4.137320, 22.614922),
    ("flap", 6): (7.360373, 26.809082),
    ("flap", 12): (13.170150, 37.603112),
    ("lag", 0): (3.516015, 22.034492),
    ("lag", 2): (3.621797, 22.526311),
    ("lag", 6): (4.263225, 26.129042),
    ("lag", 12): (5.427049, 35.636976),
}


@pytest.mark.parametrize("plane, gamma", WRIGHT)
def test_rotating_cantilever_has_the_frequencies_of_wright(plane, gamma):
    """The reference asks for 1e-4 with 8 elements; ours needs 16 at gamma = 12 (8: flap 1.4e-4, lag 5.0e-4)."""
    found = modes(rotating(16 if gamma == 12 else 8, gamma, plane), n=2)
    np.testing.assert_allclose(found.omega, WRIGHT[plane, gamma], rtol=1e-4)


@pytest.mark.parametrize("plane", ["flap", "lag"])
def test_rotating_cantilever_converges_with_order_four(plane):
    n = np.array([2, 4, 8])
    fine = modes(rotating(48, 6, plane), n=1).omega[0]
    errors = [modes(rotating(k, 6, plane), n=1).omega[0] - fine for k in n]
    assert slope(1 / n, errors) == pytest.approx(4.0, abs=0.3)
    assert fine == pytest.approx(WRIGHT[plane, 6][0], rel=1e-6)


def oscillator(k, c=0.0, mass=1.0):
    m = sp.Model()
    m.point("ground", (0, 0, 0))
    m.fix("ground")
    m.point("mass", (1, 0, 0))
    m.fix("mass", "y", "z")
    m.truss("spring", "ground", "mass", dof="elongation")
    if k:
        m.spring("spring", "elongation", k)
    if c:
        m.damper("spring", "elongation", c)
    m.mass("mass", mass)
    return m


def test_damped_oscillator_has_its_root():
    found = modes(oscillator(100.0, 4.0))  # omega 10, zeta = c/(2 sqrt(k m)) = 0.2
    assert found.kind == "damped"
    assert found.omega[0] == pytest.approx(10.0)
    assert found.damping[0] == pytest.approx(0.2)
    assert found.s[0] == pytest.approx(-2.0 + 1j * np.sqrt(96.0))


def test_overdamped_oscillator_has_two_real_roots():
    found = modes(oscillator(100.0, 50.0))
    np.testing.assert_allclose(np.sort(found.s.real), np.sort(np.roots([1, 50, 100])))
    assert not found.s.imag.any()


def test_an_inverted_pendulum_grows():
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (0, 0, 1))
    m.hinge("joint", "pivot", "swing", (0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", 2.0)
    found = modes(m)
    assert found.s[0] == pytest.approx(np.sqrt(9.81))  # s^2 = g/L
    assert not found.stable
    assert found.damping[0] == -1.0


def test_a_free_motion_is_printed_as_zero_without_the_rounding_of_its_root():
    from spacar_py import cases

    lines = str(modes(cases.load("manipulator").model)).splitlines()
    assert [row.split()[1:4] for row in lines[1:3]] == [["0", "0", "0"]] * 2  # the turret turns freely
    assert lines[3].split()[1] != "0"


def test_a_free_body_has_frequency_zero():
    assert modes(oscillator(0.0)).omega[0] == 0.0


def test_a_spinning_top_precesses_and_nutates():
    """Symmetric body (A, A, C) on a weightless gimbal spinning at w: nutation C w/A, and a root at zero."""
    m = sp.Model()
    m.node("o", (0, 0, 0))
    m.fix("o")
    for f in ("outer", "inner", "rotor"):
        m.frame(f)
    m.hinge("a", "o", "outer", (1, 0, 0))
    m.hinge("b", "outer", "inner", (0, 1, 0))
    m.hinge("c", "inner", "rotor", (0, 0, 1))
    m.prescribe("c", "angle", sp.Signal([(0.0, [0.0, 30.0])]))
    m.body(("o", "rotor"), 0.0, (2.0, 2.0, 3.0))
    found = modes(m)
    assert found.kind == "damped"  # the velocity terms are gyroscopic
    assert np.max(found.omega) == pytest.approx(3.0 * 30.0 / 2.0)
    assert np.max(np.abs(found.s.real)) < 1e-9


def test_shapes_are_mass_normalised_and_the_largest_displacement_is_positive():
    lin = linear_model(cantilever(4))
    found = modes(lin)
    np.testing.assert_allclose(found.shapes.T @ lin.M0 @ found.shapes, np.eye(len(found)), atol=1e-8)
    points = [i for i, n in enumerate(lin.system.x_names) if n.rsplit(".", 1)[1] in "xyz"]
    for v in found.dx[points].T:
        assert v[np.argmax(np.abs(v) > (1 - 1e-6) * np.abs(v).max())] > 0


def test_a_mode_is_named_by_what_moves():
    m = cantilever(4, EI=1.0)
    m.mass("tip", 3.0)
    stiff = sp.Section(EIy=1.0, EIz=9.0, m=1.0)
    m = sp.Model()
    m.node("clamp", (0, 0, 0))
    m.fix("clamp")
    m.node("tip", (1, 0, 0))
    m.beam("mast", "clamp", "tip", stiff, y=(0, 1, 0), elements=3, flexible="bending")
    found = modes(m)
    assert found[0].name == "mast.bending_y 100 %; tip.z"
    assert "mast.bending_y 100 %; tip.z" in str(found)


def test_massless_torsion_follows_statically():
    """A lever without rotary inertia on a torsion spring: the mass feels both springs in series."""
    m = sp.Model()
    m.node("clamp", (0, 0, 0))
    m.fix("clamp")
    m.node("mid", (1, 0, 0))
    m.node("tip", (1, 1, 0))
    m.beam("shaft", "clamp", "mid", sp.Section(GJ=2.0), flexible="torsion")
    m.beam("lever", "mid", "tip", sp.Section(EIy=3.0, EIz=3.0), y=(0, 0, 1), flexible="bending_z")
    m.mass("tip", 1.0)
    k = 1 / (1 / 2.0 + 1 / 9.0)  # GJ/L on a unit arm, and 3 EI/L^3
    assert modes(m, n=1).omega[0] ** 2 == pytest.approx(k)


def test_modes_of_many_points_are_those_of_each():
    m = cantilever(4, planar=True)
    m.force("tip", (-1.0, 0.5))
    r = solve_static(m, steps=3)
    many = modes(m, r, n=2)
    assert many.omega.shape == (4, 2)
    for k in range(4):
        np.testing.assert_allclose(many.omega[k], modes(m, r, index=k, n=2).omega, rtol=1e-12)


def test_real_modes_of_an_unsymmetric_stiffness_are_refused():
    m = cantilever(2, planar=True)
    m.force("tip", (-1.0, 0.0), follow="tip")
    with pytest.raises(InputError, match="not symmetric here, real modes do not exist; take kind='undamped'"):
        modes(m, kind="real")


def test_beck_column_flutters_beyond_its_load():
    """Follower force on a cantilever: two frequencies meet at P L^2/EI = 20.0510 (Beck 1952)."""
    stable = []
    for P in (19.9, 20.2):
        m = cantilever(16, planar=True)
        m.force("tip", (-P, 0.0), follow="tip")
        stable.append(bool(modes(m).stable))
    assert stable == [True, False]


@pytest.mark.parametrize(
    "options, message", [(dict(kind="best"), "kind must be one of auto"), (dict(n=0), "n must be a whole")]
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        modes(cantilever(1), **options)
