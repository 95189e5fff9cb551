"""Positions, rates and small static displacements straight from the kernels, for tests below statics and simulation."""

import numpy as np

from spacar_py.dynamics import accelerations, position, velocities
from spacar_py.tangent import tangent


def state(system, y, yd=None, ydd=None, work=None, ref=None):
    """Work space with x, xd, xdd (X[2] holds xdd / 2) for the given y, or an assertion that Newton converged."""
    w = system.work() if work is None else work
    ref = np.zeros(system.ne) if ref is None else ref
    w.y[0] = y
    w.y[1] = 0.0 if yd is None else yd
    w.y[2] = 0.0 if ydd is None else ydd
    assert position(system.k, w.k, ref) > 0
    velocities(system.k, w.k, ref)
    accelerations(system.k, w.k, ref)
    ref[:] = w.e[0]
    return w


def of(system, w, kind, name, order=0):
    """Coordinates of a node, or their first or second rates."""
    o, n = system.nodes[kind, name]
    return w.X[order, o : o + n] * (1, 1, 2)[order]


def deformation(system, w, name, order=0):
    """One deformation by its label, or its first or second rate."""
    return w.e[order, system.e_names.index(name)] * (1, 1, 2)[order]


def small_displacement(system):
    """x - x0 of linear statics: one step with the exact tangent at the start."""
    w, ref = system.work(), np.zeros(system.ne)
    w.y[0] = system.y0
    assert position(system.k, w.k, ref) > 0
    out = np.zeros((6, system.ny, system.ny))
    tangent(system.k, w.k, 0.0, ref, out)
    n = system.nq
    q = np.linalg.solve(out[3:].sum(axis=0)[:n, :n], -w.rho[:n])
    return dict(zip(system.x_names, w.DF[:, :n] @ q, strict=True))
