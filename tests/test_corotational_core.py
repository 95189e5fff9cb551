"""Co-rotational beams and the core's deformation coordinates: no shared equations, the same motion."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py import corotational as cr
from spacar_py.corotational.examples import double_link, inner_motion
from spacar_py.signals import Signal

PI = np.pi


def core_section(s):
    return sp.Section(EA=s.EA, GJ=s.GIt, EIy=s.EIy, EIz=s.EIz, m=s.m, Jx=s.Jy + s.Jz, Jy=s.Jy, Jz=s.Jz)


def core_double_link(elements):
    """The double link as planar beams of the core, drawn upright; signals are equations 21 and 22 of the paper."""
    arm = double_link(1)
    m = sp.Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.frame("root")
    m.node("elbow", (0, 8))
    m.frame("second")
    m.node("tip", (0, 16))
    m.hinge("h1", "base", "root")
    m.hinge("h2", "elbow", "second")
    flexible = ["bending", "elongation"]
    m.beam("inner", ("base", "root"), "elbow", core_section(arm.links[0].section), elements=elements, flexible=flexible)
    m.beam(
        "outer", ("elbow", "second"), "tip", core_section(arm.links[1].section), elements=elements, flexible=flexible
    )
    T, w = 10.0, 2 * PI / 10.0
    k, a = -(PI / 2) / T, 1.0 / (T * w**2)
    m.prescribe("h1", "angle", Signal([(0, [0, k, 0, 0, 0, 0, -k / w, w, 0]), (T, [-PI / 2])]))
    m.prescribe("h2", "angle", Signal([(0, [-a, 0, 0.5 / T, 0, 0, 0, a, w, PI / 2]), (T, [T / 2, 1.0])]))
    return m


def core_deflections(elements, t_end, points, rtol):
    r = sp.simulate(
        core_double_link(elements), t_end=t_end, points=points, method=sp.GeneralizedAlpha(rtol, rtol / 100)
    )
    th1 = np.array([inner_motion(t)[0] for t in r.t])
    th2 = r["second"].rotation + PI / 2
    inner, outer = r["elbow"].x, r["tip"].x - r["elbow"].x
    return np.column_stack([x[:, 1] * np.cos(a) - x[:, 0] * np.sin(a) for a, x in ((th1, inner), (th2, outer))])


def corotational_deflections(elements, t_end, points, rtol):
    r = cr.simulate(double_link(elements), t_end, points, cr.Projected(rtol, rtol / 100))
    return np.column_stack([r[k].deflection[:, 1] for k in ("inner", "outer")])


def test_double_link_bends_as_the_core_says_within_one_per_cent():
    """Ten elements per link, as in the paper, first 5 s; the core with four elements is converged to 1e-3 itself."""
    core = core_deflections(4, 5.0, 101, 1e-7)
    found = corotational_deflections(10, 5.0, 101, 1e-5)
    assert np.all(np.max(np.abs(found - core), axis=0) < 0.01 * np.max(np.abs(core), axis=0))


@pytest.mark.slow
def test_double_link_approaches_the_core_with_the_square_of_the_element_length():
    core = core_deflections(8, 15.0, 501, 1e-8)
    sizes = np.array([5, 10, 20])
    found = [corotational_deflections(n, 15.0, 501, 1e-6) for n in sizes]
    errors = np.array([np.max(np.abs(d - core), axis=0) for d in found]) / np.max(np.abs(core), axis=0)
    assert np.all(errors[1] < 0.01)
    for k in range(2):
        assert -np.polyfit(np.log(sizes), np.log(errors[:, k]), 1)[0] == pytest.approx(2.0, abs=0.2)


def test_beam_swung_about_a_skew_axis_under_gravity_goes_where_the_core_says():
    """Deflection of half the length, bending in both planes and twist; each mesh by itself within 0.5 %."""
    section = cr.Section(EA=2e5, GIt=60.0, EIy=80.0, EIz=120.0, m=2.0, Jy=0.002, Jz=0.003)
    axis, gravity = (0.3, 0.5, 1.0), (0, 0, -9.81)
    m = sp.Model(gravity=gravity)
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("root")
    m.node("tip", (2, 0, 0))
    m.hinge("h", "base", "root", axis=axis)
    m.beam("beam", ("base", "root"), "tip", core_section(section), elements=8, y=(0, 1, 0), flexible="all")
    m.prescribe("h", "angle", Signal([(0, [0, 0, 0, 2.0])]))
    core = sp.simulate(m, t_end=1.2, points=61, method=sp.GeneralizedAlpha(1e-6, 1e-8))
    arm = cr.Arm(gravity=gravity)
    arm.hinge("h", axis, drive=lambda t: (2 * t**3, 6 * t**2, 12 * t))
    arm.link("beam", (2, 0, 0), section, elements=10, y=(0, 1, 0))
    found = cr.simulate(arm, 1.2, 61, cr.Projected())
    bend = np.max(np.linalg.norm(found["beam"].deflection, axis=1))
    assert bend > 0.9
    assert np.max(np.abs(found.tip - core["tip"].x)) < 0.01 * bend
