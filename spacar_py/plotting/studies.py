"""Pictures of studies: an output over each parameter, one colour for each method."""

from __future__ import annotations

import os

import numpy as np

from .canvas import finish, new_figure, tidy


def plot_study(result, output: str | None = None, path: str | os.PathLike | None = None):
    """One output over every parameter that is a number; failed runs are marks on the axis.

    Parameters
    ----------
    result : StudyResult
    output : str, optional
        By default the first one.
    """
    from ..batch.outputs import unit_of

    output = output or result.outputs[0]
    columns = {}
    for name in result.parameters:
        v = [p.get(name) for p in result.points]
        if all(x is None or isinstance(x, (int, float)) for x in v):
            columns[name] = np.array([np.nan if x is None else x for x in v], float)
    figure = new_figure(1.6 + 3.2 * max(len(columns), 1), 3.6)
    axes = np.atleast_1d(figure.subplots(1, max(len(columns), 1), sharey=True))
    failed = np.array([any(r["status"] != "ok" for r in result.rows.get(i, ())) for i in range(len(result.points))])
    defined = result.definition["outputs"]
    unit = unit_of(defined.get(output, defined.get(output.rsplit(".", 1)[0], "")) or "")
    for ax, (name, v) in zip(axes, columns.items(), strict=False):
        for k, method in enumerate(result.methods):
            ax.plot(v, result.values(output, method), "o", ms=4, alpha=0.75, color=f"C{k}", label=method)
        if failed.any():
            bottom = ax.get_xaxis_transform()
            ax.plot(v[failed], np.zeros(failed.sum()), "x", ms=8, mew=2, color="#cf222e", transform=bottom,
                    clip_on=False, label="failed")  # fmt: skip
        tidy(ax, name)
    low, high = axes[0].get_ylim()
    if high - low < 1e-6 * max(abs(low), abs(high)):  # all the same but for rounding
        axes[0].set_ylim(low - 0.1 * abs(low), high + 0.1 * abs(high))
    axes[0].set_ylabel(output + (f" ({unit})" if unit else ""))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize="small", frameon=False)
    return finish(figure, path)
