"""The methods of integration as objects: explicit, implicit, and SciPy's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import checks
from ..errors import InputError
from .problem import Problem, stopped


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
        if not isinstance(self.order, int) or self.order not in (5, 8):
            raise InputError(f"Runge-Kutta: order must be 5 or 8, got {self.order!r}")
        _tolerances("Runge-Kutta", self)

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times."""
        from .explicit import run_explicit, tableau

        coefficients = tableau(self.order)

        def advance(s, end, out, near, info):
            return run_explicit(
                problem.system.k, problem.work.k, problem.control.k, problem.ref, self.order, *coefficients,
                s, end, float(self.rtol), float(self.atol), float(self.max_step), problem.times, out, near, info,
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
    solver : "auto", "dense" or "sparse"
        Equations in the degrees of freedom, with full matrices; or in nodal coordinates, with sparse ones, for large
        models. "auto" goes by the number of degrees of freedom; `result.info["solver"]` says which was taken.
    """

    rtol: float = 1e-5
    atol: float = 1e-8
    radius: float = 0.8
    step: float | None = None
    max_step: float = np.inf
    solver: str = "auto"

    def __post_init__(self):
        _tolerances("generalised alpha", self)
        if not isinstance(self.solver, str) or self.solver not in ("auto", "dense", "sparse"):
            raise InputError(f"generalised alpha: solver must be 'auto', 'dense' or 'sparse', got {self.solver!r}")
        radius = checks.real(self.radius)
        if radius is None or radius.shape or not 0 <= radius <= 1:
            raise InputError(f"generalised alpha: radius must lie between 0 and 1, got {self.radius!r}")
        if self.step is not None:
            checks.number("generalised alpha", "step", self.step, positive=True)

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times."""
        from .implicit import parameters, run_implicit

        coefficients, carry = parameters(float(self.radius)), np.zeros(problem.system.nq)

        def advance(s, end, out, near, info):
            return run_implicit(
                problem.system.k, problem.work.k, problem.control.k, problem.ref, coefficients, s, end,
                float(self.rtol), float(self.atol), float(self.max_step), float(self.step or 0.0), problem.times, out,
                near, info, carry,
            )  # fmt: skip

        states, info = problem.march(advance, report, "generalised alpha")
        return states, {**info, "solver": "dense"}


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
        checks.known("SciPy", "solver", self.name, known)
        _tolerances("SciPy", self)
        if not isinstance(self.events, (tuple, list)) or not all(callable(f) for f in self.events):
            raise InputError(f"SciPy: events must be a list of functions (t, q, qd) -> float, got {self.events!r}")

    def run(self, problem: Problem, report) -> tuple[np.ndarray, dict]:
        """States at the problem's times, up to a terminal event."""
        from scipy.integrate import solve_ivp

        nq = problem.system.nq
        events = []
        for f in self.events:
            g = lambda t, s, f=f: _event(f, t, s[:nq], s[nq : 2 * nq])  # noqa: E731
            g.terminal, g.direction = getattr(f, "terminal", False), getattr(f, "direction", 0)
            events.append(g)
        s, out, info = problem.s0.copy(), [], dict(steps=0, rhs=0, events=[])
        for a, b in problem.spans():
            keep = (problem.times >= a) & ((problem.times < b) | (b == problem.times[-1]))
            at = problem.times[keep]
            sol = solve_ivp(problem.rhs, (a, problem.before(a, b)), s, method=self.name, rtol=self.rtol, atol=self.atol,
                            max_step=self.max_step, dense_output=True, events=events or None)  # fmt: skip
            if sol.status < 0:
                raise stopped(sol.t[-1], sol.message)
            at = at[at <= sol.t[-1]] if sol.status == 1 else at
            problem.follow(sol.t, sol.y, at, sum(len(o) for o in out))
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
                problem.follow(sol.t[-1:], sol.y[:, -1:], sol.t[-1:], n - 1)
                info["stopped"] = float(sol.t[-1])
                break
        return np.concatenate(out), {**info, "method": f"SciPy {self.name}"}


def _event(function, t, q, qd) -> float:
    """The value of an event, or an error that names the function."""
    got = function(t, q, qd)
    value = checks.real(got)
    if value is None or value.size != 1 or not np.isfinite(value).all():
        name = getattr(function, "__name__", repr(function))
        raise InputError(f"SciPy: event '{name}' must return one finite number, got {got!r} at t = {t:g} s")
    return float(value.ravel()[0])


def _tolerances(what, method):
    checks.number(what, "rtol", method.rtol, positive=True)
    checks.number(what, "atol", method.atol, positive=True)
    largest = checks.real(method.max_step)
    if largest is None or largest.shape or not largest > 0:
        raise InputError(f"{what}: max_step must be positive, got {method.max_step!r}")
