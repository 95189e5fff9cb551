"""Nominal motion: the model with its flexible deformations held at zero, led along a path.

No second description is needed: the same equations are evaluated at epsm = 0. Their residual is the drive u0 in the
joint rows and, with the opposite sign, the excitation sigma_eps0 in the flexible rows.
"""

from __future__ import annotations

import time as _time
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..dynamics import inputs
from ..errors import ConvergenceError, InputError
from ..linearize.batch import tangents
from ..linearize.linear import tangent_with_python
from ..motion import initial, place
from ._kernels import follow
from .paths import PrescribedPath


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
    start : tuple
        (M0 ... N0) and residual just before t = 0, at the initial speed without acceleration.
    at_rest : bool
        Whether the path ends at rest, so that it can be held there.
    q0 : mapping, optional
        Posture that was asked for.
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
    start: tuple
    at_rest: bool
    q0: object = None
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

    def motion(self, times) -> np.ndarray:
        """y, yd, ydd (N, 3, ny) at any times, held after the end.

        The grid's own points are passed as well, so that inverse kinematics takes small steps and keeps its posture.
        """
        times = np.asarray(times, float)
        passed, at = np.unique(np.concatenate([np.minimum(times, self.T), self.t]), return_inverse=True)
        Y = joint_motion(self.system, self.path, passed, self.q0)[0][at[: len(times)]]
        if self.at_rest:
            Y[times >= self.T, 1:] = 0.0
        return Y


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
    """Y (N, 3, ny) along the path with all flexible deformations zero, and the indices em of the joints."""
    em = np.flatnonzero(~system.flexible)
    Y = np.zeros((len(times), 3, system.ny))
    start = initial(system, q0, system.y0[: system.nq], "q0")
    start[system.flexible] = 0.0
    Y[:, 0, : system.nq] = start
    if isinstance(path, PrescribedPath):
        _prescribed_motion(system, em, times, Y)
        return Y, em
    if system.prescribed:
        raise InputError(f"path: the model already prescribes {system.prescribed[0]}; leave that to the path")
    if path.node is None:
        for name, s in path.joints.items():
            checks.known("path", "joint", name, [system.dof[i] for i in em])
            Y[:, :, system.dof.index(name)] = [s.rates(min(t, path.T)) for t in times]
    else:
        _led_motion(system, path, em, times, start, Y)
    return Y, em


def _prescribed_motion(system, em, times, Y) -> None:
    """The model's own prescribed motions, filled into Y."""
    if len(em):
        raise InputError(
            f"path: the joint {system.dof[em[0]]} is neither prescribed in the model nor led; "
            "prescribe it, or give a path"
        )
    if not system.prescribed:
        raise InputError("path: the model prescribes no motion; give a path, or prescribe a joint or a coordinate")
    w = system.work()
    for n, t in enumerate(times):
        system.set_python_signals(t)
        inputs(system.k, w.k, float(t))
        Y[n, :, system.nq :] = w.y[:, system.nq :]


def _led_motion(system, path, em, times, start, Y) -> None:
    """Inverse kinematics of the led node, filled into Y."""
    checks.known("path", "point", path.node, [n for k, n in system.nodes if k == "point"])
    first, size = system.nodes["point", path.node]
    target = np.array([path.rates(t) for t in times])
    if target.shape[2] != size:
        raise InputError(f"path: its points must have {size} coordinates, got {target.shape[2]}")
    if size != len(em):
        raise InputError(
            f"path: {size} coordinates of '{path.node}' cannot lead {len(em)} joints "
            f"({', '.join(system.dof[i] for i in em)}); use a JointPath, or fix or prescribe the others"
        )
    w, ref = system.work(), np.zeros(system.ne)
    place(system, w, start, ref)
    rows, times = np.arange(first, first + size), np.ascontiguousarray(times, float)
    bad = follow(system.k, w.k, ref, rows, em, times, target, Y)
    if bad != -1:
        n = bad if bad >= 0 else -2 - bad
        what = "is out of reach" if bad >= 0 else "is a singular position of the joints"
        x = ", ".join(f"{v:g}" for v in target[n, 0])
        raise ConvergenceError(
            f"path: the point ({x}) of '{path.node}' at t = {times[n]:g} s {what}; "
            "move the path, or start from another posture with q0"
        )


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
    points, cpu = 8 * (len(kinks_of(system, path)) - 1), 0.0
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


def kinks_of(system, path) -> np.ndarray:
    """Times between which path and loads are smooth."""
    k = np.union1d(path.kinks, system.kinks)
    return k[(k >= 0) & (k <= path.T)]


def _linearised(system, path, points, q0) -> Nominal:
    if system.model.user_forces:
        raise InputError(
            f"nominal motion: {system.model.user_forces[0][0]} is a Python function, which has no derivatives; "
            "use a load of the model, or a nonlinear simulation with method=SciPy('DOP853')"
        )
    begin = _time.process_time()
    t, pieces = grid(kinks_of(system, path), points)
    Y, em = joint_motion(system, path, t, q0)
    speed = np.abs(Y[:, 1]).max(axis=1, initial=0.0)
    at_rest = bool(speed[-2] <= 1e-6 * speed.max()) and not isinstance(path, PrescribedPath)
    Y[-1] = Y[-2]
    if at_rest:
        Y[-1, 1:] = 0.0
    before = Y[:1].copy()
    before[:, 2] = 0.0
    mats, rho, sigma, X, DF = _tangents(system, np.append(t[0], t), np.concatenate([before, Y]))
    flex = np.flatnonzero(system.flexible)
    return Nominal(system, path, t, pieces, em, flex, Y, mats[1:], rho[1:], sigma[1:], X[1:], DF[1:], (mats[0], rho[0]),
                   at_rest, q0, points, _time.process_time() - begin)  # fmt: skip


FAR = 0.3  # change of an angle (rad) or coordinate between two points that kinematics may not do in one step


def _tangents(system, t, Y) -> tuple:
    """Matrices (N, 6, nq, nq), residuals, stress resultants, x and DF (N, nx, nq) at the states Y, on all cores."""
    nq, DF = system.nq, np.zeros((len(t), system.nx, system.nq))

    def each(n, w, out):
        tangent_with_python(system, t[n], n, w, out)
        DF[n] = w.DF[:, :nq]

    out = tangents(system, t, Y, np.ones((len(t), 4)), DF=DF, each=each if system.python_signals else None)
    return np.ascontiguousarray(out["matrices"][:, :, :nq, :nq]), out["rho"], out["sigma"], out["X"][:, 0], DF
