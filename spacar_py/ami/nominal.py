"""Nominal motion: the model with its flexible deformations held at zero, led along a path.

No second description is needed: the same equations are evaluated at epsm = 0. Their residual is the drive u0 in the
joint rows and, with the opposite sign, the excitation sigma_eps0 in the flexible rows.
"""

from __future__ import annotations

import time as _time
from dataclasses import dataclass

import numpy as np

from .. import checks
from .._jit import kernel
from ..dynamics import position, velocities
from ..errors import ConvergenceError, InputError
from ..kinematics import solve
from ..linalg import gauss_solve
from ..motion import initial, place
from ..tangent import tangent


@kernel
def follow(t, w, ref, rows, cols, target, Y):
    """Joint motion of N path points: Y[:, k, cols] from target (N, 3, d); failed point or -1 (-2 - n: singular)."""
    d = cols.size
    J, v = np.empty((d, d)), np.empty(d)
    ny = w.y.shape[1]
    for n in range(target.shape[0]):
        for k in range(3):
            for j in range(ny):
                w.y[k, j] = Y[n, k, j]
        if n > 0:
            for j in range(d):
                w.y[0, cols[j]] = Y[n - 1, 0, cols[j]]
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
            if big < 1e-13:
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


@kernel
def linearise_path(t, w, ref, times, Y, mats, rho, sigma, X, DF):
    """Tangents and DF at the N states; failed state or -1."""
    for n in range(times.size):
        for k in range(3):
            for j in range(w.y.shape[1]):
                w.y[k, j] = Y[n, k, j]
        if position(t, w, ref) <= 0:
            return n
        tangent(t, w, times[n], ref, mats[n])
        for i in range(ref.size):
            ref[i] = w.e[0, i]
            sigma[n, i] = w.sigma[i]
        for j in range(w.rho.size):
            rho[n, j] = w.rho[j]
        for i in range(w.X.shape[1]):
            X[n, i] = w.X[0, i]
            for j in range(w.DF.shape[1]):
                DF[n, i, j] = w.DF[i, j]
    return -1


@dataclass(eq=False)
class Nominal:
    """The nominal motion and the linearised equations along it, at N points.

    Attributes
    ----------
    t : (N,) array
        Grid of the smooth `pieces` (index ranges), one after the other, then the final state.
    em, flex : index arrays
        Joint and flexible degrees of freedom among q.
    Y : (N, 3, ny)
        q, qd, qdd of the nominal motion (epsm = 0).
    M0, C0, D0, K0, G0, N0 : (N, nq, nq) arrays
    u0 : (N, ne_m)
        Nominal drives. sigma_eps0 : (N, n_flex), excitation of the flexible deformations.
    X, DF : (N, nx), (N, nx, nq)
    """

    system: object
    path: object
    t: np.ndarray
    pieces: list
    em: np.ndarray
    flex: np.ndarray
    Y: np.ndarray
    mats: np.ndarray
    rho: np.ndarray
    sigma: np.ndarray
    X: np.ndarray
    DF: np.ndarray
    points: int = 0
    cpu: float = 0.0

    M0 = property(lambda self: self.mats[:, 0])
    C0 = property(lambda self: self.mats[:, 1])
    D0 = property(lambda self: self.mats[:, 2])
    K0 = property(lambda self: self.mats[:, 3])
    G0 = property(lambda self: self.mats[:, 4])
    N0 = property(lambda self: self.mats[:, 5])
    u0 = property(lambda self: self.rho[:, self.em])
    sigma_eps0 = property(lambda self: -self.rho[:, self.flex])
    T = property(lambda self: float(self.t[-1]))

    @property
    def joints(self) -> list[str]:
        """Labels of the joint coordinates em."""
        return [self.system.dof[i] for i in self.em]


def grid(kinks: np.ndarray, points: int) -> tuple[np.ndarray, list]:
    """About `points` times, evenly spread over the smooth pieces, and the final state.

    Every piece has its own two ends, the later one a rounding before the kink: what jumps there has both its limits.
    """
    share = np.maximum(4, np.round(points * np.diff(kinks) / (kinks[-1] - kinks[0]))).astype(int)
    t, pieces, start = [], [], 0
    for a, b, n in zip(kinks[:-1], kinks[1:], share, strict=True):
        piece = np.linspace(a, b, n + 1)
        piece[-1] = np.nextafter(b, a)
        t.append(piece)
        pieces.append((start, start + n + 1))
        start += n + 1
    return np.concatenate([*t, kinks[-1:]]), pieces


