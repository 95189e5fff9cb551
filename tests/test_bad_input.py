"""Bad input, one kind per case: each error names the thing, the rule, the value and the remedy."""

import copy
import re

import numpy as np
import pytest

from spacar_py import InputError, Model, Section

NAN = float("nan")
SOFT = Section(EA=1e3, GJ=1.0, EIy=1.0, EIz=1.0, m=1.0)


def spatial():
    """A fixed base, an elbow and a tip, with a hinge and one beam between base and elbow."""
    m = Model(gravity=(0, 0, -9.81))
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("root")
    m.node("elbow", (1, 0, 0))
    m.node("tip", (2, 0, 0))
    m.warp("w0")
    m.hinge("shoulder", "base", "root", axis=(0, 0, 1))
    m.beam("upper", ("base", "root"), "elbow", SOFT, flexible="bending")
    return m


def planar():
    m = Model(planar=True)
    m.node("base", (0, 0))
    m.fix("base")
    m.node("tip", (1, 0))
    m.frame("arm")
    return m


def twin(m):
    """A name that is a node and an element."""
    m.node("both", (3, 0, 0))
    m.slider("both", "elbow", "both", axis=(1, 0, 0))
    return m


# (what the user does to the model, the message)
SPATIAL = {
    # nodes
    "position with two numbers": (
        lambda m: m.point("p", (0, 1)),
        "point 'p': position must be a vector of 3 finite numbers, got (0, 1)",
    ),
    "position with NaN": (
        lambda m: m.node("p", (0, NAN, 0)),
        "point 'p': position must be a vector of 3 finite numbers, got (0, nan, 0)",
    ),
    "position as text": (
        lambda m: m.point("p", "here"),
        "point 'p': position must be a vector of 3 finite numbers, got 'here'",
    ),
    "rotation with infinity": (
        lambda m: m.frame("f", (0, 0, np.inf)),
        "frame 'f': rotation must be a vector of 3 finite numbers, got (0, 0, inf)",
    ),
    "taken name of a point": (
        lambda m: m.point("tip", (0, 0, 0)),
        "point 'tip': the name is taken; choose another one",
    ),
    "taken name of a frame": (
        lambda m: m.node("root", (0, 0, 0)),
        "frame 'root': the name is taken; choose another one",
    ),
    "taken name of a warp": (lambda m: m.warp("w0"), "warp 'w0': the name is taken"),
    "empty name": (lambda m: m.point(" ", (0, 0, 0)), "point: its name must be a non-empty text, got ' '"),
    "number as a name": (lambda m: m.frame(3), "frame: its name must be a non-empty text, got 3"),
    # elements
    "taken name of an element": (
        lambda m: m.beam("upper", "elbow", "tip"),
        "beam 'upper': the name is taken; choose another one",
    ),
    "reserved name": (
        lambda m: m.hinge("frame x", "elbow", "tip", (0, 0, 1)),
        "hinge 'frame x': names that begin with 'frame ' are kept for frames",
    ),
    "unknown point": (
        lambda m: m.truss("t", "elbwo", "tip"),
        "truss 't': there is no point 'elbwo' (did you mean 'elbow'?); known: 'base', 'elbow', 'tip'",
    ),
    "unknown frame": (
        lambda m: m.hinge("h", "rooot", "tip", (0, 0, 1)),
        "hinge 'h': there is no frame 'rooot' (did you mean 'root'?)",
    ),
    "end that is no name": (
        lambda m: m.beam("b", ("elbow", 3), "tip"),
        "beam 'b': an end must be the name of a node or a pair (point, frame), got ('elbow', 3)",
    ),
    "one point at both ends": (
        lambda m: m.truss("t", "tip", "tip"),
        "truss 't': both ends use the point 'tip'; they must be two different",
    ),
    "one frame at both ends": (
        lambda m: m.hinge("h", "tip", "tip", (0, 0, 1)),
        "hinge 'h': both ends use the frame 'tip'",
    ),
    "zero axis": (
        lambda m: m.hinge("h", "elbow", "tip", (0, 0, 0)),
        "hinge 'h': axis must be a non-zero 3-vector, got (0, 0, 0)",
    ),
    "missing axis": (lambda m: m.hinge("h", "elbow", "tip"), "hinge 'h': axis must be a non-zero 3-vector, got None"),
    "axis of a slider in the plane": (
        lambda m: m.slider("s", "elbow", "tip", (1, 0)),
        "slider 's': axis must be a non-zero 3-vector, got (1, 0)",
    ),
    "axis of a pin body": (
        lambda m: m.pin_body("s", "elbow", "tip", axis=(0, 0, 0)),
        "pin body 's': axis must be a non-zero 3-vector",
    ),
    "y along the beam": (
        lambda m: m.beam("b", "elbow", "tip", y=(2, 0, 0)),
        "beam 'b': the orientation vector y must not lie along the local x axis (1, 0, 0), got (2, 0, 0)",
    ),
    "y of the wrong length": (
        lambda m: m.beam("b", "elbow", "tip", y=(0, 1)),
        "beam 'b': y must be a non-zero 3-vector, got (0, 1)",
    ),
    "universal axes not square": (
        lambda m: m.universal("u", "elbow", "tip", (1, 0, 0), (1, 1, 0)),
        "universal joint 'u': axis and y must be square to each other, their angle is 45 degrees",
    ),
    "section of another type": (
        lambda m: m.beam("b", "elbow", "tip", 210e9),
        "beam 'b': section must be a Section, got 210000000000.0",
    ),
    "no elements": (
        lambda m: m.beam("b", "elbow", "tip", elements=0),
        "beam 'b': elements must be a whole number, 1 at least, got 0",
    ),
    "half an element": (
        lambda m: m.beam("b", "elbow", "tip", elements=2.5),
        "beam 'b': elements must be a whole number, 1 at least, got 2.5",
    ),
    "negative damping": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, damping=-1),
        "beam 'b': damping must be a finite number, 0 at least, got -1",
    ),
    "one warp for two ends": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, warping="w0"),
        "beam 'b': warping must be two names of warps (wp, wq), got 'w0'",
    ),
    "unknown warp": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, warping=("w0", "w1")),
        "beam 'b': there is no warp 'w1' (did you mean 'w0'?)",
    ),
    "the same warp twice": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, warping=("w0", "w0")),
        "warping beam 'b': both ends use the warp 'w0'",
    ),
    "unknown option": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, flexibel="torsion"),
        "beam 'b': unknown option 'flexibel' (did you mean 'flexible'?); known: flexible, dof, release, fixed",
    ),
    "unknown deformation": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, dof="torsoin"),
        "beam 'b': no deformation 'torsoin' (did you mean 'torsion'?); known: elongation, torsion, bending_y_p",
    ),
    "deformation that is no name": (lambda m: m.beam("b", "elbow", "tip", SOFT, dof=5), "beam 'b': no deformation '5'"),
    "contradictory status": (
        lambda m: m.beam("b", "elbow", "tip", SOFT, dof="torsion", release="torsion"),
        "beam 'b': torsion is named both under 'dof' and under 'release'; choose one",
    ),
    "spherical joint with a gap": (
        lambda m: m.spherical("s", "elbow", "tip"),
        "spherical joint 's': its points 'elbow' and 'tip' must be at the same place at the start, they are 1 m apart",
    ),
    # status
    "status of an unknown name": (
        lambda m: m.fix("elbwo"),
        "fix: there is no node or element 'elbwo' (did you mean 'elbow'?)",
    ),
    "status of something that is no name": (
        lambda m: m.dof(["tip"], "x"),
        "dof: there is no node or element '['tip']'",
    ),
    "fix of an element": (
        lambda m: m.fix("upper"),
        "fix: 'upper' is an element, its deformations are rigid already; name a node to hold",
    ),
    "unknown coordinate": (
        lambda m: m.fix("tip", "phi"),
        "fix: 'tip' has no 'phi'; known: x, y, z, lambda0, lambda1, lambda2, lambda3, rotation",
    ),
    "unknown deformation to prescribe": (
        lambda m: m.prescribe("shoulder", "angel", 0.1),
        "prescribe: 'shoulder' has no 'angel' (did you mean 'angle'?); known: angle, bending_y",
    ),
    "a whole rotation prescribed": (
        lambda m: m.prescribe("tip", "rotation", 0.1),
        "prescribe: 'tip.rotation' is four numbers; prescribe them one by one",
    ),
    "a flexible coordinate": (
        lambda m: m.flexible("tip", "x"),
        "flexible: 'tip.x' is a coordinate; use dof or release for coordinates",
    ),
    "node and element of one name": (
        lambda m: twin(m).release("both"),
        "release: 'both' is a node and an element; name its coordinates or deformations as well",
    ),
    "coordinate and deformation of one name": (
        lambda m: twin(m).release("both", "rotation"),
        "release: 'both.rotation' is a coordinate and a deformation; rename one of the two",
    ),
    "motion as text": (
        lambda m: m.prescribe("shoulder", "angle", "fast"),
        "signal: needs a number, a Signal or a function of time, got 'fast'",
    ),
    "motion not finite": (
        lambda m: m.prescribe("shoulder", "angle", NAN),
        "signal: its value must be a finite number, got nan",
    ),
    "motion without rates": (
        lambda m: m.prescribe("shoulder", "angle", lambda t: 2 * t),
        "signal: the Python function must return three finite numbers (value, rate, second rate), got 0.0 at t = 0",
    ),
    # inertia
    "mass of zero": (lambda m: m.mass("tip", 0), "mass at 'tip': m must be a positive finite number, got 0"),
    "negative mass": (lambda m: m.body("tip", m=-1), "body at 'tip': m must be a finite number, 0 at least, got -1"),
    "mass on an unknown point": (
        lambda m: m.mass("top", 1),
        "mass at 'top': there is no point 'top' (did you mean 'tip'?)",
    ),
    "body without anything": (
        lambda m: m.body("tip"),
        "body at 'tip': needs a mass or an inertia, got neither; leave the body out",
    ),
    "negative inertia": (
        lambda m: m.body("tip", 1, J=-2),
        "body at 'tip': J must not be negative, its principal values are (-2, -2, -2)",
    ),
    "impossible inertia": (
        lambda m: m.body("tip", 1, J=(1, 1, 3)),
        "body at 'tip': no body has the principal inertias (1, 1, 3); the largest exceeds the others' sum",
    ),
    "inertia not symmetric": (
        lambda m: m.body("tip", 1, J=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        "body at 'tip': J must be a number, three numbers or a symmetric 3 x 3 matrix",
    ),
    "inertia as text": (
        lambda m: m.body("tip", 1, J="round"),
        "body at 'tip': J must be a number, three numbers or a symmetric 3 x 3 matrix, got 'round'",
    ),
    "centre of the wrong length": (
        lambda m: m.body("tip", 1, centre=(0, 1)),
        "body at 'tip': centre must be a vector of 3 finite numbers, got (0, 1)",
    ),
    # loads
    "force with two numbers": (
        lambda m: m.force("tip", (1, 2)),
        "force on 'tip': vector must be a vector of 3 finite numbers, got (1, 2)",
    ),
    "force on an element": (lambda m: m.force("upper", (1, 2, 3)), "force on 'upper': there is no point 'upper'"),
    "force that follows nothing": (
        lambda m: m.force("tip", (1, 2, 3), follow="rot"),
        "force on 'tip': there is no frame 'rot' (did you mean 'root'?)",
    ),
    "moment with NaN": (
        lambda m: m.moment("tip", (0, 0, NAN)),
        "moment on 'tip': vector must be a vector of 3 finite numbers, got (0, 0, nan)",
    ),
    "load with a bad signal": (
        lambda m: m.force("tip", (1, 0, 0), signal=lambda t: "x"),
        "signal: the Python function must return one finite number, or three",
    ),
    "user force that is no function": (
        lambda m: m.user_force("tip", 3.0),
        "user force on 'tip': needs a function (t, x, v) -> force, got 3.0",
    ),
    "spring without stiffness": (
        lambda m: m.spring("shoulder", "angle", 0),
        "spring on 'shoulder': stiffness must be a positive finite number, got 0",
    ),
    "spring on an unknown deformation": (
        lambda m: m.spring("shoulder", "angel", 1),
        "spring on 'shoulder': no deformation 'angel' (did you mean 'angle'?)",
    ),
    "spring on a node": (lambda m: m.spring("tip", "x", 1), "spring on 'tip': there is no element 'tip'"),
    "spring on nothing": (
        lambda m: m.spring("shoulder", None, 1),
        "spring on 'shoulder': name a deformation, got None",
    ),
    "negative damper": (
        lambda m: m.damper("shoulder", "angle", -1),
        "damper on 'shoulder': damping must be a positive finite number, got -1",
    ),
    "prestress not finite": (
        lambda m: m.prestress("upper", "elongation", np.inf),
        "prestress on 'upper': value must be a finite number, got inf",
    ),
    "actuator on an unknown element": (
        lambda m: m.actuator("sholder", "angle", 1.0),
        "actuator on 'sholder': there is no element 'sholder' (did you mean 'shoulder'?)",
    ),
}

