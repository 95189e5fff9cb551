"""The three methods on one path: nonlinear, perturbation, adaptive modal integration."""

from __future__ import annotations

import time as _time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from .. import checks
from ..errors import ConvergenceError, InputError
from ..integrate.problem import followed
from ..motion import Problem, RungeKutta, place, run_problem, time_grid
from ..results import Result, evaluated
from .estimate import left_out_error
from .loop import Loop, perturbation_system
from .ltv import at_times, coefficients, intervals
from .modal import CORRECTIONS, modal_basis, reduce
from .nominal import FAR, Nominal, nominal_motion
from .paths import PrescribedPath
from .sampled import Sampler


@dataclass(frozen=True)
class Perturbation:
    """Vibration as a linear time-varying system about the nominal motion.

    Parameters
    ----------
    points : int, optional
        Linearisation points along the path; by default as few as interpolation needs.
    interpolation : {"cubic", "linear", "step"}
    rtol, atol, order
        Of the explicit Runge-Kutta pair.
    """

    points: int | None = None
    interpolation: str = "cubic"
    rtol: float = 1e-6
    atol: float = 1e-9
    order: int = 5

    name = "perturbation"

    def prepare(self, loop: Loop):
        """The LTV system, and what is to be told about it."""
        return perturbation_system(loop, self.interpolation), {}


@dataclass(frozen=True)
class AMI:
    """Adaptive modal integration: a few modes integrated, the rest taken quasi-statically.

    Parameters
    ----------
    modes : int or "auto"
        Number of kept modes, or the smallest one whose estimated error stays below `tol`.
    correction : {"inertial", "static", "none"}
        How the left-out modes enter: with the inertia of their quasi-static motion, without it (mode acceleration), or
        not at all.
    tol : float
        Wanted accuracy (m) of the led node for modes="auto".
    points, interpolation, rtol, atol, order
        As in Perturbation.
    """

    modes: int | str = 4
    correction: str = "inertial"
    tol: float = 1e-4
    points: int | None = None
    interpolation: str = "cubic"
    rtol: float = 1e-6
    atol: float = 1e-9
    order: int = 5

    name = "AMI"

    def __post_init__(self):
        if self.modes != "auto":
            checks.count("AMI", "modes", self.modes)
        if self.correction not in CORRECTIONS:
            raise InputError(f"AMI: correction must be one of {', '.join(CORRECTIONS)}, got {self.correction!r}")

    def prepare(self, loop: Loop):
        """The reduced LTV system, and what is to be told about it."""
        basis = modal_basis(loop)
        if self.modes != "auto":
            if self.modes > loop.nq:
                raise InputError(f"AMI: modes must be at most the {loop.nq} degrees of freedom, got {self.modes}")
            reduction = reduce(loop, basis, self.modes, self.correction)
            return reduction.system(self.interpolation), dict(correction=self.correction, modes=self.modes)
        for modes in range(1, loop.nq + 1):
            reduction = reduce(loop, basis, modes, self.correction)
            error = left_out_error(reduction, led_rows(loop.nominal), lambda ltv: self.trial(loop, ltv))
            if error <= self.tol or modes == loop.nq:
                told = dict(correction=self.correction, modes=modes, estimated_error=error)
                return reduction.system(self.interpolation), told

    def trial(self, loop: Loop, ltv) -> np.ndarray | None:
        """States at the points of the path, or None where the system runs away."""
        t = loop.nominal.t
        try:
            x = ltv.simulate(t, 1e-4, 1e-8, self.order, **_sampling(loop, ltv, t[-1]))[0]
        except ConvergenceError:
            return None
        return x if np.all(np.abs(x) < 1e6) else None


def led_rows(nominal: Nominal) -> np.ndarray:
    """DF (N, d, nq) of the led node, or of all points where the path leads joints."""
    s = nominal.system
    if nominal.path.node is not None:
        o, n = s.nodes["point", nominal.path.node]
        index = np.arange(o, o + n)
    else:
        index = np.concatenate([np.arange(o, o + n) for (kind, _), (o, n) in s.nodes.items() if kind == "point"])
    return nominal.DF[:, index]


@dataclass(eq=False)
class PathResult(Result):
    """A Result along a path, with its deviation from the nominal motion.

    Attributes
    ----------
    nominal : Result
        The nominal motion at the same times.
    dq : (N, nq) array
        Deviation of the degrees of freedom.
    linear : Nominal, optional
        Linearised equations that an LTV method has used.
    """

    nominal: Result | None = None
    linear: Nominal | None = None
    dq: np.ndarray | None = None
    dx: np.ndarray | None = None

    def deviation(self, node: str, first_order: bool = False) -> np.ndarray:
        """Deviation (N, 3) of a point (m): on the nonlinear geometry of q, or to first order, DF dq."""
        if not first_order:
            return self[node].x - self.nominal[node].x
        if self.dx is None:
            raise InputError("deviation: a nonlinear result has no first-order deviation; leave first_order out")
        o, n = self.system.nodes["point", node]
        return self.dx[:, o : o + n]


_EVALUATED = WeakKeyDictionary()  # nominal motion -> its Result on the grid last asked for


def nominal_result(nominal: Nominal, times) -> Result:
    """The nominal motion evaluated at the times; runs on one grid share it."""
    last = _EVALUATED.get(nominal)
    if last is None or not np.array_equal(last.t, times):
        last = _collected(nominal.system, times, nominal.motion(times), dict(method="nominal"))
        _EVALUATED[nominal] = last
    return last


