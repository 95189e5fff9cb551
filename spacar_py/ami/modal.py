"""Adaptive modal integration: the kept modes carried along the path, the rest taken quasi-statically.

Modes of the symmetric part, (K0S - w^2 M0) phi = 0. Phi is the carried basis of the kept ones, Psi that of the others.
The quasi-static part of the others, with x = (eta, mu, z) and the forces E W ... of the controller (see loop.py):

    F  = K0bar^-1 - Phi (Phi^T K0bar Phi)^-1 Phi^T
    dq = Phi eta + F (f0 - E W (C z + (D - kp) E^T dq) - C0bar Phi mu) = Y (x, 1)
    v  = d(dq)/dt,    mu = Phi^T M0 v
    mud = (Phid^T M0 + Phi^T M0d - Phi^T C0bar) v + Phi^T (f0 - E W (C z + (D - kp) E^T dq) - K0bar Phi eta)

The correction and the controller are one small linear system, solved beforehand at the points of the path. `inertial`
keeps the inertia of the whole quasi-static part in v; `static` (mode acceleration, the paper) takes v = Phi etad + Phid
eta and of C0bar only the controller's part; `none` leaves F out. In momentum form only first derivatives enter, and
nothing jumps at a kink.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from .loop import Loop
from .ltv import LTVSystem, derivative

CORRECTIONS = ("inertial", "static", "none")
GAP = 1.25


@dataclass(eq=False)
class ModalBasis:
    """Frequencies and modes at the N points of the path.

    Attributes
    ----------
    omega : (N, n) array
        Frequencies (rad/s) in ascending order; negative where K0S is not positive.
    V : (N, n, n) array
        Modes as columns, normalised to M0.
    """

    t: np.ndarray
    omega: np.ndarray
    V: np.ndarray
    M0: np.ndarray

    def clusters(self, modes: int) -> list[tuple[int, int, int]]:
        """The kept modes in ranges (first, end, reach) that a gap of a quarter separates all along the path.

        The reach goes beyond the end only for the last range, over the left-out modes that somewhere come as near as
        that to the kept ones: a cut through a cluster.
        """
        w = np.abs(self.omega)
        cuts = [j for j in range(1, modes) if np.all(w[:, j] > GAP * w[:, j - 1])]
        near = np.any(w[:, modes:] < GAP * w[:, modes - 1 : modes], axis=0)
        ends = [*cuts, modes]
        return list(zip([0, *cuts], ends, [*ends[:-1], modes + int(near.sum())], strict=True))

    def carried(self, modes: int) -> tuple[np.ndarray, np.ndarray]:
        """Bases Phi (N, n, modes) of the lowest modes and Psi (N, n, n - modes) of the rest.

        Phi_k = V_k U with U the orthogonal polar factor of V_k^T M0 Phi_(k-1), cluster by cluster: modes that come near
        each other turn together, while soft and stiff ones stay apart, so that interpolating a stiffness of 1e8 leaves
        no trace in one of 1e2. Where the cut goes through a cluster, U is taken in the whole of it: the kept part of
        the cluster goes on smoothly, whatever turns within.
        """
        N, n = self.V.shape[:2]
        c = np.zeros((N, n, modes))
        c[0, :modes] = np.eye(modes)
        for a, b, reach in self.clusters(modes):
            for k in range(1, N):
                before = self.V[k - 1] @ c[k - 1, :, a:b]
                L, _, R = np.linalg.svd(self.V[k][:, a:reach].T @ (self.M0[k] @ before), full_matrices=False)
                c[k, a:reach, a:b] = L @ R
        rest = np.linalg.qr(c, mode="complete")[0][:, :, modes:]
        return self.V @ c, self.V @ rest

    def followed(self) -> np.ndarray:
        """Frequencies (N, n) of single modes followed by correlation, for pictures and names."""
        from scipy.optimize import linear_sum_assignment

        out, order = self.omega.copy(), np.arange(self.V.shape[1])
        for k in range(1, len(self.t)):
            c = np.abs(self.V[k - 1].T @ self.M0[k] @ self.V[k])[order]
            order = linear_sum_assignment(-c)[1]
            out[k] = self.omega[k][order]
        return out


def modal_basis(loop: Loop) -> ModalBasis:
    """Modes of the symmetric part of K0bar along the path, signed so that the largest component is positive."""
    M = loop.nominal.M0
    L = np.linalg.cholesky(M)
    B = np.linalg.solve(L, _t(np.linalg.solve(L, loop.symmetric_K)))
    w2, U = np.linalg.eigh(0.5 * (B + _t(B)))
    V = np.linalg.solve(_t(L), U)
    lead = np.take_along_axis(V, np.abs(V).argmax(axis=1)[:, None, :], axis=1)
    return ModalBasis(loop.nominal.t, np.sign(w2) * np.sqrt(np.abs(w2)), V * np.sign(lead), M)


def _t(A):
    return np.swapaxes(A, 1, 2)


def residual_flexibility(K: np.ndarray, Phi: np.ndarray, Psi: np.ndarray) -> np.ndarray:
    """F = K^-1 - Phi (Phi^T K Phi)^-1 Phi^T, by blocks, so that K may be singular in the kept modes."""
    if Psi.shape[2] == 0:
        return np.zeros_like(K)
    inverse = np.linalg.pinv(_t(Phi) @ K @ Phi, rcond=1e-13)
    right = Psi - Phi @ (inverse @ (_t(Phi) @ K @ Psi))
    left = _t(Psi) - (_t(Psi) @ K @ Phi) @ inverse @ _t(Phi)
    return right @ np.linalg.solve(_t(Psi) @ K @ right, left)


@dataclass(eq=False)
class Reduction:
    """The reduced equations at the N points: maps of (eta, mu, z, 1), each (N, rows, 2 modes + nz + 1).

    Attributes
    ----------
    dq, v : maps to the deviation and its rate
    rows : map to d/dt (eta, mu, z)
    F : (N, n, n) array
        Residual flexibility of the left-out modes.
    """

    loop: Loop
    Phi: np.ndarray
    Psi: np.ndarray
    F: np.ndarray
    dq: np.ndarray
    v: np.ndarray
    rows: np.ndarray

    def state(self, k: int, dq, v, z) -> np.ndarray:
        """(eta, mu, z) at point k nearest to given dq and v in the norm of M0."""
        h, P = self.Phi.shape[2], self.Phi[k].T @ self.loop.nominal.M0[k]
        mu = P @ v
        given = np.concatenate([mu, z, [1.0]])
        rest = P @ (dq - self.dq[k][:, h:] @ given)
        return np.concatenate([np.linalg.solve(P @ self.dq[k][:, :h], rest), mu, z])

    def jump(self, piece: int, x: np.ndarray) -> np.ndarray:
        """Carry (dq, v) over the kink before a piece, at which the maps may change."""
        pieces = self.loop.nominal.pieces
        a, b = pieces[piece - 1][1] - 1, pieces[piece][0] if piece < len(pieces) else len(self.dq) - 1
        full = np.append(x, 1.0)
        return self.state(b, self.dq[a] @ full, self.v[a] @ full, x[len(x) - self.loop.nz :])

    def system(self, interpolation: str = "cubic") -> LTVSystem:
        """The LTV system; its output is (dq, dqd)."""
        n = self.loop.nominal
        dq, z = self.loop.equilibrium()
        x0 = self.state(0, dq, np.zeros_like(dq), z)
        return LTVSystem(n.t, n.pieces, self.rows, np.concatenate([self.dq, self.v], axis=1), x0,
                         interpolation=interpolation, jump=self.jump)  # fmt: skip


def reduce(loop: Loop, basis: ModalBasis, modes: int, correction: str = "inertial") -> Reduction:
    """The reduced equations for a number of kept modes."""
    if correction not in CORRECTIONS:
        raise InputError(f"AMI: correction must be one of {', '.join(CORRECTIONS)}, got {correction!r}")
    nom, c = loop.nominal, loop.controller
    N, n, h, nz = len(nom.t), loop.nq, modes, loop.nz
    t, pieces, M, f0 = nom.t, nom.pieces, nom.M0, loop.f0[:, :, None]
    Phi, Psi = basis.carried(modes)
    PT, Phid = _t(Phi), derivative(t, Phi, pieces)
    F = residual_flexibility(loop.K, Phi, Psi)
    used = np.zeros_like(F) if correction == "none" else F
    damping = loop.C if correction == "inertial" else loop.EWDv
    force = np.concatenate([np.zeros((N, n, h)), -damping @ Phi, -loop.EWC, f0], axis=2)
    part = used @ force
    part[:, :, :h] = Phi
    dq = np.linalg.solve(np.eye(n) + used @ loop.EWD, part)

    zd = c.B @ loop.E.T @ dq
    zd[:, :, 2 * h : 2 * h + nz] += c.A
    force[:, :, h : 2 * h] = 0.0
    pull = PT @ (force - loop.EWD @ dq)
    pull[:, :, :h] -= PT @ loop.K @ Phi
    G = _t(Phid) @ M + PT @ derivative(t, M, pieces) - PT @ loop.C
    if correction == "inertial":
        lead, by_mu, by_z = dq[:, :, :h], dq[:, :, h : 2 * h], dq[:, :, 2 * h : 2 * h + nz]
        turn = np.linalg.inv(np.eye(n) - by_mu @ G)
        lead, rest = turn @ lead, turn @ (derivative(t, dq, pieces) + by_mu @ pull + by_z @ zd)
    else:
        lead, rest = Phi, np.concatenate([Phid, np.zeros((N, n, h + nz + 1))], axis=2)
    etad = -PT @ M @ rest
    etad[:, :, h : 2 * h] += np.eye(h)
    etad = np.linalg.solve(PT @ M @ lead, etad)
    v = lead @ etad + rest
    return Reduction(loop, Phi, Psi, F, dq, v, np.concatenate([etad, G @ v + pull, zd], axis=1))


def left_out_error(reduction: Reduction, x, rows: np.ndarray) -> float:
    """Estimated largest error in the outputs rows @ dq (N, d), from the states x at the points of the path.

    What the full equations lack with the reduced solution is a force r on the left-out modes; they would answer it with
    F r, and a jump of their rate at a kink with a vibration of the jump over their frequency.
    """
    if x is None:
        return np.inf
    loop, nom = reduction.loop, reduction.loop.nominal
    full = np.column_stack([x, np.ones(len(x))])[:, :, None]
    dq, v = reduction.dq @ full, reduction.v @ full
    z = x[:, len(x[0]) - loop.nz :, None]
    r = loop.f0[:, :, None] - loop.EWC @ z - (loop.K + loop.EWD) @ dq - loop.C @ v
    r -= nom.M0 @ derivative(nom.t, v, nom.pieces)
    error = np.abs(rows @ (reduction.F @ r))[:, :, 0]
    return float(error.max())
