"""Studies: sampling, isolation of failures, resuming after a kill, archives, tables, Dask."""

import copy
import os
import signal
import subprocess
import sys
import time
import tomllib
from datetime import date
from pathlib import Path

import _batch_cases
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spacar_py as sp
from spacar_py.batch import Parameter, Study, load_study, read_study, run_study
from spacar_py.batch.archive import parts_folder, read_parts, write_part
from spacar_py.batch.modelcase import put
from spacar_py.batch.studyfile import study_from_data

HERE = Path(__file__).resolve().parent
PENDULUM = "spacar_py.cases.pendulum:case"
LOW = {"low": "min bob.x.z"}


# sampling -----------------------------------------------------------------------------------------------------------


def test_a_grid_runs_through_all_combinations():
    study = Study(PENDULUM, {"length": [1.0, 2.0], "mass": Parameter(low=1.0, high=100.0, count=3, scale="log")})
    assert len(study) == 6
    assert study.points()[1] == {"length": 1.0, "mass": pytest.approx(10.0)}


def test_a_list_takes_the_values_side_by_side():
    study = Study(PENDULUM, {"length": [1, 2, 3], "mass": [4, 5, 6]}, design="list")
    assert [tuple(p.values()) for p in study.points()] == [(1, 4), (2, 5), (3, 6)]


def test_a_latin_hypercube_has_one_point_in_every_layer_of_every_parameter():
    study = Study(PENDULUM, {"length": (0.0, 1.0), "mass": (5.0, 15.0)}, design="latin", runs=20, seed=3)
    length = np.sort([p["length"] for p in study.points()])
    mass = np.sort([p["mass"] for p in study.points()])
    assert np.array_equal(np.floor(length * 20), np.arange(20))
    assert np.array_equal(np.floor((mass - 5) * 2), np.arange(20))


def test_random_points_follow_the_seed_and_the_distribution():
    def make(seed):
        return Study(PENDULUM, {"mass": Parameter(mean=10.0, deviation=2.0)}, design="random", runs=2000, seed=seed)

    masses = np.array([p["mass"] for p in make(1).points()])
    assert make(1).points() == make(1).points() != make(2).points()
    assert abs(masses.mean() - 10) < 4 * 2 / np.sqrt(2000)  # four standard errors
    assert abs(masses.std() - 2) < 4 * 2 / np.sqrt(2 * 2000)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(parameters={}), "needs at least one parameter"),
        (dict(parameters={"length": (2.0, 1.0)}), "parameter 'length': low must be below high, got 2 and 1"),
        (dict(parameters={"length": []}), "parameter 'length': values must be a list that is not empty"),
        (dict(parameters={"length": {"lo": 1}}), "there is no field 'lo' .did you mean 'low'"),
        (dict(parameters={"length": [1], "mass": [1, 2]}, design="list"), "equally long, got length 1, mass 2"),
        (dict(parameters={"length": [1]}, design="latn"), "there is no design 'latn' .did you mean 'latin'"),
        (
            dict(parameters={"length": [1]}, outputs={"a": "peek bob.x"}),
            "there is no reduction 'peek' .did you mean 'peak'",
        ),
        (dict(parameters={"length": [1]}, outputs={"a": "bob.x"}), "must be a reduction and a quantity"),
        (dict(parameters={"length": [1]}, methods={"a": 3}), "method 'a' must be RungeKutta"),
        (dict(parameters={"a/b": [1]}), "a name must be a text without a slash"),
    ],
)
def test_a_wrong_study_is_refused_before_any_run(options, message):
    with pytest.raises(sp.InputError, match=message):
        Study(PENDULUM, **options)


def test_dotted_keys_find_entries_of_lists_by_what_they_are_about():
    data = {"bodies": [{"point": "elbow", "m": 1.0}, {"point": "tip", "m": 2.0}], "gravity": [0, 0, -9.81]}
    put(data, "bodies.tip.m", 5.0)
    put(data, "gravity.2", -1.62)
    assert data["bodies"][1]["m"] == 5.0 and data["gravity"][2] == -1.62
    with pytest.raises(sp.InputError, match="parameter 'bodies.tpi.m': there is no 'tpi' .did you mean 'tip'"):
        put(data, "bodies.tpi.m", 5.0)


