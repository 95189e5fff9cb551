"""Functions of time as data: pieces of a quintic plus two sines, evaluated with exact rates in compiled code."""

from __future__ import annotations

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
    """

    def __init__(self, pieces):
        self.start = np.array([float(p[0]) for p in pieces])
        self.coef = np.zeros((len(pieces), WIDTH))
        for row, (_, c) in zip(self.coef, pieces, strict=True):
            row[: len(c)] = c
        if len(pieces) == 0 or not np.all(np.isfinite(self.coef)) or not np.all(np.diff(self.start) > 0):
            raise InputError("signal: needs at least one piece, finite coefficients and increasing start times")

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
        times = np.union1d(self.start, other.start)
        return Signal([(t, _sum(self._piece(t), other._piece(t))) for t in times])

    def __sub__(self, other) -> Signal:
        return self + -as_signal(other)

    def _piece(self, t: float) -> np.ndarray:
        """Coefficients from t on, shifted to start there."""
        if t < self.start[0]:
            c = np.zeros(WIDTH)
            c[0] = self(self.start[0])
            return c
        k = int(np.searchsorted(self.start, t, side="right")) - 1
        c, s = self.coef[k].copy(), t - self.start[k]
        c[:6] = np.polynomial.Polynomial(c[:6])(np.polynomial.Polynomial([s, 1.0])).coef if s else c[:6]
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
    """A user's function t -> (value, rate, second rate); runs on the slower path."""

    def __init__(self, function):
        self.function = function

    kinks = np.zeros(0)

    def rates(self, t: float) -> np.ndarray:
        """Value, first and second derivative at time t."""
        out = np.asarray(self.function(float(t)), dtype=float)
        if out.shape != (3,) or not np.all(np.isfinite(out)):
            raise InputError(
                f"prescribed function: must return three finite numbers (value, rate, second rate), got {out} at t = {t:g}"
            )
        return out

    def __call__(self, t: float) -> float:
        return float(self.rates(t)[0])


def as_signal(value):
    """Signal of a number, a signal or a Python function."""
    if isinstance(value, (Signal, PythonSignal)):
        return value
    if callable(value):
        return PythonSignal(value)
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise InputError(f"signal: needs a number, a Signal or a function of time, got {value!r}") from None
    if not np.isfinite(value):
        raise InputError(f"signal: must be finite, got {value}")
    return constant(value)


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
    return Signal([(start, [a, (b - a) / T]), (start + T, [b])])


def sine(amplitude: float, omega: float, phase: float = 0.0, start: float = 0.0) -> Signal:
    """amplitude sin(omega (t - start) + phase)."""
    return Signal([(start, [0.0] * 6 + [amplitude, omega, phase])])


def quintic(a: float, b: float, T: float, start: float = 0.0) -> Signal:
    """From a to b in the time T at rest at both ends, with zero acceleration there."""
    d = b - a
    return Signal([(start, [a, 0, 0, 10 * d / T**3, -15 * d / T**4, 6 * d / T**5]), (start + T, [b])])


def table(times, values) -> Signal:
    """Cubic spline through (times, values), clamped at rest at both ends, then constant."""
    from scipy.interpolate import CubicSpline

    times, values = np.asarray(times, float), np.asarray(values, float)
    if times.ndim != 1 or times.shape != values.shape or times.size < 2 or not np.all(np.diff(times) > 0):
        raise InputError("table: times must increase and be as many as the values, two at least")
    c = CubicSpline(times, values, bc_type="clamped").c
    pieces = [(t, c[::-1, k]) for k, t in enumerate(times[:-1])]
    return Signal([*pieces, (times[-1], [values[-1]])])
