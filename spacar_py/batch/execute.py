"""Running a study: worker processes on this machine, or a Dask cluster; finished runs are never repeated."""

from __future__ import annotations

import json
import os
import pickle
import re
import time
from contextlib import contextmanager
from pathlib import Path

from .. import checks
from ..errors import InputError
from .archive import parts_folder, read_archive, read_parts, sweep_parts, write_archive, write_part
from .pool import run_dask, run_local
from .study import Study
from .table import StudyResult
from .task import ONE_THREAD, check_case

ADDRESS = re.compile(r":\d+/?$|^inproc://")


def run_study(study: Study, path: str | os.PathLike | None = None, *, workers: int | None = None,
              scheduler: str | None = None, resume: bool = True, retry: bool = False, time_limit: float | None = None,
              flush: float = 20.0, progress=None) -> StudyResult:  # fmt: skip
    """Run all points of a study that have not been run yet.

    Parameters
    ----------
    path : path of the HDF5 archive, optional
        Where results are kept; a batch that was stopped goes on from there.
    workers : int, optional
        Processes on this machine, by default one for each core; 0 runs everything in this process.
    scheduler : str, optional
        Address of a Dask scheduler such as "tcp://10.0.0.1:8786", instead of processes on this machine.
    resume : bool
        Take up an archive of the same study; otherwise an archive that is there is refused.
    retry : bool
        Run again what has failed before.
    time_limit : float, optional
        Seconds after which a run is ended and counted as failed (local workers only).
    flush : float
        Seconds between two writings of the archive.
    progress : function (done, total, rows), optional

    Returns
    -------
    StudyResult

    Notes
    -----
    Workers are fresh Python processes: a script that calls this needs `if __name__ == "__main__":`.

    Examples
    --------
    >>> from spacar_py.batch import Study, run_study
    >>> study = Study("spacar_py.cases.pendulum:case", {"length": [1.0, 4.0]}, outputs={"low": "min bob.x.z"})
    >>> run_study(study, workers=0).values("low").round(3).tolist()
    [-1.0, -4.0]
    """
    if time_limit is not None and (scheduler or workers == 0):
        raise InputError("batch: time_limit needs worker processes on this machine; leave it out")
    if time_limit is not None:
        checks.number("batch", "time_limit", time_limit, positive=True)
    if workers is not None:
        checks.count("batch", "workers", workers, 0)
    if scheduler and not ADDRESS.search(scheduler):
        raise InputError(f"batch: scheduler must be an address such as tcp://10.0.0.1:8786, got {scheduler!r}")
    check_case(study.case, study.parameters)
    if not scheduler and workers != 0:
        _check_picklable(study)
    head = _head(study)
    archive = None if path is None else Path(path)
    rows = {} if archive is None else _begun(archive, study, head, resume)
    if retry:
        rows = {i: r for i, r in rows.items() if all(x["status"] == "ok" for x in r)}
    repeated, points = len(rows), study.points()
    todo = {i: p for i, p in enumerate(points) if i not in rows}
    begin = last = time.monotonic()
    common = (study.case, study.methods, study.outputs)
    if scheduler:
        finished = run_dask(todo, common, scheduler)
    else:
        n = os.cpu_count() or 1 if workers is None else workers
        finished = run_local(todo, common, min(n, max(len(todo), 1)) if n else 0, time_limit)
    with _one_thread():
        try:
            for i, found in finished:
                rows[i] = found
                if archive is not None:
                    write_part(parts_folder(archive), head["digest"], i, found)
                    if time.monotonic() - last > flush:
                        write_archive(archive, head, points, rows)
                        last = time.monotonic()
                if progress:
                    progress(len(rows), len(points), found)
        finally:
            finished.close()
            if archive is not None:
                write_archive(archive, head, points, rows)
    if archive is not None:
        sweep_parts(archive)
    info = dict(
        seconds=time.monotonic() - begin, run=len(todo), repeated=repeated, workers=workers, scheduler=scheduler
    )
    return StudyResult(points, rows, json.loads(head["definition"]), info)


def _begun(archive: Path, study: Study, head: dict, resume: bool) -> dict:
    """Rows that are there already, after a check that they belong to this study; a new archive where there is none."""
    from ..archive_write import sweep

    sweep(archive)
    rows = {}
    if archive.exists():
        if not resume:
            raise InputError(f"{archive}: is there already; choose another name, remove it, or resume")
        old, rows = read_archive(archive)
        if old["digest"] != head["digest"]:
            raise InputError(
                f"{archive}: belongs to another study ({_difference(json.loads(old['definition']), study)} changed); "
                "choose another name or remove it"
            )
    folder = parts_folder(archive)
    folder.mkdir(parents=True, exist_ok=True)
    rows.update(read_parts(folder, head["digest"]))
    if not archive.exists():
        write_archive(archive, head, study.points(), rows)
    return rows


def _difference(old: dict, study: Study) -> str:
    new = json.loads(json.dumps(study.definition(), default=str))
    return ", ".join(k for k in new if new[k] != old.get(k)) or "definition"


def _head(study: Study) -> dict:
    import sys

    import numpy

    from .._version import __version__

    versions = dict(spacar_py=__version__, numpy=numpy.__version__, python=sys.version.split()[0])
    definition = json.dumps(study.definition(), default=str)
    return dict(name=study.name, digest=study.digest(), definition=definition, versions=json.dumps(versions))


def _check_picklable(study: Study) -> None:
    for what, thing in (("case", study.case), *study.outputs.items()):
        try:
            pickle.dumps(thing)
        except Exception:  # pickle raises what it likes
            raise InputError(
                f"study: {what} must be a function of a module, which worker processes can import, got {thing!r}; "
                "define it with def in a file, or use workers=0"
            ) from None


@contextmanager
def _one_thread():
    """Workers use one thread each: as many of them as cores already keep the machine busy."""
    before = {k: os.environ.get(k) for k in ONE_THREAD}
    os.environ.update({k: v or "1" for k, v in before.items()})
    try:
        yield
    finally:
        for k, v in before.items():
            if v is None:
                os.environ.pop(k, None)