# runs ---------------------------------------------------------------------------------------------------------------


def test_outputs_are_those_of_single_simulations():
    study = Study(PENDULUM, {"length": [1.0, 2.0]}, outputs={**LOW, "end": "final bob.x", "way": "history bob.x.z"})
    found = run_study(study, workers=0)
    for i, length in enumerate((1.0, 2.0)):
        from spacar_py.cases import pendulum

        alone = sp.simulate(**pendulum.case(length))
        assert found.values("low")[i] == alone["bob"].x[:, 2].min()
        assert found.values("end.z")[i] == alone["bob"].x[-1, 2]
        t, z = found.history(i, "way")
        assert np.array_equal(t, alone.t) and np.array_equal(z, alone["bob"].x[:, 2])


@pytest.mark.parametrize("component", "xyz")
def test_every_component_of_a_quantity_has_its_name(component):
    """x is a component as well as a quantity: bob.x.x is the first coordinate of the position."""
    from spacar_py.batch.outputs import quantity
    from spacar_py.cases import pendulum

    r, c = sp.simulate(**pendulum.case(t_end=0.5), points=5), "xyz".index(component)
    assert np.array_equal(quantity(r, f"bob.x.{component}"), r["bob"].x[:, c])
    assert np.array_equal(quantity(r, f"bob.v.{component}"), r["bob"].v[:, c])
    with pytest.raises(sp.InputError, match="output: cannot read 'bbo.x' .did you mean 'bob'"):
        quantity(r, "bbo.x")


def test_processes_give_the_same_bits_as_this_process(tmp_path):
    study = _batch_cases.study(5, 0.0)
    here, there = run_study(study, workers=0), run_study(study, tmp_path / "s.h5", workers=2)
    assert here.table() == there.table() == load_study(tmp_path / "s.h5").table()
    assert np.array_equal(load_study(tmp_path / "s.h5").history(3, "way")[1], here.history(3, "way")[1])


def test_a_failed_run_is_recorded_and_the_others_go_on(tmp_path):
    """An error of the case, and a worker that dies: both are rows of the table."""
    study = Study(_batch_cases.fragile, {"length": [1.0, 7.0, 2.0, 13.0, 3.0]}, outputs=LOW)
    found = run_study(study, tmp_path / "s.h5", workers=2)
    assert found.complete
    assert [(f["run"], f["message"]) for f in found.failures] == [
        (1, "RuntimeError: seven is not allowed"),
        (3, "RuntimeError: the worker process crashed or was killed"),
    ]
    assert np.isfinite(found.values("low")[[0, 2, 4]]).all()
    assert "run 3 (nonlinear) failed" in str(found)


def test_one_method_may_fail_while_another_succeeds():
    methods = {"good": sp.RungeKutta(), "bad": sp.AMI(modes=4)}  # AMI needs a path
    found = run_study(Study(PENDULUM, {"length": [1.0]}, methods, LOW), workers=0)
    assert [r["status"] for r in found.rows[0]] == ["ok", "failed"]


@pytest.mark.slow
def test_a_run_that_hangs_is_ended_by_the_time_limit():
    study = Study(_batch_cases.fragile, {"length": [1.0, 99.0, 2.0]}, outputs=LOW)
    found = run_study(study, workers=2, time_limit=20.0)
    assert [f["message"] for f in found.failures] == [
        "RuntimeError: the worker process took longer than 20 s, or crashed"
    ]


def test_a_finished_study_runs_nothing_again(tmp_path):
    study = Study(PENDULUM, {"length": [1.0, -1e400]}, outputs=LOW)
    first = run_study(study, tmp_path / "s.h5", workers=0)
    again = run_study(study, tmp_path / "s.h5", workers=0)
    assert (again.info["run"], again.info["repeated"]) == (0, 2)
    assert again.table() == first.table() and len(first.failures) == 1
    assert run_study(study, tmp_path / "s.h5", workers=0, retry=True).info["run"] == 1  # the failed one


