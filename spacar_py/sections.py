"""Cross-sections: stiffness and inertia per length, from a material and dimensions or as free values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import InputError


def need_finite(what: str, name: str, value) -> float:
    """The value as a finite float, or an error that names it."""
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {name} must be a number, got {value!r}") from None
    if not np.isfinite(out):
        raise InputError(f"{what}: {name} must be finite, got {out:g}")
    return out


def need_positive(what: str, name: str, value, zero: bool = False) -> float:
    """The value as a positive float, or an error that names it."""
    out = need_finite(what, name, value)
    if out < 0 or (out == 0 and not zero):
        raise InputError(f"{what}: {name} must be {'zero or positive' if zero else 'positive'}, got {out:g}")
    return out


@dataclass(frozen=True)
class Section:
    """Properties of a cross-section in the beam's axes x (along), y, z.

    Parameters
    ----------
    EA, GJ, EIy, EIz : float
        Stiffness: axial (N), torsion, bending about y and about z (N m^2).
    m : float
        Mass per length (kg/m).
    Jx, Jy, Jz, Jyz : float
        Rotary inertia per length (kg m).
    shear_y, shear_z : float
        EI/(k G A) of bending about y and about z (m^2); zero leaves out shear.
    EIw, Jw : float
        Warping stiffness (N m^4) and warping inertia per length, for warping beams.
    shape : tuple
        What the dimensions were, for stresses and drawings.

    Examples
    --------
    >>> s = Section(EA=1e6, EIy=10.0, EIz=10.0, GJ=5.0, m=0.5)
    >>> s.EIy
    10.0
    """

    EA: float = 0.0
    GJ: float = 0.0
    EIy: float = 0.0
    EIz: float = 0.0
    m: float = 0.0
    Jx: float = 0.0
    Jy: float = 0.0
    Jz: float = 0.0
    Jyz: float = 0.0
    shear_y: float = 0.0
    shear_z: float = 0.0
    EIw: float = 0.0
    Jw: float = 0.0
    shape: tuple = field(default=("free",))

    def __post_init__(self):
        for name in ("EA", "GJ", "EIy", "EIz", "m", "Jx", "Jy", "Jz", "shear_y", "shear_z", "EIw", "Jw"):
            object.__setattr__(self, name, need_positive("section", name, getattr(self, name), zero=True))
        Jyz = need_finite("section", "Jyz", self.Jyz)
        object.__setattr__(self, "Jyz", Jyz)
        if Jyz**2 > self.Jy * self.Jz * (1 + 1e-9):
            raise InputError(f"section: Jyz^2 must not exceed Jy Jz = {self.Jy * self.Jz:g}, got Jyz = {Jyz:g}")

    @property
    def J(self) -> np.ndarray:
        """Rotary inertia per length as a tensor (3, 3) in the beam's axes."""
        return np.array([[self.Jx, 0, 0], [0, self.Jy, self.Jyz], [0, self.Jyz, self.Jz]], dtype=float)

    @classmethod
    def _solid(cls, A, Iy, Iz, It, ky, kz, E, G, rho, shape, Iw=0.0):
        return cls(
            EA=E * A, GJ=G * It, EIy=E * Iy, EIz=E * Iz, m=rho * A, Jx=rho * (Iy + Iz), Jy=rho * Iy, Jz=rho * Iz,
            shear_y=E * Iy / (kz * G * A), shear_z=E * Iz / (ky * G * A), EIw=E * Iw, Jw=rho * Iw, shape=shape,
        )  # fmt: skip

    @classmethod
    def rectangle(cls, width: float, height: float, E: float, G: float | None = None, nu: float | None = None,
                  rho: float = 0.0) -> Section:  # fmt: skip
        """Rectangle, `width` along y and `height` along z (m); E, G (Pa), or nu; rho (kg/m^3).

        Saint-Venant torsion by its series, shear factor 10(1+nu)/(12+11nu) (Cowper 1966), warping constant of the
        Saint-Venant warping function.

        >>> round(Section.rectangle(0.04, 0.001, E=210e9, nu=0.3).GJ, 4)
        1.06
        """
        b, h = need_positive("rectangle", "width", width), need_positive("rectangle", "height", height)
        E, G, nu, rho = _material("rectangle", E, G, nu, rho)
        k = 10 * (1 + nu) / (12 + 11 * nu)
        It, Iw = rectangle_torsion(b, h)
        return cls._solid(b * h, b * h**3 / 12, h * b**3 / 12, It, k, k, E, G, rho, ("rectangle", b, h), Iw)

    @classmethod
    def circle(cls, diameter: float, E: float, G: float | None = None, nu: float | None = None,
               rho: float = 0.0) -> Section:  # fmt: skip
        """Solid circle; shear factor 6(1+nu)/(7+6nu) (Cowper 1966); a circle does not warp."""
        d = need_positive("circle", "diameter", diameter)
        return cls.tube(d, 0.0, E, G, nu, rho, _shape=("circle", d))

    @classmethod
    def tube(cls, outer: float, inner: float, E: float, G: float | None = None, nu: float | None = None,
             rho: float = 0.0, _shape: tuple | None = None) -> Section:  # fmt: skip
        """Circular tube with outer and inner diameter (m)."""
        D = need_positive("tube", "outer diameter", outer)
        d = need_positive("tube", "inner diameter", inner, zero=True)
        if d >= D:
            raise InputError(f"tube: the inner diameter must be smaller than the outer one, got {d:g} and {D:g}")
        E, G, nu, rho = _material("circle" if _shape else "tube", E, G, nu, rho)
        A, I = np.pi * (D**2 - d**2) / 4, np.pi * (D**4 - d**4) / 64
        m2 = (d / D) ** 2
        k = 6 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)
        return cls._solid(A, I, I, 2 * I, k, k, E, G, rho, _shape or ("tube", D, d))


