"""Converters: a .dat file to a Python script and to TOML, our model to a .dat file with all digits.

print(to_script(read_dat("arm.dat")))
write_dat("arm.dat", to_dat(model))
"""

from __future__ import annotations

import re

import numpy as np

from spacar_py.errors import InputError
from spacar_py.model import Model
from spacar_py.signals import Signal as TimeSignal
from spacar_py.spacarfiles.build import KINDS, build, to_model
from spacar_py.spacarfiles.datmodel import Coordinates, DatModel, Element, Input, Property, Setting, Status
from spacar_py.spacarfiles.keywords import ELEMENTS

_KEYWORDS = {ours: theirs for theirs, ours in KINDS.items()}
_WORDS = {"dof": "DYNE", "released": "RLSE", "prescribed": "INPUTE"}


def to_script(dat: DatModel) -> str:
    """Python script that makes the model of a .dat file by the methods of `Model`, with all digits.

    Loads that grow in load steps (DELXF, DELINPX, DELINPE) become functions of a pseudo-time from 0 to 1.

    Examples
    --------
    >>> from spacar_py.spacarfiles import parse_dat
    >>> print(to_script(parse_dat('''
    ... X 1 0 0 0
    ... X 2 1 0 0
    ... TRUSS 1 1 2
    ... FIX 1
    ... DYNX 2 2 3
    ... END HALT
    ... XM 2 5.0
    ... END END''')))
    import spacar_py as sp
    <BLANKLINE>
    model = sp.Model()
    model.point('x1', (0.0, 0.0, 0.0))
    model.point('x2', (1.0, 0.0, 0.0))
    model.truss('e1', 'x1', 'x2')
    model.fix('x1')
    model.dof('x2', 'y', 'z')
    model.mass('x2', 5.0)
    """
    lines = build(dat, increments=False).script
    text = "\n".join(lines)
    head = ["import numpy as np"] * ("np." in text) + ["import spacar_py as sp"]
    names = [n for n in ("polynomial", "ramp") if f"{n}(" in text]
    if names:
        head.append(f"from spacar_py.signals import {', '.join(names)}")
    tail = []
    if "ramp(" in text:
        n = dat.setting("ITERSTEP")
        steps = int(n.values[1]) if n else 1
        tail = ["", f"# load steps: level t from 0 to 1 in {steps} steps", "states, q = [], None",
                f"for t in np.linspace(0.0, 1.0, {steps + 1}):",
                "    states.append(sp.solve_static(model, steps=1, t=t, ramp=(), q0=q))",
                "    q = states[-1].q[-1]"]  # fmt: skip
        head = ["import numpy as np", *[h for h in head if "numpy" not in h]]
    return "\n".join([*head, "", *lines, *tail])


def dat_to_toml(dat: DatModel, path) -> None:
    """Write the model of a .dat file as a TOML file (see `spacar_py.modelfile`), with the loads that act at the start.

    Raises
    ------
    InputError
        If a beam has damping that is not proportional to its stiffness, which the TOML format has no word for.
    """
    from spacar_py.modelfile import write_model

    model = to_model(dat)
    for name, beta in model.material_damping.items():
        if np.ndim(beta):
            raise InputError(
                f"{dat.path}: beam '{name}': its EDAMP is not proportional to ESTIFF, a TOML file cannot hold that; "
                "make it proportional, or convert to a Python script"
            )
    write_model(model, path)


def toml_to_dat(toml, path: str = "model.dat") -> DatModel:
    """The model in a TOML file as a .dat file; see `to_dat` for what can be written."""
    from spacar_py.modelfile import read_model

    return to_dat(read_model(toml), path)


def to_dat(model: Model, path: str = "model.dat") -> DatModel:
    """A model as a .dat file; `write_dat` writes it with all digits.

    Nodes called x5, r6, w7 and elements called e4 keep their numbers; all others are numbered in their order.
    Deformations that the program may choose as degrees of freedom are written as it chose them.

    Raises
    ------
    InputError
        If SPACAR's format has no word for something in the model; it names the thing.
    """
    return _Writer(model, path).dat()


