"""Checks of the user's input; each error names the thing, the rule, the value and the remedy."""

from __future__ import annotations

import numpy as np

from .errors import InputError, nearest


def real(value) -> np.ndarray | None:
    """The value as an array of floats, or None: text, complex numbers and rows of unequal length are no numbers."""
    try:
        out = np.asarray(value)
        return None if out.dtype.kind in "cSU" else out.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None


def vector(what: str, name: str, value, n: int, nonzero: bool = False) -> np.ndarray:
    """A finite vector of n numbers."""
    kind = f"a non-zero {n}-vector" if nonzero else f"a vector of {n} finite numbers"
    out = real(value)
    if out is None:
        raise InputError(f"{what}: {name} must be {kind}, got {value!r}")
    if out.shape != (n,) or not np.all(np.isfinite(out)) or (nonzero and not out.any()):
        raise InputError(f"{what}: {name} must be {kind}, got {_show(value)}")
    return out


def number(what: str, name: str, value, positive: bool = False, minimum: float | None = None) -> float:
    """A finite number, positive or at least `minimum` where asked for."""
    rule = "a positive finite number" if positive else "a finite number"
    if minimum is not None:
        rule = f"a finite number, {minimum:g} at least"
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {name} must be {rule}, got {value!r}") from None
    if not np.isfinite(out) or (positive and out <= 0) or (minimum is not None and out < minimum):
        raise InputError(f"{what}: {name} must be {rule}, got {out:g}")
    return out


def count(what: str, name: str, value, least: int = 1) -> int:
    """A whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{what}: {name} must be a whole number, {least} at least, got {value!r}")
    return int(value)


def known(what: str, kind: str, name, names) -> None:
    """Refuse a name that is not among the names."""
    if not isinstance(name, str) or name not in names:
        some = ", ".join(f"'{n}'" for n in list(names)[:8]) or "none yet"
        raise InputError(f"{what}: there is no {kind} '{name}'{nearest(name, names)}; known: {some}")


def new_name(kind: str, name, taken) -> str:
    """A non-empty string that is not taken."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{kind}: its name must be a non-empty text, got {name!r}")
    if name in taken:
        raise InputError(f"{kind} '{name}': the name is taken; choose another one")
    return name


def inertia(what: str, value) -> np.ndarray:
    """Inertia tensor from a number, three principal values or a symmetric matrix that a body can have."""
    J = real(value)
    J = np.zeros(0) if J is None else J  # refused below
    if J.ndim == 0:
        J = np.diag(np.full(3, float(J)))
    elif J.shape == (3,):
        J = np.diag(J)
    if J.shape != (3, 3) or not np.all(np.isfinite(J)) or not np.allclose(J, J.T, rtol=1e-9, atol=0):
        raise InputError(f"{what}: J must be a number, three numbers or a symmetric 3 x 3 matrix, got {_show(value)}")
    p = np.linalg.eigvalsh(J)
    if p[0] < -1e-12 * max(abs(p[2]), 1e-300):
        raise InputError(f"{what}: J must not be negative, its principal values are {_show(p)}")
    if p[2] > (p[0] + p[1]) * (1 + 1e-9) and p[0] > 0:
        raise InputError(f"{what}: no body has the principal inertias {_show(p)}; the largest exceeds the others' sum")
    return J


def model(what: str, value):
    """The compiled system of a model; anything else is refused."""
    if not hasattr(value, "compile"):
        raise InputError(f"{what}: needs a Model, got {value!r}")
    return value.compile()


def function(what: str, name: str, value) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise InputError(f"{what}: {name} must be a function, got {value!r}")


def _show(value) -> str:
    try:
        return "(" + ", ".join(f"{float(x):g}" for x in value) + ")"
    except (TypeError, ValueError, OverflowError):
        return repr(value)
