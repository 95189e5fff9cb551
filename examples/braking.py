"""Braking a manipulator with a long rod: which time leaves the least vibration (rigid finite elements, Lipinski).

Run: python examples/braking.py [folder for figures]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from spacar_py.cases import braking_planar as planar
from spacar_py.cases import braking_spatial as spatial
from spacar_py.rigidfe import brake, plot_brake_curve, search_braking

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None

fig, ax = plt.subplots(layout="constrained")
for damper in (1.0, 5.0):
    arm = planar.braking_planar(damper)
    curve = search_braking(arm, planar.SPEEDS, planar.TRAVEL, (0.41, 0.545), points=28)
    plot_brake_curve(curve, ax, label=f"{damper:g} N m s/rad")
    (T, left), (_, most) = curve.best, curve.worst
    print(f"{damper:g} N m s/rad: least vibration {1e3 * left:.3f} mm for {T:.4f} s, most {1e3 * most:.2f} mm")
    assert abs(T - 6 * 2 * np.pi / 79.09) < 1e-3  # six periods of the clamped rod
    for T in planar.PAIR[damper]:
        left = brake(arm, planar.SPEEDS, planar.TRAVEL, T).range("tip", "y")
        print(f"    the paper's {T:g} s leaves {1e3 * left:.2f} mm")
ax.legend()
if folder:
    fig.savefig(folder / "braking_curve.png", dpi=120)

fig, axes = plt.subplots(2, 1, sharex=True, layout="constrained")
arm = planar.braking_planar(1.0)
for T in (0.4767, 0.515):
    run = brake(arm, planar.SPEEDS, planar.TRAVEL, T)
    axes[0].plot(run.result.t - run.stop, 1e3 * run.series("rod[0]", "angle"), label=f"{T:g} s")
    y = run.series("tip", "y")
    after = run.result.t >= run.stop
    axes[1].plot(run.result.t[after] - run.stop, 1e3 * (y[after] - y[after].mean()), label=f"{T:g} s")
axes[0].set_ylabel("first spring [mrad]")
axes[1].set_ylabel("height of the tip [mm]")
axes[1].set_xlabel("time after the stop [s]")
axes[0].legend()
if folder:
    fig.savefig(folder / "braking_planar.png", dpi=120)

fig, axes = plt.subplots(2, 1, sharex=True, layout="constrained")
arm = spatial.braking_spatial()
for T in (2.0, 1.9):
    run = brake(arm, spatial.SPEEDS, spatial.TRAVEL, T, rest=1.0)
    for ax, angle in zip(axes, ("angle_x", "angle_y"), strict=True):
        ax.plot(run.result.t, 1e3 * run.series("rod[0]", angle), label=f"{T:g} s")
        ax.set_ylabel(f"first joint, {angle} [mrad]")
    left = [1e3 * run.range("rod[0]", a) for a in ("angle_x", "angle_y")]
    print(f"spatial, {T:g} s: first joint {left[0]:.2f} mrad about y, {left[1]:.2f} mrad about z")
axes[1].set_xlabel("time [s]")
axes[0].legend()
if folder:
    fig.savefig(folder / "braking_spatial.png", dpi=120)
