"""The three methods on one path: nonlinear, perturbation, adaptive modal integration."""

from __future__ import annotations

import time as _time
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..errors import ConvergenceError, InputError
from ..motion import Problem, RungeKutta, place, run_problem, time_grid
from ..results import Result, evaluated
from .loop import Loop, perturbation_system
from .ltv import at_times, coefficients, intervals
from .modal import CORRECTIONS, left_out_error, modal_basis, reduced_system
from .nominal import Nominal, joint_motion, nominal_motion
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
        modes = self.modes
        told = dict(correction=self.correction)
        if modes == "auto":
            estimate = left_out_error(loop, basis, led_rows(loop.nominal))
            worst = estimate.max(axis=1)
            least = max(1, int(np.sum(basis.omega.min(axis=0) <= 0)))
            modes = max(least, int(np.argmax(worst <= self.tol)))
            told["estimated_error"] = float(worst[modes])
        if modes > loop.nq:
            raise InputError(f"AMI: modes must be at most the {loop.nq} degrees of freedom, got {modes}")
        return reduced_system(loop, basis, modes, self.correction, self.interpolation), {**told, "modes": modes}


def led_rows(nominal: Nominal) -> np.ndarray:
    """DF (N, d, nq) of the led node, or of all points where the path leads joints."""
    s = nominal.system
    if nominal.path.node is not None:
        o, n = s.nodes["point", nominal.path.node]
        index = np.arange(o, o + n)
    else:
        index = np.concatenate([np.arange(o, o + n) for (kind, _), (o, n) in s.nodes.items() if kind == "point"])
    return nominal.DF[:, index, : s.nq]


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


def nominal_result(system, path, times, q0=None) -> Result:
    """The nominal motion evaluated at the times."""
    Y, _ = joint_motion(system, path, times, q0)
    Y[times >= path.T, 1:] = 0.0
    w = system.work()
    place(system, w, Y[0, 0], np.zeros(system.ne))
    return evaluated(system, times, Y, work=w, info=dict(method="nominal"))


def simulate_path(model, path, controller, *, t_end=None, points=501, times=None, method=None, q0=None, qd0=None,
                  progress=None, nominal: Nominal | None = None) -> PathResult:  # fmt: skip
    """Motion along a path with a controller in the loop; `nominal` can be handed in to be used again."""
    if path is None:
        raise InputError("simulate: a controller needs a path; give path=LinePath(...) or JointPath(...)")
    if qd0 is not None:
        raise InputError("simulate: along a path the motion starts at rest; leave qd0 out")
    method = method or RungeKutta()
    grid = time_grid(0.0, path.T if t_end is None else t_end, points, times)
    wanted = getattr(method, "points", None)
    if nominal is None or (wanted is not None and wanted != nominal.points):
        nominal = nominal_motion(model, path, wanted, q0)
    loop = Loop(nominal, controller)
    reference = nominal_result(model.compile(), path, grid, q0)
    if hasattr(method, "prepare"):
        return _run_linear(loop, method, grid, reference)
    if not hasattr(method, "run"):
        raise InputError(f"simulate: method must be Perturbation, AMI, RungeKutta, ..., got {method!r}")
    q, z = loop.nonlinear_start()
    system = model.compile()
    problem = Problem(system, grid, q, np.zeros(system.nq), loop.arrays(), z, path.kinks)
    if loop.sampled is not None:
        _sampled_problem(problem, loop, path, q0)
    result = run_problem(problem, method, progress)
    out = PathResult(**vars(result), nominal=reference)
    out.dq = out.q - reference.q
    return out


def _run_linear(loop, method, grid, reference) -> PathResult:
    begin = _time.perf_counter()
    ltv, told = method.prepare(loop)
    prepare = _time.perf_counter() - begin
    x, info = ltv.simulate(grid, method.rtol, method.atol, method.order, **_sampling(loop, ltv, grid[-1]))
    y = ltv.outputs(grid, x)
    nq, n, system = loop.nq, loop.nominal, loop.nominal.system
    dq, dqd = y[:, :nq], y[:, nq:]
    wild = np.flatnonzero(~(np.abs(dq).max(axis=1) < 1.0))
    if len(wild):
        raise ConvergenceError(
            f"{method.name}: the closed loop is unstable, at t = {grid[wild[0]]:g} s the deviation is no longer small "
            f"(largest in {system.dof[int(np.nanargmax(np.abs(dq[wild[0]])))]}); check eigenvalues(loop, t) and the margins"
        )
    Y = reference.y.copy()
    Y[:, 0, :nq] += dq
    Y[:, 1, :nq] += dqd
    w = system.work()
    place(system, w, reference.y[0, 0], np.zeros(system.ne))
    info = dict(method=method.name, linearise=n.cpu, prepare=prepare, points=n.points, **told, **info)
    result = evaluated(system, grid, Y, work=w, z=None, info=info)
    dx = _first_order(n, grid, dq)
    return PathResult(**vars(result), nominal=reference, linear=n, dq=dq, dx=dx)


def _sampling(loop, ltv, t_end) -> dict:
    """Events of a sampled controller for the LTV system, whose last states are the held drives."""
    if loop.sampled is None:
        return {}
    sampler, n, nq, em = Sampler(loop.sampled, loop, t_end), loop.sampled.n, loop.nq, loop.nominal.em
    sampler.start(ltv.x0[-n:])

    def at_event(t, x):
        O = at_times(ltv.grid, ltv.O, np.array([t]))[0]
        y, x = O @ np.append(x, 1.0), x.copy()
        x[-n:] = sampler(t, x[-n:], y[:nq][em], y[nq:][em], O[em, -n - 1 : -1])
        return x

    return dict(events=sampler.events(), at_event=at_event)


def _sampled_problem(problem, loop, path, q0):
    """Give a nonlinear problem the sampler of its controller."""
    sampler, n, nq = Sampler(loop.sampled, loop, problem.times[-1]), loop.sampled.n, loop.nq
    em, system = loop.nominal.em, loop.nominal.system
    sampler.start(problem.s0[-n:])
    events = sampler.events()
    Y, _ = joint_motion(system, path, np.minimum(events, path.T), q0)
    Y[events >= path.T, 1:] = 0.0
    at = dict(zip(events.tolist(), Y[:, :, em], strict=True))

    def at_event(t, s):
        ref = at.get(t)
        if ref is not None:
            s[-n:] = sampler(t, s[-n:], s[:nq][em] - ref[0], s[nq : 2 * nq][em] - ref[1])

    problem.events, problem.at_event = events, at_event


def _first_order(n: Nominal, times, dq) -> np.ndarray:
    """DF dq with DF interpolated."""
    DF = at_times(intervals(n.t, n.pieces), coefficients(n.t, n.DF[:, :, : dq.shape[1]], n.pieces), times)
    return np.einsum("nij,nj->ni", DF, dq)
