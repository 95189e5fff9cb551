"""An arm under PD control in joint space, rigid and flexible by a switch: what must be fed forward to follow a path.

Run: python examples/anthropomorphic_arm.py [folder for figures]
"""

import sys
from pathlib import Path

import numpy as np

from spacar_py import cases
from spacar_py.corotational import Projected, simulate
from spacar_py.corotational.convert import arm_of
from spacar_py.corotational.examples import tip_error
from spacar_py.plotting import plot_record

case = cases.load("anthropomorphic")
errors = {}
for flexible in (False, True):
    for fed, start in ((None, "equilibrium"), ("gravity", "equilibrium"), ("inverse dynamics", "equilibrium"),
                       ("inverse dynamics", "rest")):  # fmt: skip
        arm = arm_of(case.model, case.path, case.controller, elements=4, flexible=flexible, feedforward=fed)
        run = simulate(arm, 1.0, 101, Projected(), start=start)
        errors[flexible, fed, start] = error = np.abs(tip_error(run)).max()
        torques = [np.abs(run[j].torque).max() for j in ("waist", "shoulder", "elbow")]
        bends = [np.linalg.norm(run[link].deflection, axis=1).mean() for link in ("upper", "fore")]
        what = f"{'flexible' if flexible else 'rigid':9}{fed or 'nothing':17} fed forward"
        what += ", from rest" if start == "rest" else ""
        words = " ".join(f"{t:.3g}" for t in torques)
        print(f"{what}: tip error {error:.1e} m, torques {words} N m, links bend by {bends[0]:.0e} {bends[1]:.0e} m")

moving = "equilibrium"  # on the path, with its velocity
assert errors[True, None, moving] > 5e-3  # sags under its weight: KP = KD = 1000 alone cannot hold it
assert 1e-4 < errors[True, "gravity", moving] < 2e-3 and errors[True, "inverse dynamics", moving] < 1e-4
for flexible in (False, True):  # the paper: of the order 1e-4 m in both; the path starts at 0.31 m/s, this arm at rest
    assert 1e-4 < errors[flexible, "inverse dynamics", "rest"] < 6e-4
assert 1e-6 < bends[0] < 1e-5 and 1e-7 < bends[1] < 1e-6  # the paper's orders

if len(sys.argv) > 1:
    plot_record(run.record("anthropomorphic arm"), Path(sys.argv[1]) / "anthropomorphic_arm.png")
