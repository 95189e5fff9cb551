"""Adaptive modal integration: the kept modes carried along the path, the rest taken quasi-statically.

Modes of the symmetric part, (K0S - w^2 M0) phi = 0. With Phi the carried basis of the kept ones and
F = K0bar^-1 - Phi (Phi^T K0bar Phi)^-1 Phi^T, correction and controller are one small linear system:

    dq = Q (Phi eta - F E W C z + F f0) = Phi' eta + Gamma z + gamma,     Q = (I + F E W (D - kp) E^T)^-1
    v  = d(dq)/dt,   mu = Phi^T M0 v
    mud = (Phid^T M0 + Phi^T M0d - Phi^T C0bar) v + Phi^T (f0 - E W (C z + (D - kp) E^T dq) - K0bar Phi eta)

`inertial` keeps the inertia of the whole quasi-static part in v, the controller's included; `static` (the paper) takes
v = Phi etad + Phid eta; `none` leaves F out. In momentum form only first derivatives enter, and nothing jumps at a kink.
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

    def clusters(self, modes: int) -> list[tuple[int, int]]:
        """The kept modes in ranges that a gap of a quarter separates all along the path."""
        w = np.abs(self.omega)
        cuts = [j for j in range(1, modes) if np.all(w[:, j] > GAP * w[:, j - 1])]
        return list(zip([0, *cuts], [*cuts, modes], strict=True))

    def carried(self, modes: int) -> np.ndarray:
        """Basis (N, n, modes) of the lowest modes, turned at every point to stay closest to the one before.

        Phi_k = V_k U with U the orthogonal polar factor of V_k^T M0 Phi_(k-1), cluster by cluster: modes that come near
        each other turn together, while soft and stiff ones stay apart, so that interpolating a stiffness of 1e8 leaves
        no trace in one of 1e2. Where a left-out mode crosses the kept ones, the subspace that goes on smoothly is taken
        instead of the lowest one.
        """
        n = self.V.shape[1]
        Phi = np.empty((len(self.t), n, modes))
        Phi[0] = self.V[0][:, :modes]
        for a, b in self.clusters(modes):
            open_end = b == modes < n
            for k in range(1, len(self.t)):
                overlap = self.V[k].T @ (self.M0[k] @ Phi[k - 1][:, a:b])
                keep = np.arange(a, b)
                L, s, R = np.linalg.svd(overlap[keep])
                if open_end and s[-1] < 0.7:
                    keep = a + np.sort(np.argsort(-np.linalg.norm(overlap[a:], axis=1))[: b - a])
                    L, s, R = np.linalg.svd(overlap[keep])
                Phi[k][:, a:b] = self.V[k][:, keep] @ (L @ R)
        return Phi

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
    n = loop.nq
    M = loop.nominal.M0[:, :n, :n]
    L = np.linalg.cholesky(M)
    B = np.linalg.solve(L, np.swapaxes(np.linalg.solve(L, loop.symmetric_K), 1, 2))
    w2, U = np.linalg.eigh(0.5 * (B + np.swapaxes(B, 1, 2)))
    V = np.linalg.solve(np.swapaxes(L, 1, 2), U)
    lead = np.take_along_axis(V, np.abs(V).argmax(axis=1)[:, None, :], axis=1)
    return ModalBasis(loop.nominal.t, np.sign(w2) * np.sqrt(np.abs(w2)), V * np.sign(lead), M)


def _t(A):
    return np.swapaxes(A, 1, 2)


def reduced_system(loop: Loop, basis: ModalBasis, modes: int, correction: str = "inertial",
                   interpolation: str = "cubic") -> LTVSystem:  # fmt: skip
    """The LTV system in x = (eta, mu, z); its output is (dq, dqd)."""
    if correction not in CORRECTIONS:
        raise InputError(f"AMI: correction must be one of {', '.join(CORRECTIONS)}, got {correction!r}")
    nom, c = loop.nominal, loop.controller
    n, h, nz, N = loop.nq, modes, loop.nz, len(nom.t)
    t, pieces, M, K, f0 = nom.t, nom.pieces, nom.M0[:, :n, :n], loop.K, loop.f0[:, :, None]
    Phi = basis.carried(modes)
    PT = _t(Phi)
    Phid, Md = derivative(t, Phi, pieces), derivative(t, M, pieces)
    KR = PT @ K @ Phi
    F = np.linalg.inv(K) - Phi @ np.linalg.solve(KR, PT) if correction != "none" and h < n else np.zeros_like(K)
    Q = np.linalg.inv(np.eye(n) + F @ loop.EWD)
    P1, Gamma, gamma = Q @ Phi, -Q @ F @ loop.EWC, Q @ F @ f0
    BE = c.B @ loop.E.T
    Z = [BE @ P1, c.A + BE @ Gamma, BE @ gamma]
    if correction == "inertial":
        lead, R = P1, [
            derivative(t, P1, pieces) + Gamma @ Z[0],
            derivative(t, Gamma, pieces) + Gamma @ Z[1],
            derivative(t, gamma, pieces) + Gamma @ Z[2],
        ]  # fmt: skip
    else:
        lead, R = Phi, [Phid, np.zeros((N, n, nz)), np.zeros((N, n, 1))]
    m = np.linalg.inv(PT @ M @ lead)
    eta = [-m @ (PT @ M @ R[0]), m, -m @ (PT @ M @ R[1]), -m @ (PT @ M @ R[2])]
    v = [lead @ eta[0] + R[0], lead @ eta[1], lead @ eta[2] + R[1], lead @ eta[3] + R[2]]
    G = _t(Phid) @ M + PT @ Md - PT @ loop.C
    feedback = PT @ loop.EWD
    mu = [
        G @ v[0] - KR - feedback @ P1,
        G @ v[1],
        G @ v[2] - PT @ loop.EWC - feedback @ Gamma,
        G @ v[3] + PT @ f0 - feedback @ gamma,
    ]
    zero = np.zeros((N, nz, h))
    rows = np.concatenate(
        [np.concatenate(r, axis=2) for r in (eta, mu, [Z[0], zero, Z[1], Z[2]])], axis=1
    )
    empty = np.zeros((N, n, h))
    output = np.concatenate([np.concatenate([P1, empty, Gamma, gamma], axis=2), np.concatenate(v, axis=2)], axis=1)
    x0 = _start(loop, Phi[0], KR[0], M[0], correction)

    def jump(piece, x):
        """Carry (dq, v) over a kink, at which Phi and its rate may change."""
        a, b = pieces[piece - 1][1] - 1, pieces[piece][0] if piece < len(pieces) else N - 1
        full = np.append(x, 1.0)
        dq, vel = output[a, :n] @ full, output[a, n:] @ full
        z = x[2 * h :]
        rest = dq - Gamma[b] @ z - gamma[b, :, 0]
        new = np.linalg.solve(PT[b] @ M[b] @ P1[b], PT[b] @ M[b] @ rest)
        return np.concatenate([new, PT[b] @ M[b] @ vel, z])

    return LTVSystem(t, pieces, rows, output, x0, interpolation=interpolation, jump=jump)


def _start(loop, Phi, KR, M, correction):
    """At rest: eta from the static modal equations, so that dq is the true equilibrium."""
    dq, z = loop.equilibrium()
    if correction == "none":
        eta = Phi.T @ M @ dq
    else:
        f = loop.f0[0] - loop.EWC[0] @ z - loop.EWD[0] @ dq
        eta = np.linalg.solve(KR, Phi.T @ f)
    return np.concatenate([eta, np.zeros(Phi.shape[1]), z])


def left_out_error(loop: Loop, basis: ModalBasis, rows: np.ndarray) -> np.ndarray:
    """Estimated largest error (nq + 1, len(rows)) in the outputs rows @ dq when only the lowest k modes are kept.

    A left-out mode follows its static response eta_s = phi^T f0 / w^2 but for its inertia: the error is of the size of
    its acceleration over w^2 and, where its rate jumps at a kink, of the jump over w.
    """
    t, pieces, n = loop.nominal.t, loop.nominal.pieces, loop.nq
    dq_s = np.linalg.solve(loop.K, loop.f0[:, :, None])
    V, M = basis.V, basis.M0
    rate = derivative(t, dq_s, pieces)
    acc = derivative(t, rate, pieces)
    w = np.maximum(np.abs(basis.omega), 1e-9)
    a = np.abs((_t(V) @ M @ acc)[:, :, 0]) / w**2
    shape = np.abs(np.einsum("nri,nij->njr", rows, V))
    err = (a[:, :, None] * shape).max(axis=0)
    for k, (first, _) in enumerate(pieces):
        before = pieces[k - 1][1] - 1 if k else None
        step = rate[first] - (rate[before] if k else 0.0)
        b = np.abs(V[first].T @ M[first] @ step)[:, 0] / w[first]
        err = np.maximum(err, b[:, None] * shape[first])
    total = np.zeros((n + 1, err.shape[1]))
    total[:n] = np.cumsum(err[::-1], axis=0)[::-1]
    return total
