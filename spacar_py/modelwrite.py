"""From a model, a path, a controller to plain data that builds the same again, to the last bit."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from .elements.registry import ELEMENTS
from .errors import InputError
from .rotations import from_vector, to_vector
from .sections import Section
from .signals import PythonSignal, Signal
from .tomltext import FORMAT

VERBS = {
    "warping beam": "beam", "planar beam": "beam", "planar truss": "truss", "planar hinge": "hinge",
    "rigid beam": "rigid_beam", "planar rigid link": "rigid_beam", "pin body": "pin_body",
    "planar pin body": "pin_body", "planar slider": "slider", "planar pin": "spherical", "spherical joint": "spherical",
    "universal joint": "universal",
}  # fmt: skip
WORDS = {"free": "flexible", "dof": "dof", "released": "release", "fixed": "fixed"}


def plain(value):
    """Numbers and lists of numbers as Python has them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (np.floating, np.integer, np.bool_)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


class Writer:
    """Data of one model; `lost` keeps a mark where a Python function stands instead of refusing it."""

    def __init__(self, model, lost: bool = False):
        self.model, self.lost, self.sections = model, lost, {}

    def data(self) -> dict:
        """The whole model."""
        m = self.model
        elements = {name: self.element(name, el) for name, el in m.elements.items()}
        out = dict(
            format=FORMAT, name=m.name, planar=m.planar,
            gravity=m.gravity[: m.dim].tolist() if m.gravity.any() else None,
            sections={name: section_data(s) for s, name in self.sections.items()},
            **self.nodes(), warps={n: self.held([w]) for n, w in m.warps.items()}, elements=elements,
            chains={k: list(v) for k, v in m.chains.items()}, bodies=[self.body(b) for b in m.bodies],
            loads=[self.load(x) for x in m.loads],
            springs=[dict(element=e, deformation=d, stiffness=k, free=f) for e, d, k, f in m.springs],
            dampers=[dict(element=e, deformation=d, damping=c) for e, d, c in m.dampers],
            prestresses=[dict(element=e, deformation=d, value=v) for e, d, v in m.prestresses],
            actuators=[self.actuator(*a) for a in m.actuators],
            user_forces=self.user_forces(),
        )  # fmt: skip
        return {k: plain(v) for k, v in out.items() if v is not None and (v or isinstance(v, bool)) and v is not False}

    def actuator(self, element, deformation, signal) -> dict:
        """A drive on a deformation."""
        return dict(element=element, deformation=deformation, signal=self.signal(signal, f"actuator on '{element}'"))

    def user_forces(self) -> list:
        """Marks for forces that are Python functions."""
        if self.model.user_forces and not self.lost:
            raise InputError(
                f"{self.model.user_forces[0][0]}: a Python function cannot be written to a file; "
                "use loads, springs and dampers, or keep the model in Python"
            )
        return [dict(on=node.name, name=_name(f)) for _, node, f, _ in self.model.user_forces]

    def signal(self, s, what: str):
        """Data of a signal: a number where it is constant."""
        if isinstance(s, PythonSignal):
            if self.lost:
                return dict(kind="python", name=_name(s.function), rates=s.needs_rates)
            raise InputError(
                f"{what}: a Python function cannot be written to a file; use a Signal, or keep the model in Python"
            )
        return signal_data(s)

    # nodes --------------------------------------------------------------------------------------------------------

    def nodes(self) -> dict:
        """One table in an order that gives both points and frames theirs, or two where there is none."""
        m = self.model
        order = _merged(list(m.points), list(m.frames))
        if order is None:
            return dict(points={n: self.point(p) for n, p in m.points.items()},
                        frames={n: self.frame(f) for n, f in m.frames.items()})  # fmt: skip
        out = {}
        for name in order:
            p, f = m.points.get(name), m.frames.get(name)
            kind = {} if p and f else {"kind": "point"} if p else {"kind": "frame"}
            parts = {**(self.start(p) if p else {}), **(self.start(f) if f else {})}
            out[name] = {**kind, **parts, **self.held([n for n in (p, f) if n])}
        return dict(nodes=out)

    def point(self, node) -> dict:
        return {**self.start(node), **self.held([node])}

    frame = point

    def start(self, node) -> dict:
        """Position, or rotation where it is not zero; Euler parameters where no rotation vector gives the same bits."""
        if node.kind == "point":
            return dict(position=list(node.start))
        if self.model.planar:
            return dict(rotation=node.start[0]) if node.start[0] else {}
        q = np.array(node.start)
        if np.array_equal(q, [1, 0, 0, 0]):
            return {}
        theta = to_vector(q[None])[0]
        return dict(rotation=theta.tolist()) if np.array_equal(from_vector(theta), q) else dict(euler=q.tolist())

    def held(self, nodes) -> dict:
        """What is fixed, a degree of freedom or prescribed in nodes of one name."""
        status = self.model.x_status
        found = {c: status[n, c] for n in nodes for c in n.components if (n, c) in status}
        every = [c for n in nodes for c in n.components]
        out = {}
        fixed = [c for c, (s, _) in found.items() if s == "fixed"]
        if fixed:
            out["fixed"] = True if fixed == every else fixed
        dof = [c for c, (s, _) in found.items() if s == "dof"]
        if dof:
            out["dof"] = dof
        given = {c: m for c, (s, m) in found.items() if s == "prescribed"}
        if given:
            out["prescribed"] = {c: self.signal(m, f"prescribed '{nodes[0].name}.{c}'") for c, m in given.items()}
        return out

    # elements -------------------------------------------------------------------------------------------------------

    def element(self, name, el) -> dict:
        """One element, pieces of a chain each on its own."""
        slots = ELEMENTS[el.kind].slots
        out = dict(kind=VERBS.get(el.kind, el.kind))
        for end in "pq":
            parts = [el.nodes[s + end].name for s in ("x", "r") if s + end in slots]
            out[end] = parts[0] if len(set(parts)) == 1 else parts
        if el.section is not None:
            out["section"] = self.sections.setdefault(el.section, name)
        if el.axis is not None:
            out["axis"] = list(el.axis[: self.model.dim])
        if el.y is not None:
            out["y"] = list(el.y)
        if "wp" in el.nodes:
            out["warping"] = [el.nodes["wp"].name, el.nodes["wq"].name]
        damping = self.model.material_damping.get(name, 0.0)
        if np.any(damping):
            out["damping"] = damping
        for d in el.deformations:
            status, motion = self.model.e_status.get((name, d), ("fixed", None))
            if status == "prescribed":
                out.setdefault("prescribed", {})[d] = self.signal(motion, f"prescribed '{name}.{d}'")
            elif status != el.status.get(d, "fixed"):
                out.setdefault(WORDS[status], []).append(d)
        return out

    def body(self, b) -> dict:
        """A mass on a point or a body on a node."""
        if "rp" not in b.nodes:
            return dict(point=b.nodes["xp"].name, m=b.m)
        names = [b.nodes["xp"].name, b.nodes["rp"].name]
        out = dict(node=names[0] if names[0] == names[1] else names, m=b.m)
        if b.J is not None and b.J.any():
            out["J"] = b.J
        if b.c.any():
            out["centre"] = b.c[: self.model.dim]
        return out

    def load(self, load) -> dict:
        """A force or a moment."""
        out = dict(on=load.node.name)
        if load.node.kind == "point":
            out["force"] = load.vector[: self.model.dim]
        else:
            out["moment"] = load.vector[0] if self.model.planar else load.vector
        if load.signal is not None:
            out["signal"] = self.signal(load.signal, f"load on '{load.node.name}'")
        if load.kind == "follower_force":
            out["follow"] = load.frame.name
        elif load.kind == "follower_moment":
            out["follow"] = True
        return out


