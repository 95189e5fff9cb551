"""Motion of large models in time: the sparse counterpart of `integrate.problem` and the results it fills."""

from __future__ import annotations

import time as _time

import numpy as np

from ..errors import ConvergenceError, InputError
from ..integrate.explicit import DONE, LAST_STEP, PAUSED, REJECTED, RHS, STEP, STEPS, TANGENTS, TIME
from ..integrate.implicit import parameters
from ..integrate.problem import Problem, explained
from ..results import Result
from .implicit import SINGULAR, run_nodal
from .nodal import Transfer, lean_work
from .plan import plan
from .states import evaluate_nodal

JUMP = 1e-9  # relative change of a prescribed velocity that counts as a jump


class NodalProblem(Problem):
    """System, output times and initial state of a motion in nodal coordinates.

    Parameters
    ----------
    system : System
    times : (N,) array
        Output times (s).
    q0, qd0 : (nq,) arrays
    """

    def __init__(self, system, times, q0, qd0):
        if system.python_signals or system.model.user_forces:
            raise InputError(
                "generalised alpha: the model has Python functions (prescribed motion or user forces), which run on "
                "the slower path; choose method=SciPy('DOP853')"
            )
        self.system, self.times = system, np.ascontiguousarray(times, float)
        self.extra_kinks, self.events = np.zeros(0), np.zeros(0)
        self.work, self.plan, self.ref = lean_work(system.tables), plan(system), np.zeros(system.ne)
        self.transfer = Transfer(system)
        self.S, self.sigma_b = np.zeros((9, system.nx)), np.zeros(len(self.plan.bound))
        self._place(q0, qd0)

    def _inputs(self, t) -> np.ndarray:
        from ..dynamics import inputs

        inputs(self.system.k, self.work.k, float(t))
        return self.work.y[:, self.system.nq :].copy()

    def _place(self, q0, qd0):
        """Coordinates and velocities of q0, qd0, in steps where Newton does not get there at once."""
        s, w, t0 = self.system, self.work, self.times[0]
        w.X[0] = s.x0
        r = self._inputs(t0)
        start, goal, done, step = s.y0, np.concatenate([q0, r[0]]), 0.0, 1.0
        while done < 1.0:
            aim = min(1.0, done + step)
            w.y[0] = goal if aim == 1.0 else start + aim * (goal - start)
            if 0 < self.transfer.position(w, self.ref) <= 8:
                self.ref[:] = w.e[0]
                done, step = aim, 2 * step
            elif step > 1e-4:
                step /= 2
            else:
                raise ConvergenceError(
                    f"kinematics did not converge at t = {t0:g} s, {done:.1%} of the way to q0; try another q0"
                )
        self._rates(qd0, r[1])
        self.S[0], self.S[1] = w.X[0], w.X[1]

    def _rates(self, qd, rd):
        self.work.y[1] = np.concatenate([qd, rd])
        self.transfer.velocity(self.work)

    def begin(self, t) -> None:
        """Where prescribed velocities jump, let all velocities follow with the rates of q as they are."""
        from ..assembly import series

        s, w = self.system, self.work
        rd = self._inputs(t)[1]
        if not len(rd):
            return
        w.X[0], w.X[1], w.X[2] = self.S[0], self.S[1], 0.0
        series(s.k, w.k, 2, self.ref)
        yd, tb = np.zeros(s.ny), s.tables
        for of, index, rates in ((tb.x_y, tb.x_y >= 0, w.X[1]), (tb.e_y, tb.e_y >= 0, w.e[1])):
            yd[of[index]] = rates[index]
        if np.max(np.abs(yd[s.nq :] - rd)) > JUMP * (1.0 + np.max(np.abs(rd))):
            self._rates(yd[: s.nq], rd)
            self.S[1] = w.X[1]

    def run(self, method, report=None) -> Result:
        """Integrate with the options of a `GeneralizedAlpha`, and evaluate everything at the output times."""
        begin, s, N = _time.process_time(), self.system, len(self.times)
        X, E, info = np.zeros((3, N, s.nx)), np.zeros((3, N, s.ne)), np.zeros(8)
        first, whole = self.times[0], self.times[-1] - self.times[0]
        for a, b, kink in self._pieces():
            info[TIME], info[LAST_STEP], status = a, 0.0, PAUSED
            if kink:
                info[STEP] = 0.0
            if a > first:
                self.begin(a)
            while status == PAUSED:
                status = run_nodal(
                    s.k, self.work.k, self.plan.k, self.ref, parameters(float(method.radius)), self.S, self.sigma_b,
                    self.before(a, b), float(method.rtol), float(method.atol), float(method.max_step),
                    float(method.step or 0.0), self.times, X, E, info,
                )  # fmt: skip
                if report:
                    report((info[TIME] - first) / whole)
            if status != DONE:
                raise self._why(info[TIME], status)
        X[0, -1], X[1, -1], E[0, -1] = self.S[0], self.S[1], self.ref
        counts = {k: int(info[i]) for k, i in zip(("steps", "rhs", "tangents", "rejected"),
                                                  (STEPS, RHS, TANGENTS, REJECTED), strict=True)}  # fmt: skip
        result = self._collect(X, E)
        unknowns = len(self.plan.diag)
        result.info.update(method="generalised alpha, sparse", solver="sparse", unknowns=unknowns, **counts,
                           cpu=_time.process_time() - begin)  # fmt: skip
        return result

    def _collect(self, X, E) -> Result:
        s, N = self.system, len(self.times)
        y, sigma, f, rho = np.zeros((N, 3, s.ny)), np.zeros((N, s.ne)), np.zeros((N, s.nx)), np.zeros((N, s.ny))
        energy, power = np.zeros((N, 3)), np.zeros((N, 4))
        bad = evaluate_nodal(s.k, self.work.k, self.plan.k, self.ref, self.sigma_b, self.times, y, X, E, sigma, f,
                             energy, power, rho)  # fmt: skip
        if bad >= 0:
            at = self.times[bad]
            raise ConvergenceError(f"results: the state at t = {at:g} s cannot be brought onto its conditions")
        return Result(s, self.times, y, X, E, sigma, f, energy, power, rho, np.zeros((N, 0)))

    def _why(self, t, status) -> Exception:
        if status > SINGULAR - len(self.plan.diag) - 1 and status <= SINGULAR:
            i = int(SINGULAR - status)
            x, b = np.flatnonzero(self.plan.place == i), np.flatnonzero(self.plan.b_place == i)
            name = self.system.x_names[x[0]] if len(x) else self.system.e_names[self.plan.bound[b[0]]]
            return InputError(
                f"mass matrix is singular at t = {t:g} s: nothing gives inertia to '{name}' or its neighbours; "
                "add a mass or inertia there, or make it rigid or released"
            )
        return explained(self.system, self.work, t, status)
