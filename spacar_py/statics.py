"""Static equilibrium under gravity, loads, prescribed displacements and prestress: load steps and arc length."""

from __future__ import annotations

import numpy as np

from . import checks
from .errors import ConvergenceError, InputError
from .integrate.problem import initial, kinematic_trouble, place, prescribed
from .results import Result, evaluated
from .sparse.choice import use_sparse

RAMPED = ("gravity", "loads", "actuators", "prestress", "prescribed")
_TOL = 1e-9  # relative change of q; one more iteration follows, which brings it to rounding


def ramped(ramp) -> tuple[str, ...]:
    """The kinds of load that grow with the load factor, each of them known."""
    ramp = (ramp,) if isinstance(ramp, str) or not np.iterable(ramp) else tuple(ramp)
    for kind in ramp:
        checks.known("statics", "kind of load", kind, RAMPED)
    return ramp


class _Statics:
    """Residual and tangent of the equilibrium at a load factor."""

    def __init__(self, model, t, ramp, q0):
        self.system = s = checks.model("statics", model)
        if model.user_forces:
            what = model.user_forces[0][0]
            raise InputError(f"statics: {what} is a Python force without a derivative; use a load instead")
        ramp = ramped(ramp)
        self.w, self.t, self.ramp = s.work(), checks.number("statics", "t", t), ramp
        self.out = np.zeros((6, s.ny, s.ny))
        self.q = initial(s, q0, s.y0[: s.nq], "q0")
        self.ref = np.zeros(s.ne)
        self.r0 = s.y0[s.nq :].copy()
        self.r1 = prescribed(s, self.w, self.t)[0]

    def load(self, factor: float) -> None:
        """Scale what is ramped; the rest acts fully all the time."""
        self.w.fac[:] = [factor if kind in self.ramp else 1.0 for kind in RAMPED[:4]]
        f = factor if "prescribed" in self.ramp else 1.0
        self.r = self.r0 + f * (self.r1 - self.r0)

    def begin(self, what: str) -> np.ndarray:
        """Equilibrium without load, from the position of q0."""
        self.load(0.0)
        place(self.system, self.w, np.concatenate([self.q, self.r]), self.ref)
        q, why = self.equilibrium(self.q, 50)
        if q is None:
            raise ConvergenceError(
                f"{what}: no equilibrium without load: {why}; start elsewhere with q0, or support the model"
            )
        return q

    def residual(self, q: np.ndarray, stiffness: bool = True) -> np.ndarray | None:
        """rho of q, or None where the kinematics fail; the tangent is then in `self.K`, where it is wanted."""
        from .dynamics import position, residual
        from .tangent import tangent

        s, w = self.system, self.w
        w.y[:] = 0.0
        w.y[0] = np.concatenate([q, self.r])
        self.status = position(s.k, w.k, self.ref)
        if self.status <= 0:
            return None
        if stiffness:
            tangent(s.k, w.k, self.t, self.ref, self.out)
            self.K = self.out[3:].sum(axis=0)[: s.nq, : s.nq]
        else:
            residual(s.k, w.k, self.t, self.ref)
        self.ref[:] = w.e[0]
        return w.rho[: s.nq].copy()

    def correct(self, q: np.ndarray) -> tuple[np.ndarray | None, str]:
        """One Newton correction of q; None and why not."""
        r = self.residual(q)
        if r is None:
            return None, kinematic_trouble(self.system, self.w, self.status)
        try:
            dq = -np.linalg.solve(self.K, r) if len(q) else np.zeros(0)
        except np.linalg.LinAlgError:
            return None, "the stiffness matrix is singular"
        return (dq, "") if np.all(np.isfinite(dq)) else (None, "the stiffness matrix is singular")

    def equilibrium(self, q: np.ndarray, most: int) -> tuple[np.ndarray | None, str]:
        """Newton from q; the solution, or None and why not, with the position as it was."""
        keep = self.keep()
        why = f"Newton did not converge in {most} iterations"
        close, last = False, np.inf
        for _ in range(most):
            dq, trouble = self.correct(q)
            if dq is None:
                why = trouble
                break
            q = q + dq
            if close:
                return q, ""
            size = np.abs(dq).max(initial=0.0) / max(np.abs(q).max(initial=0.0), 1e-6)
            close = size <= _TOL or (size < 1e-5 and size > 0.3 * last)  # the latter: rounding is all that is left
            last = size
        self.restore(keep)
        return None, why

    def keep(self) -> tuple:
        """The present position."""
        return self.w.X[0].copy(), self.w.DF.copy(), self.w.yp.copy(), self.ref.copy()

    def restore(self, position: tuple) -> None:
        """Go back to a position that was kept."""
        self.w.X[0], self.w.DF[:], self.w.yp[:], self.ref[:] = position


