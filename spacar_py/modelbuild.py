"""From plain data to a model, a path, a controller; the rules are those of the API, its errors get their field."""

from __future__ import annotations

import warnings

import numpy as np

from . import signals
from .case import Case, Run
from .checks import known
from .errors import InputError, SpacarError, nearest
from .model import Model
from .nodes import Node
from .sections import Section

STATUS = ("flexible", "dof", "release", "fixed")


class FieldError(InputError):
    """An error in one field of a file, given by its path."""

    def __init__(self, field: tuple, message: str):
        super().__init__(message)
        self.field = field


class at:
    """Give errors of the API the field they belong to."""

    def __init__(self, *field):
        self.field = field

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if error is None or isinstance(error, FieldError):
            return
        if isinstance(error, SpacarError):
            raise FieldError(self.field, str(error)) from None
        if isinstance(error, (ArithmeticError, ValueError, TypeError, MemoryError)):
            raise FieldError(self.field, f"cannot be used: {error}; check the values") from None


def build_case(data: dict) -> Case:
    """Case of data that keep to the schema."""
    with np.errstate(all="ignore"), warnings.catch_warnings():  # what overflows is refused where it is used
        warnings.simplefilter("ignore")
        model = build_model(data)
        path = controller = None
        if data.get("path") is not None:
            with at("path"):
                path = build_path(data["path"])
        if data.get("controller") is not None:
            with at("controller"):
                controller = build_controller(data["controller"])
        with at("run"):
            run = Run(**data.get("run", {}))
            run.integrator()
            check_node(run.node, model)
    name = data.get("name", "model")
    return Case(model, path, controller, run, name, data.get("title", ""), data.get("source", ""))


def build_model(data: dict) -> Model:
    """Model of data that keep to the schema."""
    with at("gravity"):
        planar, gravity = data.get("planar", False), data.get("gravity")
        model = Model(gravity=gravity, planar=planar, name=data.get("name", "model"))
    sections = {}
    for name, spec in data.get("sections", {}).items():
        with at("sections", name):
            sections[name] = build_section(spec)
    for table, kind in (("nodes", "node"), ("points", "point"), ("frames", "frame")):
        for name, spec in data.get(table, {}).items():
            with at(table, name):
                _node(model, name, {"kind": kind, **spec})
    for name, spec in data.get("warps", {}).items():
        with at("warps", name):
            model.warp(name)
            _hold(model, name, [model.warps[name]], spec)
    for name, spec in data.get("elements", {}).items():
        with at("elements", name):
            _element(model, name, dict(spec), sections)
    for name, parts in data.get("chains", {}).items():
        with at("chains", name):
            for p in parts:
                if p not in model.elements:
                    raise InputError(f"chain '{name}': there is no element '{p}'{nearest(p, model.elements)}")
            if name in model.elements:
                raise InputError(f"chain '{name}': the name is taken by an element; choose another one")
            model.chains[name] = list(parts)
    _inertia_and_loads(model, data)
    return model


def check_node(name, model) -> None:
    """Refuse a node for the comparison that the model does not have."""
    if name is not None:
        known("run", "point", name, model.points)


def _node(model, name, spec) -> None:
    kind, rotation, euler = spec["kind"], spec.get("rotation"), spec.get("euler")
    if kind == "frame" and spec.get("position") is not None:
        raise InputError(f"frame '{name}': has no position; make it a node, or leave position out")
    if kind == "point" and (rotation is not None or euler is not None):
        raise InputError(f"point '{name}': has no rotation; make it a node, or leave rotation out")
    if kind != "frame" and spec.get("position") is None:
        raise InputError(f"{kind} '{name}': position is missing; add position = [...], or make it a frame")
    if euler is not None and (rotation is not None or model.planar):
        raise InputError(f"frame '{name}': euler is for spatial frames without rotation; leave it out")
    made = []
    if kind != "frame":
        model.point(name, spec["position"])
        made.append(model.points[name])
    if kind != "point":
        model.frame(name, rotation)
        if euler is not None:
            if not abs(np.linalg.norm(euler) - 1) < 1e-9:
                raise InputError(f"frame '{name}': euler must have the length 1, got {np.linalg.norm(euler):g}")
            model.frames[name] = Node(name, "frame", tuple(float(v) for v in euler), model.planar)
        made.append(model.frames[name])
    _hold(model, name, made, spec)


