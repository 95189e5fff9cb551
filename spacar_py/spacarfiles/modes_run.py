"""The states that each of SPACAR's modes goes through, one by one, with the linear model at each.

Loads of load steps stand in the tables of the compiled model while a state is handed on, so that whoever takes it sees
the loads of that state.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from spacar_py.ami.nominal import joint_motion
from spacar_py.ami.paths import PrescribedPath
from spacar_py.errors import ConvergenceError, InputError
from spacar_py.linearize import linear_model
from spacar_py.linearize.stability import _factors, _linearise, _pattern_stiffness
from spacar_py.linearize.states import read_states
from spacar_py.motion import RungeKutta, place, simulate
from spacar_py.results import Result, evaluated
from spacar_py.spacarfiles.binary import SpacarFile, read_sbd
from spacar_py.spacarfiles.load_steps import Solver, Stage, joined

STATIC = (7, 8, 9, 10)  # modes whose states are at rest


def states_of(run, path=None, states=None, method=None) -> Iterator[tuple[Result, object]]:
    """(state, linear model or None) of all steps of a run."""
    if path is not None and run.mode not in (2, 3):
        raise InputError(f"mode {run.mode} takes no path; give it in mode 2 or 3")
    if states is not None and run.mode != 3:
        raise InputError(f"mode {run.mode} takes no states; give them in mode 3")
    if run.mode in (1, 4):
        yield from _forward(run, method)
    elif run.mode in (2, 3):
        yield from _along(run, path, states)
    elif run.mode in (9, 10):
        yield from _static(run)
    else:
        yield from _initial(run)


def _setting(dat, keyword, position, default):
    found = dat.setting(keyword)
    return found.values[position] if found and len(found.values) > position else default


# statics ------------------------------------------------------------------------------------------------------------


def _static(run):
    stage = Stage(run.built)
    steps = int(_setting(run.dat, "ITERSTEP", 1, 1)) if stage.grows else 0
    solver = Solver(stage, max(int(_setting(run.dat, "ITERSTEP", 0, 10)), 30))
    for level in np.linspace(0.0, 1.0, steps + 1):
        solver.move(float(level))
        if run.mode == 10 or level == (1.0 if steps else 0.0):
            point = solver.point()
            yield point, linear_model(run.model, point)[0]


def _initial(run):
    """Modes 0, 7, 8: the model as drawn, with STARTDE and STARTDX, under its base loads."""
    system = run.built.compile()
    stage = Stage(run.built)
    stage.set(0.0)
    q = system.y0.copy()
    for name, v in run.built.start.items():
        q[system.y_index[name]] = v
    q[system.nq :] = stage.values
    point = _points(system, np.zeros(1), q[None, None, :] * np.array([1.0, 0, 0])[None, :, None])
    if run.mode == 8:
        run.buckling = _buckling(run, stage)
        stage.set(0.0)
    yield point, None if run.mode == 0 else linear_model(run.model, point)[0]


def _buckling(run, stage) -> np.ndarray:
    """Multipliers of the increments on top of the base loads, or, without increments, of the base loads."""
    system = stage.system
    low, high = (0.0, 1.0) if stage.grows else (-1.0, 0.0)
    states = read_states(system, None, 0.0)
    stage.set(0.0)
    states.Y[:, 0, system.nq :] = stage.values
    stage.set(low)
    base = _linearise(system, states, np.ones(4))
    K = base.stiffness
    stage.set(high)
    G = _pattern_stiffness(system, states, base) - K
    if not np.max(np.abs(G), initial=0.0) > 1e-14 * np.max(np.abs(K), initial=0.0):
        raise InputError("mode 8: the loads cause no stress, nothing can buckle; give XF, DELXF or GRAVITY")
    factors, _ = _factors(K, G, base)
    return np.sort(factors[factors > 0])


# motion -------------------------------------------------------------------------------------------------------------


def _forward(run, method):
    T, n = (_setting(run.dat, "TIMESTEP", k, None) for k in (0, 1))
    if T is None:
        raise InputError(f"mode {run.mode} needs a time and a number of steps; add TIMESTEP t n to the dynamics")
    system = run.built.compile()
    atol, rtol = _setting(run.dat, "ERROR", 0, 1e-9), _setting(run.dat, "ERROR", 1, 1e-6)
    result = simulate(run.model, t_end=T, points=int(n) + 1, method=method or RungeKutta(rtol=rtol, atol=atol),
                      q0=run.built.start or None, qd0=run.built.start_rates or None)  # fmt: skip
    linear = linear_model(run.model, result) if run.mode == 4 else None
    for k in range(len(result)):
        yield _one(system, result, k), None if linear is None else linear[k]


def _along(run, path, states):
    system = run.built.compile()
    if path is None and states is None and system.prescribed and run.dat.setting("TIMESTEP"):
        path = PrescribedPath(run.dat.setting("TIMESTEP").values[0])  # INPUTX and INPUTE with their rates
    if (path is None) == (states is None):
        more = "" if path is None else "; give one of the two"
        trajectory = "; the meaning of TRAJECT and its companions is not established" if run.dat.trajectory else ""
        either = "path=LinePath(...) or JointPath(...)" + (" or states=... of another run" if run.mode == 3 else "")
        raise InputError(f"mode {run.mode} needs the motion: {either}{trajectory}{more}")
    if path is not None:
        n = int(_setting(run.dat, "TIMESTEP", 1, 100))
        T = _setting(run.dat, "TIMESTEP", 0, path.T)
        if abs(T - path.T) > 1e-9 * T:
            raise InputError(f"mode {run.mode}: TIMESTEP says {T:g} s, the path takes {path.T:g} s; make them equal")
        times = np.linspace(0.0, T, n + 1)
        Y, _ = joint_motion(system, path, times, run.built.start or None)
        linear = linear_model(run.model, tuple(Y[:, k, : system.nq] for k in range(3)), times)
        result = _points(system, times, Y)
    else:
        times, Y, rest = states_from(run, states)
        q, qd, qdd = (Y[:, k, : system.nq] for k in range(3))
        linear = linear_model(run.model, SimpleNamespace(q=q, qd=qd, qdd=qdd, y=Y, t=times), free=rest)
        result = joined(_driven_points(system, times, linear.Y))
    for k in range(len(times)):
        yield _one(system, result, k), linear[k]


def _driven_points(system, times, Y) -> list[Result]:
    """Results of states whose prescribed motions are those of the states, not of the model."""
    t, w, out = system.tables, system.work(), []
    rows = [int(t.sg_ptr[sig]) for sig in t.r_sig]
    for k, time in enumerate(times):
        for row, (v, vd, vdd) in zip(rows, Y[k, :, system.nq :].T, strict=True):
            t.sg_t[row], t.sg_c[row] = time, 0.0
            t.sg_c[row, :3] = v, vd, vdd / 2
        place(system, w, Y[k, 0], np.zeros(system.ne))
        out.append(
            evaluated(system, times[k : k + 1], Y[k : k + 1].copy(), work=w, given=True, info=dict(method="given"))
        )
    return out


def states_from(run, states) -> tuple[np.ndarray, np.ndarray, bool]:
    """Times, Y (N, 3, ny) and whether the states are at rest, of a .sbd of the same nodes and elements."""
    if hasattr(states, "contents"):
        if "sbd" not in states.contents:
            raise InputError("mode 3: the run that was given as states has no result; run it in mode 1, 4 or 10")
        header, steps = states.contents["sbd"]
        sbd = SpacarFile(
            str(states.dat.path), "sbd", {k: np.asarray(v) for k, v in header.items()}, steps, len(steps["T"])
        )
    else:
        sbd = states if isinstance(states, SpacarFile) else read_sbd(states)
    number, system = run.numbering, run.built.compile()
    mine = {
        "X": (number.x, number.LNP, system.x_status),
        "E": (number.e, number.LE[: len(run.dat.elements)], system.e_status),
    }
    theirs = {"X": np.atleast_2d(sbd["LNP"]), "E": np.atleast_2d(sbd["LE"])}
    Y = np.zeros((sbd.nsteps, 3, system.ny))
    for kind, (order, table, status) in mine.items():
        names = system.x_names if kind == "X" else system.e_names
        for row, column in np.argwhere(table > 0):
            i = int(order[table[row, column] - 1])
            if status[i] not in ("dof", "prescribed"):
                continue
            if row >= len(theirs[kind]) or theirs[kind][row, column] == 0:
                raise InputError(
                    f"mode 3: the states in {sbd.path} do not hold {names[i]}; they belong to another model"
                )
            place = int(theirs[kind][row, column]) - 1
            for k, suffix in enumerate(("", "D", "DD")):
                Y[:, k, system.y_index[names[i]]] = np.asarray(sbd[kind + suffix]).reshape(sbd.nsteps, -1)[:, place]
    return np.asarray(sbd["T"], float).reshape(-1), Y, int(sbd["MODE"]) in STATIC


def _points(system, times, Y) -> Result:
    """Results of states that are given, continued from one to the next."""
    w = system.work()
    place(system, w, Y[0, 0], np.zeros(system.ne))
    try:
        return evaluated(system, times, np.array(Y), work=w, given=True, info=dict(method="given"))
    except ConvergenceError as error:
        raise ConvergenceError(f"{error}; the states may belong to another model") from None


def _one(system, result, k) -> Result:
    parts = {n: getattr(result, n)[k : k + 1] for n in ("t", "y", "sigma", "f", "energies", "powers", "rho")}
    return Result(system, X=result.X[:, k : k + 1], E=result.E[:, k : k + 1], **parts, info=result.info)
