"""One self-contained HTML page of a result: the mechanism in 3-D to be turned and played, curves, tables, versions."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path

import numpy as np

from .drawing import Shape, displaced, mode_scale, place, shape_of
from .errors import InputError, missing_extra
from .report_curves import curves, packed
from .report_template import PAGE, SCRIPT, STYLE

LEFT_OUT = ("events",)


def write_report(source, path: str | os.PathLike, *, title: str | None = None, node: str | None = None, modes=None,
                 frames: int = 150, case=None) -> Path:  # fmt: skip
    """Write a report that any browser shows without a network.

    Parameters
    ----------
    source : Result, Comparison, mapping of names to Results, Record (or what has one), or the path of an archive
    node : str, optional
        Point whose way and history are shown; by default the led one, or the last point of the model.
    modes : Modes, optional
        Mode shapes about one state, from `spacar_py.linearize.modes`.
    frames : int
        Pictures of the motion, evenly over the time.
    case : Case, optional
        Its path, controller and settings are told; those in the archive where the source is one.

    Returns
    -------
    Path

    Notes
    -----
    The page holds plotly.js (about 5 MB), from the extra `report`: pip install 'spacar_py[report]'.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise missing_extra("plotly", "report", "a report") from None
    if case is None and isinstance(source, (str, os.PathLike)):
        from .archive import load_case

        case = load_case(source)
    source = _loaded(source)
    if hasattr(source, "record"):
        return _write_record(source.record(), path, title, get_plotlyjs())
    results, rows, node = _results(source, node)
    first = next(iter(results.values()))
    model = first.system.model
    from .ami.plots import drawn

    shows = [_motion(name, r, node, frames) for name, r in drawn(results).items()]
    if modes is not None:
        shows += _modes(modes)
    low, high = np.array([s.pop("extent") for s in shows]).transpose(1, 0, 2)
    data = dict(shows=shows, curves=curves(results, node, rows), extent=[low.min(0).tolist(), high.max(0).tolist()],
                planar=bool(model.planar))  # fmt: skip
    title = title or model.name
    led = any(getattr(r, "nominal", None) is not None for r in results.values())
    page = PAGE % dict(
        title=html.escape(title), subtitle=html.escape(_subtitle(results)), style=STYLE, plotly=get_plotlyjs(),
        hint=" The deviation from the nominal motion can be magnified." if led else "", script=SCRIPT,
        tables="\n".join(_tables(results, rows, modes, case)), footer=html.escape(_versions()),
        data=json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
    )  # fmt: skip
    from .batch.archive import replace_file

    path = Path(path)
    replace_file(path, page.encode())
    return path


def _loaded(source):
    if isinstance(source, (str, os.PathLike)):
        from .archive import load

        return load(source)
    return source


def _write_record(record, path, title, plotly) -> Path:
    """The page of a sibling method's record."""
    from .batch.archive import replace_file
    from .report_record import record_page

    page = record_page(record)
    text = PAGE % dict(
        title=html.escape(title or page["title"]), subtitle=html.escape(page["subtitle"]), style=STYLE + page["style"],
        plotly=plotly, hint="", script=SCRIPT, tables="\n".join(page["tables"]), footer=html.escape(_versions()),
        data=json.dumps(page["data"], separators=(",", ":")).replace("</", "<\\/"),
    )  # fmt: skip
    replace_file(Path(path), text.encode())
    return Path(path)


def _results(source, node):
    rows = getattr(source, "rows", None)
    node = node or getattr(source, "node", None)
    if hasattr(source, "results"):
        source = source.results
    results = (
        dict(source) if isinstance(source, dict) else {getattr(source, "info", {}).get("method", "result"): source}
    )
    if not results or not all(hasattr(r, "system") and hasattr(r, "t") for r in results.values()):
        raise InputError(
            "report: needs a Result, a Comparison, a mapping of names to Results, or the path of an archive"
        )
    points = list(next(iter(results.values())).system.model.points)
    if node is not None and node not in points:
        raise InputError(f"report: there is no point '{node}'; known: {', '.join(points[:10])}")
    return results, rows, node or (points[-1] if points else None)


# the mechanism ------------------------------------------------------------------------------------------------------


def _part(v: np.ndarray, **more) -> dict:
    return dict(shape=list(v.shape[:3]), data=packed(v), **more)


def _parts(shape: Shape) -> dict:
    out = {k: _part(v) for k, v in shape.lines.items()}
    for key in ("supports", "joints", "masses"):
        v = getattr(shape, key)
        if v.shape[1]:
            out[key] = _part(v[:, :, None, :])
    return out


def _even(t, frames) -> np.ndarray:
    if np.any(np.diff(t) <= 0):  # a path of equilibria may turn back
        return np.unique(np.linspace(0, len(t) - 1, min(frames, len(t))).round().astype(int))
    wanted = np.linspace(t[0], t[-1], min(frames, len(t)))
    return np.unique(np.clip(np.searchsorted(t, wanted - 1e-12), 0, len(t) - 1))


