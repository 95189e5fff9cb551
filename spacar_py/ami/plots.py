"""Pictures of motions along a path: nominal motion, frequencies, the loop, deviations, the study of modes."""

from __future__ import annotations

import os

import numpy as np

from ..errors import InputError
from ..plotting.canvas import finish, new_figure, tidy
from .frequency import open_loop
from .loop import Loop
from .modal import modal_basis
from .nominal import Nominal
from .runs import nominal_result
from .shapes import crossings, held_basis

STYLES = ("-", "--", ":", "-.")


def plot_nominal(nominal: Nominal, node: str | None = None, path: str | os.PathLike | None = None):
    """Trajectory and speed of a node (the led one by default), and the nominal drives: the paper's figure 2."""
    node = node or nominal.path.node
    if node is None:
        raise InputError("plot: name the node whose motion is to be drawn, node=...")
    inside = np.linspace(0.0, nominal.T, 401)
    tip = nominal_result(nominal, inside)[node]
    figure = new_figure(11.0, 3.4)
    where, speed, drives = figure.subplots(1, 3)
    where.plot(tip.x[:, 0], tip.x[:, 1])
    for k, name in ((0, "start"), (-1, "end")):
        where.plot(*tip.x[k, :2], "o", color="C0")
        where.annotate(name, tip.x[k, :2], textcoords="offset points", xytext=(6, 6))
    where.margins(0.15)
    where.set_aspect("equal", "datalim")
    tidy(where, f"{node}.x (m)", f"{node}.y (m)")
    speed.plot(inside, np.linalg.norm(tip.v, axis=1))
    tidy(speed, "time (s)", f"speed of {node} (m/s)")
    _torques(drives, nominal)
    return finish(figure, path)


def plot_torques(nominal: Nominal, path: str | os.PathLike | None = None):
    """Nominal drives u0 over time."""
    figure = new_figure(6.0, 3.6)
    _torques(figure.subplots(), nominal)
    return finish(figure, path)


def _torques(ax, nominal):
    for k, name in enumerate(nominal.joints):
        ax.plot(nominal.t, nominal.u0[:, k], STYLES[k % 4], label=name)
    tidy(ax, "time (s)", "nominal drive (N m)")
    ax.legend(fontsize="small", frameon=False)


def plot_frequencies(loop: Loop, constrained: int = 4, closed: int = 4, path: str | os.PathLike | None = None):
    """Lowest frequencies with the joints held and with the loop closed (symmetric K0bar): the paper's figure 3.

    Modes are followed along the path by their shapes; where two of them cross there is a mark.
    """
    n = loop.nominal
    figure = new_figure(9.0, 3.9)
    for ax, basis, most, what in zip(
        figure.subplots(1, 2),
        (held_basis(n), modal_basis(loop)),
        (constrained, closed),
        ("joints held", "closed loop"),
        strict=True,
    ):
        omega = basis.followed()[:, :most]
        for k in range(omega.shape[1]):
            ax.plot(n.t, omega[:, k], STYLES[k % 4], label=f"mode {k + 1}")
        found = crossings(n.t, omega)
        if found:
            ax.plot(*np.transpose(found), "o", ms=8, mfc="none", mec="black", ls="", label="crossing")
        tidy(ax, "time (s)", "frequency (rad/s)")
        ax.set_title(what, fontsize="medium")
        if omega.min() > 0 and omega.max() > 4 * omega.min():
            _log_frequencies(ax, omega)
        ax.legend(fontsize="small", frameon=False, ncols=2, loc="best")
    return finish(figure, path)