def solve_static(model, *, steps: int = 10, q0=None, t: float = 0.0, ramp=RAMPED, iterations: int = 30,
                 min_step: float = 1e-4, solver: str = "auto") -> Result:  # fmt: skip
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
    solver : "auto", "dense" or "sparse"
        Full matrices in the degrees of freedom, or sparse ones in nodal coordinates; "auto" goes by the number of
        degrees of freedom, and `result.info["solver"]` says which was taken.

    Returns
    -------
    Result
        With `t` the load factor of each state.

    Examples
    --------
    A cantilever that its own weight bends, m g L^4 / (8 EI) = 1.226e-3 m:

    >>> import spacar_py as sp
    >>> m = sp.Model(gravity=(0, -9.81), planar=True)
    >>> m.node("root", (0, 0)); m.fix("root"); m.node("tip", (1, 0))
    >>> m.beam("arm", "root", "tip", sp.Section(EA=1e6, EIz=1000.0, m=1.0), elements=4, flexible="all")
    >>> round(float(sp.solve_static(m)["tip"].x[-1, 1]), 6)
    -0.001226
    """
    steps = checks.count("statics", "steps", steps)
    iterations = checks.count("statics", "iterations", iterations)
    min_step = checks.number("statics", "min_step", min_step, positive=True)
    ramp = ramped(ramp)
    if use_sparse("statics", solver, checks.model("statics", model)):
        from .sparse.solvers import solve_static_sparse

        return solve_static_sparse(model, steps=steps, q0=q0, t=checks.number("statics", "t", t), ramp=ramp,
                                   min_step=min_step, iterations=iterations)  # fmt: skip
    p = _Statics(model, t, ramp, q0)
    q = p.begin("statics")
    factors = np.linspace(0.0, 1.0, steps + 1)
    states, path = [np.concatenate([q, p.r])], [(0.0, q)]
    for target in factors[1:]:
        path = _advance(p, path, target, iterations, min_step)
        states.append(np.concatenate([path[-1][1], p.r]))
    return _collect(p, np.array(states), factors, dict(method="statics", solver="dense", ramp=list(ramp)))


def _advance(p, path, target, iterations, min_step) -> list:
    """Go on to the load factor `target`; path holds the last two (factor, q)."""
    h = target - path[-1][0]
    while path[-1][0] < target:
        at, q = path[-1]
        goal = target if at + h > target - 1e-12 else at + h
        p.load(goal)
        new, why = None, ""
        if len(path) > 1:
            new, why = p.equilibrium(q + (q - path[-2][1]) * (goal - at) / (at - path[-2][0]), iterations)
        if new is None:
            new, why = p.equilibrium(q, iterations)
        if new is not None:
            path = [path[-1], (goal, new)]
            continue
        h /= 2
        if h < min_step:
            raise ConvergenceError(
                f"statics: no equilibrium between load factors {at:g} and {goal:g}: {why}; "
                "near a limit point use trace_static, which follows the path by arc length"
            )
    return path


def _collect(p: _Statics, states, factors, info) -> Result:
    """Evaluate each state under its own load factor."""
    from .continuation import move

    s, ref, parts = p.system, np.zeros(p.system.ne), []
    w = s.work()
    w.y[0] = s.y0
    for y, f in zip(states, factors, strict=True):
        p.load(f)
        w.fac[:] = p.w.fac
        move(s, w, y, ref, f"load factor {f:g}")
        Y = np.zeros((1, 3, s.ny))
        Y[0, 0] = y
        parts.append(evaluated(s, [p.t], Y, work=w, given=2, near=np.concatenate([w.X[0], w.e[0]])[None, :]))
    join = {}
    for name in ("y", "sigma", "f", "energies", "powers", "rho", "z"):
        join[name] = np.concatenate([getattr(r, name) for r in parts])
    X, E = (np.concatenate([getattr(r, n) for r in parts], axis=1) for n in ("X", "E"))
    return Result(s, np.asarray(factors, float), X=X, E=E, **join, info=info)


def trace_static(model, *, factor: float = 1.0, step: float = 0.05, most: int = 500, q0=None, t: float = 0.0,
                 ramp=RAMPED, iterations: int = 12) -> Result:  # fmt: skip
    """Equilibrium path by arc length, through limit points, until the load factor reaches `factor`.

    The path is followed in (q / scale, load factor) with each correction normal to the tangent (Riks 1979); scale is
    the length of the initial dq/d(factor). The step adapts to the number of iterations.

    Parameters
    ----------
    factor : float
        Load factor at which to stop.
    step : float
        First length of a step along the path; no step is longer than four times that.
    most : int
        Points of the path; when they are used up the path ends, and `result.info["reached"]` is False.
    q0, t, ramp
        As in `solve_static`.

    Returns
    -------
    Result
        With `t` the load factor, which may fall and rise.
    """
    step = checks.number("trace", "step", step, positive=True)
    factor = checks.number("trace", "factor", factor)
    most = checks.count("trace", "most", most)
    iterations = checks.count("trace", "iterations", iterations)
    p = _Statics(model, t, ramp, q0)
    q = p.begin("trace")
    path, reached, longest = _Path(p, q, np.sign(factor) or 1.0), False, 4 * step
    states, factors = [np.concatenate([q, p.r])], [0.0]
    while len(states) < most and not reached:
        used = path.step(step, iterations)
        if not used:
            step /= 2
            if step < 1e-9:
                raise ConvergenceError(
                    f"trace: the path cannot be followed beyond load factor {path.factor:g}; it may branch or end there"
                )
            continue
        if (factors[-1] - factor) * (path.factor - factor) <= 0:
            reached = path.land(factor, factors[-1], states[-1][: len(q)])
        states.append(np.concatenate([path.q, p.r]))
        factors.append(path.factor)
        step = min(longest, step * (1.5 if used <= 4 else 1.0 if used <= 7 else 0.7))
    info = dict(method="arc length", reached=reached, ramp=list(p.ramp))
    return _collect(p, np.array(states), np.array(factors), info)


class _Path:
    """A point of the equilibrium path and the direction in which it goes on; u = (q / scale, factor)."""

    def __init__(self, p, q, sign):
        self.p, self.q, self.factor = p, q, 0.0
        slope = self._load_derivative(q, 0.0)
        p.residual(q)
        dq = -np.linalg.solve(p.K, slope)
        self.scale = max(float(np.linalg.norm(dq)), 1e-300)
        self.tangent = sign * np.append(dq / self.scale, 1.0)
        self.tangent /= np.linalg.norm(self.tangent)

    def _load_derivative(self, q, factor):
        """d(rho)/d(factor) by a central difference: loads enter linearly, so it is exact for them, and for prescribed
        displacements good to 1e-8."""
        values = []
        for f in (factor + 1e-4, factor - 1e-4):
            self.p.load(f)
            values.append(self.p.residual(q, stiffness=False))
        self.p.load(factor)
        return None if values[0] is None or values[1] is None else (values[0] - values[1]) / 2e-4

    def _jacobian(self, u):
        """Residual and bordered matrix at u, or None."""
        q, factor = u[:-1] * self.scale, float(u[-1])
        slope = self._load_derivative(q, factor)
        r = self.p.residual(q)
        if r is None or slope is None:
            return None
        return r, np.block([[self.p.K * self.scale, slope[:, None]], [self.tangent[None, :]]])

    def step(self, length: float, most: int) -> int:
        """Predict along the tangent, correct normal to it; the iterations used, 0 when that fails."""
        keep = self.p.keep()
        start = np.append(self.q / self.scale, self.factor)
        u, last = start + length * self.tangent, np.inf
        for it in range(1, most + 1):
            found = self._jacobian(u)
            if found is None:
                break
            r, J = found
            try:
                du = -np.linalg.solve(J, np.append(r, self.tangent @ (u - start) - length))
            except np.linalg.LinAlgError:
                break
            u = u + du
            if not np.all(np.isfinite(u)):
                break
            size = np.abs(du).max() / max(np.abs(u).max(), 1e-6)
            if size <= _TOL or (size < 1e-5 and size > 0.3 * last):  # the latter: rounding is all that is left
                found = self._jacobian(u)
                if found is None:
                    break
                self.tangent = np.linalg.solve(found[1], np.append(np.zeros(len(self.q)), 1.0))
                self.tangent /= np.linalg.norm(self.tangent)
                self.q, self.factor = u[:-1] * self.scale, float(u[-1])
                return it
            last = size
        self.p.restore(keep)
        return 0

    def land(self, factor, before, q) -> bool:
        """Replace a point beyond `factor` by the one at it, starting between it and the point q before it."""
        part = (factor - before) / (self.factor - before) if self.factor != before else 1.0
        keep, past = self.p.keep(), self.factor
        self.p.load(factor)
        new, _ = self.p.equilibrium(q + part * (self.q - q), 30)
        if new is None:  # a limit point lies at the factor wanted: the path goes on
            self.p.restore(keep)
            self.p.load(past)
            return False
        self.q, self.factor = new, factor
        return True
