"""A co-rotational run as a Record: tip, deflections, hinges, energies, how well the constraints held."""

from __future__ import annotations

import numpy as np

from spacar_py.record import Record

FRAMES = 150
DRIFT = "Violation of the constraints"


def record(result, title: str = "") -> Record:
    """Series `tip.x`, `tip_error.x` (if controlled), `LINK.deflection_m`, `HINGE.torque`, `violation` and so on."""
    links = result.model.arm.links
    series, units, pictures = {}, {}, {}

    def put(picture, name, values, unit):
        series[name], units[name] = values, unit
        pictures.setdefault(picture, []).append(name)

    tip = result.tip
    for k, c in enumerate("xyz"):
        if np.ptp(tip[:, k]) > 0:
            put("Position of the tip", f"tip.{c}", tip[:, k], "m")
    if any(link.joint is not None and link.joint.control is not None for link in links):
        error = tip - result.wanted_tip
        for k, c in enumerate("xyz"):
            put("Error of the tip, against rigid links at their targets", f"tip_error.{c}", error[:, k], "m")
    for link in links:
        if link.flexible:
            bend = result[link.name].deflection
            for k, c in enumerate("lmn"):
                if np.max(np.abs(bend[:, k])) > 1e-14:
                    put(f"Deflection of the end of {link.name}", f"{link.name}.deflection_{c}", bend[:, k], "m")
    for link in links:
        if link.joint is not None and link.joint.axis is not None:
            j = result[link.joint.name]
            put("Angles of the hinges", f"{link.joint.name}.angle", j.angle, "rad")
            put("Torques of the hinges", f"{link.joint.name}.torque", j.torque, "N m")
    for name in ("kinetic", "strain", "gravity"):
        if np.any(getattr(result, name)):
            put("Energies", f"energy.{name}", getattr(result, name), "J")
    put(DRIFT, "violation", result.violation, "m, rad")
    put(f"{DRIFT}, velocities", "velocity_violation", result.velocity_violation, "m/s, rad/s")
    at = np.unique(np.linspace(0, len(result.t) - 1, FRAMES).round().astype(int))
    info = {
        "method": "co-rotational",
        **result.count,
        "largest_violation": float(result.violation.max()),
        "log": [DRIFT, f"{DRIFT}, velocities"],
    }
    rows = [
        {"series": n, "unit": units[n], "least": float(v.min()), "largest": float(v.max())} for n, v in series.items()
    ]
    return Record("co-rotational run", title or "arm of co-rotational beams", result.t, series=series, units=units,
                  pictures=pictures, rows=rows, info=info, text=str(result), t=result.t[at],
                  lines=_lines(result, at))  # fmt: skip


def _lines(result, at) -> dict:
    """Polylines of flexible links (their nodes) and of rigid ones (their ends), (frames, lines, points, 3)."""
    beams, rigid = [], []
    for link in result.model.arm.links:
        rows = result.model.rows[link.name]
        if link.flexible:
            beams.append(result[link.name].x[at])
        else:
            half = result._R[at][:, rows[0]] @ (link.vector / 2.0)
            centre = result._x[at][:, rows[0]]
            rigid.append(np.stack([centre - half, centre + half], axis=1))
    most = max((b.shape[1] for b in beams), default=0)
    # a link of fewer nodes ends several times in the same point, so that all go into one array
    beams = [np.concatenate([b, np.repeat(b[:, -1:], most - b.shape[1], axis=1)], axis=1) for b in beams]
    return {k: np.stack(v, axis=1) for k, v in (("beam", beams), ("rigid", rigid)) if v}
