"""A drawing of a vector bond graph."""

from __future__ import annotations

import numpy as np

from .assemble import bond_graph
from .graph import BondGraph

COLOUR = {"constraint": "tab:red", "drive": "tab:blue", "damper": "tab:green"}
WORDS = {
    "constraint": "unknown source: force or moment of a constraint",
    "drive": "source: drive",
    "damper": "resistance: damper",
}
STEP, HIGH = 8.0, 3.4  # between bodies; of the rows of 1-junctions above and below the middle
HALF, TALL = 1.6, 0.36  # half width and height of the box of a 0-junction


def draw_bond_graph(graph: BondGraph, ax=None):
    """Junctions, elements and bonds of a graph (or of a model's), bodies from left to right; returns the axes.

    Half arrows show positive power, strokes the end that receives the effort. Every inertia sets the flow of its
    1-junction; the sources on the 0-junctions set the efforts: those in red are the unknown constraint forces. Each
    coloured box is a 0-junction with its source; the transformers (MTF) stand in the middle of their bonds.
    """
    from matplotlib.lines import Line2D

    if not isinstance(graph, BondGraph):
        graph = bond_graph(graph)
    n = len(graph.bodies)
    if ax is None:
        from ..plotting.canvas import new_figure

        ax = new_figure(3.9 * n + 1.0, 7.6).add_subplot()
    one = {k: np.array([STEP * (o.body + 0.5), HIGH if o.kind == "v" else -HIGH]) for k, o in enumerate(graph.ones)}
    for k, o in enumerate(graph.ones):
        _body(ax, one[k], o)
    for k, joint in enumerate(graph.joints):
        own = [m for m, z in enumerate(graph.zeros) if z.joint == k]
        for i, m in enumerate(own):
            x = np.array([STEP * joint.q, 2.1 - 4.2 * i / max(len(own) - 1, 1)])
            _joint(ax, graph.zeros[m], x, [one[b.one] for b in graph.bonds if b.zero == m], graph.mobility)
            if joint.p < 0:
                ax.plot([-2.6, x[0] - HALF], [x[1], x[1]], ":", color="grey", lw=0.8)
    for y in np.arange(-2.4, 2.41, 0.3):
        ax.plot([-2.6, -2.9], [y, y - 0.25], color="grey", lw=0.8)
    ax.plot([-2.6, -2.6], [-2.65, 2.4], color="grey", lw=1.5)
    ax.text(-3.2, 0, "ground", ha="center", va="center", rotation=90, color="grey")
    roles = [r for r in COLOUR if graph.columns(r)]
    ax.legend([Line2D([], [], color=COLOUR[r]) for r in roles], [WORDS[r] for r in roles], loc="lower center",
              ncols=3, fontsize=8, frameon=False, bbox_to_anchor=(0.5, -0.04))  # fmt: skip
    ax.set_axis_off()
    ax.set_xlim(-3.5, STEP * n - 1.5)
    ax.set_ylim(-HIGH - 2.4, HIGH + 2.4)
    ax.set_title(str(graph), fontsize=9)
    return ax


def bond_graph_svg(graph: BondGraph) -> str:
    """The drawing as SVG text, for a report."""
    import io

    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bond graph"}):
        draw_bond_graph(graph).figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _body(ax, x, o) -> None:
    """A 1-junction with its inertia and, for v, the weight; for w, the Euler junction structure."""
    up = 1 if o.kind == "v" else -1
    own = np.diag(o.inertia)
    label = f"I: m = {own[0]:g} kg" if o.kind == "v" else "I: J = " + ", ".join(f"{v:g}" for v in own) + " kg m²"
    _text(ax, x, "1", size=13)
    _half_arrow(ax, x, x + (0, 1.5 * up), "black", "end")
    _text(ax, x + (0, 1.5 * up), label)
    _text(ax, x + (0, 1.95 * up), f"{o.name[0]} of {o.name[2:]}", size=8.5)
    end = x + (1.9, 1.0 * up)
    if o.kind == "v":
        _half_arrow(ax, end, x, "black", "end")
    else:
        _half_arrow(ax, x, end, "black", "start")
    _text(ax, end, "Se: m g" if o.kind == "v" else "EJS (MGY)")


def _joint(ax, zero, x, ends, mobility: float) -> None:
    """A 0-junction with its source, and its bonds through transformers to the 1-junctions."""
    colour = COLOUR[zero.role]
    _text(ax, x - (HALF - 0.22, 0), "0", colour, 12)
    what = {"constraint": "Se, R" if mobility else "Se", "drive": "Se", "damper": "R"}[zero.role]
    _text(ax, x - (HALF - 0.5, 0), f"{what}: {zero.name.removesuffix(' damper')}", colour, ha="left")
    corners = x + np.array([(-HALF, -TALL), (HALF, -TALL), (HALF, TALL), (-HALF, TALL), (-HALF, -TALL)])
    ax.plot(*corners.T, color=colour, lw=0.9, zorder=2)
    for end in ends:
        side = x + (np.sign(end[0] - x[0]) * HALF, 0.0)
        middle = side + 0.42 * (end - side)
        _half_arrow(ax, side, middle, colour, "end", 0.05)
        _half_arrow(ax, middle, end, colour, "end")
        _text(ax, middle, "MTF", colour, 5.5)


def _text(ax, x, words, colour="black", size=7.5, ha="center") -> None:
    ax.text(*x, words, ha=ha, va="center", fontsize=size, color=colour, zorder=3,
            bbox=dict(boxstyle="square", fc="white", ec="none", pad=0.12))  # fmt: skip


def _half_arrow(ax, a, b, colour, stroke, gap: float = 0.34) -> None:
    """A bond from a to b with its half arrow; a stroke across the end that receives the effort."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    along = (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]])
    a, b = a + gap * along, b - 0.34 * along
    ax.plot(*zip(a, b, strict=True), color=colour, lw=0.8)
    ax.plot(*zip(b, b - 0.26 * along + 0.14 * across, strict=True), color=colour, lw=0.8)
    if stroke != "none":
        at = b if stroke == "end" else a
        ax.plot(*zip(at - 0.15 * across, at + 0.15 * across, strict=True), color=colour, lw=1.4)
