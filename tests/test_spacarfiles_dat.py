"""SPACAR's .dat files: what is read, and what is said about what cannot be read."""

import pickle
from pathlib import Path

import pytest

from spacar_py.errors import InputError
from spacar_py.spacarfiles import DatError, NodeKind, parse_dat, read_dat

DATA = Path(__file__).parent / "data"

KIN = "X 1 0 0 0\nX 3 1 0 0\nBEAM 1 1 2 3 4 0 1 0\nFIX 1\nFIX 2\n"


def model(kinematics="", dynamics="", signals=None, after=""):
    end = "END END\n" if signals is None else f"END HALT\n{signals}\nEND END\n"
    return parse_dat(f"{KIN}{kinematics}\nEND HALT\n{dynamics}\n{end}{after}", "arm.dat")


def test_comments_case_blanks_and_fortran_exponents_are_free():
    text = ("\ufeff# title\r\n  x\t1  0. +0 -.0\r\n%nothing\r\nX 3 1D0 0 0 % here\r\nbeam 1 1 2 3 4 # no vector\r\n"
            "Fix 1\r\nEND\r\n# between\r\nHalt\r\ngravity 0 0 -9.81d+0\r\nend end\r\n")
    m = parse_dat(text)
    assert m.elements[0].kind == "BEAM" and m.elements[0].vector is None
    assert m.coordinates[1].values == (1.0, 0.0, 0.0)
    assert m.setting("GRAVITY").values == (0.0, 0.0, -9.81)


def test_only_eight_letters_of_a_keyword_count():
    m = parse_dat("X 1 0 0\nX 3 1 0\nPLPINBODY 1 1 2 3\nEND HALT\nINTEGRATION 1\nEND END\nVisualization\nBEAMPROPS 1")
    assert m.elements[0].kind == "PLPINBOD" and m.settings[0].keyword == "INTEGRAT"
    assert m.visualization == ("BEAMPROPS 1",)


def test_every_statement_remembers_its_line():
    m = model("\n\nDYNE 1 3 4 # bending", "ESTIFF 1 1 2 3 4")
    assert (m.status[2].source.line, m.status[2].source.text) == (8, "DYNE 1 3 4 # bending")
    assert m.properties[0].source.line == 10


def test_kinds_of_nodes_follow_from_the_elements():
    m = parse_dat("X 1 0 0 0\nX 4 1 0 0\nBEAMW 1 1 2 3 4 5 6\nHINGE 2 5 7 0 0 1\nX 8 0 1\nX 10 1 1 0\n"
                  "PLBEAM 3 8 9 10 11\nX 20 5 5 5\nX 30 9 9 0\nTRUSS 4 10 30\nEND HALT\nEND END")
    x, r, w = NodeKind.TRANSLATION, NodeKind.ROTATION, NodeKind.WARPING
    assert m.node_kinds() == {1: x, 2: r, 3: w, 4: x, 5: r, 6: w, 7: r, 8: NodeKind.PLANAR_TRANSLATION,
                              9: NodeKind.PLANAR_ROTATION, 10: x, 11: NodeKind.PLANAR_ROTATION, 20: x, 30: x}


def test_no_components_means_all_of_them():
    m = model("DYNE 1\nINPUTX 3 2")
    assert m.deformation_status() == {(1, c): "DYNE" for c in range(1, 7)}
    assert m.coordinate_status() == {**{(1, c): "FIX" for c in (1, 2, 3)}, **{(2, c): "FIX" for c in (1, 2, 3, 4)},
                                     (3, 2): "INPUTX"}


def test_sections_may_end_after_the_dynamics():
    assert model().signals == () and model(signals="OUTX 1 3 2").signals[0].component == 2


def test_the_visualization_block_is_kept_line_by_line():
    m = model(after="VISUALIZATION\n\n BEAMPROPS 1 # all\n\nANY ( thing, ?\n\n")
    assert m.visualization == (" BEAMPROPS 1 # all", "", "ANY ( thing, ?")


def test_trajectory_statements_are_kept_with_their_line():
    m = model(signals="TRAJECT 1\nTRTIME 1.0 100")
    assert [(t.keyword, t.values, t.source.line) for t in m.trajectory] == [
        ("TRAJECT", (1.0,), 10), ("TRTIME", (1.0, 100.0), 11)]