def _motion(name, result, node, frames) -> dict:
    at = _even(result.t, frames)
    system = result.system
    shape = shape_of(system, result.x[at])
    t = result.t[at] if np.all(np.diff(result.t) > 0) else np.linspace(0, 2, len(at))
    show = dict(label=name, t=t.tolist(), parts=_parts(shape), extent=shape.extent())
    if getattr(result, "nominal", None) is not None:
        show["nominal"] = _parts(shape_of(system, result.nominal.x[at]))
    if node is not None:
        way = place(system, result.x, node)[at]
        show["parts"]["way"] = _part(way[None, None], name=f"way of {node}")
    return show


def _modes(modes, phases: int = 24) -> list[dict]:
    linear = modes.linear
    if modes.s.ndim != 1:
        raise InputError("report: modes belong to several points; choose one with modes.at(n)")
    system, x0 = linear.system, np.asarray(linear.x, float).reshape(-1)
    rest = {k: _part(v) for k, v in shape_of(system, x0).lines.items()}
    shows = []
    for j in range(len(modes)):
        dx = modes.dx[:, j]
        turn = np.linspace(0, 2 * np.pi, phases, endpoint=False)
        shape = shape_of(system, displaced(system, x0, dx, turn, mode_scale(system, x0, dx)))
        label = f"mode {j + 1}: {modes.frequency[j]:.4g} Hz ({modes.names[j]})"
        t = np.linspace(0.0, 1.5, phases).tolist()
        shows.append(dict(label=label, mode=True, t=t, parts=_parts(shape), rest=rest, extent=shape.extent()))
    return shows


# tables -------------------------------------------------------------------------------------------------------------


def _cell(v) -> str:
    if isinstance(v, bool) or v is None:
        return f"<td>{'' if v is None else v}</td>"
    if isinstance(v, (int, np.integer)):
        return f'<td class="n">{int(v)}</td>'
    if isinstance(v, (float, np.floating)):
        return f'<td class="n">{float(v):.5g}</td>'
    return f"<td>{html.escape(str(v))}</td>"


def _table(title: str, head: list[str], body: list) -> str:
    numbers = [all(isinstance(row[c], (int, float, np.number, type(None))) for row in body) for c in range(len(head))]
    top = "".join(f"<th{' class=n' if n else ''}>{html.escape(h)}</th>" for h, n in zip(head, numbers, strict=True))
    rows = "".join("<tr>" + "".join(_cell(v) for v in row) + "</tr>" for row in body)
    return (
        f'<section><h2>{html.escape(title)}</h2><div class="wide"><table><tr>{top}</tr>{rows}</table></div></section>'
    )


def _tables(results, rows, modes, case) -> list[str]:
    first = next(iter(results.values()))
    out = []
    if rows:
        head = ["method", "modes", "to nonlinear (mm)", "to perturbation (mm)", "steps", "right-hand sides",
                "linearise (ms)", "reduce (ms)", "integrate (ms)"]  # fmt: skip
        body = []
        for r in rows:
            mm = [None if r[k] is None else 1e3 * r[k] for k in ("to_nonlinear", "to_perturbation")]
            ms = [None if not r[k] else 1e3 * r[k] for k in ("linearise", "prepare", "integrate")]
            body.append([r["method"], r["modes"], *mm, r["steps"], r["rhs"], *ms])
        out.append(_table("Comparison", head, body))
    if modes is not None:
        body = [[j + 1, float(modes.omega[j]), float(modes.frequency[j]), float(modes.damping[j]), modes.names[j]]
                for j in range(len(modes))]  # fmt: skip
        title = getattr(modes, "title", "Modes at the start")
        out.append(_table(title, ["mode", "rad/s", "Hz", "damping ratio", "what moves"], body))
    account = html.escape(str(first.system.model))
    out.append(f"<section><h2>Model</h2><pre>{account}</pre></section>")
    if case is not None:
        told = html.escape(_settings(case))
        out.append(f"<section><h2>Path, controller and settings</h2><pre>{told}</pre></section>")
    keys = list(dict.fromkeys(k for r in results.values() for k in r.info if k not in LEFT_OUT))
    body = [[name, *(r.info.get(k) for k in keys)] for name, r in results.items()]
    seconds = ("cpu", "linearise", "prepare")
    head = ["result", *(f"{k} (s)" if k in seconds else k for k in keys)]
    out.append(_table("Settings and effort", head, body))
    return out


def _settings(case) -> str:
    """What a model file says besides the model."""
    from .modelfile import case_to_data
    from .tomltext import dumps

    data = case_to_data(case, lost=True)
    return dumps({k: data[k] for k in ("path", "controller", "run") if k in data}).strip() or "all defaults"


def _subtitle(results) -> str:
    r = next(iter(results.values()))
    s = r.system
    return (
        f"{len(s.model.elements)} elements, {s.nx} coordinates, {s.nq} degrees of freedom; "
        f"{len(r.t)} points from {r.t[0]:g} to {r.t[-1]:g}; "
        + (f"results: {', '.join(results)}" if len(results) <= 4 else f"{len(results)} results")
    )


def _versions() -> str:
    from importlib.metadata import version

    packages = ("spacar_py", "numpy", "scipy", "plotly")
    return "Written by " + ", ".join(f"{p} {version(p)}" for p in packages)
