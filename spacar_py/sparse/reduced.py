"""Linearised equations of a large model in a few shapes, exact in these, without any full matrix of the model.

    M0 .. N0 = Phi^T (M0 .. N0 of `linear_model`) Phi,      x_Phi = DF Phi

The products are taken one by one: x_Phi and its rates at fixed coordinates of the shapes follow from solves with D_c,

    D x_Phi = Phi        D x_Phi' = -Dd x_Phi        D x_Phi'' = -(Ddd x_Phi + 2 Dd x_Phi')

and what multiplies them has the sparsity of the mesh: M, C Z1, C Z2, S, Sd and the second derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix

from ..assembly import hessian
from ..checks import count, known
from ..dynamics import inertia_forces
from ..errors import InputError
from ..linearize.linear import _linearise
from ..linearize.states import read_states
from .entries import direction_entries, load_entries
from .kernels import direction_stiffness, load_stiffness, mass_blocks
from .modes import lowest
from .nodal import Pattern
from .nominal import NodalState


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """Linearised equations in n shapes about one state: M0 pdd + (C0 + D0) pd + (K0 + G0 + N0) p = T^T f.

    Attributes
    ----------
    M0, C0, D0, K0, G0, N0 : (n, n) arrays
    shapes : (nq, n) array
        Phi: dq = Phi p.
    dx, de : (nx, n), (ne, n) arrays
        Displacements and deformations of the shapes.
    t : float
    """

    system: object
    t: float
    M0: np.ndarray
    C0: np.ndarray
    D0: np.ndarray
    K0: np.ndarray
    G0: np.ndarray
    N0: np.ndarray
    shapes: np.ndarray
    dx: np.ndarray
    de: np.ndarray

    @property
    def stiffness(self) -> np.ndarray:
        """K0 + G0 + N0."""
        return self.K0 + self.G0 + self.N0

    @property
    def velocity(self) -> np.ndarray:
        """C0 + D0."""
        return self.C0 + self.D0

    def rows(self, names) -> np.ndarray:
        """T (m, n): answers of coordinates and deformations such as "tip.z" and "joint.angle" to p.

        Its transpose carries the forces and stresses dual to them into the equations.
        """
        s = self.system
        out = []
        for name in names:
            known("reduced_model", "coordinate or deformation", name, [*s.x_names, *s.e_names])
            at, part = (s.x_names, self.dx) if name in s.x_names else (s.e_names, self.de)
            out.append(part[at.index(name)])
        return np.array(out).reshape(-1, self.shapes.shape[1])

    def state_space(self, inputs, outputs) -> tuple:
        """(A, B, C, D) with the states (p, pd), inputs dual to names of `rows`, and outputs of such names."""
        n = len(self.M0)
        B, C = self.rows(inputs).T, self.rows(outputs)
        right = np.linalg.solve(self.M0, np.column_stack([-self.stiffness, -self.velocity, B]))
        A = np.block([[np.zeros((n, n)), np.eye(n)], [right[:, : 2 * n]]])
        B0 = np.vstack([np.zeros((n, B.shape[1])), right[:, 2 * n :]])
        return A, B0, np.hstack([C, np.zeros((len(C), n))]), np.zeros((len(C), B.shape[1]))


def reduced_model(model, at=None, t: float = 0.0, *, modes: int = 10, shapes=None, index=None) -> ReducedModel:
    """Linearised equations of motion about one state, reduced to a few shapes; for models of any size.

    Parameters
    ----------
    model, at, t, index
        As in `linear_model`; one state, at rest or in motion.
    modes : int
        How many of the lowest undamped modes of the symmetric part at rest in that position are the shapes.
    shapes : (nq, n) array, optional
        Shapes in the degrees of freedom, instead of modes.

    Returns
    -------
    ReducedModel
        Its matrices are Phi^T (matrices of `linear_model`) Phi to rounding.

    Examples
    --------
    >>> import numpy as np, spacar_py as sp
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EA=1e6, EIz=1.0, m=1.0), elements=200, flexible="all")
    >>> small = sp.reduced_model(m, modes=2)
    >>> np.sqrt(np.diag(small.K0)).round(3).tolist()         # (beta L)^2 of a clamped-free beam
    [3.516, 22.034]
    """
    system = model.compile()
    if system.model.user_forces:
        raise InputError(
            f"reduced_model: {system.model.user_forces[0][0]} is a Python function, which has no derivative; "
            "use a load of the model, or linear_model(..., complex_step=True)"
        )
    states = read_states(system, at, t, index)
    if len(states.times) > 1:
        raise InputError(f"reduced_model: takes one state, got {len(states.times)}; choose one with index")
    if shapes is None:
        Phi = _modes(system, states, min(count("reduced_model", "modes", modes), system.nq))
    else:
        Phi = np.asarray(shapes, float)
        if Phi.ndim != 2 or len(Phi) != system.nq or not np.all(np.isfinite(Phi)):
            raise InputError(
                f"reduced_model: shapes must be finite columns of {system.nq} degrees of freedom, got shape {Phi.shape}"
            )
    return _reduced(NodalState(system, states), Phi)


def _modes(system, states, n) -> np.ndarray:
    """The n lowest modes of the position, without its velocities; the full matrices know all modes of small models."""
    rest = replace(states, Y=states.Y * np.array([1.0, 0.0, 0.0])[:, None])
    if 4 * n > system.nq:
        full = _linearise(system, rest)
        K = full.stiffness if full.single else full.stiffness[0]
        return eigh((K + K.T) / 2, full.M0 if full.single else full.M0[0], subset_by_index=(0, n - 1))[1]
    return lowest(NodalState(system, rest), n)


def _blocks(t, S) -> csr_matrix:
    """Element matrices (t.S or t.Sd) as one over all deformations."""
    size = np.diff(t.el_e)
    rows = np.concatenate([np.repeat(np.arange(e, e + n), n) for e, n in zip(t.el_e, size, strict=False)])
    cols = np.concatenate([np.tile(np.arange(e, e + n), n) for e, n in zip(t.el_e, size, strict=False)])
    return csr_matrix((S, (rows, cols)), shape=(int(t.n[1]),) * 2)


class _Products:
    """Products of D, D1, D2 and of the inverse of D_c with many columns."""

    def __init__(self, state):
        from ..structure import sparse_D

        w, self.state, tr = state.nodal.w, state, state.transfer
        self.D = [f * sparse_D(state.system.tables, w.D[k]) for k, f in enumerate((1.0, 1.0, 2.0))]
        self.given = np.zeros(state.system.ne, bool)
        self.given[tr.given] = True

    def moved(self, de, x) -> np.ndarray:
        """x with its dependent rows such that the given deformations change by de."""
        tr = self.state.transfer
        x[tr.dependent] += self.state.factors.solve((de - self.D[0] @ x)[tr.given])
        return x


def _reduced(state, Phi) -> ReducedModel:
    s, nodal, p = state.system, state.nodal, _Products(state)
    t, nx = s.tables, s.nx
    e_q, x_q = s.dof_places
    x, de = np.zeros((nx, Phi.shape[1])), np.zeros((s.ne, Phi.shape[1]))
    x[x_q], de[e_q] = Phi[t.x_y[x_q]], Phi[t.e_y[e_q]]
    x = p.moved(de, x)
    x1 = p.moved(-(p.D[1] @ x), np.zeros_like(x))
    x2 = p.moved(-(p.D[2] @ x + 2.0 * (p.D[1] @ x1)), np.zeros_like(x))
    e, e1 = p.D[0] @ x, p.D[1] @ x + p.D[0] @ x1
    e[p.given], e1[p.given] = de[p.given], 0.0
    S, Sd = _blocks(t, t.S), _blocks(t, t.Sd)
    M, Z1, Z2, turning, geometric = _nodal_matrices(state)
    free = nodal.free
    f, f1, f2 = x[free], x1[free], x2[free]
    return ReducedModel(
        s, state.time, M0=f.T @ (M @ f), C0=2.0 * f.T @ (M @ f1 + Z1 @ f), D0=e.T @ (Sd @ e), K0=e.T @ (S @ e),
        G0=f.T @ (geometric @ f), N0=f.T @ (M @ f2 + 2.0 * (Z1 @ f1) + 2.0 * (Z2 @ f) + turning @ f) + e.T @ (Sd @ e1),
        shapes=Phi, dx=x, de=e,
    )  # fmt: skip


def _nodal_matrices(state) -> tuple:
    """M, Z^T C Z1, Z^T C Z2, (C zdd) . d2z/dx2, and the rest of the second derivatives, over the free coordinates."""
    s, nodal = state.system, state.nodal
    t, w, n = s.tables, nodal.w, len(nodal.free)
    out, blocks = [], np.empty(16 * len(t.c_val))
    for k in range(3):
        mass_blocks(s.k, w.k, k, blocks)
        out.append(nodal.mass_pattern.matrix(blocks)[:n, :n])
    along, loads = Pattern(*direction_entries(t, nodal.place), n), Pattern(*load_entries(t, nodal.place), n)
    z = [np.empty(16 * len(t.z_kind)) for _ in range(2)]
    for g, into in ((w.fac[0], z[0]), (0.0, z[1])):
        inertia_forces(s.k, w.k, g)
        direction_stiffness(s.k, w.k, g, into)
    hessian(s.k, w.k, w.sigma)
    ld = np.empty(16 * len(t.ld_kind))
    load_stiffness(s.k, w.k, state.time, ld)
    H = nodal.damping_pattern.matrix(w.H)[:n, :n]
    return *out, along.matrix(z[1]), H + along.matrix(z[0] - z[1]) + loads.matrix(ld)
