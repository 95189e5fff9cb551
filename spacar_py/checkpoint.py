"""Runs that can be killed at any moment and taken up again, to the same bits as if they had never stopped.

A run is cut at fixed points of its output grid, whether or not anybody stops it. At each cut all that the integrator
knows is what is saved: the state, the step, the turns of the angles and the coordinates from which Newton starts. The
work space is made anew. A run taken up again therefore does exactly what the unbroken one does.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np

from .archive import case_of, load, reading, save
from .archive_write import dataset, head, put_text, sweep, writing
from .case import Case
from .errors import InputError
from .modelfile import case_from_data, case_to_data
from .results import Result

RESTART = ("s", "ref", "X", "near", "info")


@dataclass
class Saved:
    """An integrator that stops at the cuts, hands its restart data to `keep`, and can begin at one.

    Parameters
    ----------
    method : RungeKutta, GeneralizedAlpha or SciPy
    chunks : int
        Number of pieces of the output grid.
    keep : function (done, times, states, near, restart), optional
    restart : dict, optional
        Data of a former run: `done` pieces, `states` so far, and s, ref, X, info at the cut.
    """

    method: object
    chunks: int = 50
    keep: object = None
    restart: dict | None = None

    def run(self, problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times."""
        from .motion import SciPy

        if problem.at_event is not None:  # a sampled controller has a memory of its own: not cut
            return self.method.run(problem, report)
        if isinstance(self.method, SciPy):
            return self._scipy(problem, report)
        problem.march = lambda advance, report, name: self._march(problem, advance, report, name)
        return self.method.run(problem, report)

    def _cuts(self, times) -> np.ndarray:
        n = len(times) - 1
        return np.unique(np.round(np.linspace(0, n, min(self.chunks, n) + 1)).astype(int))

    def _pieces(self, problem, states, info):
        """Each piece (first, last index, state) with a fresh work space; what it leaves is kept."""
        cuts = self._cuts(problem.times)
        s, first, near = problem.s0.copy(), 0, problem.near
        X = problem.work.X[0].copy()
        if self.restart is not None:
            r = self.restart
            first = int(r["done"])
            n = len(r["states"])
            if first >= len(cuts) or n != cuts[first] + 1 or r["s"].shape != s.shape or r["X"].shape != X.shape:
                raise InputError("resume: the archive's restart data do not belong to this model; run from the start")
            states[:n], near[:n] = r["states"], r["near"]
            s[:], info[:] = r["s"], r["info"]
            X, problem.ref[:] = r["X"].copy(), r["ref"]
        for k in range(first, len(cuts) - 1):
            self._fresh(problem, X)
            yield cuts[k], cuts[k + 1], s
            X = problem.work.X[0].copy()
            if self.keep is not None:
                now = dict(s=s.copy(), ref=problem.ref.copy(), X=X, info=info.copy())
                n = cuts[k + 1] + 1
                self.keep(k + 1, problem.times, states[:n], near[:n], now)
        self._fresh(problem, X)

    @staticmethod
    def _fresh(problem, X) -> None:
        problem.work = problem.system.work()
        problem.work.X[0] = X

    def _march(self, problem, advance, report, name) -> tuple[np.ndarray, dict]:
        """What `Problem.march` does, piece by piece."""
        from .integrate.explicit import DONE, LAST_STEP, PAUSED, REJECTED, RHS, STEP, STEPS, TANGENTS, TIME
        from .integrate.problem import explained

        if problem.python:
            return type(problem).march(problem, advance, report, name)  # refuses it with its reason
        times, spans = problem.times, problem.spans()
        states, info = np.zeros((len(times), len(problem.s0))), np.zeros(8)
        kinks, whole = {a for a, _ in spans}, times[-1] - times[0]
        for i, j, s in self._pieces(problem, states, info):
            for a, b in spans:
                c, d = max(a, times[i]), min(b, times[j])
                if c >= d:
                    continue
                info[TIME], info[LAST_STEP], status = c, 0.0, PAUSED
                if c in kinks:
                    info[STEP] = 0.0
                while status == PAUSED:
                    status = advance(s, d, states, problem.near, info)
                    if report:
                        report((info[TIME] - times[0]) / whole)
                if status != DONE:
                    raise explained(problem.system, problem.work, info[TIME], status)
        at = dict(steps=STEPS, rhs=RHS, tangents=TANGENTS, rejected=REJECTED)
        return states, dict(method=name, **{k: int(info[i]) for k, i in at.items()})

    def _scipy(self, problem, report) -> tuple[np.ndarray, dict]:
        if self.method.events:
            return self.method.run(problem, report)
        times, s0, near = problem.times, problem.s0, problem.near
        states, info = np.zeros((len(times), len(s0))), np.zeros(8)
        for i, j, s in self._pieces(problem, states, info):
            problem.times, problem.s0, problem.near = times[i : j + 1], s, near[i : j + 1]
            try:
                part, told = self.method.run(problem, None)
            finally:
                problem.times, problem.s0, problem.near = times, s0, near
            states[i : j + 1] = part
            s[:] = part[-1]
            info[0] += told["steps"]
            info[1] += told["rhs"]
            if report:
                report((times[j] - times[0]) / (times[-1] - times[0]))
        return states, dict(steps=int(info[0]), rhs=int(info[1]), events=[], method=f"SciPy {self.method.name}")


