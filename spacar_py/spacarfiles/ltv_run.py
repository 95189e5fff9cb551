"""A .ltv file simulated as it is: perturbation method and AMI, with the controller in the loop.

    ltv = LtvFile("arm.ltv")
    result = ltv.simulate(PID(12.0), t_end=2.0, method=AMI(modes=4))
    result.y, result.dq

Nothing but the file is needed: M0, C0B, K0B, SIG0 and B at its steps. The joints are those degrees of freedom that its
inputs drive one by one.
"""

from __future__ import annotations

import time as _time
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from spacar_py.ami.loop import Loop
from spacar_py.ami.ltv import at_times, coefficients, intervals
from spacar_py.ami.runs import Perturbation, _sampling
from spacar_py.errors import InputError
from spacar_py.motion import time_grid
from spacar_py.spacarfiles.binary import SpacarFile, read_ltv


@dataclass(eq=False)
class LtvResult:
    """Deviations from the nominal motion.

    Attributes
    ----------
    t : (N,) array
    dq, dqd : (N, n) arrays
        Deviation of the dynamic degrees of freedom, in the order of the file.
    dy : (N, ny) array
        Deviation of the file's outputs to first order, C (dq, dqd).
    y : (N, ny) array
        Outputs with their nominal values, Y0 + dy; held after the end.
    info : dict
    """

    t: np.ndarray
    dq: np.ndarray
    dqd: np.ndarray
    dy: np.ndarray
    y: np.ndarray
    info: dict = field(default_factory=dict)


