"""One verb for motion in time: `simulate`, with the method as an object; and `inverse_dynamics`."""

from __future__ import annotations

import time as _time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from . import checks
from .errors import ConvergenceError, InputError
from .results import Result, evaluated


@dataclass(frozen=True)
class RungeKutta:
    """Explicit Runge-Kutta pair, order 5 (as ode45) or 8, with error control and dense output.

    Parameters
    ----------
    order : {5, 8}
    rtol, atol : float
        Relative and absolute tolerance of (q, qd).
    max_step : float
        Largest step (s).
    """

    order: int = 5
    rtol: float = 1e-6
    atol: float = 1e-9
    max_step: float = np.inf

    def __post_init__(self):
        if self.order not in (5, 8):
            raise InputError(f"Runge-Kutta: order must be 5 or 8, got {self.order!r}")
        _tolerances("Runge-Kutta", self)

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times."""
        from .integrate.explicit import run_explicit, tableau

        def advance(span, s, out, info):
            return run_explicit(
                problem.system.k, problem.work.k, problem.control.k, problem.ref, self.order, *tableau(self.order),
                s, span, self.rtol, self.atol, self.max_step, problem.times, out, info,
            )  # fmt: skip

        return problem.march(advance, report, f"Runge-Kutta {self.order}")


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Implicit generalised-alpha method with the exact tangent, for stiff models.

    Parameters
    ----------
    rtol, atol : float
        Tolerance of q per step.
    radius : float
        Spectral radius at infinite frequency, 0 (strong damping) to 1 (none).
    step : float, optional
        Fixed step (s) instead of error control.
    """

    rtol: float = 1e-5
    atol: float = 1e-8
    radius: float = 0.8
    step: float | None = None
    max_step: float = np.inf

    def __post_init__(self):
        _tolerances("generalised alpha", self)
        if not 0 <= self.radius <= 1:
            raise InputError(f"generalised alpha: radius must lie between 0 and 1, got {self.radius!r}")
        if self.step is not None:
            checks.number("generalised alpha", "step", self.step, positive=True)

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times."""
        from .integrate.implicit import run_implicit

        def advance(span, s, out, info):
            return run_implicit(
                problem.system.k, problem.work.k, problem.control.k, problem.ref, float(self.radius), s, span,
                self.rtol, self.atol, self.max_step, float(self.step or 0.0), problem.times, out, info,
            )  # fmt: skip

        return problem.march(advance, report, "generalised alpha")


@dataclass(frozen=True)
class SciPy:
    """SciPy's solve_ivp over the compiled right-hand side: a cross-check, and the path of events and Python forces.

    Parameters
    ----------
    name : str
        "RK45", "DOP853", "Radau", "BDF" or "LSODA".
    events : list of functions (t, q, qd) -> float
        With attributes `terminal` and `direction` as SciPy has them.
    """

    name: str = "DOP853"
    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float = np.inf
    events: tuple = ()

    def __post_init__(self):
        known = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
        if self.name not in known:
            checks.known("SciPy", "solver", self.name, known)
        _tolerances("SciPy", self)

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times, up to a terminal event."""
        from scipy.integrate import solve_ivp

        nq = problem.system.nq
        events = []
        for f in self.events:
            g = lambda t, s, f=f: f(t, s[:nq], s[nq : 2 * nq])  # noqa: E731
            g.terminal, g.direction = getattr(f, "terminal", False), getattr(f, "direction", 0)
            events.append(g)
        s, out, info = problem.s0.copy(), [], dict(steps=0, rhs=0, events=[])
        for a, b in problem.spans():
            keep = (problem.times >= a) & ((problem.times < b) | (b == problem.times[-1]))
            at = problem.times[keep]
            sol = solve_ivp(problem.rhs, (a, b), s, method=self.name, rtol=self.rtol, atol=self.atol,
                            max_step=self.max_step, dense_output=True, events=events or None)  # fmt: skip
            if sol.status < 0:
                problem.fail(sol.t[-1], sol.message)
            at = at[at <= sol.t[-1]] if sol.status == 1 else at
            out.append(sol.sol(at).T)
            info["steps"] += len(sol.t) - 1
            info["rhs"] += sol.nfev
            s = sol.y[:, -1]
            for k, (te, ye) in enumerate(zip(sol.t_events or [], sol.y_events or [], strict=True)):
                info["events"] += [(k, float(x), y[:nq], y[nq : 2 * nq]) for x, y in zip(te, ye, strict=True)]
            if sol.status == 1:
                out.append(s[None, :])
                n = sum(len(o) for o in out)
                problem.times = np.concatenate([problem.times[: n - 1], [sol.t[-1]]])
                info["stopped"] = float(sol.t[-1])
                break
        return np.concatenate(out), {**info, "method": f"SciPy {self.name}"}


