"""Pictures of a Record: one panel for each group of its series."""

from __future__ import annotations

import numpy as np

from .canvas import finish, new_figure, tidy

MOST = 16  # panels of one figure
FEW = 12  # up to so many points are shown as such: the line between them was not computed


def plot_record(source, path=None, pictures=None):
    """Series of a record, or of anything with `record()`, against its abscissa, one panel for each of its pictures.

    Parameters
    ----------
    pictures : list of str, optional
        Titles out of `record.pictures`; by default the first sixteen, which are the ones that sum up the rest.
    """
    record = source.record()
    titles = list(record.pictures)[:MOST] if pictures is None else list(pictures)
    columns = 1 if len(titles) < 4 else 2
    rows = -(-len(titles) // columns)
    figure = new_figure(7.5 * columns, max(3.6, 2.6 * rows))
    axes = _panels(figure, len(titles), rows, columns)
    for ax, title in zip(axes, titles, strict=True):
        _panel(ax, record, title)
    return finish(figure, path)


def _panels(figure, count: int, rows: int, columns: int) -> list:
    """Axes column by column; where one is left over, the first is as wide as the figure."""
    grid = figure.add_gridspec(rows, columns)
    wide = count % columns
    places = [grid[0, :]] if wide else []
    places += [grid[r, c] for c in range(columns) for r in range(wide, rows)]
    axes = []
    for place in places[:count]:
        axes.append(figure.add_subplot(place, sharex=axes[0] if axes else None))
        axes[-1].tick_params(labelbottom=place.rowspan.stop == rows)
    return axes


def _panel(ax, record, title: str) -> None:
    names, unit = record.pictures[title], record.unit(title)
    shown = record.curves(title)
    for label, values in shown:
        ax.plot(record.x, values, "-" if len(record.x) > FEW else "o-", lw=1.2, ms=4, label=label)
    if record.is_log(title):
        ax.set_yscale("log")
    else:
        power = _power(max(np.abs(v).max(initial=0.0) for _, v in shown))
        ax.yaxis.set_major_formatter(lambda v, _: f"{v / 10.0**power:.10g}".replace("-", "\u2212"))
        unit = f"$10^{{{power}}}$ {unit}" if power else unit
    ax.set_title(title, fontsize="medium", loc="left")
    tidy(ax, y=unit if len(names) > 1 else f"{names[0]} ({unit})")
    if ax.get_subplotspec().rowspan.stop == ax.get_gridspec().nrows:
        ax.set_xlabel(f"{record.x_name} ({record.x_unit})")
    if len(names) > 1:
        ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    _mark(ax, record, names)


def _power(largest: float) -> int:
    """Power of ten, a multiple of three, that is taken out of the numbers of an axis."""
    if not 0.0 < largest < np.inf or 1e-2 <= largest < 1e5:
        return 0
    return 3 * int(np.floor(np.log10(largest) / 3))


def _mark(ax, record, names) -> None:
    """The point that the record itself points out, such as the best braking time."""
    mark = record.info.get("mark")
    if mark and mark[0] in names:
        ax.plot([mark[1]], [mark[2]], "o", color="k", ms=5)
        unit = record.units.get(mark[0], "")
        low, high = ax.get_xlim()
        side = (mark[1] - low) / (high - low)
        side = "left" if side < 0.15 else "right" if side > 0.85 else "center"
        ax.annotate(f"{mark[2]:.3g} {unit} at {mark[1]:.5g} {record.x_unit}", (mark[1], mark[2]),
                    textcoords="offset points", xytext=(0, 14), ha=side, fontsize="small",
                    bbox=dict(fc="white", ec="none", alpha=0.8, pad=1))  # fmt: skip
