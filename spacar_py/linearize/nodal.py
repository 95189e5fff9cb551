"""Compliance and stiffness seen at a node: answer of its displacements to forces and moments on it."""

from __future__ import annotations

import numpy as np

from ..errors import InputError, nearest
from .linear import LinearModel, linear_model
from .ports import Outputs


def directions(linear, node: str) -> list[str]:
    """Names of the displacements of a node: x, y, z, rx, ry, rz (in the plane x, y, rz)."""
    s = linear.system
    planar = s.model.planar
    out = []
    if ("point", node) in s.nodes:
        out += ["x", "y"] if planar else ["x", "y", "z"]
    if ("frame", node) in s.nodes:
        out += ["rz"] if planar else ["rx", "ry", "rz"]
    if not out:
        names = sorted({n for kind, n in s.nodes if kind != "warp"})
        raise InputError(f"compliance: there is no node '{node}'{nearest(node, names)}; known: {', '.join(names[:8])}")
    return [f"{node}.{d}" for d in out]


def compliance(model, node: str, at=None, t: float = 0.0, **options) -> np.ndarray:
    """Compliance matrix at a node, (6, 6), in the plane (3, 3): displacements by unit forces and moments, in space.

    C = T K^-1 T^T with K = K0 + G0 + N0 and T = d(x, y, z, rx, ry, rz)/dq.

    Parameters
    ----------
    model : Model or LinearModel
        With free joints, hold them first: `compliance(linear_model(m).hold(), "tip")`.
    node : str
        A point and frame of that name; with a point alone the matrix is (3, 3).

    Returns
    -------
    array ([N,] 6, 6)
        In m/N, 1/N and rad/(N m).

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import compliance
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIz=1.0), flexible="bending")
    >>> compliance(m, "tip").round(4).tolist()         # L^3/3, L^2/2, L
    [[0.0, 0.0, 0.0], [0.0, 0.3333, 0.5], [0.0, 0.5, 1.0]]
    """
    linear = model if isinstance(model, LinearModel) else linear_model(model, at, t, **options)
    names = directions(linear, node)
    out = []
    for n in range(len(linear)):
        rows = Outputs(linear, n)
        T = np.array([rows.row(name)[0][0][linear.free] for name in names])
        K = linear.stiffness if linear.single else linear.stiffness[n]
        out.append(T @ _solve(linear, K, T.T) + 0.0)
    return linear._one(np.stack(out))


def _solve(linear, K, b) -> np.ndarray:
    d = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(K)), 1e-300))
    low = np.linalg.svd(d[:, None] * K * d, compute_uv=False) if np.all(np.diag(K) != 0) else np.zeros(1)
    if not low[-1] > 1e-13 * low[0]:
        _, _, Vt = np.linalg.svd(K)
        name = linear.dof[int(np.argmax(np.abs(Vt[-1])))]
        raise InputError(f"compliance: {name} moves without stiffness; hold it with linear_model(...).hold('{name}')")
    return d[:, None] * np.linalg.solve(d[:, None] * K * d, d[:, None] * b)


def nodal_stiffness(model, node: str, at=None, t: float = 0.0, **options) -> np.ndarray:
    """Stiffness matrix at a node, the inverse of `compliance`; refused where the node cannot move in some direction.

    >>> import spacar_py as sp
    >>> from spacar_py.linearize import nodal_stiffness
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EA=5.0, EIz=1.0), flexible="all")
    >>> (nodal_stiffness(m, "tip").round(4) + 0.0).tolist()
    [[5.0, 0.0, 0.0], [0.0, 12.0, -6.0], [0.0, -6.0, 4.0]]
    """
    linear = model if isinstance(model, LinearModel) else linear_model(model, at, t, **options)
    names = directions(linear, node)
    C = compliance(linear, node)
    for c in C if C.ndim == 3 else [C]:
        d = np.sqrt(np.maximum(np.abs(np.diag(c)), 0))
        stiff = [n for n, z in zip(names, d, strict=True) if not z > 0]
        if not stiff:
            U, s, _ = np.linalg.svd(c / np.outer(d, d))
            stiff = [names[int(np.argmax(np.abs(U[:, -1])))]] if s[-1] < 1e-12 * s[0] else []
        if stiff:
            raise InputError(
                f"nodal_stiffness: {', '.join(stiff)} is rigid, its stiffness is infinite; make a deformation "
                "flexible, or use the compliance"
            )
    return np.linalg.inv(C) + 0.0  # no minus zero
