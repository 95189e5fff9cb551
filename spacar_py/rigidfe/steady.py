"""Equilibrium of springs in a mechanism whose drives turn with constant velocity."""

from __future__ import annotations

import numpy as np

from ..errors import ConvergenceError
from ..motion import initial, kinematic_trouble, place


def steady_state(model, t: float = 0.0, q0=None, *, iterations: int = 30) -> dict[str, float]:
    """Degrees of freedom q in relative equilibrium at the time t: rho(q, qd = 0, qdd = 0; r, rd, rdd = 0) = 0.

    The prescribed quantities r have their values and rates of the time t but no acceleration, so gravity,
    loads and centrifugal forces are balanced by the springs. Where the pose changes with time this is the
    equilibrium of that instant, the start with the least vibration one can ask of a resting shape.

    Parameters
    ----------
    model : Model
    t : float
        Time (s) at which prescribed motions and loads are taken.
    q0 : mapping or array, optional
        Where to start the iteration.

    Returns
    -------
    dict
        Values by name, as `simulate(q0=...)` takes them.
    """
    from ..dynamics import inputs, position
    from ..tangent import tangent

    s = model.compile()
    w, ref, out = s.work(), np.zeros(s.ne), np.zeros((6, s.ny, s.ny))
    q = initial(s, q0, s.y0[: s.nq], "q0")
    s.set_python_signals(t)
    inputs(s.k, w.k, float(t))
    r = w.y[:, s.nq :].copy()
    r[2] = 0.0
    place(s, w, np.concatenate([q, r[0]]), ref, t)
    last = np.inf
    for _ in range(iterations):
        w.y[:, : s.nq] = 0.0
        w.y[0, : s.nq], w.y[:, s.nq :] = q, r
        status = position(s.k, w.k, ref)
        if status <= 0:
            raise ConvergenceError(f"steady state: {kinematic_trouble(s, w, status)}; try another start q0")
        tangent(s.k, w.k, float(t), ref, out)
        ref[:] = w.e[0]
        dq = -np.linalg.solve(out[3:].sum(axis=0)[: s.nq, : s.nq], w.rho[: s.nq]) if s.nq else np.zeros(0)
        q = q + dq
        size, scale = np.abs(dq).max(initial=0.0), max(np.abs(q).max(initial=0.0), 1e-6)
        if size <= 1e-13 * scale or (size <= 1e-9 * scale and size >= last / 2):
            return dict(zip(s.dof, q.tolist(), strict=True))
        last = size
    raise ConvergenceError(
        f"steady state: no equilibrium at t = {t:g} s after {iterations} iterations (last change {size:.1e}); "
        "the springs may be too weak for the velocity, or q0 too far off"
    )
