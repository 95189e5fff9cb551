"""Two integrators of the same index-2 equations F(t, y, y') = 0.

`Ida`        SUNDIALS IDA (package scikit-sundae): variable-order BDF, banded exact Jacobian, positions kept on the
             constraints by multipliers of their own.
`Projected`  no more than SciPy: stiffly accurate ESDIRK of order 3 with stage order 2, positions put back on the
             constraints after every step, banded LU from LAPACK.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from scipy.linalg.lapack import dgbtrf, dgbtrs

from spacar_py import checks
from spacar_py.corotational.model import Model
from spacar_py.corotational.tables import P, V
from spacar_py.errors import ConvergenceError, InputError, missing_extra


@dataclass(frozen=True)
class Ida:
    """SUNDIALS IDA.

    Parameters
    ----------
    rtol, atol : float
        Tolerances of the positions; see `slack` for the velocities. Forces follow.
    slack : float
        Absolute tolerance of the velocities, as a multiple of atol [1/s]. A stretching vibration of 1e-12 m at 1e4
        rad/s is nothing in the positions but 1e-8 m/s in the velocities; to chase it costs a hundredfold in steps.
    max_order : int
        Highest BDF order. Orders above 2 are unstable for undamped vibrations that the step does not resolve:
        by default 2 with beams, 5 without.
    max_step : float
        Longest step [s]; 0 leaves it free.
    stabilise : bool
        Keep the position constraints too; without it they drift within the tolerance.
    """

    rtol: float = 1e-7
    atol: float = 1e-9
    slack: float = 1e4
    max_order: int | None = None
    max_step: float = 0.0
    stabilise: bool = True

    def __post_init__(self):
        _check(self)
        if self.max_order is not None and checks.count("Ida", "max_order", self.max_order) > 5:
            raise InputError(f"Ida: max_order must be 5 at most, got {self.max_order}")

    def integrate(self, model: Model, times: np.ndarray, y: np.ndarray, yp: np.ndarray):
        """Unknowns and rates at the times; returns (y, yp, counters)."""
        try:
            from sksundae.ida import IDA
        except ImportError:
            raise missing_extra("scikit-sundae", "sundials", "the solver Ida (or choose solver=Projected())") from None
        work, rate = np.empty(model.size), np.empty(model.size)
        count = {"residuals": 0, "jacobians": 0}

        def resfn(t, y, yp, res):
            # read-only arrays would make the kernels compile a second time
            work[:], rate[:] = y, yp
            res[:] = model.residual(t, work, rate)
            count["residuals"] += 1

        def jacfn(t, y, yp, res, cj, JJ):
            work[:], rate[:] = y, yp
            JJ[:, :] = model.jacobian(t, work, rate, cj)
            count["jacobians"] += 1

        atol = _tolerances(self, model)
        # scikit-sundae cannot leave algebraic unknowns out of the error test: a boundless tolerance does the same
        atol[model.index.algebraic] = 1e30
        order = self.max_order or (2 if len(model.tables.beam_nodes) else 5)
        solver = IDA(
            resfn, jacfn=jacfn, rtol=self.rtol, atol=atol, algebraic_idx=model.index.algebraic, linsolver="band",
            lband=model.band, uband=model.band, max_order=order, max_step=self.max_step,
            max_num_steps=1_000_000, first_step=1e-6 * (times[1] - times[0]),
        )  # fmt: skip
        result = solver.solve(times, y, yp)
        if not result.success:
            raise ConvergenceError(f"IDA stopped at t = {result.t[-1]:.6g} s: {result.message}; try a larger tolerance")
        return result.y, result.yp, count


def _check(options) -> None:
    """Refuse tolerances and steps that no integrator can keep."""
    name = type(options).__name__
    for what in ("rtol", "atol", "slack"):
        checks.number(name, what, getattr(options, what), positive=True)
    if not options.max_step >= 0:
        raise InputError(f"{name}: max_step must not be negative, got {options.max_step!r}")


def _tolerances(options, model: Model) -> np.ndarray:
    """Absolute tolerances; a rigid arm has no fast vibrations, so its velocities get no slack."""
    atol = np.full(model.size, options.atol)
    if len(model.tables.beam_nodes):
        atol[model.index.velocity] *= options.slack
    return atol


def _esdirk() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tableau of the four-stage method with c = (0, 2g, 3/5, 1), g the L-stable root of g^3 - 3g^2 + 3g/2 = 1/6.

    Stage order 2 fixes the third row, the conditions of order 3 the last one; the embedded weights have order 2.
    """
    g = float(np.min([r.real for r in np.roots([1.0, -3.0, 1.5, -1.0 / 6.0]) if 0.3 < r.real < 0.6]))
    c = np.array([0.0, 2.0 * g, 0.6, 1.0])
    A = np.zeros((4, 4))
    A[1, :2] = g, g
    A[2, 1] = c[2] * (c[2] - 2.0 * g) / (2.0 * c[1])
    A[2, 0], A[2, 2] = c[2] - g - A[2, 1], g
    powers = np.vander(c[:3], 3, increasing=True).T
    A[3, :3] = np.linalg.solve(powers, np.array([1.0 - g, 0.5 - g, 1.0 / 3.0 - g]))
    A[3, 3] = g
    embedded = np.zeros(4)
    embedded[1:] = np.linalg.lstsq(np.vander(c[1:], 2, increasing=True).T, np.array([1.0, 0.5]), rcond=None)[0]
    return A, c, A[3] - embedded


