"""Paths in space or in the joints, and the profiles by which they are run.

A profile is a Signal s(t) from 0 to 1; a path is x(s) for one node, or a set of joint signals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .. import checks
from ..errors import InputError
from ..signals import Signal, as_signal, quintic, table


def squared_sine(T: float, ramp: float = 0.25) -> Signal:
    """v = vmax sin^2(pi t/(2 ramp)) up, constant, and its mirror image down; vmax = 1/(T - ramp)."""
    T, a = checks.number("profile", "T", T, positive=True), checks.number("profile", "ramp", ramp, positive=True)
    if 2 * a > T * (1 + 1e-12):
        raise InputError(f"profile: two ramps of {a:g} s do not fit into T = {T:g} s; shorten the ramp")
    v, w = 1 / (T - a), np.pi / a
    up = (0.0, [0, v / 2, 0, 0, 0, 0, -v / (2 * w), w, 0])
    down = (T - a, [1 - v * a / 2, v / 2, 0, 0, 0, 0, v / (2 * w), w, 0])
    flat = [(a, [v * a / 2, v])] if T - 2 * a > 1e-12 * T else []
    return Signal([up, *flat, down, (T, [1.0])])


def trapezoidal(T: float, ramp: float = 0.25) -> Signal:
    """Constant acceleration over `ramp`, constant speed, constant deceleration."""
    T, a = checks.number("profile", "T", T, positive=True), checks.number("profile", "ramp", ramp, positive=True)
    if 2 * a > T * (1 + 1e-12):
        raise InputError(f"profile: two ramps of {a:g} s do not fit into T = {T:g} s; shorten the ramp")
    v = 1 / (T - a)
    flat = [(a, [v * a / 2, v])] if T - 2 * a > 1e-12 * T else []
    return Signal([(0.0, [0, 0, v / (2 * a)]), *flat, (T - a, [1 - v * a / 2, v, -v / (2 * a)]), (T, [1.0])])


def harmonic(T: float) -> Signal:
    """s = (1 - cos(pi t/T)) / 2."""
    T = checks.number("profile", "T", T, positive=True)
    return Signal([(0.0, [0.5, 0, 0, 0, 0, 0, -0.5, np.pi / T, np.pi / 2]), (T, [1.0])])


PROFILES = {
    "squared_sine": squared_sine,
    "trapezoidal": trapezoidal,
    "quintic": lambda T, ramp=None: quintic(0.0, 1.0, T),
    "harmonic": lambda T, ramp=None: harmonic(T),
}


def profile_of(profile, T: float, ramp: float) -> Signal:
    """Profile by name, a Signal from 0 to 1, or a table (times, values)."""
    if isinstance(profile, Signal):
        return profile
    if isinstance(profile, (tuple, list)) and len(profile) == 2:
        return table(*profile)
    checks.known("path", "profile", profile, PROFILES)
    return PROFILES[profile](T, ramp)


class Path:
    """Motion of a node in space: position, velocity and acceleration at a time.

    Subclasses state `curve(s)`: position and its first and second derivatives by s, each (3,) (in the plane (2,)).
    """

    def __init__(self, node: str, T: float, profile="squared_sine", ramp: float = 0.25):
        self.node, self.T = node, checks.number("path", "T", T, positive=True)
        self.profile = profile_of(profile, self.T, ramp)

    def curve(self, s: float) -> tuple:
        """Position and its derivatives by s."""
        raise NotImplementedError

    @property
    def kinks(self) -> np.ndarray:
        """Times between which the motion is smooth, ends included."""
        k = self.profile.kinks
        return np.union1d([0.0, self.T], k[(k > 0) & (k < self.T)])

    def rates(self, t: float) -> np.ndarray:
        """(3, d): position, velocity, acceleration."""
        s, sd, sdd = self.profile.rates(t)
        x, x1, x2 = self.curve(s)
        return np.array([x, x1 * sd, x1 * sdd + x2 * sd**2])


class LinePath(Path):
    """Straight line from A to B (m) in the time T (s).

    >>> LinePath((0, 0, 0), (1, 0, 0), T=1.0, node="tip").rates(0.5)[0].tolist()
    [0.5, 0.0, 0.0]
    """

    def __init__(self, A, B, T: float, node: str = "tip", profile="squared_sine", ramp: float = 0.25):
        super().__init__(node, T, profile, ramp)
        n = len(np.atleast_1d(A))
        self.A, self.B = checks.vector("path", "A", A, n), checks.vector("path", "B", B, n)

    def curve(self, s):
        d = self.B - self.A
        return self.A + s * d, d, 0 * d


class CirclePath(Path):
    """Arc about a centre, from A through `angle` (rad) about `axis` (3-vector)."""

    def __init__(self, centre, A, axis, angle: float, T: float, node: str = "tip", profile="squared_sine", ramp=0.25):
        super().__init__(node, T, profile, ramp)
        self.centre, self.A = checks.vector("path", "centre", centre, 3), checks.vector("path", "A", A, 3)
        axis = checks.vector("path", "axis", axis, 3, nonzero=True)
        self.axis, self.angle = axis / np.linalg.norm(axis), checks.number("path", "angle", angle)

    def curve(self, s):
        r = self.A - self.centre
        along = self.axis * (self.axis @ r)
        e1 = r - along
        e2 = np.cross(self.axis, e1)
        a = self.angle
        c, k = np.cos(a * s), np.sin(a * s)
        return self.centre + along + c * e1 + k * e2, a * (c * e2 - k * e1), -(a**2) * (c * e1 + k * e2)


class WaypointPath(Path):
    """Smooth curve through way-points (n, d): a natural spline over the chord length."""

    def __init__(self, points, T: float, node: str = "tip", profile="squared_sine", ramp: float = 0.25):
        from scipy.interpolate import CubicSpline

        super().__init__(node, T, profile, ramp)
        points = np.asarray(points, float)
        if points.ndim != 2 or len(points) < 2 or not np.all(np.isfinite(points)):
            raise InputError("path: way-points must be at least two rows of finite coordinates")
        step = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if not np.all(step > 0):
            raise InputError("path: two way-points in a row are the same; leave one out")
        self.points = points
        self.knots = np.concatenate([[0.0], np.cumsum(step)]) / step.sum()
        self.spline = CubicSpline(self.knots, points, bc_type="natural")

    def curve(self, s):
        return self.spline(s), self.spline(s, 1), self.spline(s, 2)

    @property
    def kinks(self):
        """The spline's third derivative jumps at its knots: their times belong to the kinks."""
        from scipy.optimize import brentq

        inner = [brentq(lambda t, k=k: self.profile(t) - k, 0, self.T) for k in self.knots[1:-1]]
        return np.union1d(super().kinks, inner)