def _tolerances(what, method):
    checks.number(what, "rtol", method.rtol, positive=True)
    checks.number(what, "atol", method.atol, positive=True)
    if not method.max_step > 0:
        raise InputError(f"{what}: max_step must be positive, got {method.max_step!r}")


class Problem:
    """What a method integrates: system, controller, output times, initial state s0 = (q, qd, z)."""

    def __init__(self, system, times, q0, qd0, control=None, z0=None, kinks=()):
        from .controller import pack_control

        self.system, self.times = system, times
        self.control = control or pack_control()
        self.work = system.work()
        self.ref = np.zeros(system.ne)
        self.extra_kinks = np.asarray(kinks, float)
        z = np.zeros(int(self.control.n[2])) if z0 is None else np.asarray(z0, float)
        self.s0 = np.concatenate([q0, qd0, z])
        self.events, self.at_event = np.zeros(0), None  # times at which at_event(t, s) may change the state in place
        self.python = bool(system.python_signals or system.model.user_forces)
        y = np.concatenate([q0, self._prescribed(times[0])[0]])
        place(system, self.work, y, self.ref, times[0])

    def _prescribed(self, t):
        from .dynamics import inputs

        self.system.set_python_signals(t)
        inputs(self.system.k, self.work.k, float(t))
        return self.work.y[:, self.system.nq :].copy()

    def spans(self) -> list[tuple[float, float]]:
        """Pieces between the kinks of the signals."""
        a, b = self.times[0], self.times[-1]
        kinks = np.union1d(self.system.kinks, self.extra_kinks)
        stops = [a, *(float(k) for k in kinks if a < k < b), b]
        return list(zip(stops[:-1], stops[1:], strict=True))

    def rhs(self, t, s) -> np.ndarray:
        """Right-hand side for Python callers; raises where the kernel returns a status."""
        from .integrate.rates import rates

        ds = np.empty_like(s)
        if self.python:
            nq = self.system.nq
            y = np.zeros((3, self.system.ny))
            y[0, :nq], y[1, :nq] = s[:nq], s[nq : 2 * nq]
            set_user(self.system, self.work, t, y, self.ref)
        status = rates(self.system.k, self.work.k, self.control.k, self.ref, float(t), np.ascontiguousarray(s), ds)
        if status <= 0:
            self.explain(t, status)
        return ds

    def march(self, advance, report, method) -> tuple[np.ndarray, dict]:
        """Drive a compiled integrator from kink to kink."""
        if self.python:
            raise InputError(
                f"{method}: the model has Python functions (prescribed motion or user forces), which run on the slower path; "
                "choose method=SciPy('DOP853')"
            )
        s, out = self.s0.copy(), np.zeros((len(self.times), len(self.s0)))
        info = np.zeros(7)
        for a, b in self.spans():
            info[1] = 0.0
            inside = [float(e) for e in self.events if a < e < b]
            for c, d in zip([a, *inside], [*inside, b], strict=True):
                if self.at_event is not None:
                    self.at_event(c, s)
                status = advance(np.array([c, d]), s, out, info)
                if status != 1:
                    self.explain(info[0] or c, status)
                if report:
                    report((d - self.times[0]) / (self.times[-1] - self.times[0]))
        return out, dict(method=method, steps=int(info[2]), rhs=int(info[3]), tangents=int(info[5]), rejected=int(info[6]))

    def explain(self, t, status) -> None:
        """Raise what a status means, with names."""
        from .dynamics import SINGULAR_MASS

        s = self.system
        if status <= SINGULAR_MASS:
            name = s.dof[int(SINGULAR_MASS - status)]
            raise InputError(
                f"mass matrix is singular at t = {t:g} s: nothing gives inertia to '{name}'; "
                "add a mass or inertia there, or make it rigid or released"
            )
        if status == -1 or status == -2:
            self.fail(t, "the step became too small for the tolerance")
        self.fail(t, kinematic_trouble(s, self.work, status))

    def fail(self, t, why):
        """Raise a ConvergenceError that says when."""
        raise ConvergenceError(f"simulation stopped at t = {t:g} s: {why}; try an implicit method or looser tolerances")


