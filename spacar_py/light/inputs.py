"""The user's tables checked and turned into a .dat model.

Node i is the translation node 2i - 1 and the rotation node 2i; the nodes between the beams of one element follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from spacar_py import checks
from spacar_py.errors import InputError, nearest
from spacar_py.sections import Section
from spacar_py.spacarfiles.datmodel import Coordinates, DatModel, Element, Input, Property, Setting, Status

AXES = "xyz"
_VECTORS = {"force": 3, "force_initial": 3, "moment": 3, "moment_initial": 3, "mominertia": 6}
_FLAGS = ("fix", "fix_pos", "fix_orien", "fix_x", "fix_y", "fix_z")
_NUMBERS = ("mass", *(f"{k}_{a}" for k in ("displ", "displ_initial", "rot", "rot_initial") for a in AXES))
NODE_KEYS = (*_FLAGS, *_NUMBERS, *_VECTORS)
ELEMENT_KEYS = ("elems", "emod", "smod", "dens", "cshape", "dim", "orien", "nbeams", "flex")
DRAWING = ("color", "hide", "opacity")  # accepted, of no use here
OPTIONS = ("gravity", "loadsteps", "rls", "autosolve", "calcbuck", "calccompl", "filename", "folder", "silent")


@dataclass
class Mechanism:
    """What the user gave, checked.

    Attributes
    ----------
    nodes : (n, 3) array
    elements : list of (p, q), numbered from 1
    beams : list of lists
        Numbers of the beams of each element.
    sets : list of dict or None
        Element properties of each element.
    sections : list of Section or None
    releases : dict of beam to set of deformations
    """

    nodes: np.ndarray
    elements: list
    nprops: dict
    sets: list
    options: dict
    beams: list = field(default_factory=list)
    sections: list = field(default_factory=list)
    places: list = field(default_factory=list)
    pieces: list = field(default_factory=list)

    def owner(self, beam: int) -> int:
        """Element, from 1, that a beam belongs to."""
        return next(i for i, own in enumerate(self.beams, 1) if beam in own)


def read(nodes, elements, nprops, eprops, opt=None) -> Mechanism:
    """Check all input; the first thing that cannot be is named."""
    x = _table("nodes", nodes, 3, float)
    pairs = [tuple(int(v) for v in row) for row in _table("elements", elements, 2, int)]
    for i, pair in enumerate(pairs, 1):
        for n in pair:
            if not 1 <= n <= len(x):
                raise InputError(f"element {i}: node {n} does not exist; there are nodes 1 to {len(x)}")
        if pair[0] == pair[1] or not np.any(x[pair[0] - 1] != x[pair[1] - 1]):
            raise InputError(f"element {i}: its nodes {pair[0]} and {pair[1]} must be at two places")
    m = Mechanism(x, pairs, _nprops(nprops, len(x)), _eprops(eprops, len(pairs)), _options(opt))
    _mesh(m)
    return m


def _table(what, value, columns, kind) -> np.ndarray:
    try:
        out = np.asarray(value, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.ndim != 2 or out.shape[1] != columns or len(out) == 0 or not np.all(np.isfinite(out)):
        raise InputError(f"{what}: must be a table of finite numbers with {columns} columns, got shape {out.shape}")
    if kind is int and np.any(out != np.round(out)):
        raise InputError(f"{what}: node numbers must be whole numbers from 1 on")
    return out


def _numbered(what, value, count) -> dict[int, Mapping]:
    """Properties by number from a mapping {number: properties} or a list whose first entry belongs to number 1."""
    if value is None:
        return {}
    items = value.items() if isinstance(value, Mapping) else enumerate(value, 1)
    out = {}
    for number, props in items:
        if not isinstance(number, (int, np.integer)) or not 1 <= number <= count:
            raise InputError(f"{what}: there is no {number!r}; numbers go from 1 to {count}")
        if props is not None and not isinstance(props, Mapping):
            raise InputError(f"{what}({number}): must be a mapping of properties, got {props!r}")
        out[int(number)] = dict(props or {})
    return out


def _known(what, props, keys) -> None:
    for key in props:
        if key not in keys:
            raise InputError(f"{what}: unknown property '{key}'{nearest(key, keys)}; known: {', '.join(keys)}")


def _nprops(value, count) -> dict:
    out = _numbered("nprops", value, count)
    for number, p in out.items():
        what = f"nprops({number})"
        _known(what, p, NODE_KEYS)
        for key, n in _VECTORS.items():
            if key in p:
                p[key] = checks.vector(what, key, p[key], n)
        for key in _NUMBERS:
            if key in p:
                p[key] = checks.number(what, key, p[key])
        if p.get("fix"):
            p["fix_pos"] = p["fix_orien"] = True
        for a in AXES:
            moved = [k for k in (f"displ_{a}", f"displ_initial_{a}") if k in p]
            if moved and (p.get("fix_pos") or p.get(f"fix_{a}")):
                raise InputError(f"{what}: {moved[0]} on a coordinate that is held; leave out one of the two")
        turned = {k[-1] for k in p if k.startswith("rot")}
        if len(turned) > 1:
            raise InputError(f"{what}: only one rotation can be prescribed at a node, got {', '.join(sorted(turned))}")
        if turned and p.get("fix_orien"):
            raise InputError(
                f"{what}: rot_{turned.pop()} at a node whose orientation is held; leave out one of the two"
            )
    return out


def _eprops(value, count) -> list:
    sets = [value] if isinstance(value, Mapping) else list(value or [])
    out: list = [None] * count
    for i, given in enumerate(sets, 1):
        p, what = dict(given), f"eprops({i})"
        _known(what, p, (*ELEMENT_KEYS, *DRAWING))
        for n in np.atleast_1d(p.get("elems", [])):
            if n != int(n) or not 1 <= n <= count:
                raise InputError(f"{what}: there is no element {n!r}; elements go from 1 to {count}")
            if out[int(n) - 1] is not None:
                raise InputError(f"{what}: element {int(n)} already has properties; name it in one set only")
            out[int(n) - 1] = p
        p["name"] = what
        p["nbeams"] = checks.count(what, "nbeams", p.get("nbeams", 1))
        flex = [int(d) for d in np.atleast_1d(p.get("flex", []))]
        if any(not 1 <= d <= 6 for d in flex):
            raise InputError(f"{what}: flex takes numbers of deformations 1 to 6, got {flex}")
        p["flex"] = sorted(set(flex))
        need = ("cshape", "dim", "emod", "smod") if flex else ("cshape", "dim") if "dens" in p else ()
        for key in need:
            if key not in p:
                raise InputError(f"{what}: {'flex' if flex else 'dens'} needs {key} as well")
        p["orien"] = checks.vector(what, "orien", p.get("orien", (0, 1, 0)), 3, nonzero=True)
        p["section"] = _section(what, p) if "cshape" in p else None
    return out


def _section(what, p) -> Section:
    """The cross-section: rectangle [width along local y, thickness along local z] or circle [diameter]."""
    dim = np.atleast_1d(np.asarray(p.get("dim"), float))
    E, G, rho = p.get("emod", 1.0), p.get("smod", 1.0), p.get("dens", 0.0)
    if p["cshape"] not in ("rect", "circ"):
        raise InputError(f"{what}: cshape must be 'rect' or 'circ', got {p['cshape']!r}")
    n = 2 if p["cshape"] == "rect" else 1
    if dim.shape != (n,):
        raise InputError(f"{what}: dim of '{p['cshape']}' takes {n} numbers, got {dim.tolist()}")
    try:
        if n == 2:
            return Section.rectangle(dim[0], dim[1], E=E, G=G, rho=rho)
        return Section.circle(dim[0], E=E, G=G, rho=rho)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def _options(opt) -> dict:
    out = dict(opt or {})
    _known("opt", out, OPTIONS)
    out["gravity"] = checks.vector("opt", "gravity", out.get("gravity", (0, 0, 0)), 3)
    out["loadsteps"] = checks.count("opt", "loadsteps", out.get("loadsteps", 10))
    return out


def _mesh(m: Mechanism) -> None:
    """Places of all nodes, and for each beam its two translation nodes."""
    m.places = [(2 * i + 1, x) for i, x in enumerate(m.nodes)]
    top, beam = 2 * len(m.nodes) + 1, 1
    for (p, q), props in zip(m.elements, m.sets, strict=True):
        n = props["nbeams"] if props else 1
        a, b = m.nodes[p - 1], m.nodes[q - 1]
        stops = [2 * p - 1]
        for k in range(1, n):
            m.places.append((top, a + (b - a) * (k / n)))
            stops.append(top)
            top += 2
        stops.append(2 * q - 1)
        m.beams.append(list(range(beam, beam + n)))
        m.pieces += list(zip(stops[:-1], stops[1:], strict=True))
        m.sections.append(props["section"] if props else None)
        beam += n


def dat_model(m: Mechanism, classes: Mapping[int, Mapping[str, tuple]], path: str = "light.dat") -> DatModel:
    """The .dat model; `classes` gives each beam its DYNE and RLSE deformations."""
    elements, status, properties = [], [], []
    for i, beams in enumerate(m.beams):
        props = m.sets[i]
        y = tuple(float(v) for v in (props["orien"] if props else (0.0, 1.0, 0.0)))
        for b in beams:
            p, q = m.pieces[b - 1]
            elements.append(Element("BEAM", b, (p, p + 1, q, q + 1), y))
            for word, found in classes.get(b, {}).items():
                if found:
                    status.append(Status(word, b, tuple(sorted(found))))
            properties += _beam_properties(b, props)
    coordinates = [Coordinates(n, tuple(float(v) for v in x)) for n, x in m.places]
    used = {n for e in elements for n in e.nodes}
    coordinates = [x for x in coordinates if x.node in used]
    inputs: list[Input] = []
    for number, p in sorted(m.nprops.items()):
        if 2 * number - 1 in used:
            _node(m, number, p, status, properties, inputs)
    settings = [Setting("ITERSTEP", (10.0, float(m.options["loadsteps"]), 1e-10))]
    if m.options["gravity"].any():
        settings.append(Setting("GRAVITY", tuple(float(g) for g in m.options["gravity"])))
    return DatModel(elements, coordinates, status, properties, inputs, settings, path=path)


def _beam_properties(b, props) -> list[Property]:
    if not props or props["section"] is None:
        return []
    s, out = props["section"], []
    if props["flex"]:
        out.append(Property("ESTIFF", b, (s.EA, s.GJ, s.EIy, s.EIz, s.shear_y, s.shear_z)))
    if s.m:
        out.append(Property("EM", b, (s.m, s.Jx, s.Jy, s.Jz, s.Jyz)))
    return out


def _node(m, number, p, status, properties, inputs) -> None:
    point, frame = 2 * number - 1, 2 * number
    held = tuple(k + 1 for k, a in enumerate(AXES) if p.get("fix_pos") or p.get(f"fix_{a}"))
    if held:
        status.append(Status("FIX", point, () if len(held) == 3 else held))
    if p.get("fix_orien"):
        status.append(Status("FIX", frame))
    for k, a in enumerate(AXES):
        x = float(m.nodes[number - 1, k])
        moves = {"displ": lambda v: v, "displ_initial": lambda v, x=x: x + v}
        turns = {"rot": lambda v: float(np.sin(v / 2)), "rot_initial": lambda v: float(np.sin(v / 2))}
        for node, component, kinds in ((point, k + 1, moves), (frame, k + 2, turns)):
            found = {kind: p[f"{kind}_{a}"] for kind in kinds if f"{kind}_{a}" in p}
            if found:
                status.append(Status("INPUTX", node, (component,)))
            for kind, v in found.items():
                base = kind.endswith("initial")
                value = kinds[kind](v)
                if not base and node == frame:  # the increment of sin(angle/2), so that the sum of angles is reached
                    start = p.get(f"rot_initial_{a}", 0.0)
                    value = float(np.sin((start + v) / 2) - np.sin(start / 2))
                inputs.append(Input("INPUTX" if base else "DELINPX", node, component, (value,)))
    words = dict(force_initial="XF", force="DELXF", moment_initial="XF", moment="DELXF", mominertia="XM")
    for key, keyword in words.items():
        node = point if key.startswith("force") else frame
        if key in p and np.any(p[key]):
            properties.append(Property(keyword, node, tuple(float(v) for v in p[key])))
    if p.get("mass"):
        properties.append(Property("XM", point, (p["mass"],)))
