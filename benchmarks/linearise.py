"""CPU time of the linearisation: per point as the model grows, and 1500 points of the two-link manipulator.

Run: python benchmarks/linearise.py
"""

from __future__ import annotations

import time

import numpy as np

import spacar_py as sp
from spacar_py.cases import manipulator
from spacar_py.linearize import linear_model, modes, state_space


def chain(links: int, elements: int) -> sp.Model:
    """Planar arm of flexible links on hinges."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("n0", (0, 0))
    m.fix("n0")
    section = sp.Section(EIz=100.0, m=1.0)
    for k in range(links):
        m.frame(f"r{k}")
        m.node(f"n{k + 1}", (k + 1.0, 0.0))
        m.hinge(f"j{k}", f"n{k}", f"r{k}")
        m.beam(f"b{k}", (f"n{k}", f"r{k}"), f"n{k + 1}", section, elements=elements, flexible="bending")
    return m


def best(function, repeat=5) -> float:
    """Least CPU time of several runs (s): other work on the machine does not count."""
    function()
    times = []
    for _ in range(repeat):
        t0 = time.process_time()
        function()
        times.append(time.process_time() - t0)
    return min(times)


def states(model, N, rng):
    """N states along a slow wave with velocities and accelerations."""
    s = model.compile()
    phase = np.linspace(0, 1, N)[:, None] * rng.normal(size=s.nq)
    size = np.where(s.flexible, 1e-3, 0.3)
    return size * np.sin(phase), size * np.cos(phase), -size * np.sin(phase)


def run() -> dict:
    """Print the tables, return the numbers."""
    rng = np.random.default_rng(1)
    out = {}
    print("CPU time per point, planar chains (warm)")
    print(f"{'degrees of freedom':>20} {'coordinates':>12} {'us per point':>14} {'us per dof':>12}")
    for links, elements in ((1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (4, 8), (4, 16)):
        model = chain(links, elements)
        s = model.compile()
        N = 200 if s.nq < 40 else 50
        at = states(model, N, rng)
        t = best(lambda model=model, at=at: linear_model(model, at)) / N
        out[s.nq] = t
        print(f"{s.nq:>20} {s.nx:>12} {t * 1e6:>14.1f} {t * 1e6 / s.nq:>12.2f}")

    arm = manipulator.build()
    at = states(arm, 1500, rng)
    out["arm"] = best(lambda: linear_model(arm, at))
    lin = linear_model(arm, at)
    out["modes"] = best(lambda: modes(lin, n=4, kind="real", symmetric=True), 2)
    few = linear_model(arm, tuple(a[:100] for a in at))
    out["state space"] = best(lambda: state_space(few, outputs=["tip.x", "stress fore.elongation"]), 2) / 100 * 1500
    print("\nmanipulator, 12 degrees of freedom, 1500 points (warm)")
    print(f"  matrices                 {out['arm']:8.3f} s   ({out['arm'] / 1500 * 1e6:.0f} us per point; goal 0.2 s)")
    print(f"  four modes each          {out['modes']:8.3f} s")
    print(f"  state space each         {out['state space']:8.3f} s   (with a reaction force as output)")
    return out


if __name__ == "__main__":
    run()
