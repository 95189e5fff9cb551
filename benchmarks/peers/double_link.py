"""The double link of Damic and Cohodar, 15 s, ten elements per link, both hinges driven, beside Exudyn.

Both codes have bending and elongation. Exudyn gets its geometrically exact element on rigid-body nodes, where hinge and
drive are constraints between coordinates; the element is linear, ours is cubic, so ours runs with four too.
"apart" is the distance of the refined solutions from that of ours with ten.
"""

from __future__ import annotations

import numpy as np
from exudyn.itemInterface import (
    CoordinateConstraint,
    MarkerNodeCoordinate,
    NodeRigidBody2D,
    ObjectBeamGeometricallyExact2D,
)

import spacar_py as sp
from spacar_py.cases import double_link as case

from . import _exudyn as ex
from ._measure import Run, best, counts, distance, interleaved, line
from ._ours import moved

T_END = 15.0
TIMES = np.linspace(0.0, T_END, 61)
TARGET = 1e-3  # m; the outer link is bent by 0.57 m
ELEMENTS = (10, 20, 40)  # per link, of Exudyn
FINE = 30000


def inner(t):
    """Turn of the inner hinge in symbols, from both links upright."""
    k, w = -(np.pi / 2) / case.T, 2 * np.pi / case.T
    return ex.symbols.IfThenElse(t < case.T, k * t - k / w * ex.symbols.sin(w * t), -np.pi / 2 + 0 * t)


def outer(t):
    """Turn of the outer hinge in symbols."""
    w = 2 * np.pi / case.T
    up = case.SPEED / case.T * (0.5 * t * t + (ex.symbols.cos(w * t) - 1) / w**2)
    return ex.symbols.IfThenElse(t < case.T, up, case.SPEED * (t - case.T / 2))


def _link(mbs, n: int, start: float, A: float, I: float) -> list[int]:
    """Nodes of an upright link that begins at the height `start`."""
    h, E = case.LENGTH / n, case.E
    nodes = [mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[0, start + k * h, np.pi / 2])) for k in range(n + 1)]
    for pair in zip(nodes, nodes[1:], strict=False):
        mbs.AddObject(
            ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair), length=h, massPerLength=case.RHO * A, crossSectionInertia=case.RHO * I,
                bendingStiffness=E * I, axialStiffness=E * A, shearStiffness=E * A / 2.6 * 5 / 6,
            )
        )  # fmt: skip
    return nodes


def peer(n: int, steps: int, newton) -> Run | None:
    """One run of Exudyn."""
    keep, mbs = ex.system()
    first, second = _link(mbs, n, 0.0, *case.INNER), _link(mbs, n, case.LENGTH, *case.OUTER)
    ex.hold(mbs, first[0], [None, None, inner])
    for k, motion in enumerate((None, None, outer)):
        ends = [mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=i, coordinate=k)) for i in (first[-1], second[0])]
        mbs.AddObject(CoordinateConstraint(markerNumbers=ends, **({} if motion is None else ex.offset(mbs, motion))))
    r = ex.solve(mbs, ex.position_sensor(mbs, second[-1]), steps, TIMES, newton,
                 label="modified" if newton.modified else "full Newton")  # fmt: skip
    if r is not None:
        r.tip = r.tip[:, :2]
    return r


def ladders(model):
    """Generalised alpha: fixed steps with both solvers, and error control."""

    def run(label, **options):
        return lambda: moved(model, TIMES, sp.GeneralizedAlpha(radius=0.9, **options), label)

    for solver in ("dense", "sparse"):
        yield [run(solver, rtol=1e-3, atol=1e-6, step=T_END / n, solver=solver) for n in counts(300, 6000, 60)]
    tolerances = 10.0 ** np.arange(-3.0, -6.5, -0.25)
    yield [run("error control", rtol=tol, atol=1e-3 * tol) for tol in tolerances]


def peer_ladders(n: int):
    """Fixed steps with every setting of Newton."""
    for newton in ex.NEWTON:
        yield [lambda s=s, w=newton: peer(n, s, w) for s in counts(300, 12000, 60)]


def main() -> None:
    """Table."""
    print(f"\nDouble link, {T_END:g} s, ms at a tip error of {TARGET:g} m against each code's own refined solution")
    line("elements per link", "time", "steps", "error um", "ours/this", "apart mm")
    found, apart = {}, {}
    fine = sp.GeneralizedAlpha(1e-6, 1e-9, 0.9, T_END / FINE)
    for n in (10, 4):
        model = case.double_link(n)
        truth = moved(model, TIMES, fine).tip
        found[f"ours {n}"] = best(ladders(model), truth, TARGET)
        apart[f"ours {n}"] = truth
    for n in ELEMENTS:
        truth = next(r for r in (peer(n, FINE, w) for w in ex.NEWTON) if r is not None).tip
        found[f"Exudyn {n}"] = best(peer_ladders(n), truth, TARGET)
        apart[f"Exudyn {n}"] = truth
    t = interleaved(found)
    for name, f in found.items():
        away = 1e3 * distance(apart["ours 10"], apart[name])
        line(f"{name}, {f.label}", 1e3 * t[name], str(f.steps), 1e6 * f.error, t["ours 10"] / t[name], away)
    print(f"  ours with 4 elements / Exudyn with 40: {t['ours 4'] / t['Exudyn 40']:.3g}")
