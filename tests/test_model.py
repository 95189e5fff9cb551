"""What a user can say about a model, and what the model says of itself."""

import doctest
import importlib

import numpy as np
import pytest
from _motion import of, state

from spacar_py import InputError, Model, Section
from spacar_py.elements.registry import ELEMENTS

SOFT = Section(EA=1e3, GJ=1.0, EIy=1.0, EIz=1.0, m=1.0)


def pendulum():
    m = Model(gravity=(0, 0, -9.81), name="pendulum")
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (1, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", 1.0)
    return m


def test_a_printed_model_is_a_short_account():
    text = str(pendulum())
    assert text.splitlines() == [
        "spatial model 'pendulum'",
        "  nodes     2 points, 2 frames",
        "  elements  1 hinge, 1 rigid beam",
        "  held      pivot",
        "  inertia   1 point mass; gravity (0, 0, -9.81)",
        "  loads     none",
        "  motion    1 degree of freedom: joint.angle",
    ]


def test_a_printed_model_counts_loads_and_laws_in_plain_words():
    m = pendulum()
    m.point("peg", (0, 0, 1))
    m.fix("peg")
    m.truss("left", "peg", "bob", SOFT, release="all")
    m.truss("right", "peg", "bob", SOFT, release="all")
    m.body(("bob", "swing"), m=1.0, J=0.1)
    m.force("bob", (1, 0, 0))
    m.force("bob", (0, 1, 0))
    m.moment("swing", (1, 0, 0))
    m.actuator("joint", "angle", 1.0)
    m.spring("joint", "angle", 2.0)
    m.damper("joint", "angle", 3.0)
    m.prestress("left", "elongation", 4.0)
    m.prestress("right", "elongation", 4.0)
    lines = str(m).splitlines()
    assert "  elements  1 hinge, 1 rigid beam, 2 trusses" in lines
    assert "  inertia   1 point mass, 1 rigid body; gravity (0, 0, -9.81)" in lines
    assert "  loads     2 forces, 1 moment, 1 actuator, 1 spring, 1 damper, 2 prestresses" in lines


def test_a_printed_model_of_many_elements_stays_short():
    m = Model(planar=True)
    m.node("root", (0, 0))
    m.node("tip", (1, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", SOFT, elements=200, flexible="all")
    text = str(m)
    assert len(text.splitlines()) < 10 and max(map(len, text.splitlines())) < 250
    assert "600 degrees of freedom: arm[0].elongation" in text and "(590 more)" in text


def test_a_coordinate_can_be_fixed_released_a_dof_and_prescribed():
    m = Model(planar=True)
    m.point("p", (0.2, 0.3))
    m.mass("p", 1.0)
    m.fix("p", "x")
    m.dof("p", "y")
    s = m.compile()
    assert (s.x_status, s.dof) == (["fixed", "dof"], ["p.y"])
    m.prescribe("p", "x", 0.2)
    s = m.compile()
    assert (s.dof, s.prescribed) == (["p.y"], ["p.x"])
    m.release("p", "x")
    with pytest.raises(InputError, match=r"nothing determines the motion of p\.x"):
        m.compile()
    m.point("o", (0.2, 0.0))
    m.fix("o")
    m.truss("bar", "o", "p", dof="elongation")
    m.release("p", "y")
    m.dof("p", "x")
    s = m.compile()
    assert s.x_status[:2] == ["dof", "dependent"]
    w = state(s, [0.5, 0.2])  # q = (x_m, e_m): x moved by 0.3, the bar longer by 0.2
    assert of(s, w, "point", "p")[1] == pytest.approx(np.sqrt(0.5**2 - 0.3**2), rel=1e-12)


def test_a_deformation_can_be_fixed_released_a_dof_and_prescribed():
    m = pendulum()
    assert m.compile().e_status[0] == "dof"
    for say, status in ((m.fix, "fixed"), (m.dof, "dof"), (m.flexible, "dof")):
        say("joint", "angle")
        m.compile()
        assert m.compile().e_status[0] == status
    m.prescribe("joint", "angle", 0.0)
    assert m.compile().prescribed == ["joint.angle"]
    m.release("joint", "angle")
    m.dof("swing", "lambda2")
    s = m.compile()
    assert (s.dof, s.e_status[0]) == (["swing.lambda2"], "released")


def test_a_whole_rotation_as_dof_leaves_out_the_largest_euler_parameter():
    m = Model()
    m.node("body", (0, 0, 0), rotation=(0, 0, 3.0))  # lambda3 = sin(1.5) is the largest
    m.body("body", m=1.0, J=1.0)
    m.dof("body")
    assert m.compile().dof == ["body.x", "body.y", "body.z", "body.lambda0", "body.lambda1", "body.lambda2"]


def test_the_frame_of_a_node_that_only_serves_as_a_point_stays_still():
    m = Model(planar=True)
    m.node("p", (0, 0))
    m.mass("p", 1.0)
    m.dof("p")
    assert m.compile().dof == ["p.x", "p.y"]


def test_status_of_a_chain_reaches_all_its_elements():
    m = Model(planar=True)
    m.node("root", (0, 0))
    m.node("tip", (1, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", SOFT, elements=3)
    m.dof("arm", "bending_q")
    m.release("arm[1]", "bending_q")
    m.dof("arm.2", "phi")
    assert m.compile().dof == ["arm.2.phi", "arm[0].bending_q", "arm[2].bending_q"]


def test_laws_on_a_chain_reach_all_its_elements():
    m = Model(planar=True)
    m.node("root", (0, 0))
    m.node("tip", (1, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", SOFT, elements=3, dof="bending", damping=0.01)
    m.damper("arm", "bending", 2.0)
    m.spring("arm", "bending_p", 5.0)
    m.prestress("arm", "elongation", 7.0)
    s = m.compile()
    t = s.tables
    for k in range(3):
        S, Sd = (a[t.el_S[k] : t.el_S[k + 1]].reshape(3, 3) for a in (t.S, t.Sd))
        EI = 4 * 1.0 / (1 / 3) ** 3
        assert S[1, 1] == pytest.approx(EI + 5.0, rel=1e-12)
        assert Sd[1, 1] == pytest.approx(0.01 * EI + 2.0, rel=1e-12)
        assert t.sigma0[3 * k] == 7.0


def test_a_planar_model_is_truly_smaller():
    """3 coordinates per node instead of 7, 3 deformations per beam instead of 6."""

    def size(planar):
        m = Model(planar=planar)
        m.node("root", (0, 0) if planar else (0, 0, 0))
        m.node("tip", (1, 0) if planar else (1, 0, 0))
        m.fix("root")
        m.beam("arm", "root", "tip", SOFT, elements=10)
        s = m.compile()
        return s.nx, s.ne

    assert size(True) == (33, 30)
    assert size(False) == (77, 60 + 10)  # and a norm for every free frame


def test_every_element_can_be_made_from_the_model():
    """Each kind of the registry, but the condition that comes with every frame."""
    made = set()
    for planar in (False, True):
        m = Model(planar=planar)

        def at(*xyz, m=m):
            return xyz[: m.dim]

        m.node("a", at(0, 0, 0))
        m.node("b", at(1, 0, 0))
        m.node("c", at(1, 0, 0))
        m.frame("f")
        m.beam("beam", "a", "b")
        m.truss("truss", "a", "b")
        m.rigid_beam("rigid", "a", "b")
        m.pin_body("pin", "a", "b")
        m.slider("slider", "a", "b", axis=at(1, 0, 0))
        m.spherical("ball", "b", "c")
        m.hinge("hinge", "a", "f", **({} if planar else {"axis": (0, 0, 1)}))
        if not planar:
            m.warp("v")
            m.warp("w")
            m.beam("warping", "a", "b", warping=("v", "w"))
            m.cylinder("cylinder", "a", "b", axis=(1, 0, 0))
            m.universal("universal", "a", "b", axis=(1, 0, 0), y=(0, 1, 0))
        made |= {e.kind for e in m.elements.values()}
    assert made == set(ELEMENTS) - {"frame"}


def test_a_changed_model_is_compiled_anew():
    m = pendulum()
    first = m.compile()
    assert m.compile() is first
    m.mass("bob", 2.0)
    assert m.compile() is not first


def test_labels_name_every_coordinate_and_deformation_once():
    m = pendulum()
    s = m.compile()
    assert s.x_names[:3] == ["pivot.x", "pivot.y", "pivot.z"]
    assert s.e_names == ["joint.angle", "joint.bending_y", "joint.bending_z", "rod.elongation", "rod.bending_y",
                         "rod.bending_z", "swing.norm"]  # fmt: skip
    assert len(set(s.x_names + s.e_names)) == s.nx + s.ne


def test_initial_rotations_do_not_deform():
    """A beam between frames that start turned is as straight as one between frames that do not."""
    m = Model()
    m.node("a", (0, 0, 0), rotation=(0.3, 2.0, -1.0))
    m.node("b", (1, 2, 3), rotation=(-1.0, 0.2, 0.5))
    m.fix("a")
    m.beam("bar", "a", "b", SOFT, dof="all")
    s = m.compile()
    assert np.allclose(s.y0, 0.0, rtol=0, atol=1e-14)
    assert np.allclose(state(s, s.y0).X[0], s.x0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("module", ["model", "sections", "signals", "errors", "rotations"])
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(importlib.import_module(f"spacar_py.{module}"))
    assert result.failed == 0


def test_a_compiled_model_tells_its_sizes_and_not_its_tables():
    from spacar_py.cases import pendulum

    # two points and two frames: 2 (3 + 4); three deformations each of hinge and link, and the norm of the free frame
    assert repr(pendulum.build().compile()) == "System(14 coordinates, 7 deformations, 1 degrees of freedom)"
