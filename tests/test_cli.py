"""The command line: exit codes, outputs, files, and that nothing but a sentence is seen when something is wrong."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from spacar_py import archive, cases
from spacar_py.cli import main
from spacar_py.cli.interrupt import listening
from spacar_py.cli.parser import COMMANDS, make_parser
from spacar_py.cli.screen import Progress, Screen, plain
from spacar_py.modelfile import read_case

pytest.importorskip("pydantic")
PENDULUM = """
name = "pendulum"
gravity = [0, 0, -9.81]
[nodes]
pivot = { position = [0, 0, 0], fixed = true }
swing = { kind = "frame" }
bob = { kind = "point", position = [1, 0, 0] }
[elements]
joint = { kind = "hinge", p = "pivot", q = "swing", axis = [0, 1, 0] }
rod = { kind = "rigid_beam", p = ["pivot", "swing"], q = "bob" }
[[bodies]]
point = "bob"
m = 1.0
[run]
t_end = 0.5
points = 51
"""
FAST = ["--points", "21", "--linear-points", "60", "--t-end", "1.05", "--rtol", "1e-3", "--atol", "1e-5"]


PICTURES = {f"{n}.png" for n in ("deviation", "modes", "frequencies", "mode_shapes", "bode", "energy", "mechanism")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    return tmp_path


def spacar(*argv, code=0):
    assert main(list(argv)) == code


def answer(capsys, *argv, code=0):
    """The JSON object that a command prints."""
    spacar(*argv, "--json", "--quiet", code=code)
    out = capsys.readouterr()
    assert not out.err
    return json.loads(out.out)


# usage --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_there_for_every_command(command, capsys):
    spacar(*command.split(), "--help")
    assert "usage: spacar" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [[], ["fly"], ["run"], ["run", "a", "--order", "6"], ["export", "manipulator"]])
def test_wrong_usage_is_exit_code_2(argv, capsys):
    spacar(*argv, code=2)
    assert "usage: spacar" in capsys.readouterr().err


@pytest.mark.parametrize("argv, message", [
    (["run", "manipulater"], "'manipulater' is neither a built-in case nor a file (did you mean 'manipulator'?)"),
    (["run", "none.toml"], "none.toml: the file cannot be read (No such file or directory); check the path"),
    (["run", "bad.toml"], "bad.toml, line 1: planar must be true or false, got 3; correct it"),
    (["run", "pendulum.toml", "--points", "1"], "--points: must be 2 at least, got 1"),
    (["run", "pendulum.toml", "--every", "nan"], "--every: must be a time in seconds, 0 at least, got nan"),
    (["run", "manipulator", "--node", "top"], "run: there is no point 'top' (did you mean 'tip'?); known: 'base'"),
    (["run", "pendulum.toml", "--t-end", "-1"], "simulate: t_end must be later than t_start = 0, got -1"),
    (["run", "pendulum.toml", "--modes", "few"], "--modes: must be a whole number or auto, got 'few'"),
    (["compare", "pendulum.toml"], "case 'pendulum': a comparison needs a path; add a [path] table"),
    (["show", "none.h5"], "none.h5: there is no such file; check the path"),
    (["show", "pendulum.toml"], "pendulum.toml: is not an HDF5 file"),
    (["plot", "none.h5"], "none.h5: there is no such file"),
    (["report", "none.h5"], "none.h5: there is no such file"),
    (["bench", "pendulum.toml"], "case 'pendulum': a benchmark of the methods needs a path"),
    (["bench", "manipulator", "--modes", "0"], "--modes: must be 1 at least, got 0"),
    (["export", "pendulum.toml", "-o", "a.xls"], "export: 'a.xls' must end in .toml, .json, .csv, .npz, .mat"),
    (["export", "pendulum.toml", "-o", "a.csv"], "export: .csv holds results, 'pendulum.toml' has none"),
    (["modes", "pendulum.toml", "-n", "0"], "-n: must be 1 at least, got 0"),
    (["linearize", "pendulum.toml", "--along-path"], "case 'pendulum': has no path; leave --along-path out"),
    (["cases", "crane"], "there is no built-in case 'crane'; known: manipulator"),
    (["run", "none.dat"], "none.dat: the file cannot be read"),
    (["run", "none.dat", "--mode", "5"], "--mode: must be one of 0, 1, 2, 3, 4, 7, 8, 9, 10, got 5"),
    (["run", "pendulum.toml", "-o", "pendulum.toml/x.h5"], "pendulum.toml: the folder cannot be made"),
    (["batch", "none.toml"], "none.toml: cannot be read"),
])  # fmt: skip
def test_a_mistake_is_one_sentence_and_exit_code_1(argv, message, here, capsys):
    (here / "bad.toml").write_text("planar = 3")
    before = sorted(p.name for p in here.iterdir())
    spacar(*argv, code=1)
    out = capsys.readouterr()
    assert not out.out and message in out.err and "Traceback" not in out.err
    assert out.err.splitlines()[-1].startswith(f"spacar {argv[0]}: ")
    assert sorted(p.name for p in here.iterdir()) == before


def test_an_error_that_nobody_thought_of_is_one_sentence_too(here, capsys, monkeypatch):
    monkeypatch.setattr("spacar_py.cli.models.find_case", lambda name: 1 / 0)
    spacar("check", "pendulum.toml", code=1)
    err = capsys.readouterr().err
    assert err.startswith("spacar check: unexpected ZeroDivisionError: ") and err.count("\n") == 1
    monkeypatch.setenv("SPACAR_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["check", "pendulum.toml"])


def test_the_command_line_imports_nothing_heavy_to_say_what_it_is():
    code = (
        "import sys; from spacar_py.cli import main; main(['cases', '--quiet']); main(['run', '--help']);"
        "print([m for m in ('numpy', 'scipy', 'h5py', 'matplotlib', 'pydantic', 'num' + 'ba') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] in ("[]", "['numpy']")


# commands -----------------------------------------------------------------------------------------------------------


def test_run_writes_an_archive_and_says_so(here, capsys):
    spacar("run", "pendulum.toml")
    assert "written: pendulum.h5" in capsys.readouterr().out
    result = archive.load("pendulum.h5")
    assert len(result.t) == 51
    # energy of a free pendulum is kept, to the integrator's tolerance of 1e-6
    assert np.ptp(result.energy["total"]) < 1e-4


def test_settings_on_the_command_line_take_the_place_of_those_in_the_file(here, capsys):
    other = ["--points", "11", "--t-end", "0.2", "--method", "implicit"]
    data = answer(capsys, "run", "pendulum.toml", *other, "-o", "a/b.h5")
    assert data["points"] == 11 and data["t_end"] == pytest.approx(0.2)
    assert archive.load("a/b.h5").info["method"] == "generalised alpha"


def test_an_archive_is_resumed_by_its_name(here, capsys):
    spacar("run", "pendulum.toml")
    spacar("run", "pendulum.h5", code=1)
    assert "is an archive; add --resume to go on with it, or --out" in capsys.readouterr().err
    spacar("run", "pendulum.h5", "--resume")


def test_show_tells_what_is_in_an_archive(here, capsys):
    spacar("run", "pendulum.toml", "--quiet")
    spacar("show", "pendulum.h5")
    text = capsys.readouterr().out
    assert "pendulum.h5: Result of 'pendulum', complete" in text and "x(51, 14)" in text
    data = answer(capsys, "show", "pendulum.h5")
    assert data["file"] == "pendulum.h5" and data["results"]["result"]["t"] == [0.0, 0.5]


def test_compare_makes_table_archive_pictures_and_report(here, capsys):
    spacar("compare", "manipulator", "--modes", "3", "4", *FAST, "--out", "out")
    out = capsys.readouterr()
    assert "AMI                4" in out.out and "nonlinear" in out.out
    assert set(os.listdir("out")) == {"compare.h5", "table.txt", *PICTURES, "report.html"}
    assert "Modes at the start, joints held" in (here / "out/report.html").read_text()
    assert "nonlinear.h5" not in os.listdir("out")
    loaded = archive.load("out/compare.h5")
    assert list(loaded.results) == ["nonlinear", "perturbation", "AMI 3", "AMI 4"]
    assert (here / "out/table.txt").read_text() == f"{loaded}\n"
    before = os.listdir("out")
    spacar("plot", "out/compare.h5", "-o", "more", "--quiet")
    assert set(os.listdir("more")) == {n for n in before if n.endswith(".png")}


def test_compare_as_json_has_the_rows_of_the_table(here, capsys):
    data = answer(capsys, "compare", "manipulator", "--modes", "4", *FAST, "--no-pictures", "--no-report")
    assert [r["method"] for r in data["rows"]] == ["nonlinear", "perturbation", "AMI"]
    assert 0 < data["rows"][2]["to_nonlinear"] < 1e-3  # m; reference values, section 6: below 0.3 mm
    assert sorted(os.listdir("results/manipulator")) == ["compare.h5", "table.txt"]
    assert all(r["integrate"] < 60.0 for r in data["rows"]) and 0 < data["compiled"] < data["seconds"]


def test_check_reports_mobility_and_sizes(here, capsys):
    data = answer(capsys, "check", "pendulum.toml")
    assert data["ok"] and data["dof"] == ["joint.angle"] and data["sizes"]["coordinates"] == 3 + 4 + 4 + 3
    spacar("check", "manipulator")
    assert "12 degrees of freedom" in capsys.readouterr().out


def test_check_of_a_model_that_cannot_move_is_exit_code_1(here, capsys):
    (here / "loose.toml").write_text(PENDULUM.replace(", axis = [0, 1, 0] }", ', axis = [0, 1, 0], release = "all" }'))
    data = answer(capsys, "check", "loose.toml", code=1)
    assert not data["ok"] and data["free_motions"]


def test_check_finds_a_degree_of_freedom_without_inertia(here, capsys):
    (here / "bare.toml").write_text(PENDULUM.replace('[[bodies]]\npoint = "bob"\nm = 1.0\n', ""))
    data = answer(capsys, "check", "bare.toml")
    assert "nothing gives inertia to joint.angle" in data["warnings"][0]


def test_plot_draws_what_is_asked_for(here, capsys):
    spacar("run", "manipulator", "--method", "AMI", *FAST, "-o", "a.h5", "--quiet")
    spacar("plot", "a.h5", "-o", "p", "--quiet", "--only", "bode", "frequencies", "--joint", "elbow.angle")
    assert sorted(os.listdir("p")) == ["bode.png", "frequencies.png"]
    spacar("plot", "a.h5", "-o", "h", "--quiet", "--history", "tip.x", "tip.deviation.z")
    assert os.listdir("h") == ["history.png"]
    spacar("plot", "a.h5", "--only", "bod", code=1)
    assert "there is no picture 'bod' (did you mean 'bode'?); known: energy, way" in capsys.readouterr().err
    spacar("plot", "a.h5", "--joint", "elbo", code=1)
    assert "there is no joint 'elbo' (did you mean 'elbow.angle'?)" in capsys.readouterr().err


def test_plot_writes_a_movie(here, capsys):
    spacar("run", "pendulum.toml", "--points", "5", "--quiet")
    assert answer(capsys, "plot", "pendulum.h5", "--movie", "swing.gif") == {"files": ["swing.gif"]}
    assert (here / "swing.gif").read_bytes()[:4] == b"GIF8"
    spacar("plot", "pendulum.h5", "--movie", "swing.avi", code=1)
    assert "must end in .gif or .mp4, got 'swing.avi'" in capsys.readouterr().err


def test_the_way_in_a_movie_is_that_of_the_point_that_the_case_watches(here, monkeypatch):
    spacar("run", "anthropomorphic_rigid", "--points", "5", "--t-end", "0.01", "--quiet")
    asked = {}
    monkeypatch.setattr("spacar_py.plotting.animate", lambda result, path, **rest: asked.update(rest) or path)
    spacar("plot", "anthropomorphic_rigid.h5", "--movie", "a.gif", "--quiet")
    assert asked["trace"] == "tip"


def test_archives_of_linear_models_and_modes_have_pictures(here, capsys):
    spacar("linearize", "manipulator", "-o", "lin.h5", "--quiet")
    spacar("linearize", "manipulator", "--along-path", "--linear-points", "12", "-o", "along.h5", "--quiet")
    spacar("modes", "manipulator", "-o", "modes.h5", "--quiet")
    for name, files in (("lin", ["bode.png", "mode_shapes.png"]), ("along", ["frequencies.png"]),
                        ("modes", ["mode_shapes.png"])):  # fmt: skip
        spacar("plot", f"{name}.h5", "-o", name, "--quiet")
        assert sorted(os.listdir(name)) == files
    spacar("plot", "lin.h5", "--history", "tip.x", code=1)
    assert "a history needs a result in time, got a LinearModel; leave --history out" in capsys.readouterr().err
    spacar("report", "modes.h5", code=1)
    assert "report: needs a Result, a Comparison" in capsys.readouterr().err


def test_a_run_has_a_report(here, capsys):
    spacar("run", "pendulum.toml", "--quiet")
    assert answer(capsys, "report", "pendulum.h5", "--title", "Swing") == {"page": "pendulum.html"}
    assert "<h1>Swing</h1>" in (here / "pendulum.html").read_text()


STUDY = """
case = "pendulum.toml"
[parameters]
"bodies.bob.m" = [1.0, 2.0, -1.0]
[outputs]
low = "min bob.x.z"
"""


def test_batch_writes_archive_table_and_pictures_and_records_failures(here, capsys):
    (here / "study.toml").write_text(STUDY)
    data = answer(capsys, "batch", "study.toml", "--workers", "0")
    assert data["files"] == ["study.h5", "study.csv", "study_low.png"] and len(data["rows"]) == 3
    assert [f["run"] for f in data["failures"]] == [2] and "m must be a positive finite number" in str(data["failures"])
    shown = answer(capsys, "show", "study.h5")
    assert (shown["kind"], shown["done"], shown["complete"]) == ("study", 3, True)
    assert answer(capsys, "plot", "study.h5", "-o", "p") == {"files": ["p/low.png"]}
    spacar("report", "study.h5", code=1)
    assert "study.h5: is a study, which has no motion to show; use `spacar plot study.h5`" in capsys.readouterr().err


def test_a_batch_of_which_every_run_failed_is_exit_code_1(here, capsys):
    (here / "study.toml").write_text(STUDY.replace("[1.0, 2.0, -1.0]", "[-1.0]"))
    data = answer(capsys, "batch", "study.toml", "--workers", "0", "--no-pictures", code=1)
    assert len(data["failures"]) == len(data["rows"]) == 1


def test_modes_of_the_manipulator(here, capsys):
    data = answer(capsys, "modes", "manipulator", "-n", "5", "--kind", "damped", "-o", "modes.h5")
    assert len(data["modes"]) == 5 and len(archive.load("modes.h5")) == 5


def test_linearize_prints_the_matrices(here, capsys):
    data = answer(capsys, "linearize", "pendulum.toml", "-o", "lin.h5")
    assert data["M0"] == [[1.0]] and data["dof"] == ["joint.angle"]  # m l^2 = 1
    assert archive.load("lin.h5").M0.tolist() == [[1.0]]
    along = answer(capsys, "linearize", "manipulator", "--along-path", "--linear-points", "20")
    assert along["points"] > 20


def test_bench_times_each_number_of_modes(here, capsys):
    data = answer(capsys, "bench", "manipulator", "--modes", "3", "4", "--repeat", "1", *FAST)
    assert [r["modes"] for r in data["rows"]] == [None, 3, 4] and all(r["integrate"] > 0 for r in data["rows"])


def test_cases_are_listed_and_printed_as_model_files(here, capsys):
    assert list(answer(capsys, "cases")) == cases.names()
    spacar("cases", "manipulator")
    (here / "copy.toml").write_text(capsys.readouterr().out)
    assert read_case("copy.toml").run == cases.load("manipulator").run


def test_schema_prints_a_json_schema(capsys):
    spacar("schema")
    assert "nodes" in json.loads(capsys.readouterr().out)["properties"]


def test_export_to_every_format(here, capsys):
    spacar("run", "pendulum.toml", "--quiet")
    for name in ("a.toml", "a.json", "a.csv", "a.npz", "a.mat"):
        spacar("export", "pendulum.h5", "-o", name, "--quiet")
    result = archive.load("pendulum.h5")
    rows = np.genfromtxt("a.csv", delimiter=",", names=True, deletechars="")
    assert np.array_equal(rows["bob.z"], result["bob"].x[:, 2]) and np.array_equal(rows["t"], result.t)
    with np.load("a.npz") as data:
        assert np.array_equal(data["q"], result.q) and data["dof"].tolist() == ["joint.angle"]
    from scipy.io import loadmat

    assert np.array_equal(loadmat("a.mat")["x"], result.x)
    assert read_case("a.toml").run == read_case("pendulum.toml").run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_all_commands_and_their_options(shell, capsys):
    spacar("completion", shell)
    text = capsys.readouterr().out
    assert all(c in text for c in COMMANDS) and ("--resume" in text or "-l resume" in text) and "manipulator" in text
    if shell == "bash":
        script = text + "\nCOMP_WORDS=(spacar ru); COMP_CWORD=1; _spacar; echo ${COMPREPLY[@]}"
        assert subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.strip() == "run"


def test_every_command_has_its_function():
    from importlib import import_module

    for name, (module, _) in COMMANDS.items():
        assert getattr(import_module(f"spacar_py.cli.{module}"), name).__doc__
    assert make_parser().prog == "spacar"


# screen -------------------------------------------------------------------------------------------------------------


def test_quiet_prints_nothing(here, capsys):
    spacar("run", "pendulum.toml", "--quiet")
    out = capsys.readouterr()
    assert not out.out and not out.err


def test_progress_tells_the_time_left_after_two_seconds(capsys):
    meter = Progress("nonlinear", True)
    meter(0.1)
    assert not capsys.readouterr().err
    meter.begin -= 10.0
    meter.last = meter.begin
    meter(0.25)
    assert "nonlinear: 25 %, 30 s left" in capsys.readouterr().err
    meter(0.01)
    assert meter.words() == "1 %, time left not known yet"


def test_the_compiler_tells_how_far_it_is(monkeypatch, capsys):
    from spacar_py.cli import compiling

    counts = iter([0, 0, 40, 110])
    monkeypatch.setattr(compiling, "ready", lambda: next(counts, 110))
    monkeypatch.setattr(compiling, "LOOK_EVERY", 0.001)
    monkeypatch.setattr("spacar_py.cli.screen.QUIET_FOR", 0.0)
    with compiling.Compiling(Screen()) as c:
        while c.meter.fraction < 0.99:
            time.sleep(0.001)
    err = capsys.readouterr().err
    assert err.startswith("compiling for the first time on this machine") and "compiling: " in err
    assert compiling.part_done(55) == pytest.approx(0.5**1.7) and compiling.part_done(300) == 0.99
    assert compiling.part_done(115, before=112) == 0.0


def test_numbers_that_json_does_not_have_become_null():
    odd = {"a": np.nan, "b": [np.float64(1.0), np.inf], "c": 1 + 2j}
    assert plain(odd) == {"a": None, "b": [1.0, None], "c": [1.0, 2.0]}
    assert Screen(quiet=True).progress("x").shown is False


class DropsWhatIsRaised:
    """Python ignores what is raised in `__del__`."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def heard():
    """Ctrl-C as in a terminal, whatever the tests were started by; in the end nobody may have changed it."""
    before, hook = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler and sys.unraisablehook is hook