def _log_frequencies(ax, omega) -> None:
    """A scale on which slow and fast modes are both seen, with plain numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    ax.set_yscale("log")
    ax.set_ylim(0.8 * omega.min(), 2.2 * omega.max())  # room for the legend
    ax.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(ScalarFormatter())
    ax.yaxis.set_minor_formatter(NullFormatter())


def plot_loop(loops, joint, times, omega=None, path: str | os.PathLike | None = None):
    """Bode plot of one joint's open loop at frozen points of the path: the paper's figure 4.

    Parameters
    ----------
    loops : Loop or mapping of names to Loops
    joint : str or int
    times : points of the path (s), one column each
    omega : array, optional
        Frequencies (rad/s).
    """
    loops = loops if isinstance(loops, dict) else {loops.controller.name: loops}
    omega = np.geomspace(1.0, 1000.0, 1500) if omega is None else np.asarray(omega, float)
    figure = new_figure(1.5 + 4.0 * len(times), 5.2)
    axes = figure.subplots(2, len(times), sharex=True, sharey="row", squeeze=False)
    for column, t in zip(axes.T, times, strict=True):
        for (name, loop), style in zip(loops.items(), STYLES, strict=False):
            L = open_loop(loop, t, omega, joint)
            column[0].loglog(omega, np.abs(L), style, label=name)
            column[1].semilogx(omega, np.degrees(_wrapped(L)), style)
        column[0].axhline(1.0, color="grey", lw=0.8)
        column[1].axhline(-180.0, color="grey", lw=0.8)
        column[0].set_title(f"{_name(loops, joint)}, t = {t:g} s", fontsize="medium")
        column[0].legend(fontsize="small", frameon=False)
        tidy(column[0])
        tidy(column[1], "frequency (rad/s)")
    axes[0, 0].set_ylabel("gain of the open loop")
    axes[1, 0].set_ylabel("phase (degrees)")
    axes[1, 0].yaxis.set_major_locator(_every(90))
    return finish(figure, path)


def _name(loops, joint) -> str:
    return joint if isinstance(joint, str) else next(iter(loops.values())).nominal.joints[joint]


def _wrapped(L) -> np.ndarray:
    """Continuous phase, begun between -2 pi and 0."""
    phase = np.unwrap(np.angle(L))
    return phase - 2 * np.pi * np.ceil(phase[0] / (2 * np.pi))


def _every(step):
    from matplotlib.ticker import MultipleLocator

    return MultipleLocator(step)


def drawn(results: dict) -> dict:
    """Results that one picture can hold: all of a few, otherwise the usual ones, as many as there are line styles."""
    if len(results) <= len(STYLES):
        return results
    usual = [n for n in ("nonlinear", "perturbation", "AMI 3", "AMI 4") if n in results]
    return {n: results[n] for n in [*usual, *(n for n in results if n not in usual)][: len(STYLES)]}


def plot_deviation(comparison, joints: bool = True, path: str | os.PathLike | None = None):
    """Deviation from the nominal motion by the methods: joints and the compared node, the paper's figure 5.

    Below, what each method differs from the first one. Of many mode counts three and four are drawn.
    """
    results, node = drawn(comparison.results), comparison.node
    first = next(iter(results))
    base = results[first]
    em = [k for k in range(base.dq.shape[1]) if not base.system.flexible[k]] if joints else []
    columns = [("node", node)] + ([("joints", "joints")] if em else [])
    figure = new_figure(1.5 + 4.6 * len(columns), 6.4)
    axes = figure.subplots(2, len(columns), sharex=True, squeeze=False, height_ratios=(3, 2))
    for column, (kind, _) in zip(axes.T, columns, strict=True):
        labels = [base.system.dof[k] for k in em] if kind == "joints" else [f"{node}.{c}" for c in "xyz"]
        for (name, r), style in zip(results.items(), STYLES, strict=False):
            d = 1e3 * (r.dq[:, em] if kind == "joints" else r.deviation(node))
            d0 = 1e3 * (base.dq[:, em] if kind == "joints" else base.deviation(node))
            for k in range(d.shape[1]):
                label = labels[k] if name == first else None
                column[0].plot(r.t, d[:, k], linestyle=style, color=f"C{k}", lw=1.3, label=label)
                if name != first:
                    column[1].plot(r.t, (d - d0)[:, k], linestyle=style, color=f"C{k}", lw=1.0)
        unit = "mrad" if kind == "joints" else "mm"
        column[0].legend(fontsize="small", frameon=False)
        tidy(column[0], None, f"deviation ({unit})")
        tidy(column[1], "time (s)", f"from {first} ({unit})")
    _method_legend(figure, list(results))
    return finish(figure, path)


def _method_legend(figure, names) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color="black", linestyle=s, label=n) for n, s in zip(names, STYLES, strict=False)]
    figure.legend(handles=lines, loc="outside upper center", ncols=len(lines), fontsize="small", frameon=False)


def plot_mode_study(comparison, path: str | os.PathLike | None = None):
    """Largest error of each coordinate and CPU time over the number of modes: the paper's figure 6 and its table."""
    results, node = comparison.results, comparison.node
    full = results["perturbation"].deviation(node, True)
    kept = [r for n, r in results.items() if n.startswith("AMI") and n != "AMI auto"]
    modes = [r.info["modes"] for r in kept]
    error = np.array([np.abs(r.deviation(node, True) - full).max(axis=0) for r in kept])
    figure = new_figure(9.0, 3.8)
    left, right = figure.subplots(1, 2)
    for k in range(error.shape[1]):
        left.semilogy(modes, 1e3 * np.maximum(error[:, k], 1e-12), "o-", ms=4, label=f"{node}.{'xyz'[k]}")
    if "nonlinear" in results:
        gap = 1e3 * np.abs(results["perturbation"].deviation(node) - results["nonlinear"].deviation(node)).max()
        left.axhline(gap, color="grey", ls="--", lw=1, label="linearisation")
    tidy(left, "kept modes", "largest error (mm)")
    left.legend(fontsize="small", frameon=False)
    right.semilogy(modes, [1e3 * r.info["cpu"] for r in kept], "o-", ms=4, label="AMI")
    for name, style in (("perturbation", "--"), ("nonlinear", ":")):
        if name in results:
            right.axhline(1e3 * results[name].info["cpu"], color="grey", ls=style, lw=1, label=name)
    tidy(right, "kept modes", "CPU time of the integration (ms)")
    right.legend(fontsize="small", frameon=False)
    for ax in (left, right):
        ax.xaxis.set_major_locator(_every(1))
    return finish(figure, path)
