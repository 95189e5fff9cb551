"""Animations: GIF everywhere, MP4 where ffmpeg is installed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..drawing import place, shape_of
from ..errors import InputError
from .canvas import new_figure
from .mechanism import axes_for, draw


def animate(result, path: str | os.PathLike, *, trace: str | None = None, frames: int = 60, fps: int = 20,
            dpi: int = 90, progress=None) -> Path:  # fmt: skip
    """Write the motion of a result as a GIF or MP4, told by the ending of the path.

    Parameters
    ----------
    trace : str, optional
        Point whose way is drawn.
    frames, fps : int
        Number of pictures, evenly over the time, and how many a second.
    progress : function of a fraction, optional
    """
    from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter

    path = Path(path)
    if path.suffix not in (".gif", ".mp4"):
        raise InputError(f"animate: the path must end in .gif or .mp4, got '{path.name}'")
    if path.suffix == ".mp4" and not FFMpegWriter.isAvailable():
        raise InputError("animate: an MP4 needs the program ffmpeg; install it, or choose a path that ends in .gif")
    index = _even(result.t, frames)
    system = result.system
    shape = shape_of(system, result.x[index])
    way = None if trace is None else place(system, result.x, trace)
    figure = new_figure(5.6, 4.4)
    ax = axes_for(figure, (1, 1, 1), shape.planar, shape.extent())
    d = 2 if shape.planar else 3
    made: list = []

    def show(k):
        while made:
            made.pop().remove()
        made.extend(draw(ax, shape, k, labels=False))
        if way is not None:
            made.extend(ax.plot(*way[: index[k] + 1, :d].T, color="#1a7f37", lw=1.0, ls=":"))
        ax.set_title(f"{system.model.name}, t = {result.t[index[k]]:.3f} s", fontsize="medium")
        return made

    movie = FuncAnimation(figure, show, frames=len(index), blit=False)
    writer = PillowWriter(fps) if path.suffix == ".gif" else FFMpegWriter(fps)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    told = None if progress is None else lambda k, total: progress((k + 1) / len(index))
    try:
        movie.save(temporary, writer=writer, dpi=dpi, progress_callback=told)
        os.replace(temporary, path)
    except IndexError as error:  # matplotlib, closing a GIF that was stopped before its first picture
        raise error.__context__ or error from None
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _even(t, frames) -> np.ndarray:
    """Indices of states nearest to even times."""
    wanted = np.linspace(t[0], t[-1], min(frames, len(t)))
    return np.unique(np.abs(t[:, None] - wanted[None, :]).argmin(axis=0))
