"""Python user forces in a linearisation: their values as nodal forces, their slopes by the complex step."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..tangent import C0, G0, N0

STEP = 1e-30  # no subtraction takes place, so the step can be as small as one likes


def set_user_forces(system, w, t: float) -> list[tuple]:
    """Add the forces to w.f_ext, return (first coordinate, df/dx, df/dv) of each; needs x and xd."""
    w.f_ext[:] = 0.0
    out = []
    for label, node, function, *_ in system.model.user_forces:
        o, n = system.nodes[node.kind, node.name]
        x, v = w.X[0, o : o + n].copy(), w.X[1, o : o + n].copy()
        w.f_ext[o : o + n] += _call(label, function, t, x, v, n).real
        slopes = np.zeros((2, n, n))
        for k in range(2):
            for j in range(n):
                a = [x.astype(complex), v.astype(complex)]
                a[k][j] += 1j * STEP
                slopes[k, :, j] = _call(label, function, t, *a, n).imag / STEP
        _check(label, function, t, x, v, slopes)
        out.append((o, slopes[0], slopes[1]))
    return out


def _call(label, function, t, x, v, n) -> np.ndarray:
    try:
        f = np.asarray(function(t, x, v))
        if f.dtype == object:
            f = f.astype(complex)
    except TypeError as error:
        raise InputError(
            f"{label}: the complex step needs a function that takes complex x and v, got {error}; "
            "use numpy functions without abs, max or float(), or replace the force by springs and dampers"
        ) from None
    if f.shape != (n,) or not np.all(np.isfinite(f)):
        raise InputError(f"{label}: must return {n} finite numbers, got {f} at t = {t:g}")
    return f


def _check(label, function, t, x, v, slopes) -> None:
    """Refuse a function that is real where it should be complex, such as one with abs or norm in it."""
    n = len(x)
    for k, a in enumerate((x, v)):
        h = 1e-6 * (1.0 + np.max(np.abs(a)))
        for j in range(n):
            d = np.zeros((2, n))
            d[k, j] = h
            ends = [_call(label, function, t, x + s * d[0], v + s * d[1], n).real for s in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * h)
            size = np.max(np.abs(slopes)) + np.max(np.abs(ends)) / (1.0 + np.max(np.abs(a)))
            if np.max(np.abs(slope - slopes[k, :, j])) > 1e-3 * size:
                raise InputError(
                    f"{label}: the complex step gives the slope {slopes[k, :, j]}, differences give {slope}; "
                    "the function must be smooth and use its arguments as complex numbers: write |v| as sqrt(v @ v)"
                )


def add_user_forces(w, slopes, out) -> None:
    """-DF^T df/dx DF into G0, -DF^T df/dv DF into C0, -DF^T df/dv DFd into N0."""
    for o, f_x, f_v in slopes:
        rows = slice(o, o + len(f_x))
        DF, DFd = w.DF[rows], w.DFd[rows]
        out[G0] -= DF.T @ f_x @ DF
        out[C0] -= DF.T @ f_v @ DF
        out[N0] -= DF.T @ f_v @ DFd
