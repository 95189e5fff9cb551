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
    """L(i omega) (n_omega, n, n), or of one joint (n_omega,) with the other drives at rest."""
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
    return L[:, i, i]


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

    The phase margin is the least angle between L and -1 over all crossings of |L| = 1, negative where the mode at that
    crossing is beyond -180 degrees and the frozen closed loop is unstable.
    """
    omega = np.geomspace(0.5, 1e4, 6000) if omega is None else np.asarray(omega, float)
    L = open_loop(loop, t, omega, joint)
    mag, phase = np.abs(L), np.unwrap(np.angle(L))
    stable = bool(np.all(eigenvalues(loop, t).real < 1e-9))
    best = (np.inf, np.nan)
    for k in np.flatnonzero(np.diff(np.sign(mag - 1))):
        x = -np.log(mag[k]) / (np.log(mag[k + 1]) - np.log(mag[k]))
        p = phase[k] + x * (phase[k + 1] - phase[k])
        m = (p + np.pi + np.pi) % (2 * np.pi) - np.pi
        if abs(m) < abs(best[0]):
            best = (m, omega[k] * (omega[k + 1] / omega[k]) ** x)
    gain = (np.inf, np.nan)
    turned = (phase + np.pi) / (2 * np.pi)
    for k in np.flatnonzero(np.diff(np.floor(turned))):
        level = max(np.floor(turned[k]), np.floor(turned[k + 1]))
        x = (level - turned[k]) / (turned[k + 1] - turned[k])
        g = 1 / np.exp(np.log(mag[k]) + x * (np.log(mag[k + 1]) - np.log(mag[k])))
        if abs(np.log(g)) < abs(np.log(gain[0])):
            gain = (g, omega[k] * (omega[k + 1] / omega[k]) ** x)
    return Margins(gain[0], best[0], gain[1], best[1], stable)


def margins_along(loop: Loop, joint, times) -> list[Margins]:
    """Margins of one joint's loop at several points of the path."""
    return [margins(loop, t, joint) for t in times]
