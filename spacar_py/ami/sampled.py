"""Digital control: a controller that is read and set at sample times, with a delay, for all methods alike.

Between the samples the drives are held. In the equations of motion the held drives are the controller's states, which
nothing changes but the sampler: zd = 0, du = z. What the sampler does at t_k, with the errors de, ded there:

    z_k = Ad z_(k-1) + Bd (de_(k-1) + de_k),    du_k = -W(t_k) (C z_k + D de_k + Dv ded_k),    from t_k + delay on
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .. import checks
from ..errors import InputError
from .control import Controller


@dataclass(frozen=True, eq=False)
class Sampled:
    """A controller run on a computer.

    Parameters
    ----------
    controller : Controller or function (t, de, ded) -> du
        A continuous controller, which is discretised by the trapezoidal (Tustin) rule, or the control program itself.
    Ts : float
        Sample time (s).
    delay : float
        Time (s) from reading the sensors to setting the drives.
    joints : int, optional
        Number of joints, needed with a function.
    kp : array, optional
        Proportional gain of a function, folded into the modes of AMI.
    """

    controller: Controller | Callable
    Ts: float
    delay: float = 0.0
    joints: int | None = None
    kp: np.ndarray | None = None
    feedforward: bool = True
    name: str = "sampled controller"
    held: Controller = field(init=False)

    def __post_init__(self):
        checks.number(self.name, "Ts", self.Ts, positive=True)
        checks.number(self.name, "delay", self.delay, minimum=0.0)
        known = isinstance(self.controller, Controller)
        if not known and not callable(self.controller):
            raise InputError(
                f"{self.name}: needs a Controller or a function (t, de, ded) -> du, got {self.controller!r}"
            )
        if not known and self.joints is None:
            raise InputError(f"{self.name}: a function needs joints=..., the number of drives")
        n = self.controller.n if known else checks.count(self.name, "joints", self.joints)
        zero = np.zeros((n, n))
        kp = self.controller.kp if known else (zero if self.kp is None else np.asarray(self.kp, float))
        held = Controller(zero, zero, -np.eye(n), zero, kp=kp, scheduled=self.controller.scheduled if known else False,
                          feedforward=self.feedforward, name=self.name)  # fmt: skip
        object.__setattr__(self, "held", held)

    @property
    def n(self) -> int:
        return self.held.n


class Sampler:
    """The running state of a Sampled controller along one simulation, begun at rest with the controller's state z."""

    def __init__(self, sampled: Sampled, loop, t_end: float, z: np.ndarray | None):
        self.s, self.loop = sampled, loop
        c, T = sampled.controller, sampled.Ts
        self.times = np.arange(0.0, t_end, T)
        self.queue: list[tuple[float, np.ndarray]] = []
        if isinstance(c, Controller):
            nz = len(c.A)
            inverse = np.linalg.inv(np.eye(nz) - T / 2 * c.A)
            self.Ad = inverse @ (np.eye(nz) + T / 2 * c.A)
            self.Bd = inverse @ c.B * (T / 2)
            self.z, self.de = z, None

    def events(self) -> np.ndarray:
        """All times at which something happens."""
        return np.unique(np.concatenate([self.times, self.times + self.s.delay]))

    def W(self, t: float) -> np.ndarray:
        """Scheduling matrix at a time, linear between the grid points."""
        n = self.loop.nominal
        if not self.loop.controller.scheduled:
            return np.eye(self.s.n)
        k = int(np.clip(np.searchsorted(n.t, t, side="right") - 1, 0, len(n.t) - 2))
        h = n.t[k + 1] - n.t[k]
        x = np.clip((t - n.t[k]) / h, 0, 1) if h > 0 else 1.0
        return (1 - x) * self.loop.W[k] + x * self.loop.W[k + 1]

    def __call__(self, t: float, du: np.ndarray, de: np.ndarray, ded: np.ndarray, S=None) -> np.ndarray:
        """Drives that act from t on, given the held ones and the errors.

        S = d(de)/d(du) at once, where a reduced model follows the drives without inertia: the errors are then read as
        the new drives leave them, which is what they settle to long before the next sample.
        """
        if np.any(np.abs(self.times - t) < 1e-9 * max(self.s.Ts, t)):
            new = (
                self._linear(t, du, de, ded, S) if isinstance(self.s.controller, Controller) else self._own(t, de, ded)
            )
            self.queue.append((t + self.s.delay, new))
        while self.queue and self.queue[0][0] <= t + 1e-12:
            du = self.queue.pop(0)[1]
        return du

    def _linear(self, t, du, de, ded, S):
        c, W, B = self.s.controller, self.W(t), self.Bd
        if self.de is None:
            z, B = self.z, np.zeros_like(self.Bd)
        else:
            z = self.Ad @ self.z + B @ self.de
        gain = c.D + c.C @ B
        S = np.zeros_like(gain) if S is None or self.s.delay > 0 else S
        rest = c.C @ z + gain @ (de - S @ du) + c.Dv @ ded
        new = -np.linalg.solve(np.eye(len(gain)) + W @ gain @ S, W @ rest)
        self.de = de + S @ (new - du)
        self.z = z + B @ self.de
        return new

    def _own(self, t, de, ded):
        new = np.asarray(self.s.controller(t, de.copy(), ded.copy()), float)
        if new.shape != (self.s.n,) or not np.all(np.isfinite(new)):
            raise InputError(f"{self.s.name}: must return {self.s.n} finite drives, got {new} at t = {t:g}")
        return new
