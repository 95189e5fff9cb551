"""Sibling methods against the core: time and accuracy on the same models, as ratios measured side by side.

Run: python benchmarks/siblings.py
"""

from __future__ import annotations

import time

import numpy as np

import spacar_py as sp
from spacar_py import cases
from spacar_py import corotational as cr
from spacar_py.bondgraph import analyse, bond_graph, kinetostatics
from spacar_py.cases.double_link import double_link
from spacar_py.cases.five_dof_robot import five_dof_robot, motion
from spacar_py.corotational.convert import arm_of
from spacar_py.linearize import modes
from spacar_py.rigidfe import replace_beam

T_END, POINTS = 15.0, 501


def clock(function, repeat: int = 3) -> tuple[float, object]:
    """Least CPU time of several runs (s) after one that warms up, and what the function gives."""
    out = function()
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        out = function()
        times.append(time.process_time() - begin)
    return min(times), out


def solvers() -> dict:
    """The two integrators, SUNDIALS only where it is installed."""
    found = {"Projected, rtol 1e-5": cr.Projected(1e-5, 1e-7)}
    try:
        import sksundae  # noqa: F401
    except ImportError:
        print("(scikit-sundae is not installed: without Ida)")
        return found
    return {"Ida, rtol 1e-7": cr.Ida(), "Ida, rtol 1e-9": cr.Ida(1e-9, 1e-11), **found}


def core(elements: int, rtol: float):
    """Tip of the double link by the core."""
    method = sp.GeneralizedAlpha(rtol, rtol / 100)
    return sp.simulate(double_link(elements), t_end=T_END, points=POINTS, method=method)["tip"].x


def double_links() -> dict:
    """Both formulations on the double link of Damic and Cohodar, errors against 16 elements of the core."""
    fine = core(16, 1e-9)
    bend = 0.57  # largest deflection of the outer link (m)
    rows = {}
    for n, rtol in ((4, 1e-5), (4, 1e-7), (8, 1e-7)):
        t, tip = clock(lambda n=n, rtol=rtol: core(n, rtol))
        rows[f"core, {n} elements, rtol {rtol:g}"] = t, np.abs(tip - fine).max(), 0.0
    for n in (10, 20):
        arm = arm_of(double_link(1), elements=n)
        for name, solver in solvers().items():
            t, r = clock(lambda arm=arm, solver=solver: cr.simulate(arm, T_END, POINTS, solver), 1)
            rows[f"co-rotational, {n} elements, {name}"] = t, np.abs(r.tip[:, :2] - fine).max(), r.violation.max()
    base = rows["core, 4 elements, rtol 1e-07"][0]
    print(f"double link, {T_END:g} s; error of the tip in parts of the largest deflection, {bend} m")
    print(f"{'':<52}{'CPU s':>8}{'to core':>9}{'error':>10}{'violation':>11}")
    for name, (t, error, drift) in rows.items():
        print(f"{name:<52}{t:>8.2f}{t / base:>9.2f}{error / bend:>9.2%}{drift:>11.0e}")
    return rows


def arms() -> None:
    """The anthropomorphic arm, rigid and flexible, 1 s."""
    print(f"\n{'anthropomorphic arm, 1 s':<52}{'CPU s':>8}{'to core':>9}{'tips differ by (m)':>20}")
    for name in ("anthropomorphic_rigid", "anthropomorphic"):
        case = cases.load(name)
        base, own = clock(case.simulate, 1)
        print(f"{name + ', core':<52}{base:>8.2f}{1:>9.2f}")
        arm = arm_of(case.model, case.path, case.controller, elements=10)
        for label, solver in solvers().items():
            points = case.run.points
            t, r = clock(lambda a=arm, s=solver, n=points: cr.simulate(a, 1.0, n, s, "equilibrium"), 1)
            gap = np.abs(r.tip - own["tip"].x).max()
            print(f"{name + ', ' + label:<52}{t:>8.2f}{t / base:>9.2f}{gap:>20.1e}")


def chains() -> None:
    """A clamped rod as rigid finite elements against beam elements: first three frequencies, and a free swing."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("wall", (0, 0))
    m.fix("wall")
    m.node("tip", (1, 0))
    m.beam("rod", "wall", "tip", sp.Section(EIz=1586.5, m=3.15), elements=2, flexible="bending")
    exact = np.array([1.8751040687, 4.6940911330, 7.8547574382]) ** 2 * np.sqrt(1586.5 / 3.15)
    head = f"{'clamped rod, swinging 0.2 s under its weight':<52}{'CPU s':>8}{'to beams':>9}"
    print(f"\n{head}   errors of frequencies 1, 2, 3")
    method, base = sp.GeneralizedAlpha(1e-6, 1e-9), None
    models = {"2 beam elements": m} | {f"chain of {n}": replace_beam(m, "rod", elements=n) for n in (5, 10, 20)}
    for label, model in models.items():
        t, _ = clock(lambda model=model: sp.simulate(model, t_end=0.2, points=101, method=method))
        base = base or t
        errors = np.abs(modes(model).omega[:3] / exact - 1)
        print(f"{label:<52}{t:>8.3f}{t / base:>9.2f}   " + " ".join(f"{e:.1e}" for e in errors))


def robots() -> None:
    """Kineto-statics of the five-degree-of-freedom robot, 401 instants."""
    robot, t, along = five_dof_robot(), np.linspace(0, 2, 401), motion()
    base, by_core = clock(lambda: kinetostatics(robot, t, along))
    graph = bond_graph(robot)
    other, by_graph = clock(lambda: analyse(graph, t, along))
    a, b = by_core.drives, by_graph.drives
    gap = max(np.abs(a[k] - b[k]).max() / np.abs(a[k]).max() for k in a)
    print(f"\n{'robot with five degrees of freedom, 401 instants':<52}{'CPU s':>8}{'to core':>9}")
    print(f"{'core':<52}{base:>8.3f}{1:>9.2f}")
    print(f"{f'vector bond graph (drives agree to {gap:.0e})':<52}{other:>8.3f}{other / base:>9.2f}")


if __name__ == "__main__":
    double_links()
    arms()
    chains()
    robots()
