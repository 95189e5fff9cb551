"""Motion of an arm in time, and the torques that a rigid arm needs along its targets."""

from __future__ import annotations

import copy
import time

import numpy as np
from scipy.interpolate import CubicSpline

from spacar_py import checks
from spacar_py.corotational.arm import Arm, Joint
from spacar_py.corotational.model import Model
from spacar_py.corotational.results import Result
from spacar_py.corotational.solvers import Ida, Projected
from spacar_py.corotational.statics import equilibrium
from spacar_py.errors import InputError, nearest


def inverse_dynamics(arm: Arm, times: np.ndarray, gravity_only: bool = False) -> dict[str, np.ndarray]:
    """Torques of the hinges of the rigid arm along the targets.

    Parameters
    ----------
    arm : Arm
        All its hinges driven or controlled.
    times : (n,) array
        Instants [s].
    gravity_only : bool
        Torques that hold the arm still at the targets.

    Returns
    -------
    dict
        Name of the hinge -> (n,) torques [N m].
    """
    rigid = arm.rigid()
    for link in rigid.links:
        j = link.joint
        if j is not None and j.axis is not None:
            if j.drive is None and j.control is None:
                raise InputError(f"hinge '{j.name}' is passive: inverse dynamics needs a drive or a control target")
            link.joint = Joint(j.name, j.axis, drive=_held(j.motion) if gravity_only else j.motion)
    model = Model(rigid)
    names = [link.joint.name for link in rigid.links if link.joint is not None and link.joint.axis is not None]
    out = {name: np.empty(len(times)) for name in names}
    for k, t in enumerate(times):
        y, _ = model.complete(float(t), model.initial(float(t)))
        for name in names:
            out[name][k] = y[model.rows[name][0]]
    return out


def _held(motion):
    return lambda t: (motion(t)[0], 0.0, 0.0)


def simulate(
    arm: Arm,
    t_end: float,
    points: int = 1001,
    solver: Ida | Projected | None = None,
    start: str = "undeformed",
) -> Result:
    """Motion of the arm from 0 to t_end.

    Parameters
    ----------
    arm : Arm
    t_end : float
        [s]
    points : int
        Number of equally spaced instants in the result.
    solver : Ida or Projected
        Ida if it is installed, else Projected.
    start : {"undeformed", "equilibrium", "rest"}
        Links straight, or bent as at rest under gravity and loads; the hinges start at their targets, with their rates.
        "rest": bent, and the arm stands still, whatever the rates of the targets; driven hinges have theirs.

    Returns
    -------
    Result
    """
    known = ("undeformed", "equilibrium", "rest")
    if start not in known:
        raise InputError(f"start must be 'undeformed', 'equilibrium' or 'rest', got {start!r}{nearest(start, known)}")
    if not isinstance(arm, Arm):
        raise InputError(f"simulate: needs an Arm, got {type(arm).__name__}; arm_of(model) makes one of a model")
    t_end = checks.number("simulate", "t_end", t_end, positive=True)
    points = checks.count("simulate", "points", points, 2)
    solver = _default_solver() if solver is None else solver
    if not isinstance(solver, (Ida, Projected)):
        raise InputError(f"simulate: solver must be Ida() or Projected(), got {solver!r}")
    arm = copy.copy(arm)
    model = Model(arm, stabilise=solver.stabilise)
    model.feedforward = feedforward(arm, t_end)
    y = model.initial()
    if start != "undeformed":
        locked = Model(arm, locked=True)
        rest = equilibrium(locked)
        nodes = np.arange(7)
        for here, there in zip(model.tables.node_at, locked.tables.node_at, strict=True):
            y[here + nodes] = rest[there + nodes]
        if start == "rest":
            y[model.index.velocity] = 0.0
        y = _admissible_velocity(model, y)
    y, yp = model.complete(0.0, y)
    times = np.linspace(0.0, t_end, points)
    clock = time.process_time()
    Y, YP, count = solver.integrate(model, times, y, yp)
    count["seconds"] = time.process_time() - clock  # of the processor, as the core counts
    return Result(model, times, Y, YP, count)


def feedforward(arm: Arm, t_end: float, samples: int = 401) -> dict:
    """Torque of time that every controlled hinge adds to its PD law."""
    out = {}
    times = np.linspace(0.0, t_end, samples)
    tables = {}
    for link in arm.links:
        control = None if link.joint is None else link.joint.control
        if control is None or control.feedforward is None:
            continue
        if callable(control.feedforward):
            out[link.joint.name] = control.feedforward
            continue
        kind = control.feedforward
        if kind not in tables:
            tables[kind] = inverse_dynamics(arm, times, gravity_only=kind == "gravity")
        out[link.joint.name] = CubicSpline(times, tables[kind][link.joint.name])
    return out


def _admissible_velocity(model: Model, y: np.ndarray) -> np.ndarray:
    """Nearest velocities, in kinetic energy, that the joints allow."""
    ix, zero = model.index, np.zeros(model.size)
    gap = model.residual(0.0, y, zero)[ix.force]
    J = model.jacobian(0.0, y, zero, 0.0).copy()
    M = (model.jacobian(0.0, y, zero, 1.0) - J)[np.ix_(ix.velocity, ix.velocity)]
    G = J[np.ix_(ix.force, ix.velocity)]
    nv, nc = len(ix.velocity), len(ix.force)
    system = np.block([[M, G.T], [G, np.zeros((nc, nc))]])
    y = y.copy()
    y[ix.velocity] += np.linalg.solve(system, np.concatenate((np.zeros(nv), -gap)))[:nv]
    return y


def _default_solver() -> Ida | Projected:
    try:
        import sksundae.ida  # noqa: F401
    except ImportError:
        return Projected()
    return Ida()
