"""Static equilibrium under gravity, loads, prescribed displacements and prestress: load steps and arc length."""

from __future__ import annotations

import numpy as np

from . import checks
from .errors import ConvergenceError, InputError
from .motion import initial, kinematic_trouble
from .results import Result, evaluated

_TOL = 1e-10


class _Statics:
    """Residual and tangent of the equilibrium at a load factor."""

    def __init__(self, model, t, ramp, q0):
        self.system = model.compile()
        s = self.system
        if model.user_forces:
            raise InputError(f"statics: {model.user_forces[0][0]} is a Python force without a derivative; use a load instead")
        self.w, self.t, self.ramp = s.work(), float(t), ramp
        self.out = np.zeros((6, s.ny, s.ny))
        self.q = initial(s, q0, s.y0[: s.nq], "q0")
        self.ref = np.zeros(s.ne)
        self.r0 = s.y0[s.nq :].copy()
        s.set_python_signals(self.t)
        from .dynamics import inputs

        inputs(s.k, self.w.k, self.t)
        self.r1 = self.w.y[0, s.nq :].copy()

    def load(self, factor: float) -> None:
        """Scale what is ramped; the rest acts fully all the time."""
        scale = [factor if kind in self.ramp else 1.0 for kind in ("gravity", "loads", "actuators", "prestress")]
        self.w.fac[:] = scale
        f = factor if "prescribed" in self.ramp else 1.0
        self.r = self.r0 + f * (self.r1 - self.r0)

    def residual(self, q: np.ndarray) -> np.ndarray | None:
        """rho of q, or None where the kinematics fail; the tangent is then in `self.K`."""
        from .dynamics import position
        from .tangent import tangent

        s, w = self.system, self.w
        w.y[:] = 0.0
        w.y[0] = np.concatenate([q, self.r])
        self.status = position(s.k, w.k, self.ref)
        if self.status <= 0:
            return None
        tangent(s.k, w.k, self.t, self.ref, self.out)
        self.ref[:] = w.e[0]
        self.K = self.out[3:].sum(axis=0)[: s.nq, : s.nq]
        return w.rho[: s.nq].copy()

    def equilibrium(self, q: np.ndarray, most: int) -> tuple[np.ndarray | None, str]:
        """Newton from q; the solution or None and why not."""
        scale = None
        keep = self.w.X[0].copy(), self.w.DF.copy(), self.w.yp.copy(), self.ref.copy()
        for _ in range(most):
            r = self.residual(q)
            if r is None:
                why = kinematic_trouble(self.system, self.w, self.status)
                break
            try:
                dq = -np.linalg.solve(self.K, r) if len(q) else np.zeros(0)
            except np.linalg.LinAlgError:
                why = "the stiffness matrix is singular"
                break
            if not np.all(np.isfinite(dq)):
                why = "the stiffness matrix is singular"
                break
            scale = max(np.abs(q).max(initial=0.0), np.abs(dq).max(initial=0.0), 1e-6)  # below this, rounding of x rules
            q = q + dq
            if np.abs(dq).max(initial=0.0) <= _TOL * scale:
                self.residual(q)
                return q, ""
        else:
            why = f"no equilibrium after {most} iterations"
        self.w.X[0], self.w.DF[:], self.w.yp[:], self.ref[:] = keep
        return None, why


RAMPED = ("gravity", "loads", "actuators", "prestress", "prescribed")


def solve_static(model, *, steps: int = 10, q0=None, t: float = 0.0, ramp=RAMPED, iterations: int = 30,
                 min_step: float = 1e-4, keep=None) -> Result:  # fmt: skip
    """Static equilibrium, reached in load steps that are halved where Newton fails.

    Parameters
    ----------
    steps : int
        Equal load steps that are reported; state 0 is the unloaded one.
    q0 : mapping or array, optional
        Where to start.
    t : float
        Time at which loads and prescribed motions are taken (s).
    ramp : names out of "gravity", "loads", "actuators", "prestress", "prescribed"
        What grows from 0 to 1 with the load factor; the rest acts fully from the start.
    iterations : int
        Newton iterations a step may take.
    min_step : float
        Smallest load increment before giving up.

    Returns
    -------
    Result
        With `t` the load factor of each state.
    """
    steps = checks.count("statics", "steps", steps)
    for kind in ramp:
        checks.known("statics", "kind of load", kind, RAMPED)
    p = _Statics(model, t, ramp, q0)
    states, factors = [], np.linspace(0.0, 1.0, steps + 1)
    q, at, previous = p.q, 0.0, None
    for target in factors:
        h = target - at
        first = target == 0.0
        while first or at < target - 1e-12:
            first = False
            goal = min(at + h, target)
            p.load(goal)
            guess = q if previous is None or goal == at else q + (q - previous[0]) * (goal - at) / max(at - previous[1], 1e-12)
            new, why = p.equilibrium(np.array(guess), iterations)
            if new is None and previous is not None:
                new, why = p.equilibrium(np.array(q), iterations)
            if new is None:
                h /= 2
                if h < min_step or target == 0.0:
                    raise ConvergenceError(
                        f"statics: no equilibrium between load factors {at:g} and {goal:g}: {why}; "
                        "near a limit point use trace_static, which follows the path by arc length"
                    )
                continue
            if goal > at:
                previous = (q, at)
            q, at = new, goal
        states.append(np.concatenate([q, p.r]))
    return _collect(p, np.array(states), factors, "statics")


