"""Where the joints of a model pass their forces: points that two bodies share, and a model cut open there."""

from __future__ import annotations

import copy

from ..nodes import Node

HINGES = ("hinge", "planar hinge", "universal joint")
JOINTS = (*HINGES, "cylinder", "slider", "planar slider", "spherical joint", "planar pin")


def points_with(model, frame: Node) -> list[Node]:
    """Points that elements and bodies use together with a frame."""
    out = []
    for u in [*model.elements.values(), *model.bodies]:
        for end in ("p", "q"):
            x = u.nodes.get("x" + end)
            if u.nodes.get("r" + end) is frame and x is not None and x not in out:
                out.append(x)
    return out


def points_of(model, frame: Node) -> list[Node]:
    """Points that belong to the body of a frame: those above, ends of its rigid links, and its own if it is held."""
    out = points_with(model, frame)
    for e in model.elements.values():
        if e.nodes.get("rp") is frame and "rq" not in e.nodes and e.nodes["xq"] not in out:
            out.append(e.nodes["xq"])
    own = model.points.get(frame.name)
    held = {n for n, _ in model.x_status}
    if own is not None and own not in out and frame in held:
        out.append(own)
    return out


def hinge_point(model, hinge) -> Node | None:
    """The point in which the bodies of a hinge meet, or None where the force does not pass through one."""
    q, p = points_with(model, hinge.nodes["rq"]), hinge.nodes["rp"]
    seen = set()
    while p is not None and p not in seen:  # massless frames in between have no points of their own
        seen.add(p)
        shared = [x for x in points_of(model, p) if x in q]
        if len(shared) == 1:
            return shared[0]
        before = [e for e in model.elements.values() if e.kind in HINGES and e.nodes["rq"] is p]
        p = before[0].nodes["rp"] if len(before) == 1 and not shared else None
    return None


def cut_open(model):
    """A copy of the model with a spherical joint in the point of every hinge, and {hinge: that joint's name}.

    All that stands on the hinge's point together with its frame q moves to a new point in the same place; the three
    stress resultants of the spherical joint are then the force through the hinge.
    """
    new = copy.copy(model)
    for key, value in vars(model).items():
        if isinstance(value, (dict, list)):
            setattr(new, key, value.copy())
    new._compiled = None
    seats = {}
    for hinge in [e for e in model.elements.values() if e.kind in HINGES]:
        point = hinge_point(new, hinge)
        if point is None:
            continue
        seat, name = f"{hinge.name}.seat", f"{hinge.name}.force"
        new.point(seat, point.start)
        frame = hinge.nodes["rq"]
        new.elements = {k: _moved(e, point, frame, new.points[seat]) for k, e in new.elements.items()}
        new.bodies = [_moved(b, point, frame, new.points[seat]) for b in new.bodies]
        new.spherical(name, point.name, seat)
        seats[hinge.name] = name
    return new, seats


def _moved(user, point, frame, seat):
    ends = [e for e in ("p", "q") if user.nodes.get("x" + e) is point and user.nodes.get("r" + e) is frame]
    if not ends:
        return user
    out = copy.copy(user)
    out.nodes = {**user.nodes, **{"x" + e: seat for e in ends}}
    return out