@pytest.mark.parametrize("kwargs, warning", [
    (dict(dynamics="DELINPX 3 1 0.1"), "line 8: DELINPX 3 1 has no effect: the kinematics have no INPUTX 3 1"),
    (dict(dynamics="STARTDE 1 3 0.1"), "line 8: STARTDE 1 3 has no effect: the kinematics have no DYNE 1 3"),
    (dict(signals="OUTX 3 3 1"), "the output vector has no entry 1, 2"),
    (dict(after="notes to myself\n"), "line 10: text after END END is ignored"),
    (dict(after="12 notes\n"), "line 10: text after END END is ignored"),
])
def test_what_looks_wrong_but_runs_is_a_warning(kwargs, warning):
    assert model(**kwargs).warnings == (warning,)


ERRORS = [
    # reading
    ("BEM 1 1 2 3 4", "", "unknown keyword 'BEM' (did you mean 'BEAM'?); comments begin with # or %"),
    ("WHEEL 1 2 3", "", "WHEEL: this keyword of SPACAR is not supported by spacar_py; remove it or model it"),
    ("KINX 3 1", "", "KINX: this keyword of SPACAR is not supported"),
    ("", "USERSIG 3 1", "USERSIG: this keyword of SPACAR is not supported"),
    ("ESTIFF 1 5", "", "ESTIFF: it belongs to the dynamics, this is the kinematics; check the END HALT before it"),
    ("", "FIX 1", "FIX: it belongs to the kinematics, this is the dynamics; check the END HALT before it"),
    ("", "OUTX 1 3 1", "OUTX: it belongs to the input/output, this is the dynamics; check the END HALT before it"),
    ("5 6", "", "'5' where a keyword must stand; a line is a keyword followed by all its numbers"),
    ("HALT", "", "HALT: HALT without END before it; a section is closed by END HALT"),
    ("END STOP", "", "END: END must be followed by HALT (more sections follow) or END (the last one), got 'STOP'"),
    ("VISUALIZATION", "", "VISUALIZ: the block stands behind END END; close the sections first"),
    ("DYNE 1 x", "", "DYNE: 'x' is not a finite number; write it like 0.25 or 2.5e-1"),
    ("", "GRAVITY 0 0 nan", "GRAVITY: 'nan' is not a finite number; start every keyword on a line of its own"),
    ("", "GRAVITY 0 0 9,81", "GRAVITY: '9,81' is not a finite number; separate numbers by blanks and write decimals"),
    ("", "GRAVITY 0 0 1e999", "GRAVITY: '1e999' is beyond the largest number (1.8e308); check the exponent"),
    # counts
    ("BEAM 2 1 2 3", "", "BEAM: needs 5 or 8 numbers (element xp rp xq rq [vx vy vz]), got 4"),
    ("HINGE 2 2 4", "", "HINGE: needs 6 numbers (element rp rq vx vy vz), got 3"),
    ("TRUSS 2 1 3 0 1 0", "", "TRUSS: needs 3 numbers (element xp xq), got 6"),
    ("X 5 1", "", "X: needs 4 numbers (node x y z), or 3 in the plane, got 2"),
    ("FIX", "", "FIX: needs the node number (node [components]), got nothing"),
    ("", "XM 3", "XM: needs the node number and its values, got 1 numbers"),
    ("", "DELINPE 1 2", "DELINPE: needs 3 numbers (element component value), got 2"),
    ("", "INPUTX 1 2", "INPUTX: needs 3 to 5 numbers (node component value [rate [acceleration]]), got 2"),
    ("", "TIMESTEP 1", "TIMESTEP: needs 2 numbers (t n), got 1"),
    ("", "ITERSTEP 10 4", "ITERSTEP: needs at least 3 numbers (iterations load-steps tolerance ...), got 2"),
    ("", "GRAVITY 9.81", "GRAVITY: needs 2 to 3 numbers (gx gy [gz]), got 1"),
    # numbers of things
    ("BEAM 1.5 1 2 3 4", "", "BEAM: the element number must be a whole number from 1 to 99999, got 1.5"),
    ("BEAM 2 0 2 3 4", "", "BEAM: the node xp must be a whole number from 1 to 99999, got 0"),
    ("FIX 3 -1", "", "FIX: the component must be a whole number from 1 to 99999, got -1"),
    ("FIX 100000", "", "FIX: the node number must be a whole number from 1 to 99999, got 100000"),
    # meaning
    ("X 5 2 0 0\nBEAM 1 3 4 5 6", "", "BEAM 1: element number already given on line 3; remove one of them"),
    ("X 1 0 0 1", "", "X 1: coordinates already given on line 1; remove one of them"),
    ("HINGE 2 3 5 0 0 1", "", "HINGE 2: node 3 is a rotation node here and a translation node in BEAM 1 (line 3)"),
    ("HINGE 2 4 4 0 0 1", "", "HINGE 2: its nodes must differ, got 4 4"),
    ("HINGE 2 4 5 0 0 0", "", "HINGE 2: the vector must not be zero, got 0 0 0; give a direction"),
    ("TRUSS 2 3 5", "", "TRUSS 2: translation node 5 has no coordinates; add X 5 x y z"),
    ("X 5 1 0 0\nTRUSS 2 3 5", "", "TRUSS 2: its length is zero: nodes 3 and 5 are at the same place"),
    ("X 4 0 0 0", "", "X 4: node 4 is a rotation node, X is for translation nodes; rotation and warping"),
    ("X 5 1 1\nTRUSS 2 3 5", "", "X 5: a node in space needs 4 numbers (node x y z), got 3"),
    ("FIX 33", "", "FIX 33: node 33 is not defined; a node is defined by an element that uses it"),
    ("DYNE 7 1", "", "DYNE 7: element 7 is not defined; define it in the kinematics"),
    ("FIX 3 4", "", "FIX 3: translation node 3 has no coordinate 4; its coordinates are 1 to 3"),
    ("DYNX 4 5", "", "DYNX 4: rotation node 4 has no coordinate 5; its coordinates are 1 to 4"),
    ("RLSE 1 7", "", "RLSE 1: BEAM 1 has no deformation 7; its deformations are 1 to 6"),
    ("INPUTX 1 2", "", "INPUTX 1: coordinate 2 is FIX already on line 4; give each one class"),
    ("DYNE 1 3\nRLSE 1", "", "RLSE 1: deformation 3 is DYNE already on line 6; give each one class"),
    ("", "XM 3 1 2", "XM 3: a translation node takes 1 numbers behind its number, got 2"),
    ("", "XM 4 1", "XM 4: a rotation node takes 6 numbers behind its number, got 1"),
    ("", "XF 4 1", "XF 4: a rotation node takes 3 or 4 numbers behind its number, got 1"),
    ("HINGE 2 4 5 0 0 1", "EM 2 1", "EM 2: HINGE 2 has no EM; give its nodes mass with XM"),
    ("", "ESTIFF 1 1 2 3 4 5 6 7", "ESTIFF 1: BEAM 1 takes at most 6 numbers (EA GJ EIy EIz shearY shearZ), got 7"),
    ("", "XF 3 1 0 0\nXF 3 0 1 0", "XF 3: values already given on line 8; remove one of them"),
    ("", "GRAVITY 0 0 1\nGRAVITY 0 0 2", "GRAVITY: this was already given on line 8; remove one of them"),
    ("", "DELINPE 1 9 0.1", "DELINPE 1: BEAM 1 has no deformation 9; its deformations are 1 to 6"),
    ("", "TIMESTEP 1 2.5", "TIMESTEP: number 2 (t n) must be a whole number from 1 on, got 2.5"),
    ("", "TIMESTEP 0 2", "TIMESTEP: number 1 (t n) must be positive, got 0"),
    ("", "ERROR 1e-6 -1", "ERROR: number 2 (abs [rel]) must be positive, got -1"),
]


