"""The part of the builder that reads the dynamics of a .dat file: springs, damping, masses, loads, initial values."""

from __future__ import annotations

import numpy as np

from spacar_py.errors import InputError
from spacar_py.sections import Section
from spacar_py.spacarfiles.keywords import NodeKind
from spacar_py.spacarfiles.lexer import DatError

BEAMS = ("BEAM", "BEAMW", "PLBEAM")
# number of a stiffness -> the deformations it belongs to
_BLOCKS = {"EA": (0,), "GJ": (1,), "EIy": (2, 3), "EIz": (4, 5), "EI": (1, 2), "EIw": (6, 7)}


class DynamicsPart:
    """Methods of the builder; see `build`."""

    def laws(self) -> None:
        """Springs and dampers of joints, damping of beams, prestress."""
        for p in self.dat.properties:
            if p.keyword not in ("ESTIFF", "EDAMP", "ESIG"):
                continue
            e = self.dat.element(p.number)
            names = self.deformations(e.kind)
            with self.at(p):
                if p.keyword == "ESIG":
                    for name, v in zip(names, p.values, strict=False):
                        if v:
                            self.call("prestress", f"e{e.number}", name, v)
                elif e.kind in BEAMS:
                    if p.keyword == "EDAMP":
                        self._beam_damping(e, p)
                elif p.keyword == "EDAMP" or "TRUSS" not in e.kind:
                    L = self.out.model.elements[f"e{e.number}"].L0 if "TRUSS" in e.kind else 1.0
                    for name, v in zip(names, p.values, strict=False):
                        if v:
                            self.call("spring" if p.keyword == "ESTIFF" else "damper", f"e{e.number}", name, v / L)

    def _beam_damping(self, e, p) -> None:
        """EDAMP as the ratio to ESTIFF, deformation by deformation: the two matrices have the same form."""
        stiff = self.props.get(("ESTIFF", e.number))
        stiffness = dict(zip(e.form.stiffness, stiff.values if stiff else (), strict=False))
        n = len(self.deformations(e.kind))
        ratio = np.zeros((n, n))
        for name, v in zip(e.form.stiffness, p.values, strict=False):
            k = stiffness.get(name, 0.0)
            if name.startswith("shear"):
                if v and v != k:
                    raise InputError(f"EDAMP {e.number}: {name} must be zero or that of ESTIFF, {k:g}, got {v:g}")
                continue
            if v < 0 or (v and not k):
                rule = "must not be negative" if v < 0 else "needs stiffness: ESTIFF has none"
                raise InputError(f"EDAMP {e.number}: {name} {rule}, got {v:g}")
            rows = _BLOCKS[name]
            if e.kind == "BEAMW" and name in ("GJ", "EIw"):
                rows = (1, 6, 7)
                other = "EIw" if name == "GJ" else "GJ"
                damp = dict(zip(e.form.stiffness, p.values, strict=False))
                if v * stiffness.get(other, 0.0) != damp.get(other, 0.0) * k:
                    raise InputError(
                        f"EDAMP {e.number}: GJ and EIw must have one ratio to ESTIFF, as they share deformations"
                    )
            if "PL" in e.kind and name == "EA":
                rows = (0,)
            if k:
                ratio[np.ix_(rows, rows)] = v / k
        flat = np.unique(ratio[ratio > 0])
        full = all(
            v
            for name, v in zip(e.form.stiffness, p.values, strict=False)
            if stiffness.get(name) and "shear" not in name
        )
        one = float(np.mean(flat)) if len(flat) else 0.0
        if one and full and np.ptp(flat) <= 1e-9 * one:
            self.out.model.material_damping[f"e{e.number}"] = one
            self.out.script.append(f"model.material_damping['e{e.number}'] = {one!r}")
        elif one:
            self.out.model.material_damping[f"e{e.number}"] = ratio
            self.out.script.append(f"model.material_damping['e{e.number}'] = np.array({ratio.tolist()!r})")

    def masses(self) -> None:
        for p in self.dat.properties:
            if p.keyword != "XM" or not any(p.values):
                continue
            kind, model = self.kinds[p.number], self.out.model
            with self.at(p):
                if kind.is_translation:
                    self.call("mass", self.name(p.number), p.values[0])
                elif kind is NodeKind.WARPING:
                    raise InputError(
                        f"XM {p.number}: a warping node has no mass of its own; give the beams Jw/L with EM"
                    )
                else:
                    a = p.values
                    J = a[0] if len(a) == 1 else [[a[0], a[1], a[2]], [a[1], a[3], a[4]], [a[2], a[4], a[5]]]
                    mate = next((n for e in self.dat.elements if p.number in e.nodes for n in e.nodes
                                 if self.kinds[n].is_translation), None)  # fmt: skip
                    point = self.name(mate) if mate else next(iter(model.points), None)
                    if point is None:
                        point = "origin"
                        self.call("point", point, (0.0,) * model.dim)
                        self.call("fix", point)
                    self.call("body", (point, self.name(p.number)), J=J)

    def loads(self) -> None:
        nodes = dict.fromkeys(p.number for p in self.dat.properties if p.keyword in ("XF", "DELXF"))
        for number in nodes:
            base, delta = (self._force(self.props.get((k, number)), number) for k in ("XF", "DELXF"))
            if not np.any(base) and not (self.increments and np.any(delta)):
                if np.any(delta):
                    self._add(number, delta, True)
                continue
            self._add(number, base, False)
            if np.any(delta):
                self._add(number, delta, True)
            self.out.forces.append((base, delta))
        if np.any(self.out.gravity[1]):
            self.out.script.append(
                f"# DELGRAV {show(self.out.gravity[1])} in load steps: set model.gravity step by step"
            )

    def _add(self, number, vector, growing) -> None:
        """A load in the model, or, if it grows in steps, in the script alone."""
        frame = not self.kinds[number].is_translation
        if not growing:
            self.call("moment" if frame else "force", self.name(number), plain(vector))
        else:
            word = "moment" if frame else "force"
            self.out.script.append(
                f"model.{word}({self.name(number)!r}, {show(plain(vector))}, signal=ramp(0.0, 1.0, 1.0))"
            )

    def _force(self, p, number) -> np.ndarray:
        kind = self.kinds[number]
        size = 1 if kind is NodeKind.PLANAR_ROTATION else self.out.model.dim
        if p is None:
            return np.zeros(size)
        if kind is NodeKind.WARPING:
            raise DatError(
                self.dat.path,
                p.source,
                f"{p.keyword} {number}: a load on a warping node is not supported; leave it out",
            )
        if len(p.values) == 4:
            raise DatError(
                self.dat.path,
                p.source,
                f"{p.keyword} {number}: four numbers, forces dual to the Euler parameters, are not supported; "
                "give the moment about the axes of space as three numbers Mx My Mz",
            )
        if any(p.values[size:]):
            raise DatError(self.dat.path, p.source, f"{p.keyword} {number}: a planar model has no third component")
        return np.array(p.values[:size])

    def starts(self) -> None:
        for i in self.dat.inputs:
            if not i.keyword.startswith("STARTD"):
                continue
            classes = self.coordinates if i.keyword == "STARTDX" else self.classes
            if not classes.get((i.number, i.component), "").startswith("DYN"):
                continue
            if i.keyword == "STARTDX":
                label = f"{self.name(i.number)}.{self.components(i.number)[i.component - 1]}"
            else:
                label = f"e{i.number}.{self.deformations(self.dat.element(i.number).kind)[i.component - 1]}"
            self.out.start[label] = i.values[0]
            if len(i.values) > 1:
                self.out.start_rates[label] = i.values[1]


def plain(v):
    return float(v[0]) if len(v) == 1 else tuple(float(x) for x in v)


def show(value) -> str:
    """A value as Python reads it back, with all digits."""
    if isinstance(value, Section):
        words = [f"{k}={getattr(value, k)!r}" for k in value.__dataclass_fields__ if k != "shape" and getattr(value, k)]
        return f"sp.Section({', '.join(words)})"
    if isinstance(value, np.ndarray):
        return repr(tuple(value.tolist()))
    return repr(value)
