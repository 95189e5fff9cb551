"""Archives: what is loaded equals what was saved, a killed run leaves a whole archive, resuming gives the same bits."""

import json
import os
import re
import signal
import time
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import spacar_py as sp
from spacar_py import archive, cases
from spacar_py.ami.compare import Comparison
from spacar_py.ami.nominal import Nominal
from spacar_py.archive_layout import LAYOUT
from spacar_py.case import Case, Run
from spacar_py.checkpoint import run_saved
from spacar_py.errors import InputError
from spacar_py.linearize import linear_model, modes, state_space
from spacar_py.signals import sine

CLOCKS = ("cpu", "linearise", "prepare")  # what a clock says differs from run to run


def assert_equal(a, b, where="", clocks=True):
    """Equality of nested results, to the last bit; models and systems are compared in test_modelfile."""
    name = where.rsplit(".", 1)[-1]
    if name in ("system", "path") or (not clocks and name in CLOCKS):
        return
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b), where
    elif is_dataclass(a):
        assert type(a) is type(b), where
        for f in fields(a):
            assert_equal(getattr(a, f.name), getattr(b, f.name), f"{where}.{f.name}", clocks)
    elif isinstance(a, dict):
        assert list(a) == list(b), where
        for k in a:
            assert_equal(a[k], b[k], f"{where}.{k}", clocks)
    elif isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_equal(x, y, f"{where}[{k}]", clocks)
    else:
        assert a == b, where


def pendulum(t_end=3.0, points=201, **run):
    """A driven double pendulum with a damper: nothing repeats, so that a wrong restart shows."""
    m = sp.Model(gravity=(0, 0, -9.81), name="double pendulum")
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("one")
    m.frame("two")
    m.point("elbow", (1, 0, 0))
    m.point("bob", (2, 0, 0))
    m.hinge("j1", "pivot", "one", axis=(0, 1, 0))
    m.hinge("j2", "one", "two", axis=(0, 1, 0))
    m.rigid_beam("rod1", ("pivot", "one"), "elbow")
    m.rigid_beam("rod2", ("elbow", "two"), "bob")
    m.mass("elbow", 1.0)
    m.mass("bob", 0.5)
    m.damper("j2", "angle", 0.05)
    m.actuator("j1", "angle", sine(3.0, 2.0))
    return Case(m, run=Run(t_end=t_end, points=points, **run), name="pendulum")


@pytest.fixture(scope="module")
def manipulator():
    case = cases.load("manipulator")
    case.run = replace(case.run, points=41, t_end=1.1, linear_points=100, rtol=1e-4, atol=1e-6)
    return case


@pytest.fixture(scope="module")
def comparison(manipulator):
    return manipulator.compare([3, 4], nonlinear=False)


# round trips --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["nonlinear", "implicit", "scipy"])
def test_a_result_is_loaded_as_it_was_saved(method, tmp_path):
    result = pendulum(t_end=0.3, points=31, method=method).simulate()
    result.save(tmp_path / "run.h5")
    again = archive.load(tmp_path / "run.h5")
    assert_equal(result, again)
    assert np.array_equal(result["bob"].v, again["bob"].v)
    assert np.array_equal(result.energy["total"], again.energy["total"])


def test_a_static_result_is_loaded_as_it_was_saved(tmp_path):
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("wall", (0, 0))
    m.fix("wall")
    m.node("tip", (1, 0))
    m.beam("leaf", "wall", "tip", sp.Section(EIz=10.0, m=1.0), flexible="bending")
    result = sp.solve_static(m, steps=3)
    result.save(tmp_path / "static.h5")
    assert_equal(result, archive.load(tmp_path / "static.h5"))


def test_a_comparison_is_loaded_as_it_was_saved_and_shares_what_it_shared(manipulator, comparison, tmp_path):
    archive.save(comparison, tmp_path / "c.h5", case=manipulator)
    again = archive.load(tmp_path / "c.h5")
    assert isinstance(again, Comparison)
    assert_equal(comparison, again)
    assert str(comparison) == str(again)
    assert again["AMI 3"].linear is again["perturbation"].linear
    assert isinstance(again["AMI 3"].linear, Nominal)
    t = np.linspace(0, 1, 5)
    assert np.array_equal([again["AMI 3"].linear.path.rates(x) for x in t], [manipulator.path.rates(x) for x in t])