def test_an_archive_of_another_study_is_refused(tmp_path):
    run_study(Study(PENDULUM, {"length": [1.0]}, outputs=LOW), tmp_path / "s.h5", workers=0)
    with pytest.raises(sp.InputError, match=r"belongs to another study \(points changed\); choose another name"):
        run_study(Study(PENDULUM, {"length": [2.0]}, outputs=LOW), tmp_path / "s.h5", workers=0)


def test_a_function_that_workers_cannot_import_is_refused():
    with pytest.raises(sp.InputError, match="case must be a function of a module, which worker processes can import"):
        run_study(Study(lambda length: None, {"length": [1.0]}, outputs=LOW), workers=2)


def test_a_half_written_part_does_not_count(tmp_path):
    rows = [dict(method="a", status="ok", message="", values={"v": 0.1}, histories={"h": np.arange(3.0)}, seconds=1.0)]
    write_part(tmp_path, "digest", 4, rows)
    (tmp_path / ".000005.npz.77.tmp").write_bytes(b"PK half")
    found = read_parts(tmp_path, "digest")
    assert list(found) == [4] and found[4][0]["values"] == {"v": 0.1}
    assert np.array_equal(found[4][0]["histories"]["h"], np.arange(3.0))
    assert read_parts(tmp_path, "another") == {}


def kill_and_resume(tmp_path, moments, runs=12, wait=0.15):
    """Kill a batch and its workers' parent at the moments (s), reading the archive each time; then finish it."""
    path = tmp_path / "s.h5"
    code = f"import _batch_cases; _batch_cases.batch({str(path)!r}, {runs}, {wait})"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    done = 0
    for moment in moments:
        process = subprocess.Popen([sys.executable, "-c", code], env=env, start_new_session=True)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if path.exists():
            now = len(load_study(path).rows)
            assert now >= done  # nothing that was finished is lost
            done = now
    found = run_study(_batch_cases.study(runs, wait), path, workers=2)
    assert found.complete and found.info["repeated"] == done
    assert not parts_folder(path).exists()
    return found


def test_a_killed_batch_leaves_an_archive_and_resumes_to_the_same_bits(tmp_path):
    found = kill_and_resume(tmp_path, [5.0])
    assert found.table() == run_study(_batch_cases.study(12, 0.15), workers=0).table()


@pytest.mark.slow
def test_twenty_kills_at_random_moments_lose_nothing(tmp_path):
    moments = np.random.default_rng(5).uniform(0.2, 6.0, 20)
    found = kill_and_resume(tmp_path, moments, runs=60, wait=0.3)
    unbroken = run_study(_batch_cases.study(60, 0.0), workers=0)  # the same pendulums without the waiting
    assert [{**row, "wait": 0.0} for row in found.table()] == unbroken.table()


# tables and files ---------------------------------------------------------------------------------------------------


def test_the_table_goes_to_csv_and_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    found = run_study(Study(PENDULUM, {"length": [1.0, 2.0]}, outputs=LOW), workers=0)
    found.to_csv(tmp_path / "s.csv")
    read = pandas.read_csv(tmp_path / "s.csv")
    assert list(read["low"]) == list(found.values("low")) == list(found.to_dataframe()["low"])


STUDY = """
case = "spacar_py.cases.pendulum:case"
design = "list"
[parameters]
length = [1.0, 2.0]
mass = { low = 1, high = 3, count = 2 }
[methods]
"order 8" = { kind = "RungeKutta", order = 8 }
[outputs]
low = "min bob.x.z"
"""


