"""The bond graph of a model: bodies from frames and what stands on them, joints from hinges, sliders and cylinders."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..errors import InputError
from .cut import hinge_point, points_of
from .graph import Body, BondGraph, Joint

FREE = {
    "hinge": {3: "angle"},
    "slider": {0: "displacement"},
    "cylinder": {0: "displacement", 3: "angle"},
}
RIGID = ("rigid beam", "pin body")


def bond_graph(model, mobility: float = 0.0) -> BondGraph:
    """The vector bond graph of a spatial rigid tree: bodies joined by hinges, sliders and cylindrical joints.

    Rigid beams and pin bodies only place points; point masses and the mass of rigid beams count to the body that
    carries them. Loads other than gravity, closed loops, flexible elements and massless bodies are refused.

    Parameters
    ----------
    model : Model
    mobility : float
        Of joints that are not ideal but give way like a viscous bearing, by this velocity per force (m/s/N) and angular
        velocity per moment (rad/s/(N m)): a resistance on the 0-junction of every constraint.

    Examples
    --------
    >>> from spacar_py.cases.five_dof_robot import five_dof_robot
    >>> print(bond_graph(five_dof_robot()))
    vector bond graph: 6 1-junctions, 11 0-junctions, 26 transformers
    18 momenta = 5 independent + 13 dependent; 0 resistances
    """
    mobility = checks.number("bond graph", "mobility", mobility, minimum=0.0)
    if model.planar:
        raise InputError("bond graph: needs a spatial model; draw the planar one in space, with hinges about z")
    for e in model.elements.values():
        if e.kind not in (*FREE, *RIGID):
            raise InputError(f"bond graph: {e.label} is not rigid or not covered; known: {', '.join((*FREE, *RIGID))}")
    if model.loads or model.user_forces or model.prestresses or model.actuators:
        raise InputError(
            "bond graph: covers gravity, and springs and dampers in joints; leave out other loads and drives"
        )
    held = {n for n, _ in model.x_status}
    ground = [f for f in model.frames.values() if f in held]
    order, joints = _tree(model, ground)
    number = {frame: k for k, frame in enumerate(order)} | {frame: -1 for frame in ground}
    bodies = _bodies(model, order)
    return BondGraph(bodies, [_joint(model, j, number) for j in joints], np.array(model.gravity), mobility)


def _tree(model, ground):
    """Frames from the ground outwards, and the joint that carries each."""
    joints = [e for e in model.elements.values() if e.kind in FREE]
    order, carry, reached = [], [], list(ground)
    while True:
        ready = [j for j in joints if j.nodes["rp"] in reached and j not in carry]
        if not ready:
            break
        joint = ready[0]
        if joint.nodes["rq"] in reached:
            frame = joint.nodes["rq"].name
            raise InputError(f"bond graph: {joint.label} closes a loop at frame '{frame}'; only trees are covered")
        order.append(joint.nodes["rq"])
        carry.append(joint)
        reached.append(joint.nodes["rq"])
    lost = [f.name for f in model.frames.values() if f not in reached]
    if lost:
        raise InputError(
            f"bond graph: frame '{lost[0]}' is not carried by joints from the ground; name the inner body first (p)"
        )
    return order, carry


def _bodies(model, order) -> list[Body]:
    parts: dict = {frame: [] for frame in order}
    held = {n for n, _ in model.x_status}
    for b in model.bodies:
        frame, at = b.nodes.get("rp"), np.array(b.nodes["xp"].start) + b.c
        if frame is None:
            carriers = [f for f in order if b.nodes["xp"] in points_of(model, f)]
            if not carriers:
                if b.nodes["xp"] in held:
                    continue
                raise InputError(
                    f"bond graph: no body carries the mass at '{b.name}'; tie it by a pin body or rigid beam"
                )
            frame = carriers[0]
        if frame in parts:
            parts[frame].append((b.m, at, np.zeros((3, 3)) if b.J is None else b.J))
    for e in model.elements.values():
        if e.kind == "rigid beam" and e.section is not None and e.nodes["rp"] in parts:
            L, s, a = e.L0, e.section, e.axes
            J = a.T @ (s.J * L + s.m * L**3 / 12 * np.diag([0, 1, 1])) @ a
            parts[e.nodes["rp"]].append((s.m * L, np.array(e.nodes["xp"].start) + e.chord / 2, J))
    out = []
    for frame, own in parts.items():
        mass = sum(m for m, _, _ in own)
        if not mass > 0:
            raise InputError(f"bond graph: body '{frame.name}' has no mass; give it one, its momenta are the states")
        centre = sum(m * at for m, at, _ in own) / mass
        J = sum(J + m * steiner(at - centre) for m, at, J in own)
        axes = np.eye(3)
        if np.any(J - np.diag(np.diag(J))):
            axes = np.linalg.eigh(J)[1]
            axes[:, 0] *= np.sign(np.linalg.det(axes))
        J = np.diag(np.diag(axes.T @ J @ axes))
        if np.min(np.diag(J)) <= 0:
            raise InputError(
                f"bond graph: body '{frame.name}' needs inertia about all axes; give J, momenta are the states"
            )
        out.append(Body(frame.name, mass, J, centre, axes))
    return out


def steiner(d) -> np.ndarray:
    """Inertia per mass of a point at d."""
    return d @ d * np.eye(3) - np.outer(d, d)


def _joint(model, e, number) -> Joint:
    if "xp" in e.nodes:
        P, Q = (np.array(e.nodes[x].start) for x in ("xp", "xq"))
    else:
        point = hinge_point(model, e)
        if point is None:
            raise InputError(f"bond graph: {e.label} has no point that both bodies share; let both stand on one point")
        P = Q = np.array(point.start)
    rows = {d: r for r, d in FREE[e.kind].items()}
    free = {r: d for r, d in FREE[e.kind].items() if model.e_status[e.name, d][0] != "fixed"}
    other = [d for d in e.deformations if d not in rows and model.e_status.get((e.name, d), ("fixed", 0))[0] != "fixed"]
    if other:
        raise InputError(f"bond graph: {e.label} lets {other[0]} go; only its own motion may be free")
    springs = {rows[d]: (k, at) for n, d, k, at in model.springs if n == e.name}
    dampers = {rows[d]: c for n, d, c in model.dampers if n == e.name}
    motion = {r: model.e_status[e.name, d][1] for r, d in free.items() if model.e_status[e.name, d][0] == "prescribed"}
    p, q = number[e.nodes["rp"]], number[e.nodes["rq"]]
    return Joint(e.name, e.kind, p, q, P, Q, e.axes, free, springs, dampers, motion)
