"""The unified formulae of Wang and Tao for drives U1 and constraint forces U2, from fields and junction matrices.

    fields      Z1 = F1 X1,  Z2 = F2 X2,  Dout = R Din,  Eout = RE Ein
    junctions   X1' = J11 Z1 + J12 Z2 + J1L Dout + J1u1 U1 + J1u2 U2 + J1u3 U3 + J1E Eout, likewise X2', Din, Ein
    0-junctions of the constraint forces:  0 = JC1 Z1 + JC2 Z2 + JCL Dout + JCu3 U3 + JCE Eout

Elimination of Dout and Eout leaves X1' = T11 X1 + T12 X2 + T1u1 U1 + T1u2 U2 + T1u3 U3 (X2' likewise). Where JCL and
JCE are 0 the constraint holds velocities only and is differentiated once (H1 ... H5); elsewhere it holds U2 itself. All
re-derived: the printed formulae have misprints, listed in docs/theory/bond_graphs.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError

ROWS = ("1", "2", "L", "E", "C")
COLUMNS = ("1", "2", "L", "E", "u1", "u2", "u3")


@dataclass
class Fields:
    """Fields and junction matrices of a vector bond graph at one instant.

    Parameters
    ----------
    F1, F2 : arrays
        Of the storage fields of independent and dependent motion (inverse inertia).
    R, RE : arrays
        Resistive field and Euler junction structure.
    sources : (int, int, int)
        Numbers of drives, constraint forces and known sources.
    J : dict
        (row, column) to matrix, rows "1", "2", "L", "E", "C", columns "1", "2", "L", "E", "u1", "u2", "u3";
        those not given are zero.
    Jd : dict
        Time derivatives of the rows "C".
    """

    F1: np.ndarray
    F2: np.ndarray
    R: np.ndarray
    RE: np.ndarray
    sources: tuple[int, int, int]
    J: dict = field(default_factory=dict)
    Jd: dict = field(default_factory=dict)

    def __post_init__(self):
        self.size = {
            "1": len(self.F1), "2": len(self.F2), "L": len(self.R), "E": len(self.RE), "C": self.sources[1],
            "u1": self.sources[0], "u2": self.sources[1], "u3": self.sources[2],
        }  # fmt: skip
        for which in (self.J, self.Jd):
            for (row, col), m in which.items():
                if row not in ROWS or col not in COLUMNS or (row == "C" and col in ("u1", "u2")):
                    raise InputError(f"bond graph: no junction matrix J[{row}, {col}]; rows {ROWS}, columns {COLUMNS}")
                want = (self.size[row], self.size[col])
                if np.shape(m) != want:
                    raise InputError(f"bond graph: J[{row}, {col}] must have the shape {want}, got {np.shape(m)}")

    def j(self, row: str, col: str) -> np.ndarray:
        """A junction matrix, zeros where none was given."""
        found = self.J.get((row, col))
        return np.zeros((self.size[row], self.size[col])) if found is None else found

    def jd(self, col: str) -> np.ndarray:
        """Time derivative of J[C, col]."""
        found = self.Jd.get(("C", col))
        return np.zeros((self.size["C"], self.size[col])) if found is None else found

    @property
    def differential(self) -> bool:
        """Whether the constraints hold velocities only (JCL = JCE = 0) and must be differentiated."""
        return not (np.any(self.j("C", "L")) or np.any(self.j("C", "E")))

    def transfer(self) -> dict:
        """T[row, column] of rows 1, 2, C after elimination of the resistive field and the Euler junction structure."""
        R, RE = self.R, self.RE
        N = np.linalg.inv(np.eye(len(R)) - self.j("L", "L") @ R)
        JEL = self.j("E", "L") @ R @ N
        A1 = np.linalg.inv(np.eye(len(RE)) - JEL @ self.j("L", "E") @ RE - self.j("E", "E") @ RE)
        F = {"1": self.F1, "2": self.F2}
        T = {}
        for col in ("1", "2", "u1", "u2", "u3"):
            S = F.get(col)
            jL, jE = self.j("L", col), self.j("E", col)
            if S is not None:
                jL, jE = jL @ S, jE @ S
            Ein = A1 @ (jE + JEL @ jL)  # A1 A2 ... A1 A6
            Din = N @ (jL + self.j("L", "E") @ RE @ Ein)  # B1 ... B5
            for row in ("1", "2", "C"):
                own = self.j(row, col)
                own = own if S is None else own @ S
                T[row, col] = own + self.j(row, "L") @ R @ Din + self.j(row, "E") @ RE @ Ein
        return T

    def dependent(self, X1, U3, slip=0.0) -> np.ndarray:
        """X2 that satisfies the velocity constraints with X1, or breaks them by the velocities `slip`."""
        A = self.j("C", "2") @ self.F2
        return np.linalg.solve(A, slip - self.j("C", "1") @ self.F1 @ X1 - self.j("C", "u3") @ U3)

    def drives_and_constraints(self, X1, X2, X1d, U3, U3d=None, slip_rate=0.0) -> tuple[np.ndarray, np.ndarray]:
        """U1 and U2 for the momenta X1, X2, the rate of X1 and the known sources, in whichever case applies.

        `slip_rate`: acceleration by which the constraints are broken, in the first case.
        """
        T = self.transfer()
        if self.differential:
            U3d = np.zeros(self.size["u3"]) if U3d is None else U3d
            G1, G2 = self.j("C", "1") @ self.F1, self.j("C", "2") @ self.F2
            H = {col: G1 @ T["1", col] + G2 @ T["2", col] for col in ("1", "2", "u1", "u2", "u3")}
            H["1"] = H["1"] + self.jd("1") @ self.F1
            H["2"] = H["2"] + self.jd("2") @ self.F2
            H["u3"] = H["u3"] + self.jd("u3")
            extra = self.j("C", "u3") @ U3d - slip_rate
        else:
            H = {col: T["C", col] for col in ("1", "2", "u1", "u2", "u3")}
            extra = np.zeros(self.size["C"])
        known = H["1"] @ X1 + H["2"] @ X2 + H["u3"] @ U3 + extra
        solved = np.linalg.solve(H["u2"], np.column_stack([H["u1"], known]))
        Tt = T["1", "u1"].T
        S = Tt @ (T["1", "u1"] - T["1", "u2"] @ solved[:, :-1])
        rate = X1d - T["1", "1"] @ X1 - T["1", "2"] @ X2 - T["1", "u3"] @ U3
        U1 = np.linalg.solve(S, Tt @ (rate + T["1", "u2"] @ solved[:, -1]))
        return U1, -(solved[:, :-1] @ U1 + solved[:, -1])
