"""Help with overconstraint: which rigid deformations contradict each other, and which ones to release.

Flexible deformations never overconstrain a mechanism: of those that are too many as degrees of freedom some follow
from the rest, with their stiffness. What is left are rigid deformations. Their redundant combinations are the left null
vectors of D_c; as many deformations as there are such vectors are to be released, chosen by pivoting so that the rest
is as well conditioned as can be, in elements with flexibility only, where a release leaves the element's own stiffness.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr

from spacar_py.compiler import _Compiler, _given, _provisional, _resolve
from spacar_py.errors import InputError
from spacar_py.light.inputs import Mechanism, dat_model, read
from spacar_py.spacarfiles.build import build, deformations

NAMES = deformations("BEAM")
RANK = 1e-8


@dataclass
class Overconstraints:
    """Redundant conditions of a mechanism and the releases that would remove them.

    Attributes
    ----------
    count : int
        How many conditions are too many.
    redundant : list of lists of (element, deformation)
        For each, the rigid deformations that take part, both numbered from 1, the largest part first.
    releases : list of (element, deformation)
        What to release, in the last beam of the element.
    free_motions : list of lists of str
        Coordinates of motions that nothing determines; then the supports are too few.
    """

    count: int = 0
    redundant: list = field(default_factory=list)
    releases: list = field(default_factory=list)
    free_motions: list = field(default_factory=list)
    classes: dict = field(default_factory=dict)

    @property
    def rls(self) -> dict[int, list[int]]:
        """The releases as opt["rls"] takes them."""
        out: dict[int, list[int]] = {}
        for element, d in self.releases:
            out.setdefault(element, []).append(d)
        return {e: sorted(d) for e, d in sorted(out.items())}

    def __str__(self) -> str:
        if not self.count:
            return "exactly constrained"
        lines = [f"overconstrained by {self.count}"]
        for i, group in enumerate(self.redundant, 1):
            lines.append(
                f"  {i}: among " + ", ".join(f"element {e} deformation {d} ({NAMES[d - 1]})" for e, d in group)
            )
        proposal = (
            ", ".join(f"element {e} deformation {d}" for e, d in self.releases) or "nothing flexible can be released"
        )
        return "\n".join([*lines, f"  release {proposal}"])


def overconstraints(nodes, elements, nprops, eprops, opt=None) -> Overconstraints:
    """What is redundant in a mechanism, and which releases would make it exactly constrained. See `spacarlight`.

    Examples
    --------
    A single leaf between two clamped nodes that may only bend: five of its rigid conditions repeat the supports.

    >>> leaf = dict(elems=[1], emod=210e9, smod=70e9, cshape="rect", dim=[0.05, 5e-4], orien=[0, 0, 1], flex=[2, 3, 4])
    >>> fixed = {1: dict(fix=True), 2: dict(fix=True)}
    >>> overconstraints([[0, 0, 0], [0.1, 0, 0]], [[1, 2]], fixed, leaf).count
    3
    """
    m = read(nodes, elements, nprops, eprops, opt)
    return analyse(m, given_releases(m))


def given_releases(m: Mechanism) -> dict[int, set[int]]:
    """opt["rls"], {element: deformations} or a list of {"def": deformations}, as {last beam: deformations}."""
    rls = m.options.get("rls") or {}
    if not isinstance(rls, dict):
        rls = {i: (r or {}).get("def", []) for i, r in enumerate(rls, 1)}
    out = {}
    for element, found in rls.items():
        if not 1 <= element <= len(m.elements):
            raise InputError(f"opt.rls: there is no element {element}; elements go from 1 to {len(m.elements)}")
        numbers = {int(d) for d in np.atleast_1d(found)} if len(np.atleast_1d(found)) else set()
        if any(not 1 <= d <= 6 for d in numbers):
            raise InputError(f"opt.rls: element {element}: deformations go from 1 to 6, got {sorted(numbers)}")
        out[m.beams[element - 1][-1]] = numbers
    return out


def _flexible_model(m: Mechanism, released: dict[int, set[int]]):
    """Model with all flexible deformations free to be chosen, and the releases."""
    built = build(dat_model(m, {b: {"RLSE": tuple(d)} for b, d in released.items() if d}))
    for beams, props in zip(m.beams, m.sets, strict=True):
        for b in beams if props else ():
            names = [NAMES[d - 1] for d in props["flex"] if d not in released.get(b, ())]
            if names:
                built.model.flexible(f"e{b}", *names)
    return built.model


def analyse(m: Mechanism, released: dict[int, set[int]]) -> Overconstraints:
    """Overconstraint of a mechanism with some releases made; classes of all beams where it is exactly constrained."""
    c = _Compiler(_flexible_model(m, released))
    tables, _, D = _provisional(c)
    _resolve(c, tables, D)
    rows, cols = _given(c)
    A = D[rows][:, cols].toarray()
    U, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > RANK * max(s[0], 1.0))) if len(s) else 0
    out = Overconstraints(count=len(rows) - rank)
    if len(cols) > rank:
        out.free_motions = _named(Vt[rank:].T, [c.x_names[i] for i in cols])
    if out.count:
        _propose(m, c, rows, U[:, rank:], out)
    out.classes = _classes(c)
    return out


def _propose(m, c, rows, left, out) -> None:
    beam, comp = np.zeros(len(rows), int), np.zeros(len(rows), int)
    for k, r in enumerate(rows):
        found = re.fullmatch(r"e(\d+)\.(\w+)", c.e_names[r])
        if found:
            beam[k], comp[k] = int(found.group(1)), NAMES.index(found.group(2)) + 1
    for v in _sparse(left).T:
        order = [k for k in np.argsort(-np.abs(v), kind="stable") if beam[k] and abs(v[k]) > 1e-6 * np.max(np.abs(v))]
        pairs = dict.fromkeys((m.owner(beam[k]), int(comp[k])) for k in order)
        out.redundant.append(list(pairs)[:12])
    last = {beams[-1] for beams, p in zip(m.beams, m.sets, strict=True) if p and p["flex"]}
    allowed = np.array([k for k in range(len(rows)) if beam[k] in last], int)
    if len(allowed) == 0:
        return
    _, R, piv = qr(left[allowed].T, mode="economic", pivoting=True)
    good = int(np.sum(np.abs(np.diag(R)) > RANK))
    out.releases = sorted((m.owner(beam[k]), int(comp[k])) for k in allowed[piv[:good]])


def _sparse(vectors) -> np.ndarray:
    _, _, piv = qr(vectors.T, pivoting=True, mode="economic")
    return vectors @ np.linalg.inv(vectors[piv[: vectors.shape[1]]])


def _named(vectors, names) -> list[list[str]]:
    """Coordinates of free motions by the user's node numbers."""
    out = []
    for v in _sparse(vectors).T:
        order = [k for k in np.argsort(-np.abs(v), kind="stable")[:6] if abs(v[k]) > 1e-6 * np.max(np.abs(v))]
        out.append([_user(names[k]) for k in order])
    return out


def _user(label: str) -> str:
    node, _, component = label.partition(".")
    number = int(node[1:])
    return f"node {(number + 1) // 2} {component}" if node[0] == "x" else f"node {number // 2} rotation {component}"


def _classes(c) -> dict[int, dict[str, tuple]]:
    words = {"dof": "DYNE", "released": "RLSE"}
    out: dict[int, dict[str, list]] = {}
    for name, status in zip(c.e_names, c.e_status, strict=True):
        found = re.fullmatch(r"e(\d+)\.(\w+)", name)
        if found and status in words:
            out.setdefault(int(found.group(1)), {}).setdefault(words[status], []).append(
                NAMES.index(found.group(2)) + 1
            )
    return {b: {k: tuple(v) for k, v in d.items()} for b, d in out.items()}
