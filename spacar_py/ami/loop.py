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
from ..dynamics import position
from ..errors import ConvergenceError, InputError
from ..motion import place
from ..tangent import tangent
from .control import Controller, from_control
from .ltv import LTVSystem, derivative
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
        if type(self.controller).__module__.split(".")[0] == "control":
            self.controller = from_control(self.controller)
        self.sampled = self.controller if isinstance(self.controller, Sampled) else None
        self.continuous = None  # the same loop before sampling
        if self.sampled is not None:
            if isinstance(self.sampled.controller, Controller):
                self.continuous = Loop(self.nominal, self.sampled.controller)
            self.controller = self.sampled.held
        if self.controller is None:
            self.controller = no_control(n)
        if not isinstance(self.controller, Controller):
            raise InputError(
                f"control: needs a Controller such as PID(...), PD(...) or Sampled(...), got {self.controller!r}; "
                "a function needs a sample time, Sampled(function, Ts, joints=...)"
            )
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
        return self.nominal.C0 + self.nominal.D0 + self.EWDv

    @cached_property
    def EWDv(self) -> np.ndarray:
        """E W Dv E^T: the controller's rate feedback."""
        return self.E @ self.W @ self.controller.Dv @ self.E.T

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

    def at_rest(self, K: np.ndarray, r: np.ndarray, state: np.ndarray) -> np.ndarray:
        """Newton step of (z, dq) to rest: A z + B E^T dq = 0 and r + E W (C z + D E^T dq) = 0 with dr/dq = K.

        Integral action, which holds a load without error, and a gain that sags under it are the same equations. A
        function in place of a controller is taken to hold the load without error.
        """
        c, E, nz, EWC = self.controller, self.E, self.nz, self.EWC[0]
        B = np.eye(c.n) if self.sampled is not None else c.B
        gain = E @ self.W[0] @ c.D @ E.T
        J = np.block([[c.A, B @ E.T], [EWC, K + gain]])
        rest = np.concatenate([c.A @ state[:nz] + B @ E.T @ state[nz:], r + EWC @ state[:nz] + gain @ state[nz:]])
        rows = 1 / np.maximum(np.abs(J).max(axis=1, initial=0.0), 1e-300)
        columns = 1 / np.maximum(np.abs(rows[:, None] * J).max(axis=0, initial=0.0), 1e-300)
        scaled = rows[:, None] * J * columns
        step = np.linalg.lstsq(scaled, rows * rest, rcond=1e-14)[0]
        gap = np.abs(scaled @ step - rows * rest).max(initial=0.0)
        if gap > 1e-9 * max(np.abs(rows * rest).max(initial=0.0), 1e-12):
            self._cannot_hold(rest[nz:][self.nominal.em])
        return -columns * step

    def _cannot_hold(self, need) -> None:
        raise InputError(
            f"{self.controller.name}: cannot hold the manipulator at rest at the start (needs drives "
            f"{np.array2string(-need, precision=4)}); add integral or proportional action"
        )

    def _released(self, K, f0) -> np.ndarray:
        """dq without any feedback: the joints must need none."""
        n, dq = self.nominal, np.zeros(self.nq)
        dq[n.flex] = np.linalg.solve(K[np.ix_(n.flex, n.flex)], f0[n.flex])
        need = (K @ dq - f0)[n.em]
        if np.abs(need).max(initial=0.0) > 1e-6 * max(np.abs(n.u0).max(initial=0.0), 1e-9):
            self._cannot_hold(-need)
        return dq

    @cached_property
    def _equilibrium(self) -> tuple[np.ndarray, np.ndarray]:
        if self.continuous is not None:
            dq, z = self.continuous.equilibrium()
            return dq, self._drives(dq, z)
        mats, rho = self.nominal.start
        K, f0 = mats[3:].sum(axis=0), -rho[: self.nq]
        if self.controller.feedforward:
            f0[self.nominal.em] = 0.0
        if not self.feedback:
            return self._released(K, f0), np.zeros(0)
        state = self.at_rest(K, -f0, np.zeros(self.nz + self.nq))
        return state[self.nz :], state[: self.nz]

    def equilibrium(self) -> tuple[np.ndarray, np.ndarray]:
        """(dq, z) at rest at the start."""
        return self._equilibrium

    def _drives(self, dq, z) -> np.ndarray:
        """Drives that the continuous controller behind a sampled one gives at rest."""
        c = self.sampled.controller
        return -self.W[0] @ (c.C @ z + c.D @ dq[self.nominal.em])

    @property
    def feedback(self) -> bool:
        """Whether there is any."""
        c = self.controller
        return bool(self.nz or c.D.any())

    def nonlinear_start(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, z) of the nonlinear model at rest at the start, by Newton from the linear one."""
        n, s = self.nominal, self.nominal.system
        if self.continuous is not None:
            q, z = self.continuous.nonlinear_start()
            return q, self._drives(q - n.Y[0, 0, : s.nq], z)
        y0, w, ref, out = n.Y[0, 0], s.work(), np.zeros(s.ne), np.zeros((6, s.ny, s.ny))
        dq, z = self.equilibrium()
        state = np.concatenate([z, dq])
        place(s, w, y0, ref)
        for _ in range(30):
            w.y[:] = 0.0
            w.y[0], w.y[1] = y0, n.Y[0, 1]
            w.y[0, : s.nq] += state[self.nz :]
            if position(s.k, w.k, ref) <= 0:
                break
            tangent(s.k, w.k, 0.0, ref, out)
            r, K = w.rho[: s.nq].copy(), out[3:, : s.nq, : s.nq].sum(axis=0)
            if self.controller.feedforward:
                r[n.em] -= n.start[1][n.em]
            if self.feedback:
                step = self.at_rest(K, r, state)
            else:
                step = np.zeros(s.nq)
                step[n.flex] = -np.linalg.solve(K[np.ix_(n.flex, n.flex)], r[n.flex])
            state += step
            if np.abs(step[self.nz :]).max(initial=0.0) < 1e-12:
                return (y0[: s.nq] + state[self.nz :]), state[: self.nz]
        raise ConvergenceError("control: no static equilibrium of the nonlinear model at the start of the path")

    def arrays(self):
        """The controller for the nonlinear simulation."""
        n, c, s = self.nominal, self.controller, self.nominal.system
        index = {name: i for i, name in enumerate(s.e_names)}
        for joint in n.joints:
            if joint not in index:
                raise InputError(
                    f"{c.name}: '{joint}' is a coordinate; a drive needs a deformation such as a hinge angle"
                )
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


def perturbation_system(loop: Loop, interpolation: str = "cubic"):
    """The full LTV system in x = (dq, dqd, z); its output is (dq, dqd)."""
    n, c = loop.nominal, loop.controller
    N, nq, nz = len(n.t), loop.nq, loop.nz
    rows = np.zeros((N, nq + nz, 2 * nq + nz + 1))
    force = np.concatenate([-(loop.K + loop.EWD), -loop.C, -loop.EWC, loop.f0[:, :, None]], axis=2)
    rows[:, :nq] = np.linalg.solve(n.M0, force)
    rows[:, nq:, :nq] = c.B @ loop.E.T
    rows[:, nq:, 2 * nq : 2 * nq + nz] = c.A
    output = np.broadcast_to(np.eye(2 * nq, 2 * nq + nz + 1), (N, 2 * nq, 2 * nq + nz + 1)).copy()
    dq, z = loop.equilibrium()
    x0 = np.concatenate([dq, np.zeros(nq), z])
    return LTVSystem(n.t, n.pieces, rows, output, x0, plain=nq, shift=nq, interpolation=interpolation)