class _Writer:
    def __init__(self, model: Model, path: str):
        self.model, self.path, self.system = model, path, model.compile()
        self._refuse()
        self.nodes = self._numbers(model.all_nodes(), "xrw")
        self.elements = self._numbers(model.elements.values(), "e")
        self.of_frame = {n: k for n, k in self.nodes.items()}

    def _refuse(self) -> None:
        m = self.model
        for what, _, _, _ in m.user_forces:
            self.no(what, "a Python function")
        for load in m.loads:
            label = f"{load.kind.replace('_', ' ')} on '{load.node.name}'"
            if load.kind.startswith("follower"):
                self.no(label, "a load that follows a frame")
            if load.signal is not None:
                self._constant(label, load.signal)
        for el in m.elements.values():
            if el.kind not in _KEYWORDS:
                self.no(el.label, f"the element '{el.kind}'")
        for b in m.bodies:
            if np.any(b.c):
                self.no(f"body at '{b.name}'", "a mass centre off its node: put a rigid beam and a mass there instead,")

    def no(self, what: str, why: str):
        raise InputError(
            f"{self.path}: {what}: SPACAR's format has no word for {why}; leave it out, or keep the model in Python"
        )

    def _constant(self, what: str, signal) -> float:
        if not isinstance(signal, TimeSignal) or len(signal.start) != 1 or np.any(signal.coef[0, 1:]):
            self.no(what, "a function of time")
        return float(signal.coef[0, 0])

    def _numbers(self, things, letters: str) -> dict:
        things = list(things)
        kept = [re.fullmatch(rf"[{letters}](\d{{1,5}})", t.name) for t in things]
        numbers = [int(k.group(1)) if k else 0 for k in kept]
        if all(numbers) and len(set(numbers)) == len(numbers):
            return dict(zip(things, numbers, strict=True))
        if letters == "e":
            return {t: i for i, t in enumerate(things, 1)}
        order, out = {}, {}
        for t in things:  # a point and the frame of its name get numbers next to each other, as in SPACAR Light
            order.setdefault(t.name, []).append(t)
        for same in order.values():
            for t in same:
                out[t] = len(out) + 1
        return out

    def dat(self) -> DatModel:
        m = self.model
        used = {n for el in m.elements.values() for n in el.nodes.values()}
        points = [n for n in m.points.values() if n in used]
        settings = [Setting("GRAVITY", tuple(float(g) for g in m.gravity[: m.dim]))] if m.gravity.any() else []
        return DatModel(
            elements=sorted((self._element(el) for el in m.elements.values()), key=lambda e: e.number),
            coordinates=sorted((Coordinates(self.nodes[n], n.start) for n in points), key=lambda x: x.node),
            status=[*self._coordinates(used), *self._deformations()], properties=[*self._laws(), *self._nodal(used)],
            inputs=self.inputs, settings=settings, path=self.path,
        )  # fmt: skip

    def _element(self, el) -> Element:
        keyword = _KEYWORDS[el.kind]
        form = ELEMENTS[keyword]
        nodes = tuple(self.nodes[el.nodes[slot.replace("phi", "r")]] for slot, _ in form.nodes)
        vector = None
        if form.vector:
            vector = tuple(float(v) for v in el.axes[0 if keyword == "HINGE" else 1])
        if keyword in ("PINBODY", "PLPINBOD"):
            held = all(self.system.e_status[i] == "fixed" for i in self._places(el))
            if not held and not np.allclose(np.abs(el.axes[0]), (1, 0, 0), atol=1e-12):
                self.no(el.label, "a pin body whose free shifts are not along the axes of space")
        return Element(keyword, self.elements[el], nodes, vector)

    def _places(self, el) -> range:
        first, names = self.system.elements[el.name]
        return range(first, first + len(names))

    def _coordinates(self, used) -> list[Status]:
        out, self.inputs = [], []
        for node, number in sorted(self.nodes.items(), key=lambda item: item[1]):
            if node not in used:
                continue
            first, size = self.system.nodes[node.kind, node.name]
            classes = self.system.x_status[first : first + size]
            if (
                size == 4
                and any(c in ("dof", "prescribed") for c in classes)
                and tuple(node.start) != (1.0, 0.0, 0.0, 0.0)
            ):
                self.no(f"frame '{node.name}'", "Euler parameters of a frame that is turned at the start")
            for word, keyword in (("fixed", "FIX"), ("dof", "DYNX"), ("prescribed", "INPUTX")):
                found = tuple(c + 1 for c, s in enumerate(classes) if s == word)
                if found:
                    out.append(Status(keyword, number, () if len(found) == size and word == "fixed" else found))
                for c in found if word == "prescribed" else ():
                    motion = self.model.x_status[node, node.components[c - 1]][1]
                    self._input(
                        "INPUTX", number, c, motion, f"'{node.name}.{node.components[c - 1]}'", node.start[c - 1]
                    )
        return out

    def _deformations(self) -> list[Status]:
        out = []
        for el, number in sorted(self.elements.items(), key=lambda item: item[1]):
            classes = [self.system.e_status[i] for i in self._places(el)]
            for word, keyword in _WORDS.items():
                found = tuple(c + 1 for c, s in enumerate(classes) if s == word)
                if found:
                    out.append(Status(keyword, number, found))
                for c in found if word == "prescribed" else ():
                    d = el.deformations[c - 1]
                    self._input("INPUTE", number, c, self.model.e_status[el.name, d][1], f"'{el.name}.{d}'", 0.0)
        return out

    def _input(self, keyword, number, component, motion, what, start) -> None:
        if (
            not isinstance(motion, TimeSignal)
            or len(motion.start) != 1
            or np.any(motion.coef[0, 3:])
            or motion.start[0]
        ):
            self.no(f"motion of {what}", "more than a value, a rate and an acceleration")
        v, d, a = motion.coef[0, 0], motion.coef[0, 1], 2 * motion.coef[0, 2]
        values = (float(v), float(d), float(a)) if a else (float(v), float(d)) if d else (float(v),)
        if len(values) > 1 or v != start:
            self.inputs.append(Input(keyword, number, component, values))

    def _laws(self) -> list[Property]:
        out = []
        for el, number in sorted(self.elements.items(), key=lambda item: item[1]):
            form = ELEMENTS[_KEYWORDS[el.kind]]
            n = len(el.deformations)
            stiff, damp, stress = self._springs(el, n)
            s = el.section
            if s is not None:
                mass = dict(zip(("m/L", "Jxx/L", "Jyy/L", "Jzz/L", "J/L", "Jyz/L", "Jw/L"),
                                (s.m, s.Jx, s.Jy, s.Jz, s.Jz, s.Jyz, s.Jw), strict=True))  # fmt: skip
                out += _property("EM", number, [mass[k] for k in form.mass])
            if el.elastic or "truss" in el.kind:
                own = self._section_laws(el, form, number)
                if stiff.any() or (damp.any() and "truss" not in el.kind):
                    self.no(el.label, "a spring or damper on the deformation of a beam or bar")
                damp = damp * (el.L0 if "truss" in el.kind else 1.0)
                out += own + (_property("EDAMP", number, damp) if damp.any() else [])
            else:
                out += _property("ESTIFF", number, stiff) + _property("EDAMP", number, damp)
            out += _property("ESIG", number, stress)
        return out

    def _section_laws(self, el, form, number) -> list[Property]:
        s = el.section
        if s is None:
            return []
        values = dict(EA=s.EA, GJ=s.GJ, EIy=s.EIy, EIz=s.EIz, EI=s.EIz, shearY=s.shear_y, shearZ=s.shear_z,
                      shear=s.shear_z, EIw=s.EIw)  # fmt: skip
        out = _property("ESTIFF", number, [values[k] for k in form.stiffness])
        beta = np.asarray(self.model.material_damping.get(el.name, 0.0), float)
        if not beta.any():
            return out
        n = len(el.deformations)
        ratio = np.diag(np.broadcast_to(beta, (n, n)))
        at = dict(EA=0, GJ=1, EIy=2, EIz=4, EI=1, EIw=6)
        return out + _property("EDAMP", number, [values[k] * ratio[at[k]] if k in at else 0.0 for k in form.stiffness])

    def _springs(self, el, n) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        stiff, damp, stress = np.zeros(n), np.zeros(n), np.zeros(n)
        at = {d: i for i, d in enumerate(el.deformations)}
        for owner, d, k, free in self.model.springs:
            if owner == el.name:
                stiff[at[d]] += k
                stress[at[d]] -= k * free
        for owner, d, c in self.model.dampers:
            if owner == el.name:
                damp[at[d]] += c
        for owner, d, v in self.model.prestresses:
            if owner == el.name:
                stress[at[d]] += v
        for owner, d, signal in self.model.actuators:
            if owner == el.name:
                stress[at[d]] -= self._constant(f"actuator on '{owner}.{d}'", signal)
        return stiff, damp, stress

    def _nodal(self, used) -> list[Property]:
        mass, force = {}, {}
        for b in self.model.bodies:
            if b.m:
                mass[b.nodes["xp"]] = mass.get(b.nodes["xp"], 0.0) + b.m
            if b.J is not None and b.J.any():
                mass[b.nodes["rp"]] = mass.get(b.nodes["rp"], 0.0) + b.J
        for load in self.model.loads:
            factor = 1.0 if load.signal is None else self._constant("load", load.signal)
            size = 3 if load.node.size == 4 else load.node.size
            force[load.node] = force.get(load.node, 0.0) + factor * load.vector[:size]
        for node in [*mass, *force]:
            if node not in used:
                self.no(f"{node.kind} '{node.name}'", "a node that no element uses")
        out = []
        for node, m in mass.items():
            if np.ndim(m) == 2:
                m = [m[2, 2]] if node.size == 1 else [m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]]
            out.append(Property("XM", self.nodes[node], tuple(float(v) for v in np.atleast_1d(m))))
        return out + [Property("XF", self.nodes[n], tuple(float(v) for v in f)) for n, f in force.items()]


def _property(keyword, number, values) -> list[Property]:
    """The property, or nothing where all values are zero."""
    values = [float(v) for v in values]
    return [Property(keyword, number, tuple(values))] if any(values) else []
