"""A four-bar linkage with an elastic coupler, its crank driven at constant speed: a closed loop and a drive torque."""

import numpy as np

import spacar_py as sp

SPEED = 2 * np.pi
linkage = sp.Model(planar=True, name="four-bar linkage")
linkage.node("A", (0, 0))
linkage.node("D", (1.0, 0))
linkage.fix("A")
linkage.fix("D")
linkage.frame("crank")
linkage.point("B", (0, 0.25))
linkage.frame("coupler_b")
linkage.node("C", (0.9, 0.65))
linkage.frame("rocker")
rod = sp.Section(m=0.5)
linkage.hinge("drive", "A", "crank")
linkage.rigid_beam("crank", ("A", "crank"), "B", rod)
linkage.beam("coupler", ("B", "coupler_b"), "C", sp.Section(EA=1e7, EIz=40.0, m=0.5), flexible="bending", damping=1e-3)
linkage.rigid_beam("rocker", ("D", "rocker"), "C", rod)
linkage.prescribe("drive", "angle", sp.Signal([(0.0, [0.0, -SPEED])]))

result = sp.simulate(linkage, t_end=2.0, points=401)
torque = result.generalised["drive.angle"]
closed = np.linalg.norm(result["C"].x - (1.0, 0.0), axis=1)
print(f"{len(result.system.dof)} degrees of freedom: {', '.join(result.system.dof)}")
print(f"drive torque from {torque.min():.2f} to {torque.max():.2f} N m")
print(f"the rocker keeps its length to {np.ptp(closed):.1e} m")
assert np.ptp(closed) < 1e-10
