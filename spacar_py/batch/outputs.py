"""Outputs of a run as text: a reduction and a quantity, such as "peak tip.deviation" or "history upper.sigma.torsion".

Reductions: `peak` (largest size), `min`, `max`, `final`, `start`, `rms`, `mean`, `range` (max - min), `history` (all
of it). Quantities: POINT.x, .v, .a, .force, .deviation, and FRAME.rotation, each with .x, .y, .z for one component;
ELEMENT.e.NAME, .ed.NAME, .sigma.NAME; q.LABEL for a degree of freedom; energy.NAME; info.NAME such as info.rhs; and
`deviation` alone for that of the led point.
"""

from __future__ import annotations

import numpy as np

from .. import checks
from ..errors import InputError, nearest


def _peak(v):
    return np.abs(v).max() if v.ndim == 1 else np.linalg.norm(v, axis=1).max()


REDUCTIONS = {
    "peak": _peak,
    "min": lambda v: v.min(axis=0),
    "max": lambda v: v.max(axis=0),
    "final": lambda v: v[-1],
    "start": lambda v: v[0],
    "rms": lambda v: np.sqrt((v**2).mean(axis=0)),
    "mean": lambda v: v.mean(axis=0),
    "range": lambda v: np.ptp(v, axis=0),
    "history": lambda v: v,
}
OF_NODES = ("x", "v", "a", "force", "deviation", "rotation", "omega", "moment")
UNITS = dict(
    x="m", v="m/s", a="m/s^2", force="N", deviation="m", rotation="rad", omega="rad/s", moment="N m", energy="J"
)  # fmt: skip


UNITS_OF_DEFORMATIONS = dict(q=("m", "rad"), e=("m", "rad"), ed=("m/s", "rad/s"), sigma=("N", "N m"))


def check_output(name: str, output) -> None:
    """Refuse an output that cannot be understood, before any run."""
    if callable(output):
        return
    words = output.split() if isinstance(output, str) else []
    if len(words) == 1 and words[0].startswith("info."):
        return
    if len(words) != 2:
        raise InputError(
            f"output '{name}': must be a reduction and a quantity such as 'peak tip.deviation', got {output!r}"
        )
    checks.known(f"output '{name}'", "reduction", words[0], REDUCTIONS)


def unit_of(output) -> str:
    """Unit of an output where its text tells, or an empty string."""
    if callable(output):
        return ""
    parts = output.split()[-1].split(".")
    kind = "q" if parts[0] == "q" else parts[-2] if len(parts) > 2 else ""
    if kind in UNITS_OF_DEFORMATIONS:
        if parts[-1] in ("bending_y", "bending_z", "bending"):
            return ""  # an angle in hinges only
        angle = parts[-1] == "angle" or parts[-1].startswith("rotation")
        return UNITS_OF_DEFORMATIONS[kind][angle]
    return next((UNITS[p] for p in reversed(parts) if p in UNITS), "s" if parts[-1] == "cpu" else "")


def quantity(result, text: str, node: str | None = None) -> np.ndarray:
    """History (N,) or (N, d) of a quantity of a Result."""
    parts = text.split(".")
    if text == "deviation":
        if node is None:
            raise InputError("output: 'deviation' alone needs a path that leads a point; write POINT.deviation")
        return _deviation(result, node)
    if parts[0] == "q":
        return result.dof(".".join(parts[1:]))
    if parts[0] == "energy":
        return result.energy[".".join(parts[1:]) or "total"]
    known = {name for _, name in result.system.nodes} | set(result.system.elements)
    for k in range(len(parts) - 1, 0, -1):  # names of nodes and elements may have dots
        owner, kind, rest = ".".join(parts[:k]), parts[k], parts[k + 1 :]
        if owner not in known:
            continue
        if kind in ("e", "ed", "sigma") and len(rest) == 1:
            return getattr(result[owner], kind)[rest[0]]
        if kind in OF_NODES and len(rest) <= 1:
            v = _deviation(result, owner) if kind == "deviation" else getattr(result[owner], kind)
            if not rest:
                return v
            if rest[0] in "xyz"[: v.shape[1]]:
                return v[:, "xyz".index(rest[0])]
    raise InputError(f"output: cannot read '{text}'{nearest(parts[0], known)}; see spacar_py.batch.outputs")


def _deviation(result, node):
    if not hasattr(result, "deviation"):
        raise InputError(f"output: '{node}.deviation' needs a run along a path; use {node}.x instead")
    return result.deviation(node)


def evaluate(result, output, node: str | None = None) -> np.ndarray:
    """Value of an output: a number, a short vector, or a history."""
    if callable(output):
        return np.asarray(output(result))
    words = output.split()
    if len(words) == 1:
        key = words[0].removeprefix("info.")
        if key not in result.info:
            known = ", ".join(result.info)
            raise InputError(f"output: the run has no '{words[0]}'{nearest(key, result.info)}; known: {known}")
        return np.asarray(result.info[key])
    return np.asarray(REDUCTIONS[words[0]](quantity(result, words[1], node)))
