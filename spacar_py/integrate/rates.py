"""The right-hand side of the first-order system s = (q, qd, z)."""

from .._jit import kernel
from ..controller import control, locate
from ..dynamics import accelerate, inputs, position, velocities


@kernel
def rates(t, w, c, ref, time, s, ds):
    """ds = d/dt (q, qd, z); 1, or the status of `forward`."""
    nq, nz = t.n[2], c.n[2]
    for j in range(nq):
        w.y[0, j] = s[j]
        w.y[1, j] = s[nq + j]
    inputs(t, w, time)
    status = position(t, w, ref)
    if status <= 0:
        return status
    velocities(t, w, ref)
    if c.n[0] > 0:
        control(t, w, c, time, s[2 * nq : 2 * nq + nz])
    status = accelerate(t, w, time, ref)
    if status <= 0:
        return status
    for j in range(nq):
        ds[j] = s[nq + j]
        ds[nq + j] = w.y[2, j]
    for j in range(nz):
        ds[2 * nq + j] = c.zd[j]
    return 1


@kernel
def go_back(t, w, ref, time, s, x):
    """Return to the accepted state s at `time`, with the coordinates x, after an attempt that went astray."""
    copy(x, w.X[0])
    copy(s[: t.n[2]], w.y[0])
    inputs(t, w, time)
    copy(w.y[0], w.yp)
    return position(t, w, ref)


@kernel
def copy(a, b):
    """b = a; a slice would take seconds to compile."""
    for i in range(a.size):
        b[i] = a[i]


LTV = {
    "n": "i1",  # rows without a table, which copy the state `shift` further on, and that shift
    "grid": "f1",  # ends of the intervals
    "P": "f4",  # (intervals, rows, states + 1, 4): cubic in the time since the interval's start
    "X": "f2",  # empty, where the nonlinear system has its coordinates and deformations
    "e": "f2",
}


@kernel
def linear_rates(t, time, s, ds):
    """ds = A(time) s + b(time), the entries interpolated."""
    k = locate(t.grid, time)
    h = time - t.grid[k]
    n, plain, shift = s.size, t.n[0], t.n[1]
    for i in range(plain):
        ds[i] = s[i + shift]
    P = t.P
    for r in range(P.shape[1]):
        a0, a1, a2, a3 = P[k, r, n, 0], P[k, r, n, 1], P[k, r, n, 2], P[k, r, n, 3]
        for j in range(n):
            x = s[j]
            a0 += P[k, r, j, 0] * x
            a1 += P[k, r, j, 1] * x
            a2 += P[k, r, j, 2] * x
            a3 += P[k, r, j, 3] * x
        ds[plain + r] = a0 + h * (a1 + h * (a2 + h * a3))
    return 1
