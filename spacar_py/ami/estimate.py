"""Error of adaptive modal integration, estimated without the full solution."""

from __future__ import annotations

import numpy as np

from .ltv import LTVSystem, derivative
from .modal import Reduction, reduce


def left_out_error(reduction: Reduction, rows: np.ndarray, run) -> float:
    """Estimated largest error of the outputs rows @ dq along the path.

    What the full equations lack with the reduced solution is a force r = R(t) (x, 1); the reduced system's answer to
    it, the quasi-static one of the left-out modes included, is the error. Both are integrated together. Where a
    left-out mode or its rate jumps at a kink, it vibrates with the jump, or with the jump over its frequency.

    Parameters
    ----------
    rows : (N, d, nq) array
    run : function (LTVSystem) -> states at the points of the path, or None where it runs away
    """
    loop, nom, n = reduction.loop, reduction.loop.nominal, reduction.rows.shape[1]

    def rate(m):
        return derivative(nom.t, m, nom.pieces) + m[:, :, :n] @ reduction.rows

    v = rate(reduction.dq)
    R = -(loop.K + loop.EWD) @ reduction.dq - loop.C @ v - nom.M0 @ rate(v)
    R[:, :, n - loop.nz : n] -= loop.EWC
    R[:, :, n] += loop.f0
    answer = reduce(loop, reduction.basis, reduction.Phi.shape[2], "inertial", (R, reduction.rows))

    def own(m):
        return np.concatenate([np.zeros((len(m), m.shape[1], n)), m], axis=2)

    states = run(LTVSystem(
        nom.t, nom.pieces, np.concatenate([answer.rows, own(reduction.rows)], axis=1), own(reduction.output),
        np.append(np.zeros(n), reduction.x0), jump=lambda piece, x: np.append(x[:n], reduction.jump(piece, x[n:])),
    ))  # fmt: skip
    if states is None:
        return np.inf
    states = np.column_stack([states, np.ones(len(states))])[:, :, None]
    error = np.abs(rows @ (answer.dq @ states))[:, :, 0].max(axis=0)
    kinks = _kink_error(reduction, reduction.dq @ states[:, n:], v @ states[:, n:], rows)
    return float((error + kinks).max())


def _kink_error(reduction: Reduction, dq, v, rows) -> np.ndarray:
    """Largest vibration of the outputs that jumps of the left-out modes and their rates leave behind."""
    nom, h = reduction.loop.nominal, reduction.Phi.shape[2]
    w = np.maximum(np.abs(reduction.basis.omega), 1e-9)
    worst, before = np.zeros(rows.shape[1]), (reduction.loop.equilibrium()[0][:, None], 0.0 * v[0])
    for first, end in nom.pieces:
        V = reduction.basis.V[first][:, h:]
        x, xd = (V.T @ nom.M0[first] @ (a - b) for a, b in zip((dq[first], v[first]), before, strict=True))
        worst = np.maximum(worst, np.abs(rows[first] @ V) @ (np.abs(x[:, 0]) + np.abs(xd[:, 0]) / w[first, h:]))
        before = dq[end - 1], v[end - 1]
    return worst