def _hold(model, name, made, spec) -> None:
    """Statuses of what was just made; nothing else may have its name yet, or they would be held too."""
    for verb, key in ((model.fix, "fixed"), (model.dof, "dof")):
        wanted = spec.get(key, False)
        if wanted is True:
            wanted = [c for n in made for c in n.components]
            if key == "dof":
                turns = ["rotation"] * any(n.size == 4 for n in made)
                wanted = [c for c in wanted if not c.startswith("lambda")] + turns
        if wanted:
            verb(name, *([wanted] if isinstance(wanted, str) else wanted))
    for component, motion in spec.get("prescribed", {}).items():
        model.prescribe(name, component, build_signal(motion))


def _element(model, name, spec, sections) -> None:
    kind = spec.pop("kind")
    p, q = spec.pop("p"), spec.pop("q")
    prescribed, damping = spec.pop("prescribed", {}), spec.pop("damping", 0.0)
    if isinstance(spec.get("section"), str):
        key = spec["section"]
        if key not in sections:
            hint = nearest(key, sections)
            raise InputError(f"element '{name}': there is no section '{key}'{hint}; add [sections.{key}]")
        spec["section"] = sections[key]
    elif spec.get("section") is not None:
        spec["section"] = build_section(spec["section"])
    if kind == "rigid_chain":
        from .rigidfe.chain import rigid_chain

        rigid_chain(model, name, p, q, spec.pop("section"), damping=damping, **spec)
        return
    if kind == "universal" and (spec.get("axis") is None or spec.get("y") is None):
        raise InputError(f"universal joint '{name}': needs axis and y, two directions square to each other")
    if kind in ("slider", "cylinder") and spec.get("axis") is None:
        raise InputError(f"{kind} '{name}': axis is missing; add axis = [...]")
    if kind == "cylinder" and model.planar:
        raise InputError(f"cylinder '{name}': not for a planar model; use a slider")
    getattr(model, kind)(name, p, q, **spec)
    parts = model.chains.get(name, [name])
    if np.ndim(damping) == 0 and not np.isfinite(damping) or np.any(np.asarray(damping, float) < 0):
        raise InputError(f"{kind} '{name}': damping must be zero or positive, got {damping}")
    for part in parts:
        element = model.elements[part]
        if np.any(damping) or kind == "beam":
            n = len(element.deformations)
            shape = np.shape(damping)
            if shape not in ((), (n,), (n, n)):
                rule = f"a number or {n} x {n} numbers"
                raise InputError(f"{kind} '{name}': damping must be {rule}, got the shape {shape}")
            model.material_damping[part] = damping if shape == () else np.array(damping, float)
        for deformation, motion in prescribed.items():
            for d in model._expand(element.label, element, deformation):
                model.e_status[part, d] = ("prescribed", build_signal(motion))
    model._touch()


def _inertia_and_loads(model, data) -> None:
    for i, b in enumerate(data.get("bodies", [])):
        with at("bodies", i):
            if (b.get("point") is None) == (b.get("node") is None):
                raise InputError("body: give either point (a mass) or node (a rigid body)")
            if b.get("point") is not None:
                if b.get("J") is not None or b.get("centre") is not None:
                    what = f"mass at '{b['point']}'"
                    raise InputError(f"{what}: a point has no J and no centre; give node instead of point")
                model.mass(b["point"], b.get("m", 0.0))
            else:
                model.body(b["node"], b.get("m", 0.0), J=b.get("J"), centre=b.get("centre"))
    for i, load in enumerate(data.get("loads", [])):
        with at("loads", i):
            _load(model, load)
    for table, verb, keys in (("springs", model.spring, ("stiffness", "free")), ("dampers", model.damper, ("damping",)),
                              ("prestresses", model.prestress, ("value",))):  # fmt: skip
        for i, law in enumerate(data.get(table, [])):
            with at(table, i):
                verb(law["element"], law["deformation"], *(law.get(k, 0.0) for k in keys))
    for i, law in enumerate(data.get("actuators", [])):
        with at("actuators", i):
            model.actuator(law["element"], law["deformation"], build_signal(law["signal"]))
    for i, lost in enumerate(data.get("user_forces", [])):
        with at("user_forces", i):
            model.user_force(lost["on"], lost_function(lost["name"]))