def _name(function) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _merged(a: list[str], b: list[str]) -> list[str] | None:
    """Names of a and b, in the order of both."""
    out, shared = [], set(a) & set(b)
    i = 0
    for name in a:
        if name in shared:
            while i < len(b) and b[i] != name:
                if b[i] in shared:
                    return None
                out.append(b[i])
                i += 1
            i += 1
        out.append(name)
    return out + b[i:]


def signal_data(s: Signal):
    """Data of a Signal; a constant from the start is a number."""
    rows = [np.trim_zeros(c, "b").tolist() or [0.0] for c in s.coef]
    if len(rows) == 1 and s.start[0] == 0 and len(rows[0]) == 1:
        return rows[0][0]
    return dict(kind="pieces", start=s.start.tolist(), coefficients=rows)


def section_data(s: Section) -> dict:
    """Values of a section that are not zero."""
    out = {k: v for k, v in vars(s).items() if k != "shape" and v != 0}
    return {**out, "shape": list(s.shape)} if s.shape != ("free",) else out


@singledispatch
def path_data(path) -> dict:
    """Data of a path."""
    raise InputError(f"{type(path).__name__}: cannot be written to a file; use a line, circle, waypoint or joint path")


def controller_data(controller) -> dict:
    """Data of a controller, its matrices to the last bit."""
    from .ami.sampled import Sampled

    if isinstance(controller, Sampled):
        if callable(controller.controller):
            raise InputError("sampled controller: a Python function cannot be written to a file; use a Controller")
        sampled = dict(Ts=controller.Ts, delay=controller.delay, feedforward=controller.feedforward)
        return {**controller_data(controller.controller), "sampled": sampled}
    c = controller
    known = _pid(c)
    if known is not None:
        return known
    out = dict(kind="state_space", name=c.name, **{k: getattr(c, k).tolist() for k in ("A", "B", "C", "D", "Dv", "kp")})
    if not len(c.A):
        for k in ("A", "B", "C"):
            del out[k]
    if not c.Dv.any():
        del out["Dv"]
    return {**out, **{k: False for k in ("scheduled", "feedforward") if not getattr(c, k)}}


