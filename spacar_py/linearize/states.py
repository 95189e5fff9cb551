"""What `at=...` may be, turned into the arrays that the kernels take; and the way to a state that is far away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..assembly import series
from ..checks import known
from ..errors import ConvergenceError, InputError
from ._kernels import exact_position, prescribed

FAR = 0.3  # longest step in y (rad, or part of the model's size) that Newton is given at once
CLOSED = 1e-6  # largest deformation, in radians or parts of the model's size, that a given x may violate


@dataclass
class States:
    """N states: times (N,), Y (N, 3, ny), nodal coordinates to start from or None, load factors (N, 4) or None."""

    times: np.ndarray
    Y: np.ndarray
    x: np.ndarray | None
    factors: np.ndarray | None
    single: bool


def read_states(system, at, t, index=None) -> States:
    """States of a system from None, a mapping, (q[, qd[, qdd]]) or an object with q, qd, qdd, t."""
    x = factors = None
    if at is None:
        rates = [system.y0[: system.nq]]
    elif isinstance(at, Mapping):
        rates = [_from_mapping(system, at)]
    elif hasattr(at, "q"):
        rates, t, x, factors = _from_result(system, at, t, index)
    else:
        rates = _from_arrays(system, at)
    single = rates[0].ndim == 1 and np.ndim(t) == 0
    rates = [np.atleast_2d(r) for r in rates]
    times = np.atleast_1d(np.asarray(t, float))
    N = max(len(rates[0]), len(times))
    if len(times) not in (1, N) or len(rates[0]) not in (1, N):
        raise InputError(
            f"linear_model: as many times as states are needed, got {len(times)} and {len(rates[0])}; give one t for all"
        )
    if not np.all(np.isfinite(times)):
        raise InputError(f"linear_model: t must be finite, got {times[~np.isfinite(times)][0]}")
    Y = np.zeros((N, 3, system.ny))
    for k, r in enumerate(rates):
        Y[:, k, : system.nq] = r
    times = np.ascontiguousarray(np.broadcast_to(times, (N,)))
    _fill_prescribed(system, times, Y)
    return States(times, Y, x, factors, single)


def _from_mapping(system, at) -> np.ndarray:
    q = system.y0[: system.nq].copy()
    for name, value in at.items():
        if name in system.prescribed:
            raise InputError(f"linear_model: '{name}' is prescribed as a function of time; choose t, not its value")
        known("linear_model", "degree of freedom", name, system.dof)
        q[system.y_index[name]] = _finite("linear_model", name, value, (1,)).item()
    return q


def _from_arrays(system, at) -> list[np.ndarray]:
    parts = [at] if isinstance(at, np.ndarray) or not isinstance(at, (tuple, list)) or np.ndim(at[0]) == 0 else list(at)
    if len(parts) > 3:
        raise InputError(f"linear_model: a state is (q, qd, qdd), got {len(parts)} arrays; give the time as t")
    return _checked(system, dict(zip(("q", "qd", "qdd"), parts, strict=False)))


def _from_result(system, at, t, index):
    parts = {"q": at.q}
    parts |= {k: getattr(at, k) for k in ("qd", "qdd") if getattr(at, k, None) is not None}
    t = getattr(at, "t", None) if getattr(at, "t", None) is not None else t
    x, factors = getattr(at, "x", None), getattr(at, "factors", None)
    names = getattr(at, "dof", None)
    if names is not None and list(names) != system.dof:
        raise InputError(
            f"linear_model: the states belong to another model: its degrees of freedom are {list(names)[:4]}..., "
            f"here they are {system.dof[:4]}..."
        )
    rates = _checked(system, parts)
    if index is not None and rates[0].ndim == 2:
        n = len(rates[0])
        try:
            pick = np.arange(n)[index]
        except IndexError:
            raise InputError(f"linear_model: index {index} is outside the {n} states of the result") from None
        rates = [r[pick] for r in rates]
        t, x, factors = (a if a is None or np.ndim(a) == 0 else np.asarray(a)[pick] for a in (t, x, factors))
    if x is not None and np.shape(x)[-1:] != (system.nx,):
        x = None
    x = None if x is None else np.atleast_2d(np.asarray(x, float))
    factors = None if factors is None else np.atleast_2d(np.asarray(factors, float))
    return rates, t, x, factors


def _checked(system, parts) -> list[np.ndarray]:
    out = []
    for name, value in parts.items():
        out.append(_finite("linear_model", name, value, (system.nq,)))
        if out[-1].shape != out[0].shape:
            raise InputError(f"linear_model: {name} must have the shape of q, {out[0].shape}, got {out[-1].shape}")
    return out


def _finite(what, name, value, last) -> np.ndarray:
    try:
        a = np.atleast_1d(np.asarray(value, float))
    except (TypeError, ValueError):
        raise InputError(f"{what}: {name} must be numbers, got {value!r}") from None
    if a.shape[-1:] != last or a.ndim > 2 or a.size == 0:
        raise InputError(f"{what}: {name} must have {last[0]} values, one for each degree of freedom, got shape {a.shape}")
    if not np.all(np.isfinite(a)):
        raise InputError(f"{what}: {name} must be finite, got {a[~np.isfinite(a)][0]}")
    return a


def _fill_prescribed(system, times, Y) -> None:
    w = system.work()
    if not system.python_signals:
        prescribed(system.k, w.k, times, Y)
        return
    for n, t in enumerate(times):
        system.set_python_signals(t)
        prescribed(system.k, w.k, times[n : n + 1], Y[n : n + 1])


def size_of(system) -> float:
    """Extent of the model at the start (m), the unit of lengths in tolerances."""
    parts = [system.x0[o : o + n] for (kind, _), (o, n) in system.nodes.items() if kind == "point"]
    return float(np.max(np.ptp(np.array(parts), axis=0))) if len(parts) > 1 else 1.0


def jumps(system, Y) -> np.ndarray:
    """For each state, whether the way from the one before (first: from the start) is too long for one step."""
    before = np.concatenate([system.y0[None], Y[:-1, 0]])
    unit = np.where([_is_angle(system, n) for n in system.y_names], 1.0, size_of(system))
    return np.max(np.abs(Y[:, 0] - before) / np.minimum(unit, 1e300), axis=1, initial=0.0) > FAR


def _is_angle(system, name) -> bool:
    part = name.rsplit(".", 1)[1]
    return part.startswith(("angle", "lambda", "phi", "rotation", "skew", "warp"))


def reach(system, w, ref, start, goal, t) -> None:
    """Bring the work space from y = start to y = goal in steps that close; refuse by name where none does."""
    s, h = 0.0, 1.0
    unit = max(size_of(system), 1e-300)
    far = np.max(np.abs(goal - start) / np.where([_is_angle(system, n) for n in system.y_names], 1.0, unit), initial=0.0)
    h = 1.0 / max(1, int(np.ceil(far / FAR)))
    full = h
    keep = w.X[0].copy(), ref.copy()
    while s < 1.0:
        target = min(s + h, 1.0)
        w.y[0] = start + target * (goal - start)
        if exact_position(system.k, w.k, ref) > 0:
            s, h = target, min(2 * h, full)
            ref[:] = w.e[0]
            keep = w.X[0].copy(), ref.copy()
            continue
        _worst = worst(system, w)
        w.X[0], ref[:] = keep
        h /= 2
        if h < full / 256:
            raise ConvergenceError(
                f"linear_model: the kinematics do not close at t = {t:g} s ({_worst}); {s:.0%} of the way from the start "
                "could be gone; check the state, or begin nearer to it"
            )


def worst(system, w) -> str:
    """The largest unsatisfied condition, in words."""
    gap = np.where(np.asarray(system.tables.e_given) == 1, w.e[0], 0.0)
    y = np.asarray(system.tables.e_y)
    gap = np.where(y >= 0, gap - w.y[0, np.maximum(y, 0)] if system.ny else gap, gap)
    gap = np.where(np.isfinite(gap), np.abs(gap), np.inf)
    i = int(np.argmax(gap))
    return f"largest residual {gap[i]:.2g} in {system.e_names[i]}"


def check_closed(system, w, ref, x, y, t) -> None:
    """Refuse nodal coordinates x that contradict the deformations in y."""
    w.X[0], w.y[0] = x, y
    e_y = np.asarray(system.tables.e_y)
    ref[e_y >= 0] = y[e_y[e_y >= 0]]
    series(system.k, w.k, 1, ref)
    gap = np.where(np.asarray(system.tables.e_given) == 1, w.e[0], 0.0)
    gap[e_y >= 0] -= y[e_y[e_y >= 0]]
    x_y = np.asarray(system.tables.x_y)
    off = np.zeros(system.nx)
    off[x_y >= 0] = x[x_y >= 0] - y[x_y[x_y >= 0]]
    tol = CLOSED * max(size_of(system), 1.0)
    names, all_ = [*system.e_names, *system.x_names], np.abs(np.concatenate([gap, off]))
    if all_.size and np.max(all_) > tol:
        i = int(np.argmax(all_))
        raise InputError(
            f"linear_model: the state at t = {t:g} s does not satisfy its constraints: {names[i]} is off by {all_[i]:.2g}, "
            f"allowed {tol:.0g}; take x and q from the same result, or give q alone"
        )
