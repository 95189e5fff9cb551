"""A drawing of a vector bond graph."""

from __future__ import annotations

import numpy as np

from .graph import BondGraph

COLOUR = {"constraint": "tab:red", "drive": "tab:blue", "damper": "tab:green"}


def draw_bond_graph(graph: BondGraph, ax=None):
    """Junctions, elements and bonds of a graph, bodies from left to right; returns the axes.

    Half arrows show positive power, strokes the end that receives the effort. Every inertia sets the flow of its
    1-junction; the sources on the 0-junctions set the efforts: those in red are the unknown constraint forces.
    """
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(3.6 * len(graph.bodies) + 2, 8), layout="constrained")
    one = {n: np.array([6.0 * o.body + 3, 3.0 if o.kind == "v" else -3.0]) for n, o in enumerate(graph.ones)}
    for n, o in enumerate(graph.ones):
        x, up = one[n], 1 if o.kind == "v" else -1
        own = np.diag(o.inertia)
        label = f"I: m = {own[0]:g}" if o.kind == "v" else "I: J = " + ", ".join(f"{v:g}" for v in own)
        _text(ax, x, "1", o.name)
        _element(ax, x, x + (0, 1.6 * up), label, stroke="end")
        if o.kind == "v":
            _element(ax, x, x + (1.5, 1.1), "Se: m g", into=True)
        else:
            _element(ax, x, x + (1.5, -1.1), "EJS (MGY)", stroke="start")
    for k, joint in enumerate(graph.joints):
        own = [n for n, z in enumerate(graph.zeros) if z.joint == k]
        for i, n in enumerate(own):
            zero = graph.zeros[n]
            x = np.array([6.0 * joint.q, 2.0 - 4.0 * i / max(len(own) - 1, 1)])
            colour = COLOUR[zero.role]
            _text(ax, x, "0", "", colour)
            what = {"constraint": "Se (unknown)", "drive": "Se", "damper": "R"}[zero.role]
            ax.text(x[0], x[1] - 0.3, f"{what}: {zero.name}", ha="center", va="top", fontsize=7, color=colour)
            for b in graph.bonds:
                if b.zero == n:
                    _bond(ax, x, one[b.one], colour)
    ax.text(-2.2, 0, "ground", ha="center", va="center", rotation=90)
    ax.set_axis_off()
    ax.set_xlim(-2.6, 6.0 * len(graph.bodies))
    ax.set_ylim(-5.4, 5.4)
    ax.set_title(str(graph), fontsize=8, wrap=True)
    return ax


def _text(ax, x, symbol, name, colour="black") -> None:
    ax.text(*x, symbol, ha="center", va="center", fontsize=13, color=colour,
            bbox=dict(boxstyle="circle", fc="white", ec="none", pad=0.15), zorder=3)  # fmt: skip
    if name:
        ax.text(x[0] + 0.25, x[1] + 0.25, name, fontsize=7, zorder=3)


def _element(ax, junction, at, label, stroke="none", into=False) -> None:
    a, b = (at, junction) if into else (junction, at)
    _half_arrow(ax, a, b, "black", stroke if not into else "end")
    ax.text(*at, label, ha="center", va="center", fontsize=7, bbox=dict(fc="white", ec="none", pad=1), zorder=3)


def _bond(ax, zero, one, colour) -> None:
    middle = (zero + one) / 2
    _half_arrow(ax, zero, middle, colour, "end")
    _half_arrow(ax, middle, one, colour, "end")
    ax.text(*middle, "MTF", ha="center", va="center", fontsize=5, color=colour,
            bbox=dict(fc="white", ec="none", pad=0.6), zorder=3)  # fmt: skip


def _half_arrow(ax, a, b, colour, stroke) -> None:
    a, b = np.asarray(a, float), np.asarray(b, float)
    along = (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]])
    a, b = a + 0.3 * along, b - 0.3 * along
    ax.plot(*zip(a, b, strict=True), color=colour, lw=0.8)
    ax.plot(*zip(b, b - 0.22 * along + 0.13 * across, strict=True), color=colour, lw=0.8)
    if stroke != "none":
        at = b if stroke == "end" else a
        ax.plot(*zip(at - 0.14 * across, at + 0.14 * across, strict=True), color=colour, lw=1.4)
