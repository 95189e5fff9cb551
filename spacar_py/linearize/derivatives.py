"""Sensitivity of natural frequencies and damping to a parameter.

    s_p = -psi^H (s^2 M_p + s C_p + K_p) phi / psi^H (2 s M + C) phi
    (omega^2)_p = phi^T (K_p - omega^2 M_p) phi        for real modes

The matrices are linear in masses and in stiffness, so that their derivatives by these are exact to rounding.
"""

from __future__ import annotations

import copy
import dataclasses

import numpy as np

from ..checks import known
from ..errors import InputError, nearest
from ..sections import Section
from .eigenmodes import modes as find_modes
from .linear import _linearise, linear_model
from .states import read_states

LINEAR = ("EA", "GJ", "EIy", "EIz", "m", "Jx", "Jy", "Jz", "Jyz", "EIw", "Jw")
CLUSTER = 1e-6  # omega^2 nearer than this to each other are treated as one multiple root


@dataclasses.dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives by one parameter: of the roots s_p, of omega (rad/s), frequency (Hz) and damping ratio."""

    parameter: str
    value: float
    modes: object
    s_p: np.ndarray

    @property
    def omega_p(self) -> np.ndarray:
        s = self.modes.s
        return np.real(np.conj(s) * self.s_p) / np.where(np.abs(s) > 0, np.abs(s), 1.0)

    @property
    def frequency_p(self) -> np.ndarray:
        return self.omega_p / (2 * np.pi)

    @property
    def damping_p(self) -> np.ndarray:
        w = self.modes.omega
        return -(self.s_p.real + self.modes.damping * self.omega_p) / np.where(w > 0, w, 1.0)


def sensitivity(model, parameter, at=None, t: float = 0.0, *, value: float | None = None, equilibrium: bool = False,
                **options) -> Sensitivity:  # fmt: skip
    """Derivatives of frequencies and damping by a parameter.

    Parameters
    ----------
    model : Model
    parameter : str or callable
        "beam.EIy" (any property of a Section, of an element or a whole chain), "mass tip"; or a function p -> Model
        that builds the same model for another value, differentiated about `value` by differences of fourth order.
    at, t : optional
        State, as in `linear_model`; its q, qd, qdd stay as they are.
    equilibrium : bool
        Let a static state follow its equilibrium as the parameter changes.
    **options
        Of `modes`: n, kind, symmetric.

    Returns
    -------
    Sensitivity

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import sensitivity
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIz=3.0), flexible="bending")
    >>> m.mass("tip", 1.0)                      # omega^2 = 3 EI/(m L^3) = 9
    >>> sensitivity(m, "leaf.EIz").omega_p.round(6).tolist()
    [0.5]
    """
    linear = linear_model(model, at, t)
    if not linear.single:
        raise InputError(f"sensitivity: needs one state, got {len(linear)}; choose one point of the result")
    found = find_modes(linear, **options)
    build, value, exact = _varied(model, parameter, value)
    system = model.compile()
    states = read_states(system, at, t)
    q_p = _equilibrium_slope(system, states, build, value, exact, linear) if equilibrium else None
    M_p, C_p, K_p = _matrix_slopes(system, states, build, value, exact and q_p is None, q_p)
    if options.get("symmetric"):
        K_p = (K_p + K_p.T) / 2
    s_p = _root_slopes(found, linear, M_p, C_p, K_p)
    return Sensitivity(parameter if isinstance(parameter, str) else "p", value, found, s_p)


def _varied(model, parameter, value):
    """(build(p), value, whether the matrices are linear in p)."""
    if callable(parameter):
        if value is None:
            raise InputError("sensitivity: a function p -> Model needs value=..., the p about which to differentiate")
        return parameter, float(value), False
    if not isinstance(parameter, str):
        raise InputError(f"sensitivity: parameter must be a text such as 'beam.EIy' or a function, got {parameter!r}")
    if parameter.startswith("mass "):
        return _varied_mass(model, parameter[5:].strip())
    owner, _, name = parameter.rpartition(".")
    known("sensitivity", "element", owner, {**model.elements, **model.chains})
    fields = [f.name for f in dataclasses.fields(Section) if f.name != "shape"]
    if name not in fields:
        raise InputError(f"sensitivity: a section has no '{name}'{nearest(name, fields)}; known: {', '.join(fields)}")
    pieces = model.chains.get(owner, [owner])
    section = model.elements[pieces[0]].section
    if section is None:
        raise InputError(f"sensitivity: '{owner}' has no section; give it one to vary its {name}")

    def build(p):
        out = _copy(model)
        for piece in pieces:
            el = copy.copy(model.elements[piece])
            el.section = dataclasses.replace(el.section, **{name: p})
            out.elements[piece] = el
        return out

    return build, float(getattr(section, name)), name in LINEAR


def _varied_mass(model, point):
    known("sensitivity", "point", point, model.points)
    own = [i for i, b in enumerate(model.bodies) if b.name == point and b.J is None and not np.any(b.c)]
    if not own:
        masses = sorted({b.name for b in model.bodies})
        hint = nearest(point, masses)
        raise InputError(f"sensitivity: there is no point mass at '{point}'{hint}; masses are at: {', '.join(masses)}")

    def build(p):
        out = _copy(model)
        out.bodies[own[0]] = dataclasses.replace(model.bodies[own[0]], m=p)
        return out

    return build, float(model.bodies[own[0]].m), True


def _copy(model):
    out = copy.copy(model)
    out.elements, out.bodies, out._compiled = dict(model.elements), list(model.bodies), None
    return out


def _at(system, states, model, q_shift=None):
    other = model.compile()
    if other.y_names != system.y_names:
        raise InputError("sensitivity: the varied model has other degrees of freedom; name them with dof, not flexible")
    moved = states
    if q_shift is not None:
        moved = dataclasses.replace(states, Y=states.Y.copy(), x=None)
        moved.Y[0, 0, : system.nq] += q_shift
    return _linearise(other, moved)


def _slope(evaluate, value, exact):
    """Derivative of an array: two points where it is linear, four else."""
    h = 0.5 * abs(value) if exact and value else 1.0 if exact else 1e-2 * (abs(value) or 1.0)
    if exact and value == 0:
        return evaluate(h) - evaluate(0.0)
    first = (evaluate(value + h) - evaluate(value - h)) / (2 * h)
    if exact:
        return first
    second = (evaluate(value + 2 * h) - evaluate(value - 2 * h)) / (4 * h)
    return (4 * first - second) / 3


def _matrix_slopes(system, states, build, value, exact, q_p):
    def evaluate(p):
        a = _at(system, states, build(p), None if q_p is None else (p - value) * q_p)
        return np.stack([a.M0, a.velocity, a.stiffness])

    return _slope(evaluate, value, exact)


def _equilibrium_slope(system, states, build, value, exact, linear):
    """q_p = -K^-1 rho_p."""
    rho_p = _slope(lambda p: _at(system, states, build(p)).residual, value, exact)
    return -np.linalg.solve(linear.stiffness, rho_p)


def _root_slopes(found, linear, M_p, C_p, K_p) -> np.ndarray:
    s, V = found.s, found.shapes
    out = np.zeros(len(s), complex)
    if found.kind == "real":
        w2 = np.real(-s * s)
        j = 0
        while j < len(s):
            k = j + 1
            while k < len(s) and abs(w2[k] - w2[j]) <= CLUSTER * max(abs(w2[j]), 1e-300):
                k += 1
            W = V[:, j:k]
            slopes = np.linalg.eigvalsh(W.T @ (K_p - w2[j] * M_p) @ W)
            out[j:k] = np.where(np.abs(s[j:k]) > 0, -slopes / (2 * np.where(np.abs(s[j:k]) > 0, s[j:k], 1)), 0.0)
            j = k
        return out
    C = linear.velocity if found.kind == "damped" else np.zeros_like(linear.M0)
    C_p = C_p if found.kind == "damped" else np.zeros_like(M_p)
    for j, z in enumerate(s):
        v, l = V[:, j], found.left[:, j].conj()
        under = l @ (2 * z * linear.M0 + C) @ v
        out[j] = -(l @ (z * z * M_p + z * C_p + K_p) @ v) / under if under != 0 else 0.0
    return out
