"""Cross-sections against published constants and limits."""

import numpy as np
import pytest

from spacar_py import InputError, Section
from spacar_py.sections import rectangle_torsion

STEEL = dict(E=210e9, nu=0.3, rho=7800.0)


@pytest.mark.parametrize(
    ("ratio", "factor"),
    [(1.0, 0.1406), (1.2, 0.166), (1.5, 0.196), (2.0, 0.229), (2.5, 0.249), (3.0, 0.263), (4.0, 0.281), (5.0, 0.291),
     (10.0, 0.312)],
)  # fmt: skip
def test_torsion_constant_of_a_rectangle_is_the_tabulated_one(ratio, factor):
    """It = factor a c^3, Timoshenko and Goodier, Theory of Elasticity, art. 109, three digits printed."""
    assert rectangle_torsion(ratio * 0.02, 0.02)[0] / (ratio * 0.02**4) == pytest.approx(factor, abs=6e-4)


def test_torsion_constant_of_a_square_to_nine_digits():
    """a^4 (1/3 - 64/pi^5 sum tanh(n pi/2)/n^5, n odd) = 0.1405770150 a^4 (Timoshenko, summed by itself)."""
    assert rectangle_torsion(1.0, 1.0)[0] == pytest.approx(0.1405770150, abs=1e-9)


def test_torsion_constant_of_a_thin_strip_tends_to_a_third():
    """It = a c^3/3 (1 - 0.630249 c/a) for a >> c (Roark): 192 zeta-like sum over pi^5."""
    a, c = 1.0, 1e-3
    assert rectangle_torsion(a, c)[0] == pytest.approx(a * c**3 / 3 * (1 - 0.630249 * c / a), rel=1e-9)


def test_warping_constant_of_a_thin_strip_is_b3_h3_over_144():
    """Tolerance from this program: it departs by some 4 (h/b)^2, seen at h/b = 0.1 and 0.001, without a source."""
    b, h = 1.0, 1e-3
    assert rectangle_torsion(b, h)[1] == pytest.approx(b**3 * h**3 / 144, rel=1e-5)


@pytest.mark.parametrize(("a", "c"), [(1.0, 1.0), (1.5, 1.0), (2.0, 1.0)])
def test_warping_function_expanded_along_either_side_gives_the_same_constant(a, c):
    """Independent expansion: w = -(y z - sum sin(k y) sinh(k z)), k = (2n+1) pi/a."""
    n = 2 * np.arange(300) + 1
    nodes, weights = np.polynomial.legendre.leggauss(200)
    y, z = nodes * a / 2, nodes * c / 2
    k = n[:, None] * np.pi / a
    sign = np.where(n % 4 == 1, 1.0, -1.0)[:, None]
    ratio = (np.exp(k * (z - c / 2)) - np.exp(-k * (z + c / 2))) / (1 + np.exp(-k * c))
    w = np.outer(y, z) - 8 * a**2 / np.pi**3 * np.einsum("ny,nz->yz", np.sin(k * y), sign / n[:, None] ** 3 * ratio)
    Iw = weights @ w**2 @ weights * a * c / 4
    assert rectangle_torsion(a, c)[1] == pytest.approx(Iw, rel=1e-6)  # 60 terms and 48 nodes against 300 and 200


def test_torsion_and_warping_do_not_ask_which_side_is_longer():
    assert rectangle_torsion(0.01, 0.04) == rectangle_torsion(0.04, 0.01)


def test_rectangle_has_the_moments_of_its_sides():
    """width b along y, height h along z: Iy = b h^3/12 is bending about y."""
    b, h, E, G = 0.04, 0.001, 210e9, 210e9 / 2.6
    s = Section.rectangle(b, h, **STEEL)
    assert s.EA == pytest.approx(E * b * h, rel=1e-14)
    assert s.EIy == pytest.approx(E * b * h**3 / 12, rel=1e-14)
    assert s.EIz == pytest.approx(E * h * b**3 / 12, rel=1e-14)
    assert s.m == pytest.approx(7800 * b * h, rel=1e-14)
    assert s.GJ == pytest.approx(G * b * h**3 / 3 * (1 - 0.630249 * h / b), rel=1e-6)


