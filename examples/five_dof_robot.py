"""Kineto-statics of a robot with five degrees of freedom: the core against its vector bond graph (Wang and Tao).

Run: python examples/five_dof_robot.py [folder for figures]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from spacar_py.bondgraph import analyse, bond_graph, draw_bond_graph, kinetostatics
from spacar_py.cases.five_dof_robot import five_dof_robot, motion

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
robot, t = five_dof_robot(), np.linspace(0, 2, 401)
core = kinetostatics(robot, t, motion())
graph = analyse(robot, t, motion())

print(bond_graph(robot))
for name, drive in core.drives.items():
    gap = np.abs(drive - graph.drives[name]).max() / np.abs(drive).max()
    print(f"{name:20s} from {drive.min():10.1f} to {drive.max():10.1f}, core and bond graph differ by {gap:.0e}")
    assert gap < 1e-9
for name, joint in core.joints.items():
    force, moment = (joint.resultant(w).max() for w in ("constraint_force", "constraint_moment"))
    print(f"{name:20s} constraint force up to {force:10.1f} N, moment up to {moment:10.1f} N m")

fig, axes = plt.subplots(2, 2, figsize=(11, 7), sharex=True, layout="constrained")
for name in core.drives:
    ax = axes[0, 0] if name.endswith("displacement") else axes[0, 1]
    ax.plot(t, core.drives[name], label=name)
    ax.plot(t, graph.drives[name], "k:", lw=1)
for name in core.joints:
    for ax, which in ((axes[1, 0], "constraint_force"), (axes[1, 1], "constraint_moment")):
        ax.plot(t, core[name].resultant(which), label=name)
        ax.plot(t, graph[name].resultant(which), "k:", lw=1)
labels = ("driving forces [N]", "driving torques [N m]", "constraint forces [N]", "constraint moments [N m]")
for ax, label in zip(axes.flat, labels, strict=True):
    ax.set_ylabel(label)
    ax.legend(fontsize=8)
axes[1, 0].set_xlabel("time [s]")
axes[1, 1].set_xlabel("time [s]")
drawing = draw_bond_graph(bond_graph(robot)).figure
if folder:
    fig.savefig(folder / "five_dof_robot.png", dpi=120)
    drawing.savefig(folder / "five_dof_robot_bond_graph.png", dpi=120)