def _material(what, E, G, nu, rho):
    E = need_positive(what, "E", E)
    rho = need_positive(what, "rho", rho, zero=True)
    if (G is None) == (nu is None):
        raise InputError(f"{what}: give either G or nu, got {'neither' if G is None else 'both'}")
    if G is None:
        nu = need_finite(what, "nu", nu)
        if not -1 < nu <= 0.5:
            raise InputError(f"{what}: nu must be above -1 and at most 0.5, got {nu:g}")
        G = E / (2 * (1 + nu))
    else:
        G = need_positive(what, "G", G)
        nu = E / (2 * G) - 1
    return E, G, nu, rho


def rectangle_torsion(b: float, h: float) -> tuple[float, float]:
    """Saint-Venant constant It and warping constant Iw = int w^2 dA of a rectangle, by their series.

    The warping function of the sides a >= c is w = y z - sum_n A_n sin(k_n z) sinh(k_n y), with k_n = (2n+1) pi/c.

    >>> It, Iw = rectangle_torsion(1.0, 1.0)
    >>> round(It, 6)
    0.140577
    """
    a, c = max(b, h), min(b, h)
    n = 2 * np.arange(60) + 1
    It = a * c**3 / 3 * (1 - 192 * c / np.pi**5 / a * np.sum(np.tanh(n * np.pi * a / (2 * c)) / n**5))
    nodes, weights = np.polynomial.legendre.leggauss(48)
    y, z = nodes * a / 2, nodes * c / 2
    k = n[:, None] * np.pi / c
    sign = np.where(n % 4 == 1, 1.0, -1.0)[:, None]
    # sinh(k y)/cosh(k a/2) without overflow
    ratio = (np.exp(k * (y - a / 2)) - np.exp(-k * (y + a / 2))) / (1 + np.exp(-k * a))
    part = 8 * c**2 / np.pi**3 * np.einsum("ny,nz->yz", sign / n[:, None] ** 3 * ratio, np.sin(k * z))
    w = y[:, None] * z[None, :] - part
    return float(It), float(np.einsum("y,z,yz->", weights, weights, w**2) * a * c / 4)
