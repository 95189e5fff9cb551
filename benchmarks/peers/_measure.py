"""Equal error first, time afterwards: a ladder of settings for each code, then medians of interleaved runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

REPEATS = 5


@dataclass
class Run:
    """One solution: processor seconds, the tip (N, d) at the common times, steps, and what to call it."""

    seconds: float
    tip: np.ndarray
    steps: int
    label: str


@dataclass
class Found:
    """The setting that reached the error in the least time."""

    run: Callable[[], Run | None]
    error: float
    label: str
    steps: int
    seconds: float


def distance(a, b) -> float:
    """Largest distance of two tips over the common times (m)."""
    return float(np.linalg.norm(np.asarray(a) - np.asarray(b), axis=1).max())


def coarsest(settings: Sequence[Callable[[], Run | None]], truth, target: float) -> Found | None:
    """The first of the settings, coarse to fine, whose error is at most the target, by bisection; None without one."""
    low, high, found = 0, len(settings), None
    while low < high:
        middle = (low + high) // 2
        r = settings[middle]()
        error = np.inf if r is None else distance(r.tip, truth)
        if error <= target:
            found, high = Found(settings[middle], error, r.label, r.steps, r.seconds), middle
        else:
            low = middle + 1
    return found


def best(ladders: Iterable[Sequence[Callable[[], Run | None]]], truth, target: float) -> Found:
    """The fastest over several ladders, one for each kind of method."""
    found = [f for f in (coarsest(ladder, truth, target) for ladder in ladders) if f is not None]
    if not found:
        raise RuntimeError(f"no setting reaches an error of {target:g}; refine the ladders")
    return min(found, key=lambda f: f.seconds)


def interleaved(found: dict[str, Found], repeats: int = REPEATS) -> dict[str, float]:
    """Median seconds of each, run in turns so that other work on the machine hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(repeats):
        for name, f in found.items():
            times[name].append(f.run().seconds)
    return {name: float(np.median(t)) for name, t in times.items()}


def counts(first: int, last: int, of: int = 1, ratio: float = 1.25) -> list[int]:
    """Numbers of steps from coarse to fine in a geometric row, multiples of the number of output intervals."""
    n = int(np.ceil(np.log(last / first) / np.log(ratio)))
    return sorted({of * max(1, round(first * ratio**k / of)) for k in range(n + 1)})


def slope(n, t) -> float:
    """Fitted exponent of t over n."""
    return float(np.polyfit(np.log(n), np.log(t), 1)[0])


def line(*cells, width: int = 11) -> None:
    """One row of a table: the first cell to the left, numbers to the right."""
    text = "".join(f"{c:>{width}}" if isinstance(c, str) else f"{c:>{width}.3g}" for c in cells[1:])
    print(f"  {cells[0]:<34}{text}", flush=True)


def verdict(what: str, value: float, limit: float, at_most: bool = True) -> None:
    """A ratio beside what was asked for."""
    met = value <= limit if at_most else value >= limit
    word = "at most" if at_most else "at least"
    print(f"  {what}: {value:.3g}, asked for {word} {limit:g}: {'met' if met else 'NOT met'}", flush=True)