def test_rotary_inertia_is_density_times_second_moments():
    """J = rho I, and about x the sum of both (perpendicular axes)."""
    s = Section.rectangle(0.04, 0.01, **STEEL)
    rho = STEEL["rho"]
    assert np.allclose(np.diag(s.J) / rho, [68e-8 / 12, 4e-8 / 12, 64e-8 / 12], rtol=1e-13)
    assert s.Jx == pytest.approx(s.Jy + s.Jz, rel=1e-15)
    assert s.Jw / rho == pytest.approx(s.EIw / STEEL["E"], rel=1e-14)


def test_shear_factors_are_those_of_cowper():
    """Cowper 1966: rectangle 10(1+nu)/(12+11nu), circle 6(1+nu)/(7+6nu), thin tube 2(1+nu)/(4+3nu)."""
    nu, G = 0.3, 210e9 / 2.6

    def factor(s):
        return s.EIy / (s.shear_y * G * s.EA / 210e9)

    assert factor(Section.rectangle(0.02, 0.03, **STEEL)) == pytest.approx(10 * (1 + nu) / (12 + 11 * nu), rel=1e-12)
    assert factor(Section.circle(0.02, **STEEL)) == pytest.approx(6 * (1 + nu) / (7 + 6 * nu), rel=1e-12)
    thin = Section.tube(0.02, 0.02 * (1 - 1e-6), **STEEL)
    assert factor(thin) == pytest.approx(2 * (1 + nu) / (4 + 3 * nu), rel=1e-5)  # wall of 1e-6 of the diameter


def test_circle_and_tube_have_closed_forms():
    E, G, d, D = 210e9, 80e9, 0.01, 0.02
    c = Section.circle(D, E=E, G=G, rho=1000.0)
    assert c.GJ == pytest.approx(G * np.pi * D**4 / 32, rel=1e-14)
    assert c.EIy == c.EIz == pytest.approx(E * np.pi * D**4 / 64, rel=1e-14)
    t = Section.tube(D, d, E=E, G=G, rho=1000.0)
    assert t.EA == pytest.approx(E * np.pi * (D**2 - d**2) / 4, rel=1e-14)
    assert t.GJ == pytest.approx(G * np.pi * (D**4 - d**4) / 32, rel=1e-14)
    assert t.m == pytest.approx(1000 * np.pi * (D**2 - d**2) / 4, rel=1e-14)
    assert c.EIw == t.EIw == 0.0


def test_G_and_nu_say_the_same():
    a, b = Section.rectangle(0.02, 0.03, E=210e9, nu=0.25), Section.rectangle(0.02, 0.03, E=210e9, G=84e9)
    assert (a.GJ, a.shear_y) == pytest.approx((b.GJ, b.shear_y), rel=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Section(EA=-1.0), "section: EA must be zero or positive, got -1"),
        (lambda: Section(m=float("nan")), "section: m must be finite, got nan"),
        (lambda: Section(EIy="stiff"), "section: EIy must be a number, got 'stiff'"),
        (lambda: Section(Jy=1.0, Jz=1.0, Jyz=2.0), "section: Jyz^2 must not exceed Jy Jz = 1, got Jyz = 2"),
        (lambda: Section.rectangle(0, 1, E=1, nu=0.3), "rectangle: width must be positive, got 0"),
        (lambda: Section.rectangle(1, 1, E=-2, nu=0.3), "rectangle: E must be positive, got -2"),
        (lambda: Section.rectangle(1, 1, E=1, nu=0.7), "rectangle: nu must be above -1 and at most 0.5, got 0.7"),
        (lambda: Section.rectangle(1, 1, E=1), "rectangle: give either G or nu, got neither"),
        (lambda: Section.circle(1, E=1, G=1, nu=0.3), "circle: give either G or nu, got both"),
        (lambda: Section.tube(1, 2, E=1, nu=0.3), "the inner diameter must be smaller than the outer one, got 2 and 1"),
        (lambda: Section.tube(1, -1, E=1, nu=0.3), "tube: inner diameter must be zero or positive, got -1"),
        (lambda: Section.circle(1, E=1, nu="soft"), "circle: nu must be a number, got 'soft'"),
    ],
)
def test_impossible_sections_are_refused_by_name(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)
