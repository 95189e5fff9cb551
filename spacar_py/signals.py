"""Functions of time as data: pieces of a quintic plus two sines, evaluated with exact rates in compiled code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._jit import kernel
from .errors import InputError

WIDTH = 12  # c0..c5, then amplitude, angular frequency, phase, twice


@kernel
def signal(ptr, times, coef, n, t, out):
    """out = value, first and second derivative of signal n; before its start it rests at its first value."""
    first, last = ptr[n], ptr[n + 1] - 1
    k = first
    while k < last and t >= times[k + 1]:
        k += 1
    s = t - times[k]
    rest = s < 0.0
    if rest:
        s = 0.0
    c = coef[k]
    v, d, a = c[5], 0.0, 0.0
    for i in range(4, -1, -1):
        a = a * s + 2.0 * d
        d = d * s + v
        v = v * s + c[i]
    for i in (6, 9):
        if c[i] != 0.0:
            p = c[i + 1] * s + c[i + 2]
            v += c[i] * np.sin(p)
            d += c[i] * c[i + 1] * np.cos(p)
            a -= c[i] * c[i + 1] * c[i + 1] * np.sin(p)
    out[0] = v
    out[1] = 0.0 if rest else d
    out[2] = 0.0 if rest else a


class Signal:
    """A function of time in pieces; add signals with +, scale them with *.

    Parameters
    ----------
    pieces : list of (start, coefficients)
        Coefficients c0..c5 of powers of (t - start), then up to two (amplitude, angular frequency, phase) of sines.
        Before the first start the signal rests at its first value; the last piece goes on for ever.

    Examples
    --------
    >>> s = 1.0 + 2.0 * polynomial(0, 3, start=1.0)
    >>> s(0.5), s(2.0)
    (1.0, 7.0)
    """

    def __init__(self, pieces):
        try:
            pieces = [(float(start), np.asarray(c, float)) for start, c in pieces]
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"signal: pieces must be pairs (start, coefficients), got {pieces!r}") from None
        if not pieces:
            raise InputError("signal: needs at least one piece (start, coefficients), got none")
        for start, c in pieces:
            if c.ndim != 1 or not 1 <= c.size <= WIDTH:
                raise InputError(f"signal: a piece takes 1 to {WIDTH} coefficients, got {c.size} from t = {start:g}")
            if not np.isfinite(start) or not np.all(np.isfinite(c)):
                raise InputError(f"signal: start times and coefficients must be finite, got {c} from t = {start:g}")
        self.start = np.array([start for start, _ in pieces])
        if not np.all(np.diff(self.start) > 0):
            raise InputError(f"signal: the start times of the pieces must increase, got {self.start}")
        self.coef = np.zeros((len(pieces), WIDTH))
        for row, (_, c) in zip(self.coef, pieces, strict=True):
            row[: c.size] = c

    def __call__(self, t: float) -> float:
        return float(self.rates(t)[0])

    def rates(self, t: float) -> np.ndarray:
        """Value, first and second derivative at time t."""
        out = np.empty(3)
        signal(np.array([0, len(self.start)]), self.start, self.coef, 0, float(t), out)
        return out

    @property
    def kinks(self) -> np.ndarray:
        """Times at which a piece begins."""
        return self.start

    def __mul__(self, factor: float) -> Signal:
        factor = _number("signal", "factor", factor)
        pieces = []
        for s, c in zip(self.start, self.coef, strict=True):
            c = c.copy()
            c[:7] *= factor
            c[9] *= factor
            pieces.append((s, c))
        return Signal(pieces)

    __rmul__ = __mul__

    def __neg__(self) -> Signal:
        return self * -1.0

    def __add__(self, other) -> Signal:
        other = as_signal(other)
        if not isinstance(other, Signal):
            raise InputError("signal: a Python function cannot be added to a signal; write the sum as one function")
        times = np.union1d(self.start, other.start)
        return Signal([(t, _sum(self._piece(t), other._piece(t))) for t in times])

    __radd__ = __add__

    def __sub__(self, other) -> Signal:
        return self + -as_signal(other)

    def __rsub__(self, other) -> Signal:
        return -self + other

    def _piece(self, t: float) -> np.ndarray:
        """Coefficients from t on, shifted to start there."""
        if t < self.start[0]:
            c = np.zeros(WIDTH)
            c[0] = self(self.start[0])
            return c
        k = int(np.searchsorted(self.start, t, side="right")) - 1
        c, s = self.coef[k].copy(), t - self.start[k]
        for first in range(5):  # Taylor shift by repeated synthetic division
            for i in range(4, first - 1, -1):
                c[i] += s * c[i + 1]
        c[8] += c[7] * s
        c[11] += c[10] * s
        return c


def _sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Coefficients of the sum of two pieces that start together."""
    sines = [c[i : i + 3] for c in (a, b) for i in (6, 9) if c[i] != 0]
    if len(sines) > 2:
        raise InputError("signal: a piece can hold at most two sines; use a Python function for more")
    return np.concatenate([a[:6] + b[:6], *sines])