def kinematic_trouble(system, work, status) -> str:
    """Why the kinematics did not converge, naming the worst deformation or the singular block."""
    if status < 0:
        k = -1 - int(status)
        t = system.tables
        names = [system.e_names[e] for e in t.eq_e[t.blk[k] : t.blk[k + 1]]][:6]
        return f"the mechanism is singular: {', '.join(names)} no longer determine the coordinates"
    given = system.tables.e_given == 1
    target = np.zeros(system.ne)
    has = system.tables.e_y >= 0
    target[has] = work.y[0, system.tables.e_y[has]].real
    gap = np.where(given, np.abs(work.e[0].real - target), 0.0)
    worst = int(np.nanargmax(np.where(np.isfinite(gap), gap, -1)))
    return f"kinematics did not converge (largest residual {gap[worst]:.1e} in {system.e_names[worst]})"


def place(system, work, y, ref, t=0.0) -> None:
    """Bring the work space to the position y, by continuation where one step is too far."""
    from .dynamics import position

    work.y[0] = y
    start = work.X[0].copy()
    status = position(system.k, work.k, ref)
    if status > 0:
        return
    work.X[0] = start
    from .continuation import move

    move(system, work, np.asarray(y, float), ref)


def set_user(system, w, t, y, ref) -> None:
    """Evaluate the model's Python functions at the state and leave them in the tables and in w.f_ext."""
    from .dynamics import inputs, position, velocities

    system.set_python_signals(t)
    if not system.model.user_forces:
        return
    w.f_ext[:] = 0.0
    w.y[:] = y
    inputs(system.k, w.k, float(t))
    if position(system.k, w.k, ref) <= 0:
        return
    velocities(system.k, w.k, ref)
    for what, node, function, _ in system.model.user_forces:
        o, n = system.nodes[node.kind, node.name]
        f = np.asarray(function(t, w.X[0, o : o + n].copy(), w.X[1, o : o + n].copy()), float)
        if f.shape != (n,) or not np.all(np.isfinite(f)):
            raise InputError(f"{what}: must return {n} finite numbers, got {f} at t = {t:g}")
        w.f_ext[o : o + n] += f


def initial(system, values, default, what) -> np.ndarray:
    """Array over q from None, a mapping of names, or numbers."""
    out = np.array(default, float)
    if values is None:
        return out
    if isinstance(values, Mapping):
        for name, v in values.items():
            checks.known(what, "degree of freedom", name, system.dof)
            out[system.dof.index(name)] = checks.number(what, name, v)
        return out
    return checks.vector(what, "values", values, system.nq)


