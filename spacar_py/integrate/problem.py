"""What a method integrates, and what the user is told when it cannot go on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .. import checks
from ..errors import ConvergenceError, InputError


class Problem:
    """System, controller, output times and initial state s0 = (q, qd, z).

    Parameters
    ----------
    system : System
    times : (N,) array
        Output times (s).
    q0, qd0 : (nq,) arrays
    control : Arrays, optional
        Controller, from `pack_control`, with its initial state z0.
    kinks : array, optional
        Times at which a step must end, besides the kinks of the model's signals.
    """

    def __init__(self, system, times, q0, qd0, control=None, z0=None, kinks=()):
        from ..controller import pack_control

        self.system, self.times = system, times
        self.control = control or pack_control()
        self.work = system.work()
        self.ref = np.zeros(system.ne)
        self.extra_kinks = np.asarray(kinks, float)
        z = np.zeros(int(self.control.n[2])) if z0 is None else np.asarray(z0, float)
        self.s0 = np.concatenate([q0, qd0, z])
        self.events, self.at_event = np.zeros(0), None  # times at which at_event(t, s) may change the state in place
        self.near = np.zeros((len(times), system.nx + system.ne))
        self.python = bool(system.python_signals or system.model.user_forces)
        place(system, self.work, np.concatenate([q0, prescribed(system, self.work, times[0])[0]]), self.ref, times[0])

    def spans(self) -> list[tuple[float, float]]:
        """Pieces between the kinks of the signals."""
        a, b = self.times[0], self.times[-1]
        kinks = np.union1d(self.system.kinks, self.extra_kinks)
        stops = [a, *(float(k) for k in kinks if a < k < b), b]
        return list(zip(stops[:-1], stops[1:], strict=True))

    def before(self, a: float, b: float) -> float:
        """The end of a piece: just before b where something new begins there, so that no stage sees it too early."""
        new = b < self.times[-1] or b in self.system.kinks or b in self.extra_kinks
        return float(np.nextafter(b, a)) if new else b

    def _pieces(self):
        """The spans, cut at the events; (start, end, whether a kink is at the start)."""
        for a, b in self.spans():
            inside = [float(e) for e in self.events if a < e < b]
            for c, d in zip([a, *inside], [*inside, b], strict=True):
                yield c, d, c == a

    def rhs(self, t, s) -> np.ndarray:
        """Right-hand side for Python callers; raises where the kernel returns a status."""
        from .rates import rates

        ds = np.empty_like(s)
        if self.python:
            nq = self.system.nq
            y = np.zeros((3, self.system.ny))
            y[0, :nq], y[1, :nq] = s[:nq], s[nq : 2 * nq]
            set_user(self.system, self.work, t, y, self.ref)
        status = rates(self.system.k, self.work.k, self.control.k, self.ref, float(t), np.ascontiguousarray(s), ds)
        if status <= 0:
            raise explained(self.system, self.work, t, status)
        return ds

    def march(self, advance, report, method) -> tuple[np.ndarray, dict]:
        """Drive a compiled integrator from kink to kink; it comes back now and then so that it can be interrupted."""
        from .explicit import DONE, LAST_STEP, NEXT, PAUSED, REJECTED, RHS, STEP, STEPS, TANGENTS, TIME

        if self.python:
            raise InputError(
                f"{method}: the model has Python functions (prescribed motion or user forces), which run on the slower "
                "path; choose method=SciPy('DOP853')"
            )
        s, out = self.s0.copy(), np.zeros((len(self.times), len(self.s0)))
        info = np.zeros(8)
        first, whole = self.times[0], self.times[-1] - self.times[0]
        for a, b, kink in self._pieces():
            end = self.before(a, b)
            info[TIME], info[LAST_STEP], status = a, 0.0, PAUSED
            if kink:
                info[STEP] = 0.0
            if self.at_event is not None:
                self.at_event(a, s)
            while status == PAUSED:
                status = advance(s, end, out, self.near, info)
                if report:
                    report((info[TIME] - first) / whole)
            if status != DONE:
                raise explained(self.system, self.work, info[TIME], status)
        if info[NEXT] < len(self.times):  # the last point is a kink
            out[-1] = s
            self.near[-1] = np.concatenate([self.work.X[0], self.work.e[0]])
        counts = {k: int(info[i]) for k, i in zip(("steps", "rhs", "tangents", "rejected"),
                                                  (STEPS, RHS, TANGENTS, REJECTED), strict=True)}  # fmt: skip
        return out, dict(method=method, **counts)

    def follow(self, steps, states, at, first) -> None:
        """Fill `near` for the output times `at`, from number `first` on, along the steps of another integrator."""
        from ..dynamics import position

        s, w, nq = self.system, self.work, self.system.nq
        k = np.searchsorted(steps, at)  # the step that ends at or after each
        done = 0
        for i, (t, y) in enumerate(zip(steps, states.T, strict=True)):
            w.y[0] = np.concatenate([y[:nq], prescribed(s, w, t)[0]])
            if position(s.k, w.k, self.ref) > 0:
                self.ref[:] = w.e[0]
            while done < len(at) and k[done] <= i:
                self.near[first + done] = np.concatenate([w.X[0], w.e[0]])
                done += 1


def explained(system, work, t, status) -> Exception:
    """The error that a status of the compiled code means, with names."""
    from ..dynamics import SINGULAR_MASS
    from .explicit import NEWTON_FAILED, STEP_TOO_SMALL

    if status == STEP_TOO_SMALL:
        return stopped(t, "the step became too small for the tolerance")
    if status == NEWTON_FAILED:
        return stopped(t, "Newton does not converge within a step", "a smaller step or looser tolerances")
    if status <= SINGULAR_MASS:
        name = system.dof[int(SINGULAR_MASS - status)]
        return InputError(
            f"mass matrix is singular at t = {t:g} s: nothing gives inertia to '{name}'; "
            "add a mass or inertia there, or make it rigid or released"
        )
    remedy = "a smaller step, another motion or other degrees of freedom"
    return stopped(t, kinematic_trouble(system, work, status), remedy)


def stopped(t, why, remedy="an implicit method or looser tolerances") -> ConvergenceError:
    """The error that says when a run stopped, why, and what to try."""
    return ConvergenceError(f"simulation stopped at t = {t:g} s: {why}; try {remedy}")


def kinematic_trouble(system, work, status) -> str:
    """Why the kinematics did not converge, naming the worst deformation or the singular block."""
    t = system.tables
    if status < 0:
        k = -1 - int(status)
        names = [system.e_names[e] for e in t.eq_e[t.blk[k] : t.blk[k + 1]]][:6]
        if len(names) == 1 and names[0].endswith(".norm"):
            return (
                f"frame '{names[0][:-5]}' has turned too close to half a turn for Euler parameters as degrees of "
                "freedom (three hinges that carry it, or GeneralizedAlpha(solver='sparse'), have no such limit)"
            )
        return f"the mechanism is singular: {', '.join(names)} no longer determine the coordinates"
    target, has = np.zeros(system.ne), t.e_y >= 0
    target[has] = work.y[0, t.e_y[has]].real
    gap = np.where(t.e_given == 1, np.abs(work.e[0].real - target), 0.0)
    worst = int(np.argmax(np.where(np.isfinite(gap), gap, -1)))
    if gap[worst] < 1e-8:  # Newton has found the other root
        return "kinematics did not converge (a beam or link has turned round)"
    return f"kinematics did not converge (largest residual {gap[worst]:.1e} in {system.e_names[worst]})"


def place(system, work, y, ref, t=0.0) -> None:
    """Bring a fresh work space to the position y, by continuation where one step is too far."""
    from ..continuation import move

    work.y[0] = system.y0
    move(system, work, np.asarray(y, float), ref, f"t = {t:g} s")


def followed(system, work, times, Y) -> np.ndarray:
    """Coordinates and deformations (N, nx + ne) along given states Y, each reached from the one before."""
    from ..continuation import move

    near, ref = np.zeros((len(times), system.nx + system.ne)), np.zeros(system.ne)
    work.y[0] = system.y0
    for n, t in enumerate(times):
        at = work.y[0].copy()
        y = np.concatenate([Y[n, 0, : system.nq], prescribed(system, work, t)[0]])
        work.y[0] = at
        move(system, work, y, ref, f"t = {t:g} s")
        near[n] = np.concatenate([work.X[0], work.e[0]])
    return near


def prescribed(system, work, t) -> np.ndarray:
    """Prescribed coordinates and deformations with their rates (3, nr), also left in work.y."""
    from ..dynamics import inputs

    system.set_python_signals(t)
    inputs(system.k, work.k, float(t))
    return work.y[:, system.nq :].copy()


def set_user(system, w, t, y, ref) -> None:
    """Evaluate the model's Python functions at the state and leave them in the tables and in w.f_ext."""
    from ..dynamics import inputs, position, velocities

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
        got = function(t, w.X[0, o : o + n].copy(), w.X[1, o : o + n].copy())
        f = checks.real(got)
        if f is None or f.shape != (n,) or not np.all(np.isfinite(f)):
            raise InputError(f"{what}: must return {n} finite numbers, got {got!r} at t = {t:g} s")
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
