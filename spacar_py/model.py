"""The user's model: points, frames, elements, masses, loads, supports by name; it compiles to a System."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from . import checks
from .elements.base import Element
from .elements.body import Body
from .elements.registry import ELEMENTS
from .errors import InputError, nearest
from .rotations import from_vector
from .signals import as_signal

COMPONENTS = {
    ("point", False): ("x", "y", "z"),
    ("point", True): ("x", "y"),
    ("frame", False): ("lambda0", "lambda1", "lambda2", "lambda3"),
    ("frame", True): ("phi",),
    ("warp", False): ("warp",),
}


@dataclass(frozen=True, eq=False)
class Node:
    """A point, a frame (orientation) or a warping coordinate, with its coordinates at the start."""

    name: str
    kind: str
    start: tuple[float, ...]
    planar: bool = False

    @property
    def size(self) -> int:
        return len(self.start)

    @property
    def components(self) -> tuple[str, ...]:
        return COMPONENTS[self.kind, self.planar]


@dataclass
class Load:
    """A force or moment on a node, constant or with a signal."""

    node: Node
    kind: str  # force | moment | follower_force | follower_moment
    vector: np.ndarray
    signal: object = None
    frame: Node | None = None


class Model:
    """A mechanism of flexible and rigid elements.

    Parameters
    ----------
    gravity : (3,) or, in the plane, (2,) array, optional
        Acceleration of gravity (m/s^2).
    planar : bool
        Points (x, y), frames phi: a truly smaller model.
    name : str

    Examples
    --------
    A pendulum, released level:

    >>> import spacar_py as sp
    >>> m = sp.Model(gravity=(0, 0, -9.81))
    >>> m.node("pivot", (0, 0, 0)); m.fix("pivot")
    >>> m.frame("swing"); m.point("bob", (1, 0, 0))
    >>> m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    >>> m.rigid_beam("rod", ("pivot", "swing"), "bob")
    >>> m.mass("bob", 1.0)
    >>> m.compile().dof
    ['joint.angle']
    """

    def __init__(self, gravity=None, planar: bool = False, name: str = "model"):
        self.planar, self.name = bool(planar), name
        self.dim = 2 if planar else 3
        self.gravity = np.zeros(3)
        if gravity is not None:
            self.gravity[: self.dim] = checks.vector("model", "gravity", gravity, self.dim)
        self.points: dict[str, Node] = {}
        self.frames: dict[str, Node] = {}
        self.warps: dict[str, Node] = {}
        self.elements: dict[str, Element] = {}
        self.chains: dict[str, list[str]] = {}
        self.bodies: list[Body] = []
        self.loads: list[Load] = []
        self.x_status: dict[tuple[Node, str], tuple[str, object]] = {}
        self.e_status: dict[tuple[str, str], tuple[str, object]] = {}
        self.springs: list[tuple[str, str, float, float]] = []
        self.dampers: list[tuple[str, str, float]] = []
        self.material_damping: dict[str, float] = {}
        self.prestresses: list[tuple[str, str, float]] = []
        self.actuators: list[tuple[str, str, object]] = []
        self.user_forces: list[tuple[str, Node, object, bool]] = []
        self._compiled = None

    # nodes ------------------------------------------------------------------------------------------------------

    def point(self, name: str, position) -> None:
        """A point with its position at the start (m)."""
        what = f"point '{name}'"
        checks.new_name("point", name, self.points)
        start = checks.vector(what, "position", position, self.dim)
        self._touch()
        self.points[name] = Node(name, "point", tuple(float(v) for v in start), self.planar)

    def frame(self, name: str, rotation=None) -> None:
        """An orientation; `rotation` at the start is a rotation vector (rad), in the plane an angle."""
        what = f"frame '{name}'"
        checks.new_name("frame", name, self.frames)
        if self.planar:
            start = (checks.number(what, "rotation", 0.0 if rotation is None else rotation),)
        else:
            start = from_vector(checks.vector(what, "rotation", (0, 0, 0) if rotation is None else rotation, 3))
        self._touch()
        self.frames[name] = Node(name, "frame", tuple(float(v) for v in start), self.planar)

    def node(self, name: str, position, rotation=None) -> None:
        """A point and a frame of the same name."""
        if name in self.frames:
            checks.new_name("frame", name, self.frames)
        self.point(name, position)
        self.frame(name, rotation)

    def warp(self, name: str) -> None:
        """A warping coordinate (rate of twist, rad/m) for warping beams."""
        if self.planar:
            raise InputError(f"warp '{name}': a planar model has no warping; use a spatial model")
        checks.new_name("warp", name, self.warps)
        self._touch()
        self.warps[name] = Node(name, "warp", (0.0,))

    # elements ---------------------------------------------------------------------------------------------------

    def beam(self, name: str, p, q, section=None, *, y=None, elements: int = 1, warping=None, damping: float = 0.0,
             **status) -> None:  # fmt: skip
        """A beam from p to q, each a node or (point, frame), cut into `elements` pieces.

        Status keywords of all elements: `flexible`, `dof`, `release`, `fixed` take names of deformations, a group
        ("bending", "bending_y", "bending_z", "all") or several. Everything else is rigid. `flexible` lets the program
        choose the degrees of freedom among them. `damping` (s) is stiffness proportional: sigma = S (e + damping ed).
        `warping=(wp, wq)` makes a warping beam.
        """
        n = checks.count(f"beam '{name}'", "elements", elements)
        if damping:
            checks.number(f"beam '{name}'", "damping", damping, minimum=0.0)
        kind = "planar beam" if self.planar else "warping beam" if warping is not None else "beam"
        if n == 1:
            self._element(kind, name, p, q, section=section, y=y, warping=warping, status=status)
            self.material_damping[name] = float(damping)
            return
        checks.new_name("beam", name, {**self.elements, **self.chains})
        ends = [self._end(f"beam '{name}'", e) for e in (p, q)]
        a, b = (np.array(self.points[e[0]].start) for e in ends)
        stops = [ends[0]]
        for i in range(1, n):
            self.node(f"{name}.{i}", a + (b - a) * (i / n))
            stops.append((f"{name}.{i}", f"{name}.{i}"))
        stops.append(ends[1])
        w = [None] * (n + 1)
        if warping is not None:
            w = [warping[0], *[f"{name}.{i}" for i in range(1, n)], warping[1]]
            for i in range(1, n):
                self.warp(f"{name}.{i}")
        self.chains[name] = [f"{name}[{i}]" for i in range(n)]
        for i, piece in enumerate(self.chains[name]):
            pair = (w[i], w[i + 1]) if warping is not None else None
            self._element(kind, piece, stops[i], stops[i + 1], section=section, y=y, warping=pair, status=status)
            self.material_damping[piece] = float(damping)

    def truss(self, name: str, p, q, section=None, **status) -> None:
        """A bar between two points."""
        self._element("planar truss" if self.planar else "truss", name, p, q, section=section, status=status)

    def hinge(self, name: str, p, q, axis=None, *, y=None, **status) -> None:
        """A hinge between the frames p and q about `axis`; its angle is free unless said otherwise."""
        if self.planar:
            self._element("planar hinge", name, p, q, status=status)
        else:
            axis = checks.vector(f"hinge '{name}'", "axis", axis, 3, nonzero=True)
            self._element("hinge", name, p, q, axis=axis, y=y, status=status)

    def rigid_beam(self, name: str, p, q, section=None, *, y=None, **status) -> None:
        """A rigid bar from the body at p to a point q, which may turn there (in the plane: a rigid link)."""
        kind = "planar rigid link" if self.planar else "rigid beam"
        self._element(kind, name, p, q, section=section, y=y, status=status)

    def pin_body(self, name: str, p, q, *, axis=None, **status) -> None:
        """A point q carried by the body at p."""
        self._element("planar pin body" if self.planar else "pin body", name, p, q, axis=axis, status=status)

    def slider(self, name: str, p, q, axis, *, y=None, **status) -> None:
        """A prismatic joint: q slides along `axis`, carried by p."""
        axis = checks.vector(f"slider '{name}'", "axis", axis, self.dim, nonzero=True)
        self._element("planar slider" if self.planar else "slider", name, p, q, axis=axis, y=y, status=status)

    def cylinder(self, name: str, p, q, axis, *, y=None, **status) -> None:
        """A cylindrical joint: q slides along `axis`, carried by p, and turns about it."""
        axis = checks.vector(f"cylinder '{name}'", "axis", axis, 3, nonzero=True)
        self._element("cylinder", name, p, q, axis=axis, y=y, status=status)

    def spherical(self, name: str, p, q, **status) -> None:
        """A spherical joint between two points (in the plane: a pin); sharing one point does the same."""
        self._element("planar pin" if self.planar else "spherical joint", name, p, q, status=status)

    def universal(self, name: str, p, q, axis, y, **status) -> None:
        """A universal joint: `axis` carried by p and `y` carried by q stay square."""
        axis = checks.vector(f"universal joint '{name}'", "axis", axis, 3, nonzero=True)
        y = checks.vector(f"universal joint '{name}'", "y", y, 3, nonzero=True)
        self._element("universal joint", name, p, q, axis=axis, y=y, status=status)

    def _element(self, kind, name, p, q, *, section=None, axis=None, y=None, warping=None, status=None) -> None:
        from .sections import Section

        cls = ELEMENTS[kind]
        what = f"{kind} '{name}'"
        checks.new_name(kind, name, {**self.elements, **self.chains})
        if self.planar != cls.planar:
            raise InputError(f"{what}: not for a {'planar' if self.planar else 'spatial'} model")
        if section is not None and not isinstance(section, Section):
            raise InputError(f"{what}: section must be a Section, got {section!r}")
        if y is not None:
            y = checks.vector(what, "y", y, 3, nonzero=True)
        if axis is not None:
            axis = np.concatenate([np.asarray(axis, float), np.zeros(3 - len(axis))])
        nodes = {}
        for end, spec in (("p", p), ("q", q)):
            point = f"x{end}" in cls.slots
            frame = f"r{end}" in cls.slots
            names = self._end(what, spec, point, frame)
            if point:
                nodes[f"x{end}"] = self.points[names[0]]
            if frame:
                nodes[f"r{end}"] = self.frames[names[1]]
        if warping is not None:
            for slot, w in zip(("wp", "wq"), warping, strict=True):
                checks.known(what, "warp", w, self.warps)
                nodes[slot] = self.warps[w]
        for s in ("x", "r"):
            if s + "p" in nodes and nodes.get(s + "p") is nodes.get(s + "q"):
                raise InputError(
                    f"{what}: both ends use the {nodes[s + 'p'].kind} '{nodes[s + 'p'].name}'; "
                    "an element needs two different ones"
                )
        element = cls(name, nodes, section=section, axis=axis, y=y)
        wanted = self._statuses(what, element, status or {})
        self._touch()
        self.elements[name] = element
        for d, s in cls.status.items():
            self.e_status[name, d] = (s, None)
        for d, s in wanted:
            self.e_status[name, d] = (s, None)

    def _end(self, what, spec, point=True, frame=True) -> tuple:
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

    def _statuses(self, what, element, given) -> list[tuple[str, str]]:
        words = {"flexible": "free", "free": "free", "dof": "dof", "release": "released", "fixed": "fixed"}
        out, seen = [], {}
        for key, value in given.items():
            if key not in words:
                raise InputError(f"{what}: unknown option '{key}'{nearest(key, words)}; known: {', '.join(words)}")
            for d in self._expand(what, element, value):
                if d in seen and seen[d] != key:
                    raise InputError(f"{what}: {d} is named both under '{seen[d]}' and under '{key}'; choose one")
                seen[d] = key
                out.append((d, words[key]))
        return out

    def _expand(self, what, element, names) -> list[str]:
        """Deformations meant by a name, a group or several."""
        if names is True or names == "all":
            return list(element.deformations)
        if names is False or names is None:
            return []
        out = []
        for n in [names] if isinstance(names, str) else list(names):
            if n in element.groups:
                out += element.groups[n]
            elif n in element.deformations:
                out.append(n)
            else:
                options = [*element.deformations, *element.groups, "all"]
                raise InputError(f"{what}: no deformation '{n}'{nearest(n, options)}; known: {', '.join(options)}")
        return out

    # status of coordinates and deformations -----------------------------------------------------------------------

    def fix(self, node: str, *components: str) -> None:
        """Hold a node (all of it) or some of its coordinates."""
        self._set(node, components, "fixed", None, nodes_only=not components)

    def dof(self, name: str, *components: str) -> None:
        """Make coordinates of a node or deformations of an element degrees of freedom."""
        self._set(name, components, "dof", None)

    def release(self, name: str, *components: str) -> None:
        """Let deformations of an element (all by default) follow from the rest; or free coordinates held before."""
        self._set(name, components, "released", None)

    def flexible(self, name: str, *components: str) -> None:
        """Let the program choose which of these deformations are degrees of freedom."""
        self._set(name, components, "free", None)

    def prescribe(self, name: str, component: str, motion) -> None:
        """Drive a coordinate or deformation as a function of time: a number, a Signal, or t -> (v, vd, vdd)."""
        self._set(name, (component,), "prescribed", as_signal(motion))

    def _set(self, name, components, status, motion, nodes_only=False) -> None:
        targets = self._targets(name, components, nodes_only)
        self._touch()
        for kind, owner, c in targets:
            if kind == "x":
                self.x_status[owner, c] = ("dependent" if status in ("released", "free") else status, motion)
            else:
                self.e_status[owner, c] = (status, motion)

    def _targets(self, name, components, nodes_only=False) -> list[tuple]:
        nodes = [d[name] for d in (self.points, self.frames, self.warps) if name in d]
        parts = self.chains.get(name, [name] if name in self.elements else [])
        if not nodes and not parts:
            names = [*self.points, *self.frames, *self.warps, *self.elements, *self.chains]
            checks.known("status", "node or element", name, names)
        if not components:
            if nodes_only or not parts:
                if not nodes:
                    raise InputError(f"fix: '{name}' is an element, its deformations are rigid already; name a node")
                return [("x", n, c) for n in nodes for c in n.components]
            return [("e", p, d) for p in parts for d in self.elements[p].deformations]
        out = []
        for c in components:
            found = [("x", n, c) for n in nodes if c in n.components]
            if c == "rotation":
                found += [("x", n, k) for n in nodes if n.kind == "frame" for k in n.components]
            for p in parts:
                el = self.elements[p]
                if c in el.deformations or c in el.groups or c == "all":
                    found += [("e", p, d) for d in self._expand(el.label, el, c)]
            if not found:
                options = [k for n in nodes for k in n.components] + ["rotation"] * any(n.kind == "frame" for n in nodes)
                for p in parts[:1]:
                    options += [*self.elements[p].deformations, *self.elements[p].groups]
                raise InputError(f"'{name}' has no '{c}'{nearest(c, options)}; known: {', '.join(options)}")
            out += found
        return out

    # inertia, loads, springs ----------------------------------------------------------------------------------------

    def mass(self, point: str, m: float) -> None:
        """A point mass (kg)."""
        what = f"mass at '{point}'"
        checks.known(what, "point", point, self.points)
        m = checks.number(what, "m", m, positive=True)
        self._touch()
        self.bodies.append(Body(point, {"xp": self.points[point]}, m))

    def body(self, node, m: float = 0.0, J=None, centre=None) -> None:
        """A rigid body on a node or (point, frame): mass (kg), inertia J about its centre (kg m^2: a number, three
        principal values or a matrix), centre off the point (m), both in the axes of space at the start."""
        what = f"body at '{node}'"
        point, frame = self._end(what, node)
        m = checks.number(what, "m", m, minimum=0.0)
        J = np.zeros((3, 3)) if J is None else checks.inertia(what, J)
        c = np.zeros(3)
        if centre is not None:
            c[: self.dim] = checks.vector(what, "centre", centre, self.dim)
        if m == 0 and not J.any():
            raise InputError(f"{what}: needs a mass or an inertia, got neither; leave the body out")
        self._touch()
        self.bodies.append(Body(f"{point}", {"xp": self.points[point], "rp": self.frames[frame]}, m, J, c))

    def force(self, point: str, vector, signal=None, follow: str | None = None) -> None:
        """A force (N) on a point, times an optional signal; `follow` names the frame that carries it."""
        what = f"force on '{point}'"
        checks.known(what, "point", point, self.points)
        v = np.zeros(3)
        v[: self.dim] = checks.vector(what, "vector", vector, self.dim)
        frame = None
        if follow is not None:
            checks.known(what, "frame", follow, self.frames)
            frame = self.frames[follow]
        self._add_load(Load(self.points[point], "follower_force" if frame else "force", v, signal, frame))

    def moment(self, frame: str, vector, signal=None, follow: bool = False) -> None:
        """A moment (N m) on a frame, fixed in space or carried by the frame; in the plane a number."""
        what = f"moment on '{frame}'"
        checks.known(what, "frame", frame, self.frames)
        if self.planar:
            self._add_load(Load(self.frames[frame], "force", np.array([checks.number(what, "M", vector), 0, 0]), signal))
            return
        v = checks.vector(what, "vector", vector, 3)
        self._add_load(Load(self.frames[frame], "follower_moment" if follow else "moment", v, signal))

    def _add_load(self, load) -> None:
        if load.signal is not None:
            load.signal = as_signal(load.signal)
        self._touch()
        self.loads.append(load)

    def _each(self, what, element, deformation):
        targets = [t for t in self._targets(element, (deformation,)) if t[0] == "e"]
        if not targets:
            raise InputError(f"{what}: '{element}.{deformation}' is not a deformation; name an element and its deformation")
        return [(owner, d) for _, owner, d in targets]

    def spring(self, element: str, deformation: str, stiffness: float, free: float = 0.0) -> None:
        """A spring on a deformation: stress = stiffness (e - free)."""
        what = f"spring on '{element}'"
        k = checks.number(what, "stiffness", stiffness, positive=True)
        free = checks.number(what, "free", free)
        for owner, d in self._each(what, element, deformation):
            self._touch()
            self.springs.append((owner, d, k, free))

    def damper(self, element: str, deformation: str, damping: float) -> None:
        """A viscous damper on a deformation: stress = damping ed."""
        what = f"damper on '{element}'"
        c = checks.number(what, "damping", damping, positive=True)
        for owner, d in self._each(what, element, deformation):
            self._touch()
            self.dampers.append((owner, d, c))

    def prestress(self, element: str, deformation: str, value: float) -> None:
        """A stress resultant that is there without deformation."""
        what = f"prestress on '{element}'"
        v = checks.number(what, "value", value)
        for owner, d in self._each(what, element, deformation):
            self._touch()
            self.prestresses.append((owner, d, v))

    def actuator(self, element: str, deformation: str, signal) -> None:
        """A drive force or torque on a deformation, positive where it lets the deformation grow."""
        for owner, d in self._each(f"actuator on '{element}'", element, deformation):
            self._touch()
            self.actuators.append((owner, d, as_signal(signal)))

    def user_force(self, point: str, function) -> None:
        """A force on a point from a Python function (t, x, v) -> vector; runs on the slower path."""
        what = f"user force on '{point}'"
        checks.known(what, "point", point, self.points)
        if not callable(function):
            raise InputError(f"{what}: needs a function (t, x, v) -> force, got {function!r}")
        self._touch()
        self.user_forces.append((f"user force on '{point}'", self.points[point], function, False))

    # results ----------------------------------------------------------------------------------------------------------

    def _touch(self) -> None:
        self._compiled = None

    def compile(self):
        """The frozen System of this model; errors in the model as a whole are found here."""
        if self._compiled is None:
            from .system import compile_model

            self._compiled = compile_model(self)
        return self._compiled

    def mobility(self):
        """Mobility report: rank, condition number, redundant conditions and free motions by name."""
        from .system import mobility_of

        return mobility_of(self)

    def all_nodes(self) -> Iterable[Node]:
        """Points, frames and warping coordinates in the order in which they are numbered."""
        return [*self.points.values(), *self.frames.values(), *self.warps.values()]

    def __str__(self) -> str:
        kinds: dict[str, int] = {}
        for e in self.elements.values():
            kinds[e.kind] = kinds.get(e.kind, 0) + 1
        what = ", ".join(f"{n} {k}{'s' if n > 1 else ''}" for k, n in kinds.items()) or "no elements"
        fixed = sorted({n.name for (n, _), (s, _) in self.x_status.items() if s == "fixed"})
        lines = [
            f"{'planar' if self.planar else 'spatial'} model '{self.name}'",
            f"  nodes     {len(self.points)} points, {len(self.frames)} frames"
            + (f", {len(self.warps)} warping coordinates" if self.warps else ""),
            f"  elements  {what}",
            f"  held      {', '.join(fixed) or 'nothing'}",
            f"  inertia   {len(self.bodies)} masses and bodies, gravity ({', '.join(f'{g:g}' for g in self.gravity)})",
            f"  loads     {len(self.loads)} forces and moments, {len(self.actuators)} actuators",
        ]
        try:
            system = self.compile()
        except InputError as error:
            lines.append(f"  not ready {error}")
        else:
            lines.append(f"  motion    {len(system.dof)} degrees of freedom: {_short(system.dof)}")
            if system.prescribed:
                lines.append(f"  driven    {_short(system.prescribed)}")
        return "\n".join(lines)


def _short(names, most=10) -> str:
    return ", ".join(names[:most]) + (f", ... ({len(names) - most} more)" if len(names) > most else "")