def _collected(system, times, Y, info) -> Result:
    """The Result of states Y, which may be far apart."""
    w, far = system.work(), np.abs(np.diff(Y[:, 0], axis=0)).max(initial=0.0) > FAR
    near = followed(system, system.work(), times, Y) if far else None
    place(system, w, Y[0, 0], np.zeros(system.ne))
    return evaluated(system, times, Y, work=w, near=near, info=info)


def simulate_path(model, path, controller, *, t_end=None, points=501, times=None, method=None, q0=None, qd0=None,
                  progress=None, nominal: Nominal | None = None) -> PathResult:  # fmt: skip
    """Motion along a path with a controller in the loop; `nominal` can be handed in to be used again."""
    if qd0 is not None:
        raise InputError("simulate: along a path the rates follow from the path; leave qd0 out")
    if path is None:
        if controller is not None:
            raise InputError("simulate: a controller needs a path; give path=LinePath(...) or JointPath(...)")
        if t_end is None and times is None:
            raise InputError("simulate: needs t_end or times")
        path = PrescribedPath(times[-1] if times is not None else t_end)
    method = method or RungeKutta()
    grid = time_grid(0.0, path.T if t_end is None else t_end, points, times)
    wanted = getattr(method, "points", None)
    if nominal is None or (wanted is not None and wanted != nominal.points):
        nominal = nominal_motion(model, path, wanted, q0)
    if grid[0] < 0 or (grid[-1] > path.T * (1 + 1e-9) and not nominal.at_rest):
        raise InputError(
            f"simulate: the path goes from 0 to {path.T:g} s and does not end at rest; stay within it, "
            "or bring it to rest"
        )
    loop, reference = Loop(nominal, controller), nominal_result(nominal, grid)
    if hasattr(method, "prepare"):
        return _run_linear(loop, method, grid, reference)
    if not hasattr(method, "run"):
        raise InputError(f"simulate: method must be Perturbation, AMI, RungeKutta, ..., got {method!r}")
    return _run_nonlinear(loop, method, grid, reference, progress)


def _run_nonlinear(loop, method, grid, reference, progress) -> PathResult:
    n, system = loop.nominal, loop.nominal.system
    q, z = loop.nonlinear_start()
    control = loop.arrays() if len(n.em) else None
    problem = Problem(system, grid, q, n.Y[0, 1, : loop.nq], control, z, n.path.kinks)
    if loop.sampled is not None:
        _sampled_problem(problem, loop)
    out = PathResult(**vars(run_problem(problem, method, progress)), nominal=reference)
    out.dq = out.q - reference.q[: len(out.t)]
    return out


def _run_linear(loop, method, grid, reference) -> PathResult:
    begin = _time.process_time()
    ltv, told = method.prepare(loop)
    prepare = _time.process_time() - begin
    x, info = ltv.simulate(grid, method.rtol, method.atol, method.order, **_sampling(loop, ltv, grid[-1]))
    y = ltv.outputs(grid, x)
    nq, n, system = loop.nq, loop.nominal, loop.nominal.system
    dq, dqd = y[:, :nq], y[:, nq:]
    wild = np.flatnonzero(~(np.abs(dq).max(axis=1) < 1.0))
    if len(wild):
        raise ConvergenceError(
            f"{method.name}: the closed loop is unstable, at t = {grid[wild[0]]:g} s the deviation is no longer small "
            f"(largest in {system.dof[int(np.nanargmax(np.abs(dq[wild[0]])))]}); "
            "check eigenvalues(loop, t) and the margins"
        )
    Y = reference.y.copy()
    Y[:, 0, :nq] += dq
    Y[:, 1, :nq] += dqd
    info = dict(method=method.name, linearise=n.cpu, prepare=prepare, points=n.points, **told, **info)
    result = _collected(system, grid, Y, info)
    return PathResult(**vars(result), nominal=reference, linear=n, dq=dq, dx=_first_order(n, grid, dq))


def _sampling(loop, ltv, t_end) -> dict:
    """Events of a sampled controller for the LTV system, whose last states are the held drives."""
    if loop.sampled is None:
        return {}
    z = None if loop.continuous is None else loop.continuous.equilibrium()[1]
    sampler, n, nq, em = Sampler(loop.sampled, loop, t_end, z), loop.sampled.n, loop.nq, loop.nominal.em

    def at_event(t, x):
        O = at_times(ltv.grid, ltv.O, np.array([t]))[0]
        y = O @ np.append(x, 1.0)
        z = sampler(t, x[-n:], y[:nq][em], y[nq:][em], O[em, -n - 1 : -1])
        if ltv.reset is not None and np.any(z != x[-n:]):
            return ltv.reset(t, y[:nq], y[nq:], z)
        return np.append(x[:-n], z)

    return dict(events=sampler.events(), at_event=at_event)


def _sampled_problem(problem, loop) -> None:
    """Give a nonlinear problem the sampler of its controller."""
    z = None if loop.continuous is None else loop.continuous.nonlinear_start()[1]
    sampler, n, nq, em = Sampler(loop.sampled, loop, problem.times[-1], z), loop.sampled.n, loop.nq, loop.nominal.em
    events = sampler.events()
    at = dict(zip(events.tolist(), loop.nominal.motion(events)[:, :, em], strict=True))

    def at_event(t, s):
        ref = at.get(t)
        if ref is not None:
            s[-n:] = sampler(t, s[-n:], s[:nq][em] - ref[0], s[nq : 2 * nq][em] - ref[1])

    problem.events, problem.at_event = events, at_event


def _first_order(n: Nominal, times, dq) -> np.ndarray:
    """DF dq with DF interpolated."""
    DF = at_times(intervals(n.t, n.pieces), coefficients(n.t, n.DF, n.pieces), times)
    return np.einsum("nij,nj->ni", DF, dq)
