"""What the user writes: an arm of links and hinges, each link rigid or flexible by a switch.

Everything is given in the reference configuration, in which all hinge angles are zero: axes and link vectors in the
fixed axes. Node frames coincide with the fixed axes there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from spacar_py import checks
from spacar_py.corotational.laws import MASS, Law, Section, euler_bernoulli, law_matrix
from spacar_py.errors import InputError, nearest

_ZERO = (0.0, 0.0, 0.0)
Motion = Callable[[float], tuple[float, float, float]]


@dataclass(frozen=True)
class PD:
    """Joint-space control, torque = KP (target - angle) + KD (target' - angle') + what is fed forward.

    Parameters
    ----------
    target : callable
        t -> (angle, rate, acceleration).
    KP, KD : float
        Gains [N m/rad], [N m s/rad].
    feedforward : {None, "gravity", "inverse dynamics"} or callable
        Nothing; the torque that holds the rigid arm at the target; the torque that moves the rigid arm along the
        target; or any function t -> torque.
    """

    target: Motion
    KP: float
    KD: float
    feedforward: str | Callable[[float], float] | None = None

    def __post_init__(self):
        known = (None, "gravity", "inverse dynamics")
        if not callable(self.feedforward) and self.feedforward not in known:
            raise InputError(
                f"control: feedforward must be None, 'gravity', 'inverse dynamics' or a function, "
                f"got {self.feedforward!r}{nearest(self.feedforward, known[1:])}"
            )
        for name in ("KP", "KD"):
            checks.number("control", name, getattr(self, name), minimum=0.0)


@dataclass
class Joint:
    """Hinge (axis given) or clamp (no axis) at the start of a link."""

    name: str
    axis: np.ndarray | None = None
    drive: Motion | None = None
    control: PD | None = None
    angle: float = 0.0

    @property
    def motion(self) -> Motion:
        """Angle, rate and acceleration wanted, or the initial angle for a passive hinge."""
        if self.drive is not None:
            return self.drive
        if self.control is not None:
            return self.control.target
        return lambda t: (self.angle, 0.0, 0.0)


@dataclass
class Link:
    """Beam or rigid body from one joint to the next."""

    name: str
    path: np.ndarray
    section: Section | None
    y: np.ndarray
    flexible: bool
    law: Law
    interpolation: str
    mass: float | None
    inertia: np.ndarray | None
    joint: Joint | None = None
    loads: list = field(default_factory=list)

    @property
    def vector(self) -> np.ndarray:
        """From the start of the link to its end."""
        return self.path[-1] - self.path[0]

    def axes(self, k: int) -> np.ndarray:
        """Columns l m n of element k at rest."""
        ex = self.path[k + 1] - self.path[k]
        ex = ex / np.linalg.norm(ex)
        ey = self.y - (self.y @ ex) * ex
        ey = ey / np.linalg.norm(ey)
        return np.column_stack((ex, ey, np.cross(ex, ey)))

    def rigid_inertia(self) -> tuple[float, np.ndarray]:
        """Mass, and inertia about the middle in reference axes: given, or of a straight uniform rod."""
        T = self.axes(0)
        length = np.linalg.norm(self.vector)
        mass = self.section.m * length if self.mass is None else self.mass
        if self.inertia is not None:
            return mass, T @ self.inertia @ T.T
        Jy, Jz = self.section.Jy * length, self.section.Jz * length
        rod = mass * length**2 / 12.0
        return mass, T @ np.diag([Jy + Jz, rod + Jy, rod + Jz]) @ T.T


class Arm:
    """Open chain of links.

    Parameters
    ----------
    gravity : 3-vector
        Acceleration of gravity [m/s^2].
    base : 3-vector
        Where the first joint is.
    free : bool
        The first link is not attached to the ground.
    velocity, spin : 3-vector
        Initial velocity of the start of a free arm, and its angular velocity as a rigid whole.

    Examples
    --------
    >>> from spacar_py.corotational import Arm, Section, simulate
    >>> rod = Section.of_material(E=7e10, rho=2700.0, A=4e-4, Iy=1e-8, Iz=1e-8)
    >>> arm = Arm(gravity=(0, 0, -9.81))
    >>> arm.hinge("shoulder", axis=(0, 1, 0), drive=lambda t: (0.1 * t**2, 0.2 * t, 0.2))
    >>> arm.link("upper", (1, 0, 0), rod, elements=4)
    >>> print(arm)
    arm of 1 links: shoulder (driven hinge), upper (flexible, 4 elements)
    """

    def __init__(self, gravity=_ZERO, base=_ZERO, free: bool = False, velocity=_ZERO, spin=_ZERO):
        self.gravity = checks.vector("arm", "gravity", gravity, 3)
        self.base = checks.vector("arm", "base", base, 3)
        self.free = free
        self.velocity, self.spin = checks.vector("arm", "velocity", velocity, 3), checks.vector("arm", "spin", spin, 3)
        if not free and (np.any(self.velocity) or np.any(self.spin)):
            raise InputError("arm: only a free arm has a velocity or spin of its own; set free=True or drive a hinge")
        self.links: list[Link] = []
        self.payloads: list[tuple[str, str, float, np.ndarray]] = []
        self._waiting: Joint | None = None

    def hinge(
        self, name: str, axis, drive: Motion | None = None, control: PD | None = None, angle: float = 0.0
    ) -> None:
        """Revolute joint before the next link: driven (angle, rate, acceleration of time), controlled, or passive."""
        axis = checks.vector(f"hinge '{name}'", "axis", axis, 3, nonzero=True)
        if drive is not None and control is not None:
            raise InputError(f"hinge '{name}' is both driven and controlled; drop drive or control")
        for what, motion in (("drive", drive), ("target", control and control.target)):
            if motion is not None:
                _check_motion(f"hinge '{name}': {what}", motion)
        self._wait(Joint(name, axis / np.linalg.norm(axis), drive, control, angle))

    def clamp(self, name: str) -> None:
        """Rigid connection before the next link."""
        self._wait(Joint(name))

    def link(
        self,
        name: str,
        to,
        section: Section | None = None,
        elements: int = 10,
        flexible: bool = True,
        y=None,
        law: Law = euler_bernoulli,
        interpolation: str = "linear",
        mass: float | None = None,
        inertia=None,
    ) -> None:
        """Link from the last joint.

        Parameters
        ----------
        to : 3-vector or (n + 1, 3) array
            Vector from its start to its end, or the nodes of a curved link (which sets the number of elements).
        section : Section
            Needed unless the link is rigid with mass and inertia given.
        elements : int
            Number of beams, if flexible.
        flexible : bool
            The switch: beams, or one rigid body.
        y : 3-vector
            Direction of the section's m axis, made orthogonal to the link; chosen if not given.
        law : callable
            Energy of the beams, see laws.
        interpolation : {"linear", "lumped", "blended"}
            The c_ij of the mass matrices.
        mass, inertia : float, 3-vector or (3, 3) array
            Override the section's values when rigid; inertia about the middle in link axes (x along the link).
        """
        path = _path(f"link '{name}'", to, elements)
        if section is None and (flexible or mass is None or inertia is None):
            raise InputError(f"link '{name}' needs a section, or flexible=False with mass and inertia")
        if interpolation not in MASS:
            raise InputError(f"link '{name}': interpolation must be {' or '.join(map(repr, MASS))}, "
                             f"got {interpolation!r}{nearest(interpolation, MASS)}")  # fmt: skip
        along = path[1] - path[0]
        if y is None:
            y = np.cross((0.0, 0.0, 1.0), along) if abs(along[2]) < 0.9 * np.linalg.norm(along) else (0.0, 1.0, 0.0)
        y = checks.vector(f"link '{name}'", "y", y, 3)
        if np.linalg.norm(np.cross(y, along)) < 1e-12 * np.linalg.norm(along) * max(np.linalg.norm(y), 1e-300):
            raise InputError(f"link '{name}': y must not lie along the link, got {tuple(y.tolist())}")
        if inertia is not None:
            inertia = checks.inertia(f"link '{name}'", inertia)
        if mass is not None:
            mass = checks.number(f"link '{name}'", "mass", mass, minimum=0.0)
        if flexible:
            law_matrix(f"link '{name}'", law, section, np.linalg.norm(along))
        if self._waiting is None and (self.links or not self.free):
            before = self.links[-1].name if self.links else "the base"
            raise InputError(f"link '{name}' is not joined to {before}; call hinge or clamp first")
        if name in self.names:
            raise InputError(f"name '{name}' is used twice")
        link = Link(name, path, section, y, flexible, law, interpolation, mass, inertia, self._waiting)
        self.links.append(link)
        self._waiting = None

    def payload(self, name: str, mass: float, inertia=_ZERO) -> None:
        """Rigid body fixed to the end of the last link, mass centre there; inertia in reference axes."""
        inertia = checks.inertia(f"payload '{name}'", inertia)
        mass = checks.number(f"payload '{name}'", "mass", mass, minimum=0.0)
        if name in self.names:
            raise InputError(f"name '{name}' is used twice")
        self.payloads.append((self._last(f"payload '{name}'").name, name, mass, inertia))

    def load(self, force=_ZERO, moment=_ZERO) -> None:
        """Dead force and moment at the end of the last link: 3-vectors, or functions of time that give them."""
        self._last("load").loads.append((force, moment))

    def rigid(self) -> Arm:
        """The same arm with all links rigid."""
        other = copy.deepcopy(self)
        for link in other.links:
            link.flexible = False
        return other

    @property
    def names(self) -> list[str]:
        """Names of joints, links and payloads."""
        names = [n for link in self.links for n in ((link.joint.name,) if link.joint else ()) + (link.name,)]
        return names + [name for _, name, _, _ in self.payloads]

    def __str__(self) -> str:
        words = []
        for link in self.links:
            j = link.joint
            if j is not None:
                kind = "driven" if j.drive else "controlled" if j.control else "passive"
                words.append(f"{j.name} (clamp)" if j.axis is None else f"{j.name} ({kind} hinge)")
            kind = f"flexible, {len(link.path) - 1} elements" if link.flexible else "rigid"
            words.append(f"{link.name} ({kind})")
        return f"arm of {len(self.links)} links: " + ", ".join(words)

    def _wait(self, joint: Joint) -> None:
        if self._waiting is not None:
            raise InputError(f"joint '{joint.name}' follows joint '{self._waiting.name}' without a link between them")
        if joint.name in self.names:
            raise InputError(f"name '{joint.name}' is used twice")
        self._waiting = joint

    def _last(self, what: str) -> Link:
        if not self.links:
            raise InputError(f"{what}: the arm has no link yet; call link first")
        return self.links[-1]


def _path(what: str, to, elements) -> np.ndarray:
    """Nodes of a link, (n + 1, 3)."""
    try:
        path = np.atleast_2d(np.asarray(to, dtype=float))
    except (TypeError, ValueError):
        path = np.zeros((1, 3))  # refused below
    if path.shape == (1, 3):
        path = np.linspace(0.0, 1.0, checks.count(what, "elements", elements) + 1)[:, None] * path
    steps = np.diff(path, axis=0)
    if path.ndim != 2 or path.shape[1] != 3 or not np.all(np.isfinite(path)) or np.min(np.abs(steps).max(axis=1)) == 0:
        raise InputError(f"{what}: 'to' must be a non-zero 3-vector or distinct nodes, got {to!r}")
    return path


def _check_motion(what: str, motion) -> None:
    """Refuse what does not give angle, rate and acceleration at the start."""
    found = motion(0.0) if callable(motion) else motion
    try:
        good = callable(motion) and np.all(np.isfinite(np.asarray(found, dtype=float))) and len(found) == 3
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InputError(f"{what} must be a function t -> (angle, rate, acceleration), at t = 0 it gives {found!r}")
