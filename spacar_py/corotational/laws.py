"""Cross-sections, and the laws that make an energy of the local deformations of a beam.

The local deformations are s = (theta1, u, theta2), seven numbers: rotation vector of the left section, elongation,
rotation vector of the right section, all in the co-rotated frame. A law is a function (section, l0) -> S with the
energy V = s^T S s / 2; another theory is another such function, nothing else changes.

    Euler-Bernoulli   V = EA u^2/(2 l0) + GIt (th2x - th1x)^2/(2 l0) + (2 EI/l0)(th1^2 + th2^2 + th1 th2) in each plane
    Timoshenko        each plane with EI/((1 + Phi) l0) [[4 + Phi, 2 - Phi], [2 - Phi, 4 + Phi]], Phi = 12 EI/(kGA l0^2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from spacar_py.errors import InputError

Law = Callable[["Section", float], np.ndarray]


@dataclass(frozen=True)
class Section:
    """Stiffness and inertia of a uniform cross-section, per unit length.

    Parameters
    ----------
    EA, GIt : float
        Stretching [N] and twisting [N m^2] stiffness.
    EIy, EIz : float
        Bending stiffness about the section's m (y) and n (z) axis [N m^2].
    m : float
        Mass per length [kg/m].
    Jy, Jz : float
        Rotary inertia per length, rho Iy and rho Iz [kg m].
    GAy, GAz : float
        Shear stiffness k G A for forces along y and z [N]; only the Timoshenko law reads them.

    Examples
    --------
    >>> round(Section.rectangle(E=0.699e11, rho=2640.0, y=0.10, z=0.05).m, 9)
    13.2
    """

    EA: float
    GIt: float
    EIy: float
    EIz: float
    m: float
    Jy: float = 0.0
    Jz: float = 0.0
    GAy: float = np.inf
    GAz: float = np.inf

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            low = 0.0 if field.name in ("Jy", "Jz") else np.finfo(float).tiny
            if not value >= low:
                raise InputError(f"section: {field.name} must be positive, got {value!r}")

    @classmethod
    def of_material(
        cls, E: float, rho: float, A: float, Iy: float, Iz: float, It: float | None = None, nu: float = 0.3, k=5.0 / 6.0
    ) -> Section:
        """Section of one material; It is Iy + Iz unless given (exact for a circle only)."""
        G = E / (2.0 * (1.0 + nu))
        It = Iy + Iz if It is None else It
        return cls(E * A, G * It, E * Iy, E * Iz, rho * A, rho * Iy, rho * Iz, k * G * A, k * G * A)

    @classmethod
    def rectangle(cls, E: float, rho: float, y: float, z: float, nu: float = 0.3) -> Section:
        """Rectangle of the sides y and z [m]; torsion by Roark's formula (within 4 %)."""
        a, b = max(y, z) / 2.0, min(y, z) / 2.0
        It = a * b**3 * (16.0 / 3.0 - 3.36 * b / a * (1.0 - b**4 / (12.0 * a**4)))
        return cls.of_material(E, rho, y * z, y * z**3 / 12.0, z * y**3 / 12.0, It, nu)


def _energy_matrix(section: Section, l0: float, phi_y: float, phi_z: float) -> np.ndarray:
    S = np.zeros((7, 7))
    S[3, 3] = section.EA / l0
    S[0, 0] = S[4, 4] = section.GIt / l0
    S[0, 4] = S[4, 0] = -section.GIt / l0
    for k, EI, phi in ((1, section.EIy, phi_z), (2, section.EIz, phi_y)):
        S[k, k] = S[k + 4, k + 4] = EI / l0 * (4.0 + phi) / (1.0 + phi)
        S[k, k + 4] = S[k + 4, k] = EI / l0 * (2.0 - phi) / (1.0 + phi)
    return S


def euler_bernoulli(section: Section, l0: float) -> np.ndarray:
    """Energy matrix S (7, 7) without shear."""
    return _energy_matrix(section, l0, 0.0, 0.0)


def timoshenko(section: Section, l0: float) -> np.ndarray:
    """Energy matrix S (7, 7) with shear; bending about y goes with shear along z and the other way round."""
    return _energy_matrix(
        section, l0, 12.0 * section.EIz / (section.GAy * l0**2), 12.0 * section.EIy / (section.GAz * l0**2)
    )


def law_matrix(what: str, law: Law, section: Section, l0: float) -> np.ndarray:
    """Energy matrix of a law, refused where it cannot be one."""
    known = "euler_bernoulli, timoshenko or a function (section, l0) -> symmetric (7, 7) array"
    if not callable(law):
        raise InputError(f"{what}: law must be {known}, got {law!r}")
    S = np.asarray(law(section, l0), dtype=float)
    if S.shape != (7, 7) or not np.all(np.isfinite(S)) or np.abs(S - S.T).max() > 1e-9 * np.abs(S).max():
        got = f"the shape {S.shape}" if S.shape != (7, 7) else "one that is not symmetric or not finite"
        raise InputError(f"{what}: law must be {known}, '{getattr(law, '__name__', 'law')}' gives {got}")
    return S


# c11/l0 and c12/l0 of the constant mass matrices: what is interpolated inside the element is the modeller's choice.
MASS = {"linear": (1.0 / 3.0, 1.0 / 6.0), "lumped": (1.0 / 2.0, 0.0), "blended": (5.0 / 12.0, 1.0 / 12.0)}
