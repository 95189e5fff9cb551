"""A parallel leaf-spring guide: stiffness along and across, frequencies and mode shapes.

With --pictures it also writes flexure_modes.png.
"""

import sys

import numpy as np

import spacar_py as sp

L, GAP = 0.1, 0.08
STEEL = sp.Section.rectangle(0.03, 0.0005, E=210e9, nu=0.3, rho=7800)  # width along y, thickness along z

guide = sp.Model(name="parallel leaf springs")
for side, x in (("left", 0.0), ("right", GAP)):
    guide.node(f"{side}_foot", (x, 0, 0))
    guide.fix(f"{side}_foot")
    guide.node(f"{side}_top", (x, 0, L))
    # both leaves give way in all six ways: nothing is overconstrained, the bars between them are rigid
    guide.beam(f"{side}_leaf", f"{side}_foot", f"{side}_top", STEEL, y=(0, 1, 0), flexible="all")
guide.node("stage", (GAP / 2, 0, L))
for side in ("left", "right"):
    guide.beam(f"{side}_bar", f"{side}_top", "stage")
guide.body("stage", 0.2, J=(1e-4, 2e-4, 2e-4))

found = sp.modes(guide, n=3)
print(found)
stiffness = 2 * 12 * STEEL.EIy / L**3  # two leaves, clamped and guided
mass = 0.2 + 2 * 13 / 35 * STEEL.m * L  # and 13/35 of each leaf moves with the stage
expected = np.sqrt(stiffness / mass)
print(f"along the guide: {found.omega[0]:.2f} rad/s, two guided leaves {expected:.2f} rad/s")
print(f"stiffest of the three to softest: {found.omega[2] / found.omega[0]:.0f} times the frequency")
assert abs(found.omega[0] / expected - 1) < 0.02  # shear and the leaves' own rotation are left out in the formula
if "--pictures" in sys.argv:
    from spacar_py.plotting import plot_mode_shapes

    plot_mode_shapes(found, (0, 1, 2), "flexure_modes.png")
