"""A linear controller in the loop, as data: state space, gain scheduled in time, feedforward.

With the errors y = (s - s_ref, sd - sd_ref) of the sensors:

    zd = A z + B y        u = u0(t) - W(t) (C z + D y)

s_ref by quintic, u0 and W by cubic Hermite interpolation on one grid of times; a time may stand twice, at a kink.
"""

from __future__ import annotations

import numpy as np

from ._jit import kernel
from ._outline import outlined
from .tables import Arrays, struct_maker, struct_type

CONTROL = {
    "n": "i1",  # actuators, sensors, states; 0 actuators: no controller
    "act": "i1",  # deformation that each actuator drives
    "sensor": "i2",  # (ns, 2): 0 deformation or 1 coordinate, and its index
    "grid": "f1",
    "ref": "f3",  # (N, 3, ns)
    "u0": "f3",  # (N, 2, nu) value and slope
    "W": "f4",  # (N, 2, nu, nu)
    "A": "f2",
    "B": "f2",
    "C": "f2",
    "D": "f2",
    "y": "f1",  # scratch: errors, inner output, output, rate of z
    "v": "f1",
    "u": "f1",
    "zd": "f1",
    "Wt": "f2",
}

_make_control = struct_maker("_make_control", CONTROL, "f")


def pack_control(**arrays) -> Arrays:
    """Control arrays with their struct; without arguments no controller."""
    nu, ns, nz = (int(i) for i in arrays.get("n", (0, 0, 0)))
    shapes = dict(
        n=(3,), act=(nu,), sensor=(ns, 2), grid=(0,), ref=(0, 3, ns), u0=(0, 2, nu), W=(0, 2, nu, nu), A=(nz, nz),
        B=(nz, 2 * ns), C=(nu, nz), D=(nu, 2 * ns), y=(2 * ns,), v=(nu,), u=(nu,), zd=(nz,), Wt=(nu, nu),
    )  # fmt: skip
    ready = {}
    for name, code in CONTROL.items():
        kind = np.int64 if code[0] == "i" else np.float64
        ready[name] = np.ascontiguousarray(arrays.get(name, np.zeros(shapes[name])), dtype=kind)
    return Arrays(**ready, k=_make_control(*ready.values()))


@kernel
def locate(grid, t):
    """Last interval that begins at or before t; the last interval after the end."""
    lo, hi = 0, grid.size - 1
    while hi - lo > 1:
        m = (lo + hi) // 2
        if grid[m] <= t:
            lo = m
        else:
            hi = m
    return lo


@kernel
def hermite(t, a, b, out):
    """out = h00, h10, h01, h11 at t in [a, b], slopes scaled; held constant outside."""
    h = b - a
    s = (t - a) / h if h > 0.0 else 1.0
    s = min(max(s, 0.0), 1.0)
    out[0] = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s)
    out[1] = s * (1.0 - s) * (1.0 - s) * h
    out[2] = s * s * (3.0 - 2.0 * s)
    out[3] = s * s * (s - 1.0) * h


@kernel
def reference(c, t, i, out):
    """Reference of sensor i and its rate by quintic Hermite interpolation."""
    k = locate(c.grid, t)
    a, b = c.grid[k], c.grid[k + 1]
    h = b - a
    if t <= a or h <= 0.0 or t >= b:
        n = k if t <= a else k + 1
        out[0] = c.ref[n, 0, i]
        out[1] = c.ref[n, 1, i] if t == b or t == a else 0.0
        return
    s = (t - a) / h
    p0, d0, a0 = c.ref[k, 0, i], c.ref[k, 1, i] * h, c.ref[k, 2, i] * h * h
    p1, d1, a1 = c.ref[k + 1, 0, i], c.ref[k + 1, 1, i] * h, c.ref[k + 1, 2, i] * h * h
    c3 = 10.0 * (p1 - p0) - 6.0 * d0 - 4.0 * d1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * (p1 - p0) + 8.0 * d0 + 7.0 * d1 + 1.5 * a0 - a1
    c5 = 6.0 * (p1 - p0) - 3.0 * (d0 + d1) - 0.5 * (a0 - a1)
    out[0] = p0 + s * (d0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
    out[1] = (d0 + s * (a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h


@kernel
def schedule(c, time, u):
    """u = u0(time) and c.Wt = W(time)."""
    f = np.empty(4)
    k = locate(c.grid, time)
    hermite(time, c.grid[k], c.grid[k + 1], f)
    nu = c.n[0]
    for i in range(nu):
        u[i] = f[0] * c.u0[k, 0, i] + f[1] * c.u0[k, 1, i] + f[2] * c.u0[k + 1, 0, i] + f[3] * c.u0[k + 1, 1, i]
        for j in range(nu):
            z = f[0] * c.W[k, 0, i, j] + f[1] * c.W[k, 1, i, j]
            c.Wt[i, j] = z + f[2] * c.W[k + 1, 0, i, j] + f[3] * c.W[k + 1, 1, i, j]


@kernel
def law(c, z):
    """c.zd and c.u from the errors in c.y and the state z, with c.u = u0 and c.Wt set before."""
    nu, nz = c.n[0], c.n[2]
    for i in range(nz):
        s = 0.0
        for j in range(nz):
            s += c.A[i, j] * z[j]
        for j in range(c.y.size):
            s += c.B[i, j] * c.y[j]
        c.zd[i] = s
    for i in range(nu):
        s = 0.0
        for j in range(nz):
            s += c.C[i, j] * z[j]
        for j in range(c.y.size):
            s += c.D[i, j] * c.y[j]
        c.v[i] = s
    for i in range(nu):
        for j in range(nu):
            c.u[i] -= c.Wt[i, j] * c.v[j]


@outlined("t", "w", struct_type(CONTROL, "f"), "f0", "f1", numbers="f")
def control(t, w, c, time, z):
    """Drive stresses into w.u_ext and the rate of z into c.zd, from the e, ed that `velocities` has left."""
    ns, s2 = c.n[1], np.empty(2)
    for i in range(ns):
        k = c.sensor[i, 1]
        reference(c, time, i, s2)
        if c.sensor[i, 0] == 0:
            c.y[i], c.y[ns + i] = w.e[0, k] - s2[0], w.e[1, k] - s2[1]
        else:
            c.y[i], c.y[ns + i] = w.X[0, k] - s2[0], w.X[1, k] - s2[1]
    schedule(c, time, c.u)
    law(c, z)
    for i in range(c.n[0]):
        w.u_ext[c.act[i]] = c.u[i]
    return 1
