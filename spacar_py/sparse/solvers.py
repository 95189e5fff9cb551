"""Statics of large models: load steps with the exact sparse tangent."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import splu

from ..errors import ConvergenceError
from ..integrate.problem import initial
from ..kinematics import _turned_round
from ..results import Result
from .nodal import Nodal
from .states import collect

RAMPED = ("gravity", "loads", "actuators", "prestress", "prescribed")

_TOL = 1e-10


def equilibrium(nodal: Nodal, time: float, sigma: np.ndarray, most: int = 30):
    """Newton from the coordinates in w.X[0]; the stress resultants of the conditions, or None, and why not.

    Those of the elastic deformations are unknowns of their own, and not S e(x) on the way:

        f - D^T sigma = 0        e(x) - S^-1 (sigma - sigma0) = 0        e_b(x) - target = 0

    A slender beam can then turn far in one step, in a chain or in a loop: the elongation that a linear turn feigns is a
    gap, not a force.
    """
    w, free, last = nodal.w, nodal.free, np.inf
    for it in range(most):
        gap = nodal.unbalance(time, sigma)
        nodal.iterations += 1
        try:
            step = splu(nodal.stiffness(time)).solve(gap)
        except RuntimeError:
            return None, "the stiffness matrix is singular"
        if not np.all(np.isfinite(step)):
            return None, "the stiffness matrix is singular"
        dx, dsigma = np.zeros(nodal.system.nx), step[len(free) :]
        dx[free] = step[: len(free)]
        w.X[0] += dx
        sigma = sigma + dsigma
        size = np.abs(nodal.dof_rates(dx, dsigma)).max(initial=0.0) / max(np.abs(nodal.q()).max(initial=0.0), 1e-6)
        if not size < 1e8:
            break
        if size < _TOL or (it > 2 and size < 1e-6 and size > 0.3 * last):
            nodal.unbalance(time, sigma)
            nodal.ref[:] = w.e[0]
            return (None, "a link has turned round") if _turned_round(nodal.system.k, w.k) else (sigma, "")
        last = size
    return None, f"no equilibrium after {it + 1} iterations"


def solve_static_sparse(model, *, steps: int = 10, q0=None, t: float = 0.0, ramp=RAMPED, min_step: float = 1e-4,
                        iterations: int = 30) -> Result:  # fmt: skip
    """As `solve_static`, in nodal coordinates with sparse matrices."""
    system = model.compile()
    nodal = Nodal(system)
    w = nodal.w
    nodal.set_inputs(t)
    r0, r1 = system.y0[system.nq :], w.y[0, system.nq :].copy()
    points, at, before = Points(system, steps + 1), 0.0, None
    q = initial(system, q0, system.y0[: system.nq], "q0")
    if nodal.move(q, _load(nodal, 0.0, ramp, r0, r1)) <= 0:
        raise ConvergenceError("statics: the kinematics did not converge at q0; choose another q0")
    nodal.ref[:] = w.e[0]
    now = w.X[0].copy(), nodal.law(t)
    for k, target in enumerate(np.linspace(0.0, 1.0, steps + 1)):
        h, first = target - at, target == 0.0
        while first or at < target - 1e-12:
            goal = target if first else min(at + h, target)
            first, ref, lead = False, nodal.ref.copy(), 0.0 if before is None else (goal - at) / (at - before[2])
            x, sigma = now if before is None else (a + lead * (a - b) for a, b in zip(now, before, strict=False))
            w.X[0] = x
            _load(nodal, goal, ramp, r0, r1)
            sigma, why = equilibrium(nodal, t, sigma, iterations)
            if sigma is None:
                nodal.ref[:], before = ref, None
                h /= 2
                if h < min_step or target == 0.0:
                    raise ConvergenceError(
                        f"statics: no equilibrium between load factors {at:g} and {goal:g}: {why}; "
                        "near a limit point use trace_static, which follows the path by arc length"
                    )
                continue
            before = (*now, at) if goal > at else None
            now, at = (w.X[0].copy(), sigma), goal
        points.take(nodal, k, t)
    info = dict(method="statics", solver="sparse", ramp=list(ramp), unknowns=nodal.n, iterations=nodal.iterations)
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