@pytest.mark.parametrize("kinematics, dynamics, message", ERRORS)
def test_an_error_names_file_line_rule_value_and_remedy(kinematics, dynamics, message):
    with pytest.raises(DatError) as caught:
        model(kinematics, dynamics)
    text = f"{KIN}{kinematics}\nEND HALT\n{dynamics}\nEND END".split("\n")
    error = caught.value
    assert isinstance(error, InputError) and error.path == "arm.dat" and text[error.line - 1] == error.text
    assert str(error).startswith(f"arm.dat, line {error.line}: {message}")
    assert str(error).endswith(f"\n    {error.text}")


@pytest.mark.parametrize("signals, message", [
    ("OUTX 1 3", "OUTX: needs 3 numbers (index node component), got 2"),
    ("INPUTS 1 2 1", "INPUTS 2: element 2 is not defined"),
    ("INPUTS 1 1 7", "INPUTS 1: BEAM 1 has no deformation 7; its deformations are 1 to 6"),
    ("OUTX 1 3 1\nOUTE 1 1 1", "OUTE 1: this index was already given on line 10; remove one of them"),
    ("BELT 1", "BELT: this keyword of SPACAR is not supported"),
    ("END HALT", "END: the input/output is the last section; close it with END END"),
])
def test_an_error_in_the_input_output_is_named(signals, message):
    with pytest.raises(DatError) as caught:
        model(signals=signals)
    assert str(caught.value).startswith(f"arm.dat, line {caught.value.line}: {message}")


