"""The pictures that belong to a result: which there are, and where they go."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..errors import InputError, nearest


def pictures(obj, folder: Path, case=None, progress=None, *, only=None, history=None, joint=None) -> list[Path]:
    """Write the pictures of an object to a folder: all that it has, or those named in `only` and `history`."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib

    matplotlib.use("Agg", force=False)
    kinds = {"Comparison": _comparison, "Modes": _modes, "LinearModel": _linear, "StateSpaceModel": _state_space,
             "StudyResult": _study, "Record": _record}  # fmt: skip
    jobs = kinds.get(type(obj).__name__, _result)(obj, case, joint)
    if history:
        more = {"history": lambda path: _history(obj, history, path)}
        jobs = {**{k: v for k, v in jobs.items() if k in (only or ())}, **more}
    elif only:
        for name in only:
            if name not in jobs:
                raise InputError(f"plot: there is no picture '{name}'{nearest(name, jobs)}; known: {', '.join(jobs)}")
        jobs = {k: jobs[k] for k in only}
    files = []
    for k, (name, draw) in enumerate(jobs.items()):
        path = Path(folder) / f"{name}.png"
        draw(path)
        files.append(path)
        if progress:
            progress((k + 1) / len(jobs))
    return files


def linear_of(obj):
    """The linearised equations along the path that an object carries, or None."""
    results = getattr(obj, "results", None)
    every = results.values() if isinstance(results, dict) else [obj]
    return next((r.linear for r in every if getattr(r, "linear", None) is not None), None)


def _comparison(c, case, joint) -> dict:
    from ..ami.plots import plot_deviation, plot_mode_study
    from ..plotting import plot_energy, plot_mechanism

    first = next(iter(c.results.values()))
    jobs = {"deviation": lambda path: plot_deviation(c, path=path)}
    if any(n.startswith("AMI") and n != "AMI auto" for n in c.results) and "perturbation" in c.results:
        jobs["modes"] = lambda path: plot_mode_study(c, path=path)
    return {**jobs, **_along_path(linear_of(c), case, joint), "energy": lambda path: plot_energy(first, path=path),
            "mechanism": lambda path: plot_mechanism(first, _spread(first), c.node, path=path)}  # fmt: skip


def _along_path(linear, case, joint) -> dict:
    """Frequencies along the path, Bode diagram of the loop, mode shapes with the joints held."""
    if linear is None:
        return {}
    from ..ami.loop import Loop
    from ..ami.plots import plot_frequencies, plot_loop
    from ..ami.shapes import held_modes
    from ..plotting import plot_mode_shapes

    jobs = {}
    controller = getattr(case, "controller", None)
    if len(linear.flex):
        jobs["frequencies"] = lambda path: plot_frequencies(Loop(linear, controller), path=path)
        jobs["mode_shapes"] = lambda path: plot_mode_shapes(held_modes(linear), path=path)
    if controller is not None and len(linear.em):
        if joint is not None and joint not in linear.joints:
            known = ", ".join(linear.joints)
            raise InputError(f"plot: there is no joint '{joint}'{nearest(joint, linear.joints)}; known: {known}")
        times = (0.0, linear.T / 2, linear.T)
        jobs["bode"] = lambda path: plot_loop(Loop(linear, controller), joint or linear.joints[0], times, path=path)
    return jobs


def _record(r, case, joint) -> dict:
    from ..plotting import plot_record

    return {"series": lambda path: plot_record(r, path=path)}


def _spread(result, states: int = 4):
    """A few states, evenly over the time."""
    return tuple(np.unique(np.linspace(0, len(result.t) - 1, states).astype(int)).tolist())


def watched(result, case) -> str | None:
    """The point whose way is drawn: that of the settings, the led one, or the last one."""
    node = getattr(getattr(case, "run", None), "node", None) or getattr(getattr(case, "path", None), "node", None)
    return node or next(reversed(result.system.model.points), None)


def _result(r, case, joint) -> dict:
    from ..plotting import plot_deformations, plot_energy, plot_mechanism

    node = watched(r, case)
    jobs = {"energy": lambda path: plot_energy(r, path=path)}
    if node is not None:
        jobs["way"] = lambda path: _history(r, [f"{node}.x", f"{node}.v"], path)
    if any(r.system.flexible):
        jobs["deformations"] = lambda path: plot_deformations(r, path=path)
    jobs["mechanism"] = lambda path: plot_mechanism(r, _spread(r), node, path=path)
    return {**jobs, **_along_path(linear_of(r), case, joint)}


def _history(obj, quantities, path) -> None:
    from ..plotting import plot_history

    results = getattr(obj, "results", obj)
    if not isinstance(results, dict) and not hasattr(results, "energies"):
        raise InputError(f"plot: a history needs a result in time, got a {type(obj).__name__}; leave --history out")
    from ..ami.plots import drawn

    plot_history(drawn(results) if isinstance(results, dict) else results, quantities, path)


def _modes(m, case, joint) -> dict:
    from ..plotting import plot_mode_shapes

    one = m if m.s.ndim == 1 else m.at(0)
    return {"mode_shapes": lambda path: plot_mode_shapes(one, path=path)}


def _linear(linear, case, joint) -> dict:
    """Of one point its modes and the Bode diagram of its inputs; of a path its frequencies."""
    from ..linearize import modes, state_space

    if not linear.single:
        return {"frequencies": lambda path: _frequencies(linear, path)}
    jobs = _modes(modes(linear), case, joint)
    if linear.input_names:
        jobs["bode"] = lambda path: _bode(state_space(linear), path)
    return jobs


def _frequencies(linear, path, most: int = 6) -> None:
    from ..linearize import modes
    from ..plotting.canvas import finish, new_figure, tidy

    omega = np.array([modes(linear[k], n=most).omega for k in range(len(linear))])
    figure = new_figure(6.5, 3.9)
    ax = figure.subplots()
    for k in range(omega.shape[1]):
        ax.plot(linear.t, omega[:, k], lw=1.3, label=f"mode {k + 1}")
    tidy(ax, "time (s)", "frequency (rad/s)")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    finish(figure, path)


def _state_space(system, case, joint) -> dict:
    return {"bode": lambda path: _bode(system if np.ndim(system.A) == 2 else system[0], path)}


def _bode(system, path) -> None:
    from ..linearize.plots import plot_bode
    from ..plotting.canvas import finish, new_figure

    figure = new_figure(8.0, 5.2)
    top, bottom = plot_bode(system, axes=figure.subplots(2, 1, sharex=True))
    top.get_legend().remove()
    figure.legend(*top.get_legend_handles_labels(), loc="outside right upper", fontsize="x-small", frameon=False)
    finish(figure, path)


def _study(found, case, joint) -> dict:
    from ..plotting import plot_study

    return {name: lambda path, name=name: plot_study(found, name, path=path) for name in found.outputs}