def test_linear_models_modes_and_state_spaces_are_loaded_as_they_were_saved(manipulator, tmp_path):
    path = tmp_path / "x.h5"
    m = manipulator.model
    for thing in (linear_model(m), modes(m, kind="damped"), state_space(m)):
        archive.save(thing, path)
        assert_equal(thing, archive.load(path))


def test_python_functions_leave_a_mark_in_the_archive(tmp_path):
    m = pendulum().model
    m.user_force("bob", lambda t, x, v: -0.1 * v)
    result = sp.simulate(m, t_end=0.1, points=5)
    result.save(tmp_path / "run.h5")
    again = archive.load(tmp_path / "run.h5")
    assert_equal(result, again)
    with pytest.raises(InputError, match="the Python function '<lambda>' was not stored with the model"):
        sp.simulate(again.system.model, t_end=0.1)


def test_the_case_comes_with_the_archive(manipulator, comparison, tmp_path):
    archive.save(comparison, tmp_path / "c.h5", case=manipulator)
    case = archive.load_case(tmp_path / "c.h5")
    assert case.run == manipulator.run
    assert np.array_equal(case.controller.A, manipulator.controller.A)


def test_further_series_have_their_units(tmp_path):
    result = pendulum(t_end=0.1, points=5).simulate()
    archive.save(result, tmp_path / "run.h5", series={"error": (np.arange(5.0), "mm")})
    with h5py.File(tmp_path / "run.h5") as f:
        assert f["series/error"].attrs["units"] == "mm"
    assert archive.summary(tmp_path / "run.h5")["series"] == {"error": [5]}


def test_what_an_archive_cannot_hold_is_refused(tmp_path):
    with pytest.raises(InputError, match="archive: cannot hold a dict; known: Result, PathResult"):
        archive.save({}, tmp_path / "x.h5")
    assert not list(tmp_path.iterdir())


# layout -------------------------------------------------------------------------------------------------------------


def test_every_array_of_the_layout_has_named_dimensions_and_a_meaning(tmp_path):
    pendulum(t_end=0.1, points=11).simulate().save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as f:
        g = f["result"]
        for spec in LAYOUT["Result"].values():
            for name in spec.split:
                assert [d[0].name.rsplit("/", 1)[-1] for d in g[name].dims] == list(spec.dims)
                assert g[name].attrs["long_name"]
        assert g["t"].attrs["units"] == "s" and g["energies"].attrs["units"] == "J"
        names = [n.decode() for n in g["coordinate"][()]]
        unit = dict(zip(names, (u.decode() for u in g["coordinate_unit"][()]), strict=True))
        assert unit["bob.z"] == "m" and unit["one.lambda0"] == "1"
        assert g["x"].chunks and g["x"].compression == "gzip"
        assert f.attrs["format"] == "spacar_py archive" and f.attrs["format_version"] == 1