class LtvFile:
    """The linear time-varying system of a .ltv file.

    Parameters
    ----------
    file : path or SpacarFile
    kinks : times, optional
        Where the nominal motion is not smooth (ends of its ramps); the matrices are interpolated from kink to kink. A
        kink that is no step of the file moves to the nearest one.
    joints : indices, optional
        Driven degrees of freedom from 0 on, in the order of the controller; by default found from B.
    sigma0 : (N, n) array, optional
        Excitation instead of the file's SIG0.
    """

    def __init__(self, file, kinks=(), joints=None, sigma0=None):
        self.file = file if isinstance(file, SpacarFile) else read_ltv(file)
        f = self.file
        self.times = np.asarray(f["T"], float).reshape(-1)
        if len(self.times) < 4 or not np.all(np.diff(self.times) > 0):
            raise InputError(
                f"{f.path}: a motion needs at least 4 steps with increasing times, got {len(self.times)} steps"
            )
        self.M, self.C, self.K = (np.asarray(f[k], float) for k in ("M0", "C0B", "K0B"))
        self.n = self.M.shape[1]
        self.joints = self._joints() if joints is None else np.asarray(joints, int)
        self.flex = np.setdiff1d(np.arange(self.n), self.joints)
        self.sigma0 = self._excitation(sigma0)
        self.index, self.pieces = self._grid(kinks)

    def _joints(self) -> np.ndarray:
        """Rows that the inputs drive: M0 B has the columns of a unit matrix there."""
        f = self.file
        B = np.asarray(f["B"], float)[0][self.n :]
        force = self.M[0] @ B
        found = [int(np.argmax(np.abs(c))) for c in force.T]
        clean = np.array(force)
        clean[found, np.arange(len(found))] -= 1.0
        if len(set(found)) != len(found) or np.max(np.abs(clean), initial=0.0) > 1e-8:
            raise InputError(
                f"{f.path}: its inputs do not drive single degrees of freedom, so the joints are not known; name them "
                "with joints=(0, 1, ...)"
            )
        return np.array(found, int)

    def _excitation(self, given) -> np.ndarray:
        f, N = self.file, len(self.times)
        if given is None and "SIG0" not in f.steps:
            raise InputError(
                f"{f.path}: it has no SIG0, the excitation of the vibration; give sigma0=... of shape ({N}, {self.n})"
            )
        s = np.asarray(f["SIG0"] if given is None else given, float).reshape(N, -1)
        if s.shape[1] == len(self.flex):
            full = np.zeros((N, self.n))
            full[:, self.flex] = s
            return full
        if s.shape[1] != self.n:
            raise InputError(
                f"{f.path}: SIG0 must have {self.n} or {len(self.flex)} values a step, got {s.shape[1]}; "
                "give sigma0=..."
            )
        s = s.copy()
        s[:, self.joints] = 0.0
        return s

    def _grid(self, kinks) -> tuple[np.ndarray, list]:
        """Steps of the smooth pieces, one after the other, each with both its ends, and the last step once more."""
        inner = sorted({int(np.argmin(np.abs(self.times - k))) for k in kinks} - {0, len(self.times) - 1})
        stops = [0, *inner, len(self.times) - 1]
        index, pieces = [], []
        for a, b in zip(stops[:-1], stops[1:], strict=True):
            if b - a < 3:
                raise InputError(
                    f"{self.file.path}: fewer than 4 steps between the kinks at {self.times[a]:g} and "
                    f"{self.times[b]:g} s; leave one out"
                )
            pieces.append((len(index), len(index) + b - a + 1))
            index += range(a, b + 1)
        return np.array([*index, len(self.times) - 1]), pieces

    def nominal(self) -> SimpleNamespace:
        """What `Loop` needs of a nominal motion."""
        i, N = self.index, len(self.index)
        t = self.times[i].copy()
        for _, b in self.pieces:
            t[b - 1] = np.nextafter(t[b - 1], -np.inf)
        mats = np.zeros((N, 6, self.n, self.n))
        mats[:, 0], mats[:, 1], mats[:, 3] = self.M[i], self.C[i], self.K[i]
        rho = -self.sigma0[i]
        u0 = np.asarray(self.file["U0"], float).reshape(len(self.times), -1)
        if u0.shape[1] == len(self.joints):
            rho[:, self.joints] = u0[i]
        C = np.asarray(self.file["C"], float)[i]
        shifts = ~np.any(C[:, :, self.n :], axis=(0, 2))  # positions: they tell the left-out modes' error
        labels = [f"degree of freedom {j + 1}" for j in range(self.n)]
        system = SimpleNamespace(nq=self.n, dof=labels, nodes={("point", "outputs"): (0, int(shifts.sum()))})
        return SimpleNamespace(
            t=t, pieces=self.pieces, em=self.joints, flex=self.flex, joints=[labels[j] for j in self.joints], mats=mats,
            M0=mats[:, 0], C0=mats[:, 1], D0=mats[:, 2], rho=rho, system=system, start=(mats[0], rho[0]), at_rest=True,
            path=SimpleNamespace(node="outputs"), DF=C[:, shifts, : self.n],
        )  # fmt: skip

    def loop(self, controller=None) -> Loop:
        """Closed loop of the file and a controller (PID(...), PD(...), Controller); without one, open loop."""
        return Loop(self.nominal(), controller)

    def simulate(self, controller=None, *, t_end=None, points: int = 501, times=None, method=None) -> LtvResult:
        """Vibration about the nominal motion of the file, at rest at the start.

        Parameters
        ----------
        controller : Controller, optional
        t_end, points, times
            As in `simulate`; by default to the end of the file.
        method : Perturbation or AMI
        """
        method = method or Perturbation()
        grid = time_grid(0.0, self.times[-1] if t_end is None else t_end, points, times)
        begin = _time.perf_counter()
        loop = self.loop(controller)
        if not hasattr(method, "prepare"):
            raise InputError(f"{self.file.path}: a .ltv is simulated by Perturbation or AMI, got {method!r}")
        ltv, told = method.prepare(loop)
        prepare = _time.perf_counter() - begin
        x, info = ltv.simulate(grid, method.rtol, method.atol, method.order, **_sampling(loop, ltv, grid[-1]))
        out = ltv.outputs(grid, x)
        dq, dqd = out[:, : self.n], out[:, self.n :]
        C, Y0 = (self._at(grid, np.asarray(self.file[k], float), loop.nominal) for k in ("C", "Y0"))
        dy = np.einsum("nij,nj->ni", C, out)
        return LtvResult(grid, dq, dqd, dy, Y0 + dy, dict(method=method.name, prepare=prepare, **told, **info))

    def _at(self, times, values, nominal) -> np.ndarray:
        """Values of the steps at other times, by cubic interpolation, constant after the end."""
        c = coefficients(nominal.t, values[self.index], nominal.pieces)
        return at_times(intervals(nominal.t, nominal.pieces), c, times)
