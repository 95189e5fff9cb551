"""Damping matrices D0 that leave rigid motion alone.

Modes are those of (K0, M0), structural stiffness only, so that motions without strain, joints above all, are exactly
its null space and are not damped:

    modal         D0 = M0 Phi diag(2 zeta omega) Phi^T M0 over the elastic modes
    proportional  D0 = beta K0 + alpha M0 Phi Phi^T M0
    deformations  D0 = DFe^T diag(c) DFe
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..checks import count, number
from ..errors import InputError, nearest
from .eigen import real_modes
from .eigenmodes import modes
from .linear import LinearModel, linear_model
from .mode_names import family


def _elastic(M, K) -> tuple[np.ndarray, np.ndarray]:
    """omega and shapes of the modes of (K0, M0) that strain something."""
    d = np.sqrt(np.where(np.diag(K) > 0, np.diag(K), 1.0))
    rank = int(np.linalg.matrix_rank(K / np.outer(d, d), tol=1e-11, hermitian=True)) if np.any(K) else 0
    w2, V = real_modes(M, K)
    order = np.sort(np.argsort(np.abs(w2), kind="stable")[max(len(w2) - rank, 0) :])
    return np.sqrt(np.maximum(w2[order], 0.0)), V[:, order]


def _each(linear, function) -> np.ndarray:
    points = [linear] if linear.single else [linear[n] for n in range(len(linear))]
    return linear._one(np.stack([function(p) for p in points]))


def modal_damping(linear: LinearModel, ratios) -> np.ndarray:
    """Damping matrix ([N,] nq, nq) with given ratios in the elastic modes.

    Parameters
    ----------
    linear : LinearModel
    ratios : float or sequence
        One ratio for all elastic modes, or one for each of the lowest, the last one serving for the rest.

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import linear_model, modal_damping, modes
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    >>> lm = linear_model(m)
    >>> modes(lm.add(D0=modal_damping(lm, [0.01, 0.02]))).damping.round(6).tolist()
    [0.01, 0.02]
    """
    zeta = np.atleast_1d(np.asarray(ratios, float))
    if zeta.ndim != 1 or len(zeta) == 0 or not np.all(np.isfinite(zeta)) or np.any(zeta < 0):
        raise InputError(f"modal_damping: ratios must be finite and not negative, got {ratios!r}")

    def at(point):
        w, V = _elastic(point.M0, point.K0)
        z = zeta[np.minimum(np.arange(len(w)), len(zeta) - 1)]
        MV = point.M0 @ V
        return (MV * (2 * z * w)) @ MV.T

    return _each(linear, at)


def proportional_damping(linear: LinearModel, stiffness: float = 0.0, mass: float = 0.0) -> np.ndarray:
    """Damping matrix `stiffness` (s) times K0 plus `mass` (1/s) times the inertia of the elastic modes."""
    beta = number("proportional_damping", "stiffness", stiffness, minimum=0.0)
    alpha = number("proportional_damping", "mass", mass, minimum=0.0)

    def at(point):
        out = beta * point.K0
        if alpha:
            _, V = _elastic(point.M0, point.K0)
            MV = point.M0 @ V
            out = out + alpha * MV @ MV.T
        return out

    return _each(linear, at)


def deformation_damping(linear: LinearModel, values: Mapping[str, float]) -> np.ndarray:
    """Damping matrix of viscous dampers on deformations, {"beam.torsion": c}; 'beam.bending_y' means both its ends, in
    all elements of a chain."""
    s = linear.system
    c = np.zeros(s.ne)
    families = [family(n) for n in s.e_names]
    for name, value in values.items():
        own = [i for i, n in enumerate(s.e_names) if n == name] or [i for i, f in enumerate(families) if f == name]
        if not own:
            raise InputError(f"deformation_damping: there is no deformation '{name}'{nearest(name, s.e_names)}")
        c[own] += number(f"deformation_damping of '{name}'", "value", value, minimum=0.0)
    DFe = linear.DFe
    return np.swapaxes(DFe, -1, -2) @ (c[:, None] * DFe)


def set_damping(model, ratio: float, mode: int = 1, at=None, t: float = 0.0) -> float:
    """Give all flexible elements one stiffness-proportional damping, such that `mode` has the damping `ratio`.

    The mode is counted with the joints held, at the state `at`. Returns the factor beta = 2 ratio/omega (s); it acts in
    every later simulation and linearisation of the model: sigma = S (e + beta ed).
    """
    ratio = number("set_damping", "ratio", ratio, minimum=0.0)
    mode = count("set_damping", "mode", mode)
    linear = linear_model(model, at, t)
    if not np.any(linear.system.flexible):
        raise InputError("set_damping: the model has no flexible deformation; nothing could be damped")
    if not np.all(linear.system.flexible):
        linear = linear.hold()
    found = modes(linear, kind="real", symmetric=True)
    if mode > len(found):
        raise InputError(f"set_damping: mode {mode} asked for, the model has {len(found)}")
    beta = 2 * ratio / float(found.omega[mode - 1])
    for name in model.elements:
        if name in model.material_damping or model.elements[name].section is not None:
            model.material_damping[name] = beta
    model._touch()
    return beta