PLANAR = {
    "spatial position": (
        lambda m: m.point("p", (0, 1, 2)),
        "point 'p': position must be a vector of 2 finite numbers, got (0, 1, 2)",
    ),
    "spatial rotation": (
        lambda m: m.frame("f", (0, 0, 1)),
        "frame 'f': rotation must be a finite number, got (0, 0, 1)",
    ),
    "axis of a planar hinge": (
        lambda m: m.hinge("h", "base", "arm", (0, 0, 1)),
        "planar hinge 'h': turns about z always; leave axis and y out",
    ),
    "orientation of a planar beam": (
        lambda m: m.beam("b", "base", "tip", y=(0, 1, 0)),
        "planar beam 'b': a planar element has no orientation to choose; leave y out",
    ),
    "cylinder in the plane": (
        lambda m: m.cylinder("c", "base", "tip", (0, 0, 1)),
        "cylinder 'c': not for a planar model",
    ),
    "universal joint in the plane": (
        lambda m: m.universal("u", "base", "tip", (1, 0, 0), (0, 1, 0)),
        "universal joint 'u': not for a planar model",
    ),
    "warping in the plane": (
        lambda m: m.beam("b", "base", "tip", SOFT, warping=("a", "b")),
        "beam 'b': a planar beam does not warp",
    ),
    "warp in the plane": (lambda m: m.warp("w"), "warp 'w': a planar model has no warping; use a spatial model"),
    "spatial moment": (
        lambda m: m.moment("tip", (0, 0, 1)),
        "moment on 'tip': its value must be a finite number, got (0, 0, 1)",
    ),
    "spatial force": (
        lambda m: m.force("tip", (0, 0, 1)),
        "force on 'tip': vector must be a vector of 2 finite numbers, got (0, 0, 1)",
    ),
}


