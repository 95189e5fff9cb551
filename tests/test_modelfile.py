"""Model files: what is written builds the same system again, and every broken file is one clear error."""

import copy
import io
import math
import tomllib
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spacar_py as sp
from spacar_py import cases
from spacar_py.case import Case, Run
from spacar_py.errors import InputError
from spacar_py.modelfile import (
    case_from_data,
    case_from_text,
    case_to_data,
    json_schema,
    model_from_data,
    model_to_data,
    read_case,
    read_model,
    write_model,
)
from spacar_py.rigidfe import rigid_chain
from spacar_py.signals import polynomial, quintic, ramp, sine, table
from spacar_py.tomltext import dumps, lines_of

pytest.importorskip("pydantic")


def same_system(a, b):
    """Whether two compiled models have the same tables, bit for bit, and the same names."""
    for name, value in vars(a.tables).items():
        if name != "k":
            assert np.array_equal(value, getattr(b.tables, name)), name
    for name in ("x_names", "e_names", "x_status", "e_status", "dof", "prescribed"):
        assert getattr(a, name) == getattr(b, name), name
    assert np.array_equal(a.x0, b.x0) and np.array_equal(a.y0, b.y0) and np.array_equal(a.kinks, b.kinks)


def spatial():
    """Elements, statuses, loads and laws of every spatial kind, in an order that numbering depends on."""
    m = sp.Model(gravity=(0.1, -0.2, -9.81), name='every "kind"')
    m.node("wall", (0, 0, 0), (0.3, -0.7, 1.1))
    m.fix("wall")
    m.frame("swing", (0.3, -0.7, 1.1))
    m.point("a", (1, 0.1, 0.3))
    m.node("b", (2, 0.1, 1 / 3))
    m.node("c", (3, 0.1, 1 / 3))
    m.warp("w0")
    m.warp("w1")
    m.fix("w0")
    m.hinge("joint", "wall", "swing", axis=(0.1, 0.2, 0.9), y=(1, 0, 0))
    m.rigid_beam("arm", ("wall", "swing"), "a", sp.Section(m=1.0))
    m.pin_body("pin", ("wall", "swing"), "b", axis=(1, 1, 0), y=(0, 0, 1), release="shift_z")
    leaf = sp.Section.rectangle(0.04, 0.001, E=210e9, nu=0.3, rho=7800)
    m.beam("leaf", "b", "c", leaf, y=(0.1, 0.9, 0.2), elements=3, flexible="bending", dof="torsion", damping=1e-4,
           warping=("w0", "w1"))  # fmt: skip
    m.dof("b", "rotation")
    m.node("d", (3, 1, 0))
    m.beam("rod", "c", "d", sp.Section.tube(0.02, 0.01, E=1e11, G=4e10, rho=1000), flexible=("elongation", "torsion"))
    m.body(("a", "swing"), 2.0, J=(1, 2, 2.5), centre=(0.1, 0, 0.2))
    m.mass("c", 1 / 3)
    m.force("c", (1, 2, 3), sine(2.0, 3.0, 0.1), follow="c")
    m.force("d", (0, 0, 1e-3))
    m.moment("d", (1, 0, 0), ramp(0, 1, 0.3), follow=True)
    m.moment("c", (0, 1, 0), 0.5 + polynomial(0, 1, 2, start=0.1))
    m.spring("joint", "angle", 10.0, free=0.1)
    m.damper("leaf", "torsion", 0.1)
    m.prestress("rod", "elongation", -3.0)
    m.actuator("joint", "angle", quintic(0, 1, 2.0))
    m.prescribe("rod", "elongation", table([0, 1, 2], [0, 1e-3, 0]))
    return m


def planar():
    """The planar kinds."""
    m = sp.Model(gravity=(0, -9.81), planar=True, name="planar")
    m.node("base", (0, 0), 0.3)
    m.fix("base")
    m.frame("link")
    m.point("tip", (1, 0.2))
    m.node("slide", (1, 1))
    m.node("free", (2, 1))
    m.fix("free", "y", "phi")
    m.dof("free", "x")
    m.hinge("joint", "base", "link")
    m.rigid_beam("arm", ("base", "link"), "tip", sp.Section(m=2.0))
    m.slider("guide", "base", "slide", axis=(1, 1))
    m.truss("bar", "tip", "slide", sp.Section(EA=100.0, m=0.1), release="elongation")
    m.beam("leaf", "slide", "free", sp.Section(EA=1e5, EIz=1.0, m=1.0), release="all")
    m.mass("tip", 1.0)
    m.body("slide", 1.0, J=0.1)
    m.mass("free", 2.0)
    m.moment("link", 0.5, sine(1.0, 2.0))
    m.force("tip", (1, -1))
    return m


