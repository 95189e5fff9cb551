"""Braking to a fixed pose: constant velocity, constant deceleration, rest; and what vibrates afterwards.

Each driven joint turns with the rate v until t_b, slows down evenly for the braking time T, and stops at

    t_s = t_b + T,   angle = v (t_b + T/2) = v S,    so   t_b = S - T/2

with S the time that the whole way would take without braking: the same final pose for every T. The vibration left
is the range (largest minus least) of a coordinate after t_s.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..errors import InputError
from ..motion import GeneralizedAlpha, simulate
from ..results import Result
from ..signals import Signal
from .steady import steady_state


def braking_signal(rate: float, travel: float, braking: float, start: float = 0.0) -> Signal:
    """Angle start + rate t, braked evenly over `braking` (s) to stop at start + rate travel; `travel` in s.

    >>> braking_signal(2.0, 1.0, 0.5)(5.0)
    2.0
    """
    travel = checks.number("brake", "travel", travel, positive=True)
    T = checks.number("brake", "braking", braking, positive=True)
    tb = travel - T / 2
    if tb <= 0:
        raise InputError(
            f"brake: braking for {T:g} s takes {T / 2:g} s of constant velocity away, of {travel:g} s of travel; "
            "brake faster or travel longer"
        )
    at = start + rate * tb
    return Signal([(0.0, [start, rate]), (tb, [at, rate, -rate / (2 * T)]), (tb + T, [at + rate * T / 2])])


@dataclass(eq=False)
class Braking:
    """One braked motion: `result`, and where its parts begin and end (s)."""

    result: Result
    braking: float
    begin: float
    stop: float

    def range(self, what="tip", component: str | int = "y") -> float:
        """Largest minus least value after the stop: of a coordinate of a point, or of "element.deformation"."""
        return float(np.ptp(self.series(what, component)[self.result.t >= self.stop]))

    def series(self, what="tip", component: str | int = "y") -> np.ndarray:
        """The observed quantity over the whole motion; in `tip` x, y, z or 0, 1, 2, in an element its deformation."""
        part = self.result[what]
        if part._element is not None:
            return part.e[component]
        k = "xyz".index(component) if isinstance(component, str) and component in ("x", "y", "z") else component
        if not isinstance(k, (int, np.integer)) or not 0 <= k < part.x.shape[1]:
            raise InputError(f"brake: point '{what}' has no coordinate {component!r}; name one out of x, y, z")
        return part.x[:, k]


def _driven(model, speeds, travel, braking):
    """A copy of the model, with these joints on their braked motion."""
    if not isinstance(speeds, Mapping) or not speeds:
        raise InputError(f"brake: speeds must map names such as 'joint.angle' to rates (rad/s), got {speeds!r}")
    new = copy.copy(model)
    new.x_status, new.e_status, new._compiled = model.x_status.copy(), model.e_status.copy(), None
    for name, rate in speeds.items():
        owner, _, component = str(name).rpartition(".")
        if not owner:
            raise InputError(f"brake: '{name}' must name an element and its deformation, such as 'joint.angle'")
        new.prescribe(owner, component, braking_signal(checks.number("brake", name, rate), travel, braking))
    return new


def brake(model, speeds: Mapping[str, float], travel: float, braking: float, *, rest: float = 0.5, points: int = 1001,
          method=None) -> Braking:  # fmt: skip
    """Run joints at constant speeds, brake them in the time `braking`, and watch the rest.

    Parameters
    ----------
    model : Model
        With its springs as degrees of freedom; the joints named in `speeds` are driven in a copy of it.
    speeds : mapping
        "joint.angle" to rate (rad/s).
    travel : float
        Time (s) the whole way would take at these speeds; it fixes the final pose.
    braking : float
        Braking time (s).
    rest : float
        Time (s) to go on after the stop.
    points : int
        Output points after the stop; before it as dense.
    method : integrator, optional
        By default GeneralizedAlpha(1e-8, 1e-11): the dampers make the high modes of a chain stiff, and in the
        valleys of the curve only the little that is left of a large vibration counts.

    Returns
    -------
    Braking
    """
    rest = checks.number("brake", "rest", rest, positive=True)
    points = checks.count("brake", "points", points, 2)
    driven = _driven(model, speeds, travel, braking)
    begin, stop = travel - braking / 2, travel + braking / 2
    before = np.linspace(0.0, stop, max(2, int(points * stop / rest)), endpoint=False)
    times = np.concatenate([before, np.linspace(stop, stop + rest, points)])
    q0 = steady_state(driven)
    result = simulate(driven, times=times, q0=q0, method=method or GeneralizedAlpha(1e-8, 1e-11))
    return Braking(result, float(braking), begin, stop)
