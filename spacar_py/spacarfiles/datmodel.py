"""A .dat file as plain data: what is written there, and nothing computed.

Statements of the same sort stand in one tuple, in the order of the file; every statement remembers its line.
Lines do not take part in comparison, so that a model equals what is read back from its own text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spacar_py.spacarfiles.keywords import ELEMENTS, SECTIONS, ElementForm, NodeKind
from spacar_py.spacarfiles.lexer import Source


def _source() -> Source:
    return field(default_factory=Source, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its kind ("BEAM"), number, nodes in the order of the statement, and vector (y vector or axis)."""

    kind: str
    number: int
    nodes: tuple[int, ...]
    vector: tuple[float, float, float] | None = None
    source: Source = _source()

    @property
    def form(self) -> ElementForm:
        return ELEMENTS[self.kind]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """X: the initial coordinates of a translation node [m]."""

    node: int
    values: tuple[float, ...]
    source: Source = _source()


@dataclass(frozen=True, slots=True)
class Status:
    """FIX, INPUTX, DYNX of a node, RLSE, INPUTE, DYNE of an element; no components means all."""

    keyword: str
    number: int
    components: tuple[int, ...] = ()
    source: Source = _source()


@dataclass(frozen=True, slots=True)
class Property:
    """XM, XF, DELXF of a node, EM, ESTIFF, ESIG, EDAMP of an element, with their numbers.

    XF and DELXF of a rotation node: three numbers are a moment about the global axes [N m], four numbers are the
    forces dual to the Euler parameters (SPACAR Light wrote both, in different versions).
    """

    keyword: str
    number: int
    values: tuple[float, ...]
    source: Source = _source()


@dataclass(frozen=True, slots=True)
class Input:
    """INPUTX, DELINPX, STARTDX of a coordinate, INPUTE, DELINPE, STARTDE of a deformation: value [rate [acc.]]."""

    keyword: str
    number: int
    component: int
    values: tuple[float, ...]
    source: Source = _source()


@dataclass(frozen=True, slots=True)
class Setting:
    """A statement that concerns the whole model, such as GRAVITY, and its numbers."""

    keyword: str
    values: tuple[float, ...] = ()
    source: Source = _source()


@dataclass(frozen=True, slots=True)
class Signal:
    """An entry of an input or output vector: which quantity (keyword), its index, node or element, component."""

    keyword: str
    index: int
    number: int
    component: int
    source: Source = _source()


@dataclass(frozen=True)
class DatModel:
    """All statements of a .dat file.

    Attributes
    ----------
    elements, coordinates, status : kinematics
    properties, inputs : dynamics
    settings : OUTLEVEL (kinematics) and the settings of the dynamics
    signals : input/output
    trajectory : TRAJECT, TRANS, ... with their numbers; kept, not understood
    visualization : lines of the VISUALIZATION block as they stand, None without one
    path : where it was read from
    warnings : what was accepted but looks wrong, one sentence each
    """

    elements: tuple[Element, ...] = ()
    coordinates: tuple[Coordinates, ...] = ()
    status: tuple[Status, ...] = ()
    properties: tuple[Property, ...] = ()
    inputs: tuple[Input, ...] = ()
    settings: tuple[Setting, ...] = ()
    signals: tuple[Signal, ...] = ()
    trajectory: tuple[Setting, ...] = ()
    visualization: tuple[str, ...] | None = None
    path: str = field(default="model.dat", compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self):
        for name in ("elements", "coordinates", "status", "properties", "inputs", "settings", "signals", "trajectory"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        # in the order of the file's sections, whatever order they are given in
        settings = sorted(self.settings, key=lambda s: s.keyword not in SECTIONS["kinematics"])
        object.__setattr__(self, "settings", tuple(settings))

    def element(self, number: int) -> Element | None:
        """The element with this number, or None."""
        return next((e for e in self.elements if e.number == number), None)

    def setting(self, keyword: str) -> Setting | None:
        """The setting with this keyword, or None."""
        return next((s for s in self.settings if s.keyword == keyword), None)

    def node_kinds(self) -> dict[int, NodeKind]:
        """The kind of every node, by ascending number: from the elements, and from X for nodes without one.

        A node in the plane that a spatial element uses too has three coordinates. Other contradictions are found
        by the checks of the reader, not here.
        """
        kinds: dict[int, NodeKind] = {}
        for element in self.elements:
            for node, (_, kind) in zip(element.nodes, element.form.nodes, strict=True):
                if kinds.get(node) is not NodeKind.TRANSLATION:
                    kinds[node] = kind
        for x in self.coordinates:
            kinds.setdefault(x.node, NodeKind.TRANSLATION if len(x.values) == 3 else NodeKind.PLANAR_TRANSLATION)
        return dict(sorted(kinds.items()))

    def coordinate_status(self) -> dict[tuple[int, int], str]:
        """(node, component) of every coordinate that is FIX, INPUTX or DYNX; all others are dependent."""
        kinds = self.node_kinds()
        return {(s.number, c): s.keyword for s in self.status if s.keyword in ("FIX", "INPUTX", "DYNX")
                for c in s.components or range(1, kinds[s.number].size + 1)}

    def deformation_status(self) -> dict[tuple[int, int], str]:
        """(element, component) of every deformation that is RLSE, INPUTE or DYNE; all others are fixed."""
        sizes = {e.number: e.form.deformations for e in self.elements}
        return {(s.number, c): s.keyword for s in self.status if s.keyword in ("RLSE", "INPUTE", "DYNE")
                for c in s.components or range(1, sizes[s.number] + 1)}
