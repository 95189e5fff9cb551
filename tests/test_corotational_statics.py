"""Equilibria and frequencies of co-rotational beams against closed forms and published numbers."""

import numpy as np
import pytest

from spacar_py.corotational import Arm, Section, euler_bernoulli, frequencies, solve_static, timoshenko
from spacar_py.corotational.statics import node_positions

SLENDER = Section(EA=1e8, GIt=1.0, EIy=1.0, EIz=1.0, m=1.0)


def cantilever(elements, force=(0, 0, 0), moment=(0, 0, 0), section=SLENDER, **options):
    arm = Arm()
    arm.clamp("root")
    arm.link("beam", (1, 0, 0), section, elements, y=(0, 1, 0), **options)
    arm.load(force, moment)
    return arm


def tip(arm, steps):
    model, y = solve_static(arm, steps=steps)
    return node_positions(model, y, "beam")[-1]


def order(sizes, errors):
    return -np.polyfit(np.log(sizes), np.log(np.abs(errors)), 1)[0]


def test_tip_moment_rolls_a_cantilever_into_a_circle():
    """M L/EI = 2 pi; every element turns by the same angle, so the polygon closes for any mesh."""
    for elements in (7, 12):
        assert np.linalg.norm(tip(cantilever(elements, moment=(0, 0, 2 * np.pi)), 8)) < 1e-10


def test_half_circle_converges_with_the_square_of_the_element_length():
    """Tip at (0, 2/pi) for M L/EI = pi."""
    sizes = np.array([5, 10, 20])
    errors = [tip(cantilever(n, moment=(0, 0, np.pi)), 4)[1] - 2.0 / np.pi for n in sizes]
    assert order(sizes, errors) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize(
    "alpha, shortening, deflection",
    # reference values, section 4 (shooting, 1e-10)
    [(1.0, 0.0564332363, 0.3017207738), (2.0, 0.1606417208, 0.4934574804), (5.0, 0.3876283607, 0.7137915236)],
)
def test_dead_tip_force_bends_the_cantilever_into_the_elastica(alpha, shortening, deflection):
    sizes = np.array([10, 20, 40])
    tips = np.array([tip(cantilever(n, force=(0, alpha, 0)), 2) for n in sizes])
    # second order in the length: at 40 elements the error is a few 1e-4 (shortening) and 1e-5 (deflection)
    assert 1.0 - tips[-1, 0] == pytest.approx(shortening, rel=2e-4)
    assert tips[-1, 1] == pytest.approx(deflection, rel=1e-4)
    assert order(sizes, tips[:, 1] - deflection) == pytest.approx(2.0, abs=0.1)


def test_45_degree_bend_goes_where_bathe_and_bolourchi_found_it():
    """R 100, unit square section, E 1e7, nu 0, J 1/6, dead force 600: (-23.560240, -13.604521, 53.474859), CALC."""
    s = np.linspace(0.0, np.pi / 4, 17)
    path = 100.0 * np.column_stack((np.sin(s), 1.0 - np.cos(s), 0.0 * s))
    arm = Arm()
    arm.clamp("root")
    section = Section(EA=1e7, GIt=0.5e7 / 6, EIy=1e7 / 12, EIz=1e7 / 12, m=1.0)
    arm.link("beam", path, section, y=(0, 0, 1))
    arm.load((0, 0, 600))
    # 16 straight elements for the arc: 0.1 %
    np.testing.assert_allclose(tip(arm, 4) - path[-1], (-23.560240, -13.604521, 53.474859), rtol=1e-3)


def test_small_tip_force_on_a_timoshenko_cantilever_adds_the_shear_deflection():
    """P L^3/(3 EI) + P L/(kGA), exact for any mesh as long as it is small."""
    section = Section(EA=1e8, GIt=1.0, EIy=1.0, EIz=2.0, m=1.0, GAy=30.0, GAz=20.0)
    P = 1e-5
    moved = tip(cantilever(3, (0, P, P), section=section, law=timoshenko), 1)
    assert moved[1] / P == pytest.approx(1 / 6 + 1 / 30, rel=1e-6)
    assert moved[2] / P == pytest.approx(1 / 3 + 1 / 20, rel=1e-6)


def test_another_law_is_another_function_and_nothing_else():
    """Twice the energy, half the deflection, whatever the theory inside."""
    moved = [tip(cantilever(3, (0, 1e-5, 0), law=law), 1)[1]
             for law in (euler_bernoulli, lambda section, l0: 2.0 * euler_bernoulli(section, l0))]  # fmt: skip
    assert moved[1] == pytest.approx(moved[0] / 2.0, rel=1e-6)


def test_twisting_moment_turns_the_tip_by_ml_over_git():
    model, y = solve_static(cantilever(4, moment=(0.3, 0, 0)))
    o = model.tables.node_at[-1]
    assert 2 * np.arctan2(y[o + 4], y[o + 3]) == pytest.approx(0.3, rel=1e-12)


def test_cantilever_frequencies_converge_to_the_roots_of_the_frequency_equation():
    """(beta L)^2 = 3.516015269, 22.03449156; linear interpolation of r in the mass: second order."""
    sizes = np.array([5, 10, 20])
    found = np.array([frequencies(cantilever(n))[[0, 2]] for n in sizes])
    exact = np.array([3.516015269, 22.03449156])
    for k in range(2):
        assert order(sizes, found[:, k] - exact[k]) == pytest.approx(2.0, abs=0.15)
    np.testing.assert_allclose(found[-1], exact, rtol=4e-3)


def test_dead_compression_lowers_the_frequency_to_the_published_value():
    """P = 1 in EI/L^2: 2.753624945; the mass matrix costs 2e-4 at 20 elements."""
    assert frequencies(cantilever(20, force=(-1.0, 0, 0)))[0] == pytest.approx(2.753624945, rel=1e-3)


def test_cantilever_buckles_at_the_euler_load():
    """P L^2/EI = 2.46740110027: the lowest squared frequency changes sign there."""
    assert frequencies(cantilever(10, force=(-2.45, 0, 0)))[0] > 0.2
    assert frequencies(cantilever(10, force=(-2.49, 0, 0)))[0] == 0.0
