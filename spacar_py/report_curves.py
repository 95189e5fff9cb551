"""The curves of a report, packed for its page: histories, energies, frequencies along the path, the study of modes."""

from __future__ import annotations

import base64

import numpy as np

DASH = ("solid", "dash", "dot", "dashdot")
COLORS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#bf8700", "#0a7ea4", "#bf3989", "#57606a")


def packed(v: np.ndarray) -> str:
    """Little-endian single precision in base64."""
    return base64.b64encode(np.ascontiguousarray(v, "<f4").tobytes()).decode()


def line(x, y, name: str, k: int = 0, dash: str = "solid", **more) -> dict:
    """One line of a curve, in colour k."""
    return dict(x=packed(x), y=packed(y), name=name, dash=dash, color=COLORS[k % 8], **more)


def curves(results: dict, node, rows) -> list[dict]:
    """All curves of the page."""
    from .ami.plots import drawn

    return _histories(drawn(results), node) + _frequencies(results) + _mode_study(rows or [])


def _histories(results: dict, node) -> list[dict]:
    many = len(results) > 1
    first = next(iter(results.values()))
    x = "load factor" if first.info.get("method") in ("statics", "arc length") else "time (s)"
    out = []

    def curve(title, y, parts):
        """`parts(result)` gives (name, values) pairs."""
        lines = []
        for k, (name, r) in enumerate(results.items()):
            for c, (label, v) in enumerate(parts(r)):
                lines.append(line(r.t, v, f"{name}, {label}" if many else label, c, DASH[k % 4]))
        if lines:
            out.append(dict(title=title, x=x, y=y, lines=lines))

    if node is not None:
        curve(f"Position of {node}", "position (m)", lambda r: zip("xyz", r[node].x.T, strict=False))
        curve(f"Deviation of {node} from the nominal motion", "deviation (mm)",
              lambda r: [] if getattr(r, "nominal", None) is None
              else zip("xyz", 1e3 * r.deviation(node).T, strict=False))  # fmt: skip
    system = first.system
    joints = [i for i in range(system.nq) if not system.flexible[i]][:8]
    flex = [i for i in range(system.nq) if system.flexible[i]]
    flex = sorted(sorted(flex, key=lambda i: -float(np.ptp(first.q[:, i])))[: 4 if many else 8])
    dof = system.dof
    curve("Joint coordinates", "angle (rad), displacement (m)", lambda r: [(dof[i], r.q[:, i]) for i in joints])
    curve("Flexible deformations, the largest", "deformation (m)", lambda r: [(dof[i], r.q[:, i]) for i in flex])
    curve("Energy", "energy (J)", lambda r: [(n, r.energy[n]) for n in r.energy])
    return out


def _frequencies(results: dict) -> list[dict]:
    """Vibration with the joints held, along the path, with the places where modes cross."""
    linear = next((r.linear for r in results.values() if getattr(r, "linear", None) is not None), None)
    if linear is None or not len(linear.flex):
        return []
    from .ami.shapes import crossings, held_basis

    omega = held_basis(linear).followed()[:, :4]
    lines = [line(linear.t, omega[:, k], f"mode {k + 1}", k) for k in range(omega.shape[1])]
    found = crossings(linear.t, omega)
    if found:
        lines.append(line(*np.transpose(found), "crossing", 7, mode="markers"))
    title = "Frequencies along the path, joints held"
    return [dict(title=title, x="time (s)", y="frequency (rad/s)", lines=lines)]


def _mode_study(rows: list[dict]) -> list[dict]:
    kept = [r for r in rows if r["method"] == "AMI" and isinstance(r["modes"], (int, np.integer))]
    if len(kept) < 2:
        return []
    n = [r["modes"] for r in kept]
    error = [line(n, [1e3 * r[key] for r in kept], name, k, mode="lines+markers")
             for k, (key, name) in enumerate((("to_nonlinear", "from nonlinear"),
                                              ("to_perturbation", "from perturbation")))
             if all(r[key] is not None for r in kept)]  # fmt: skip
    cpu = [line(n, [1e3 * r["integrate"] for r in kept], "AMI", 0, mode="lines+markers")]
    for k, name in enumerate(("perturbation", "nonlinear")):
        cpu += [line([n[0], n[-1]], [1e3 * r["integrate"]] * 2, name, k + 1, "dash")
                for r in rows if r["method"] == name]  # fmt: skip
    log = dict(x="kept modes", log=True, whole=True)
    return [dict(title="Largest difference of the compared point", y="difference (mm)", lines=error, **log),
            dict(title="CPU time of the integration", y="CPU time (ms)", lines=cpu, **log)]  # fmt: skip
