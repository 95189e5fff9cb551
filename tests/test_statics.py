"""Static equilibrium against SPACAR, against closed forms and against published values."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.tangent import M0, tangent

# SPACAR: cantilever of 24 beams bent by a moment of 0.3 Nm at mid-span in four steps, read from its own output
SIXTH = (0, 0.001667, 0.003333, 0.005, 0.006667, 0.008333)  # rounded so in its input
SPACAR_X = [round(x + 0.010 * k, 6) for k in range(4) for x in SIXTH] + [0.04]
SPACAR_TIP = np.array([
    [0.040000000000, 0.0, 0.0],
    [0.038767351286, 0.009035685653, 17.481951961346],
    [0.035168845279, 0.017381554350, 34.975218905335],
    [0.029495030192, 0.024403512903, 52.491181897154],
    [0.022204770490, 0.029574803379, 70.041355243334],
])  # fmt: skip


def slope(h, error):
    """Fitted order of an error in h."""
    return np.polyfit(np.log(h), np.log(np.abs(error)), 1)[0]


@pytest.fixture(scope="module")
def cantilever():
    m = sp.Model()
    section = sp.Section(
        EA=59000, GJ=0.69391036333832, EIy=0.004916666666667, EIz=1.966666666666667, shear_y=2.715e-7, shear_z=1.086e-4,
        m=0.0254, Jx=8.48783333e-7, Jy=2.116667e-9, Jz=8.46666667e-7,
    )  # fmt: skip
    for i, x in enumerate(SPACAR_X):
        m.node(f"n{i}", (x, 0, 0))
    m.fix("n0")
    for i in range(24):
        m.beam(f"b{i}", f"n{i}", f"n{i + 1}", section, y=(0, 0, 1), dof="bending_y")
    m.moment("n12", (0, 0, 0.3))
    return m, sp.solve_static(m, steps=4)


def test_positions_of_the_bent_cantilever_are_spacars(cantilever):
    _, r = cantilever
    # the reference has 12 decimals: 1e-9 relative of the length is 4e-11, more than its last digit
    np.testing.assert_allclose(r["n24"].x[:, :2], SPACAR_TIP[:, :2], rtol=1e-9, atol=4e-11)


def test_rotations_of_the_bent_cantilever_are_spacars(cantilever):
    _, r = cantilever
    np.testing.assert_allclose(np.degrees(r["n24"].rotation[:, 2]), SPACAR_TIP[:, 2], rtol=1e-9, atol=1e-12)


def test_deformations_of_the_bent_cantilever_are_spacars(cantilever):
    _, r = cantilever
    e = r["b0"].e[("bending_y_p", "bending_y_q")][4]
    np.testing.assert_allclose(e, 8.4889804957e-5, rtol=1e-9)


def test_stress_resultants_of_the_bent_cantilever_are_spacars(cantilever):
    _, r = cantilever
    np.testing.assert_allclose(r["b0"].sigma[("bending_y_p", "bending_y_q")][4], 180.19780542, rtol=1e-9)


def test_moment_at_mid_span_bends_the_cantilever_as_the_closed_form(cantilever):
    """theta_i = asin(M L0_i / EI) and |l_i| = L0_i - e_i^2/(6 L0_i), e_i = L0_i sin(theta_i/2), up to the moment."""
    _, r = cantilever
    L0, EI = np.diff(SPACAR_X), 0.004916666666667
    for k in range(5):
        turn = np.where(np.arange(24) < 12, np.arcsin(0.3 * k / 4 * L0 / EI), 0.0)
        ends = np.concatenate([[0.0], np.cumsum(turn)])
        middle, l = (ends[1:] + ends[:-1]) / 2, L0 - (L0 * np.sin(turn / 2)) ** 2 / (6 * L0)
        tip = [(l * np.cos(middle)).sum(), (l * np.sin(middle)).sum()]
        np.testing.assert_allclose(r["n24"].x[k, :2], tip, rtol=1e-12, atol=1e-14)
        assert r["n24"].rotation[k, 2] == pytest.approx(ends[-1], rel=1e-12, abs=1e-15)
        np.testing.assert_allclose([*tip, np.degrees(ends[-1])], SPACAR_TIP[k], rtol=1e-9)  # SPACAR obeys it, too


def mass(model, result, state):
    """M0 of one state."""
    s = model.compile()
    w, ref, out = s.work(), np.zeros(s.ne), np.zeros((6, s.ny, s.ny))
    from spacar_py.integrate.problem import place

    place(s, w, result.y[state, 0], ref)
    w.y[0] = result.y[state, 0]
    tangent(s.k, w.k, 0.0, ref, out)
    return out[M0]


def test_trace_of_the_mass_matrix_is_spacars(cantilever):
    traces = [np.trace(mass(*cantilever, k)) for k in (0, 4)]
    np.testing.assert_allclose(traces, (2.345601947, 2.197599967), rtol=1e-9)  # printed to 10 digits


def test_entries_of_the_mass_matrix_are_spacars(cantilever):
    M = mass(*cantilever, 0)
    found = [M[0, 0], M[0, 1], M[1, 1], M[0, 47]]
    # printed to 9 or 10 digits
    np.testing.assert_allclose(found, (0.195021408, 0.1828395078, 0.1716469927, -8.262040021e-5), rtol=3e-9)


@pytest.fixture(scope="module")
def cross_hinge():
    leaf = sp.Section(
        EA=2.1e6, GJ=0.009309804722106, EIy=0.007, EIz=437.500000000000114, shear_y=1.1666667e-8,
        shear_z=7.29166666667e-4, m=0.078, Jx=1.625026e-5, Jy=2.6e-10, Jz=1.625e-5,
    )  # fmt: skip
    body = sp.Section(m=1.5, Jx=3.25e-4, Jy=1.25e-5, Jz=3.125e-4)
    m = sp.Model(gravity=(0, 0, -9.81))
    for name, x in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, x)
    m.beam("AC", "A", "C", leaf, y=(0, 0, 1), release="all")
    m.beam("BC", "B", "C", body, y=(0, 0, 1))
    m.beam("BD", "B", "D", leaf, y=(0, 0, 1), release="bending_y_q",
           dof=("elongation", "torsion", "bending_y_p", "bending_z"))  # fmt: skip
    m.fix("A")
    m.fix("D")
    m.mass("C", 0.1)
    m.prescribe("C", "lambda3", 0.247404)
    return sp.solve_static(m, steps=9, ramp=("prescribed",))


def test_cross_hinge_driven_to_half_a_radian_ends_where_spacars_does(cross_hinge):
    # SPACAR, nine decimals
    np.testing.assert_allclose(cross_hinge["C"].x[-1], (0.068886829, 0.121849032, -0.000004033), rtol=0, atol=1e-7)
    np.testing.assert_allclose(cross_hinge["B"].x[-1], (-0.018871424, 0.073906471, -0.000002072), rtol=0, atol=1e-7)


def test_supports_of_the_cross_hinge_carry_its_weight(cross_hinge):
    weight = 9.81 * (2 * 0.078 * np.hypot(0.1, 0.1) + 1.5 * 0.1 + 0.1)
    up = cross_hinge["A"].force + cross_hinge["D"].force
    np.testing.assert_allclose(up, np.tile([0, 0, weight], (10, 1)), atol=1e-6)  # forces of 1e3 N cancel


# planar cantilever, EI = L = 1 ----------------------------------------------------------------------------------------


def cantilever_planar(n, EA=1e9, L=1.0, **status):
    m = sp.Model(planar=True)
    m.node("root", (0, 0))
    m.node("tip", (L, 0))
    m.fix("root")
    status = status or dict(flexible="bending")  # elongation rigid: inextensible
    m.beam("arm", "root", "tip", sp.Section(EA=EA, EIz=1.0, m=1.0), elements=n, **status)
    return m


# inextensible elastica, shooting to 1e-10: shortening, deflection, angle for P L^2 / EI
ELASTICA = {
    1: (0.0564332363, 0.3017207738, 0.4613519497),
    2: (0.1606417208, 0.4934574804, 0.7817498316),
    5: (0.3876283607, 0.7137915236, 1.2153681176),
}


@pytest.mark.parametrize("alpha", ELASTICA)
def test_cantilever_under_a_dead_tip_force_is_the_elastica(alpha):
    sizes, errors = np.array([4, 8, 16]), []
    for n in sizes:
        m = cantilever_planar(n)
        m.force("tip", (0, alpha))
        tip = sp.solve_static(m, steps=5)["tip"]
        errors.append(np.array([1 - tip.x[-1, 0], tip.x[-1, 1], tip.rotation[-1]]) - ELASTICA[alpha])
    errors = np.abs(errors)
    assert errors[-1].max() < 3e-3 * alpha / 5
    for column in errors.T:  # the unit chord in the bending deformations makes the element of second order
        assert slope(1 / sizes, column) == pytest.approx(2.0, abs=0.15)


def test_tip_moment_rolls_a_cantilever_into_a_circle():
    n = 20
    m = cantilever_planar(n)
    # in pure bending each element turns by asin(M L0 / EI): this moment closes the polygon exactly
    m.moment("tip", n * np.sin(2 * np.pi / n))
    r = sp.solve_static(m, steps=20)
    np.testing.assert_allclose(r["tip"].x[-1], (0, 0), atol=1e-9)
    assert r["tip"].rotation[-1] == pytest.approx(2 * np.pi, abs=1e-9)


def test_tip_moment_bends_a_cantilever_to_an_arc_with_second_order():
    sizes, errors = np.array([5, 10, 20, 40]), []
    for n in sizes:
        m = cantilever_planar(n)
        m.moment("tip", np.pi)  # half a circle: x = 0, y = 2/pi
        errors.append(np.linalg.norm(sp.solve_static(m, steps=10)["tip"].x[-1] - (0, 2 / np.pi)))
    assert slope(1 / sizes, errors) == pytest.approx(2.0, abs=0.1)


def test_spatial_cantilever_rolls_up_as_the_planar_one():
    n = 10
    m = sp.Model()
    m.node("root", (0, 0, 0))
    m.node("tip", (1, 0, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", sp.Section(EIy=1.0, EIz=1.0, GJ=1.0), elements=n, flexible=("bending", "torsion"))
    m.moment("tip", (0, 0, n * np.sin(2 * np.pi / n)))
    r = sp.solve_static(m, steps=20)
    np.testing.assert_allclose(r["tip"].x[-1], (0, 0, 0), atol=1e-9)


def test_chain_in_pure_bending_obeys_the_closed_form():
    n, M = 6, 2.5
    m = cantilever_planar(n, EA=50.0, flexible="all")
    m.moment("tip", M)
    r = sp.solve_static(m, steps=5)
    L0 = 1 / n
    turn = np.arcsin(M * L0)  # of one end against the other: theta_i = asin(M L0 / EI)
    assert r["arm.1"].rotation[-1] == pytest.approx(turn, rel=1e-12)
    # both ends by half of it: e = L0 sin(turn / 2), and without axial force e1 = 0 = |l| - L0 + 5 e^2 / (30 L0)
    e = L0 * np.sin(turn / 2)
    chord = np.linalg.norm(r["arm.2"].x[-1] - r["arm.1"].x[-1])
    assert chord == pytest.approx(L0 - e**2 / (6 * L0), rel=1e-12)


# 45 degree bend, Bathe and Bolourchi 1979; computed independently to eight digits
BEND = np.array([-23.560240, -13.604521, 53.474859])


def test_forty_five_degree_bend_converges_to_the_exact_curve():
    R, sizes, tips = 100.0, np.array([8, 16, 32]), []
    shear = (1e7 / 12) / 0.5e7  # EI / GA: the reference shears, with the whole section
    section = sp.Section(EA=1e7, GJ=0.5e7 / 6, EIy=1e7 / 12, EIz=1e7 / 12, shear_y=shear, shear_z=shear)
    for n in sizes:
        m = sp.Model()
        for i, a in enumerate(np.linspace(0, np.pi / 4, n + 1)):
            m.node(f"n{i}", (R * np.sin(a), R * (1 - np.cos(a)), 0))
        for i in range(n):
            m.beam(f"b{i}", f"n{i}", f"n{i + 1}", section, y=(0, 0, 1), flexible="all")
        m.fix("n0")
        m.force(f"n{n}", (0, 0, 600))
        x = sp.solve_static(m, steps=6)[f"n{n}"].x
        tips.append(x[-1] - x[0])
    errors = np.linalg.norm(np.array(tips) - BEND, axis=1)
    assert errors[-1] < 0.02
    assert slope(1 / sizes, errors) == pytest.approx(2.0, abs=0.1)  # straight elements, unit chord
    # one extrapolation leaves h^4: (1/32)^4 of the initial error of about 10
    np.testing.assert_allclose((4 * tips[2] - tips[1]) / 3, BEND, rtol=0, atol=1e-4)
