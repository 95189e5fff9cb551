"""Spin-up of an 8 m beam (Wu and Haug) with 10 to 160 elements, prescribed angle, 15 s.

Both codes have bending and elongation. Exudyn gets two elements: ANCFCable2D, cubic as ours, and the geometrically
exact one, linear, cheaper and less accurate for the same number of elements (with the shear and the rotary inertia of
the data, which are of no account here). Ours runs once more with rigid elongation, which Exudyn's beams cannot have.
"""

from __future__ import annotations

import numpy as np

import spacar_py as sp
from spacar_py.signals import Signal

from . import _exudyn as ex
from ._measure import Run, best, counts, distance, interleaved, line, slope, verdict
from ._ours import moved

LENGTH, EA, GA, EI, M, J = 8.0, 5.03e6, 1.94e6, 566.0, 0.201, 22.7e-6
T, SPEED = 15.0, 4.0
W, AMP = 2 * np.pi / T, 60 / (2 * np.pi) ** 2
TIMES = np.linspace(0.0, T, 61)
TARGET = 1e-4  # m; the tip is bent by 0.53 m
SIZES = (10, 20, 40, 80, 160)
FINE = 12000  # steps of the refined solutions


def beam(elements: int, stretch: bool = True) -> sp.Model:
    """The beam of spacar_py."""
    spin = Signal([(0.0, [-AMP, 0, 30 / T**2, 0, 0, 0, AMP, W, np.pi / 2]), (T, [30.0, SPEED])])
    m = sp.Model(planar=True, name="spin-up")
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (LENGTH, 0))
    m.hinge("drive", "hub", "arm")
    m.prescribe("drive", "angle", spin)
    soft = ("elongation", "bending") if stretch else "bending"
    m.beam("beam", ("hub", "arm"), "tip", sp.Section(EA=EA, EIz=EI, m=M), elements=elements, flexible=soft)
    m.compile()
    return m


def ladders(model, elements: int):
    """Generalised alpha: fixed steps with each solver, and error control."""
    def fixed(solver, steps, rtol):
        method = sp.GeneralizedAlpha(rtol, 1e-3 * rtol, 0.9, T / steps, solver=solver)
        return lambda: moved(model, TIMES, method, solver)

    for rtol in (1e-5, 1e-3):
        if elements <= 80:
            yield [fixed("dense", n, rtol) for n in counts(480, 1200, 60)]
        yield [fixed("sparse", n, rtol) for n in counts(1800, 4500, 60, 1.15)]
    tolerances = 10.0 ** np.arange(-4.0, -7.0, -0.25)
    auto = [sp.GeneralizedAlpha(tol, 1e-3 * tol, 0.9) for tol in tolerances]
    yield [lambda m=m: moved(model, TIMES, m, "error control") for m in auto]


def angle(t):
    """Angle of the hub in symbols."""
    return 30 / T**2 * t * t + AMP * (ex.symbols.cos(W * t) - 1)


def cable(mbs, n: int):
    """ANCFCable2D; position and slope of the first node prescribed. The last node."""
    from exudyn.itemInterface import NodePoint2DSlope1, ObjectANCFCable2D

    h = LENGTH / n
    nodes = [mbs.AddNode(NodePoint2DSlope1(referenceCoordinates=[i * h, 0, 1, 0])) for i in range(n + 1)]
    for pair in zip(nodes, nodes[1:], strict=False):
        mbs.AddObject(ObjectANCFCable2D(nodeNumbers=list(pair), length=h, massPerLength=M, bendingStiffness=EI,
                                        axialStiffness=EA, useReducedOrderIntegration=1))  # fmt: skip
    sine, cosine = (lambda t: ex.symbols.sin(angle(t))), (lambda t: ex.symbols.cos(angle(t)) - 1)
    ex.hold(mbs, nodes[0], [None, None, cosine, sine])
    return nodes[-1]


