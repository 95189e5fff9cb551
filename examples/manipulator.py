"""The flexible two-link manipulator of Aarts and Jonker by all three methods, in 25 lines."""

import spacar_py as sp

L = 0.7
arm = sp.Model(gravity=(0, 0, -9.81), name="manipulator")
arm.node("base", (0, 0, 0))
arm.fix("base")
for frame in ("column", "upper_root", "fore_root"):
    arm.frame(frame)
arm.node("elbow", (0.268, 0, (L**2 - 0.268**2) ** 0.5))
arm.node("tip", (0.536, 0, 0))
arm.hinge("turret", "base", "column", axis=(0, 0, 1))
arm.hinge("shoulder", "column", "upper_root", axis=(0, -1, 0))
arm.hinge("elbow", "elbow", "fore_root", axis=(0, -1, 0))
upper = sp.Section(EIy=48300 * L**3, EIz=48300 * L**3, GJ=41580 * L**3, m=4.0)
fore = sp.Section(EIy=24460 * L**3, EIz=24460 * L**3, m=2.0)
arm.beam("upper", ("base", "upper_root"), "elbow", upper, flexible=("torsion", "bending"))
arm.beam("fore", ("elbow", "fore_root"), "tip", fore, flexible="bending")
arm.mass("elbow", 10.0)
arm.mass("tip", 30.0)
path, pid = sp.LinePath((0.536, 0, 0), (0, 1.3, 0), T=1.0, node="tip"), sp.PID(12.0)
full = sp.simulate(arm, path, pid, t_end=2.0, method=sp.RungeKutta(rtol=1e-4, atol=1e-7))
linear = sp.simulate(arm, path, pid, t_end=2.0, method=sp.Perturbation())
fast = sp.simulate(arm, path, pid, t_end=2.0, method=sp.AMI(modes=4))

for name, r in (("nonlinear", full), ("perturbation", linear), ("AMI, 4 modes", fast)):
    x = 1e3 * abs(r.deviation("tip")).max(axis=0)
    print(f"{name:<14} largest deviation {x[0]:6.2f} {x[1]:6.2f} {x[2]:6.2f} mm, {r.info['rhs']:>7} evaluations")
assert abs(linear.deviation("tip") - full.deviation("tip")).max() < 3e-4  # the paper's own figure: 0.26 mm
assert abs(fast.deviation("tip", True) - linear.deviation("tip", True)).max() < 1e-4
