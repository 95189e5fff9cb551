"""A .dat file as a model: `to_model(dat)`, and the calls that make it, for the script converter.

Points are called x5, frames r6, warping coordinates w7 after their nodes, elements e4. What SPACAR's keywords say about
loads in steps (DELXF, DELGRAV, DELINPX, DELINPE) is no part of the model; see `load_steps`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from spacar_py.elements.registry import ELEMENTS as OURS
from spacar_py.errors import InputError
from spacar_py.model import Model
from spacar_py.nodes import COMPONENTS
from spacar_py.sections import Section
from spacar_py.signals import polynomial
from spacar_py.spacarfiles.build_dynamics import BEAMS, DynamicsPart, show
from spacar_py.spacarfiles.datmodel import DatModel
from spacar_py.spacarfiles.keywords import NodeKind
from spacar_py.spacarfiles.lexer import DatError

KINDS = {
    "BEAM": "beam", "BEAMW": "warping beam", "TRUSS": "truss", "HINGE": "hinge", "RBEAM": "rigid beam",
    "PINBODY": "pin body", "PLBEAM": "planar beam", "PLTRUSS": "planar truss", "PLTOR": "planar hinge",
    "PLRBEAM": "planar rigid link", "PLPINBOD": "planar pin body",
}  # fmt: skip
LARGEST = 1e60
PREFIX = {"point": "x", "frame": "r", "warp": "w"}
_STIFF = {"EA": "EA", "GJ": "GJ", "EIy": "EIy", "EIz": "EIz", "EI": "EIz", "shearY": "shear_y", "shearZ": "shear_z",
          "shear": "shear_z", "EIw": "EIw"}  # fmt: skip
_METHODS = {"BEAMW": "beam", "PLBEAM": "beam", "PLTRUSS": "truss", "PLTOR": "hinge", "RBEAM": "rigid_beam",
            "PLRBEAM": "rigid_beam", "PINBODY": "pin_body", "PLPINBOD": "pin_body"}  # fmt: skip
_MASS = {"m/L": "m", "Jxx/L": "Jx", "Jyy/L": "Jy", "Jzz/L": "Jz", "J/L": "Jz", "Jyz/L": "Jyz", "Jw/L": "Jw"}


def deformations(kind: str) -> tuple[str, ...]:
    """Names of the deformations of a SPACAR element in SPACAR's order."""
    return OURS[KINDS[kind]].deformations


def node_kind(kind: NodeKind) -> str:
    """ "point", "frame" or "warp"."""
    if kind.is_translation:
        return "point"
    return "warp" if kind is NodeKind.WARPING else "frame"


def node_name(kind: NodeKind, number: int) -> str:
    """Name of a node in the model, such as x5."""
    return f"{PREFIX[node_kind(kind)]}{number}"


@dataclass
class Built:
    """A model, the statements that made it, and the loads that grow in steps.

    Attributes
    ----------
    model : Model
    script : list of str
        Lines of Python that make the same model.
    forces : list of (base, increment)
        Of each of the model's loads.
    gravity : (base, increment)
    prescribed : dict of name to (start, base, increment)
        By label, such as "r6.lambda3".
    start, start_rates : dict of name to value
        STARTDX and STARTDE: degrees of freedom at the start.
    """

    dat: DatModel
    model: Model
    script: list[str] = field(default_factory=list)
    forces: list = field(default_factory=list)
    gravity: tuple = ()
    prescribed: dict = field(default_factory=dict)
    start: dict = field(default_factory=dict)
    start_rates: dict = field(default_factory=dict)

    def compile(self):
        """The compiled model; an error names the file and the line of the first node or element it speaks of."""
        try:
            return self.model.compile()
        except InputError as error:
            raise located(self.dat, error) from None


def located(dat: DatModel, error: InputError) -> InputError:
    """An error of the model with the line of the first node or element that it names."""
    if isinstance(error, DatError):
        return error
    text = str(error)
    for letter, number in re.findall(r"\b([exrw])(\d+)\b", text):
        items = [e for e in dat.elements if (e.number == int(number) if letter == "e" else int(number) in e.nodes)]
        if items:
            return DatError(dat.path, items[0].source, text)
    return InputError(f"{dat.path}: {text}")