@pytest.mark.parametrize("build", [spatial, planar], ids=["spatial", "planar"])
def test_what_is_written_has_the_same_data_when_it_is_read(build, tmp_path):
    m = build()
    write_model(m, tmp_path / "m.toml")
    assert model_to_data(read_model(tmp_path / "m.toml")) == model_to_data(m)


def test_a_planar_model_builds_the_same_system_again(tmp_path):
    m = planar()
    write_model(m, tmp_path / "m.toml")
    same_system(m.compile(), read_model(tmp_path / "m.toml").compile())


def chain():
    m = sp.Model(name="chain")
    m.node("wall", (0, 0, 0))
    m.fix("wall")
    m.node("tip", (1, 0.3, 0.7))
    rigid_chain(m, "rod", "wall", "tip", sp.Section(EIy=3.0, EIz=2.0, GJ=1.0, m=1.0, Jx=1e-3), elements=3,
                keep=("bending", "torsion"), damper=0.1)  # fmt: skip
    m.prescribe("rod[1]", "angle_x", sine(0.1, 2.0))
    return m


def warping():
    m = sp.Model(gravity=(0, 0, -9.81), name="warping")
    m.node("wall", (0, 0, 0), (0.3, -0.7, 1.1))
    m.fix("wall")
    m.node("tip", (1, 1 / 3, 0.1), (0.3, -0.7, 1.1))
    for w in ("w0", "w1"):
        m.warp(w)
    m.fix("w0")
    section = sp.Section.rectangle(0.04, 0.001, E=210e9, nu=0.3, rho=7800)
    m.beam("leaf", "wall", "tip", section, y=(0, 0.9, 0.2), elements=3, damping=1e-4,
           flexible=("bending", "torsion", "warping_p", "warping_q"), warping=("w0", "w1"))  # fmt: skip
    m.force("tip", (1, 2, 3), sine(2.0, 3.0, 0.1), follow="tip")
    m.moment("tip", (1, 0, 0), ramp(0, 1, 0.3), follow=True)
    return m


@pytest.mark.parametrize("build", [chain, warping, *[lambda n=n: cases.load(n).model for n in cases.names()]],
                         ids=["chain", "warping", *cases.names()])  # fmt: skip
def test_a_spatial_model_builds_the_same_system_again(build, tmp_path):
    m = build()
    write_model(m, tmp_path / "m.toml")
    same_system(m.compile(), read_model(tmp_path / "m.toml").compile())


