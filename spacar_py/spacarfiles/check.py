"""What a `DatModel` must fulfil that needs no mechanics: references, kinds of nodes, counts, contradictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spacar_py.spacarfiles.datmodel import DatModel, Element
from spacar_py.spacarfiles.keywords import (
    ELEMENT_PROPERTIES,
    ELEMENT_SIGNALS,
    NODE_INPUTS,
    NODE_PROPERTIES,
    NODE_SIGNALS,
    NODE_STATUS,
    SETTINGS,
    NodeKind,
    signal_group,
)
from spacar_py.spacarfiles.lexer import DatError

# numbers of XM and of XF and DELXF by kind of node
_MASS_COUNTS = {NodeKind.ROTATION: (6,)}
_FORCE_COUNTS = {NodeKind.TRANSLATION: (3,), NodeKind.ROTATION: (3, 4), NodeKind.PLANAR_TRANSLATION: (2, 3)}


def check(model: DatModel) -> list[str]:
    """Raise the first error of a model, or return its warnings.

    Raises
    ------
    DatError
        With the statement at fault.
    """
    checker = _Checker(model)
    checker.elements()
    checker.coordinates()
    checker.status()
    checker.properties()
    checker.inputs()
    checker.settings()
    checker.signals()
    return checker.warnings


class _Checker:
    def __init__(self, model: DatModel):
        self.model, self.warnings = model, []
        self.by_number: dict[int, Element] = {}
        self.kinds: dict[int, NodeKind] = {}

    def error(self, item: Any, message: str) -> DatError:
        name = getattr(item, "keyword", None) or getattr(item, "kind", "X")
        number = getattr(item, "number", getattr(item, "node", ""))
        return DatError(self.model.path, item.source, f"{name} {number}".rstrip() + f": {message}")

    def once(self, items: Iterable[Any], key, what: str) -> None:
        first: dict[Any, Any] = {}
        for item in items:
            other = first.setdefault(key(item), item)
            if other is not item:
                raise self.error(item, f"{what} already given on line {other.source.line}; remove one of them")

    def node(self, item: Any, number: int) -> NodeKind:
        if number not in self.kinds:
            raise self.error(item, f"node {number} is not defined; a node is defined by an element that uses it")
        return self.kinds[number]

    def element(self, item: Any, number: int) -> Element:
        if number not in self.by_number:
            raise self.error(item, f"element {number} is not defined; define it in the kinematics")
        return self.by_number[number]

    def component(self, item: Any, component: int, number: int, node: bool) -> None:
        if node:
            kind = self.node(item, number)
            size, owner, what = kind.size, f"{kind.label} node {number}", "coordinate"
        else:
            element = self.element(item, number)
            size, owner, what = element.form.deformations, f"{element.kind} {number}", "deformation"
        if component > size:
            count = f"1 to {size}" if size > 1 else "1 only"
            raise self.error(item, f"{owner} has no {what} {component}; its {what}s are {count}")

    def elements(self) -> None:
        self.once(self.model.elements, lambda e: e.number, "element number")
        used: dict[int, tuple[NodeKind, Element]] = {}
        for element in self.model.elements:
            self.by_number[element.number] = element
            for node, (_, kind) in zip(element.nodes, element.form.nodes, strict=True):
                before, other = used.setdefault(node, (kind, element))
                if before is not kind and not (before.is_translation and kind.is_translation):
                    raise self.error(element, f"node {node} is a {kind.label} node here and a {before.label} node in "
                                     f"{other.kind} {other.number} (line {other.source.line}); use two nodes")
            if len(set(element.nodes)) < len(element.nodes):
                raise self.error(element, f"its nodes must differ, got {' '.join(map(str, element.nodes))}")
            if element.vector is not None and not any(element.vector):
                raise self.error(element, "the vector must not be zero, got 0 0 0; give a direction")
        self.kinds = self.model.node_kinds()

    def coordinates(self) -> None:
        self.once(self.model.coordinates, lambda x: x.node, "coordinates")
        place = {x.node: (*x.values, 0.0)[:3] for x in self.model.coordinates}
        for x in self.model.coordinates:
            kind = self.kinds[x.node]
            if not kind.is_translation:
                raise self.error(x, f"node {x.node} is a {kind.label} node, X is for translation nodes; "
                                 "rotation and warping start from zero")
            if len(x.values) == 2 and kind is NodeKind.TRANSLATION:
                raise self.error(x, "a node in space needs 4 numbers (node x y z), got 3")
        for element in self.model.elements:
            ends = [n for n, (_, kind) in zip(element.nodes, element.form.nodes, strict=True) if kind.is_translation]
            for node in ends:
                if node not in place:
                    raise self.error(element, f"translation node {node} has no coordinates; add X {node} x y z")
            if ends and element.kind not in ("PINBODY", "PLPINBOD") and place[ends[0]] == place[ends[1]]:
                raise self.error(element, f"its length is zero: nodes {ends[0]} and {ends[1]} are at the same place")

    def status(self) -> None:
        given: dict[tuple[bool, int, int], Any] = {}
        for s in self.model.status:
            at_node = s.keyword in NODE_STATUS
            size = self.node(s, s.number).size if at_node else self.element(s, s.number).form.deformations
            for c in s.components or range(1, size + 1):
                self.component(s, c, s.number, at_node)
                other = given.setdefault((at_node, s.number, c), s)
                if other.keyword != s.keyword:
                    what = "coordinate" if at_node else "deformation"
                    raise self.error(s, f"{what} {c} is {other.keyword} already on line {other.source.line}; "
                                     "give each one class")

    def properties(self) -> None:
        self.once(self.model.properties, lambda p: (p.keyword, p.number), "values")
        for p in self.model.properties:
            if p.keyword in NODE_PROPERTIES:
                kind = self.node(p, p.number)
                counts = (_MASS_COUNTS if p.keyword == "XM" else _FORCE_COUNTS).get(kind, (1,))
                if len(p.values) not in counts:
                    raise self.error(p, f"a {kind.label} node takes {' or '.join(map(str, counts))} numbers behind its "
                                     f"number, got {len(p.values)}")
                continue
            assert p.keyword in ELEMENT_PROPERTIES
            element = self.element(p, p.number)
            form = element.form
            names = {"EM": form.mass, "ESIG": tuple(f"sigma{i + 1}" for i in range(form.deformations))}.get(
                p.keyword, form.stiffness)
            if not names:
                raise self.error(p, f"{element.kind} {p.number} has no {p.keyword}; give its nodes mass with XM")
            if len(p.values) > len(names):
                raise self.error(p, f"{element.kind} {p.number} takes at most {len(names)} numbers "
                                 f"({' '.join(names)}), got {len(p.values)}")

    def inputs(self) -> None:
        self.once(self.model.inputs, lambda i: (i.keyword, i.number, i.component), "value")
        for i in self.model.inputs:
            self.component(i, i.component, i.number, i.keyword in NODE_INPUTS)
        classes = {"X": self.model.coordinate_status(), "E": self.model.deformation_status()}
        for i in self.model.inputs:
            letter = i.keyword[-1]
            needed = f"DYN{letter}" if i.keyword.startswith("START") else f"INPUT{letter}"
            if classes[letter].get((i.number, i.component)) != needed:
                self.warnings.append(f"line {i.source.line}: {i.keyword} {i.number} {i.component} has no effect: "
                                     f"the kinematics have no {needed} {i.number} {i.component}")

    def settings(self) -> None:
        self.once(self.model.settings, lambda s: s.keyword, "this was")
        for s in self.model.settings:
            for position in SETTINGS[s.keyword].integers:
                if s.values[position] != int(s.values[position]) or s.values[position] < 1:
                    raise self.error(s, f"number {position + 1} ({SETTINGS[s.keyword].usage}) must be a whole number "
                                     f"from 1 on, got {s.values[position]:.12g}")
        positive = {"TIMESTEP": (0,), "ITERSTEP": (2,), "ERROR": (0, 1)}
        for s in self.model.settings:
            for position in positive.get(s.keyword, ()):
                if position < len(s.values) and s.values[position] <= 0:
                    raise self.error(s, f"number {position + 1} ({SETTINGS[s.keyword].usage}) must be positive, "
                                     f"got {s.values[position]:.12g}")

    def signals(self) -> None:
        assert all(s.keyword in NODE_SIGNALS + ELEMENT_SIGNALS for s in self.model.signals)
        self.once(self.model.signals, lambda s: (signal_group(s.keyword), s.index), "this index was")
        groups: dict[str, list[int]] = {}
        for s in self.model.signals:
            self.component(s, s.component, s.number, s.keyword in NODE_SIGNALS)
            groups.setdefault(signal_group(s.keyword), []).append(s.index)
        for group, indices in groups.items():
            missing = sorted(set(range(1, max(indices) + 1)) - set(indices))
            if missing:
                self.warnings.append(f"the {group} vector has no entry {', '.join(map(str, missing[:10]))}")
