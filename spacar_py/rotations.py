"""Euler parameters (scalar first), rotation matrices and rotation vectors, for the user's side of the program."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def matrix(lam: ArrayLike) -> np.ndarray:
    """Rotation matrix of Euler parameters, R = (l0^2 - l.l) I + 2 l l^T + 2 l0 l~; works on stacks (..., 4).

    >>> matrix([1, 0, 0, 0]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    lam = np.asarray(lam, dtype=float)
    a, b, c, d = np.moveaxis(lam, -1, 0)
    rows = [
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def from_vector(theta: ArrayLike) -> np.ndarray:
    """Euler parameters of a rotation vector (axis times angle, rad)."""
    theta = np.asarray(theta, dtype=float)
    angle = np.linalg.norm(theta)
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) / angle * theta])


def to_vector(lam: ArrayLike) -> np.ndarray:
    """Rotation vector of Euler parameters, angle in [0, pi]; works on stacks (..., 4)."""
    lam = np.asarray(lam, dtype=float)
    lam = np.where(lam[..., :1] < 0, -lam, lam)
    s = np.linalg.norm(lam[..., 1:], axis=-1)
    angle = 2 * np.arctan2(s, lam[..., 0])
    scale = np.where(s > 1e-12, angle / np.where(s > 1e-12, s, 1.0), 2.0)
    return scale[..., None] * lam[..., 1:]


def from_matrix(R: ArrayLike) -> np.ndarray:
    """Euler parameters of a rotation matrix, scalar part not negative."""
    R = np.asarray(R, dtype=float)
    trace = np.trace(R)
    four = np.array([1 + trace, *(1 + 2 * np.diag(R) - trace)])
    k = int(np.argmax(four))
    lam = np.empty(4)
    lam[k] = four[k]
    anti = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        lam[1:] = anti
    else:
        i = k - 1
        lam[0] = anti[i]
        for j in range(3):
            if j != i:
                lam[1 + j] = R[i, j] + R[j, i]
    lam /= np.linalg.norm(lam)
    return -lam if lam[0] < 0 else lam


def angular_velocity(lam: ArrayLike, lamd: ArrayLike) -> np.ndarray:
    """Angular velocity in space of Euler parameters and their rates; works on stacks (..., 4)."""
    lam, lamd = np.asarray(lam, dtype=float), np.asarray(lamd, dtype=float)
    v, vd = lam[..., 1:], lamd[..., 1:]
    return 2 * (lam[..., :1] * vd - lamd[..., :1] * v + np.cross(v, vd))


def nodal_moment(lam: ArrayLike, f: ArrayLike) -> np.ndarray:
    """Moment in space of the forces f dual to Euler parameters, Lambda f / 2; works on stacks (..., 4)."""
    lam, f = np.asarray(lam, dtype=float), np.asarray(f, dtype=float)
    v, fv = lam[..., 1:], f[..., 1:]
    return 0.5 * (lam[..., :1] * fv - f[..., :1] * v + np.cross(v, fv))


def triad(ex: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
    """Rows ex, ey, ez: ey is y made orthogonal to ex (by default the axis in which ex has its least component)."""
    ex = np.asarray(ex, dtype=float)
    ex = ex / np.linalg.norm(ex)
    if y is None:
        y = np.eye(3)[int(np.argmin(np.abs(ex)))]
    ey = np.asarray(y, dtype=float) - ex * (ex @ np.asarray(y, dtype=float))
    ey = ey / np.linalg.norm(ey)
    return np.array([ex, ey, np.cross(ex, ey)])
