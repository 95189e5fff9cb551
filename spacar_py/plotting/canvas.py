"""Figures that need no screen, and are written in one piece."""

from __future__ import annotations

import os

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """A figure (inches) outside pyplot, so that nothing has to be closed."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def finish(figure: Figure, path: str | os.PathLike | None, dpi: int = 130) -> Figure:
    """Write the figure where a path is given, and return it."""
    if path is not None:
        figure.savefig(path, dpi=dpi)
    return figure


def tidy(ax, x: str | None = None, y: str | None = None) -> None:
    """Labels with units, a light grid, no frame above and on the right."""
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    ax.grid(True, alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)


def abscissa(result) -> str:
    """Label of result.t."""
    static = str(result.info.get("method", "")) in ("statics", "arc length")
    return "load factor" if static else "time (s)"
