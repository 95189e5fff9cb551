"""Rigid inverse dynamics of open chains beside Pinocchio: hinges about z, y, z, y ..., rods of 0.5 m with end masses.

Pinocchio's `rnea` gives the drives alone, a state a call. Ours gives with them the positions of all nodes, every
reaction in every joint and link, and the energies: that is what its time is spent on.
"""

from __future__ import annotations

import time

import numpy as np
import pinocchio as pin

import spacar_py as sp

from ._measure import REPEATS, line, slope

LENGTH, LINE, POINT = 0.5, 2.0, 1.5  # m, kg/m, kg
SIZES = (3, 6, 12, 24, 48)
STATES = 1000


def axis(k: int) -> tuple:
    """Of hinge k."""
    return (0, 0, 1) if k % 2 == 0 else (0, 1, 0)


def ours(n: int) -> sp.Model:
    """The chain along x."""
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("p0", (0, 0, 0))
    m.fix("p0")
    frame = "p0"
    for k in range(n):
        m.frame(f"r{k}")
        m.node(f"p{k + 1}", ((k + 1) * LENGTH, 0, 0))
        m.hinge(f"j{k}", frame, f"r{k}", axis=axis(k))
        m.beam(f"rod{k}", (f"p{k}", f"r{k}"), f"p{k + 1}", sp.Section(m=LINE))
        m.mass(f"p{k + 1}", POINT)
        frame = f"p{k + 1}"
    m.compile()
    return m


def peer(n: int):
    """The same chain in Pinocchio: a thin rod and a point mass in every link."""
    model, parent, at = pin.Model(), 0, 0.0
    model.gravity.linear = np.array([0, 0, -9.81])
    m = LINE * LENGTH
    across = m * LENGTH**2 / 12
    rod = pin.Inertia(m, np.array([LENGTH / 2, 0, 0]), np.diag([0.0, across, across]))
    mass = pin.Inertia(POINT, np.array([LENGTH, 0, 0]), np.zeros((3, 3)))
    for k in range(n):
        place = pin.SE3(np.eye(3), np.array([at, 0, 0]))
        joint = pin.JointModelRZ() if k % 2 == 0 else pin.JointModelRY()
        parent, at = model.addJoint(parent, joint, place, f"j{k}"), LENGTH
        model.appendBodyToJoint(parent, rod + mass, pin.SE3.Identity())
    return model


def motion(n: int) -> tuple:
    """Times, angles, rates, accelerations of a slow wave through the chain."""
    t = np.linspace(0.0, 2.0, STATES)
    w, phase = 2.0, 0.7 * np.arange(n)
    arg = w * t[:, None] + phase
    return t, 0.4 * np.sin(arg), 0.4 * w * np.cos(arg), -0.4 * w * w * np.sin(arg)


def seconds(*functions) -> list[float]:
    """Medians of runs in turns."""
    found = [[] for _ in functions]
    for _ in range(REPEATS + 1):
        for function, times in zip(functions, found, strict=True):
            begin = time.process_time()
            function()
            times.append(time.process_time() - begin)
    return [float(np.median(t[1:])) for t in found]


def main() -> None:
    """Microseconds per state over the number of hinges, and how far the drives agree."""
    print(f"\nInverse dynamics of a rigid chain, {STATES} states, us per state")
    line("hinges", "ours", "rnea", "ours/rnea", "drives agree")
    rows = []
    for n in SIZES:
        model, other = ours(n), peer(n)
        data, (t, q, v, a) = other.createData(), motion(n)
        mine = sp.inverse_dynamics(model, t, q, v, a)
        drives = np.column_stack([mine.generalised[f"j{k}.angle"] for k in range(n)])
        theirs = np.array([pin.rnea(other, data, *s) for s in zip(q, v, a, strict=True)])
        gap = np.abs(drives - theirs).max() / np.abs(theirs).max()
        pair = seconds(
            lambda m=model, s=(t, q, v, a): sp.inverse_dynamics(m, *s),
            lambda o=other, d=data, s=(q, v, a): [pin.rnea(o, d, *x) for x in zip(*s, strict=True)],
        )
        rows.append(pair)
        line(str(n), *(1e6 * s / STATES for s in pair), pair[0] / pair[1], gap)
    line("slope", *(slope(SIZES, c) for c in np.array(rows).T))
