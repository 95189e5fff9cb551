"""Largest stresses in a beam from its stress resultants, for rectangular and circular sections.

With the stress resultants sigma of a beam of length L: axial force N = sigma1, torque T = sigma2 L, bending moments
L sigma3, L sigma4 about local y and L sigma5, L sigma6 about local z at the ends p, q (linear between), shear forces
Vz = sigma4 - sigma3, Vy = sigma6 - sigma5. At each end, in a rectangle of width b (along y) and height h (along z):

    corners              |N|/A + |My| h/(2 Iy) + |Mz| b/(2 Iz)                     no shear
    middle of y = b/2    |N|/A + |Mz| b/(2 Iz)       tau = tau_T + 3 |Vz|/(2 A)
    middle of z = h/2    |N|/A + |My| h/(2 Iy)       tau = tau_T + 3 |Vy|/(2 A)
    centre               |N|/A                       tau = 3 sqrt(Vy^2 + Vz^2)/(2 A)

tau_T by Saint-Venant's series, c the short and a the long side, with It the torsion constant, n odd:

    middle of a long side    T c/It (1 - 8/pi^2 sum 1/(n^2 cosh(n pi a/2c)))
    middle of a short side   T c/It 8/pi^2 sum (-1)^((n-1)/2)/n^2 tanh(n pi a/2c)

In a circle of radius r: outermost fibre |N|/A + M r/I with T r/J; neutral axis |N|/A with T r/J + 4 V/(3 A). The
equivalent stress is von Mises's, sqrt(sigma^2 + 3 tau^2). It is convex in the resultants, which are linear along the
beam: its maximum is at an end.
"""

from __future__ import annotations

import numpy as np

from spacar_py.errors import InputError
from spacar_py.sections import Section, rectangle_torsion

PARTS = ("axial", "bending", "torsion", "shear", "normal", "mises")


def torsion_stress(b: float, h: float) -> tuple[float, float]:
    """Shear stress of a unit torque in the middle of the sides y = b/2 and z = h/2 of a rectangle (1/m^3).

    >>> long, short = torsion_stress(1.0, 1.0)
    >>> round(1 / long, 3), round(1 / short, 3)          # 0.208 a^3, Timoshenko
    (0.208, 0.208)
    """
    a, c = max(b, h), min(b, h)
    It, _ = rectangle_torsion(b, h)
    n = 2 * np.arange(4000) + 1.0
    k = np.minimum(n * np.pi * a / (2 * c), 300.0)  # its cosh is infinite for all purposes
    long = c / It * (1 - 8 / np.pi**2 * np.sum(1 / (n**2 * np.cosh(k))))
    short = c / It * 8 / np.pi**2 * np.sum(np.where(n % 4 == 1, 1.0, -1.0) / n**2 * np.tanh(k))
    return (float(short), float(long)) if b >= h else (float(long), float(short))


def beam_stress(sigma, L: float, section: Section) -> dict[str, np.ndarray]:
    """Largest stresses (Pa) in a beam: "axial", "bending", "torsion", "shear", "normal" and "mises".

    Parameters
    ----------
    sigma : (..., 6) array
        Stress resultants of a beam, N and N (moments are sigma L).
    L : float
        Length of the beam (m).
    section : Section
        Made by `Section.rectangle` or `Section.circle`; the dimensions are needed.

    Examples
    --------
    >>> s = Section.rectangle(0.02, 0.001, E=210e9, nu=0.3)
    >>> moment = 0.1
    >>> out = beam_stress([0, 0, moment / 0.05, moment / 0.05, 0, 0], 0.05, s)
    >>> round(float(out["mises"]) / (6 * moment / (0.02 * 0.001**2)), 9)
    1.0
    """
    sigma = np.asarray(sigma, float)
    if sigma.shape[-1:] != (6,):
        raise InputError(f"beam stress: needs six stress resultants, got shape {sigma.shape}")
    N, T = np.abs(sigma[..., 0]), np.abs(sigma[..., 1]) * L
    My, Mz = np.abs(sigma[..., 2:4]) * L, np.abs(sigma[..., 4:6]) * L
    Vz, Vy = np.abs(sigma[..., 3] - sigma[..., 2]), np.abs(sigma[..., 5] - sigma[..., 4])
    if section.shape[0] == "rectangle":
        return _rectangle(section.shape[1], section.shape[2], N, T, My, Mz, Vy, Vz)
    if section.shape[0] == "circle":
        return _circle(section.shape[1] / 2, N, T, My, Mz, Vy, Vz)
    raise InputError(f"beam stress: the section must be a rectangle or a circle, got '{section.shape[0]}'")


def _mises(normal, tau):
    return np.sqrt(normal**2 + 3 * tau**2)


def _rectangle(b, h, N, T, My, Mz, Vy, Vz):
    A, Wy, Wz = b * h, b * h**2 / 6, h * b**2 / 6
    at_y, at_z = (k * T for k in torsion_stress(b, h))
    axial = N / A
    by, bz = np.max(My, axis=-1) / Wy, np.max(Mz, axis=-1) / Wz
    bending = np.max(My / Wy + Mz / Wz, axis=-1)
    ty, tz, t0 = at_y + 1.5 * Vz / A, at_z + 1.5 * Vy / A, 1.5 * np.hypot(Vy, Vz) / A
    mises = np.max([axial + bending, _mises(axial + bz, ty), _mises(axial + by, tz), _mises(axial, t0)], axis=0)
    return dict(zip(PARTS, (axial, bending, np.maximum(at_y, at_z), t0, axial + bending, mises), strict=True))


def _circle(r, N, T, My, Mz, Vy, Vz):
    A, I = np.pi * r**2, np.pi * r**4 / 4
    axial, bending = N / A, np.max(np.hypot(My, Mz), axis=-1) * r / I
    torsion, shear = T * r / (2 * I), 4 / 3 * np.hypot(Vy, Vz) / A
    mises = np.maximum(_mises(axial + bending, torsion), _mises(axial, torsion + shear))
    return dict(zip(PARTS, (axial, bending, torsion, shear, axial + bending, mises), strict=True))