class FunctionPath(Path):
    """A user's function t -> (position, velocity, acceleration) over the time T; `kinks` where it is not smooth."""

    def __init__(self, function: Callable, T: float, node: str = "tip", kinks=()):
        super().__init__(node, T, "quintic")
        self.function, self._kinks = function, np.asarray(kinks, float)

    @property
    def kinks(self):
        return np.union1d([0.0, self.T], self._kinks)

    def rates(self, t):
        out = np.array([np.asarray(v, float) for v in self.function(min(max(t, 0.0), self.T))])
        if out.ndim != 2 or len(out) != 3 or not np.all(np.isfinite(out)):
            raise InputError(f"path: the function must return three finite vectors, got {out} at t = {t:g}")
        return out


class JointPath:
    """Motion of the joints themselves: a mapping of degrees of freedom to Signals; those not named stay as drawn."""

    node = None

    def __init__(self, joints: Mapping[str, Signal], T: float):
        self.T = checks.number("path", "T", T, positive=True)
        self.joints = {name: as_signal(s) for name, s in joints.items()}

    @property
    def kinks(self):
        inner = [k for s in self.joints.values() for k in s.kinks if 0 < k < self.T]
        return np.union1d([0.0, self.T], inner)


class PrescribedPath:
    """The motions that the model itself prescribes, up to the time T (s); no joint is left to a controller.

    The nominal motion is the model with its flexible deformations zero, moved as prescribed; its deviation is in the
    flexible deformations only. This is what `simulate` takes when it is given neither path nor controller.
    """

    node = None

    def __init__(self, T: float):
        self.T = checks.number("path", "T", T, positive=True)

    @property
    def kinks(self):
        """Only the ends; the kinks of the signals are the model's."""
        return np.array([0.0, self.T])
