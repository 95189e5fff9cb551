"""One self-contained HTML page of a result: the mechanism in 3-D to be turned and played, curves, tables, versions."""

from __future__ import annotations

import base64
import html
import json
import os
from pathlib import Path

import numpy as np

from .drawing import Shape, displaced, mode_scale, place, shape_of
from .errors import InputError, missing_extra
from .report_template import PAGE, SCRIPT, STYLE

LEFT_OUT = ("events",)


def write_report(source, path: str | os.PathLike, *, title: str | None = None, node: str | None = None, modes=None,
                 frames: int = 150) -> Path:  # fmt: skip
    """Write a report that any browser shows without a network.

    Parameters
    ----------
    source : Result, Comparison, mapping of names to Results, or the path of an archive
    node : str, optional
        Point whose way and history are shown; by default the led one, or the last point of the model.
    modes : Modes, optional
        Mode shapes about one state, from `spacar_py.linearize.modes`.
    frames : int
        Pictures of the motion, evenly over the time.

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
    results, rows, node = _results(source, node)
    first = next(iter(results.values()))
    model = first.system.model
    shows = [_motion(name, r, node, frames) for name, r in results.items()]
    if modes is not None:
        shows += _modes(modes)
    low, high = np.array([s.pop("extent") for s in shows]).transpose(1, 0, 2)
    data = dict(shows=shows, curves=_curves(results, node), extent=[low.min(0).tolist(), high.max(0).tolist()],
                planar=bool(model.planar))  # fmt: skip
    title = title or model.name
    led = any(getattr(r, "nominal", None) is not None for r in results.values())
    page = PAGE % dict(
        title=html.escape(title), subtitle=html.escape(_subtitle(results)), style=STYLE, plotly=get_plotlyjs(),
        hint=" The deviation from the nominal motion can be magnified." if led else "", script=SCRIPT,
        tables="\n".join(_tables(results, rows, modes)), footer=html.escape(_versions()),
        data=json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
    )  # fmt: skip
    from .batch.archive import replace_file

    path = Path(path)
    replace_file(path, page.encode())
    return path


def _results(source, node):
    if isinstance(source, (str, os.PathLike)):
        from .archive import load

        source = load(source)
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


def _packed(v: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(v, "<f4").tobytes()).decode()


def _part(v: np.ndarray, **more) -> dict:
    return dict(shape=list(v.shape[:3]), data=_packed(v), **more)


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


# curves -------------------------------------------------------------------------------------------------------------

DASH = ("solid", "dash", "dot", "dashdot")
COLORS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#bf8700", "#0a7ea4", "#bf3989", "#57606a")


def _curves(results: dict, node) -> list[dict]:
    many = len(results) > 1
    first = next(iter(results.values()))
    x = "load factor" if first.info.get("method") in ("statics", "arc length") else "time (s)"
    out = []

    def curve(title, y, parts):
        """`parts(result)` gives (name, values) pairs."""
        lines = []
        for k, (name, r) in enumerate(results.items()):
            for c, (label, v) in enumerate(parts(r)):
                full = f"{name}, {label}" if many else label
                lines.append(dict(x=_packed(r.t), y=_packed(v), name=full, dash=DASH[k % 4], color=COLORS[c % 8]))
        if lines:
            out.append(dict(title=title, x=x, y=y, lines=lines))

    if node is not None:
        curve(f"Position of {node}", "position (m)", lambda r: zip("xyz", r[node].x.T, strict=False))
        curve(f"Deviation of {node} from the nominal motion", "deviation (mm)",
              lambda r: [] if getattr(r, "nominal", None) is None
              else zip("xyz", 1e3 * r.deviation(node).T, strict=False))  # fmt: skip
    joints = [i for i in range(first.system.nq) if not first.system.flexible[i]][:8]
    flex = [i for i in range(first.system.nq) if first.system.flexible[i]]
    flex = sorted(sorted(flex, key=lambda i: -float(np.ptp(first.q[:, i])))[: 5 if many else 8])
    dof = first.system.dof
    curve("Joint coordinates", "angle (rad), displacement (m)", lambda r: [(dof[i], r.q[:, i]) for i in joints])
    curve("Flexible deformations, the largest", "deformation (m)", lambda r: [(dof[i], r.q[:, i]) for i in flex])
    curve("Energy", "energy (J)", lambda r: [(n, r.energy[n]) for n in r.energy])
    return out


# tables -------------------------------------------------------------------------------------------------------------


def _cell(v) -> str:
    if isinstance(v, bool) or v is None:
        return f"<td>{'' if v is None else v}</td>"
    if isinstance(v, (int, np.integer)):
        return f'<td class="n">{int(v)}</td>'
    if isinstance(v, (float, np.floating)):
        return f'<td class="n">{float(v):.6g}</td>'
    return f"<td>{html.escape(str(v))}</td>"


def _table(title: str, head: list[str], body: list) -> str:
    numbers = [all(isinstance(row[c], (int, float, np.number, type(None))) for row in body) for c in range(len(head))]
    top = "".join(f"<th{' class=n' if n else ''}>{html.escape(h)}</th>" for h, n in zip(head, numbers, strict=True))
    rows = "".join("<tr>" + "".join(_cell(v) for v in row) + "</tr>" for row in body)
    return (
        f'<section><h2>{html.escape(title)}</h2><div class="wide"><table><tr>{top}</tr>{rows}</table></div></section>'
    )


def _tables(results, rows, modes) -> list[str]:
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
        out.append(_table("Modes", ["mode", "rad/s", "Hz", "damping ratio", "what moves"], body))
    account = html.escape(str(first.system.model))
    out.append(f"<section><h2>Model</h2><pre>{account}</pre></section>")
    keys = list(dict.fromkeys(k for r in results.values() for k in r.info if k not in LEFT_OUT))
    body = [[name, *(r.info.get(k) for k in keys)] for name, r in results.items()]
    out.append(_table("Settings and effort", ["result", *keys], body))
    return out


def _subtitle(results) -> str:
    r = next(iter(results.values()))
    s = r.system
    return (
        f"{len(s.model.elements)} elements, {s.nx} coordinates, {s.nq} degrees of freedom; "
        f"{len(r.t)} points from {r.t[0]:g} to {r.t[-1]:g}; results: {', '.join(results)}"
    )


def _versions() -> str:
    from importlib.metadata import version

    packages = ("spacar_py", "numpy", "scipy", "plotly")
    return "Written by " + ", ".join(f"{p} {version(p)}" for p in packages)
