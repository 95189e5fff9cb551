"""One verb for motion in time: `simulate`, with the method as an object; and `inverse_dynamics`."""

from __future__ import annotations

import time as _time
from collections.abc import Mapping

import numpy as np

from . import checks
from .errors import InputError
from .integrate.methods import GeneralizedAlpha, RungeKutta, SciPy
from .integrate.problem import Problem, followed, initial, kinematic_trouble, place
from .results import Result, evaluated
from .sparse.choice import LARGE_MOTION, use_sparse

__all__ = [
    "GeneralizedAlpha", "Problem", "RungeKutta", "SciPy", "initial", "inverse_dynamics",
    "kinematic_trouble", "place", "run_problem", "simulate", "time_grid",
]  # fmt: skip


def time_grid(t_start, t_end, points, times) -> np.ndarray:
    """Output times from a count or as given."""
    if times is not None:
        t = checks.real(times)
        if t is None or t.ndim != 1 or len(t) < 2 or not np.all(np.isfinite(t)) or not np.all(np.diff(t) > 0):
            raise InputError("simulate: times must be at least two finite increasing numbers")
        return t.copy()
    t_start = checks.number("simulate", "t_start", t_start)
    t_end = checks.number("simulate", "t_end", t_end)
    if t_end <= t_start:
        raise InputError(f"simulate: t_end must be later than t_start = {t_start:g}, got {t_end:g}")
    return np.linspace(t_start, t_end, checks.count("simulate", "points", points, 2))


def simulate(model, path=None, controller=None, *, t_end: float | None = None, t_start: float = 0.0, q0=None, qd0=None,
             points: int = 501, times=None, method=None, progress=None) -> Result:  # fmt: skip
    """Motion of a model in time.

    Parameters
    ----------
    model : Model
    path, controller : optional
        Nominal path and controller in the loop. Without them Perturbation and AMI take the motions that the model
        prescribes as the nominal path.
    t_end, t_start : float
        Time span (s).
    q0, qd0 : mapping of names or (nq,) array, optional
        Initial degrees of freedom and rates; by default the model as drawn, at rest.
    points, times
        Number of output points, or the output times themselves.
    method : RungeKutta, GeneralizedAlpha, SciPy, Perturbation or AMI
        By default RungeKutta; SciPy where the model has Python functions; GeneralizedAlpha, with sparse matrices, where
        it has more than 300 degrees of freedom. `result.info` says which.
    progress : function of a fraction, optional

    Examples
    --------
    >>> import numpy as np, spacar_py as sp
    >>> m = sp.Model(gravity=(0, 0, -9.81))
    >>> m.node("pivot", (0, 0, 0)); m.fix("pivot"); m.frame("swing"); m.point("bob", (0, 0, -1))
    >>> m.hinge("joint", "pivot", "swing", axis=(0, 1, 0)); m.rigid_beam("rod", ("pivot", "swing"), "bob")
    >>> m.mass("bob", 1.0)
    >>> r = sp.simulate(m, t_end=1.0, q0={"joint.angle": 0.1})
    >>> r["bob"].x.shape
    (501, 3)
    """
    if path is not None or controller is not None or hasattr(method, "prepare"):
        from .ami.runs import simulate_path

        return simulate_path(model, path, controller, t_end=t_end, points=points, times=times, method=method,
                             q0=q0, qd0=qd0, progress=progress)  # fmt: skip
    if t_end is None and times is None:
        raise InputError("simulate: needs t_end or times")
    grid = time_grid(t_start, t_end, points, times)
    system = checks.model("simulate", model)
    method = _default(system) if method is None else method
    if progress is not None:
        checks.function("simulate", "progress", progress)
    if not hasattr(method, "run"):
        raise InputError(f"simulate: method must be RungeKutta, GeneralizedAlpha or SciPy, got {method!r}")
    q = initial(system, q0, system.y0[: system.nq], "q0")
    qd = initial(system, qd0, np.zeros(system.nq), "qd0")
    if isinstance(method, GeneralizedAlpha) and use_sparse("motion", method.solver, system):
        from .sparse.motion import NodalProblem

        return NodalProblem(system, grid, q, qd).run(method, progress)
    return run_problem(Problem(system, grid, q, qd), method, progress)


def _default(system):
    """The method for users who name none: explicit, but for Python functions and for large models."""
    if system.python_signals or system.model.user_forces:
        return SciPy("DOP853")
    return GeneralizedAlpha() if system.nq > LARGE_MOTION else RungeKutta()


def run_problem(problem: Problem, method, progress=None) -> Result:
    """Integrate and collect."""
    system = problem.system
    begin = _time.process_time()
    if system.nq:
        states, info = method.run(problem, progress)
    else:
        states, info = np.zeros((len(problem.times), len(problem.s0))), dict(method="prescribed", steps=0, rhs=0)
    info["cpu"] = _time.process_time() - begin
    nq, times = system.nq, problem.times[: len(states)]
    Y = np.zeros((len(states), 3, system.ny))
    Y[:, 0, :nq], Y[:, 1, :nq] = states[:, :nq], states[:, nq : 2 * nq]
    near = problem.near[: len(states)] if nq else followed(system, system.work(), times, Y)
    return evaluated(system, times, Y, work=problem.work, control=problem.control,
                     z=np.ascontiguousarray(states[:, 2 * nq :]), given=0, near=near, info=info)  # fmt: skip


def inverse_dynamics(model, times, q, qd=None, qdd=None) -> Result:
    """Drives that a given motion of the degrees of freedom needs.

    Parameters
    ----------
    times : (N,) array
    q, qd, qdd : (N, nq) arrays, or mappings of names to (N,) arrays
        Degrees of freedom that are not named stay as they are drawn; in q a name can also have a Signal, which brings
        its rates along.

    Returns
    -------
    Result
        `result.generalised["name"]` is the force or torque that must be added to those of the model, dual to the
        degree of freedom; sigma holds all reactions.
    """
    system = checks.model("inverse dynamics", model)
    times = checks.real(times)
    if times is None or times.ndim != 1 or len(times) < 1 or not np.all(np.isfinite(times)):
        raise InputError("inverse dynamics: times must be a row of finite numbers")
    Y = np.zeros((len(times), 3, system.ny))
    Y[:, 0, : system.nq] = system.y0[: system.nq]
    for k, v in enumerate((q, qd, qdd)):
        if isinstance(v, Mapping):
            for name, motion in v.items():
                checks.known("inverse dynamics", "degree of freedom", name, system.dof)
                _given_motion(Y[:, :, system.dof.index(name)], k, name, motion, times)
        elif v is not None:
            Y[:, k, : system.nq] = _history(("q", "qd", "qdd")[k], v, (len(times), system.nq))
    near = followed(system, system.work(), times, Y)
    return evaluated(system, times, Y, given=1, near=near, info=dict(method="inverse dynamics"))


def _given_motion(column, k, name, motion, times) -> None:
    """Fill column (N, 3) with an array for order k, or with a signal and its rates."""
    if hasattr(motion, "rates"):
        column[:] = [motion.rates(t) for t in times]
    else:
        column[:, k] = _history(name, motion, (len(times),))


def _history(name, values, shape) -> np.ndarray:
    v = checks.real(values)
    if v is None or v.shape != shape or not np.all(np.isfinite(v)):
        got = f"the shape {v.shape}" if v is not None and v.shape != shape else repr(values)
        raise InputError(f"inverse dynamics: {name} must be finite and of the shape {shape}, got {got}")
    return v
