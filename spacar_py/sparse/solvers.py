"""Statics of large models: load steps with the exact sparse tangent."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import splu

from ..errors import ConvergenceError
from ..integrate.problem import initial
from ..results import Result
from .nodal import Nodal
from .states import collect

RAMPED = ("gravity", "loads", "actuators", "prestress", "prescribed")

_TOL = 1e-10


def equilibrium(nodal: Nodal, time: float, q: np.ndarray, r: np.ndarray, sigma: np.ndarray, most: int = 30):
    """Newton from q; (q, sigma) with the stress resultants of the conditions, or (None, why).

    The linear step is solved in nodal coordinates, where it is sparse, but taken in the degrees of freedom: x = F(q)
    then follows exactly, so that slender beams need no more iterations than in the dense solver.
    """
    w, nf, nx = nodal.w, len(nodal.free), nodal.system.nx
    last = np.inf
    for it in range(most):
        if nodal.move(q, r) <= 0:
            return None, "the kinematics did not converge"
        force = np.zeros(nodal.n)
        force[:nf] = nodal.residual(time, np.zeros_like(sigma))[:nf]
        w.sigma[nodal.bound] = sigma
        try:
            step = splu(nodal.stiffness(time)).solve(force)
        except RuntimeError:
            return None, "the stiffness matrix is singular"
        if not np.all(np.isfinite(step)):
            return None, "the stiffness matrix is singular"
        sigma = step[nf:][nodal.of_bound]
        dx = np.zeros(nx)
        dx[nodal.free] = step[:nf]
        dq = nodal.dof_rates(dx, step[nf:])
        q = q + dq
        size = np.abs(dq).max(initial=0.0) / max(np.abs(q).max(initial=0.0), 1e-6)
        if size < _TOL or (it > 2 and size < 1e-6 and size > 0.3 * last):
            nodal.move(q, r)
            nodal.residual(time, sigma)
            nodal.ref[:] = w.e[0]
            return q, sigma
        last = size
    return None, f"no equilibrium after {most} iterations"


def solve_static_sparse(model, *, steps: int = 10, q0=None, t: float = 0.0, ramp=RAMPED, min_step: float = 1e-4,
                        iterations: int = 30) -> Result:  # fmt: skip
    """As `solve_static`, in nodal coordinates with sparse matrices."""
    system = model.compile()
    nodal = Nodal(system)
    w = nodal.w
    nodal.set_inputs(t)
    r0, r1 = system.y0[system.nq :], w.y[0, system.nq :].copy()
    sigma, at, points = np.zeros(len(nodal.bound)), 0.0, Points(system, steps + 1)
    q, previous = initial(system, q0, system.y0[: system.nq], "q0"), None
    for k, target in enumerate(np.linspace(0.0, 1.0, steps + 1)):
        h, first = target - at, target == 0.0
        while first or at < target - 1e-12:
            goal = target if first else min(at + h, target)
            first = False
            r = _load(nodal, goal, ramp, r0, r1)
            keep = w.X[0].copy(), nodal.ref.copy()
            guess = q if previous is None else q + (q - previous[0]) * (goal - at) / (at - previous[1])
            new, why = equilibrium(nodal, t, guess, r, sigma, iterations)
            if new is None:
                w.X[0], nodal.ref[:] = keep
                previous = None
                h /= 2
                if h < min_step or target == 0.0:
                    raise ConvergenceError(
                        f"statics: no equilibrium between load factors {at:g} and {goal:g}: {why}; "
                        "near a limit point use trace_static, which follows the path by arc length"
                    )
                continue
            previous = (q, at) if goal > at else None
            q, sigma, at = new, why, goal
        points.take(nodal, k, t)
    info = dict(method="statics", solver="sparse", ramp=list(ramp), unknowns=nodal.n)
    return points.result(np.linspace(0.0, 1.0, steps + 1), info)


class Points:
    """Arrays of a static result, filled state by state."""

    def __init__(self, system, N):
        s = self.system = system
        self.a = dict(
            Y=np.zeros((N, 3, s.ny)), X=np.zeros((3, N, s.nx)), E=np.zeros((3, N, s.ne)), sigma=np.zeros((N, s.ne)),
            f=np.zeros((N, s.nx)), energy=np.zeros((N, 3)), power=np.zeros((N, 4)), rho=np.zeros((N, s.ny)),
        )  # fmt: skip

    def take(self, nodal, k, t) -> None:
        """The present state becomes point k."""
        nodal.w.X[1:], nodal.w.e[1:] = 0.0, 0.0
        times = np.full(k + 1, float(t))
        collect(self.system.k, nodal.w.k, k, times, *self.a.values())

    def result(self, factors, info) -> Result:
        """What the dense solver returns, with the same names."""
        a, N = self.a, len(factors)
        return Result(self.system, factors, a["Y"], a["X"], a["E"], a["sigma"], a["f"], a["energy"], a["power"],
                      a["rho"], np.zeros((N, 0)), info)  # fmt: skip


def _load(nodal, factor, ramp, r0, r1) -> np.ndarray:
    """Set the load factors; the prescribed values that belong to them."""
    nodal.w.fac[:] = [factor if kind in ramp else 1.0 for kind in ("gravity", "loads", "actuators", "prestress")]
    r = r0 + (factor if "prescribed" in ramp else 1.0) * (r1 - r0)
    nodal.set_inputs(0.0, r)
    return r