class PythonSignal:
    """A user's function t -> (value, rate, second rate), or t -> value for a load; runs on the slower path."""

    def __init__(self, function: Callable, rates: bool = True):
        self.function, self.needs_rates = function, rates

    kinks = np.zeros(0)

    def __neg__(self):
        raise InputError("signal: a Python function cannot be scaled or subtracted; write it into the function")

    def rates(self, t: float) -> np.ndarray:
        """Value, first and second derivative at time t."""
        got = self.function(float(t))
        try:
            out = np.asarray(got, dtype=float)
        except (TypeError, ValueError, OverflowError):
            out = np.full(1, np.nan)
        if out.ndim == 0 and not self.needs_rates:
            out = np.array([float(out), 0.0, 0.0])
        if out.shape != (3,) or not np.all(np.isfinite(out)):
            rule = "must return three finite numbers (value, rate, second rate)"
            if not self.needs_rates:
                rule = "must return one finite number, or three (value, rate, second rate)"
            raise InputError(f"signal: the Python function {rule}, got {got!r} at t = {t:g}")
        return out

    def __call__(self, t: float) -> float:
        return float(self.rates(t)[0])


def as_signal(value, rates: bool = True) -> Signal | PythonSignal:
    """Signal of a number, a signal or a Python function, which must give its rates where `rates` says so."""
    if isinstance(value, (Signal, PythonSignal)):
        return value
    if callable(value):
        out = PythonSignal(value, rates)
        out.rates(0.0)  # a function of the wrong kind is refused here, not in the middle of a run
        return out
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"signal: needs a number, a Signal or a function of time, got {value!r}") from None
    return constant(_number("signal", "its value", value))


def _number(what: str, name: str, value, positive: bool = False) -> float:
    rule = "a positive finite number" if positive else "a finite number"
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {name} must be {rule}, got {value!r}") from None
    if not np.isfinite(out) or (positive and out <= 0):
        raise InputError(f"{what}: {name} must be {rule}, got {out:g}")
    return out


def constant(value: float) -> Signal:
    """A constant."""
    return Signal([(0.0, [value])])


def polynomial(*coefficients: float, start: float = 0.0) -> Signal:
    """c0 + c1 s + ... + c5 s^5, s = t - start."""
    if not 1 <= len(coefficients) <= 6:
        raise InputError(f"polynomial: takes 1 to 6 coefficients, got {len(coefficients)}")
    return Signal([(start, list(coefficients))])


def ramp(a: float, b: float, T: float, start: float = 0.0) -> Signal:
    """Straight from a to b in the time T, then b."""
    a, b, start = (_number("ramp", k, v) for k, v in (("a", a), ("b", b), ("start", start)))
    T = _number("ramp", "T", T, positive=True)
    return Signal([(start, [a, (b - a) / T]), (start + T, [b])])


def sine(amplitude: float, omega: float, phase: float = 0.0, start: float = 0.0) -> Signal:
    """amplitude sin(omega (t - start) + phase)."""
    return Signal([(start, [0.0] * 6 + [amplitude, omega, phase])])


def quintic(a: float, b: float, T: float, start: float = 0.0) -> Signal:
    """From a to b in the time T at rest at both ends, with zero acceleration there."""
    a, b, start = (_number("quintic", k, v) for k, v in (("a", a), ("b", b), ("start", start)))
    T = _number("quintic", "T", T, positive=True)
    d = b - a
    return Signal([(start, [a, 0, 0, 10 * d / T**3, -15 * d / T**4, 6 * d / T**5]), (start + T, [b])])


def table(times, values) -> Signal:
    """Cubic spline through (times, values), clamped at rest at both ends, then constant."""
    from scipy.interpolate import CubicSpline

    try:
        times, values = np.asarray(times, float), np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise InputError("table: times and values must be two rows of numbers") from None
    if times.ndim != 1 or times.shape != values.shape or times.size < 2 or not np.all(np.diff(times) > 0):
        raise InputError(
            f"table: times must increase and be as many as the values, two at least, got {times.size} and {values.size}"
        )
    if not np.all(np.isfinite(times)) or not np.all(np.isfinite(values)):
        raise InputError("table: times and values must be finite; leave out the missing ones")
    c = CubicSpline(times, values, bc_type="clamped").c
    pieces = [(t, c[::-1, k]) for k, t in enumerate(times[:-1])]
    return Signal([*pieces, (times[-1], [values[-1]])])
