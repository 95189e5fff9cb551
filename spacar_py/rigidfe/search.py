"""Residual vibration against braking time: the curve, the search for its lowest valley, its picture."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import checks
from ..errors import InputError
from .braking import Braking, brake


@dataclass
class BrakeCurve:
    """Residual vibration `ranges` (m, or rad) against braking `times` (s).

    `run` is the braked motion of the best time; `others` are the ranges of what else was observed, by name.
    """

    times: np.ndarray
    ranges: np.ndarray
    observed: tuple = field(default=("tip", "y"))
    run: Braking | None = None
    info: dict = field(default_factory=dict)
    others: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def best(self) -> tuple[float, float]:
        """Braking time with the least vibration on this curve, and that vibration."""
        k = int(np.argmin(self.ranges))
        return float(self.times[k]), float(self.ranges[k])

    @property
    def worst(self) -> tuple[float, float]:
        """Braking time with the most vibration on this curve, and that vibration."""
        k = int(np.argmax(self.ranges))
        return float(self.times[k]), float(self.ranges[k])

    @property
    def peaks(self) -> list[tuple[float, float]]:
        """Braking times that are worse than their neighbours, with their vibration."""
        r = self.ranges
        return [
            (float(self.times[k]), float(r[k])) for k in range(1, len(r) - 1) if r[k] > r[k - 1] and r[k] >= r[k + 1]
        ]

    @property
    def unit(self) -> str:
        """Of the observed quantity."""
        return _unit(self.observed[1])

    def record(self, title: str = ""):
        """The curves as a Record, with the best motion as its mechanism."""
        from ..record import Record, mechanism

        own, (T, left) = ".".join(str(o) for o in self.observed), self.best
        ranges = {own: self.ranges, **self.others}
        units = {f"range of {n}": f"m{_unit(n.rpartition('.')[2])}" for n in ranges}
        series = {f"range of {n}": 1e3 * r for n, r in ranges.items()}
        info = dict(method="braking", best_time=T, least=left, worst_time=self.worst[0], most=self.worst[1],
                    ratio=self.worst[1] / left if left else None, mark=[f"range of {own}", T, 1e3 * left],
                    **self.info)  # fmt: skip
        heads = {n: f"{n} [{u}]" for n, u in units.items()}
        rows = [
            {"braking time [s]": t, **{heads[n]: v[k] for n, v in series.items()}} for k, t in enumerate(self.times)
        ]
        pictures = {
            f"Residual vibration [{u}]": [n for n in series if units[n] == u] for u in dict.fromkeys(units.values())
        }
        t, lines = mechanism(self.run.result) if self.run is not None else (np.zeros(0), {})
        return Record("braking curve", title or "residual vibration against braking time", self.times, "braking time",
                      "s", series, units, pictures, rows, info, t=t, lines=lines)  # fmt: skip

    def save(self, path) -> None:
        """Write an archive (.h5)."""
        self.record().save(path)


def _unit(component) -> str:
    return "m" if str(component) in ("x", "y", "z", "0", "1", "2") else "rad"


def _pairs(observe) -> list[tuple]:
    """Observed quantities, ("tip", "y") or "tip.y", one of them or several."""
    one = isinstance(observe, str) or (
        len(observe) == 2 and isinstance(observe[0], str) and "." not in str(observe[1])
    )  # no component has a dot in its name
    out = []
    for what in [observe] if one else observe:
        pair = what.rpartition(".")[::2] if isinstance(what, str) else tuple(what)
        if len(pair) != 2 or not pair[0]:
            raise InputError(
                f"brake: observe must name a point or element and what of it, such as 'tip.y', got {what!r}"
            )
        out.append(pair)
    if not out:
        raise InputError("brake: observe must name at least one quantity, such as 'tip.y', got none")
    return out


def _times(times) -> np.ndarray:
    times = np.asarray(times, float)
    if times.ndim != 1 or not times.size:
        raise InputError(f"brake: times must be a row of braking times (s), got {times!r}")
    return times


class _Tried:
    """Braked motions by their time: ranges of all that is observed, and the motion with the least first range."""

    def __init__(self, model, speeds, travel, observe, options):
        self.observe = _pairs(observe)
        self.task, self.options = (model, speeds, travel), options
        self.ranges: dict[float, list] = {}
        self.run = None

    def __call__(self, T: float) -> float:
        run = brake(*self.task, float(T), **self.options)
        self.ranges[float(T)] = own = [run.range(*o) for o in self.observe]
        if own[0] <= min(r[0] for r in self.ranges.values()):
            self.run = run
        return own[0]

    def curve(self, times) -> BrakeCurve:
        table = np.array([self.ranges[float(T)] for T in times]).T
        names = [".".join(str(part) for part in o) for o in self.observe]
        others = dict(zip(names[1:], table[1:], strict=True))
        return BrakeCurve(np.asarray(times, float), table[0], self.observe[0], self.run, others=others)


def brake_curve(model, speeds, travel: float, times, observe=("tip", "y"), progress=None, **options) -> BrakeCurve:
    """Residual vibration for several braking times.

    `observe` is (point, coordinate) or (element, deformation), or "tip.y" for short, or a list of such: the first
    counts for what is best, the others are told with it.
    """
    times, tried = _times(times), _Tried(model, speeds, travel, observe, options)
    for k, T in enumerate(times):
        tried(T)
        if progress:
            progress((k + 1) / len(times))
    return tried.curve(times)


def search_braking(model, speeds, travel: float, between: tuple[float, float], observe=("tip", "y"), *,
                   tol: float = 1e-4, points: int = 7, progress=None, **options) -> BrakeCurve:  # fmt: skip
    """The curve over an interval of braking times, refined in every valley until the best time is known.

    Parameters
    ----------
    between : (float, float)
        Shortest and longest braking time (s).
    observe
        See `brake_curve`.
    points : int
        Of the coarse curve. Every point of it that is lower than its neighbours is the start of Brent's bounded search,
        so the points should be closer than half a period of the lowest vibration. Of every top the vertex of the
        parabola through three points is tried too.
    tol : float
        How well the best time is wanted (s).
    **options
        See `brake`.

    Returns
    -------
    BrakeCurve
        All times that were tried, in their order, and the motion of the best.
    """
    from scipy.optimize import minimize_scalar

    a, b = (checks.number("brake", "between", x, positive=True) for x in between)
    if b <= a:
        raise InputError(f"brake: between must be two increasing braking times (s), got ({a:g}, {b:g})")
    tol = checks.number("brake", "tol", tol, positive=True)
    grid = np.linspace(a, b, checks.count("brake", "points", points, 3))
    tried = _Tried(model, speeds, travel, observe, options)
    r = []
    for k, T in enumerate(grid):
        r.append(tried(T))
        if progress:
            progress(0.6 * (k + 1) / len(grid))
    tops = [k for k in range(1, len(r) - 1) if r[k] > r[k - 1] and r[k] >= r[k + 1]]
    for k in tops:  # flat, so the vertex of a parabola is enough
        rise, fall = r[k] - r[k - 1], r[k] - r[k + 1]
        T = grid[k] + (grid[1] - grid[0]) / 2 * (rise - fall) / (rise + fall)
        if abs(T - grid[k]) > tol:
            tried(T)
    valleys = [k for k in range(1, len(r) - 1) if r[k] <= r[k - 1] and r[k] <= r[k + 1]]
    if np.argmin(r) in (0, len(r) - 1):  # an end of the interval counts where it is the lowest of all
        valleys.append(int(np.argmin(r)))
    for n, k in enumerate(valleys):
        bounds = (grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)])
        minimize_scalar(tried, bounds=bounds, method="bounded", options=dict(xatol=tol))
        if progress:
            progress(0.6 + 0.4 * (n + 1) / len(valleys))
    return tried.curve(sorted(tried.ranges))


def best_braking(model, speeds, travel: float, between: tuple[float, float], observe=("tip", "y"),
                 **options) -> tuple[float, float]:  # fmt: skip
    """Braking time in an interval that leaves the least vibration, and that vibration; see `search_braking`."""
    return search_braking(model, speeds, travel, between, observe, **options).best


def speeds_of(model) -> tuple[dict[str, float], float]:
    """Rates and travel that a model's own prescribed motions begin with and end after.

    Rate: at t = 0. Travel: the whole way divided by the rate, the same for all that move.

    >>> from spacar_py import cases
    >>> speeds, travel = speeds_of(cases.load("braking_planar").model)
    >>> {k: round(v, 4) for k, v in speeds.items()}, travel
    ({'joint1.angle': 0.7854, 'joint2.angle': 0.7854, 'joint3.angle': 1.5708}, 1.0)
    """
    speeds, ways = {}, {}
    for (owner, deformation), (status, motion) in model.e_status.items():
        if status == "prescribed" and hasattr(motion, "coef"):
            begin, rate, _ = motion.rates(0.0)
            end, last, _ = motion.rates(motion.start[-1] + 1.0)
            name = f"{owner}.{deformation}"
            if rate and not last:
                speeds[name], ways[name] = float(rate), float((end - begin) / rate)
    if not speeds:
        raise InputError("brake: no joint of the model moves at the start and comes to rest; give speeds and travel, "
                         "such as --speed joint.angle=1.57 --travel 1")  # fmt: skip
    travel = list(ways.values())
    if np.ptp(travel) > 1e-9 * max(travel):
        a, b = min(ways, key=ways.get), max(ways, key=ways.get)
        raise InputError(f"brake: the ways of '{a}' ({ways[a]:g} s) and '{b}' ({ways[b]:g} s) take different times at "
                         "full speed; give --travel and --speed")  # fmt: skip
    return speeds, round(travel[0], 12)


def plot_brake_curve(curve: BrakeCurve, ax=None, **style):
    """Residual vibration against braking time, the least one marked; returns the axes."""
    import matplotlib.pyplot as plt

    ax = ax or plt.subplots(layout="constrained")[1]
    scale, unit = 1e3, f"m{curve.unit}"
    ax.plot(curve.times, scale * curve.ranges, **style)
    T, r = curve.best
    ax.plot([T], [scale * r], "o", color=ax.lines[-1].get_color())
    ax.annotate(f"{T:.4g} s", (T, scale * r), textcoords="offset points", xytext=(6, 6))
    ax.set_xlabel("braking time [s]")
    ax.set_ylabel(f"range of {'.'.join(str(o) for o in curve.observed)} after the stop [{unit}]")
    ax.grid(alpha=0.3)
    return ax