def test_a_study_file_says_what_the_api_says(tmp_path):
    (tmp_path / "s.toml").write_text(STUDY)
    study = read_study(tmp_path / "s.toml")
    assert study.points() == [{"length": 1.0, "mass": 1.0}, {"length": 2.0, "mass": 3.0}]
    assert study.methods == {"order 8": sp.RungeKutta(order=8)}
    assert run_study(study, workers=0).values("low")[1] == pytest.approx(-2.0, abs=1e-3)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("design", "desing", "there is no field 'desing' .did you mean 'design'"),
        ('kind = "RungeKutta"', 'kind = "RungeKuta"', "method 'order 8': there is no kind 'RungeKuta'"),
        ("order = 8", "odrer = 8", "there is no option 'odrer' .did you mean 'order'"),
        ("[outputs]", "[outputs", "is not valid TOML"),
        ('case = "spacar_py.cases.pendulum:case"', 'case = "arm.toml"', "there is no file 'arm.toml' beside it"),
    ],
)
def test_a_wrong_study_file_is_refused_with_its_name(tmp_path, old, new, message):
    (tmp_path / "s.toml").write_text(STUDY.replace(old, new, 1))
    with pytest.raises(sp.InputError, match=message) as error:
        read_study(tmp_path / "s.toml")
    assert "s.toml" in str(error.value)


def test_parameters_of_a_built_in_case_are_dotted_keys_into_its_data():
    pytest.importorskip("pydantic")
    study = Study(
        "manipulator", {"bodies.tip.m": [20.0, 30.0]}, {"AMI 4": sp.AMI(modes=4)}, {"sag": "final tip.deviation.z"}
    )
    found = run_study(study, workers=0)
    assert not found.failures, found.failures
    sag = found.values("sag")
    assert sag[1] == pytest.approx(-17.70e-3, abs=0.1e-3)  # reference values, section 6: z at t = 2 s
    assert abs(sag[0]) < abs(sag[1])


# Dask ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path):
    """A real scheduler and two workers, each a process; (address, workers)."""
    pytest.importorskip("distributed")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    file = tmp_path / "scheduler.json"
    common = dict(env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*start, "--host", "127.0.0.1", "--scheduler-file", str(file)], **common)
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1",
              "--no-nanny", "--no-dashboard"]  # fmt: skip
    workers = [subprocess.Popen(worker, **common) for _ in range(2)]
    try:
        from distributed import Client

        with Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, workers
    finally:
        for p in [*workers, scheduler]:
            p.kill()
            p.wait()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bits_though_a_worker_is_killed(cluster, tmp_path):
    address, workers = cluster
    study = _batch_cases.study(16, 0.2)

    def kill_one(done, total, rows):
        if done == 3:
            workers[0].kill()

    found = run_study(study, tmp_path / "s.h5", scheduler=address, progress=kill_one)
    assert found.complete and not found.failures
    assert found.table() == run_study(study, workers=0).table()


# what is broken -----------------------------------------------------------------------------------------------------

FUZZED = """
case = "manipulator"
design = "latin"
runs = 20
seed = 1
[parameters]
"bodies.tip.m" = { low = 10, high = 40, scale = "log" }
"controller.bandwidth" = [10.0, 12.0, 14.0]
"path.T" = { mean = 1.0, deviation = 0.1 }
[methods]
"AMI 4" = { kind = "AMI", modes = 4 }
nonlinear = { rtol = 1e-6 }
[outputs]
deviation = "peak tip.deviation"
"""
ODD = [None, True, -1, 0, 1e308, -1e308, np.inf, np.nan, 10**30, 10**400, "", "tip", "\x00", [], [[]], [1, 2], {},
       {"kind": "AMI"}, {"low": 1}, "grid", "list", "random", "x.py:f", [True], date(1979, 5, 27)]  # fmt: skip


def places(value, here=()):
    """Every place in nested data but the whole."""
    for k, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*here, k)
        yield from places(v, (*here, k))


@settings(max_examples=1500, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(st.data())
def test_a_broken_study_file_is_one_clear_error(data):
    tree = tomllib.loads(FUZZED)
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(list(places(tree))))
        parent = tree
        for k in way:
            parent = parent[k]
        odd = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        name = data.draw(st.sampled_from([last, "name", "also", "count"])) if isinstance(parent, dict) else last
        if odd is None:
            del parent[last]
        else:
            parent[name] = odd
    try:
        study_from_data(tree).digest()
    except sp.InputError as error:
        assert str(error) and "\n" not in str(error)


