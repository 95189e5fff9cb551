"""Buckling loads against Euler's, and against the nonlinear tangent."""

import numpy as np
import pytest
from _linear_models import cantilever, slope

import spacar_py as sp
from spacar_py.errors import InputError
from spacar_py.linearize import buckling, linear_model

EULER = {  # P L^2/EI, reference values, section 4
    "clamped-free": 2.46740110027,
    "pinned-pinned": 9.86960440109,
    "clamped-pinned": 20.1907285564,
    "clamped-clamped": 39.4784176044,
}


def column(case, elements, **section):
    """Column along x under a unit compressive force at its end, free to shorten."""
    m = sp.Model(planar=True)
    m.node("a", (0, 0))
    m.node("b", (1, 0))
    below, above = case.split("-")
    m.fix("a", "x", "y", *(["phi"] if below == "clamped" else []))
    if above != "free":
        m.fix("b", "y", *(["phi"] if above == "clamped" else []))
    flexible = ("elongation", "bending") if "EA" in section else "bending"
    m.beam("column", "a", "b", sp.Section(EIz=1.0, **section), elements=elements, flexible=flexible)
    m.force("b", (-1.0, 0.0))
    return m


@pytest.mark.parametrize("case", EULER)
def test_column_buckles_at_the_load_of_euler(case):
    assert buckling(column(case, 16)).factors[0] == pytest.approx(EULER[case], rel=4e-5)  # 16 elements, order 4


@pytest.mark.parametrize("case", EULER)
def test_buckling_load_converges_with_order_four(case):
    n = np.array([4, 8, 16])
    assert slope(1 / n, [buckling(column(case, k)).factors[0] - EULER[case] for k in n]) == pytest.approx(4.0, abs=0.3)


def test_higher_loads_of_a_pinned_column_are_squares():
    factors = buckling(column("pinned-pinned", 32), n=3).factors
    np.testing.assert_allclose(factors, np.pi**2 * np.array([1, 4, 9]), rtol=1e-4)


def test_an_elastic_column_has_the_same_linear_buckling_load():
    """Elongation released or free: the prestress comes from the linear answer, the geometry stays."""
    assert buckling(column("clamped-clamped", 16, EA=1e4)).factors[0] == pytest.approx(
        EULER["clamped-clamped"], rel=4e-5
    )


def test_prestress_of_a_redundant_frame_is_shared_by_stiffness():
    """Two equal columns side by side carry half the load each, so the pair buckles at twice the load."""
    m = sp.Model(planar=True)
    for k, y in enumerate((0.0, 0.5)):
        m.node(f"a{k}", (0, y))
        m.fix(f"a{k}")
        m.node(f"b{k}", (1, y))
        s = sp.Section(EA=1e6, EIz=1.0)
        m.beam(f"c{k}", f"a{k}", f"b{k}", s, elements=6, flexible=("elongation", "bending"))
    m.beam("head", "b0", "b1")
    m.node("top", (1, 0.25))
    m.beam("half", "b0", "top")
    m.force("top", (-1.0, 0.0))
    # sway with heads that stay level: each column as clamped-guided, P L^2/EI = pi^2
    assert buckling(m).factors[0] == pytest.approx(2 * np.pi**2, rel=1e-3)  # 6 elements; columns stretch a little


def test_stiffness_is_singular_at_the_buckling_load():
    m = column("clamped-free", 8)
    P = buckling(m).factors[0]
    loaded = cantilever(8, planar=True)
    loaded.force("tip", (-P, 0.0))
    w2 = np.linalg.eigvalsh(linear_model(loaded).stiffness)
    assert abs(w2[0]) < 1e-9 * w2[-1]


def test_tension_does_not_buckle_and_the_reversed_load_is_told():
    m = column("clamped-free", 8)
    m.force("b", (2.0, 0.0))
    found = buckling(m)
    assert len(found) == 0
    assert found.reversed[0] == pytest.approx(-EULER["clamped-free"], rel=1e-4)
    assert "no buckling" in str(found)


def test_weight_of_a_mast_buckles_it():
    """Own weight q: q L^3/EI = 7.8373 (Greenhill 1881, first zero of J_{-1/3})."""
    m = cantilever(16, planar=True)
    m.gravity[0] = -1.0
    assert buckling(m, pattern="gravity").factors[0] == pytest.approx(7.837347, rel=1e-4)


def test_lateral_buckling_of_a_narrow_cantilever():
    """Tip load P in the stiff plane: P L^2/sqrt(EI GJ) = 4.0126 (Prandtl 1899)."""
    m = sp.Model()
    m.node("a", (0, 0, 0))
    m.fix("a")
    m.node("b", (1, 0, 0))
    s = sp.Section(EIy=1e4, EIz=1.0, GJ=1.0)
    m.beam("blade", "a", "b", s, y=(0, 1, 0), elements=20, flexible=("torsion", "bending"))
    m.force("b", (0, 0, -1.0))
    assert buckling(m).factors[0] == pytest.approx(4.0126, rel=2e-3)  # EIz/EIy = 1e-4, 20 elements


def test_modes_are_named_and_scaled():
    found = buckling(column("clamped-free", 4), n=1)
    assert found.names == ["column.bending 100 %; b.y"]
    assert np.max(np.abs(found.dx[:2])) <= 1.0
    assert found.dx[found.linear.system.x_names.index("b.y"), 0] == pytest.approx(1.0)


def test_a_pattern_without_stress_is_refused():
    with pytest.raises(InputError, match=r"the pattern \(gravity\) causes no stress; add loads"):
        buckling(column("clamped-free", 2), pattern="gravity")


def test_an_unknown_pattern_is_refused():
    with pytest.raises(InputError, match=r"no kind of load 'load' \(did you mean 'loads'\?\)"):
        buckling(column("clamped-free", 2), pattern="load")


def test_a_mechanism_is_refused():
    m = column("clamped-free", 2)
    m.release("a", "phi")
    with pytest.raises(InputError):
        buckling(m)