def to_model(dat: DatModel) -> Model:
    """The model in a .dat file, with the loads that act from the start (XF, GRAVITY, INPUTX, INPUTE, ESIG).

    Parameters
    ----------
    dat : DatModel

    Raises
    ------
    DatError
        With the line, if a number or a combination cannot be; or if planar and spatial elements are mixed.

    Examples
    --------
    >>> from spacar_py.spacarfiles import parse_dat
    >>> dat = parse_dat('''
    ... X 1 0 0 0
    ... X 3 1 0 0
    ... BEAM 1 1 2 3 4
    ... FIX 1
    ... FIX 2
    ... DYNE 1 3 4
    ... END HALT
    ... ESTIFF 1 0 0 2.5 0
    ... END END''')
    >>> to_model(dat).compile().dof
    ['e1.bending_y_p', 'e1.bending_y_q']
    """
    return build(dat, increments=False).model


def build(dat: DatModel, increments: bool = True) -> Built:
    """The model of a .dat file; with `increments` also loads that are zero at the start have a place in it."""
    _check_sizes(dat)
    builder = _Builder(dat, increments)
    builder.nodes()
    builder.elements()
    builder.status()
    builder.laws()
    builder.masses()
    builder.loads()
    builder.starts()
    return builder.out


def _check_sizes(dat: DatModel) -> None:
    """Refuse numbers whose squares a computer cannot hold; in directions also those whose squares are nothing."""
    for item in (*dat.coordinates, *dat.elements, *dat.properties, *dat.inputs, *dat.settings):
        direction = hasattr(item, "vector")
        for v in (item.vector or ()) if direction else item.values:
            if abs(v) > LARGEST or (direction and 0 < abs(v) < 1 / LARGEST):
                what = getattr(item, "keyword", None) or getattr(item, "kind", "X")
                raise DatError(dat.path, item.source, f"{what}: {v:g} cannot be computed with; check its exponent")


