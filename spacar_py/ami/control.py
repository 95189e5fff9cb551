"""Controllers, one description for all methods: state space on the joint errors, gain scheduled with M0ee.

    zd = A z + B de        du = -W(t) (C z + D de + Dv ded)

W(t) is M0ee of the nominal motion, or the identity. The proportional part kp goes into K0bar, Dv into C0; what is
left, dud = -W (C z + (D - kp) de), is integrated with the plant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import checks
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class Controller:
    """MIMO state space controller in the joint errors.

    Parameters
    ----------
    A, B, C, D : arrays
        State space from the n joint errors to the n drives (before W).
    Dv : (n, n) array, optional
        Feedback of the error's rate.
    kp : (n, n) array, optional
        The proportional part that is folded into K0bar; D by default.
    scheduled : bool
        Multiply the output by M0ee of the nominal motion, updated on the way.
    feedforward : bool
        Add the nominal drives u0.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    Dv: np.ndarray | None = None
    kp: np.ndarray | None = None
    scheduled: bool = True
    feedforward: bool = True
    name: str = "controller"
    data: dict = field(default_factory=dict)

    def __post_init__(self):
        D = np.atleast_2d(np.asarray(self.D, float))
        n, A = len(D), np.asarray(self.A, float)
        nz = len(A) if A.ndim == 2 else 0
        shapes = dict(A=(nz, nz), B=(nz, n), C=(n, nz), D=(n, n), Dv=(n, n), kp=(n, n))
        given = dict(A=A, B=self.B, C=self.C, D=D, Dv=np.zeros((n, n)) if self.Dv is None else self.Dv,
                     kp=D if self.kp is None else self.kp)  # fmt: skip
        for key, v in given.items():
            v = np.asarray(v, float)
            if v.size == 0 and 0 in shapes[key]:
                v = np.zeros(shapes[key])
            if v.shape != shapes[key]:
                rows, columns = shapes[key]
                raise InputError(f"{self.name}: {key} must have {rows} rows and {columns} columns, got {v.shape}")
            if not np.all(np.isfinite(v)):
                raise InputError(f"{self.name}: {key} must be finite")
            object.__setattr__(self, key, v)

    @property
    def n(self) -> int:
        return len(self.D)

    def response(self, s: complex) -> np.ndarray:
        """C (s I - A)^-1 B + D + s Dv."""
        nz = len(self.A)
        return self.C @ np.linalg.solve(s * np.eye(nz) - self.A, self.B) + self.D + s * self.Dv


def _per_joint(what, value, n):
    v = np.asarray(value, float)
    if v.shape not in ((), (n,)):
        raise InputError(f"controller: {what} must be a number or one for each of {n} joints, got {value}")
    v = np.broadcast_to(v, (n,)).copy()
    if not np.all(np.isfinite(v)) or np.any(v <= 0):
        raise InputError(f"controller: {what} must be positive, got {value}")
    return v


def PID(bandwidth, joints: int = 3, *, tI=None, tD=None, alpha=0.1, roll_off: bool = False, scheduled: bool = True,
        feedforward: bool = True) -> Controller:  # fmt: skip
    """PID of each joint, H = kp (tI s + 1)/(tI s) (tD s + 1)/(alpha tD s + 1), scheduled with M0ee.

    Parameters
    ----------
    bandwidth : float or (n,) array
        wb (rad/s); kp = wb^2, tI = 6/wb, tD = 1.5/wb unless given.
    roll_off : bool
        One more pole at -1/(alpha tD).
    """
    n = checks.count("PID", "joints", joints)
    wb = _per_joint("bandwidth", bandwidth, n)
    kp = wb**2
    tI = _per_joint("tI", 6 / wb if tI is None else tI, n)
    tD = _per_joint("tD", 1.5 / wb if tD is None else tD, n)
    al = _per_joint("alpha", alpha, n)
    blocks = []
    for k, i, d, a in zip(kp, tI, tD, al, strict=True):
        num = k * np.polymul([i, 1], [d, 1])
        den = np.polymul([i, 0], [a * d, 1])
        if roll_off:
            den = np.polymul(den, [a * d, 1])
        blocks.append(_companion(num, den))
    A, B, C, D = (_block([b[m] for b in blocks]) for m in range(4))
    name = "PID with roll-off" if roll_off else "PID"
    return Controller(A, B, C, D, kp=np.diag(kp), scheduled=scheduled, feedforward=feedforward, name=name,
                      data=dict(bandwidth=wb, tI=tI, tD=tD, alpha=al))  # fmt: skip


def PD(
    bandwidth=None, joints: int = 3, *, kp=None, kd=None, scheduled: bool = True, feedforward: bool = True
) -> Controller:
    """du = -W (kp de + kd ded); with a bandwidth wb: kp = wb^2, kd = 2 * 0.7 wb."""
    n = checks.count("PD", "joints", joints)
    if bandwidth is not None:
        wb = _per_joint("bandwidth", bandwidth, n)
        kp, kd = wb**2 if kp is None else kp, 1.4 * wb if kd is None else kd
    if kp is None or kd is None:
        raise InputError("PD: give a bandwidth, or kp and kd")
    K = np.diag(_per_joint("kp", kp, n))
    none = np.zeros((0, 0))
    return Controller(none, np.zeros((0, n)), np.zeros((n, 0)), K, Dv=np.diag(_per_joint("kd", kd, n)),
                      scheduled=scheduled, feedforward=feedforward, name="PD")  # fmt: skip


def from_control(system, *, scheduled: bool = True, feedforward: bool = True, kp=None):
    """Controller from a python-control system (state space or transfer function) from joint errors to drives.

    A discrete system becomes a Sampled controller with its sample time: the continuous one whose trapezoidal (Tustin)
    rule gives the same transfer function.
    """
    if not hasattr(system, "A"):
        try:
            import control
        except ImportError:
            from ..errors import missing_extra

            raise missing_extra("control", "control", "a transfer function as a controller") from None
        system = control.ss(system)
    A, B, C, D = (np.asarray(getattr(system, k), float) for k in "ABCD")
    Ts = getattr(system, "dt", None) or 0.0
    if Ts:
        if Ts is True:
            raise InputError("state space: the discrete system has no sample time; give it one, dt=...")
        A, B, C, D = _continuous(A, B, C, D, float(Ts))
    found = Controller(A, B, C, D, kp=kp, scheduled=scheduled, feedforward=feedforward, name="state space")
    if not Ts:
        return found
    from .sampled import Sampled

    return Sampled(found, float(Ts), feedforward=feedforward)


def _continuous(A, B, C, D, Ts):
    """Inverse of the trapezoidal rule."""
    one = np.eye(len(A))
    if len(A) and np.linalg.matrix_rank(A + one) < len(A):
        raise InputError("state space: the discrete system has a pole at -1, which no continuous one has")
    inverse = np.linalg.inv(A + one)
    return 2 / Ts * (A - one) @ inverse, 4 / Ts * inverse @ inverse @ B, C, D - C @ inverse @ B


def _companion(num, den):
    """Controllable realisation of num/den, scaled to balanced entries."""
    from scipy.signal import tf2ss

    return tf2ss(num, den)


def _block(parts):
    from scipy.linalg import block_diag

    return block_diag(*parts)
