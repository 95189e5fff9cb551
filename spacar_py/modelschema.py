"""The schema of model files, as pydantic classes: what may stand where, and of which kind.

Physical rules (a section must be positive, a node must exist) are those of the API, which builds the model afterwards.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .modelschema_parts import Matrix, Names, Pair, SectionOrName, SectionTable, Signal, Table, Vector, one_of
from .tomltext import FORMAT

MOST_ELEMENTS = 10_000
MOST_POINTS = 10_000_000


class _Held(Table):
    fixed: Names = False
    dof: Names = False
    prescribed: dict[str, Signal] = {}


class Node(_Held):
    """A point and a frame of one name, or one of the two; `rotation` is a vector (rad), in the plane an angle."""

    kind: Literal["node", "point", "frame"] = "node"
    position: Vector | None = None
    rotation: float | Vector | None = None
    euler: Annotated[list[float], Field(min_length=4, max_length=4)] | None = None


class Warp(_Held):
    pass


# elements -----------------------------------------------------------------------------------------------------------


class _Element(Table):
    p: str | Pair
    q: str | Pair
    flexible: Names = False
    dof: Names = False
    release: Names = False
    fixed: Names = False
    prescribed: dict[str, Signal] = {}
    damping: float | list[float] | Matrix = 0.0


class Beam(_Element):
    kind: Literal["beam"]
    section: SectionOrName | None = None
    y: Vector | None = None
    elements: Annotated[int, Field(ge=1, le=MOST_ELEMENTS)] = 1
    warping: Pair | None = None


class RigidBeam(_Element):
    kind: Literal["rigid_beam"]
    section: SectionOrName | None = None
    y: Vector | None = None


class Truss(_Element):
    kind: Literal["truss"]
    section: SectionOrName | None = None


class Jointed(_Element):
    kind: Literal["hinge", "pin_body", "slider", "cylinder", "universal"]
    axis: Vector | None = None
    y: Vector | None = None


class Spherical(_Element):
    kind: Literal["spherical"]


class RigidChain(Table):
    kind: Literal["rigid_chain"]
    p: str | Pair
    q: str | Pair
    section: SectionOrName
    elements: Annotated[int, Field(ge=1, le=MOST_ELEMENTS)] = 10
    keep: str | list[str] = "bending"
    y: Vector | None = None
    damping: float = 0.0
    damper: float = 0.0


_ELEMENTS = dict(beam=Beam, rigid_beam=RigidBeam, truss=Truss, hinge=Jointed, pin_body=Jointed, slider=Jointed,
                 cylinder=Jointed, universal=Jointed, spherical=Spherical, rigid_chain=RigidChain)  # fmt: skip
ElementTable = one_of(_ELEMENTS)

# inertia, loads, laws -----------------------------------------------------------------------------------------------


class Body(Table):
    """A mass on a `point`, or a rigid body on a `node` (or [point, frame])."""

    point: str | None = None
    node: str | Pair | None = None
    m: float = 0.0
    J: float | list[float] | Matrix | None = None
    centre: Vector | None = None


class Load(Table):
    """A `force` on a point or a `moment` on a frame, times a signal."""

    on: str
    force: Vector | None = None
    moment: float | Vector | None = None
    signal: Signal | None = None
    follow: bool | str = False


class _Law(Table):
    element: str
    deformation: str


class Spring(_Law):
    stiffness: float
    free: float = 0.0


class Damper(_Law):
    damping: float


class Prestress(_Law):
    value: float


class Actuator(_Law):
    signal: Signal


# path, control, run -------------------------------------------------------------------------------------------------


class _Path(Table):
    T: float
    node: str = "tip"
    profile: Annotated[Signal, Field()] | str = "squared_sine"
    ramp: float = 0.25


class Line(_Path):
    kind: Literal["line"]
    A: Vector
    B: Vector


class Arc(_Path):
    kind: Literal["circle"]
    centre: Vector
    A: Vector
    axis: Vector
    angle: float


class Waypoints(_Path):
    kind: Literal["waypoints"]
    points: list[Vector]


class Joints(Table):
    kind: Literal["joints"]
    T: float
    joints: dict[str, Signal]


class Prescribed(Table):
    kind: Literal["prescribed"]
    T: float


PathTable = one_of(dict(line=Line, circle=Arc, waypoints=Waypoints, joints=Joints, prescribed=Prescribed))
PerJoint = float | list[float]


class Sampling(Table):
    Ts: float
    delay: float = 0.0
    feedforward: bool = True


class _Control(Table):
    joints: Annotated[int, Field(ge=1, le=1000)] = 3
    scheduled: bool = True
    feedforward: bool = True
    sampled: Sampling | None = None


class PID(_Control):
    kind: Literal["PID"]
    bandwidth: PerJoint
    tI: PerJoint | None = None
    tD: PerJoint | None = None
    alpha: PerJoint = 0.1
    roll_off: bool = False


class PD(_Control):
    kind: Literal["PD"]
    bandwidth: PerJoint | None = None
    kp: PerJoint | None = None
    kd: PerJoint | None = None


class StateSpace(Table):
    kind: Literal["state_space"]
    A: Matrix = []
    B: Matrix = []
    C: Matrix = []
    D: Matrix
    Dv: Matrix | None = None
    kp: Matrix | None = None
    scheduled: bool = True
    feedforward: bool = True
    name: str = "controller"
    sampled: Sampling | None = None


ControlTable = one_of(dict(PID=PID, PD=PD, state_space=StateSpace))


class Run(Table):
    """How to simulate; see `spacar_py.case.Run`."""

    t_end: float | None = None
    t_start: float = 0.0
    points: Annotated[int, Field(ge=2, le=MOST_POINTS)] = 501
    method: Literal["nonlinear", "implicit", "scipy", "perturbation", "AMI"] = "nonlinear"
    order: Literal[5, 8] = 5
    rtol: float | None = None
    atol: float | None = None
    max_step: float | None = None
    solver: str = "DOP853"
    modes: Annotated[int, Field(ge=1)] | Literal["auto"] = 4
    correction: Literal["inertial", "static", "none"] = "inertial"
    interpolation: Literal["cubic", "linear", "step"] = "cubic"
    linear_points: Annotated[int, Field(ge=4, le=1_000_000)] | None = None
    compare_modes: list[Annotated[int, Field(ge=1)]] | None = None
    node: str | None = None
    q0: dict[str, float] = {}
    qd0: dict[str, float] = {}
    chunks: Annotated[int, Field(ge=1, le=100_000)] = 50


class File(Table):
    """A model file."""

    format: Literal[1] = FORMAT
    name: str = "model"
    title: str = ""
    source: str = ""
    planar: bool = False
    gravity: Vector | None = None
    sections: dict[str, SectionTable] = {}
    nodes: dict[str, Node] = {}
    points: dict[str, Node] = {}
    frames: dict[str, Node] = {}
    warps: dict[str, Warp] = {}
    elements: dict[str, ElementTable] = {}
    chains: dict[str, list[str]] = {}
    bodies: list[Body] = []
    loads: list[Load] = []
    springs: list[Spring] = []
    dampers: list[Damper] = []
    prestresses: list[Prestress] = []
    actuators: list[Actuator] = []
    path: PathTable | None = None
    controller: ControlTable | None = None
    run: Run = Run()
