"""Models that are wrong as a whole: loose, over- or underconstrained, without stiffness; each by name."""

import pytest

from spacar_py import InputError, Model, Section
from spacar_py.signals import constant

SOFT = Section(EA=1e3, GJ=1.0, EIy=1.0, EIz=1.0, m=1.0)


def shoulder():
    """A hinge at a fixed base and one flexible beam."""
    m = Model(gravity=(0, 0, -9.81))
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("root")
    m.node("elbow", (1, 0, 0))
    m.node("tip", (2, 0, 0))
    m.hinge("shoulder", "base", "root", axis=(0, 0, 1))
    m.beam("upper", ("base", "root"), "elbow", SOFT, flexible="bending")
    return m


def chain():
    m = shoulder()
    m.beam("fore", "elbow", "tip", SOFT)
    return m


def planar():
    m = Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.node("tip", (1, 0))
    m.frame("arm")
    return m


def test_the_model_of_these_tests_is_sound():
    assert len(chain().compile().dof) == 5


def compile_error(m, message):
    with pytest.raises(InputError, match=message):
        m.compile()


def test_an_empty_model_is_refused():
    compile_error(Model(name="void"), "model 'void': has no elements and no bodies; add some before it is compiled")


def test_a_loose_point_is_refused_by_name():
    m = chain()
    m.point("stray", (3, 3, 3))
    compile_error(m, "point 'stray' is not connected to anything and not held; connect it with an element, fix it, or")


def test_a_loose_frame_is_refused_by_name():
    m = chain()
    m.frame("compass")
    compile_error(m, "frame 'compass' is not connected to anything and not held")


def test_a_loose_warp_is_refused_by_name():
    m = chain()
    m.warp("w9")
    compile_error(m, "warp 'w9' is not connected to anything and not held")


def test_a_body_hanging_free_is_named():
    m = chain()
    m.node("moon", (9, 9, 9))
    m.body("moon", m=1.0, J=1.0)
    compile_error(m, r"model is underconstrained: .*nothing determines the motion of moon\.\w+; fix one, or make it .*"
                     r"\(5 more of this kind: see model.mobility\(\)\)")  # fmt: skip


def test_two_sub_mechanisms_without_support_are_named():
    """Two bars, each with a hinge of its own, hang free: twice six motions."""
    m = Model()
    for k in "ab":
        m.node(f"{k}1", (0, 0, 0))
        m.node(f"{k}2", (1, 0, 0))
        m.frame(f"{k}3")
        m.point(f"{k}4", (2, 0, 0))
        m.beam(f"{k}bar", f"{k}1", f"{k}2")
        m.hinge(f"{k}hinge", f"{k}2", f"{k}3", (0, 0, 1), dof="angle")
        m.rigid_beam(f"{k}end", (f"{k}2", f"{k}3"), f"{k}4")
    report = m.mobility()
    assert len(report.free_motions) == 12
    for group in report.free_motions:  # no motion mixes the two
        assert len({name[0] for name in group}) == 1
    compile_error(
        m, r"model is underconstrained: \d+ conditions on \d+ coordinates; nothing determines the motion of [ab]"
    )


def test_an_overconstrained_model_names_what_contradicts():
    """A second hinge beside the first repeats its two conditions."""
    m = chain()
    m.hinge("twin", "base", "root", axis=(0, 0, 1))
    compile_error(m, r"model is overconstrained: \d+ conditions on \d+ coordinates, rank \d+; dependent: "
                     r"(shoulder\.bending_[yz], twin\.bending_[yz]|twin\.bending_[yz], shoulder\.bending_[yz]); "
                     r"release one of them \(1 more of this kind")  # fmt: skip


def test_a_prescribed_coordinate_that_is_determined_already_is_named():
    """The crank's angle drives the point; its x cannot be prescribed as well."""
    m = planar()
    m.hinge("motor", "base", "arm")
    m.prescribe("motor", "angle", constant(0.0))
    m.rigid_beam("rod", ("base", "arm"), "tip")
    m.prescribe("tip", "y", constant(0.0))
    compile_error(m, r"model is overconstrained: 3 conditions on 2 coordinates, rank 2; dependent: .*tip\.y")


def test_two_drives_on_one_motion_are_named():
    m = planar()
    m.hinge("motor", "base", "arm", dof="angle")
    m.hinge("second", "base", "arm")
    m.prescribe("second", "angle", constant(0.0))
    m.rigid_beam("rod", ("base", "arm"), "tip")
    compile_error(
        m, r"overconstrained: .*dependent: (motor\.angle, second\.angle|second\.angle, motor\.angle); release one"
    )


def test_too_many_degrees_of_freedom_in_a_loop_are_named():
    m = planar()
    m.hinge("a", "base", "arm", dof="angle")
    m.rigid_beam("rod", ("base", "arm"), "tip")
    m.dof("tip", "y")
    compile_error(m, r"overconstrained: .*tip\.y")


def test_a_missing_support_is_named():
    m = chain()
    m.release("base", "z")
    compile_error(
        m, r"model is underconstrained: .*nothing determines the motion of (base|elbow|tip)\.z, \w+\.z, \w+\.z;"
    )


def test_a_flexible_beam_without_a_section_is_refused():
    m = chain()
    m.dof("fore", "torsion")
    m.elements["fore"].section = None
    compile_error(m, r"beam 'fore': needs a section to be flexible; give section=Section\(\.\.\.\)")


def test_a_flexible_deformation_without_stiffness_is_refused():
    m = shoulder()
    m.beam("fore", "elbow", "tip", Section(EIy=1.0, EIz=1.0, m=1.0), flexible=("torsion", "bending"))
    compile_error(m, "beam 'fore': torsion is flexible but its stiffness is 0; give the section a positive value, "
                     "put a spring on it, or keep it rigid")  # fmt: skip
    m.spring("fore", "torsion", 5.0)
    m.compile()


def test_a_position_at_a_dead_centre_is_refused():
    """A stretched toggle: the height of its knee does not follow from the distance of its ends."""
    m = Model(planar=True)
    m.point("O", (0, 0))
    m.point("knee", (1, 0))
    m.point("end", (2, 0))
    m.fix("O")
    m.fix("end", "y")
    m.dof("end", "x")
    m.truss("a", "O", "knee")
    m.truss("b", "knee", "end")
    compile_error(m, r"model is overconstrained: 2 conditions on 2 coordinates, rank 1; dependent: .*end\.x")


def test_a_printed_model_says_what_is_missing():
    m = chain()
    m.point("stray", (3, 3, 3))
    assert "not ready point 'stray' is not connected" in str(m)


def test_a_refused_change_keeps_the_compiled_system():
    m = chain()
    s = m.compile()
    with pytest.raises(InputError):
        m.mass("tip", -1)
    assert m.compile() is s