def test_xarray_opens_an_archive_by_names(manipulator, comparison, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    archive.save(comparison, tmp_path / "c.h5", case=manipulator)
    result = comparison["AMI 4"]
    with xarray.open_dataset(tmp_path / "c.h5", group="results/AMI 4", engine="h5netcdf") as ds:
        assert np.array_equal(ds.x.sel(coordinate="tip.z"), result["tip"].x[:, 2])
        assert np.array_equal(ds.t, result.t)
        assert str(ds.coordinate_unit.sel(coordinate="tip.z").values) == "m"
    with xarray.open_dataset(tmp_path / "c.h5", group="results/AMI 4/linear", engine="h5netcdf") as ds:
        M = ds.M0.sel(row="elbow.angle", column="elbow.angle")
        k = result.system.dof.index("elbow.angle")
        assert np.array_equal(M, result.linear.M0[:, k, k])


def test_what_the_guide_reads_in_matlab_is_there_in_a_form_that_h5read_takes(manipulator, comparison, tmp_path):
    """h5read takes numbers and texts, deflated, shuffled or summed up; HDF5 1.8 at most; dimensions come reversed."""
    comparison["AMI 4"].save(tmp_path / "run.h5")
    archive.save(comparison, tmp_path / "compare.h5", case=manipulator)
    guide = (Path(__file__).parent.parent / "docs" / "guide" / "files.md").read_text()
    read = re.findall(r"h5read\('(?:.*/)?([\w.]+)', '(/.*?)'\)", guide.split("```matlab")[1].split("```")[0])
    assert len(read) == 5
    for name, place in read:
        with h5py.File(tmp_path / name) as file:
            assert isinstance(file[place], h5py.Dataset)
            file.visititems(_as_h5read_wants_it)
    with h5py.File(tmp_path / "run.h5") as file:
        names = file["/result/coordinate"].asstr()[:].tolist()
        x = file["/result/x"][:].T  # as MATLAB shows it: (coordinate, t)
        assert np.array_equal(x[names.index("tip.z")], comparison["AMI 4"]["tip"].x[:, 2])
        assert json.loads(file["/model"][()])["nodes"]["tip"]


def _as_h5read_wants_it(name, item):
    if isinstance(item, h5py.Dataset):
        plan = item.id.get_create_plist()
        used = {plan.get_filter(k)[0] for k in range(plan.get_nfilters())}
        assert used <= {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}, name
        assert item.dtype.kind in "iuf" or h5py.check_string_dtype(item.dtype), name


# what is no archive of ours -----------------------------------------------------------------------------------------


def test_other_files_and_other_versions_are_recognised(tmp_path):
    path = tmp_path / "x.h5"
    with pytest.raises(InputError, match="x.h5: there is no such file; check the path"):
        archive.load(path)
    path.write_text("no")
    with pytest.raises(InputError, match="x.h5: is not an HDF5 file"):
        archive.load(path)
    with h5py.File(path, "w") as f:
        f["a"] = 1
    with pytest.raises(InputError, match="x.h5: is not an archive of spacar_py; give a file that it has written"):
        archive.load(path)
    pendulum(t_end=0.1, points=5).simulate().save(path)
    for version, remedy in ((0, "read it with the spacar_py that wrote it"), (99, "update spacar_py")):
        with h5py.File(path, "a") as f:
            f.attrs["format_version"] = version
        with pytest.raises(InputError, match=f"has archive version {version}; this program reads version 1; {remedy}"):
            archive.load(path)


def test_a_damaged_archive_is_one_clear_error(tmp_path):
    path = tmp_path / "run.h5"
    pendulum(t_end=0.5, points=101).simulate().save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(150):
        broken = bytearray(whole)
        for _ in range(int(rng.integers(1, 4))):
            broken[int(rng.integers(len(broken)))] ^= int(rng.integers(1, 256))
        if rng.random() < 0.3:
            broken = broken[: int(rng.integers(len(broken)))]
        path.write_bytes(bytes(broken))
        try:
            archive.load(path)
        except sp.SpacarError as error:
            assert str(path) in str(error)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    result = pendulum(t_end=0.1, points=5).simulate()
    with pytest.raises(InputError, match="run.h5: the archive cannot be written .*; check the directory"):
        result.save(tmp_path / "none" / "run.h5")


# cutting, killing, resuming -----------------------------------------------------------------------------------------


class Stop(Exception):
    """Ends a run from inside its progress."""


def stop_at(fraction):
    def progress(done):
        if done >= fraction:
            raise Stop

    return progress


@pytest.mark.parametrize("method", ["nonlinear", "implicit", "scipy"])
@pytest.mark.parametrize("fraction", [0.05, 0.5, 0.97])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(method, fraction, tmp_path):
    case = pendulum(method=method, chunks=20, t_end=1.0)
    whole = run_saved(case, tmp_path / "whole.h5", every=0)
    with pytest.raises(Stop):
        run_saved(case, tmp_path / "cut.h5", every=0, progress=stop_at(fraction))
    assert_equal(whole, run_saved(case, tmp_path / "cut.h5", resume=True), clocks=False)
    assert_equal(whole, archive.load(tmp_path / "cut.h5"), clocks=False)


def test_a_controlled_motion_goes_on_to_the_same_bits(manipulator, tmp_path):
    whole = run_saved(manipulator, tmp_path / "whole.h5")
    with pytest.raises(Stop):
        run_saved(manipulator, tmp_path / "cut.h5", every=0, progress=stop_at(0.6))
    assert_equal(whole, run_saved(manipulator, tmp_path / "cut.h5", resume=True), clocks=False)


def test_a_cut_run_is_the_plain_one_within_its_tolerance(tmp_path):
    case = pendulum(t_end=1.0, rtol=1e-9, atol=1e-11)
    cut = run_saved(case, tmp_path / "run.h5")
    plain = case.simulate()
    # a tolerance of 1e-9 in each step, some hundred steps in all
    assert np.abs(cut.q - plain.q).max() < 1e-7


def test_an_archive_on_its_way_has_the_result_so_far(tmp_path):
    case = pendulum(chunks=20)
    with pytest.raises(Stop):
        run_saved(case, tmp_path / "run.h5", every=0, progress=stop_at(0.5))
    part = archive.load(tmp_path / "run.h5")
    whole = run_saved(case, tmp_path / "whole.h5")
    n = len(part.t)
    assert 60 < n < 201 and part.info["complete"] is False
    assert np.array_equal(part.q, whole.q[:n])
    assert np.allclose(part["bob"].a, whole["bob"].a[:n], rtol=1e-9, atol=1e-9)
    summary = archive.summary(tmp_path / "run.h5")
    assert summary["complete"] is False and summary["results"]["result"]["arrays"]["states"] == [n, 4]


def test_resuming_with_other_data_is_refused(tmp_path):
    with pytest.raises(Stop):
        run_saved(pendulum(), tmp_path / "run.h5", every=0, progress=stop_at(0.5))
    with pytest.raises(InputError, match="cannot be resumed, it was made with other data .run differ."):
        run_saved(pendulum(rtol=1e-4), tmp_path / "run.h5", resume=True)


def test_resuming_what_is_complete_only_reads_it(tmp_path):
    whole = run_saved(pendulum(t_end=0.3), tmp_path / "run.h5")
    before = (tmp_path / "run.h5").stat().st_mtime_ns
    assert_equal(whole, run_saved(pendulum(t_end=0.3), tmp_path / "run.h5", resume=True))
    assert (tmp_path / "run.h5").stat().st_mtime_ns == before


def killed_at(case, path, seconds) -> bool:
    """Run in another process and kill it; whether it was still running."""
    child = os.fork()
    if child == 0:
        try:
            run_saved(case, path, every=0, resume=True)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def kill_and_resume(tmp_path, moments, seed):
    case = pendulum(t_end=6.0, points=601, chunks=60, rtol=1e-8, atol=1e-10)
    begin = time.monotonic()
    whole = run_saved(case, tmp_path / "whole.h5", every=0)
    lasts = time.monotonic() - begin
    rng, killed = np.random.default_rng(seed), 0
    for k in range(moments):
        path = tmp_path / f"{k}.h5"
        killed += killed_at(case, path, rng.uniform(0, lasts))
        if path.exists():
            archive.summary(path)
            part = archive.load(path)
            assert np.array_equal(part.q, whole.q[: len(part.t)])
        assert_equal(whole, run_saved(case, path, resume=True), clocks=False)
        assert_equal(whole, archive.load(path), clocks=False)
        left = [p.name for p in tmp_path.iterdir() if p.name.endswith(".part")]
        assert not left, left
    assert killed >= moments / 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_run_leaves_a_whole_archive_and_goes_on_to_the_same_bits(tmp_path):
    kill_and_resume(tmp_path, 5, seed=0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_twenty_killed_runs(tmp_path):
    kill_and_resume(tmp_path, 20, seed=1)
