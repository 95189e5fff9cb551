"""Frequencies and matrix entries against output of the original SPACAR program (reference values, sections 1 and 2)."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.linearize import linear_model, modes
from spacar_py.statics import solve_static


@pytest.fixture(scope="module")
def cantilever():
    """24 beams along x, bent by 0.3 Nm about z at mid-span in 4 steps; nodes at SPACAR's rounded positions."""
    m = sp.Model()
    x = [round(0.005 * i + d, 6) for i in range(8) for d in (0.0, 0.001667, 0.003333)] + [0.04]
    for i, xi in enumerate(x):
        m.node(f"n{i}", (xi, 0, 0))
    m.fix("n0")
    section = sp.Section(
        EA=59000, GJ=0.69391036333832, EIy=0.004916666666667, EIz=1.966666666666667, shear_y=2.715e-7, shear_z=1.086e-4,
        m=0.0254, Jx=8.48783333e-7, Jy=2.116667e-9, Jz=8.46666667e-7,
    )  # fmt: skip
    for i in range(24):
        m.beam(f"b{i}", f"n{i}", f"n{i + 1}", section, y=(0, 0, 1), dof="bending_y")
    m.moment("n12", (0, 0, 0.3))
    result = solve_static(m, steps=4)
    return m, result, linear_model(m, result)


FREQUENCIES = [  # Hz, SPACAR, states 0 to 4
    (153.7962693441, 960.8789213157, 2677.4130397286),
    (154.1754392511, 948.7237940147, 2612.8218061942),
    (155.3155728535, 914.8503386636, 2460.1601656834),
    (157.2239972658, 866.2349743743, 2291.9587593366),
    (159.9110163009, 811.7322722999, 2148.8762181959),
]


@pytest.mark.parametrize("state", range(5))
def test_bent_cantilever_has_the_frequencies_of_spacar(cantilever, state):
    f = modes(cantilever[2][state], n=3).frequency
    np.testing.assert_allclose(f, FREQUENCIES[state], rtol=1e-9)


def test_without_geometric_stiffness_the_first_frequency_is_the_one_spacar_gives(cantilever):
    bent = cantilever[2][4]
    assert modes(bent.add(G0=-bent.G0), n=1).frequency[0] == pytest.approx(160.1079867963, rel=1e-9)  # SPACAR


def test_mass_matrix_of_the_straight_cantilever_has_the_entries_of_spacar(cantilever):
    M = cantilever[2][0].M0
    assert np.trace(M) == pytest.approx(2.345601947, rel=1e-9)  # all SPACAR, printed to 10 digits
    assert M[0, 0] == pytest.approx(0.195021408, rel=1e-9)
    assert M[0, 1] == pytest.approx(0.1828395078, rel=1e-9)
    assert M[1, 1] == pytest.approx(0.1716469927, rel=1e-9)
    assert M[0, 47] == pytest.approx(-8.262040021e-5, rel=1e-9)


def test_matrices_of_the_bent_cantilever_have_the_traces_and_entries_of_spacar(cantilever):
    bent = cantilever[2][4]
    assert np.trace(bent.M0) == pytest.approx(2.197599967, rel=1e-9)  # all SPACAR, printed to 10 digits
    assert np.trace(bent.K0) == pytest.approx(121356362.2, rel=1e-9)
    assert np.trace(bent.G0) == pytest.approx(-132482.5687, rel=1e-9)
    assert bent.G0[0, 0] == pytest.approx(-5519.014294, rel=1e-9)
    assert bent.G0[1, 1] == pytest.approx(-5519.014294, rel=1e-9)
    assert bent.G0[2, 2] == pytest.approx(-5522.292497, rel=1e-9)


def test_static_states_are_in_equilibrium_under_their_own_load_factor(cantilever):
    assert np.abs(cantilever[2].residual).max() < 1e-9 * 180.2  # against the bending stress resultant of beam 1


LEAF = dict(
    EA=2.1e6, GJ=0.009309804722106, EIy=0.007, EIz=437.500000000000114, shear_y=1.1666667e-8, shear_z=7.29166666667e-4,
    m=0.078, Jx=1.625026e-5, Jy=2.6e-10, Jz=1.625e-5,
)  # fmt: skip


def cross_hinge(ac: dict, bd: dict) -> sp.Model:
    """Two crossing leaf springs under a rigid body, spatial, with gravity."""
    m = sp.Model(gravity=(0, 0, -9.81))
    for name, x in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, x)
    m.fix("A")
    m.fix("D")
    leaf = sp.Section(**LEAF)
    m.beam("AC", "A", "C", leaf, y=(0, 0, 1), **ac)
    m.beam("BC", "B", "C", sp.Section(m=1.5, Jx=3.25e-4, Jy=1.25e-5, Jz=3.125e-4), y=(0, 0, 1))
    m.beam("BD", "B", "D", leaf, y=(0, 0, 1), **bd)
    m.mass("C", 0.1)
    return m


ALL = ("elongation", "torsion", "bending_y_p", "bending_y_q", "bending_z_p", "bending_z_q")


@pytest.fixture(scope="module")
def driven_hinge():
    m = cross_hinge(dict(release="all"), dict(release=ALL[3], dof=tuple(d for d in ALL if d != ALL[3])))
    m.prescribe("C", "lambda3", 0.247404)
    result = solve_static(m, steps=9, ramp=("prescribed",))
    result.info.setdefault("factors", np.ones((10, 4)))  # gravity acts fully from the start
    return m, result


def test_driven_cross_hinge_ends_where_spacar_puts_it(driven_hinge):
    r = driven_hinge[1]
    np.testing.assert_allclose(r["C"].x[-1], (0.068886829, 0.121849032, -0.000004033), atol=2e-9)  # SPACAR, 9 decimals
    np.testing.assert_allclose(r["B"].x[-1], (-0.018871424, 0.073906471, -0.000002072), atol=2e-9)


@pytest.mark.parametrize(
    "state, hertz",
    [  # SPACAR, input held
        (0, (266.482056362, 524.837970184, 1206.977963178, 1206.977963802, 2586.644692114)),
        (-1, (261.179547008, 529.480635422, 1177.210973832, 1236.042727812, 2662.211980034)),
    ],
)
def test_cross_hinge_with_its_input_held_has_the_frequencies_of_spacar(driven_hinge, state, hertz):
    model, result = driven_hinge
    np.testing.assert_allclose(modes(model, result, index=state).frequency, hertz, rtol=1e-6)


@pytest.mark.parametrize("state, hertz", [(0, 1.565391209), (-1, 1.296657239)])  # SPACAR, input released
def test_cross_hinge_with_its_input_released_has_the_first_frequency_of_spacar(driven_hinge, state, hertz):
    free = cross_hinge(
        dict(dof=ALL[1:4], release=(ALL[0], *ALL[4:])),
        dict(dof=(ALL[1], ALL[2], ALL[5]), release=(ALL[0], ALL[3], ALL[4])),
    )
    names = free.compile().dof
    e = driven_hinge[1].e[state]
    q = e[[driven_hinge[0].compile().e_names.index(n) for n in names]]
    let_go = linear_model(free, dict(zip(names, q, strict=True)), free=True)  # nothing drives it, so it accelerates: N0
    assert modes(let_go, kind="undamped", n=1).frequency[0] == pytest.approx(hertz, rel=1e-6)
