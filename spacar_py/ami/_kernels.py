"""Compiled loop along a path: inverse kinematics with its rates."""

import numpy as np

from .._jit import kernel
from ..dynamics import position, velocities
from ..kinematics import solve
from ..linalg import gauss_solve


@kernel
def follow(t, w, ref, rows, cols, times, target, Y):
    """Joint motion of N path points: Y[:, k, cols] from target (N, 3, d); failed point or -1 (-2 - n: singular).

    Each point begins where the rates of the one before lead. Newton's error is squared by every correction: after one
    of 1e-8 nothing is left.
    """
    d = cols.size
    J, v = np.empty((d, d)), np.empty(d)
    ny = w.y.shape[1]
    for n in range(target.shape[0]):
        for k in range(3):
            for j in range(ny):
                w.y[k, j] = Y[n, k, j]
        if n > 0:
            h = times[n] - times[n - 1]
            for j in range(d):
                i = cols[j]
                w.y[0, i] = Y[n - 1, 0, i] + h * (Y[n - 1, 1, i] + 0.5 * h * Y[n - 1, 2, i])
        done = False
        for _ in range(40):
            if position(t, w, ref) <= 0:
                return n
            big = 0.0
            for i in range(d):
                v[i] = target[n, 0, i] - w.X[0, rows[i]]
                for j in range(d):
                    J[i, j] = w.DF[rows[i], cols[j]]
            if gauss_solve(J, v, d) == 0:
                return -2 - n
            for j in range(d):
                w.y[0, cols[j]] += v[j]
                big = max(big, abs(v[j]))
            if not big < 10.0:
                return -2 - n
            if big < 1e-8:
                done = True
                break
        if not done:
            return n
        position(t, w, ref)
        for k in range(1, 3):  # J qd = xd, then J qdd = xdd - (D2F qd qd)
            velocities(t, w, ref)
            for i in range(w.one.shape[0]):
                w.one[i, 0] = -2.0 * w.e[2, i]
            for i in range(w.sol.shape[0]):
                w.sol[i, 0] = 0.0
            solve(t, w, w.one, w.sol)
            for i in range(d):
                v[i] = target[n, k, i]
                if k == 2:
                    v[i] -= w.sol[rows[i], 0]
                for j in range(d):
                    J[i, j] = w.DF[rows[i], cols[j]]
            gauss_solve(J, v, d)
            for j in range(d):
                w.y[k, cols[j]] = v[j]
        for i in range(ref.size):
            ref[i] = w.e[0, i]
        for k in range(3):
            for j in range(ny):
                Y[n, k, j] = w.y[k, j]
    return -1