@dataclass(frozen=True)
class Projected:
    """ESDIRK of order 3 with projection after every step; needs SciPy only.

    Parameters
    ----------
    rtol, atol, slack : float
        As for Ida.
    max_step : float
        Longest step [s].
    """

    rtol: float = 1e-6
    atol: float = 1e-8
    slack: float = 1e4
    max_step: float = np.inf
    stabilise = False

    def __post_init__(self):
        _check(self)

    def integrate(self, model: Model, times: np.ndarray, y: np.ndarray, yp: np.ndarray):
        """Unknowns and rates at the times, by cubic Hermite interpolation; returns (y, yp, counters)."""
        return _Stepper(self, model).run(np.asarray(times, dtype=float), y, yp)


class _Stepper:
    def __init__(self, options: Projected, model: Model):
        self.o, self.model = options, model
        self.A, self.c, self.error_weights = _esdirk()
        self.differential = np.setdiff1d(np.arange(model.size), model.index.algebraic)
        self.count = {"residuals": 0, "jacobians": 0, "steps": 0, "rejected": 0}
        self.lu = None
        self.lu_step = 0.0
        self.longest = np.inf
        self.slope = np.zeros(len(self.differential))
        self.atol = _tolerances(options, model)[self.differential]

    def run(self, times, y, yp):
        """March from the first to the last time."""
        Y, YP = np.empty((len(times), len(y))), np.empty((len(times), len(y)))
        t, h = times[0], min(self.o.max_step, 1e-4 * (times[-1] - times[0]))
        Y[0], YP[0] = y, yp
        done = 1
        while done < len(times):
            h = min(h, self.o.max_step)
            if t + h > times[-1]:
                h = times[-1] - t
            new, h, factor = self._step(t, h, y, yp)
            y1, yp1 = new
            end = t + h
            if times[-1] - end < 1e-12 * (times[-1] - times[0]):
                end = times[-1]
            while done < len(times) and times[done] <= end:
                self._interpolate((times[done] - t) / h, h, y, yp, y1, yp1, Y[done], YP[done])
                done += 1
            t, y, yp = end, y1, yp1
            self.count["steps"] += 1
            h *= factor
        return Y, YP, self.count

    def _interpolate(self, s, h, y0, d0, y1, d1, out, rate):
        out[:] = y0 + s * (y1 - y0) + s * (s - 1.0) * ((1.0 - 2.0 * s) * (y1 - y0) + h * ((s - 1.0) * d0 + s * d1))
        alg = self.model.index.algebraic
        out[alg] = (1.0 - s) * y0[alg] + s * y1[alg]
        rate[:] = (1.0 - s) * d0 + s * d1

    def _factor(self, t, y, yp, h):
        model, w = self.model, self.model.band
        J = model.jacobian(t, y, yp, 1.0 / (self.A[1, 1] * h))
        n = model.size
        ab = np.zeros((3 * w + 1, n), order="F")
        for k in range(-w, w + 1):
            if k >= 0:
                ab[2 * w - k, k:] = np.diagonal(J, k)
            else:
                ab[2 * w - k, : n + k] = np.diagonal(J, k)
        lu, pivots, info = dgbtrf(ab, w, w, overwrite_ab=1)
        self.count["jacobians"] += 1
        self.lu, self.lu_step = (lu, pivots) if info == 0 else None, h

    def _solve(self, rhs):
        w = self.model.band
        return dgbtrs(self.lu[0], w, w, rhs, self.lu[1])[0]

    def _step(self, t, h, y, yp):
        """One accepted step: ((y, y'), its length, factor for the next length)."""
        for _ in range(40):
            fresh = self.lu is None or abs(self.lu_step - h) > 1e-12 * h
            if fresh:
                self._factor(t, y, yp, h)
            stages = self._stages(t, h, y, yp)
            if stages is None:
                if not fresh:
                    self.lu = None
                    continue
                self.longest = 0.7 * h
                h *= 0.5
                self.count["rejected"] += 1
                continue
            new, K = stages
            d = self.differential
            error = h * (self.error_weights @ K)[d]
            scale = self.atol + self.o.rtol * np.maximum(np.abs(y[d]), np.abs(new[d]))
            norm = np.sqrt(np.mean((error / scale) ** 2))
            factor = 0.9 * max(norm, 1e-12) ** (-1.0 / 3.0)
            if norm > 1.0:
                h *= max(0.2, factor)
                self.count["rejected"] += 1
                continue
            # a step that hardly grows is kept, and with it the factors of the matrix
            factor = min(max(factor, 0.3), 4.0, max(1.0, self.longest / h))
            factor = 1.0 if 0.9 < factor < 1.3 else factor
            self.longest *= 1.05
            self.slope = (K[3, d] - K[0, d]) / h
            return self._project(t + h, new, K[3]), h, factor
        raise ConvergenceError(
            f"no step could be taken at t = {t:.6g} s (last tried {h:.1e} s); try a larger tolerance"
        )

    def _stages(self, t, h, y, yp):
        """All stages by simplified Newton; None if one of them does not converge."""
        g, d, alg = self.A[1, 1], self.differential, self.model.index.algebraic
        K = np.zeros((4, len(y)))
        K[0, d] = yp[d]
        z = y.copy()
        scale = self.atol + self.o.rtol * np.abs(y[d])
        for s in range(1, 4):
            base = y + h * (self.A[s, :s] @ K[:s])
            slope = self.slope if s == 1 else (K[s - 1, d] - K[0, d]) / (self.c[s - 1] * h)
            z[d] = y[d] + self.c[s] * h * (K[0, d] + 0.5 * self.c[s] * h * slope)
            for k in range(7):
                rate = (z - base) / (h * g)
                rate[alg] = 0.0
                F = self.model.residual(t + self.c[s] * h, z, rate)
                self.count["residuals"] += 1
                step = self._solve(-F)
                if not np.all(np.isfinite(step)):
                    return None
                z += step
                size = np.sqrt(np.mean((step[d] / scale) ** 2))
                if size < 1e-2 and k > 0 or size < 1e-6:
                    break
            else:
                return None
            K[s, d] = (z[d] - base[d]) / (h * g)
        return z.copy(), K

    def _project(self, t, y, rates):
        """Positions back on phi = 0 by the shortest way (in r and the spins), Euler parameters to norm one."""
        model, ix = self.model, self.model.index
        for o in model.tables.node_at:
            y[o + P : o + V] /= np.linalg.norm(y[o + P : o + V])
        if len(ix.multiplier) == 0:
            return y, rates
        model.tables.stabilise[0] = 1
        zero = np.zeros(model.size)
        for _ in range(3):
            phi = model.residual(t, y, zero)[ix.multiplier]
            if np.max(np.abs(phi)) < 1e-14:
                break
            G = model.jacobian(t, y, zero, 0.0)[np.ix_(ix.multiplier, ix.position)]
            y[ix.position] -= G.T @ la.solve(G @ G.T, phi, assume_a="pos")
        model.tables.stabilise[0] = 0
        return y, rates
