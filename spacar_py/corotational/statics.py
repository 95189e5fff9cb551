"""Equilibrium and small vibrations about it.

With displacements and spins (dr, phi) of the nodes as unknowns, dp = Q^T phi / 2:

    [K  -G^T] [dr, phi]     [F]
    [G   0  ] [lambda ] = - [phi]                  Newton; K from the exact Jacobian of the arm's equations
    (Z^T K Z - omega^2 Z^T M Z) x = 0              Z spans the null space of G
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from spacar_py.corotational.arm import Arm
from spacar_py.corotational.model import Model
from spacar_py.corotational.rotations import quaternion_rates
from spacar_py.corotational.tables import P, V
from spacar_py.errors import ConvergenceError


def _spin_columns(model: Model, y: np.ndarray) -> sp.csr_matrix:
    """Matrix that turns (dr, phi) of all nodes into d(r, p)."""
    blocks = []
    Q = np.empty((3, 4))
    for o in model.tables.node_at:
        quaternion_rates(y[o + P : o + V], Q)
        blocks.append(sp.block_diag((np.eye(3), 0.5 * Q.T)))
    return sp.block_diag(blocks, format="csr")


def tangent(model: Model, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass M, stiffness K (spin form) and constraint matrix G at rest."""
    ix = model.index
    zero = np.zeros(model.size)
    J = model.jacobian(t, y, zero, 0.0).copy()
    M = (model.jacobian(t, y, zero, 1.0) - J)[np.ix_(ix.velocity, ix.velocity)]
    K = J[np.ix_(ix.velocity, ix.position)] @ _spin_columns(model, y).toarray()
    return M, K, J[np.ix_(ix.force, ix.velocity)]


def equilibrium(model: Model, t: float = 0.0, y: np.ndarray | None = None, tol: float = 1e-10) -> np.ndarray:
    """Unknowns y at rest under the loads of time t, by Newton from y (or the undeformed arm)."""
    ix = model.index
    y = model.initial(t) if y is None else y.copy()
    y[ix.velocity] = 0.0
    zero = np.zeros(model.size)
    nv = len(ix.velocity)
    Q = np.empty((3, 4))
    for _ in range(60):
        F = model.residual(t, y, zero)
        J = sp.csc_matrix(model.jacobian(t, y, zero, 0.0))
        K = J[ix.velocity][:, ix.position] @ _spin_columns(model, y)
        G = J[ix.force][:, ix.velocity]
        system = sp.bmat([[K, J[ix.velocity][:, ix.force]], [G, None]], format="csc")
        step = spla.spsolve(system, -np.concatenate((F[ix.velocity], F[ix.multiplier])))
        if not np.all(np.isfinite(step)):
            break
        dx = step[:nv].reshape(-1, 6)
        turn = np.max(np.abs(dx[:, 3:]))
        # a chord of at most a quarter radian per iteration keeps Newton inside its basin for bent arms
        factor = min(1.0, 0.25 / turn) if turn > 0.0 else 1.0
        y[ix.force] += factor * step[nv:]
        for o, d in zip(model.tables.node_at, factor * dx, strict=True):
            y[o : o + P] += d[:3]
            quaternion_rates(y[o + P : o + V], Q)
            angle = np.linalg.norm(d[3:])
            p = np.cos(angle / 2.0) * y[o + P : o + V] + np.sinc(angle / (2.0 * np.pi)) * 0.5 * Q.T @ d[3:]
            y[o + P : o + V] = p / np.linalg.norm(p)
        if factor == 1.0 and np.max(np.abs(dx)) < tol * max(1.0, np.max(np.abs(y[ix.r]))):
            return y
    raise ConvergenceError(
        f"equilibrium did not converge at t = {t:g} s (largest step {np.max(np.abs(step[:nv])):.1e} after 60 "
        "iterations); apply the load in more steps"
    )


def solve_static(arm: Arm, t: float = 0.0, steps: int = 1) -> tuple[Model, np.ndarray]:
    """Equilibrium of an arm with its hinges held at their targets.

    Parameters
    ----------
    arm : Arm
    t : float
        Instant of the drives and loads [s].
    steps : int
        The loads (not gravity) are applied in so many equal parts.

    Returns
    -------
    model, y : the compiled arm and its unknowns.
    """
    model = Model(arm, locked=True)
    y = None
    for k in range(steps):
        model.load_factor = (k + 1) / steps
        y = equilibrium(model, t, y)
    return model, y


def frequencies(arm: Arm, t: float = 0.0, steps: int = 1) -> np.ndarray:
    """Angular frequencies [rad/s] of the arm about its equilibrium, hinges held; ascending."""
    model, y = solve_static(arm, t, steps)
    M, K, G = tangent(model, t, y)
    # constraint forces have a stiffness of their own, which is in K; Z leaves the motions that the joints allow
    Z = la.null_space(G)
    K, M = Z.T @ K @ Z, Z.T @ M @ Z
    # general eigenvalues: M may be singular (no rotary inertia), K indefinite (buckled) or singular (free)
    squares = la.eigvals((K + K.T) / 2.0, M)
    squares = np.sort(squares[np.isfinite(squares) & (np.abs(squares) < 1e12 * np.min(np.abs(squares)) + 1e20)].real)
    return np.sqrt(np.maximum(squares, 0.0))


def node_positions(model: Model, y: np.ndarray, link: str) -> np.ndarray:
    """Positions (nodes, 3) of a link."""
    return np.array([y[o : o + P] for o in model.tables.node_at[model.rows[link]]])
