"""The mechanism in space or in its plane, with true deformed beams; and its modes."""

from __future__ import annotations

import os

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..drawing import displaced, mode_scale, shape_of
from .canvas import finish, new_figure

STYLE = {
    "beam": dict(color="#1f6feb", lw=2.2, label="beam"),
    "rigid": dict(color="#57606a", lw=3.2, label="rigid link"),
    "bar": dict(color="#bf8700", lw=1.6, label="bar"),
    "guide": dict(color="#8250df", lw=1.2, ls="--", label="guide"),
}


def axes_for(figure, place, planar: bool, extent, margin: float = 0.08):
    """Axes with equal scales that hold the extent."""
    low, high = extent
    if planar:
        ax = figure.add_subplot(*place)
        pad = margin * max(float(np.max(high - low)), 1e-12)
        ax.set_xlim(low[0] - pad, high[0] + pad)
        ax.set_ylim(low[1] - pad, high[1] + pad)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")
        ax.grid(True, alpha=0.3)
        return ax
    ax = figure.add_subplot(*place, projection="3d")
    size = np.maximum(high - low, 0.3 * max(float(np.max(high - low)), 1e-12))
    mid = (low + high) / 2
    for axis, m, s in zip("xyz", mid, size * (1 + 2 * margin), strict=True):
        few = 2 if s < 0.5 * size.max() else 4
        getattr(ax, f"set_{axis}lim")(m - s / 2, m + s / 2)
        getattr(ax, f"set_{axis}label")(f"{axis} (m)", labelpad=6)
        getattr(ax, f"{axis}axis").set_major_locator(MaxNLocator(few))
    ax.set_box_aspect(size, zoom=0.8)  # leaves room for the labels, which the layout does not see
    ax.tick_params(labelsize="x-small")
    return ax


def draw(ax, shape, n: int = 0, faint: bool = False, labels: bool = True) -> list:
    """Draw state n of a shape; returns the artists."""
    d = 2 if shape.planar else 3
    made = []
    for kind, curves in shape.lines.items():
        style = dict(STYLE[kind])
        if faint:
            style.update(color="0.75", lw=1.2)
        label = style.pop("label")
        for k, curve in enumerate(curves[n]):
            made += ax.plot(*curve[:, :d].T, **style, label=label if labels and k == 0 and not faint else None)
    if faint:
        return made
    for places, marker, color, size, label in (
        (shape.supports[n], "s", "#24292f", 8, "support"),
        (shape.joints[n], "o", "white", 7, "joint"),
        (shape.masses[n], "o", "#cf222e", 5, "mass"),
    ):
        if len(places):
            made += ax.plot(*places[:, :d].T, ls="", marker=marker, ms=size, mfc=color, mec="#24292f",
                            label=label if labels else None)  # fmt: skip
    return made


def plot_mechanism(result, at=(0, -1), trace: str | None = None, path: str | os.PathLike | None = None):
    """The mechanism at some of the result's states; `trace` names a point whose way is drawn.

    Parameters
    ----------
    result : Result or Model
    at : indices of states
        The last one in colour, those before it faint.
    """
    if not hasattr(result, "t"):
        system = result.compile()
        shape, states = shape_of(system, system.x0), [0]
    else:
        system = result.system
        states = [int(k) % len(result.t) for k in np.atleast_1d(at)]
        shape, states = shape_of(system, result.x[states]), list(range(len(states)))
    figure = new_figure(6.4, 4.8)
    extent = shape.extent()
    way = None
    if trace is not None and hasattr(result, "t"):
        from ..drawing import place

        way = place(system, result.x, trace)
        extent = np.array([np.minimum(extent[0], way.min(axis=0)), np.maximum(extent[1], way.max(axis=0))])
    ax = axes_for(figure, (1, 1, 1), shape.planar, extent)
    for k in states[:-1]:
        draw(ax, shape, k, faint=True)
    if way is not None:
        ax.plot(*way[:, : 2 if shape.planar else 3].T, color="#1a7f37", lw=1.0, ls=":", label=f"way of {trace}")
    draw(ax, shape, states[-1])
    ax.set_title(system.model.name, fontsize="medium")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right upper", fontsize="small", frameon=False)
    return finish(figure, path)


def plot_mode_shapes(modes, which=(0, 1, 2, 3), path: str | os.PathLike | None = None):
    """Mode shapes on the mechanism, each at its largest displacement, the state at rest in grey.

    Parameters
    ----------
    modes : Modes
        Of one point, from `spacar_py.linearize.modes`.
    which : indices of modes
    """
    linear, system = modes.linear, modes.linear.system
    which = [j for j in which if j < len(modes)]
    columns = min(2, len(which))
    rows = -(-len(which) // columns)
    figure = new_figure(4.6 * columns, 3.7 * rows)
    x0 = np.asarray(linear.x, float).reshape(-1)
    rest = shape_of(system, x0)
    for k, j in enumerate(which):
        dx = modes.dx[:, j]
        bent = shape_of(system, displaced(system, x0, dx, [0.0], mode_scale(system, x0, dx)))
        both = np.array([rest.extent(), bent.extent()])
        ax = axes_for(figure, (rows, columns, k + 1), rest.planar, np.array([both[:, 0].min(0), both[:, 1].max(0)]))
        draw(ax, rest, faint=True)
        draw(ax, bent, labels=False)
        name = modes.names[j]
        ax.set_title(f"mode {j + 1}: {modes.frequency[j]:.4g} Hz\n{name}", fontsize="small")
    return finish(figure, path)
