"""Histories of named quantities, of energy and of deformations."""

from __future__ import annotations

import os

import numpy as np

from ..batch.outputs import quantity, unit_of
from .canvas import abscissa, finish, new_figure, tidy

WORDS = dict(x="position", v="velocity", a="acceleration", deviation="deviation", omega="angular velocity")


def plot_history(results, quantities, path: str | os.PathLike | None = None):
    """Quantities over time, one axis each, one line for each result and component.

    Parameters
    ----------
    results : Result or mapping of names to Results
    quantities : str or list of str
        Such as "tip.x", "tip.deviation.z", "upper.sigma.torsion", "q.elbow.angle".
    path : optional
        Where the picture is written; the ending tells the format.

    Returns
    -------
    matplotlib Figure
    """
    results = results if isinstance(results, dict) else {"": results}
    quantities = [quantities] if isinstance(quantities, str) else list(quantities)
    height = max(2.0, 0.2 * max((_lines(results, what) for what in quantities), default=1))  # of the legend
    figure = new_figure(7.0, 1.0 + height * len(quantities))
    axes = np.atleast_1d(figure.subplots(len(quantities), 1, sharex=True))
    styles = ("-", "--", ":", "-.")
    for ax, what in zip(axes, quantities, strict=True):
        for k, (name, r) in enumerate(results.items()):
            v = quantity(r, what)
            columns = [v] if v.ndim == 1 else list(v.T)
            for c, column in enumerate(columns):
                part = f"{'xyz'[c]}" if len(columns) > 1 else ""
                label = ", ".join(t for t in (name, part) if t)
                color = f"C{c if len(columns) > 1 else k}"
                ax.plot(r.t, column, styles[k % 4], color=color, lw=1.3, label=label or None)
        unit = unit_of(what)
        tidy(ax, y=_title(what, len(columns)) + (f" ({unit})" if unit else ""))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes[-1].set_xlabel(abscissa(next(iter(results.values()))))
    return finish(figure, path)


def _title(what: str, components: int) -> str:
    name, _, kind = what.rpartition(".")
    return f"{WORDS[kind]} of {name}" if components > 1 and kind in WORDS else what


def _lines(results: dict, what: str) -> int:
    return sum(1 if (v := quantity(r, what)).ndim == 1 else v.shape[1] for r in results.values())


def plot_energy(result, path: str | os.PathLike | None = None):
    """Kinetic, elastic, gravitational and total energy."""
    figure = new_figure(7.0, 3.6)
    ax = figure.subplots()
    e = result.energy
    for name in e:
        lw, color = (2.0, "k") if name == "total" else (1.2, None)
        ax.plot(result.t, e[name], lw=lw, color=color, label=name)
    tidy(ax, abscissa(result), "energy (J)")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return finish(figure, path)


def plot_deformations(result, path: str | os.PathLike | None = None, most: int = 12):
    """Flexible degrees of freedom over time, the largest ones by name."""
    s = result.system
    index = [i for i in range(s.nq) if s.flexible[i]]
    index = sorted(index, key=lambda i: -float(np.ptp(result.q[:, i])))[:most]
    figure = new_figure(8.0, 3.8)
    ax = figure.subplots()
    for k, i in enumerate(sorted(index)):
        ax.plot(result.t, result.q[:, i], lw=1.2, color=f"C{k % 10}", ls="-" if k < 10 else "--", label=s.dof[i])
    tidy(ax, abscissa(result), "deformation (m; rad for angles)")
    if index:
        ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return finish(figure, path)
