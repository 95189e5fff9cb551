"""A vector bond graph as data: junctions, elements, bonds; junction matrices by walking along the bonds.

Every rigid body has two 1-junctions: the velocity v of its mass centre in space (I: mass, Se: weight) and its angular
velocity w in its principal axes (I: inertia, Euler junction structure). Every joint has 0-junctions, one for its
constraint forces, one for its constraint moments and one for each drive; modulated transformers T carry flows to them,
efforts back:

    flow of the 0-junction = sum of T (flow of the 1-junction)
    effort on the 1-junction = sum of T^T (effort of the 0-junction)

The sources on the 0-junctions of constraints are the augmentation: unknown efforts that leave all inertias in integral
causality.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class One:
    """A 1-junction with an inertia: `kind` "v" (m 1) or "w" (J in principal axes)."""

    name: str
    kind: str
    body: int
    inertia: np.ndarray

    size = 3


@dataclass(frozen=True)
class Zero:
    """A 0-junction: `role` "constraint", "drive" or "damper", `rows` of the joint's relative twist."""

    name: str
    role: str
    joint: int
    rows: tuple[int, ...]
    value: float = 0.0  # of a damper

    @property
    def size(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Bond:
    """A bond from a 1-junction through a modulated transformer to a 0-junction."""

    zero: int
    one: int


@dataclass(frozen=True)
class Body:
    """A rigid body: mass (kg), principal inertias J (3, 3); its centre and principal axes (columns) at the start."""

    name: str
    mass: float
    J: np.ndarray
    centre: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Joint:
    """A joint between bodies (-1 the ground): points P of p, Q of q at the start, rows of axes carried by p."""

    name: str
    kind: str
    p: int
    q: int
    P: np.ndarray
    Q: np.ndarray
    axes: np.ndarray
    free: dict  # row of the twist (0 along ex, 3 about ex) -> name of the coordinate
    springs: dict = field(default_factory=dict)  # row -> (stiffness, free length)
    dampers: dict = field(default_factory=dict)  # row -> damping
    motion: dict = field(default_factory=dict)  # row -> Signal, where the model prescribes it


@dataclass
class BondGraph:
    """Bodies and joints of a rigid tree, and the graph that stands for them."""

    bodies: list[Body]
    joints: list[Joint]  # from the ground outwards; joint k carries body k
    gravity: np.ndarray
    mobility: float = 0.0  # of the constraints: velocity that one gives way with per force on it, 0 for ideal joints
    ones: list[One] = field(default_factory=list)
    zeros: list[Zero] = field(default_factory=list)
    bonds: list[Bond] = field(default_factory=list)

    def __post_init__(self):
        for b, body in enumerate(self.bodies):
            self.ones.append(One(f"v {body.name}", "v", b, body.mass * np.eye(3)))
            self.ones.append(One(f"w {body.name}", "w", b, body.J))
        for k, joint in enumerate(self.joints):
            for what, rows in (("force", (0, 1, 2)), ("moment", (3, 4, 5))):
                held = tuple(r for r in rows if r not in joint.free)
                if held:
                    self._zero(Zero(f"{joint.name}.{what}", "constraint", k, held))
            for row, name in joint.free.items():
                self._zero(Zero(f"{joint.name}.{name}", "drive", k, (row,)))
                if row in joint.dampers:
                    self._zero(Zero(f"{joint.name}.{name} damper", "damper", k, (row,), joint.dampers[row]))

    def _zero(self, zero: Zero) -> None:
        joint = self.joints[zero.joint]
        n = len(self.zeros)
        self.zeros.append(zero)
        for body in (joint.q, joint.p):
            if body >= 0:
                if min(zero.rows) < 3:
                    self.bonds.append(Bond(n, 2 * body))
                self.bonds.append(Bond(n, 2 * body + 1))

    def columns(self, role: str) -> list[tuple[int, int]]:
        """(0-junction, component) of every scalar effort of one role."""
        return [(n, i) for n, z in enumerate(self.zeros) if z.role == role for i in range(z.size)]

    def flows(self, role: str, transformer) -> np.ndarray:
        """Matrix from all flows (v1, w1, v2, ...) to the flows of the 0-junctions of one role, along the bonds."""
        where = {c: i for i, c in enumerate(self.columns(role))}
        out = np.zeros((len(where), 3 * len(self.ones)))
        for b in self.bonds:
            zero = self.zeros[b.zero]
            if zero.role == role:
                T = transformer(zero, self.ones[b.one])
                for i in range(zero.size):
                    out[where[b.zero, i], 3 * b.one : 3 * b.one + 3] += T[i]
        return out

    def __str__(self) -> str:
        n = {role: len(self.columns(role)) for role in ("constraint", "drive", "damper")}
        return (
            f"vector bond graph: {len(self.ones)} 1-junctions, {len(self.zeros)} 0-junctions, "
            f"{len(self.bonds)} transformers\n"
            f"{3 * len(self.ones)} momenta = {n['drive']} independent + {n['constraint']} dependent; "
            f"{n['damper'] + (n['constraint'] if self.mobility else 0)} resistances"
        )
