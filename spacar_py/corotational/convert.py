"""The core's own models as arms of co-rotational beams: the same chain of hinges, beams and bodies, other equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacar_py.corotational.arm import PD, Arm
from spacar_py.corotational.laws import Section, euler_bernoulli, timoshenko
from spacar_py.errors import InputError, nearest

BEAMS, HINGES = ("beam", "planar beam"), ("hinge", "planar hinge")
RIGID = ("rigid beam", "planar rigid link", "pin body", "planar pin body")


def arm_of(model, path=None, controller=None, *, elements: int = 10, flexible: bool | None = None,
           feedforward: str | None = "inverse dynamics", interpolation: str = "linear") -> Arm:  # fmt: skip
    """A model of the core as an arm: an open chain from a held node, hinge (or clamp), link, hinge, link and so on.

    Hinges that the model prescribes are driven, those that a joint path and a PD controller lead are controlled, the
    others passive. A beam is flexible where the model makes any of its deformations so.

    Parameters
    ----------
    model : Model
    path : JointPath, optional
        Targets of the controlled hinges.
    controller : Controller, optional
        A PD, not scheduled.
    elements : int
        Co-rotational beams per flexible link, whatever their number in the model.
    flexible : bool, optional
        The switch for all beams, instead of what the model says.
    feedforward : {None, "gravity", "inverse dynamics"}
        Of the controlled hinges.

    Examples
    --------
    >>> from spacar_py import cases
    >>> print(arm_of(cases.load("double_link").model))
    arm of 2 links: shoulder (driven hinge), inner (flexible, 10 elements), elbow (driven hinge), outer (flexible,
    10 elements)
    """
    _only_what_is_covered(model)
    chain = _chain(model)
    gains = _gains(model, path, controller, [j.name for j, _ in chain if j is not None])
    arm = Arm(gravity=model.gravity, base=_start(chain[0][1].point))
    lost = {b.name for b in model.bodies}
    for k, (hinge, link) in enumerate(chain):
        if hinge is None:
            arm.clamp(f"clamp {k + 1}")
        else:
            axis = hinge.axes[0] if hinge.axes is not None else (0, 0, 1)
            arm.hinge(hinge.name, axis, **_motor(model, hinge.name, gains, feedforward))
        lost -= _link(arm, model, link, elements, flexible, interpolation)
    if lost:
        raise InputError(f"co-rotational: the arm has no place for the mass on '{sorted(lost)[0]}'; put it on the "
                         "start of a rigid link or on the end of a link")  # fmt: skip
    return arm


def end_point(model) -> str:
    """Name of the point at which the chain of links ends."""
    return _chain(model)[-1][1].end.name


@dataclass
class _Piece:
    """A link of the model: its parts, where it starts, the point and the frame at its end."""

    name: str
    parts: list
    point: object
    end: object
    frame: object


def _only_what_is_covered(model) -> None:
    known = (*BEAMS, *RIGID, *HINGES)
    for e in model.elements.values():
        if e.kind not in known:
            raise InputError(f"co-rotational: {e.label} is not covered; known: {', '.join(known)}")
    for what in ("loads", "user_forces", "springs", "dampers", "prestresses", "actuators", "material_damping"):
        found = getattr(model, what)
        if any(found.values()) if isinstance(found, dict) else found:
            raise InputError(f"co-rotational: the model '{model.name}' has {what}, an arm has none; leave them out")


def _chain(model) -> list[tuple]:
    """(hinge or None, link) from the held node outwards."""
    held = {n for (n, _), (s, _) in model.x_status.items() if s == "fixed"}
    points = [p for p in model.points.values() if p in held]
    frames = [f for f in model.frames.values() if f in held]
    if len(points) != 1 or len(frames) != 1:
        raise InputError(f"co-rotational: the model '{model.name}' must have one held node, it has {len(points)}; "
                         "only open chains are covered")  # fmt: skip
    names = {p: n for n, parts in model.chains.items() for p in parts}
    links: dict[str, list] = {}
    for e in model.elements.values():
        if e.kind not in HINGES:
            links.setdefault(names.get(e.name, e.name), []).append(e)
    hinges = [e for e in model.elements.values() if e.kind in HINGES]
    point, frame, out, used = points[0], frames[0], [], set()
    while True:
        hinge = [h for h in hinges if h.nodes["rp"] is frame and h.name not in used]
        start = hinge[0].nodes["rq"] if hinge else frame
        found = [
            n for n, p in links.items()
            if n not in used and p[0].nodes["xp"] is point and p[0].nodes["rp"] is start
        ]  # fmt: skip
        if not found and not hinge:
            break
        if len(found) != 1 or len(hinge) > 1:
            raise InputError(f"co-rotational: {len(found)} links and {len(hinge)} hinges go on from '{point.name}', "
                             "frame '{}'; only open chains are covered".format(start.name))  # fmt: skip
        parts = links[found[0]]
        end = parts[-1].nodes["xq"]
        frame = parts[-1].nodes.get("rq", start)
        out.append((hinge[0] if hinge else None, _Piece(found[0], parts, point, end, start)))
        used |= {found[0], *(h.name for h in hinge)}
        point = end
    left = [n for n in [*links, *(h.name for h in hinges)] if n not in used]
    if left or not out:
        raise InputError(f"co-rotational: '{left[0] if left else model.name}' is not part of the chain from "
                         f"'{points[0].name}'; only open chains are covered")  # fmt: skip
    return out


def _start(node) -> np.ndarray:
    return np.array([*node.start, 0.0])[:3]


def _gains(model, path, controller, hinges) -> dict:
    """Target, kp and kd of every controlled hinge."""
    if path is None or not hasattr(path, "joints"):
        if path is not None and path.node is not None:
            raise InputError(f"co-rotational: a {type(path).__name__} leads a point; give the joints with a JointPath")
        return {}
    if controller is None or len(controller.A) or controller.scheduled:
        raise InputError("co-rotational: the joints need a PD controller with scheduled=False, PD(kp=..., kd=...)")
    led = [h for h in hinges if model.e_status.get((h, "angle"), ("dof",))[0] != "prescribed"]
    names = [f"{h}.angle" for h in led]
    for name in path.joints:
        if name not in names:
            raise InputError(f"co-rotational: there is no free hinge '{name}'{nearest(name, names)}")
    missing = [n for n in names if n not in path.joints]
    if missing or len(controller.D) != len(names):
        raise InputError(f"co-rotational: path and controller must lead all {len(names)} free hinges"
                         + (f", the path leaves '{missing[0]}' out" if missing else ""))  # fmt: skip
    D, Dv = np.diag(controller.D), np.diag(controller.Dv)
    return {n: (path.joints[n], D[k], Dv[k]) for k, n in enumerate(names)}


def _motor(model, hinge, gains, feedforward) -> dict:
    status, motion = model.e_status.get((hinge, "angle"), ("dof", None))
    if status == "prescribed":
        return dict(drive=_motion(motion))
    if status == "fixed":
        return dict(drive=lambda t: (0.0, 0.0, 0.0))
    if f"{hinge}.angle" in gains:
        signal, kp, kd = gains[f"{hinge}.angle"]
        return dict(control=PD(_motion(signal), float(kp), float(kd), feedforward))
    return {}


def _motion(signal):
    return lambda t: tuple(float(v) for v in signal.rates(t))


def _link(arm, model, piece, elements, flexible, interpolation) -> set[str]:
    """Add a link with what stands on it; returns the names of the bodies that it takes along."""
    first = piece.parts[0]
    bodies = [b for b in model.bodies if b.nodes["xp"] is piece.point and b.nodes.get("rp") is piece.frame]
    vector = _start(piece.end) - _start(piece.point)
    y = None if first.axes is None else first.axes[1]
    mass = inertia = None
    if first.kind in BEAMS:
        status = [model.e_status.get((p.name, d), ("fixed",))[0] for p in piece.parts for d in p.deformations]
        bends = any(s != "fixed" for s in status)
        flexible = bends if flexible is None else flexible
        section, law = _section(piece.name, first.section, model.planar, flexible)
        if bodies:
            raise InputError(f"co-rotational: beam '{piece.name}' has a body on its start; move it to the link before")
    else:
        section, law, flexible = None, euler_bernoulli, False
        mass, inertia = _rigid(piece, bodies, vector)
    taken = {b.name for b in bodies}
    arm.link(piece.name, vector, section, elements, flexible, y=y, law=law, interpolation=interpolation, mass=mass,
             inertia=inertia)  # fmt: skip
    for b in model.bodies:
        if b.nodes["xp"] is piece.end and b.nodes.get("rp") in (None, piece.parts[-1].nodes.get("rq")):
            if b.c.any():
                raise InputError(f"co-rotational: body '{b.name}' must have its mass centre on the end of "
                                 f"'{piece.name}', got {tuple(b.c.tolist())} off it")  # fmt: skip
            arm.payload(f"{b.name} of {piece.name}", b.m, np.zeros(3) if b.J is None else b.J)
            taken.add(b.name)
    return taken


def _section(name, s, planar, flexible) -> tuple:
    if s is None:
        raise InputError(f"co-rotational: beam '{name}' has no section; give section=Section(...)")
    EIy, GJ = (s.EIz, s.EIz) if planar else (s.EIy, s.GJ)  # out of the plane nothing moves, whatever the stiffness
    Jy = s.Jz if planar else s.Jy
    need = dict(EA=s.EA, GJ=GJ, EIy=EIy, EIz=s.EIz, m=s.m) | (dict(Jy=Jy, Jz=s.Jz) if flexible else {})
    for what, value in need.items():
        if not value > 0:
            raise InputError(f"co-rotational: beam '{name}': the section needs a positive {what}, got {value:g}; "
                             "these beams stretch, twist and have rotary inertia")  # fmt: skip
    shear = {}
    if s.shear_z > 0 or s.shear_y > 0:
        shear = dict(GAy=s.EIz / s.shear_z if s.shear_z else np.inf, GAz=EIy / s.shear_y if s.shear_y else np.inf)
    return Section(s.EA, GJ, EIy, s.EIz, s.m, Jy, s.Jz, **shear), timoshenko if shear else euler_bernoulli


def _rigid(piece, bodies, vector) -> tuple[float, np.ndarray]:
    """Mass and inertia about the middle of a rigid link, in its own axes."""
    own = getattr(piece.parts[0], "section", None)
    if own is not None and not bodies:
        L = np.linalg.norm(vector)
        return own.m * L, own.J * L + own.m * L**3 / 12 * np.diag([0.0, 1.0, 1.0])
    if len(bodies) != 1 or bodies[0].J is None:
        raise InputError(f"co-rotational: rigid link '{piece.name}' needs one body with inertia on its start node, "
                         f"it has {len(bodies)}")  # fmt: skip
    b = bodies[0]
    if np.linalg.norm(b.c - vector / 2) > 1e-9 * np.linalg.norm(vector):
        raise InputError(f"co-rotational: the mass centre of rigid link '{piece.name}' must be in its middle "
                         f"{tuple((vector / 2).round(6).tolist())}, got {tuple(b.c.tolist())}")  # fmt: skip
    first = piece.parts[0]
    T = np.eye(3) if first.axes is None else np.asarray(first.axes)
    return b.m, T @ b.J @ T.T
