"""Finite rotations of section frames: Euler parameters, rotation vectors, and the matrix Lambda.

    R(p) = I + (2 s a~ + 2 a~ a~) / (p.p),   p = (s, a)          any non-zero p, so the drift of its norm is harmless
    dp/dt = (1/2) Q(p)^T w,   w = 2 Q(p) dp/dt / (p.p),   Q(p) = [-a | s I + a~]    w: angular velocity, fixed axes
    dtheta/dt = Lambda(theta) w,   Lambda = I - theta~/2 + c(theta) theta~ theta~
    c(theta) = (1 - (theta/2) / tan(theta/2)) / theta^2 = lambda(theta/2) / 4

All kernels fill their last argument and also run on complex input, which the tests use for derivatives.
"""

from __future__ import annotations

import numpy as np

from spacar_py._jit import kernel


@kernel
def quaternion_matrix(p, out):
    """Rotation matrix of the Euler parameters p = (s, a), of any norm."""
    s, x, y, z = p[0], p[1], p[2], p[3]
    f = 2.0 / (s * s + x * x + y * y + z * z)
    out[0, 0] = 1.0 - f * (y * y + z * z)
    out[0, 1] = f * (x * y - s * z)
    out[0, 2] = f * (x * z + s * y)
    out[1, 0] = f * (x * y + s * z)
    out[1, 1] = 1.0 - f * (x * x + z * z)
    out[1, 2] = f * (y * z - s * x)
    out[2, 0] = f * (x * z - s * y)
    out[2, 1] = f * (y * z + s * x)
    out[2, 2] = 1.0 - f * (x * x + y * y)


@kernel
def quaternion_rates(p, out):
    """Matrix Q(p) of shape (3, 4): dp/dt = Q^T w / 2."""
    s, x, y, z = p[0], p[1], p[2], p[3]
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = -x, s, -z, y
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = -y, z, s, -x
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = -z, -y, x, s


@kernel
def rotation_vector(t, out):
    """Rotation vector of a rotation matrix that turns by less than pi."""
    s = np.sqrt(1.0 + t[0, 0] + t[1, 1] + t[2, 2]) / 2.0
    x = (t[2, 1] - t[1, 2]) / (4.0 * s)
    y = (t[0, 2] - t[2, 0]) / (4.0 * s)
    z = (t[1, 0] - t[0, 1]) / (4.0 * s)
    n2 = x * x + y * y + z * z
    if n2.real < 1e-10:
        f = (2.0 / s) * (1.0 - n2 / (s * s) / 3.0)
    else:
        n = np.sqrt(n2)
        f = 2.0 * np.arctan(n / s) / n
    out[0], out[1], out[2] = f * x, f * y, f * z


@kernel
def lambda_factors(x):
    """Factor c of theta~^2 in Lambda and (dc/dtheta)/theta, both as functions of x = theta.theta.

    Below one half radian the Bernoulli series, sum |B_2k| x^(k-1) / (2k)!: the closed form cancels there.
    """
    if x.real < 0.25:
        c0, c1, c2, c3 = 1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0
        c4, c5, c6 = 1.0 / 47900160.0, 691.0 / 1307674368000.0, 1.0 / 74724249600.0
        c = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * (c5 + x * c6)))))
        d = 2.0 * (c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * (5.0 * c5 + x * 6.0 * c6)))))
        return c, d
    th = np.sqrt(x)
    si = np.sin(th / 2.0)
    co = np.cos(th / 2.0)
    c = (1.0 - th / 2.0 * co / si) / x
    slope = (th / (4.0 * si * si) - co / (2.0 * si)) / x - 2.0 * c / th
    return c, slope / th


@kernel
def lambda_matrix(th, out):
    """Lambda(theta): dtheta/dt = Lambda w."""
    x, y, z = th[0], th[1], th[2]
    n2 = x * x + y * y + z * z
    c, _ = lambda_factors(n2)
    for i in range(3):
        for j in range(3):
            out[i, j] = c * th[i] * th[j]
        out[i, i] += 1.0 - c * n2
    out[0, 1] += z / 2.0
    out[1, 0] -= z / 2.0
    out[0, 2] -= y / 2.0
    out[2, 0] += y / 2.0
    out[1, 2] += x / 2.0
    out[2, 1] -= x / 2.0


@kernel
def lambda_transposed_slope(th, a, out):
    """Derivative by theta of Lambda(theta)^T a, for a constant vector a.

    Lambda^T a = a + theta x a / 2 + c theta x (theta x a).
    """
    n2 = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
    ta = th[0] * a[0] + th[1] * a[1] + th[2] * a[2]
    c, d = lambda_factors(n2)
    for i in range(3):
        double = th[i] * ta - a[i] * n2
        for j in range(3):
            out[i, j] = d * double * th[j] + c * (th[i] * a[j] - 2.0 * a[i] * th[j])
        out[i, i] += c * ta
    out[0, 1] += a[2] / 2.0
    out[1, 0] -= a[2] / 2.0
    out[0, 2] -= a[1] / 2.0
    out[2, 0] += a[1] / 2.0
    out[1, 2] += a[0] / 2.0
    out[2, 1] -= a[0] / 2.0


@kernel
def product3(a, b, out):
    """Product of two 3 x 3 matrices."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@kernel
def skew(a, out):
    """Matrix a~ with a~ b = a x b."""
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -a[2], a[1]
    out[1, 0], out[1, 1], out[1, 2] = a[2], 0.0, -a[0]
    out[2, 0], out[2, 1], out[2, 2] = -a[1], a[0], 0.0


def quaternion_of(matrix: np.ndarray) -> np.ndarray:
    """Euler parameters of a rotation matrix, by the largest of the four (no restriction on the angle)."""
    t = np.asarray(matrix, dtype=float)
    tr = np.trace(t)
    squares = np.array([1.0 + tr, *(1.0 - tr + 2.0 * np.diag(t))]) / 4.0
    k = int(np.argmax(squares))
    table = np.array(
        [
            [squares[0] * 4, t[2, 1] - t[1, 2], t[0, 2] - t[2, 0], t[1, 0] - t[0, 1]],
            [t[2, 1] - t[1, 2], squares[1] * 4, t[0, 1] + t[1, 0], t[0, 2] + t[2, 0]],
            [t[0, 2] - t[2, 0], t[0, 1] + t[1, 0], squares[2] * 4, t[1, 2] + t[2, 1]],
            [t[1, 0] - t[0, 1], t[0, 2] + t[2, 0], t[1, 2] + t[2, 1], squares[3] * 4],
        ]
    )
    p = table[k]
    return p / np.linalg.norm(p)


def rotation(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector."""
    v = np.asarray(vector, dtype=float)
    angle = np.linalg.norm(v)
    p = np.concatenate(([np.cos(angle / 2.0)], np.sinc(angle / (2.0 * np.pi)) * v / 2.0))
    out = np.empty((3, 3))
    quaternion_matrix(p, out)
    return out