@pytest.mark.parametrize("text, message", [
    ("", "line 1: the file ends within the kinematics; close it with END HALT"),
    (KIN + "END", "line 6: the file ends within the kinematics; close it with END HALT\n    END"),
    (KIN + "END HALT\n", "line 7: the file ends within the dynamics; close it with END END"),
    (KIN + "END HALT\nEND HALT\nOUTX 1 3 1", "line 8: the file ends within the input/output; close it with END END"),
])
def test_a_section_that_is_not_closed_is_named(text, message):
    with pytest.raises(DatError) as caught:
        parse_dat(text, "arm.dat")
    assert str(caught.value).startswith(f"arm.dat, {message}")


def test_odd_files_are_read_or_refused_with_one_sentence(tmp_path):
    path = tmp_path / "a.dat"
    path.write_bytes(b"# caf\xe9\n" + KIN.encode() + b"END HALT\nEND END\n")      # latin-1 comment
    assert len(read_dat(path).elements) == 1
    path.write_bytes(bytes(range(256)))
    with pytest.raises(DatError, match="a.dat, line 1: "):
        read_dat(path)
    with pytest.raises(InputError, match="b.dat: the file cannot be read .*; check the path"):
        read_dat(tmp_path / "b.dat")
    with pytest.raises(InputError, match="the file cannot be read"):
        read_dat(tmp_path)


def test_errors_travel_between_processes():
    with pytest.raises(DatError) as caught:
        parse_dat("BEM 1", "arm.dat")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("name, elements, dofs, inputs", [
    ("cantilever_moment", 24, 48, 0),           # e3, e4 of every beam
    ("cross_hinge_held", 3, 5, 1),              # five deformations of one leaf; an Euler parameter prescribed
    ("cross_hinge_released", 3, 6, 0),          # three deformations of each leaf
    ("two_link_manipulator", 5, 12, 0),         # 3 joints, 5 + 4 deformations
])
def test_the_reference_models_have_as_many_conditions_as_dependent_coordinates(name, elements, dofs, inputs):
    """Counting of section 1 of the formulation: one condition per deformation that is not released and one per
    rotation node that is not fixed (its Euler parameters)."""
    m = read_dat(DATA / f"{name}.dat")
    coordinates, deformations, kinds = m.coordinate_status(), m.deformation_status(), m.node_kinds()
    dependent = sum(k.size for k in kinds.values()) - len(coordinates)
    conditions = sum(e.form.deformations for e in m.elements) - list(deformations.values()).count("RLSE")
    conditions += sum(k is NodeKind.ROTATION and coordinates.get((n, 1)) != "FIX" for n, k in kinds.items())
    assert dependent == conditions
    assert len(m.elements) == elements and m.warnings == ()
    assert list(deformations.values()).count("DYNE") == dofs
    assert list(coordinates.values()).count("INPUTX") == inputs
