"""Sibling methods on the core's own models: arms made of models, the built-in cases, and what is refused."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py import cases
from spacar_py import corotational as cr
from spacar_py.bondgraph import kinetostatics
from spacar_py.cases import anthropomorphic as arm_data
from spacar_py.cases import double_link as link_data
from spacar_py.corotational import examples
from spacar_py.corotational.convert import arm_of, end_point


def controlled(case, feedforward="inverse dynamics", **options):
    arm = arm_of(case.model, case.path, case.controller, elements=4, feedforward=feedforward, **options)
    return cr.simulate(arm, 1.0, 51, cr.Projected(), start="equilibrium")


@pytest.mark.parametrize("name", ["double_link", "anthropomorphic", "anthropomorphic_rigid", "five_dof_robot"])
def test_the_examples_of_the_sibling_papers_are_built_in_cases(name):
    case = cases.load(name)
    assert case.source and case.title
    assert case.model.mobility().ok


def test_the_double_link_of_the_case_has_the_motions_of_the_paper():
    """Equations 21 and 22; the case counts the inner angle from upright."""
    motions = link_data.motions()
    for t in (0.0, 3.3, 9.99, 10.0, 14.0):
        inner = np.array(examples.inner_motion(t)) - (np.pi / 2, 0, 0)
        np.testing.assert_allclose(motions["shoulder.angle"].rates(t), inner, atol=1e-14)
        np.testing.assert_allclose(motions["elbow.angle"].rates(t), examples.outer_motion(t), atol=1e-14)


def test_the_joint_path_of_the_arm_leads_the_tip_along_equation_23():
    """Quintic pieces of 25 ms: error h^6/46080 times the sixth derivative, 3e-8 rad."""
    motions, start = arm_data.motions(), examples.joint_path(0.0)[0]
    for t in np.linspace(0.0, 1.0, 37):
        found = [motions[n].rates(t)[0] for n in arm_data.JOINTS]
        np.testing.assert_allclose(found, examples.joint_path(float(t))[0] - start, atol=1e-7)


def test_an_arm_made_of_a_model_moves_as_the_same_arm_written_by_hand():
    """Double link of the paper, 4 elements per link, 3 s; the model is drawn upright, the arm by hand level."""
    case = cases.load("double_link")
    options = dict(solver=cr.Projected(1e-7, 1e-9))
    model = cr.simulate(arm_of(case.model, elements=4), 3.0, 31, **options)
    hand = cr.simulate(examples.double_link(4), 3.0, 31, **options)
    np.testing.assert_allclose(model.tip, hand.tip, atol=1e-6)
    np.testing.assert_allclose(model["outer"].deflection, hand["outer"].deflection, atol=1e-6)


def test_core_and_corotational_beams_lead_the_flexible_arm_alike():
    """One model, one controller, two formulations: the tips differ by less than the links bend (7e-6 m)."""
    case = cases.load("anthropomorphic")
    case.run.points = 51
    core = case.simulate()
    assert np.max(np.abs(controlled(case).tip - core["tip"].x)) < 5e-6


def test_core_and_corotational_links_need_the_same_torques_on_the_path_of_the_arm():
    """Rigid arm, inverse dynamics: up to 31.6 N m, two formulations without a shared equation; rounding is left."""
    case, t = cases.load("anthropomorphic_rigid"), np.linspace(0.0, 1.0, 11)
    own = cr.inverse_dynamics(arm_of(case.model, case.path, case.controller), t)
    core = kinetostatics(case.model, t, case.path.joints).drives
    assert np.max(np.abs(own["shoulder"])) > 30.0
    for name, torque in own.items():
        np.testing.assert_allclose(torque, core[f"{name}.angle"], atol=1e-11)


def test_one_switch_makes_all_links_rigid():
    case, stiff = cases.load("anthropomorphic"), cases.load("anthropomorphic_rigid")
    switched, rigid = controlled(case, flexible=False), controlled(stiff)
    assert not any(link.flexible for link in switched.model.arm.links)
    np.testing.assert_allclose(switched.tip, rigid.tip, atol=1e-9)


def test_the_arm_of_the_case_sags_by_a_centimetre_when_nothing_is_fed_forward():
    """Gravity torque of 20-30 N m against KD = 1000 over 1 s."""
    sag = controlled(cases.load("anthropomorphic_rigid"), None).tip[-1, 2] - examples.tip_path(1.0)[0][2]
    assert -0.02 < sag < -0.005


def test_the_chain_of_a_model_ends_at_its_last_point():
    assert end_point(cases.load("double_link").model) == "tip"


def test_a_section_with_shear_becomes_a_timoshenko_beam():
    """P L^3/(3 EI) + P L/(kGA) in each plane, as the core has it; short and thick, so that shear counts."""
    section = sp.Section(EA=1e8, GJ=1.0, EIy=1.0, EIz=2.0, m=1.0, Jx=0.2, Jy=0.1, Jz=0.1, shear_y=0.05, shear_z=0.07)
    model = sp.Model()
    model.node("wall", (0, 0, 0))
    model.fix("wall")
    model.node("tip", (0.6, 0, 0))
    model.beam("rod", "wall", "tip", section, y=(0, 1, 0), elements=2, flexible="all")
    arm = arm_of(model, elements=3)
    assert arm.links[0].law is cr.timoshenko
    P = 1e-6
    arm.load((0, P, P))
    moved = cr.simulate(arm, 0.01, 3, cr.Projected(), start="equilibrium").tip[0]
    model.force("tip", (0, P, P))
    np.testing.assert_allclose(moved[1:] / P, [0.6**3 / 6 + 0.6 * 0.07 / 2, 0.6**3 / 3 + 0.6 * 0.05], rtol=1e-6)
    np.testing.assert_allclose(moved, sp.solve_static(model, steps=1)["tip"].x[-1], atol=1e-6 * P)


def test_masses_on_a_model_become_payloads():
    model = link_data.double_link(2)
    model.mass("tip", 1.5)
    arm = arm_of(model, elements=2)
    assert [(link, mass) for link, _, mass, _ in arm.payloads] == [("outer", 1.5)]


def test_the_robot_of_the_case_is_driven_as_printed():
    """Zc1 = cos pi t, th1 = sin pi t, Yc2 = cos 2 pi t, th2 = sin 2 pi t, th3 = sin 3 pi t (Wang and Tao)."""
    result = cases.load("five_dof_robot").simulate()
    np.testing.assert_allclose(result["column"].x[:, 2], np.cos(np.pi * result.t), atol=1e-12)
    expected = np.cos(2 * np.pi * result.t)
    np.testing.assert_allclose(np.linalg.norm(result["arm"].x - result["slide"].x, axis=1), np.abs(expected), atol=1e-9)


# messages -------------------------------------------------------------------------------------------------------------


def refused(model, match, *more, **options):
    with pytest.raises(sp.InputError, match=match):
        arm_of(model, *more, **options)


def test_elements_that_an_arm_does_not_have_are_named():
    refused(cases.load("five_dof_robot").model, "co-rotational: cylinder 'lift' is not covered; known: beam")


def test_springs_are_refused():
    refused(cases.load("braking_planar").model, "has springs, an arm has none; leave them out")


def test_a_beam_without_elongation_stiffness_is_refused():
    refused(cases.load("manipulator").model, "material_damping, an arm has none")
    model = sp.Model()
    model.node("base", (0, 0, 0))
    model.fix("base")
    model.node("tip", (1, 0, 0))
    model.beam("rod", "base", "tip", sp.Section(EIy=1.0, EIz=1.0, GJ=1.0, m=1.0), flexible="bending")
    refused(model, "beam 'rod': the section needs a positive EA, got 0; these beams stretch")


def test_a_second_support_is_refused():
    model = link_data.double_link(1)
    model.fix("tip", "x", "y")
    refused(model, "must have one held node, it has 2; only open chains are covered")


def test_a_path_of_a_point_is_refused():
    model = link_data.double_link(1)
    path = sp.LinePath((0, 16), (1, 15), T=1.0)
    refused(model, "a LinePath leads a point; give the joints with a JointPath", path)


def test_a_scheduled_controller_is_refused():
    case = cases.load("anthropomorphic")
    refused(case.model, "need a PD controller with scheduled=False", case.path, sp.PID(12.0))


def test_a_mass_without_a_place_in_the_arm_is_refused():
    model = link_data.double_link(2)
    model.mass("inner.1", 1.0)
    refused(model, "no place for the mass on 'inner.1'; put it on the start of a rigid link or on the end")
