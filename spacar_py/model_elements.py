"""The part of the Model that makes elements."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from . import checks
from .elements.registry import ELEMENTS
from .errors import InputError, nearest
from .sections import Section

STATUS_WORDS = {"flexible": "free", "dof": "dof", "release": "released", "fixed": "fixed"}


class ElementMethods:
    """Beams, joints and bars by name; `Model` inherits from it."""

    def beam(self, name: str, p, q, section: Section | None = None, *, y=None, elements: int = 1, warping=None,
             damping: float = 0.0, **status) -> None:  # fmt: skip
        """A beam from p to q, each a node or (point, frame), cut into `elements` pieces.

        Status keywords of all elements: `flexible`, `dof`, `release`, `fixed` take names of deformations, a group
        ("bending", "bending_y", "bending_z", "all") or several. Everything else is rigid. `flexible` lets the program
        choose the degrees of freedom among them. `damping` (s) is stiffness proportional: sigma = S (e + damping ed).
        `warping=(wp, wq)` makes a warping beam.
        """
        what = f"beam '{name}'"
        n = checks.count(what, "elements", elements)
        damping = checks.number(what, "damping", damping, minimum=0.0)
        warps = [None] * (n + 1) if warping is None else self._warps(what, name, warping, n)
        kind = "planar beam" if self.planar else "beam" if warping is None else "warping beam"
        checks.new_name("beam", name, {**self.elements, **self.chains})
        ends = [self._end(what, p), self._end(what, q)]
        pieces = [name] if n == 1 else [f"{name}[{i}]" for i in range(n)]
        with self._all_or_nothing():
            stops = [ends[0], *self._stops(name, ends, n), ends[1]]
            if warping is not None:
                for w in warps[1:-1]:
                    self.warp(w)
            for i, piece in enumerate(pieces):
                pair = None if warping is None else warps[i : i + 2]
                self._element(kind, piece, stops[i], stops[i + 1], section=section, y=y, warping=pair, status=status)
                self.material_damping[piece] = damping
            if n > 1:
                self.chains[name] = pieces

    def _warps(self, what, name, warping, n) -> list[str]:
        if self.planar:
            raise InputError(f"{what}: a planar beam does not warp; leave warping out or use a spatial model")
        if isinstance(warping, str) or not np.iterable(warping) or len(tuple(warping)) != 2:
            raise InputError(f"{what}: warping must be two names of warps (wp, wq), got {warping!r}")
        first, last = warping
        for w in (first, last):
            checks.known(what, "warp", w, self.warps)
        return [first, *[f"{name}.{i}" for i in range(1, n)], last]

    def _stops(self, name, ends, n) -> list[tuple[str, str]]:
        """New nodes that cut the chord of a beam into n pieces."""
        a, b = (np.array(self.points[point].start) for point, _ in ends)
        for i in range(1, n):
            self.node(f"{name}.{i}", a + (b - a) * (i / n))
        return [(f"{name}.{i}", f"{name}.{i}") for i in range(1, n)]

    def truss(self, name: str, p: str, q: str, section: Section | None = None, **status) -> None:
        """A bar between two points."""
        self._element("planar truss" if self.planar else "truss", name, p, q, section=section, status=status)

    def hinge(self, name: str, p: str, q: str, axis=None, *, y=None, **status) -> None:
        """A hinge between the frames p and q about `axis`; its angle is free unless said otherwise."""
        if self.planar:
            if axis is not None or y is not None:
                raise InputError(f"planar hinge '{name}': turns about z always; leave axis and y out")
            self._element("planar hinge", name, p, q, status=status)
        else:
            axis = checks.vector(f"hinge '{name}'", "axis", axis, 3, nonzero=True)
            self._element("hinge", name, p, q, axis=axis, y=y, status=status)

    def rigid_beam(self, name: str, p, q, section: Section | None = None, *, y=None, **status) -> None:
        """A rigid bar from the body at p to a point q, which may turn there (in the plane: a rigid link)."""
        kind = "planar rigid link" if self.planar else "rigid beam"
        self._element(kind, name, p, q, section=section, y=y, status=status)

    def pin_body(self, name: str, p, q, *, axis=None, y=None, **status) -> None:
        """A point q carried by the body at p."""
        kind = "planar pin body" if self.planar else "pin body"
        if axis is not None:
            axis = checks.vector(f"{kind} '{name}'", "axis", axis, self.dim, nonzero=True)
        self._element(kind, name, p, q, axis=axis, y=y, status=status)

    def slider(self, name: str, p, q, axis, *, y=None, **status) -> None:
        """A prismatic joint: q slides along `axis`, carried by p."""
        kind = "planar slider" if self.planar else "slider"
        axis = checks.vector(f"{kind} '{name}'", "axis", axis, self.dim, nonzero=True)
        self._element(kind, name, p, q, axis=axis, y=y, status=status)

    def cylinder(self, name: str, p, q, axis, *, y=None, **status) -> None:
        """A cylindrical joint: q slides along `axis`, carried by p, and turns about it."""
        axis = checks.vector(f"cylinder '{name}'", "axis", axis, 3, nonzero=True)
        self._element("cylinder", name, p, q, axis=axis, y=y, status=status)

    def spherical(self, name: str, p: str, q: str, **status) -> None:
        """A spherical joint between two points (in the plane: a pin); sharing one point does the same."""
        self._element("planar pin" if self.planar else "spherical joint", name, p, q, status=status)

    def universal(self, name: str, p: str, q: str, axis, y, **status) -> None:
        """A universal joint: `axis` carried by p and `y` carried by q stay square."""
        what = f"universal joint '{name}'"
        axis = checks.vector(what, "axis", axis, 3, nonzero=True)
        y = checks.vector(what, "y", y, 3, nonzero=True)
        cosine = axis @ y / (np.linalg.norm(axis) * np.linalg.norm(y))
        if abs(cosine) > 1e-6:
            angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
            raise InputError(f"{what}: axis and y must be square to each other, their angle is {angle:.6g} degrees")
        self._element("universal joint", name, p, q, axis=axis, y=y, status=status)

    # what all of them share -----------------------------------------------------------------------------------------

    def _element(self, kind, name, p, q, *, section=None, axis=None, y=None, warping=None, status=None) -> None:
        cls = ELEMENTS[kind]
        what = f"{kind} '{name}'"
        checks.new_name(kind, name, {**self.elements, **self.chains})
        if name.startswith("frame "):
            raise InputError(f"{what}: names that begin with 'frame ' are kept for frames; choose another one")
        if self.planar != cls.planar:
            raise InputError(f"{what}: not for a {'planar' if self.planar else 'spatial'} model")
        if section is not None and not isinstance(section, Section):
            raise InputError(f"{what}: section must be a Section, got {section!r}")
        if y is not None and self.planar:
            raise InputError(f"{what}: a planar element has no orientation to choose; leave y out")
        if y is not None:
            y = checks.vector(what, "y", y, 3, nonzero=True)
        if axis is not None:
            axis = np.concatenate([axis, np.zeros(3 - len(axis))])
        nodes = self._nodes(what, cls, p, q)
        if warping is not None:
            nodes["wp"], nodes["wq"] = (self.warps[w] for w in warping)
        for s in ("x", "r", "w"):
            if s + "p" in nodes and nodes[s + "p"] is nodes.get(s + "q"):
                node = nodes[s + "p"]
                raise InputError(f"{what}: both ends use the {node.kind} '{node.name}'; they must be two different")
        element = cls(name, nodes, section=section, axis=axis, y=y)
        wanted = {d: (s, None) for d, s in {**cls.status, **self._statuses(what, element, status)}.items()}
        self._touch()
        self.elements[name] = element
        for d, s in wanted.items():
            self.e_status[name, d] = s

    def _nodes(self, what, cls, p, q) -> dict:
        nodes = {}
        for end, spec in (("p", p), ("q", q)):
            point, frame = f"x{end}" in cls.slots, f"r{end}" in cls.slots
            names = self._end(what, spec, point, frame)
            if point:
                nodes[f"x{end}"] = self.points[names[0]]
            if frame:
                nodes[f"r{end}"] = self.frames[names[1]]
        return nodes

    def _end(self, what, spec, point=True, frame=True) -> tuple[str, str]:
        """(point, frame) names of one end given as a name or a pair."""
        if isinstance(spec, str):
            names = (spec, spec)
        elif isinstance(spec, (tuple, list)) and len(spec) == 2 and all(isinstance(s, str) for s in spec):
            names = tuple(spec)
        else:
            raise InputError(f"{what}: an end must be the name of a node or a pair (point, frame), got {spec!r}")
        if point:
            checks.known(what, "point", names[0], self.points)
        if frame:
            checks.known(what, "frame", names[1], self.frames)
        return names

    def _statuses(self, what, element, given) -> dict[str, str]:
        out, seen = {}, {}
        for key, value in given.items():
            if key not in STATUS_WORDS:
                words = ", ".join(STATUS_WORDS)
                raise InputError(f"{what}: unknown option '{key}'{nearest(key, STATUS_WORDS)}; known: {words}")
            for d in self._expand(what, element, value):
                if d in seen and seen[d] != key:
                    raise InputError(f"{what}: {d} is named both under '{seen[d]}' and under '{key}'; choose one")
                seen[d] = key
                out[d] = STATUS_WORDS[key]
        return out

    def _expand(self, what, element, names) -> list[str]:
        """Deformations meant by a name, a group or several."""
        if names is False or names is None:
            return []
        meant = {"all": element.deformations, **element.groups, **{d: (d,) for d in element.deformations}}
        out = []
        for n in ["all"] if names is True else [names] if isinstance(names, str) or not np.iterable(names) else names:
            if isinstance(n, str) and n in meant:
                out += meant[n]
            else:
                options = [*element.deformations, *element.groups, "all"]
                raise InputError(f"{what}: no deformation '{n}'{nearest(n, options)}; known: {', '.join(options)}")
        return out

    @contextmanager
    def _all_or_nothing(self):
        """Put the model back as it was when something fails half-way."""
        parts = [v for v in vars(self).values() if isinstance(v, (dict, list))]
        before = [v.copy() for v in parts]
        try:
            yield
        except BaseException:
            for now, old in zip(parts, before, strict=True):
                now.clear()
                (now.update if isinstance(now, dict) else now.extend)(old)
            raise