@dataclass
class _Replay:
    """Stands for an integrator whose states are known already."""

    states: np.ndarray
    near: np.ndarray
    info: dict

    def run(self, problem, report):
        """The states."""
        problem.near = self.near
        return self.states, dict(self.info)


def run_saved(case: Case, path, *, resume: bool = False, every: float = 1.0, progress=None) -> Result:
    """Simulate a case into an archive that is whole at every moment.

    Parameters
    ----------
    path : str or Path
        The archive. While the run goes on it holds the states so far, in the end the whole result.
    resume : bool
        Go on where the archive ends; where it is complete, only read it.
    every : float
        Least time (s) between two writings.
    progress : function of a fraction, optional

    Returns
    -------
    Result
        The same bits whether or not the run was ever stopped.
    """
    sweep(path)
    data = case_to_data(case)
    case = case_from_data(data, check=False)
    restart = None
    if resume:
        from pathlib import Path

        if Path(path).exists():
            done, restart = _resume_data(path, data)
            if done:
                return load(path)
    if case.run.method in ("perturbation", "AMI"):
        result = case.simulate(progress=progress)
    else:
        keeper = _Keeper(path, data, every)
        method = Saved(case.run.integrator(), case.run.chunks, keeper, restart)
        try:
            result = case.simulate(method, progress=progress)
        except KeyboardInterrupt:
            keeper.flush()
            raise
    save(result, path, case=case)
    return result


class _Keeper:
    """Writes the archive of a run on its way, not too often."""

    def __init__(self, path, data, every):
        self.path, self.data, self.every = path, data, every
        self.last, self.cost, self.waiting = time.monotonic(), 0.0, None

    def __call__(self, *state) -> None:
        self.waiting = state
        now = time.monotonic()
        if now - self.last >= max(self.every, 10 * self.cost):  # at most a tenth of the time goes into writing
            self.flush()

    def flush(self) -> None:
        """Write what is there."""
        if self.waiting is None:
            return
        begin = time.monotonic()
        write_partial(self.path, self.data, *self.waiting)
        self.waiting, self.last = None, time.monotonic()
        self.cost = self.last - begin if self.every > 0 else 0.0


def write_partial(path, data, done, times, states, near, restart) -> None:
    """Archive of a run that is not over: states at the times so far, and all that is needed to go on."""
    with writing(path) as file:
        head(file, "Result", data, complete=False)
        group = file.create_group("result")
        group.attrs["class"] = "states"
        t = dataset(group, "t", times[: len(states)])
        t.attrs.update(units="s", long_name="time")
        t.make_scale("t")
        d = dataset(group, "states", states)
        d.attrs["long_name"] = "degrees of freedom, their rates, states of the controller"
        d.dims[0].attach_scale(t)
        file.attrs["progress"] = (t[-1] - times[0]) / (times[-1] - times[0])
        more = file.create_group("restart")
        more.attrs["done"] = done
        for name, value in dict(restart, near=near).items():
            more.create_dataset(name, data=value)
        put_text(group, "info", json.dumps({"dict": []}))


def _resume_data(path, data) -> tuple[bool, dict | None]:
    with reading(path) as file:
        stored = json.loads(file["model"][()])
        if stored != json.loads(json.dumps(data)):
            changed = sorted(k for k in {*stored, *data} if stored.get(k) != data.get(k))
            raise InputError(
                f"{path}: cannot be resumed, it was made with other data ({', '.join(changed)} differ); "
                "run without resume, or resume the archive alone"
            )
        if file.attrs["complete"]:
            return True, None
        group = file["restart"]
        out = {name: group[name][()] for name in RESTART}
        return False, dict(out, done=group.attrs["done"], states=file["result/states"][()])


def partial_result(file, where: str) -> Result:
    """Result up to the last point saved of a run that is not over."""
    case = case_of(file, where)
    t, states, near = (file[name][()] for name in ("result/t", "result/states", "restart/near"))
    done = dict(method=case.run.method, complete=False, progress=float(file.attrs["progress"]))
    return case.simulate(_Replay(states, near, done), times=t)