@pytest.mark.parametrize("text", ["x = 1979-13-01", "x = " + "[" * 5000, "x = 9" * 3, "\x00", "case = 1"])
def test_text_that_is_no_study_is_refused_with_its_name(text, tmp_path):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(sp.InputError, match="s.toml: "):
        read_study(tmp_path / "s.toml")


@pytest.mark.parametrize("case, parameters, message", [
    ("manipulater", {"bodies.tip.m": [1.0]}, "there is no built-in case 'manipulater' .did you mean 'manipulator'"),
    ("manipulator", {"bodies.top.m": [1.0]}, "'bodies.top.m': there is no 'top' .did you mean 'tip'"),
])  # fmt: skip
def test_what_no_run_could_find_is_refused_before_any(case, parameters, message, tmp_path):
    with pytest.raises(sp.InputError, match=message):
        run_study(Study(case, parameters), tmp_path / "s.h5", workers=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options, message", [
    (dict(time_limit=0.0), "time_limit must be a positive finite number, got 0"),
    (dict(workers=-1), "workers must be a whole number, 0 at least, got -1"),
    (dict(scheduler="cluster"), "scheduler must be an address such as tcp://10.0.0.1:8786, got 'cluster'"),
])  # fmt: skip
def test_wrong_options_of_a_batch_are_refused_before_anything_is_written(options, message, tmp_path):
    with pytest.raises(sp.InputError, match=message):
        run_study(Study(PENDULUM, {"length": [1.0]}), tmp_path / "s.h5", **options)
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_does_not_answer_is_named(tmp_path):
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    with dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}):
        with pytest.raises(sp.InputError, match="no scheduler answers at 'tcp://127.0.0.1:9'.*start one with"):
            run_study(Study(PENDULUM, {"length": [1.0]}), scheduler="tcp://127.0.0.1:9")


def test_a_design_that_would_not_fit_into_memory_is_refused():
    with pytest.raises(sp.InputError, match="a design has at most 1000000 points"):
        Study(PENDULUM, {k: {"low": 0.0, "high": 1.0, "count": 1000} for k in "abc"})


def test_a_damaged_study_archive_is_one_clear_error_and_a_damaged_part_is_run_again(tmp_path):
    path = tmp_path / "s.h5"
    study = Study(PENDULUM, {"length": [1.0, 2.0]}, outputs={"low": "min bob.x.z", "way": "history bob.x.z"})
    whole = run_study(study, path, workers=0)
    good, rng = path.read_bytes(), np.random.default_rng(2)
    for _ in range(150):
        broken = bytearray(good)
        for _ in range(int(rng.integers(1, 6))):
            broken[int(rng.integers(len(broken)))] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(broken[: int(rng.integers(len(broken)))] if rng.random() < 0.3 else broken))
        try:
            load_study(path)
        except sp.InputError as error:
            assert str(path) in str(error)
    path.unlink()
    parts_folder(path).mkdir()
    (parts_folder(path) / "000000.npz").write_bytes(b"PK\x03\x04 half")
    assert run_study(study, path, workers=0).table() == whole.table()


def test_writers_that_were_killed_are_swept_up_and_failed_ones_leave_nothing(tmp_path):
    study = Study(PENDULUM, {"length": [1.0]})
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / f".s.h5.{dead.pid}.part"
    left.write_bytes(b"half")
    run_study(study, tmp_path / "s.h5", workers=0)
    assert [p.name for p in tmp_path.iterdir()] == ["s.h5"]
    (tmp_path / "taken.csv").mkdir()
    with pytest.raises(sp.InputError, match="taken.csv: the file cannot be written .Is a directory."):
        load_study(tmp_path / "s.h5").to_csv(tmp_path / "taken.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.h5", "taken.csv"]