def exact(mbs, n: int):
    """Geometrically exact beams; position and rotation of the first node prescribed. The last node."""
    from exudyn.itemInterface import NodeRigidBody2D, ObjectBeamGeometricallyExact2D

    h = LENGTH / n
    nodes = [mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[i * h, 0, 0])) for i in range(n + 1)]
    for pair in zip(nodes, nodes[1:], strict=False):
        mbs.AddObject(
            ObjectBeamGeometricallyExact2D(nodeNumbers=list(pair), length=h, massPerLength=M, crossSectionInertia=J,
                                           bendingStiffness=EI, axialStiffness=EA, shearStiffness=GA)
        )  # fmt: skip
    ex.hold(mbs, nodes[0], [None, None, angle])
    return nodes[-1]


def peer(kind, n: int, steps: int, newton) -> Run | None:
    """One run of Exudyn."""
    keep, mbs = ex.system()
    sensor = ex.position_sensor(mbs, kind(mbs, n))
    r = ex.solve(mbs, sensor, steps, TIMES, newton, label="modified" if newton.modified else "full Newton")
    if r is not None:
        r.tip = r.tip[:, :2]
    return r


def peer_ladders(kind, n: int):
    """Fixed steps with every setting of Newton."""
    for newton in ex.NEWTON:
        yield [lambda s=s, newton=newton: peer(kind, n, s, newton) for s in counts(1800, 4500, 60, 1.15)]


def peer_truth(kind, n: int) -> np.ndarray:
    """Refined in time, with the tightest Newton that works."""
    for newton in ex.NEWTON:
        r = peer(kind, n, FINE, newton)
        if r is not None:
            return r.tip
    raise RuntimeError("Exudyn's refined solution fails")


def auto_step(model) -> float:
    """Microseconds per step with solver="auto", the same 3000 steps for all sizes; median of 3."""
    runs = [moved(model, TIMES, sp.GeneralizedAlpha(1e-5, 1e-8, 0.9, T / 3000)) for _ in range(3)]
    return float(np.median([r.seconds / r.steps for r in runs])) * 1e6


def main() -> None:
    """Table over the number of elements, ratios and slopes."""
    print(f"\nSpin-up beam, {T:g} s, ms at a tip error of {TARGET:g} m against each code's own refined solution")
    names = ("ours", "cable", "exact", "rigid")
    line("elements", "ours", "cable", "exact", "ours rigid", "/cable", "/exact", "us/step", "apart um")
    rows, per_step, peer_step = [], [], []
    for n in SIZES:
        model, stiff = beam(n), beam(n, stretch=False)
        fine = sp.GeneralizedAlpha(1e-5, 1e-8, 0.9, T / FINE)
        mine = moved(model, TIMES, fine).tip
        truth = {k: peer_truth(f, n) for k, f in (("cable", cable), ("exact", exact))}
        found = {
            "ours": best(ladders(model, n), mine, TARGET),
            "cable": best(peer_ladders(cable, n), truth["cable"], TARGET),
            "exact": best(peer_ladders(exact, n), truth["exact"], TARGET),
            "rigid": best(ladders(stiff, n), moved(stiff, TIMES, fine).tip, TARGET),
        }
        t = interleaved(found)
        rows.append([t[k] for k in names])
        per_step.append(auto_step(model))
        peer_step.append([t[k] / found[k].steps for k in ("cable", "exact")])
        apart = 1e6 * distance(mine, truth["cable"])
        line(str(n), *(1e3 * t[k] for k in names), t["ours"] / t["cable"], t["ours"] / t["exact"], per_step[-1], apart)
        print("      " + "; ".join(f"{k}: {f.label}, {f.steps} steps" for k, f in found.items()))
    rows = np.array(rows)
    line("slope of time", *(slope(SIZES, rows[:, k]) for k in range(4)))
    line("slope of time per step", slope(SIZES, per_step), *(slope(SIZES, c) for c in np.array(peer_step).T))
    verdict("slowest against the cable element, ours/Exudyn", float((rows[:, 0] / rows[:, 1]).max()), 1.0)
    verdict("slowest against the exact element, ours/Exudyn", float((rows[:, 0] / rows[:, 2]).max()), 1.0)
    verdict("slope of ours, time per step with solver='auto'", slope(SIZES, per_step), 1.2)
