"""A pendulum released from 60 degrees: its period against the elliptic integral, and its energy."""

import numpy as np
from scipy.special import ellipk

import spacar_py as sp

ANGLE = np.pi / 3

pendulum = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
pendulum.node("pivot", (0, 0, 0))
pendulum.fix("pivot")
pendulum.frame("swing")
pendulum.point("bob", (0, 0, -1))
pendulum.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
pendulum.rigid_beam("rod", ("pivot", "swing"), "bob")
pendulum.mass("bob", 1.0)
print(pendulum)

period = 4 / np.sqrt(9.81) * ellipk(np.sin(ANGLE / 2) ** 2)
result = sp.simulate(
    pendulum, times=[0.0, period / 2, period], q0={"joint.angle": ANGLE}, method=sp.RungeKutta(rtol=1e-9)
)
angle = result.dof("joint.angle")
drift = float(np.ptp(result.energy["total"]))
print(f"period {period:.6f} s: angle {angle[1]:+.8f} at its half, {angle[2]:+.8f} at its end")
print(f"energy drifts by {drift:.1e} J")
assert abs(angle[1] + ANGLE) < 1e-6 and abs(angle[2] - ANGLE) < 1e-6
