"""The closed loop along the nominal motion: K0bar, C0bar, excitation, and the state in which everything is at rest.

    M0 dqdd + C0bar dqd + K0bar dq = f0 - E W (C z + (D - kp) E^T dq),        zd = A z + B E^T dq
    K0bar = K0 + G0 + N0 + E W kp E^T        C0bar = C0 + D0 + E W Dv E^T
E selects the joint rows, W = M0ee or the identity, f0 is the excitation sigma_eps0 (and -u0 without feedforward).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..controller import pack_control
from ..errors import ConvergenceError, InputError
from .control import Controller
from .ltv import derivative
from .nominal import Nominal
from .sampled import Sampled


def no_control(n: int) -> Controller:
    """Open loop: only the feedforward."""
    zero = np.zeros((n, n))
    return Controller(np.zeros((0, 0)), np.zeros((0, n)), np.zeros((n, 0)), zero, name="feedforward only")


@dataclass(eq=False)
class Loop:
    """Nominal motion and controller put together."""

    nominal: Nominal
    controller: Controller

    def __post_init__(self):
        n = len(self.nominal.em)
        self.sampled = self.controller if isinstance(self.controller, Sampled) else None
        if self.sampled is not None:
            self.controller = self.sampled.held
        if self.controller is None:
            self.controller = no_control(n)
        if self.controller.n != n:
            raise InputError(
                f"{self.controller.name}: has {self.controller.n} errors, but the model has {n} joints "
                f"({', '.join(self.nominal.joints)})"
            )

    nq = property(lambda self: self.nominal.system.nq)
    nz = property(lambda self: len(self.controller.A))

    @cached_property
    def E(self) -> np.ndarray:
        return np.eye(self.nq)[:, self.nominal.em]

    @cached_property
    def W(self) -> np.ndarray:
        """(N, n, n): M0ee along the path, or the identity."""
        em = self.nominal.em
        if self.controller.scheduled:
            return self.nominal.M0[:, em[:, None], em]
        return np.broadcast_to(np.eye(len(em)), (len(self.nominal.t), len(em), len(em))).copy()

    @cached_property
    def K(self) -> np.ndarray:
        """K0bar (N, nq, nq)."""
        return self.nominal.mats[:, 3:].sum(axis=1) + self.E @ self.W @ self.controller.kp @ self.E.T

    @cached_property
    def C(self) -> np.ndarray:
        """C0 + D0 with the controller's rate feedback (N, nq, nq)."""
        return self.nominal.C0 + self.nominal.D0 + self.E @ self.W @ self.controller.Dv @ self.E.T

    @cached_property
    def f0(self) -> np.ndarray:
        """Excitation (N, nq)."""
        f = -self.nominal.rho[:, : self.nq].copy()
        if self.controller.feedforward:
            f[:, self.nominal.em] = 0.0
        return f

    @cached_property
    def EWC(self) -> np.ndarray:
        """E W C; held drives are not scheduled, their sampler has done it."""
        if self.sampled is not None:
            return np.broadcast_to(self.E @ self.controller.C, (len(self.nominal.t), self.nq, self.nz)).copy()
        return self.E @ self.W @ self.controller.C

    @cached_property
    def EWD(self) -> np.ndarray:
        """E W (D - kp) E^T: what acts on the joint errors beyond the proportional part."""
        c = self.controller
        return self.E @ self.W @ (c.D - c.kp) @ self.E.T

    @property
    def symmetric_K(self) -> np.ndarray:
        return 0.5 * (self.K + np.swapaxes(self.K, 1, 2))

    def equilibrium(self) -> tuple[np.ndarray, np.ndarray]:
        """(dq, z) at rest at the start: joints without error where integral action can hold the load."""
        n, c, K, f0 = self.nominal, self.controller, self.K[0], self.f0[0]
        dq = np.zeros(self.nq)
        dq[n.flex] = np.linalg.solve(K[np.ix_(n.flex, n.flex)], f0[n.flex])
        need = (K @ dq - f0)[n.em]
        if self.sampled is not None:
            return dq, need
        v = -np.linalg.solve(self.W[0], need)
        if c.can_hold(v):
            return dq, c.integral_state(v)
        if self.nz and np.linalg.matrix_rank(c.A) == self.nz:
            gain = c.D - c.C @ np.linalg.solve(c.A, c.B)
            dq = np.linalg.solve(K + self.E @ self.W[0] @ (gain - c.kp) @ self.E.T, f0)
            return dq, -np.linalg.solve(c.A, c.B @ dq[n.em])
        if self.nz == 0 and c.D.any():
            return np.linalg.solve(K + self.EWD[0], f0), np.zeros(0)
        raise InputError(
            f"{c.name}: cannot hold the manipulator at rest at the start (needs drives "
            f"{np.array2string(self.W[0] @ v, precision=4)}); add integral or proportional action"
        )

    def arrays(self):
        """The controller for the nonlinear simulation."""
        n, c, s = self.nominal, self.controller, self.nominal.system
        index = {name: i for i, name in enumerate(s.e_names)}
        for joint in n.joints:
            if joint not in index:
                raise InputError(f"{c.name}: '{joint}' is a coordinate; a drive needs a deformation such as a hinge angle")
        e = np.array([index[j] for j in n.joints])
        ne = len(e)
        if c.feedforward:
            u0 = np.stack([n.u0, derivative(n.t, n.u0, n.pieces)], axis=1)
        else:
            u0 = np.zeros((len(n.t), 2, ne))
        gain = self.W if self.sampled is None else np.broadcast_to(np.eye(ne), self.W.shape)
        W = np.stack([gain, derivative(n.t, gain, n.pieces)], axis=1)
        return pack_control(
            n=np.array([ne, ne, self.nz]), act=e, sensor=np.column_stack([np.zeros(ne, int), e]), grid=n.t,
            ref=n.Y[:, :, n.em], u0=u0, W=W, A=c.A, B=np.hstack([c.B, np.zeros_like(c.B)]), C=c.C,
            D=np.hstack([c.D, c.Dv]),
        )  # fmt: skip

    def nonlinear_start(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, z) of the nonlinear model at rest at the start, by Newton from the linear one."""
        from ..dynamics import position
        from ..motion import place
        from ..tangent import tangent

        n, c, s = self.nominal, self.controller, self.nominal.system
        dq, z = self.equilibrium()
        q, w, ref = n.Y[0, 0].copy(), s.work(), np.zeros(s.ne)
        place(s, w, q, ref)
        q[: s.nq] += dq
        out = np.zeros((6, s.ny, s.ny))
        holds = not np.any(dq[n.em])
        gain = self.E @ self.W[0] @ c.D @ self.E.T
        for _ in range(30):
            w.y[:] = 0.0
            w.y[0] = q
            if position(s.k, w.k, ref) <= 0:
                break
            tangent(s.k, w.k, 0.0, ref, out)
            K, r = out[3:].sum(axis=0), w.rho.copy()
            u0 = n.u0[0] if c.feedforward else np.zeros(len(n.em))
            if holds:
                step = np.zeros(s.nq)
                step[n.flex] = -np.linalg.solve(K[np.ix_(n.flex, n.flex)], r[n.flex])
            else:
                r[n.em] -= u0 - self.W[0] @ (c.C @ z + c.D @ (q - n.Y[0, 0])[n.em])
                step = -np.linalg.solve(K + gain, r)
            q += step
            if np.abs(step).max() < 1e-13:
                if self.sampled is not None:
                    z = r[n.em] - u0
                elif holds:
                    z = c.integral_state(-np.linalg.solve(self.W[0], r[n.em] - u0))
                return q, z
        raise ConvergenceError("control: no static equilibrium of the nonlinear model at the start of the path")


def perturbation_system(loop: Loop, interpolation: str = "cubic"):
    """The full LTV system in x = (dq, dqd, z); its output is (dq, dqd)."""
    from .ltv import LTVSystem

    n, c = loop.nominal, loop.controller
    N, nq, nz = len(n.t), loop.nq, loop.nz
    rows = np.zeros((N, nq + nz, 2 * nq + nz + 1))
    force = np.concatenate([-(loop.K + loop.EWD), -loop.C, -loop.EWC, loop.f0[:, :, None]], axis=2)
    rows[:, :nq] = np.linalg.solve(n.M0[:, :nq, :nq], force)
    rows[:, nq:, :nq] = c.B @ loop.E.T
    rows[:, nq:, 2 * nq : 2 * nq + nz] = c.A
    output = np.broadcast_to(np.eye(2 * nq, 2 * nq + nz + 1), (N, 2 * nq, 2 * nq + nz + 1)).copy()
    dq, z = loop.equilibrium()
    x0 = np.concatenate([dq, np.zeros(nq), z])
    return LTVSystem(n.t, n.pieces, rows, output, x0, plain=nq, shift=nq, interpolation=interpolation)
