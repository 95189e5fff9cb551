"""The two arms of the paper by Damic and Cohodar: planar double link, and anthropomorphic arm under PD control."""

from __future__ import annotations

import functools

import numpy as np

from spacar_py.corotational.arm import PD, Arm, Motion
from spacar_py.corotational.laws import Section

TAU = 2.0 * np.pi


def inner_motion(t: float, start: float = np.pi / 2, stop: float = 0.0, T: float = 10.0) -> tuple:
    """Angle, rate, acceleration of the inner hinge: from start to stop in T, smooth; at rest afterwards (eq. 21)."""
    if t >= T:
        return stop, 0.0, 0.0
    k, u = (stop - start) / T, TAU * t / T
    return start + k * (t - T / TAU * np.sin(u)), k * (1.0 - np.cos(u)), k * TAU / T * np.sin(u)


def outer_motion(t: float, speed: float = 1.0, T: float = 10.0) -> tuple:
    """Angle, rate, acceleration of the outer hinge: spin-up to speed in T, constant afterwards (eq. 22)."""
    if t >= T:
        return speed * (t - T / 2.0), speed, 0.0
    u = TAU * t / T
    angle = speed / T * (t**2 / 2.0 + (T / TAU) ** 2 * (np.cos(u) - 1.0))
    return angle, speed / T * (t - T / TAU * np.sin(u)), speed / T * (1.0 - np.cos(u))


def double_link(elements: int = 10, flexible: bool = True, **options) -> Arm:
    """Two 8 m links in a plane, both hinges driven, no gravity (table 1; simulate 15 s).

    The outer angle is taken between the end section of the inner link and the first section of the outer one.
    The section is doubly symmetric here: only bending in the plane matters.

    Parameters
    ----------
    elements : int
        Beams per link.
    flexible : bool
    **options
        Handed to `Arm.link`: law, interpolation.
    """
    inner = Section.of_material(E=6.8952e10, rho=2766.7, A=3.84e-4, Iy=1.5e-7, Iz=1.5e-7)
    outer = Section.of_material(E=6.8952e10, rho=2766.7, A=7.3e-5, Iy=8.218e-9, Iz=8.218e-9)
    arm = Arm()
    arm.hinge("shoulder", axis=(0, 0, 1), drive=inner_motion)
    arm.link("inner", (8, 0, 0), inner, elements, flexible, y=(0, 1, 0), **options)
    arm.hinge("elbow", axis=(0, 0, 1), drive=outer_motion)
    arm.link("outer", (8, 0, 0), outer, elements, flexible, y=(0, 1, 0), **options)
    return arm


HEIGHT, REACH = 0.3, 0.5


def tip_path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity, acceleration wanted of the end effector (eq. 23)."""
    c, s = np.cos(TAU * t), np.sin(TAU * t)
    x = np.array([0.7 - 0.05 * c, 0.25 * t**2, 0.05 + 0.25 * np.sqrt(3.0) - 0.05 * s])
    v = np.array([0.05 * TAU * s, 0.5 * t, -0.05 * TAU * c])
    a = np.array([0.05 * TAU**2 * c, 0.5, 0.05 * TAU**2 * s])
    return x, v, a


@functools.lru_cache(maxsize=64)
def joint_path(t: float) -> np.ndarray:
    """Joint angles, rates, accelerations (3, 3) along the path, elbow up, rigid links.

    Polar in the vertical plane: rho = REACH (cos a + cos b), h = REACH (sin a + sin b), b = a + third angle.
    """
    x, v, a = tip_path(t)
    rho = np.hypot(x[0], x[1])
    th1 = np.arctan2(x[1], x[0])
    h = x[2] - HEIGHT
    th3 = -np.arccos((rho**2 + h**2) / (2.0 * REACH**2) - 1.0)
    up = np.arctan2(h, rho) - th3 / 2.0
    th = np.array([th1, up, th3])
    J = _tip_jacobian(th)
    rate = np.linalg.solve(J, v)
    # dJ/dt by the complex step along the motion: exact to rounding
    Jd = _tip_jacobian(th + 1e-30j * rate).imag / 1e-30
    return np.array([th, rate, np.linalg.solve(J, a - Jd @ rate)])


def _tip_jacobian(th: np.ndarray) -> np.ndarray:
    c, s = np.cos(th[0]), np.sin(th[0])
    a, b = th[1], th[1] + th[2]
    rho = REACH * (np.cos(a) + np.cos(b))
    d_rho = np.array([-REACH * (np.sin(a) + np.sin(b)), -REACH * np.sin(b)])
    d_h = np.array([rho, REACH * np.cos(b)])
    zero = 0.0 * rho
    return np.array([[-rho * s, d_rho[0] * c, d_rho[1] * c], [rho * c, d_rho[0] * s, d_rho[1] * s], [zero, *d_h]])


def _joint_motion(k: int) -> Motion:
    return lambda t: tuple(joint_path(float(t))[:, k])


def anthropomorphic(
    flexible: bool = True,
    elements: int = 10,
    feedforward: str | None = "gravity",
    KP: float = 1000.0,
    KD: float = 1000.0,
) -> Arm:
    """Three-link arm under PD control in joint space (table 2; simulate 1 s).

    Assumed, because the paper leaves it open: the first hinge is at the origin with a vertical axis, the other two are
    horizontal; the 0.10 m side is upright; elbow up; the gravity torque of the rigid arm is fed forward, since
    KP e + KD e' alone would sag by centimetres. The first link is rigid, as in the paper.

    Parameters
    ----------
    flexible : bool
        Links 2 and 3 as beams, or rigid with the printed masses and inertias.
    elements : int
        Beams per flexible link.
    feedforward : {None, "gravity", "inverse dynamics"}
    KP, KD : float
        Gains of all three axes [N m/rad], [N m s/rad].
    """
    second = Section.rectangle(E=0.699e11, rho=2640.0, y=0.10, z=0.05)
    third = Section.rectangle(E=1.727e11, rho=1300.0, y=0.10, z=0.05)
    control = [PD(_joint_motion(k), KP, KD, feedforward) for k in range(3)]
    arm = Arm(gravity=(0.0, 0.0, -9.81))
    arm.hinge("waist", axis=(0, 0, 1), control=control[0])
    # the table has the column along its y axis; here x runs along a link
    arm.link("column", (0, 0, HEIGHT), flexible=False, mass=24.88, inertia=(0.1244, 0.2488, 0.2488))
    for k, (joint, name, section, mass, inertia) in enumerate(
        [
            ("shoulder", "upper", second, 6.60, (6.875e-3, 0.1389, 0.1430)),
            ("elbow", "fore", third, 3.25, (3.385e-3, 6.839e-2, 7.042e-2)),
        ],
        start=1,
    ):
        arm.hinge(joint, axis=(0, -1, 0), control=control[k])
        arm.link(name, (REACH, 0, 0), section, elements, flexible, y=(0, 0, 1), mass=mass, inertia=inertia)
    return arm


def tip_error(result) -> np.ndarray:
    """Tip minus wanted tip (n, 3) of the anthropomorphic arm [m], by equation 23 itself."""
    return result.tip - np.array([tip_path(t)[0] for t in result.t])
