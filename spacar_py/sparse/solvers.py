"""Statics and natural frequencies of large models."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from ..errors import ConvergenceError
from ..results import Result
from ..statics import RAMPED
from .nodal import Nodal

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
        force = nodal.residual(time, np.zeros_like(sigma))
        w.sigma[nodal.bound] = sigma
        try:
            lu = splu(nodal.stiffness(time))
        except RuntimeError:
            return None, "the stiffness matrix is singular"
        force[nf:] = 0.0
        step = lu.solve(force)
        if not np.all(np.isfinite(step)):
            return None, "the stiffness matrix is singular"
        sigma = step[nf:]
        dx = np.zeros(nx)
        dx[nodal.free] = step[:nf]
        dq = nodal.dof_rates(dx)
        q = q + dq
        size = np.abs(dq).max(initial=0.0) / max(np.abs(q).max(initial=0.0), 1e-5)
        if size < _TOL or (it > 2 and size < 1e-6 and size > 0.3 * last):
            nodal.move(q, r)
            nodal.residual(time, sigma)
            nodal.ref[:] = w.e[0]
            return q, sigma
        last = size
    return None, f"no equilibrium after {most} iterations"


def solve_static_sparse(model, *, steps: int = 10, t: float = 0.0, ramp=RAMPED, min_step: float = 1e-4,
                        iterations: int = 30) -> Result:  # fmt: skip
    """As `solve_static`, in nodal coordinates with sparse matrices."""
    system = model.compile()
    nodal = Nodal(system)
    w = nodal.w
    nodal.set_inputs(t)
    r0, r1 = system.y0[system.nq :], w.y[0, system.nq :].copy()
    sigma, at, states = np.zeros(len(nodal.bound)), 0.0, []
    q, previous = system.y0[: system.nq].copy(), None
    for target in np.linspace(0.0, 1.0, steps + 1):
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
                    raise ConvergenceError(f"statics: no equilibrium between load factors {at:g} and {goal:g}: {why}")
                continue
            previous = (q, at) if goal > at else None
            q, sigma, at = new, why, goal
        states.append(_snapshot(nodal))
    return _result(system, np.linspace(0.0, 1.0, steps + 1), states)


def _load(nodal, factor, ramp, r0, r1) -> np.ndarray:
    """Set the load factors; the prescribed values that belong to them."""
    nodal.w.fac[:] = [factor if kind in ramp else 1.0 for kind in ("gravity", "loads", "actuators", "prestress")]
    r = r0 + (factor if "prescribed" in ramp else 1.0) * (r1 - r0)
    nodal.set_inputs(0.0, r)
    return r


def _snapshot(nodal):
    """x, e, sigma and support forces of the present state."""
    w = nodal.w
    return w.X[0].copy(), w.e[0].copy(), w.sigma.copy(), -w.fx.copy()


def _result(system, factors, states) -> Result:
    N, t = len(states), system.tables
    X, E = np.zeros((3, N, system.nx)), np.zeros((3, N, system.ne))
    sigma, f, y = np.zeros((N, system.ne)), np.zeros((N, system.nx)), np.zeros((N, 3, system.ny))
    for k, (x, e, s, force) in enumerate(states):
        X[0, k], E[0, k], sigma[k], f[k] = x, e, s, force
    xs, es = np.flatnonzero(t.x_y >= 0), np.flatnonzero(t.e_y >= 0)
    y[:, 0, t.x_y[xs]], y[:, 0, t.e_y[es]] = X[0][:, xs], E[0][:, es]
    return Result(system, factors, y, X, E, sigma, f, np.zeros((N, 3)), np.zeros((N, 4)), np.zeros((N, system.ny)),
                  np.zeros((N, 0)), dict(method="statics, sparse"))  # fmt: skip


def frequencies_sparse(model, count: int = 10, *, nodal: Nodal | None = None, t: float = 0.0, sigma=None,
                       shift: float = 0.0):  # fmt: skip
    """Lowest natural frequencies (rad/s) and shapes (nx, count) about the present state of `nodal` (at rest as drawn).

    Shift-invert Lanczos on the saddle-point matrix: the stress resultants have no mass.
    """
    nodal = nodal or Nodal(model.compile())
    if not hasattr(nodal, "target"):
        nodal.set_inputs(t)
    nodal.residual(t, np.zeros(len(nodal.bound)) if sigma is None else sigma)
    K, M = nodal.stiffness(t), nodal.mass()
    lu = splu((K - shift * M).tocsc())
    A = (K - shift * M).tocsc()

    def refined(b):
        """One step of refinement: short elements make stiffness matrices that need it."""
        x = lu.solve(b)
        return x + lu.solve(b - A @ x)

    inverse = LinearOperator(K.shape, matvec=refined, dtype=float)
    start = refined(M @ np.random.default_rng(0).standard_normal(nodal.n))
    w2, V = eigsh(K, k=count, M=M, sigma=shift, OPinv=inverse, v0=start, which="LM")
    order = np.argsort(w2)
    shapes = np.zeros((nodal.system.nx, count))
    shapes[nodal.free] = V[: len(nodal.free)][:, order]
    return np.sign(w2[order]) * np.sqrt(np.abs(w2[order])), shapes