def _load(model, load) -> None:
    force, moment, signal = load.get("force"), load.get("moment"), load.get("signal")
    signal = None if signal is None else build_signal(signal)
    follow = load.get("follow", False)
    if (force is None) == (moment is None):
        raise InputError(f"load on '{load['on']}': give either force or moment")
    if force is not None:
        if follow is True:
            raise InputError(f"force on '{load['on']}': follow names the frame that carries it, got true")
        model.force(load["on"], force, signal, follow=follow or None)
    elif isinstance(follow, str) or (follow and model.planar):
        raise InputError(f"moment on '{load['on']}': follow is true or false and for spatial models, got {follow!r}")
    else:
        model.moment(load["on"], moment, signal, follow=follow)


def build_section(spec: dict) -> Section:
    """Section of its table."""
    spec = dict(spec)
    kind = spec.pop("kind", "free")
    if kind == "free":
        if "shape" in spec:
            spec["shape"] = tuple(spec["shape"])
        return Section(**spec)
    return getattr(Section, kind)(**spec)


def build_signal(spec):
    """Signal of a number or a table."""
    if not isinstance(spec, dict):
        return signals.as_signal(spec)
    spec = dict(spec)
    kind = spec.pop("kind")
    if kind == "constant":
        return signals.as_signal(spec["value"])
    if kind == "polynomial":
        return signals.polynomial(*spec["coefficients"], start=spec.get("start", 0.0))
    if kind == "pieces":
        n, m = len(spec["start"]), len(spec["coefficients"])
        if n != m:
            raise InputError(f"signal: start and coefficients must be as many, got {n} and {m}")
        return signals.Signal(list(zip(spec["start"], spec["coefficients"], strict=True)))
    if kind == "sum":
        terms = [build_signal(s) for s in spec["terms"]]
        return sum(terms[1:], terms[0])
    if kind == "python":
        return signals.PythonSignal(lost_function(spec["name"]), spec.get("rates", True))
    if kind in ("squared_sine", "trapezoidal", "harmonic"):
        from .ami.paths import PROFILES

        return PROFILES[kind](spec["T"], spec.get("ramp", 0.25))
    return getattr(signals, kind)(**spec)


def lost_function(name: str):
    """Stands for a Python function that an archive could not hold."""

    def function(*_):
        raise InputError(f"the Python function '{name}' was not stored with the model; build it in Python to run it")

    function.__name__ = name
    return function


def build_path(spec: dict):
    """Path of its table."""
    from .ami import paths

    spec = dict(spec)
    kind = spec.pop("kind")
    if kind == "prescribed":
        return paths.PrescribedPath(spec["T"])
    if kind == "joints":
        return paths.JointPath({k: build_signal(v) for k, v in spec["joints"].items()}, spec["T"])
    if "profile" in spec and not isinstance(spec["profile"], str):
        spec["profile"] = build_signal(spec["profile"])
    path = {"line": paths.LinePath, "circle": paths.CirclePath, "waypoints": paths.WaypointPath}[kind](**spec)
    if isinstance(path.profile, signals.PythonSignal):
        raise InputError("path: its profile must be data, not a Python function")
    return path


def build_controller(spec: dict):
    """Controller of its table."""
    from .ami.control import PD, PID, Controller
    from .ami.sampled import Sampled

    spec = dict(spec)
    kind, sampled = spec.pop("kind"), spec.pop("sampled", None)
    if kind == "state_space":
        for key in ("A", "B", "C", "D", "Dv", "kp"):
            if spec.get(key) is not None:
                rows = {len(r) for r in spec[key]}
                if len(rows) > 1:
                    raise InputError(f"controller: the rows of {key} must be equally long, got {sorted(rows)}")
        n = len(spec["D"])
        none = {"A": (0, 0), "B": (0, n), "C": (n, 0)}
        if not n:
            raise InputError("controller: D must have a row for every joint, got none")
        for key, shape in none.items():
            value = np.array(spec.get(key, []), float)
            spec[key] = value if value.size else np.zeros(shape)
        controller = Controller(**spec)
    else:
        controller = (PID if kind == "PID" else PD)(**spec)
    return controller if sampled is None else Sampled(controller, **sampled)
