"""The commands brake, kinetostatics and corotational, and their records in archive, pictures, report and export."""

import json
import shutil

import h5py
import numpy as np
import pytest
from _browser import CHROMIUM, Browser

import spacar_py as sp
from spacar_py import archive
from spacar_py.bondgraph import analyse, kinetostatics
from spacar_py.cases.five_dof_robot import five_dof_robot, motion
from spacar_py.cli import main
from spacar_py.record import Record, table

pytest.importorskip("pydantic")
ROBOT = "kinetostatics five_dof_robot --points 21"
LINK = "corotational double_link --t-end 0.5 --points 11 --elements 2 --solver projected"
BRAKE = "brake braking_planar --times 0.47 0.477 0.49 --rtol 1e-4"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Each command once: its JSON answer and its folder."""
    import io
    from contextlib import redirect_stdout

    out = {}
    for line in (ROBOT, LINK, BRAKE):
        folder, text = tmp_path_factory.mktemp(line.split()[0]), io.StringIO()
        with redirect_stdout(text):
            assert main([*line.split(), "-o", str(folder), "--json", "--quiet"]) == 0
        out[line.split()[0]] = json.loads(text.getvalue()), folder
    return out


COMMANDS = ["kinetostatics", "corotational", "brake"]


def refused(capsys, line, message):
    assert main(line.split()) == 1
    assert message in capsys.readouterr().err


# the commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_archive_table_and_picture(done, command):
    data, folder = done[command]
    assert {f"{command}.h5", f"{command}.txt", f"{command}.png"} <= {p.name for p in folder.iterdir()}
    assert all((folder / f.rsplit("/", 1)[-1]).stat().st_size > 100 for f in data["files"])


def test_kinetostatics_compares_core_and_bond_graph_and_draws_the_graph(done):
    """Issue: 1e-9 relative. The lift carries the weight of 500 kg and more; over 401 points it reaches 15316.7 N."""
    data, folder = done["kinetostatics"]
    assert data["bond_graph"]["difference"] < 1e-11
    assert (folder / "bond_graph.png").exists()
    lift = next(r for r in data["rows"] if r["series"] == "lift.displacement")
    assert 500 * 9.81 < lift["largest"] < 15316.8


def test_the_drawing_of_the_graph_stands_in_the_archive_and_in_the_report(done, tmp_path):
    path = done["kinetostatics"][1] / "kinetostatics.h5"
    drawing = archive.load(path).drawings["Vector bond graph"]
    assert drawing.startswith("<svg") and "wrist.moment" in drawing
    page = tmp_path / "page.html"
    assert main(["report", str(path), "-o", str(page), "--quiet"]) == 0
    assert "Vector bond graph</h2>" in page.read_text() and "wrist.moment" in page.read_text()


def test_joints_that_give_way_differ_from_those_of_the_core(tmp_path, capsys):
    line = "kinetostatics five_dof_robot --points 5 --mobility 1e-8 --no-pictures --json --quiet"
    assert main([*line.split(), "-o", str(tmp_path)]) == 0
    gap = json.loads(capsys.readouterr().out)["bond_graph"]["difference"]
    assert 1e-7 < gap < 1e-2


def test_kinetostatics_of_a_closed_chain_says_why_there_is_no_bond_graph(tmp_path, capsys):
    """Any model has joint forces by the core; the braking arm has springs in planar joints, so no graph."""
    line = f"kinetostatics braking_planar --t-end 0.05 --points 3 --no-pictures -o {tmp_path}"
    assert main(line.split()) == 0
    assert "without bond graph (bond graph: needs a spatial model" in capsys.readouterr().out


def test_kinetostatics_of_a_flexible_arm_says_that_its_beams_keep_it_from_having_a_bond_graph(tmp_path, capsys):
    line = f"kinetostatics anthropomorphic --t-end 0.01 --points 3 --no-pictures -o {tmp_path}"
    assert main(line.split()) == 0
    assert "without bond graph (bond graph: beam 'upper[0]' is not rigid" in capsys.readouterr().out


def test_a_single_braking_time_has_no_worst(tmp_path, capsys):
    line = f"brake braking_planar --times 0.3 --rest 0.05 --rtol 1e-4 --no-pictures -o {tmp_path}"
    assert main(line.split()) == 0
    summary = next(s for s in capsys.readouterr().out.splitlines() if s.startswith("least vibration"))
    assert summary.endswith("when braking for 0.3 s")


def test_corotational_reports_how_well_the_constraints_held(done):
    data, _ = done["corotational"]
    assert 0 <= data["violation"] < 1e-8
    assert {"residuals", "jacobians", "steps", "seconds"} <= set(data["count"])


def test_corotational_compares_the_tip_and_the_time_with_the_core(tmp_path, capsys):
    """Two elements per link differ from four of the core by O(h^2) of a bend of millimetres in the first 0.5 s."""
    assert main([*LINK.split(), "--compare", "--no-pictures", "--json", "-q", "-o", str(tmp_path)]) == 0
    core = json.loads(capsys.readouterr().out)["core"]
    assert core["difference"] < 1e-3 and core["ratio"] > 0
    assert archive.load(tmp_path / "corotational.h5")["difference"].max() == core["difference"]


def test_the_time_of_the_core_is_told_without_that_of_the_compiler(tmp_path, monkeypatch):
    """A moment of the run goes before the one on the clock; without it a first run told 24 s instead of 0.3 s."""
    from spacar_py.case import Case

    ends, simulate = [], Case.simulate
    monkeypatch.setattr(Case, "simulate", lambda self, *a, **k: (ends.append(self.t_end), simulate(self, *a, **k))[1])
    assert main([*LINK.split(), "--compare", "--no-pictures", "-q", "-o", str(tmp_path)]) == 0
    short, whole = ends
    assert short == pytest.approx(1e-3 * whole)


def test_brake_finds_the_best_of_the_given_times(done):
    data, _ = done["brake"]
    assert data["best"]["time"] == 0.477 and data["worst"]["time"] == 0.49
    assert data["unit"] == "m"


def test_brake_searches_between_two_times(tmp_path, capsys):
    """Six periods of 79.09 rad/s: 0.4767 s."""
    line = f"brake braking_planar --between 0.465 0.49 --curve-points 5 --tol 1e-3 --rest 0.2 -o {tmp_path} --json -q"
    assert main([*line.split(), "--no-pictures"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["best"]["time"] == pytest.approx(0.4767, abs=1.5e-3)
    assert data["times"] == sorted(data["times"]) and len(data["times"]) > 5


def test_brake_takes_speeds_from_the_command_line(tmp_path, capsys):
    line = "brake braking_planar --times 0.3 --speed joint3.angle=1.0 --travel 0.5 --rest 0.1 --rtol 1e-4"
    assert main([*line.split(), "--observe", "rod[0].angle", "--json", "-q", "--no-pictures", "-o", str(tmp_path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["unit"] == "rad" and data["observed"] == "rod[0].angle"
    info = archive.load(tmp_path / "brake.h5").info
    assert info["speeds"] == {"joint3.angle": 1.0} and info["travel"] == 0.5


def test_brake_observes_several_quantities_and_takes_the_first_for_the_best(tmp_path, capsys):
    line = "brake braking_planar --times 0.45 0.477 --rest 0.1 --rtol 1e-4 --observe tip.y tip.x rod[0].angle"
    assert main([*line.split(), "--json", "-q", "-o", str(tmp_path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["observed"] == "tip.y" and list(data["others"]) == ["tip.x", "rod[0].angle"]
    record = archive.load(tmp_path / "brake.h5")
    assert record.units == {"range of tip.y": "mm", "range of tip.x": "mm", "range of rod[0].angle": "mrad"}
    assert record.pictures["Residual vibration [mrad]"] == ["range of rod[0].angle"]


def test_a_beam_brakes_as_the_chain_that_takes_its_place(tmp_path, capsys):
    """A flexible cantilever on a hub, by the core's beam and as 12 segments: the ranges agree to the chain's error."""
    from spacar_py.modelfile import write_model

    model = sp.Model(planar=True, name="hub")
    model.node("base", (0, 0))
    model.fix("base")
    model.frame("hub")
    model.node("tip", (1, 0))
    model.hinge("joint", "base", "hub")
    model.beam("rod", ("base", "hub"), "tip", sp.Section(EIz=100.0, m=1.0), elements=2, flexible="bending")
    write_model(model, tmp_path / "hub.toml")
    line = "--speed joint.angle=1 --travel 0.5 --times 0.3 --rest 0.3 --rtol 1e-6 --observe tip.y --json -q"
    found = []
    for more in ([], ["--chain", "rod=12"]):
        assert main(["brake", str(tmp_path / "hub.toml"), *line.split(), *more, "-o", str(tmp_path)]) == 0
        found.append(json.loads(capsys.readouterr().out)["ranges"][0])
    assert found[1] == pytest.approx(found[0], rel=0.03)
    assert found[0] > 1e-4


# messages -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line, message", [
    ("brake pendul", "'pendul' is neither a built-in case nor a file"),
    ("brake manipulator", "no joint of the model moves at the start and comes to rest; give speeds and travel"),
    ("brake braking_planar --speed joint1.angle", "--speed: must be a joint and its rate, such as joint1.angle=0.785"),
    ("brake braking_planar --speed joint1.angle=fast", "got 'joint1.angle=fast'"),
    ("brake braking_planar --speed joint1.angle=1", "--speed: the final pose is not known; add --travel"),
    ("brake braking_planar --observe tip", "--observe: must name a point or element and what of it, such as tip.y"),
    ("brake braking_planar --chain rod", "--chain: must be a beam and its segments, such as rod=10, got 'rod'"),
    ("brake braking_planar --chain lower=4", "replace beam 'lower': must be a beam, it is a planar pin body"),
    ("brake braking_planar --between 0.5 0.4", "between must be two increasing braking times (s), got (0.5, 0.4)"),
    ("brake braking_planar --between 0.4 0.5 --curve-points 2", "brake: points must be"),
    ("brake braking_planar --times 3", "braking for 3 s takes 1.5 s of constant velocity away, of 1 s of travel"),
    ("brake braking_planar --times 0.4 --rest -1", "brake: rest must be a positive finite number, got -1"),
    ("brake braking_planar --times 0.4 --rest 0.01 --rtol 1e-3 --observe top.y", "result has no 'top' (did you mean"),
    ("brake five_dof_robot", "no joint of the model moves at the start and comes to rest"),
    ("kinetostatics five_dof_robot --points 1", "--points: must be 2 at least, got 1"),
    ("corotational five_dof_robot", "co-rotational: cylinder 'lift' is not covered"),
    ("corotational braking_planar", "has springs, an arm has none; leave them out"),
    ("corotational double_link --elements 0", "elements must be a whole number, 1 at least, got 0"),
    ("corotational double_link --points 1", "--points: must be 2 at least, got 1"),
    ("corotational double_link --t-end -1", "must be"),
    ("corotational double_link --rtol 0", "rtol must be a positive finite number, got 0"),
    ("corotational anthropomorphic --feedforward gravity --compare", "feeds inverse dynamics forward; leave --feed"),
    ("corotational anthropomorphic --start rest --compare", "the core starts on the path and feeds inverse dynamics"),
    ("corotational double_link --t-end 0.1 --points 3 --rigid --compare", "--compare: the core runs the model"),
])  # fmt: skip
def test_bad_input_is_answered_by_one_sentence(line, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*line.split(), "-q"]) == 1
    err = capsys.readouterr().err
    assert message in err and err.startswith(f"spacar {line.split()[0]}: ") and len(err.splitlines()) == 1
    assert not list(tmp_path.rglob("*.h5"))


def test_ways_of_different_length_are_refused():
    from spacar_py.rigidfe import braking_signal, speeds_of

    m = five_dof_robot()
    m.prescribe("lift", "angle", braking_signal(1.0, 1.0, 0.5))
    m.prescribe("wrist", "angle", braking_signal(1.0, 2.0, 0.5))
    with pytest.raises(sp.InputError, match="the ways of 'lift.angle' .1 s. and 'wrist.angle' .2 s. take different"):
        speeds_of(m)


# archive, report, pictures, export ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_a_record_comes_back_from_the_archive_as_it_was(done, command, tmp_path):
    _, folder = done[command]
    first = archive.load(folder / f"{command}.h5")
    first.save(tmp_path / "again.h5")
    again = archive.load(tmp_path / "again.h5")
    for key in ("kind", "title", "x_name", "x_unit", "units", "pictures", "rows", "info", "text"):
        assert getattr(again, key) == getattr(first, key)
    assert np.array_equal(first.x, again.x) and np.array_equal(first.t, again.t)
    assert list(first.series) == list(again.series) and list(first.lines) == list(again.lines)
    assert all(np.array_equal(first[n], again[n]) for n in first.series)
    assert all(np.array_equal(first.lines[n], again.lines[n]) for n in first.lines)


def test_series_of_an_archive_carry_unit_and_time(done):
    with h5py.File(done["kinetostatics"][1] / "kinetostatics.h5") as file:
        d = file["result"]["lift.displacement"]
        assert d.attrs["units"] == "N" and d.dims[0].label == "t"
        assert np.array_equal(d.dims[0][0], np.linspace(0, 2, 21))


def test_the_archive_keeps_the_case(done):
    case = archive.load_case(done["kinetostatics"][1] / "kinetostatics.h5")
    assert case.model.name == "five-degree-of-freedom robot" and case.run.t_end == 2.0


@pytest.mark.parametrize("command", COMMANDS)
def test_show_plot_report_and_export_take_the_archive(done, command, tmp_path, capsys):
    pytest.importorskip("plotly")
    source = tmp_path / f"{command}.h5"
    shutil.copy(done[command][1] / source.name, source)
    for line in (f"show {source}", f"plot {source}", f"report {source}", f"export {source} -o {tmp_path / 'a.csv'}",
                 f"export {source} -o {tmp_path / 'a.npz'}", f"export {source} -o {tmp_path / 'a.mat'}"):  # fmt: skip
        assert main([*line.split(), "--quiet"]) == 0
    record = archive.load(source)
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[0].split(",") == [record.x_name, *record.series] and len(rows) == len(record.x) + 1
    name = next(iter(record.series))
    assert np.array_equal(np.load(tmp_path / "a.npz")[name], record[name])
    page = (tmp_path / f"{command}.html").read_text()
    assert record.title in page and record.rows[0].keys() <= set(page.replace("<", ">").split(">"))


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser")
def test_reports_of_records_render_in_a_real_browser_without_an_error(done, tmp_path):
    pytest.importorskip("websocket", reason="the browser is driven by websocket-client, from the extra 'test'")
    pytest.importorskip("plotly")
    pages = [sp.write_report(folder / f"{name}.h5", tmp_path / f"{name}.html") for name, (_, folder) in done.items()]
    pages.append(sp.write_report(analyse(five_dof_robot(), [0, 0.5, 1], motion()), tmp_path / "bare.html"))
    with Browser() as browser:
        for page in pages:
            browser.open(page, "document.body && document.body.dataset.ready === 'yes'")
            assert browser.run("document.querySelectorAll('.curve .scatterlayer .trace').length") >= 1
            assert browser.run("getComputedStyle(el('scene').parentElement).display") == (
                "none" if page.stem == "bare" else "block"
            )
        assert browser.errors == []


def test_results_of_the_siblings_save_themselves(tmp_path):
    kinetostatics(five_dof_robot(), [0.0, 1.0], motion()).save(tmp_path / "a.h5")
    record = archive.load(tmp_path / "a.h5")
    assert record.kind == "kineto-statics" and record.units["wrist.angle"] == "N m" and len(record.t) == 2


def test_an_unknown_series_is_answered_with_the_nearest():
    record = Record("curve", "c", [0.0, 1.0], series={"torque": [1.0, 2.0]})
    with pytest.raises(sp.InputError, match=r"curve: there is no series 'torqe' \(did you mean 'torque'\?\)"):
        record["torqe"]


def test_a_series_of_the_wrong_length_is_refused():
    with pytest.raises(sp.InputError, match="record: series 'torque' must have 2 values, got"):
        Record("curve", "c", [0.0, 1.0], series={"torque": [1.0]})


def test_labels_leave_out_what_the_title_says():
    pictures = {"lift: force": ["lift.force_x", "lift.force_y"], "turns": ["rod.angle_x", "rod.angle_y"]}
    series = {n: [1.0, 2.0] for names in pictures.values() for n in names}
    record = Record("curve", "c", [0.0, 1.0], series=series, pictures=pictures)
    assert [n for n, _ in record.curves("lift: force")] == ["x", "y"]
    assert [n for n, _ in record.curves("turns")] == ["rod.angle_x", "rod.angle_y"]


@pytest.mark.parametrize("count, marker", [(1, "o"), (3, "o"), (40, "None")])
def test_few_points_of_a_record_are_drawn_as_points(count, marker):
    """Two braking times are two points, and not the line between them."""
    from spacar_py.plotting import plot_record

    x = np.linspace(0.0, 1.0, count)
    figure = plot_record(Record("curve", "c", x, series={"range": x}, pictures={"Range": ["range"]}))
    assert figure.axes[0].lines[0].get_marker() == marker


def test_zeros_do_not_pull_a_logarithmic_axis_down():
    record = Record("curve", "c", [0.0, 1.0], series={"drift": [0.0, 1e-6]}, pictures={"Drift": ["drift"]},
                    info={"log": ["Drift"]})  # fmt: skip
    np.testing.assert_allclose(record.curves("Drift")[0][1], [1e-15, 1e-6])


def test_tables_align_numbers_right_and_words_left():
    rows = [{"name": "a", "value": 1.5}, {"name": "long", "value": None}]
    assert table(rows).splitlines() == ["name  value", "a       1.5", "long"]