def _collect(p: _Statics, states, factors, method) -> Result:
    """Evaluate each state under its own load factor."""
    s = p.system
    parts = []
    w = s.work()
    for y, f in zip(states, factors, strict=True):
        p.load(f)
        w.fac[:] = p.w.fac
        Y = np.zeros((1, 3, s.ny))
        Y[0, 0] = y
        parts.append(_static_point(s, w, p, Y))
    join = {}
    for name in ("y", "sigma", "f", "energies", "powers", "rho", "z"):
        join[name] = np.concatenate([getattr(r, name) for r in parts])
    X, E = (np.concatenate([getattr(r, n) for r in parts], axis=1) for n in ("X", "E"))
    return Result(s, np.asarray(factors, float), X=X, E=E, **join, info=dict(method=method))


def _static_point(s, w, p, Y):
    """One state with prescribed values as given, not as the signals have them at p.t."""
    saved = s.tables.r_sig.copy()
    table = s.tables.sg_t.copy(), s.tables.sg_c.copy()
    for k, sig in enumerate(saved):  # freeze each drive at its present value
        rows = slice(int(s.tables.sg_ptr[sig]), int(s.tables.sg_ptr[sig + 1]))
        s.tables.sg_c[rows] = 0.0
        s.tables.sg_c[rows, 0] = Y[0, 0, s.nq + k]
    try:
        return evaluated(s, [p.t], Y, work=w, given=True)
    finally:
        s.tables.sg_t[:], s.tables.sg_c[:] = table


def trace_static(model, *, factor: float = 1.0, step: float = 0.05, most: int = 500, q0=None, t: float = 0.0,
                 ramp=RAMPED, iterations: int = 12) -> Result:  # fmt: skip
    """Equilibrium path by arc length, through limit points, until the load factor reaches `factor`.

    The path is followed in (q, factor) with the step normal to the tangent (Riks), its length adapted to the number of
    iterations. `result.t` is the load factor, which may fall and rise.
    """
    step = checks.number("trace", "step", step, positive=True)
    p = _Statics(model, t, ramp, q0)
    p.load(0.0)
    q, why = p.equilibrium(p.q, 50)
    if q is None:
        raise ConvergenceError(f"trace: no equilibrium without load: {why}")
    lam, states, factors = 0.0, [np.concatenate([q, p.r])], [0.0]
    direction = np.append(np.zeros(len(q)), 1.0)
    scale = 1.0
    for _ in range(most):
        slope = _tangent_direction(p, q, lam, scale)
        if slope @ direction < 0:
            slope = -slope
        direction = slope
        while True:
            ds = min(step, abs((factor - lam) / slope[-1])) if slope[-1] * (factor - lam) > 0 else step
            new = _corrector(p, q, lam, slope, ds, scale, iterations)
            if new is not None:
                break
            step /= 2
            if step < 1e-8:
                raise ConvergenceError(f"trace: the path cannot be followed beyond load factor {lam:g}; it may branch there")
        q, lam, used = new
        states.append(np.concatenate([q, p.r]))
        factors.append(lam)
        step *= 1.5 if used <= 4 else 1.0 if used <= 7 else 0.7
        if abs(lam - factor) < 1e-9:
            break
    return _collect(p, np.array(states), np.array(factors), "arc length")


def _load_derivative(p, q, lam):
    """d(rho)/d(factor) by a central difference: exact, since every ramped load enters linearly, but for prescribed
    displacements, whose error is of the order 1e-10."""
    h = 1e-4
    p.load(lam + h)
    a = p.residual(q)
    p.load(lam - h)
    b = p.residual(q)
    p.load(lam)
    return None if a is None or b is None else (a - b) / (2 * h)


def _tangent_direction(p, q, lam, scale):
    p.load(lam)
    f = _load_derivative(p, q, lam)
    p.residual(q)
    v = np.append(-np.linalg.solve(p.K, f), 1.0)
    return v / np.linalg.norm(v)


def _corrector(p, q, lam, slope, ds, scale, most):
    """Newton on equilibrium and the plane normal to the tangent; (q, lam, iterations) or None."""
    start = np.append(q, lam)
    u = start + ds * slope
    for it in range(1, most + 1):
        f = _load_derivative(p, u[:-1], u[-1])
        r = p.residual(u[:-1])
        if r is None or f is None:
            return None
        J = np.block([[p.K, f[:, None]], [slope[None, :]]])
        du = -np.linalg.solve(J, np.append(r, slope @ (u - start) - ds))
        u = u + du
        if np.abs(du).max() <= _TOL * max(np.abs(u).max(), 1e-6):
            p.load(u[-1])
            p.residual(u[:-1])
            return u[:-1], float(u[-1]), it
        if not np.all(np.isfinite(u)):
            return None
    return None
