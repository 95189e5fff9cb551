"""Linear time-varying systems xd = A(t) x + b(t) with an output y = O(t) x + o(t), sampled along the nominal motion."""

from __future__ import annotations

import time as _time
from dataclasses import dataclass

import numpy as np

from ..controller import pack_control
from ..errors import ConvergenceError, InputError
from ..integrate.rates import LTV as FIELDS
from ..tables import Arrays, struct_maker

_make = struct_maker("_make_ltv", FIELDS, "f")
INTERPOLATIONS = ("cubic", "linear", "step")


def coefficients(t, v, pieces, kind: str = "cubic") -> np.ndarray:
    """Polynomials (intervals, ..., 4) in the time since each interval's start, and a constant one after the end."""
    from scipy.interpolate import CubicSpline

    out = []
    for a, b in pieces:
        if kind == "cubic":
            c = CubicSpline(t[a:b], v[a:b]).c[::-1]
            out.append(np.moveaxis(c, 0, -1))
            continue
        c = np.zeros((b - a - 1, *v.shape[1:], 4))
        c[..., 0] = v[a : b - 1]
        if kind == "linear":
            h = np.diff(t[a:b]).reshape(-1, *[1] * (v.ndim - 1))
            c[..., 1] = (v[a + 1 : b] - v[a : b - 1]) / h
        out.append(c)
    hold = np.zeros((1, *v.shape[1:], 4))
    hold[0, ..., 0] = v[-1]
    return np.ascontiguousarray(np.concatenate([*out, hold]))


def derivative(t, v, pieces) -> np.ndarray:
    """d(v)/dt at the grid points, piece by piece; zero in the final state."""
    from scipy.interpolate import CubicSpline

    out = np.zeros_like(v)
    for a, b in pieces:
        out[a:b] = CubicSpline(t[a:b], v[a:b])(t[a:b], 1)
    return out


def intervals(t, pieces) -> np.ndarray:
    """Ends of the intervals of `coefficients`, the last one open."""
    return np.concatenate([*(t[a : b - 1] for a, b in pieces), t[-1:], [np.inf]])


def at_times(grid, c, times) -> np.ndarray:
    """Values of the polynomials c at the times."""
    k = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(c) - 1)
    h = (np.asarray(times) - grid[k]).reshape(-1, *[1] * (c.ndim - 2))
    c = c[k]
    return c[..., 0] + h * (c[..., 1] + h * (c[..., 2] + h * c[..., 3]))


def slices(a: float, b: float, events) -> list[tuple[float, float]]:
    """[a, b] cut at the events inside."""
    inside = [float(e) for e in events if a < e < b]
    return list(zip([a, *inside], [*inside, b], strict=True))


@dataclass(eq=False)
class LTVSystem:
    """xd = A(t) x + b(t), piece by piece; `rows` (N, r, n+1) hold [A b] of the rows after the first `plain` ones,
    which copy the state `shift` further on; `output` (N, m, n+1) holds [O o]. `jump(piece, x)` carries x over a kink;
    `reset(t, dq, v, z)` gives x where an event sets its last states z.
    """

    t: np.ndarray
    pieces: list
    rows: np.ndarray
    output: np.ndarray
    x0: np.ndarray
    plain: int = 0
    shift: int = 0
    interpolation: str = "cubic"
    jump: object = None
    reset: object = None

    def __post_init__(self):
        if self.interpolation not in INTERPOLATIONS:
            raise InputError(
                f"LTV system: interpolation must be one of {', '.join(INTERPOLATIONS)}, got {self.interpolation!r}"
            )
        self.P = coefficients(self.t, self.rows, self.pieces, self.interpolation)
        self.O = coefficients(self.t, self.output, self.pieces, self.interpolation)
        self.grid = intervals(self.t, self.pieces)

    def pack(self) -> Arrays:
        """The system as the integrators take it."""
        none = np.zeros((3, 0))
        ready = dict(n=np.array([self.plain, self.shift]), grid=self.grid, P=self.P, X=none, e=none)
        return Arrays(**ready, k=_make(*ready.values()))

    def stops(self, end: float) -> list[tuple[float, float]]:
        """Smooth stretches up to the end."""
        kinks = [self.t[a] for a, _ in self.pieces] + [self.t[-1]]
        inside = [float(k) for k in kinks if k < end]
        return list(zip(inside, [*inside[1:], end], strict=True))

    def outputs(self, times, x) -> np.ndarray:
        """O(t) x + o(t) at the times (N,) for the states x (N, n)."""
        m = at_times(self.grid, self.O, times)
        return np.einsum("nij,nj->ni", m[:, :, :-1], x) + m[:, :, -1]

    def frozen(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """A and b at a time, as full arrays."""
        m, n = at_times(self.grid, self.P, np.array([t]))[0], len(self.x0)
        A = np.zeros((n, n))
        A[np.arange(self.plain), np.arange(self.plain) + self.shift] = 1.0
        A[self.plain :] = m[:, :n]
        return A, np.concatenate([np.zeros(self.plain), m[:, n]])

    def simulate(self, times, rtol: float = 1e-6, atol: float = 1e-9, order: int = 5, max_step: float = np.inf,
                 events=(), at_event=None):  # fmt: skip
        """States at the times (N, n), with steps, right-hand sides and CPU time; x = at_event(t, x) at the events."""
        from ..integrate.explicit import DONE, PAUSED, RHS, STEP, STEPS, TIME, run_explicit, tableau

        times = np.ascontiguousarray(times, float)
        packed, none = self.pack(), pack_control()
        x, out, info = self.x0.copy(), np.zeros((len(times), len(self.x0))), np.zeros(8)
        tab, ref, near = tableau(order), np.zeros(0), np.zeros((len(times), 0))
        begin = _time.process_time()
        for n, (a, b) in enumerate(self.stops(times[-1])):
            if n > 0:
                info[STEP] = 0.0
                if self.jump is not None:
                    x = self.jump(n, x)
            end = np.nextafter(b, a) if b < times[-1] else b
            for c, d in slices(a, end, events):
                if at_event is not None:
                    x = at_event(c, x)
                info[TIME], status = c, PAUSED
                while status == PAUSED:
                    status = run_explicit(packed.k, packed.k, none.k, ref, order, *tab, x, d, rtol, atol, max_step,
                                          times, out, near, info)  # fmt: skip
                if status != DONE:
                    raise ConvergenceError(
                        f"LTV system: the step became too small at t = {info[TIME]:g} s; the system may be unstable"
                    )
        return out, dict(steps=int(info[STEPS]), rhs=int(info[RHS]), cpu=_time.process_time() - begin)
