"""The two-link manipulator as a case for studies: payload, controller and speed as parameters."""

from __future__ import annotations

from ..ami.control import PID
from ..ami.paths import LinePath
from . import manipulator


def case(payload: float = 30.0, bandwidth: float = 12.0, T: float = 1.0, damping: float = 0.0, alpha: float = 0.1,
         settle: float = 1.0, roll_off: bool = False) -> dict:  # fmt: skip
    """Arguments of `simulate`.

    Parameters
    ----------
    payload : float
        Mass at the tip (kg).
    bandwidth : float
        Of the PID controller (rad/s).
    T, settle : float
        Time of the path and the time after it (s); the ramps are T/4.
    damping : float
        Stiffness proportional, in both links (s).
    alpha : float
        Of the controller's differentiating part.
    """
    model = manipulator.build(damping=damping)
    tip = next(b for b in model.bodies if b.name == "tip")
    model.bodies.remove(tip)
    model.mass("tip", payload)
    path = LinePath(manipulator.A, manipulator.B, T=T, ramp=T / 4)
    return dict(model=model, path=path, controller=PID(bandwidth, alpha=alpha, roll_off=roll_off), t_end=T + settle)
