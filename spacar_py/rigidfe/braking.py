"""Braking to a fixed pose: constant velocity, constant deceleration, rest; and what vibrates afterwards.

Each driven joint turns with the rate v until t_b, slows down evenly for the braking time T, and stops at

    t_s = t_b + T,   angle = v (t_b + T/2) = v S,    so   t_b = S - T/2

with S the time that the whole way would take without braking: the same final pose for every T. The vibration left
is the range (largest minus least) of a coordinate after t_s.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field

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
        By default GeneralizedAlpha(1e-7, 1e-10): the dampers make the high modes of a chain stiff.

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
    result = simulate(driven, times=times, q0=q0, method=method or GeneralizedAlpha(1e-7, 1e-10))
    return Braking(result, float(braking), begin, stop)


@dataclass
class BrakeCurve:
    """Residual vibration `ranges` against braking `times` (s)."""

    times: np.ndarray
    ranges: np.ndarray
    observed: tuple = field(default=("tip", "y"))

    @property
    def best(self) -> tuple[float, float]:
        """Braking time with the least vibration on this curve, and that vibration."""
        k = int(np.argmin(self.ranges))
        return float(self.times[k]), float(self.ranges[k])

    @property
    def peaks(self) -> list[tuple[float, float]]:
        """Braking times that are worse than their neighbours, with their vibration."""
        r = self.ranges
        return [
            (float(self.times[k]), float(r[k])) for k in range(1, len(r) - 1) if r[k] > r[k - 1] and r[k] >= r[k + 1]
        ]


def brake_curve(model, speeds, travel: float, times, observe=("tip", "y"), **options) -> BrakeCurve:
    """Residual vibration for several braking times; `observe` is (point, coordinate) or (element, deformation)."""
    times = np.asarray(times, float)
    if times.ndim != 1 or not times.size:
        raise InputError(f"brake: times must be a row of braking times (s), got {times!r}")
    ranges = [brake(model, speeds, travel, T, **options).range(*observe) for T in times]
    return BrakeCurve(times, np.array(ranges), tuple(observe))


def best_braking(model, speeds, travel: float, between: tuple[float, float], observe=("tip", "y"), *, tol: float = 1e-4,
                 points: int = 7, **options) -> tuple[float, float]:  # fmt: skip
    """Braking time in an interval that leaves the least vibration, and that vibration.

    A coarse curve finds the valley, Brent's bounded search its bottom to `tol` (s). Remaining keywords: see `brake`.
    """
    from scipy.optimize import minimize_scalar

    a, b = (checks.number("brake", "between", x, positive=True) for x in between)
    if b <= a:
        raise InputError(f"brake: between must be two increasing braking times (s), got ({a:g}, {b:g})")
    grid = np.linspace(a, b, checks.count("brake", "points", points, 3))
    curve = brake_curve(model, speeds, travel, grid, observe, **options)
    k = int(np.argmin(curve.ranges))
    low, high = grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda T: brake(model, speeds, travel, T, **options).range(*observe),
        bounds=(low, high), method="bounded", options=dict(xatol=tol),
    )  # fmt: skip
    return (float(found.x), float(found.fun)) if found.fun < curve.ranges[k] else curve.best


def plot_brake_curve(curve: BrakeCurve, ax=None, **style):
    """Residual vibration against braking time, the least one marked; returns the axes."""
    import matplotlib.pyplot as plt

    ax = ax or plt.subplots(layout="constrained")[1]
    length = curve.observed[1] in ("x", "y", "z", 0, 1, 2)
    scale, unit = (1e3, "mm") if length else (1e3, "mrad")
    ax.plot(curve.times, scale * curve.ranges, **style)
    T, r = curve.best
    ax.plot([T], [scale * r], "o", color=ax.lines[-1].get_color())
    ax.annotate(f"{T:.4g} s", (T, scale * r), textcoords="offset points", xytext=(6, 6))
    ax.set_xlabel("braking time [s]")
    ax.set_ylabel(f"range of {'.'.join(str(o) for o in curve.observed)} after the stop [{unit}]")
    ax.grid(alpha=0.3)
    return ax
