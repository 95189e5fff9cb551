"""The pictures that belong to a result: which there are, and where they go."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path


def _find(name: str):
    """A plotting function by name, wherever it lives, or None."""
    for module in ("plotting", "plot", "ami.plots", "linearize.plots"):
        try:
            found = getattr(import_module(f"spacar_py.{module}"), name, None)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("spacar_py"):
                raise
            continue
        if found is not None:
            return found
    return None


def pictures(obj, folder: Path, case=None, progress=None) -> list[Path]:
    """Write all pictures of an object to a folder."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib

    matplotlib.use("Agg", force=False)
    jobs = {"Comparison": _comparison, "Modes": _modes}.get(type(obj).__name__, _result)(obj, case)
    files = []
    for k, (name, draw) in enumerate(jobs):
        path = Path(folder) / f"{name}.png"
        draw(path)
        files.append(path)
        if progress:
            progress((k + 1) / len(jobs))
    return files


def _job(name, function, *args, **options):
    """(file name, function of a path), or nothing where this version has no such picture."""
    draw = _find(function)
    return [] if draw is None else [(name, lambda path: _write(draw, path, args, options))]


def _write(draw, path, args, options) -> None:
    """Draw into a file, whether the function takes a path or returns axes or a figure."""
    import inspect

    if "path" in inspect.signature(draw).parameters:
        draw(*args, path=path, **options)
        return
    import matplotlib.pyplot as plt

    out = draw(*args, **options)
    first = out[0] if isinstance(out, (list, tuple)) else out.flat[0] if hasattr(out, "flat") else out
    figure = first if hasattr(first, "savefig") else first.figure if hasattr(first, "figure") else plt.gcf()
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)


def _comparison(c, case) -> list:
    jobs = _job("deviation", "plot_deviation", c) or [("deviation", lambda path: _deviations(c, path))]
    jobs += _job("modes", "plot_mode_study", c)
    linear = next((r.linear for r in c.results.values() if getattr(r, "linear", None) is not None), None)
    if linear is not None and case is not None:
        from ..ami.loop import Loop

        jobs += _job("frequencies", "plot_frequencies", Loop(linear, case.controller))
    first = next(iter(c.results.values()))
    return jobs + _job("energy", "plot_energy", first) + _job("mechanism", "plot_mechanism", first)


def _result(r, case) -> list:
    jobs = _job("energy", "plot_energy", r) + _job("deformations", "plot_deformations", r)
    return jobs + _job("mechanism", "plot_mechanism", r)


def _modes(m, case) -> list:
    return _job("mode_shapes", "plot_mode_shapes", m)


def _deviations(c, path) -> None:
    """Deviation of the compared node by every method, and what each differs from the first one."""
    import matplotlib.pyplot as plt

    first = next(iter(c.results))
    base = c[first].deviation(c.node)
    n = base.shape[1]
    figure, axes = plt.subplots(n, 2, sharex=True, figsize=(11, 2.2 * n), layout="constrained", squeeze=False)
    for name, r in c.results.items():
        d = r.deviation(c.node)
        for k in range(n):
            axes[k, 0].plot(r.t, 1e3 * d[:, k], lw=1, label=name)
            axes[k, 1].plot(r.t, 1e3 * (d - base)[:, k], lw=1)
    for k, label in enumerate("xyz"[:n]):
        axes[k, 0].set_ylabel(f"{c.node}.{label} [mm]")
        for ax in axes[k]:
            ax.grid(alpha=0.3)
    axes[0, 0].set_title("deviation from the nominal motion", fontsize="medium")
    axes[0, 1].set_title(f"difference from {first}", fontsize="medium")
    for ax in axes[-1]:
        ax.set_xlabel("t [s]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, fontsize="small")
    figure.savefig(path, dpi=150)
    plt.close(figure)
