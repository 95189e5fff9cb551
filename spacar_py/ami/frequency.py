"""The loop in the frequency domain at frozen points of the path: open and closed loop, margins, eigenvalues.

Plant and loop at a time t, with L broken at the drives:

    G(s) = E^T (M0 s^2 + (C0 + D0) s + K0 + G0 + N0)^-1 E        L(s) = G(s) W H(s)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, nearest
from .loop import Loop, perturbation_system


def _point(loop: Loop, t: float) -> int:
    """The grid point nearest to t."""
    grid = loop.nominal.t
    if not grid[0] <= t <= grid[-1]:
        raise InputError(f"open loop: t must lie between {grid[0]:g} and {grid[-1]:g} s, got {t:g}")
    return int(np.argmin(np.abs(grid - t)))


def joint_index(loop: Loop, joint) -> int:
    """Number of a joint given by number or label."""
    names = loop.nominal.joints
    if isinstance(joint, str):
        if joint not in names:
            raise InputError(
                f"open loop: there is no joint '{joint}'{nearest(joint, names)}; known: {', '.join(names)}"
            )
        return names.index(joint)
    if not 0 <= int(joint) < len(names):
        raise InputError(f"open loop: joint must be 0 to {len(names) - 1} or a name, got {joint}")
    return int(joint)


def open_loop(loop: Loop, t: float, omega, joint=None) -> np.ndarray:
    """L(i omega) (n_omega, n, n), or the loop of one joint (n_omega,) with the loops of the others closed.

    One joint's loop is what is seen when the loop is broken there only: 1 + L_j = 1/S_jj with S = (1 + L)^-1.
    """
    loop = loop.continuous or loop
    n, c, k = loop.nominal, loop.controller, _point(loop, t)
    K, C, M = n.mats[k, 3:].sum(axis=0), n.C0[k] + n.D0[k], n.M0[k]
    out = []
    for w in np.atleast_1d(omega):
        s = 1j * w
        G = loop.E.T @ np.linalg.solve(M * s**2 + C * s + K, loop.E)
        out.append(G @ loop.W[k] @ c.response(s))
    L = np.array(out)
    if joint is None:
        return L
    i = joint_index(loop, joint)
    return 1 / np.linalg.inv(np.eye(L.shape[1]) + L)[:, i, i] - 1


def closed_loop(loop: Loop, t: float, omega) -> np.ndarray:
    """(1 + L)^-1 L (n_omega, n, n): from what the joints are told to what they do, but for the feedforward."""
    L = open_loop(loop, t, omega)
    return np.linalg.solve(np.eye(L.shape[1]) + L, L)


def eigenvalues(loop: Loop, t: float) -> np.ndarray:
    """Eigenvalues of the closed loop with the matrices frozen at t, by size; a sampled controller as if continuous."""
    _point(loop, t)
    A, _ = perturbation_system(loop.continuous or loop).frozen(t)
    lam = np.linalg.eigvals(A)
    return lam[np.argsort(np.abs(lam))]


@dataclass(frozen=True)
class Margins:
    """Gain margin (factor), phase margin (rad), their frequencies (rad/s), and whether the frozen loop is stable."""

    gain: float
    phase: float
    omega_gain: float
    omega_phase: float
    stable: bool


def margins(loop: Loop, t: float, joint, omega=None) -> Margins:
    """Smallest gain and phase margin of one joint's loop at a frozen point of the path.

    Phase: the least angle between L and -1 where |L| = 1; of an unstable frozen loop the least one that is negative.
    Gain: the factor nearest to 1, above or below, that brings L to -1.
    """
    omega = np.geomspace(0.5, 1e4, 6000) if omega is None else np.asarray(omega, float)
    L = open_loop(loop, t, omega, joint)
    size, phase = np.log(np.abs(L)), np.unwrap(np.angle(L))
    stable = bool(np.all(eigenvalues(loop, t).real < 1e-9))
    turns = phase / (2 * np.pi) - 0.5  # whole where L is on the negative real axis
    angle, at = _crossings(size, phase, omega, 0.0)
    angle = (angle % (2 * np.pi)) - np.pi
    beyond = not stable and np.any(angle < 0)
    k = np.argmin(np.where(beyond & (angle > 0), np.inf, np.abs(angle))) if len(angle) else None
    levels = np.arange(np.ceil(turns.min()), np.floor(turns.max()) + 1)
    found = [_crossings(turns, size, omega, level) for level in levels]
    gain, at_gain = (np.concatenate([f[i] for f in found] or [np.zeros(0)]) for i in range(2))
    j = np.argmin(np.abs(gain)) if len(gain) else None
    return Margins(
        gain=np.inf if j is None else float(np.exp(-gain[j])),
        phase=np.inf if k is None else float(angle[k] if beyond else abs(angle[k])),
        omega_gain=np.nan if j is None else float(at_gain[j]),
        omega_phase=np.nan if k is None else float(at[k]),
        stable=stable,
    )


def _crossings(x, y, omega, level) -> tuple[np.ndarray, np.ndarray]:
    """y and omega, linear between the samples (omega in its logarithm), where x crosses the level."""
    k = np.flatnonzero(np.diff(np.sign(x - level)))
    f = (level - x[k]) / (x[k + 1] - x[k])
    return y[k] + f * (y[k + 1] - y[k]), omega[k] * (omega[k + 1] / omega[k]) ** f


def margins_along(loop: Loop, joint, times) -> list[Margins]:
    """Margins of one joint's loop at several points of the path."""
    return [margins(loop, t, joint) for t in times]