def _pid(c) -> dict | None:
    """A PID by its settings, where they give the same matrices."""
    from .ami.control import PID

    if not c.name.startswith("PID") or set(c.data) != {"bandwidth", "tI", "tD", "alpha"}:
        return None
    spec = dict(joints=c.n, scheduled=c.scheduled, feedforward=c.feedforward, roll_off=c.name == "PID with roll-off")
    spec |= {k: v[0].item() if np.all(v == v[0]) else v.tolist() for k, v in c.data.items()}
    same = PID(**spec)
    if any(not np.array_equal(getattr(c, k), getattr(same, k)) for k in ("A", "B", "C", "D", "Dv", "kp")):
        return None
    standard = dict(scheduled=True, feedforward=True, roll_off=False)
    return {"kind": "PID", **{k: v for k, v in spec.items() if standard.get(k) != v}}


def _profile(path) -> dict:
    """A profile by its name, where that gives the same signal."""
    from .ami.paths import PROFILES

    s, T = path.profile, path.T
    for name in ("squared_sine", "trapezoidal", "quintic", "harmonic"):
        for ramp in dict.fromkeys((0.25, *s.start[1:2].tolist())):
            try:
                same = PROFILES[name](T, ramp)
            except InputError:
                continue
            if np.array_equal(same.start, s.start) and np.array_equal(same.coef, s.coef):
                return dict(profile=name, **({"ramp": ramp} if ramp != 0.25 else {}))
    return dict(profile=signal_data(s))


def _register() -> None:
    from .ami import paths

    def common(p):
        return dict(T=p.T, node=p.node, **_profile(p))

    path_data.register(paths.LinePath, lambda p: dict(kind="line", A=p.A.tolist(), B=p.B.tolist(), **common(p)))
    def circle(p):
        vectors = {k: getattr(p, k).tolist() for k in ("centre", "A", "axis")}
        return dict(kind="circle", **vectors, angle=p.angle, **common(p))

    path_data.register(paths.CirclePath, circle)
    path_data.register(paths.WaypointPath, lambda p: dict(kind="waypoints", points=p.points.tolist(), **common(p)))
    path_data.register(paths.JointPath, _joints)
    path_data.register(paths.PrescribedPath, lambda p: dict(kind="prescribed", T=p.T))


def _joints(p) -> dict:
    for name, s in p.joints.items():
        if isinstance(s, PythonSignal):
            raise InputError(f"joint path '{name}': a Python function cannot be written to a file; use a Signal")
    return dict(kind="joints", T=p.T, joints={k: signal_data(s) for k, s in p.joints.items()})


_register()
