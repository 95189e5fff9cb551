"""The right-hand side of the first-order system s = (q, qd, z)."""

from .._jit import kernel
from ..controller import control
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