def snapshot(m):
    """Everything a model holds, as text and shallow copies."""
    return {k: copy.copy(v) if isinstance(v, (dict, list)) else repr(v) for k, v in vars(m).items()}


def refuse(m, do, message):
    before = snapshot(m)
    with pytest.raises(InputError, match=re.escape(message)):
        do(m)
    return before


@pytest.mark.parametrize("kind", SPATIAL)
def test_spatial_model_refuses(kind):
    do, message = SPATIAL[kind]
    m = spatial()
    before = refuse(m, do, message)
    if "of one name" not in kind:  # those cases add the twins first
        assert snapshot(m) == before, "a refused call must leave the model as it was"


@pytest.mark.parametrize("kind", PLANAR)
def test_planar_model_refuses(kind):
    do, message = PLANAR[kind]
    m = planar()
    before = refuse(m, do, message)
    assert snapshot(m) == before, "a refused call must leave the model as it was"


@pytest.mark.parametrize("make", ["beam", "truss", "rigid_beam"])
def test_an_element_of_no_length_is_refused(make):
    m = spatial()
    m.node("here", (1, 0, 0))
    with pytest.raises(
        InputError, match=r"its points 'elbow' and 'here' must be apart, both are at \(1, 0, 0\); move one"
    ):
        getattr(m, make)("short", "elbow", "here")


