"""A compiled model: frozen arrays for the kernels, and the names of everything in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .errors import InputError
from .tables import Arrays, work_space

DENSE_GB = 8


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """A compiled model: arrays for the kernels and names for everything in them.

    Attributes
    ----------
    tables : Arrays
    x_names, e_names : list of str
        Labels of all coordinates and deformations, such as "tip.z" and "upper[3].torsion".
    dof, prescribed : list of str
        Labels of q and of r; y = (q, r).
    flexible : (nq,) bool array
        Degrees of freedom with stiffness (epsm); the others are joint coordinates (em).
    x0, y0 : arrays
        Coordinates and y at the start.
    """

    model: object
    tables: Arrays
    x_names: list
    e_names: list
    x_status: list
    e_status: list
    dof: list
    prescribed: list
    flexible: np.ndarray
    x0: np.ndarray
    y0: np.ndarray
    nodes: dict  # (kind, name) -> (first coordinate, size)
    elements: dict  # name -> (first deformation, names)
    python_signals: list = field(default_factory=list)  # (row of the signal table, PythonSignal)
    kinks: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __repr__(self) -> str:
        return f"System({self.nx} coordinates, {self.ne} deformations, {self.nq} degrees of freedom)"

    @cached_property
    def dof_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Deformations and coordinates that are degrees of freedom."""
        t = self.tables
        return tuple(np.flatnonzero((of >= 0) & (of < self.nq)) for of in (t.e_y, t.x_y))

    @property
    def nx(self) -> int:
        return int(self.tables.n[0])

    @property
    def ne(self) -> int:
        return int(self.tables.n[1])

    @property
    def nq(self) -> int:
        return int(self.tables.n[2])

    @property
    def ny(self) -> int:
        return int(self.tables.n[3])

    @cached_property
    def y_names(self) -> list:
        return self.dof + self.prescribed

    @cached_property
    def y_index(self) -> dict:
        return {name: i for i, name in enumerate(self.y_names)}

    @property
    def k(self):
        """The tables as the kernels take them."""
        return self.tables.k

    def work(self, dtype=np.float64) -> Arrays:
        """Fresh work space, at the initial position."""
        t = self.tables
        size = 8e-9 * self.ny * (self.ne + 3 * self.nx + 12 * len(t.z_kind) + self.ny + self.nq)
        if size > DENSE_GB:
            raise InputError(
                f"model with {self.nx} coordinates and {self.nq} degrees of freedom needs {size:.0f} GB of full "
                f"matrices, at most {DENSE_GB} are taken; use what works with sparse ones: simulate with "
                "GeneralizedAlpha(), solve_static, modes with n"
            )
        w = work_space(self.tables, dtype)
        w.X[0] = self.x0
        return w

    def set_python_signals(self, t: float) -> None:
        """Bring the Taylor polynomials that stand for Python functions to the time t."""
        for row, s in self.python_signals:
            v, d, a = s.rates(t)
            self.tables.sg_t[row] = t
            self.tables.sg_c[row, :3] = v, d, a / 2