def joint_motion(system, path, times, q0=None) -> tuple[np.ndarray, np.ndarray]:
    """Y (N, 3, ny) of the joints along the path with all flexible deformations zero, and the indices em."""
    em = np.flatnonzero(~system.flexible)
    if system.prescribed:
        raise InputError(f"path: the model already prescribes {system.prescribed[0]}; leave that to the path")
    Y = np.zeros((len(times), 3, system.ny))
    start = initial(system, q0, system.y0[: system.nq], "q0")
    start[system.flexible] = 0.0
    Y[:, 0] = start
    w, ref = system.work(), np.zeros(system.ne)
    if path.node is None:
        for name, s in path.joints.items():
            checks.known("path", "joint", name, [system.dof[i] for i in em])
            Y[:, :, system.dof.index(name)] = [s.rates(min(t, path.T)) for t in times]
        return Y, em
    names = [n for k, n in system.nodes if k == "point"]
    checks.known("path", "point", path.node, names)
    first, size = system.nodes["point", path.node]
    target = np.array([path.rates(t) for t in times])
    if target.shape[2] != size:
        raise InputError(f"path: its points must have {size} coordinates, got {target.shape[2]}")
    if size != len(em):
        raise InputError(
            f"path: {size} coordinates of '{path.node}' cannot lead {len(em)} joints "
            f"({', '.join(system.dof[i] for i in em)}); use a JointPath, or fix or prescribe the others"
        )
    place(system, w, start, ref)
    bad = follow(system.k, w.k, ref, np.arange(first, first + size), em, target, Y)
    if bad != -1:
        n = bad if bad >= 0 else -2 - bad
        what = "is out of reach" if bad >= 0 else "is a singular position of the joints"
        x = ", ".join(f"{v:g}" for v in target[n, 0])
        raise ConvergenceError(
            f"path: the point ({x}) of '{path.node}' at t = {times[n]:g} s {what}; "
            "move the path, or start from another posture with q0"
        )
    return Y, em


INTERPOLATION_TOL = 2e-6  # of the matrices, below what linearisation itself costs in accuracy


def nominal_motion(model, path, points: int | None = None, q0=None) -> Nominal:
    """Solve the rigidified model along a path and linearise it there.

    Parameters
    ----------
    points : int, optional
        Number of linearisation points along the path; by default as few as cubic interpolation needs, found by
        doubling.
    q0 : mapping, optional
        Posture to start the inverse kinematics from (elbow up or down).
    """
    system = model.compile()
    if points is not None:
        return _linearised(system, path, checks.count("nominal motion", "points", points, 4), q0)
    kinks = np.asarray(path.kinks, float)
    points, cpu = 8 * (len(kinks) - 1), 0.0
    while True:
        nominal = _linearised(system, path, points, q0)
        cpu = nominal.cpu = nominal.cpu + cpu
        if points >= 3000 or interpolation_error(nominal) < INTERPOLATION_TOL:
            return nominal
        points *= 2


def interpolation_error(nominal) -> float:
    """Largest relative error of M0 and of the stiffness and excitation when every second point is interpolated.

    The points themselves are twice as dense: their own error is smaller by the order, 2^4.
    """
    from scipy.interpolate import CubicSpline

    worst = 0.0
    K = nominal.mats[:, 3:].sum(axis=1)
    for a, b in nominal.pieces:
        n = (b - a - 1) // 2 * 2 + 1
        for v in (nominal.mats[a : a + n, 0], K[a : a + n], nominal.rho[a : a + n], nominal.DF[a : a + n]):
            mid = CubicSpline(nominal.t[a : a + n : 2], v[::2])(nominal.t[a + 1 : a + n : 2])
            worst = max(worst, np.abs(mid - v[1::2]).max() / max(np.abs(v).max(), 1e-300))
    return worst / 16


def _linearised(system, path, points, q0) -> Nominal:
    begin = _time.process_time()
    t, pieces = grid(np.asarray(path.kinks, float), points)
    Y, em = joint_motion(system, path, t, q0)
    N, nx, ne, ny = len(t), system.nx, system.ne, system.ny
    mats, rho, sigma = np.zeros((N, 6, ny, ny)), np.zeros((N, ny)), np.zeros((N, ne))
    X, DF = np.zeros((N, nx)), np.zeros((N, nx, ny))
    w, ref = system.work(), np.zeros(ne)
    place(system, w, Y[0, 0], ref)
    bad = linearise_path(system.k, w.k, ref, t, Y, mats, rho, sigma, X, DF)
    if bad >= 0:
        raise ConvergenceError(f"nominal motion: kinematics did not converge at t = {t[bad]:g} s")
    flex = np.flatnonzero(system.flexible)
    return Nominal(system, path, t, pieces, em, flex, Y, mats, rho, sigma, X, DF, points, _time.process_time() - begin)