def time_grid(t_start, t_end, points, times) -> np.ndarray:
    """Output times from a count or as given."""
    if times is not None:
        t = np.asarray(times, float)
        if t.ndim != 1 or len(t) < 2 or not np.all(np.isfinite(t)) or not np.all(np.diff(t) > 0):
            raise InputError("simulate: times must be at least two finite increasing numbers")
        return t
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
        Nominal path and controller in the loop.
    t_end, t_start : float
        Time span (s).
    q0, qd0 : mapping of names or (nq,) array, optional
        Initial degrees of freedom and rates; by default the model as drawn, at rest.
    points, times
        Number of output points, or the output times themselves.
    method : RungeKutta, GeneralizedAlpha, SciPy, Perturbation or AMI
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
    if path is not None or controller is not None:
        from .ami.runs import simulate_path

        return simulate_path(model, path, controller, t_end=t_end, points=points, times=times, method=method,
                             q0=q0, qd0=qd0, progress=progress)  # fmt: skip
    if t_end is None and times is None:
        raise InputError("simulate: needs t_end or times")
    grid = time_grid(t_start, t_end, points, times)
    system = model.compile()
    method = method or (SciPy("DOP853") if system.python_signals or model.user_forces else RungeKutta())
    if not hasattr(method, "run"):
        raise InputError(f"simulate: method must be RungeKutta, GeneralizedAlpha or SciPy, got {method!r}")
    q = initial(system, q0, system.y0[: system.nq], "q0")
    qd = initial(system, qd0, np.zeros(system.nq), "qd0")
    return run_problem(Problem(system, grid, q, qd), method, progress)


def run_problem(problem: Problem, method, progress=None) -> Result:
    """Integrate and collect."""
    system = problem.system
    begin = _time.process_time()
    if system.nq:
        states, info = method.run(problem, progress)
    else:
        states, info = np.zeros((len(problem.times), len(problem.s0))), dict(method="prescribed", steps=0, rhs=0)
    info["cpu"] = _time.process_time() - begin
    nq = system.nq
    Y = np.zeros((len(states), 3, system.ny))
    Y[:, 0, :nq], Y[:, 1, :nq] = states[:, :nq], states[:, nq : 2 * nq]
    fresh = system.work()
    place(system, fresh, np.concatenate([states[0, :nq], problem._prescribed(problem.times[0])[0]]), np.zeros(system.ne))
    return evaluated(system, problem.times[: len(states)], Y, work=fresh, control=problem.control,
                     z=np.ascontiguousarray(states[:, 2 * nq :]), given=False, info=info)  # fmt: skip


def inverse_dynamics(model, times, q, qd=None, qdd=None) -> Result:
    """Drives that a given motion of the degrees of freedom needs.

    Parameters
    ----------
    times : (N,) array
    q, qd, qdd : (N, nq) arrays or mappings of names to (N,) arrays or Signals
        Degrees of freedom that are not named stay as they are drawn.

    Returns
    -------
    Result
        `result.rho[:, :nq]` and `result.generalised["name"]` are the forces and torques that must be added to those of
        the model; sigma holds all reactions.
    """
    system = model.compile()
    times = np.asarray(times, float)
    Y = np.zeros((len(times), 3, system.ny))
    Y[:, 0, : system.nq] = system.y0[: system.nq]
    if isinstance(q, Mapping):
        for name, motion in q.items():
            checks.known("inverse dynamics", "degree of freedom", name, system.dof)
            Y[:, :, system.dof.index(name)] = [motion.rates(t) for t in times]
    else:
        for k, v in enumerate((q, qd, qdd)):
            if v is not None:
                v = np.asarray(v, float)
                if v.shape != (len(times), system.nq):
                    raise InputError(
                        f"inverse dynamics: {('q', 'qd', 'qdd')[k]} must have the shape "
                        f"({len(times)}, {system.nq}), got {v.shape}"
                    )
                Y[:, k, : system.nq] = v
    w = system.work()
    from .dynamics import inputs

    system.set_python_signals(times[0])
    inputs(system.k, w.k, times[0])
    Y[0, 0, system.nq :] = w.y[0, system.nq :]
    place(system, w, Y[0, 0], np.zeros(system.ne))
    return evaluated(system, times, Y, work=w, given=True, info=dict(method="inverse dynamics"))