def test_points_and_frames_in_contradicting_orders_keep_their_numbers(tmp_path):
    m = sp.Model(planar=True)
    for name, x in (("a", 0), ("b", 1)):
        m.point(name, (x, 0))
    for name in ("b", "a"):
        m.frame(name)
    m.fix("a")
    m.beam("leaf", "a", "b", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    assert set(model_to_data(m)) >= {"points", "frames"}
    write_model(m, tmp_path / "m.toml")
    same_system(m.compile(), read_model(tmp_path / "m.toml").compile())


def test_a_frame_keeps_its_euler_parameters_to_the_last_bit():
    rng = np.random.default_rng(5)
    m = sp.Model()
    for k in range(200):
        m.frame(f"f{k}", rng.normal(size=3))
    again = model_from_data(model_to_data(m))
    assert all(again.frames[n].start == f.start for n, f in m.frames.items())
    written = {k for spec in model_to_data(m)["nodes"].values() for k in spec}
    assert written == {"kind", "rotation", "euler"}  # the plain form where it gives the same bits


@pytest.mark.parametrize("name", cases.names())
def test_a_built_in_case_is_the_same_as_data(name):
    case = cases.load(name)
    data = case_to_data(case)
    again = case_from_data(tomllib.loads(dumps(data)))
    assert case_to_data(again) == data
    assert again.run == case.run
    if case.path is not None:
        t = np.linspace(-0.1, case.path.T + 0.1, 40)
        motions = [[*p.joints.values()] if hasattr(p, "joints") else [p] for p in (case.path, again.path)]
        for a, b in zip(*motions, strict=True):
            assert np.array_equal([a.rates(x) for x in t], [b.rates(x) for x in t])
        for k in ("A", "B", "C", "D", "Dv", "kp"):
            assert np.array_equal(getattr(case.controller, k), getattr(again.controller, k))


def test_paths_and_controllers_of_every_kind_come_back():
    m = cases.load("manipulator").model
    paths = [
        sp.CirclePath((0, 0, 0), (0.5, 0, 0), (0, 0, 2), 1.0, T=2.0, profile="quintic"),
        sp.WaypointPath([(0.5, 0, 0), (0.6, 0.1, 0), (0.5, 0.3, 0.1)], T=1.0, profile=([0, 0.4, 1], [0, 0.7, 1])),
        sp.JointPath({"elbow.angle": quintic(0, 1, 1.0), "turret.angle": 0.3}, T=1.0),
    ]
    controls = [
        sp.PID((10, 12, 14), alpha=0.2, roll_off=True),
        sp.PD(kp=100.0, kd=(1, 2, 3), scheduled=False),
        sp.Sampled(sp.PID(12.0), Ts=1e-3, delay=2e-4),
    ]
    for path, control in zip(paths, controls, strict=True):
        case = Case(m, path, control, Run(t_end=1.0, modes="auto", q0={"elbow.angle": 0.1}))
        data = case_to_data(case)
        assert case_to_data(case_from_data(tomllib.loads(dumps(data)))) == data


def test_friendly_forms_say_the_same_as_the_api():
    text = """
    name = "pendulum"
    gravity = [0, 0, -9.81]
    [sections.rod]
    kind = "circle"
    diameter = 0.01
    E = 2e11
    nu = 0.3
    rho = 7800
    [nodes]
    pivot = { position = [0, 0, 0], fixed = true }
    swing = { kind = "frame" }
    bob = { position = [1, 0, 0] }
    [elements]
    joint = { kind = "hinge", p = "pivot", q = "swing", axis = [0, 1, 0] }
    rod = { kind = "beam", p = ["pivot", "swing"], q = "bob", section = "rod", elements = 2, flexible = "bending" }
    [[bodies]]
    point = "bob"
    m = 1.0
    """
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.node("bob", (1, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    section = sp.Section.circle(0.01, E=2e11, nu=0.3, rho=7800)
    m.beam("rod", ("pivot", "swing"), "bob", section, elements=2, flexible="bending")
    m.mass("bob", 1.0)
    same_system(m.compile(), model_from_data(tomllib.loads(text)).compile())


def test_a_python_function_cannot_be_written(tmp_path):
    m = planar()
    m.user_force("tip", lambda t, x, v: -v)
    with pytest.raises(InputError, match="user force on 'tip': a Python function cannot be written to a file"):
        write_model(m, tmp_path / "m.toml")
    assert list(tmp_path.iterdir()) == []
    m = planar()
    m.force("tip", (1, 0), lambda t: t)
    with pytest.raises(InputError, match="load on 'tip': a Python function cannot be written to a file; use a Signal"):
        model_to_data(m)
    again = model_from_data(model_to_data(m, lost=True), check=False)
    with pytest.raises(InputError, match="the Python function '<lambda>' was not stored with the model"):
        again.loads[-1].signal(0.0)


def test_the_schema_is_a_json_schema_of_all_tables():
    schema = json_schema()
    assert schema["title"] == "spacar_py model file"
    assert {"nodes", "elements", "path", "controller", "run"} <= set(schema["properties"])


def test_the_settings_of_the_schema_are_those_of_a_run():
    from dataclasses import asdict

    from spacar_py.modelschema import Run as Table

    assert Table().model_dump() == asdict(Run())


# messages -----------------------------------------------------------------------------------------------------------

HEAD = '[nodes]\nwall = { position = [0, 0, 0], fixed = true }\ntip = { position = [1, 0, 0] }\n'
MESSAGES = [
    ("nam = 'x'", "line 1: nam is not known (did you mean 'name'?); known: format, name, title"),
    ("planar = 1", "line 1: planar must be true or false, got 1; correct it"),
    ("gravity = [0, inf, 0]", "line 1: gravity[2] must be a finite number, got inf; correct it"),
    ("gravity = [0, 0, 1e308]", "line 1: gravity[3] must be below 1e+60 in size, got 1e+308; check its unit"),
    (HEAD.replace("[1, 0, 0]", "[1e-200, 0, 0]") + "[elements.b]\nkind = 'rigid_beam'\np = 'wall'\nq = 'tip'",
     "its points 'wall' and 'tip' must be apart"),
    ("gravity = [0, 0]", "line 1: model: gravity must be a vector of 3 finite numbers, got (0, 0)"),
    ("format = 7", "line 1: format 7 is newer than this program, which knows up to 1; update spacar_py"),
    ("name = ?", "is not valid TOML: Invalid value (at line 1, column 8); correct the text there"),
    ("[nodes.a]\npositon = [1, 2, 3]", "line 2: nodes.a.positon is not known (did you mean 'position'?)"),
    ("[nodes.a]\nposition = [1, 2, 'x']", "line 2: nodes.a.position[3] must be a number, got 'x'; correct it"),
    ("[nodes]\na = 3", "line 2: nodes.a must be a table, got 3; correct it"),
    ("[nodes.a]\nrotation = [0, 0, 1]", "line 1: node 'a': position is missing; add position = [...]"),
    ("[elements.j]\nkind = 'hinj'", "line 1: elements.j.kind must be one of beam, rigid_beam, truss, hinge"),
    ("[elements.j]\np = 'a'", "line 1: elements.j.kind is missing; known: beam, rigid_beam"),
    ("[elements.j]\nkind = 'hinge'\np = 'a'", "line 1: elements.j.q is missing; add it"),
    (HEAD + "[elements.j]\nkind = 'hinge'\np = 'wall'\nq = 'tipp'\naxis = [0, 0, 1]",
     "line 4: hinge 'j': there is no frame 'tipp' (did you mean 'tip'?)"),
    (HEAD + "[elements.j]\nkind = 'hinge'\np = 'wall'\nq = 'tip'\naxis = [0, 0, 0]",
     "line 4: hinge 'j': axis must be a non-zero 3-vector, got (0, 0, 0)"),
    (HEAD + "[elements.b]\nkind = 'beam'\np = 'wall'\nq = 'tip'\nsection = 'rod'",
     "line 4: element 'b': there is no section 'rod'; add [sections.rod]"),
    (HEAD + "[elements.b]\nkind = 'beam'\np = 'wall'\nq = 'tip'\nelements = 1000000",
     "line 8: elements.b.elements must be less than or equal to 10000, got 1000000"),
    ("[sections.s]\nkind = 'tube'\nouter = 1\ninner = 2\nE = 1\nnu = 0.3",
     "line 1: tube: the inner diameter must be smaller than the outer one, got 2 and 1"),
    ("[[bodies]]\nm = 1", "line 1: body: give either point (a mass) or node (a rigid body)"),
    (HEAD + "[[loads]]\non = 'tip'\nforce = [1, 0, 0]\n[[loads]]\non = 'tip'",
     "line 7: load on 'tip': give either force or moment"),
    ("[path]\nkind = 'line'\nA = [0, 0, 0]\nB = [1, 0, 0]\nT = 1\nprofile = 'fast'",
     "line 1: path: there is no profile 'fast'; known: 'squared_sine'"),
    ("[run]\nmethod = 'AIM'", "line 2: run.method must be 'nonlinear', 'implicit', 'scipy', 'perturbation' or 'AMI'"),
    (HEAD + "[run]\nnode = 'top'", "line 4: run: there is no point 'top' (did you mean 'tip'?); known: 'wall', 'tip'"),
    ("[run]\nrtol = -1", "line 1: Runge-Kutta: rtol must be a positive finite number, got -1"),
    ("[controller]\nkind = 'PID'\nbandwidth = -1", "line 1: controller: bandwidth must be positive, got -1"),
]  # fmt: skip


@pytest.mark.parametrize("text, message", MESSAGES, ids=[str(k) for k in range(len(MESSAGES))])
def test_a_mistake_is_told_with_file_line_field_value_rule(text, message, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_case(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("planar = 'no'\n[nodes.a]\nposition = 'here'\n[run]\npoints = 1.5\n")
    with pytest.raises(InputError) as error:
        read_case(path)
    found = [line.split(":")[0].split(", ")[-1] for line in str(error.value).splitlines()]
    assert found == ["line 1", "line 3", "line 5"]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match="none.toml: the file cannot be read .No such file or directory.; check"):
        read_case(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9t\xe9"')
    with pytest.raises(InputError, match="is not UTF-8 text .byte 8.; save it as UTF-8"):
        read_case(tmp_path / "latin.toml")


def test_lines_are_found_through_tables_and_lists_of_tables():
    lines = lines_of('a = 1\n[b."c d"]\nx = 2\n[[e]]\ny = 1\n[[e]]\ny = 3 # z = 4\nf.g = 2\n')
    assert lines["b", "c d", "x"] == 3 and lines["e", 1, "y"] == 7 and lines["e", 1, "f", "g"] == 8


# fuzz ---------------------------------------------------------------------------------------------------------------

GOOD = dumps(case_to_data(cases.load("manipulator")))
SPATIAL = dumps(model_to_data(spatial()))
WORDS = ["0", "-1", "1e400", "nan", "9" * 400, '""', '"x"', "true", "[]", "{}", "[[]]", "[[nodes]]", "1979-05-27",
         '{ kind = "sum", terms = [1] }', "\\u0000", "'''", "#", "=", "\n", "]", '"kind"', "1_0",
         "0x10", "-0.0", "1e308"]  # fmt: skip


def outcome(text):
    """None where the text is a case, its error otherwise; anything but a SpacarError is a failure of the reader."""
    data_out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(data_out), redirect_stderr(errors):
        try:
            case_from_text(text, "fuzz.toml")
        except sp.SpacarError as error:
            assert str(error).startswith("fuzz.toml"), error
            assert "Traceback" not in str(error)
            return str(error)
        finally:
            assert not data_out.getvalue() and not errors.getvalue()


def test_the_files_that_are_broken_below_are_good():
    assert outcome(GOOD) is None and outcome(SPATIAL) is None


FUZZ = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)


@settings(FUZZ, max_examples=600)
@given(st.data())
def test_a_broken_character_or_word_is_one_clear_error(data):
    text = data.draw(st.sampled_from([GOOD, SPATIAL]))
    for _ in range(data.draw(st.integers(1, 3))):
        a = data.draw(st.integers(0, len(text) - 1))
        b = a + data.draw(st.integers(0, 12))
        text = text[:a] + data.draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=4))) + text[b:]
    outcome(text)


def places(value, here=()):
    """Every place in nested data."""
    yield here
    for k, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(v, (*here, k))


ODD = [None, True, -1, 0, 1e308, -1e308, math.inf, math.nan, 10**30, 10**400, "", "tip", "\x00", [], [[]], [1, 2], {},
       {"kind": "line"}, {"kind": "sine", "amplitude": 1e308, "omega": 1e308}, [[1.0, 2.0], [3.0]]]  # fmt: skip


@settings(FUZZ, max_examples=1200)
@given(st.data())
def test_a_wrong_value_anywhere_is_one_clear_error(data):
    tree = tomllib.loads(data.draw(st.sampled_from([GOOD, SPATIAL])))
    for _ in range(data.draw(st.integers(1, 2))):
        where = data.draw(st.sampled_from([p for p in places(tree) if p]))
        parent = tree
        for k in where[:-1]:
            parent = parent[k]
        odd = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        if odd is None:
            del parent[where[-1]]
        else:
            parent[where[-1]] = odd
    try:
        case_from_data(tree, "fuzz.toml")
    except sp.SpacarError as error:
        assert str(error).startswith("fuzz.toml")


KEYS = ["kind", "nodes", "elements", "path", "run", "p", "q", "sections", "loads", "x"]


@settings(FUZZ, max_examples=300)
@given(st.recursive(st.one_of(st.floats(), st.integers(), st.text(max_size=5), st.booleans()),
                    lambda s: st.lists(s, max_size=3) | st.dictionaries(st.sampled_from(KEYS), s, max_size=4),
                    max_leaves=12))  # fmt: skip
def test_data_of_any_shape_is_one_clear_error(value):
    data = value if isinstance(value, dict) else {"nodes": value}
    try:
        case_from_data(data, "fuzz.toml")
    except sp.SpacarError as error:
        assert str(error).startswith("fuzz.toml")


DEEP = ["x = " + "[" * 5000, "a." * 2000 + "b = 1", "[" + "a." * 2000 + "b]", "x = " + "{a=" * 3000,
        "[nodes.a]\nposition = " + "[" * 900 + "]" * 900]  # fmt: skip


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_deep_nesting_does_not_break_the_reader(text):
    assert outcome(text)


@pytest.mark.slow
@settings(FUZZ, max_examples=20000)
@given(st.data())
def test_thousands_of_broken_files(data):
    test_a_broken_character_or_word_is_one_clear_error.hypothesis.inner_test(data)


def test_the_example_of_the_guide_is_a_case():
    from pathlib import Path

    guide = Path(__file__).parent.parent / "docs" / "guide" / "files.md"
    text = guide.read_text().split("```toml\n")[1].split("```")[0]
    assert case_from_text(text).model.compile().dof[0] == "joint.angle"
