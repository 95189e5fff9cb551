"""Two flexible links of 8 m by co-rotational beams and by the core: two formulations that share no equation.

Run: python examples/double_link.py [folder for figures]
"""

import sys
from pathlib import Path

import numpy as np

import spacar_py as sp
from spacar_py import cases
from spacar_py.corotational import Projected, simulate
from spacar_py.corotational.convert import arm_of
from spacar_py.plotting import plot_record

SIZES, T_END, POINTS = (5, 10, 20), 15.0, 501
case = cases.load("double_link")
core = sp.simulate(case.model, t_end=T_END, points=POINTS, method=sp.GeneralizedAlpha(1e-8, 1e-10))
turn = core["second"].rotation  # of the outer link's first section, from upright
bent = core["tip"].x - core["middle"].x
bent = -bent[:, 0] * np.cos(turn) - bent[:, 1] * np.sin(turn)  # across the first section: deflection of the outer link
gaps = []
for n in SIZES:
    run = simulate(arm_of(case.model, elements=n), T_END, POINTS, Projected(1e-6, 1e-8))
    gap = np.abs(run["outer"].deflection[:, 1] - bent).max() / np.abs(bent).max()
    gaps.append(gap)
    bends = [np.abs(run[link].deflection[:, 1]).max() for link in ("inner", "outer")]
    print(f"{n:3d} elements: deflections up to {bends[0]:.4f} and {bends[1]:.4f} m, that of the outer link {gap:.2%} "
          f"from the core's over {T_END:g} s, joints kept to {run.violation.max():.0e}, "
          f"{run.count['seconds'] / core.info['cpu']:.1f} times the core's time")  # fmt: skip
order = -np.polyfit(np.log(SIZES), np.log(gaps), 1)[0]
print(f"the difference falls with the element length to the power {order:.2f}")
assert gaps[1] < 0.01 and 1.8 < order < 2.3

if len(sys.argv) > 1:
    plot_record(run.record("double link"), Path(sys.argv[1]) / "double_link.png")
