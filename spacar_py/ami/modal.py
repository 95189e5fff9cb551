"""Adaptive modal integration: the kept modes carried along the path, the rest taken quasi-statically.

Modes of the symmetric part, (K0S - w^2 M0) phi = 0. Phi is the carried basis of the kept ones, Psi that of the others.
The others have no inertia of their own: they follow excitation, controller and kept modes, with x = (eta, mu, z),

    f   = f0 - E W (C z + (D - kp) E^T dq)
    dq  = P eta + F f                         a small linear system, as f has dq in it; solved for dq beforehand
    v   = d(dq)/dt,    mu = Phi^T M0 v
    mud = (Phid^T M0 + Phi^T M0d - Phi^T C0bar) v + Phi^T (f - K0bar dq)

`inertial` keeps the inertia of the whole quasi-static part in v; `static` (mode acceleration, the paper) takes
v = Phi etad + Phid eta; `none` leaves the others out; F and P are in `residual_flexibility`. In momentum form only
first derivatives enter, and nothing jumps at a kink. Rate feedback Dv acts on the kept modes as it is; on the others it
passes through a lag that is short against the kept modes, du = -W Dv (de - y)/lag with yd = (de - y)/lag, or the
correction would need accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError
from .loop import Loop
from .ltv import LTVSystem, at_times, coefficients, derivative, intervals

CORRECTIONS = ("inertial", "static", "none")
GAP = 1.25  # ratio of frequencies that separates clusters
LAG = 5.0  # of the rate feedback on the left-out modes: this many times faster than the kept ones


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


def residual_flexibility(K: np.ndarray, Phi: np.ndarray, Psi: np.ndarray, correction: str) -> tuple:
    """F and P of dq = P eta + F f: how the left-out modes follow the kept ones and yield to a force f.

    `inertial`: they are in equilibrium with both, F = Psi (Psi^T K Psi)^-1 Psi^T and P = Phi - F K Phi. `static`: with
    the force only, F = K^-1 - Phi (Phi^T K Phi)^-1 Phi^T and P = Phi, written in blocks so that K may be singular in
    the kept modes. The two differ where K is not symmetric, and at rest give the same dq.
    """
    if correction == "none":
        return np.zeros_like(K), Phi
    if correction == "inertial":
        F = Psi @ np.linalg.solve(_t(Psi) @ K @ Psi, _t(Psi))
        return F, Phi - F @ (K @ Phi)
    inverse = np.linalg.pinv(_t(Phi) @ K @ Phi, rcond=1e-13)
    right = Psi - Phi @ (inverse @ (_t(Phi) @ K @ Psi))
    left = _t(Psi) - (_t(Psi) @ K @ Phi) @ inverse @ _t(Phi)
    return right @ np.linalg.solve(_t(Psi) @ K @ right, left), Phi


def _nearest(projection, by_rate, maps, dq, v, z) -> np.ndarray:
    """(eta, mu, z) nearest to dq and v in the norm of M0.

    Where the quasi-static part jumps, its rate is an impulse, which leaves a step in mu behind.
    """
    h = len(projection)
    still = maps[:, 2 * h :] @ np.append(z, 1.0)
    eta = np.linalg.solve(projection @ maps[:, :h], projection @ (dq - still))
    step = maps[:, :h] @ eta + still - dq
    return np.concatenate([eta, projection @ v + by_rate @ step, z])


@dataclass(eq=False)
class Reduction:
    """The reduced equations at the N points: maps of (eta, mu, z, 1), each (N, rows, 2 modes + nz + 1).

    Attributes
    ----------
    dq, v : maps to the deviation and its rate
    rows : map to d/dt (eta, mu, z)
    by_rate : (N, modes, nq) array
        What the rate of the quasi-static part gives to mud.
    Phi, Psi : bases of the kept and of the left-out modes
    """

    loop: Loop
    basis: ModalBasis
    Phi: np.ndarray
    Psi: np.ndarray
    dq: np.ndarray
    v: np.ndarray
    rows: np.ndarray
    by_rate: np.ndarray

    @cached_property
    def projection(self) -> np.ndarray:
        """Phi^T M0 (N, modes, nq)."""
        return _t(self.Phi) @ self.loop.nominal.M0

    def state(self, k: int, dq, v, z) -> np.ndarray:
        """(eta, mu, z) at point k nearest to given dq and v in the norm of M0."""
        return _nearest(self.projection[k], self.by_rate[k], self.dq[k], dq, v, z)

    @cached_property
    def _between(self) -> tuple:
        """What `state` needs, as polynomials in time."""
        n = self.loop.nominal
        return intervals(n.t, n.pieces), *(
            coefficients(n.t, m, n.pieces) for m in (self.projection, self.by_rate, self.dq)
        )

    def reset(self, t: float, dq, v, z) -> np.ndarray:
        """The same as `state` at any time, where a sampled controller sets its drives z."""
        grid, *maps = self._between
        return _nearest(*(at_times(grid, m, np.array([t]))[0] for m in maps), dq, v, z)

    def jump(self, piece: int, x: np.ndarray) -> np.ndarray:
        """Carry (dq, v) over the kink before a piece, at which the maps may change."""
        pieces = self.loop.nominal.pieces
        a, b = pieces[piece - 1][1] - 1, pieces[piece][0] if piece < len(pieces) else len(self.dq) - 1
        full = np.append(x, 1.0)
        return self.state(b, self.dq[a] @ full, self.v[a] @ full, x[2 * self.Phi.shape[2] :])

    @cached_property
    def x0(self) -> np.ndarray:
        """The state at rest at the start."""
        dq, z = self.loop.equilibrium()
        lagged = self.loop.E.T @ dq if lag_of(self.loop, self.basis, self.Phi.shape[2]) else []
        return self.state(0, dq, np.zeros_like(dq), np.concatenate([lagged, z]))

    @property
    def output(self) -> np.ndarray:
        """The map to (dq, dqd)."""
        return np.concatenate([self.dq, self.v], axis=1)

    def system(self, interpolation: str = "cubic") -> LTVSystem:
        """The LTV system; its output is (dq, dqd)."""
        n = self.loop.nominal
        return LTVSystem(n.t, n.pieces, self.rows, self.output, self.x0, interpolation=interpolation,
                         jump=self.jump, reset=self.reset)  # fmt: skip


def lag_of(loop: Loop, basis: ModalBasis, modes: int) -> float:
    """Lag (s) of the rate feedback on the left-out modes; 0 without rate feedback."""
    if not loop.controller.Dv.any():
        return 0.0
    return 1.0 / (LAG * np.abs(basis.omega[:, modes - 1]).max())


def _with_lag(loop: Loop, lag: float) -> tuple:
    """A and B of the states (y, z), and what y and de add to the forces on the left-out modes, E W Dv/lag y and E^T."""
    c = loop.controller
    if not lag:
        return c.A, c.B, np.zeros((len(loop.K), loop.nq, 0)), np.zeros_like(loop.K)
    m, nz = c.n, loop.nz
    A = np.block([[-np.eye(m) / lag, np.zeros((m, nz))], [np.zeros((nz, m)), c.A]])
    return A, np.vstack([np.eye(m) / lag, c.B]), loop.EWDv @ loop.E / lag, loop.EWDv / lag


def reduce(loop: Loop, basis: ModalBasis, modes: int, correction: str = "inertial", driver=None) -> Reduction:
    """The reduced equations for a number of kept modes.

    `driver` = (R, rows) stands in place of the loop's own excitation: the force R (x, 1) of states that obey
    xd = rows (x, 1). The maps then end with columns for (x, 1) instead of 1.
    """
    if correction not in CORRECTIONS:
        raise InputError(f"AMI: correction must be one of {', '.join(CORRECTIONS)}, got {correction!r}")
    nom, n, h = loop.nominal, loop.nq, modes
    t, pieces, M, N = nom.t, nom.pieces, nom.M0, len(nom.t)
    f0 = loop.f0[:, :, None] if driver is None else driver[0]
    Phi, Psi = basis.carried(modes)
    PT, Phid = _t(Phi), derivative(t, Phi, pieces)
    F, P = residual_flexibility(loop.K, Phi, Psi, correction)
    A, B, by_y, by_de = _with_lag(loop, lag_of(loop, basis, modes))
    z = slice(2 * h, 2 * h + len(A))

    dq = F @ np.concatenate([np.zeros((N, n, 2 * h)), by_y, -loop.EWC, f0], axis=2)
    dq[:, :, :h] = P
    dq = np.linalg.solve(np.eye(n) + F @ (loop.EWD + by_de), dq)
    zd = B @ loop.E.T @ dq
    zd[:, :, z] += A
    force = np.concatenate([np.zeros((N, n, 2 * h + by_y.shape[2])), -loop.EWC, f0], axis=2) - (loop.K + loop.EWD) @ dq
    if correction == "inertial":
        lead, rest = dq[:, :, :h], derivative(t, dq, pieces) + dq[:, :, z] @ zd
        if driver is not None:
            rest[:, :, z.stop :] += dq[:, :, z.stop : -1] @ driver[1]
    else:
        lead, rest = Phi, np.concatenate([Phid, np.zeros_like(dq[:, :, h:])], axis=2)
    etad = -PT @ M @ rest
    etad[:, :, h : 2 * h] += np.eye(h)
    etad = np.linalg.solve(PT @ M @ lead, etad)
    v = lead @ etad + rest
    by_rate = _t(Phid) @ M + PT @ derivative(t, M, pieces) - PT @ loop.C
    rows = np.concatenate([etad, by_rate @ v + PT @ force, zd], axis=1)
    return Reduction(loop, basis, Phi, Psi, dq, v, rows, by_rate if correction == "inertial" else 0.0 * by_rate)
