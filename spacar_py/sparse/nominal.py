"""A large model at one given state: stress resultants, sparse matrices, and what a displacement means in q."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ..assembly import series
from ..dynamics import add_inertia, inertia_forces, loads, stresses
from ..errors import ConvergenceError
from .kernels import add_deformations, deformation_rates
from .nodal import Nodal


class NodalState:
    """State number 0 of `linearize.states.States`, with the velocities and accelerations that it has.

    Attributes
    ----------
    K, mass, C : sparse matrices
        Stiffness in mixed form, mass and damping, over free coordinates and stress resultants.
    M : sparse matrix (nx, nx)
        Mass of all coordinates.
    """

    def __init__(self, system, states):
        self.system, self.nodal = system, Nodal(system)
        self.dof, self.time = system.dof, float(states.times[0])
        w = self.nodal.w
        if states.factors is not None:
            w.fac[:] = states.factors[0]
        self._go(states)
        self.transfer = self.nodal.transfer
        w.y[:] = states.Y[0]
        self.rates = bool(np.any(states.Y[0, 1:] != 0.0))
        w.X[1:] = 0.0
        if self.rates:
            self.transfer.velocity(w)
            series(system.k, w.k, 3, self.nodal.ref)
            self._accelerations()
        series(system.k, w.k, 3, self.nodal.ref)
        self._stresses()

    def _go(self, states) -> None:
        """To the position, from that of a result or step by step from the one drawn."""
        s, n, y = self.system, self.nodal, states.Y[0, 0]
        start, done, step = s.y0, 0.0, 1.0
        if states.x is not None:
            n.w.X[0], start = states.x[0], y
        while done < 1.0:
            aim = min(1.0, done + step)
            goal = y if aim == 1.0 else start + aim * (y - start)
            if n.move(goal[: s.nq], goal[s.nq :]) > 0:
                n.ref[:] = n.w.e[0]
                done, step = aim, 2 * step
            elif step > 1e-3:
                step /= 2
            else:
                raise ConvergenceError(f"kinematics did not converge on the way to the state at t = {self.time:g} s")

    def _accelerations(self) -> None:
        """w.X[2] = xdd / 2 of ydd: D xdd = edd - Dd xd."""
        w, t, tr = self.nodal.w, self.system.tables, self.transfer
        lack = -2.0 * w.e[2]
        lack[tr.of_e] += w.y[2, t.e_y[tr.of_e]]
        xdd = np.zeros(self.system.nx)
        xdd[tr.of_x] = w.y[2, t.x_y[tr.of_x]]
        rate = np.zeros(self.system.ne)
        deformation_rates(self.system.k, w.D[0], xdd, rate)
        xdd[tr.dependent] = tr._solve(w, lack - rate)
        w.X[2] = xdd / 2

    @cached_property
    def factors(self):
        """Sparse factors of D_c."""
        return splu(self.transfer.pattern.matrix(self.nodal.w.D[0][self.transfer.numbers]))

    def _stresses(self) -> None:
        """w.sigma of all deformations: given ones by equilibrium of the dependent coordinates, as in `reactions`."""
        s, w, tr = self.system, self.nodal.w, self.transfer
        stresses(s.k, w.k, self.time)
        loads(s.k, w.k, self.time)
        inertia_forces(s.k, w.k, w.fac[0])
        add_inertia(s.k, w.k, -1.0)
        released = np.where(s.tables.e_given == 1, 0.0, w.sigma)
        add_deformations(s.k, w.D[0], -released, w.fx)
        w.sigma[tr.given] = self.factors.solve(w.fx[tr.dependent], "T")

    @cached_property
    def K(self) -> csc_matrix:
        return self.nodal.stiffness(self.time)

    @cached_property
    def mass(self) -> csc_matrix:
        return self.nodal.mass()

    @cached_property
    def C(self) -> csc_matrix:
        return self.nodal.damping()

    @cached_property
    def M(self) -> csc_matrix:
        nf, free, nx = len(self.nodal.free), self.nodal.free, self.system.nx
        A = self.mass[:nf][:, :nf].tocoo()
        return csc_matrix((A.data, (free[A.row], free[A.col])), shape=(nx, nx))

    def degrees(self, dx: np.ndarray) -> np.ndarray:
        """dq (nq, n) of displacements dx (nx, n) that keep the conditions."""
        s, t = self.system, self.system.tables
        out, de = np.zeros((s.nq, dx.shape[1]), dx.dtype), np.zeros(s.ne)
        e, x = s.dof_places
        for j in range(dx.shape[1]):
            for part, one in ((dx[:, j].real, 1.0), (dx[:, j].imag, 1j)):
                if one == 1j and not np.iscomplexobj(dx):
                    continue
                deformation_rates(s.k, self.nodal.w.D[0], np.ascontiguousarray(part), de)
                out[t.e_y[e], j] += one * de[e]
                out[t.x_y[x], j] += one * part[x]
        return out

    def generalised(self, f: np.ndarray) -> np.ndarray:
        """DF^T f over the degrees of freedom, by a solve with the transposed D_c."""
        s, t, tr = self.system, self.system.tables, self.transfer
        sigma = np.zeros(s.ne, f.dtype)
        parts = [self.factors.solve(np.ascontiguousarray(p[tr.dependent]), "T") for p in (f.real, f.imag)]
        sigma[tr.given] = parts[0] + 1j * parts[1] if np.iscomplexobj(f) else parts[0]
        back = np.zeros(s.nx)
        add_deformations(s.k, self.nodal.w.D[0], np.ascontiguousarray(sigma.real), back)
        out = np.zeros(s.nq, f.dtype)
        e, x = s.dof_places
        out[t.e_y[e]], out[t.x_y[x]] = sigma[e], (f - back)[x]
        return out
