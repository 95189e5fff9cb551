"""Vibration modes on a nominal motion with the joints held, for pictures: frequencies along the path and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from ..errors import InputError
from .modal import ModalBasis
from .nominal import Nominal


@dataclass(frozen=True, eq=False)
class HeldModes:
    """Modes at one point of a path, with what pictures and reports ask of `Modes`."""

    linear: object
    s: np.ndarray
    dx: np.ndarray
    names: list
    damping: np.ndarray
    title: str = "Modes at the start, joints held"

    omega = property(lambda self: np.abs(self.s))
    frequency = property(lambda self: np.abs(self.s) / (2 * np.pi))

    def __len__(self) -> int:
        return len(self.s)


def held_basis(nominal: Nominal) -> ModalBasis:
    """Frequencies and shapes (N, n_flex, n_flex) with the joints held, of the symmetric stiffness."""
    f = nominal.flex
    if not len(f):
        raise InputError("modes with the joints held: the model has no flexible deformation; make one flexible")
    K = nominal.mats[:, 3:].sum(axis=1)[:, f[:, None], f]
    M = nominal.M0[:, f[:, None], f]
    L = np.linalg.cholesky(M)
    B = np.linalg.solve(L, np.swapaxes(np.linalg.solve(L, 0.5 * (K + np.swapaxes(K, 1, 2))), 1, 2))
    w2, U = np.linalg.eigh(0.5 * (B + np.swapaxes(B, 1, 2)))
    V = np.linalg.solve(np.swapaxes(L, 1, 2), U)
    return ModalBasis(nominal.t, np.sign(w2) * np.sqrt(np.abs(w2)), V, M)


def held_modes(nominal: Nominal, n: int = 4, at: int = 0) -> HeldModes:
    """The lowest n modes with the joints held at point `at` of the path; damping is that of D0, mode by mode."""
    from ..linearize.mode_names import describe

    basis = held_basis(nominal)
    n = min(n, basis.omega.shape[1])
    omega, V = basis.omega[at, :n], basis.V[at][:, :n]
    shapes = np.zeros((nominal.system.nq, n))
    shapes[nominal.flex] = V
    D = nominal.D0[at][np.ix_(nominal.flex, nominal.flex)]
    rates = np.einsum("ij,ik,kj->j", V, D, V)
    damping = np.divide(rates, 2 * omega, out=np.zeros(n), where=omega > 0)
    dx = nominal.DF[at] @ shapes
    linear = SimpleNamespace(system=nominal.system, x=nominal.X[at], dof=nominal.system.dof)
    M = nominal.M0[at]
    names = [describe(linear, shapes[:, j], dx[:, j], M) for j in range(n)]
    return HeldModes(linear, 1j * omega, dx, names, damping)


def crossings(t: np.ndarray, omega: np.ndarray) -> list[tuple[float, float]]:
    """Places (time, frequency) where two of the followed curves (N, n) cross, by linear interpolation."""
    found = []
    for i in range(omega.shape[1]):
        for j in range(i):
            d = omega[:, i] - omega[:, j]
            for k in np.flatnonzero((d[:-1] * d[1:] < 0) & (np.diff(t) > 0)):
                part = d[k] / (d[k] - d[k + 1])
                found.append((float(t[k] + part * (t[k + 1] - t[k])),
                              float(omega[k, i] + part * (omega[k + 1, i] - omega[k, i]))))  # fmt: skip
    return sorted(found)