def test_a_ctrl_c_that_python_drops_is_raised_at_the_next_progress(heard, capsys):
    meter = Progress("run", False)
    with listening():
        DropsWhatIsRaised()
        with pytest.raises(KeyboardInterrupt):
            meter(0.1)
        meter(0.2)  # once is enough
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)  # a second one is heard at once
    meter(0.3)
    assert not capsys.readouterr().err  # no "Exception ignored in"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_a_ctrl_c_is_raised_where_no_progress_comes(heard):
    with listening():
        signal.raise_signal(signal.SIGINT)  # what runs is not broken off in the middle
        with pytest.raises(KeyboardInterrupt):
            time.sleep(60)


def test_only_the_main_thread_listens_and_is_interrupted(heard):
    seen = []

    def other():
        with listening():
            seen.append(signal.getsignal(signal.SIGINT))
        Progress("compiling", False)(0.5)

    with listening():
        DropsWhatIsRaised()
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert seen == [signal.getsignal(signal.SIGINT)]  # left as it was, and no error in the thread
        with pytest.raises(KeyboardInterrupt):
            Progress("run", False)(0.5)


@pytest.mark.parametrize("other", [signal.SIG_IGN, lambda *_: None])
def test_a_program_that_ignores_or_handles_ctrl_c_itself_keeps_its_way(other, heard):
    signal.signal(signal.SIGINT, other)
    with listening():
        assert signal.getsignal(signal.SIGINT) is other
        signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_keeps_what_was_done_and_resume_completes_it(here):
    """A process started in the background of a script inherits that SIGINT is ignored: it must listen again."""
    text = PENDULUM.replace("t_end = 0.5", "t_end = 4000.0").replace("points = 51", "points = 4001\nchunks = 2000")
    (here / "long.toml").write_text(text)
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from spacar_py.cli import main; sys.exit(main(['run', 'long.toml', '--every', '0']))"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while not (here / "long.h5").exists() and time.monotonic() < until:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130 and "Traceback" not in err
    assert "stopped; what was done is kept in long.h5; go on with: spacar run long.h5 --resume" in err
    assert not archive.summary("long.h5")["complete"]
    spacar("run", "long.h5", "--resume", "--quiet")
    assert archive.summary("long.h5")["complete"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_in_a_batch_keeps_the_finished_runs_and_the_same_command_goes_on(here, capsys):
    (here / "pendulum.toml").write_text(PENDULUM.replace("t_end = 0.5", "t_end = 50.0"))
    (here / "study.toml").write_text(STUDY.replace("[1.0, 2.0, -1.0]", str([1.0 + k for k in range(100)])))
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from spacar_py.cli import main; sys.exit(main(['batch', 'study.toml', '--workers', '1']))"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while not (here / "study.h5.runs/000000.npz").exists() and time.monotonic() < until:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130 and "Traceback" not in err
    assert "stopped; finished runs are kept; go on with: spacar batch study.toml -o study.h5" in err
    shown = answer(capsys, "show", "study.h5")
    assert 1 <= shown["done"] < 100 and not shown["complete"]
    data = answer(capsys, "batch", "study.toml", "--workers", "0", "--no-pictures")
    assert len(data["rows"]) == 100 and not data["failures"]
    assert not [p.name for p in here.iterdir() if p.name.startswith(".") or p.name.endswith(".runs")]


def test_a_stopped_comparison_tells_the_whole_command_that_goes_on_with_it(here, capsys, monkeypatch):
    from spacar_py import checkpoint

    def stopped(case, path, **_):
        path.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "run_saved", stopped)
    spacar("compare", "manipulator", "--out", "my results", *FAST, code=130)
    told = capsys.readouterr().err.split("go on with: ")[1].strip()
    assert told == f"spacar compare manipulator --out 'my results' {' '.join(FAST)} --resume"