class _Builder(DynamicsPart):
    deformations = staticmethod(deformations)

    def __init__(self, dat: DatModel, increments: bool):
        self.dat, self.increments = dat, increments
        self.kinds = dat.node_kinds()
        planar = self._planar()
        g = self._setting("GRAVITY", 2 if planar else 3)
        self.out = Built(
            dat, Model(gravity=g, planar=planar, name=dat.path), gravity=(g, self._setting("DELGRAV", len(g)))
        )
        head = ", ".join([f"gravity={show(g)}"] * bool(np.any(g)) + ["planar=True"] * planar)
        self.out.script.append(f"model = sp.Model({head})")
        self.props = {(p.keyword, p.number): p for p in dat.properties}
        self.coordinates = dat.coordinate_status()
        self.classes = dat.deformation_status()
        self.inputs = {(i.keyword, i.number, i.component): i for i in dat.inputs}

    @contextmanager
    def at(self, item):
        """Errors of the model get the line of the statement."""
        try:
            yield
        except DatError:
            raise
        except InputError as error:
            raise DatError(self.dat.path, item.source, str(error)) from None

    def call(self, method: str, *args, **options) -> None:
        """Call a method of the model and note the call."""
        getattr(self.out.model, method)(*args, **options)
        words = [show(a) for a in args] + [f"{k}={show(v)}" for k, v in options.items()]
        self.out.script.append(f"model.{method}({', '.join(words)})")

    def _planar(self) -> bool:
        flat = [e for e in self.dat.elements if e.kind.startswith("PL")]
        spatial = [e for e in self.dat.elements if not e.kind.startswith("PL")]
        if flat and spatial:
            raise DatError(
                self.dat.path, flat[0].source,
                f"{flat[0].kind} {flat[0].number}: a model is planar or spatial as a whole, and {spatial[0].kind} "
                f"{spatial[0].number} (line {spatial[0].source.line}) is spatial; use spatial elements only",
            )  # fmt: skip
        return bool(flat)

    def _setting(self, keyword: str, n: int) -> np.ndarray:
        found = self.dat.setting(keyword)
        values = found.values if found else ()
        if len(values) > n and any(values[n:]):
            raise DatError(
                self.dat.path, found.source, f"{keyword}: a planar model has no third component, got {values[2]:g}"
            )
        return np.array([*values, *[0.0] * n][:n])

    def name(self, number: int) -> str:
        return node_name(self.kinds[number], number)

    def components(self, number: int) -> tuple[str, ...]:
        return COMPONENTS[node_kind(self.kinds[number]), self.out.model.planar]

    # kinematics -----------------------------------------------------------------------------------------------------

    def nodes(self) -> None:
        place = {x.node: x for x in self.dat.coordinates}
        used = {n for e in self.dat.elements for n in e.nodes}
        dim = self.out.model.dim
        for number, kind in self.kinds.items():
            what = node_kind(kind)
            if what == "point":
                x = place[number]
                with self.at(x):
                    if any(x.values[dim:]):
                        raise InputError(f"X {number}: a planar model has no z, got {x.values[2]:g}")
                    self.call("point", self.name(number), tuple(x.values[:dim]))
                    if number not in used:
                        self.call("fix", self.name(number))
            else:
                self.call(what, self.name(number))

    def elements(self) -> None:
        for e in self.dat.elements:
            with self.at(e):
                self._element(e)

    def _element(self, e) -> None:
        names = {slot: self.name(n) for n, (slot, _) in zip(e.nodes, e.form.nodes, strict=True)}
        options = self._section(e)
        if e.vector is not None:
            options["axis" if e.kind == "HINGE" else "y"] = tuple(e.vector)
        options |= self._classes(e)
        ends = [
            tuple(names[s + end] for s in slots if s + end in names)
            for end in "pq"
            for slots in [("x", "r" if e.kind not in ("PLBEAM", "PLTOR", "PLRBEAM", "PLPINBOD") else "phi")]
        ]
        ends = [p[0] if len(p) == 1 else p for p in ends]
        if e.kind == "BEAMW":
            options["warping"] = (names["wp"], names["wq"])
        if e.kind in ("PINBODY", "PLPINBOD"):  # its shifts are along the axes of space, not along the chord
            options["axis"] = (1.0, 0.0, 0.0)[: self.out.model.dim]
            if e.kind == "PINBODY":
                options["y"] = (0.0, 1.0, 0.0)
        self.call(_METHODS.get(e.kind, e.kind.lower()), f"e{e.number}", *ends, **options)

    def _classes(self, e) -> dict:
        words = {"DYNE": "dof", "RLSE": "release"}
        found: dict[str, list[str]] = {}
        for c, d in enumerate(deformations(e.kind), 1):
            word = words.get(self.classes.get((e.number, c), ""), "fixed")
            if word != "fixed" or d in OURS[KINDS[e.kind]].status:
                found.setdefault(word, []).append(d)
        return {word: tuple(names) for word, names in found.items()}

    def _section(self, e) -> dict:
        """Section and damping options; joints have springs instead."""
        values = {}
        stiff, mass = (self.props.get((k, e.number)) for k in ("ESTIFF", "EM"))
        if stiff and (e.kind in BEAMS or "TRUSS" in e.kind):
            values |= {_STIFF[n]: v for n, v in zip(e.form.stiffness, stiff.values, strict=False)}
        if mass:
            values |= {_MASS[n]: v for n, v in zip(e.form.mass, mass.values, strict=False)}
        values = {k: v for k, v in values.items() if v}
        for item in (stiff, mass):
            if item:
                with self.at(item):
                    Section(**values)
        return {"section": Section(**values)} if mass or (stiff and (e.kind in BEAMS or "TRUSS" in e.kind)) else {}

    def status(self) -> None:
        model, parts = self.out.model, self.dat.status
        for s in parts:
            if s.keyword in ("FIX", "DYNX"):
                with self.at(s):
                    names = tuple(self.components(s.number)[c - 1] for c in s.components)
                    if s.keyword == "FIX" or names:
                        self.call("fix" if s.keyword == "FIX" else "dof", self.name(s.number), *names)
                    else:
                        self.call("dof", self.name(s.number), *self.components(s.number))
            elif s.keyword in ("INPUTX", "INPUTE"):
                at_node = s.keyword == "INPUTX"
                names = self.components(s.number) if at_node else deformations(self.dat.element(s.number).kind)
                owner = self.name(s.number) if at_node else f"e{s.number}"
                for c in s.components or range(1, len(names) + 1):
                    with self.at(s):
                        node = next((d[owner] for d in (model.points, model.frames, model.warps) if owner in d), None)
                        self._prescribe(s, owner, names[c - 1], c, float(node.start[c - 1]) if at_node else 0.0)

    def _prescribe(self, s, owner, name, c, start) -> None:
        letter = s.keyword[-1]
        given, more = (self.inputs.get((k + letter, s.number, c)) for k in ("INPUT", "DELINP"))
        values = [*given.values, 0.0, 0.0][:3] if given else [start, 0.0, 0.0]
        delta = more.values[0] if more else 0.0
        self.out.prescribed[f"{owner}.{name}"] = (start, values[0], delta)
        motion = polynomial(values[0], values[1], values[2] / 2)
        self.out.model.prescribe(owner, name, motion)
        shown = f"polynomial({', '.join(map(repr, [values[0], values[1], values[2] / 2]))})"
        if delta:
            shown += f" + ramp(0.0, {delta!r}, 1.0)"
        self.out.script.append(f"model.prescribe({owner!r}, {name!r}, {shown})")
