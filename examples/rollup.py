"""A cantilever rolled into a full circle by a tip moment 2 pi EI / L: large deflection with sixteen beams."""

import numpy as np

import spacar_py as sp

L, EI, N = 1.0, 1.0, 16
leaf = sp.Model(planar=True, name="cantilever")
leaf.node("clamp", (0, 0))
leaf.fix("clamp")
leaf.node("tip", (L, 0))
leaf.beam("leaf", "clamp", "tip", sp.Section(EA=1e4, EIz=EI, m=1.0), elements=N, flexible="all")
leaf.moment("tip", 2 * np.pi * EI / L)

result = sp.solve_static(leaf, steps=8)
tip = result["tip"].x[-1]
turn = N * np.arcsin(2 * np.pi / N)  # in pure bending each element turns by asin(M L0 / EI)
print(
    f"tip at ({tip[0]:+.4f}, {tip[1]:+.4f}) m, turned by {result['tip'].rotation[-1]:.4f} rad; 2 pi = {2 * np.pi:.4f}"
)
assert np.hypot(*tip) < 0.05 * L
assert abs(result["tip"].rotation[-1] - turn) < 1e-4
