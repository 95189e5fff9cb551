"""The user's model: points, frames, elements, masses, loads, supports by name; it compiles to a System."""

from __future__ import annotations

import numpy as np

from . import checks
from .elements.base import Element
from .elements.body import Body
from .errors import InputError
from .model_elements import ElementMethods
from .model_loads import LoadMethods
from .model_status import StatusMethods
from .nodes import Load, Node
from .rotations import from_vector


class Model(ElementMethods, StatusMethods, LoadMethods):
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
        checks.new_name("point", name, self.points)
        start = checks.vector(f"point '{name}'", "position", position, self.dim)
        self._touch()
        self.points[name] = Node(name, "point", tuple(start.tolist()), self.planar)

    def frame(self, name: str, rotation=None) -> None:
        """An orientation; `rotation` at the start is a rotation vector (rad), in the plane an angle."""
        frame = self._new_frame(name, rotation)
        self._touch()
        self.frames[name] = frame

    def node(self, name: str, position, rotation=None) -> None:
        """A point and a frame of the same name."""
        frame = self._new_frame(name, rotation)
        self.point(name, position)
        self.frames[name] = frame

    def _new_frame(self, name, rotation) -> Node:
        checks.new_name("frame", name, self.frames)
        what = f"frame '{name}'"
        if self.planar:
            start = (checks.number(what, "rotation", 0.0 if rotation is None else rotation),)
        else:
            theta = checks.vector(what, "rotation", (0, 0, 0) if rotation is None else rotation, 3)
            start = tuple(from_vector(theta).tolist())
        return Node(name, "frame", start, self.planar)

    def warp(self, name: str) -> None:
        """A warping coordinate (rate of twist, rad/m) for warping beams."""
        if self.planar:
            raise InputError(f"warp '{name}': a planar model has no warping; use a spatial model")
        checks.new_name("warp", name, self.warps)
        self._touch()
        self.warps[name] = Node(name, "warp", (0.0,))

    # results ----------------------------------------------------------------------------------------------------------

    def _touch(self) -> None:
        self._compiled = None

    def compile(self):
        """The frozen System of this model; errors in the model as a whole are found here."""
        if self._compiled is None:
            from .compiler import compile_model

            self._compiled = compile_model(self)
        return self._compiled

    def mobility(self):
        """Mobility report: rank, condition number, redundant conditions and free motions by name."""
        from .compiler import mobility_of

        return mobility_of(self)

    def all_nodes(self) -> list[Node]:
        """Points, frames and warping coordinates in the order in which they are numbered."""
        return [*self.points.values(), *self.frames.values(), *self.warps.values()]

    def __str__(self) -> str:
        kinds: dict[str, int] = {}
        for e in self.elements.values():
            kinds[e.kind] = kinds.get(e.kind, 0) + 1
        what = _counted(**kinds) or "no elements"
        fixed = sorted({n.name for (n, _), (s, _) in self.x_status.items() if s == "fixed"})
        heavy = [b for b in self.bodies if b.J is not None]
        inertia = _counted(**{"point mass": len(self.bodies) - len(heavy), "rigid body": heavy})
        turning = [k for k in self.loads if k.node.kind == "frame"]
        loads = _counted(force=len(self.loads) - len(turning), moment=turning, actuator=self.actuators,
                         spring=self.springs, damper=self.dampers, prestress=self.prestresses,
                         **{"Python force": self.user_forces})  # fmt: skip
        lines = [
            f"{'planar' if self.planar else 'spatial'} model '{self.name}'",
            "  nodes     "
            + (_counted(point=self.points, frame=self.frames, **{"warping coordinate": self.warps}) or "none"),
            f"  elements  {what}",
            f"  held      {_short(fixed) or 'nothing'}",
            f"  inertia   {inertia or 'of sections only'}; gravity ({', '.join(f'{g:g}' for g in self.gravity)})",
            f"  loads     {loads or 'none'}",
        ]
        try:
            system = self.compile()
        except InputError as error:
            lines.append(f"  not ready {error}")
        else:
            n = len(system.dof)
            lines.append(f"  motion    {n} degree{'s' if n != 1 else ''} of freedom: {_short(system.dof) or 'none'}")
            if system.prescribed:
                lines.append(f"  driven    {_short(system.prescribed)}")
        return "\n".join(lines)


PLURAL = {"truss": "trusses", "planar truss": "planar trusses", "pin body": "pin bodies",
          "planar pin body": "planar pin bodies", "prestress": "prestresses",
          "point mass": "point masses", "rigid body": "rigid bodies"}  # fmt: skip


def _counted(**kinds) -> str:
    """Such as "1 hinge, 2 trusses", of numbers or collections; what there is none of is left out."""
    sizes = {k: n if isinstance(n, int) else len(n) for k, n in kinds.items()}
    return ", ".join(f"{n} {k if n == 1 else PLURAL.get(k, k + 's')}" for k, n in sizes.items() if n)


def _short(names, most=10) -> str:
    return ", ".join(names[:most]) + (f", ... ({len(names) - most} more)" if len(names) > most else "")