def test_gravity_of_the_wrong_length_is_refused():
    with pytest.raises(InputError, match=r"model: gravity must be a vector of 3 finite numbers, got \(0, -9.81\)"):
        Model(gravity=(0, -9.81))


# failures half-way ----------------------------------------------------------------------------------------------------


def test_a_chain_that_fails_half_way_leaves_nothing_behind():
    """Its third node meets a taken name."""
    m = spatial()
    m.point("fore.3", (5, 5, 5))
    before = snapshot(m)
    with pytest.raises(InputError, match="point 'fore.3': the name is taken"):
        m.beam("fore", "elbow", "tip", SOFT, elements=4)
    assert snapshot(m) == before
    m.beam("fore", "elbow", "tip", SOFT)


def test_a_chain_with_a_bad_option_leaves_nothing_behind():
    m = spatial()
    before = snapshot(m)
    with pytest.raises(InputError, match=r"beam 'fore\[0\]': no deformation 'bendign'"):
        m.beam("fore", "elbow", "tip", SOFT, elements=4, dof="bendign")
    assert snapshot(m) == before


def test_a_node_with_a_bad_rotation_leaves_no_point_behind():
    m = spatial()
    with pytest.raises(InputError, match="frame 'new': rotation must be"):
        m.node("new", (0, 0, 0), rotation=(0, 0))
    assert "new" not in m.points


def test_there_are_more_than_thirty_kinds_of_bad_input():
    messages = [message for _, message in [*SPATIAL.values(), *PLANAR.values()]]
    assert len(set(messages)) >= 60
