"""What `at=...` may be, turned into the arrays that the kernels take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..assembly import series
from ..checks import known
from ..errors import InputError
from ._kernels import prescribed

FAR = 0.3  # longest step in y, in radians or parts of the model's size
STATIC = ("statics", "arc length")  # methods of results whose t is a load factor
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
    x = factors = driven = None
    if at is None:
        rates = [system.y0[: system.nq]]
    elif isinstance(at, Mapping):
        rates = [_from_mapping(system, at)]
    elif hasattr(at, "q"):
        rates, t, x, factors, driven = _from_result(system, at, t, index)
    else:
        rates = _from_arrays(system, at)
    single = rates[0].ndim == 1 and np.ndim(t) == 0
    rates = [np.atleast_2d(r) for r in rates]
    times = np.atleast_1d(np.asarray(t, float))
    N = max(len(rates[0]), len(times))
    if len(times) not in (1, N) or len(rates[0]) not in (1, N):
        raise InputError(
            f"linear_model: needs as many times as states, got {len(times)} and {len(rates[0])}; give one t for all"
        )
    if not np.all(np.isfinite(times)):
        raise InputError(f"linear_model: t must be finite, got {times[~np.isfinite(times)][0]}")
    Y = np.zeros((N, 3, system.ny))
    for k, r in enumerate(rates):
        Y[:, k, : system.nq] = r
    times = np.ascontiguousarray(np.broadcast_to(times, (N,)))
    if driven is None:
        _fill_prescribed(system, times, Y)
    else:
        Y[:, :, system.nq :] = driven
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
    """States of a result: y, x and load factors where it has them, q, qd, qdd and t in any case."""
    other = getattr(at, "system", system)
    if other is not system and other.y_names != system.y_names:
        raise InputError(
            f"linear_model: the states belong to another model: its degrees of freedom are "
            f"{', '.join(other.dof[:4])} ..., here they are {', '.join(system.dof[:4])} ..."
        )
    parts = {"q": at.q}
    parts |= {k: getattr(at, k) for k in ("qd", "qdd") if getattr(at, k, None) is not None}
    rates = _checked(system, parts)
    N = len(np.atleast_2d(rates[0]))
    info = getattr(at, "info", None) or {}
    static = "factors" in info or info.get("method") in STATIC
    own = getattr(at, "t", None)
    factors = info.get("factors", np.outer(own, np.ones(4)) if static else None)
    t = info.get("time", t) if static else t if own is None else own
    x, y = getattr(at, "x", None), getattr(at, "y", None)
    x = x if np.shape(x)[-1:] == (system.nx,) else None
    y = None if np.shape(y) != (N, 3, system.ny) else np.asarray(y, float)[:, :, system.nq :]
    if rates[0].ndim == 2:
        pick = _pick(index, N)
        rates = [r[pick] for r in rates]
        t, x, factors = (a if a is None or np.ndim(a) == 0 else np.asarray(a, float)[pick] for a in (t, x, factors))
        y = None if y is None else y[np.atleast_1d(pick)]
    x, factors = (None if a is None else np.atleast_2d(a) for a in (x, factors))
    return rates, t, x, factors, y


def _pick(index, n):
    if index is None:
        return np.arange(n)
    try:
        return np.arange(n)[index]
    except IndexError:
        raise InputError(f"linear_model: index {index} is outside the {n} states of the result") from None


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
        n = f"{last[0]} values, one for each degree of freedom"
        raise InputError(f"{what}: {name} must have {n}, got shape {a.shape}")
    if not np.all(np.isfinite(a)):
        raise InputError(f"{what}: {name} must be finite, got {a[~np.isfinite(a)][0]}")
    return a


def _fill_prescribed(system, times, Y) -> None:
    from ..sparse.nodal import lean_work

    w = lean_work(system.tables)
    if not system.python_signals:
        prescribed(system.k, w.k, times, Y)
        return
    for n, t in enumerate(times):
        system.set_python_signals(t)
        prescribed(system.k, w.k, times[n : n + 1], Y[n : n + 1])


def size_of(system) -> float:
    """Extent of the model at the start (m), the unit of lengths in tolerances."""
    parts = [system.x0[o : o + n] for (kind, _), (o, n) in system.nodes.items() if kind == "point"]
    return float(np.max(np.ptp(np.array(parts), axis=0), initial=0.0)) or 1.0 if parts else 1.0


def check_factors(at, linear) -> None:
    """Refuse a static result that does not say how its loads were ramped, where ramping all of them does not fit."""
    info = getattr(at, "info", None) or {}
    rho = getattr(at, "rho", None)
    if "factors" in info or info.get("method") not in STATIC or rho is None or len(rho) != len(linear):
        return
    gap = np.max(np.abs(linear.rho - rho), initial=0.0)
    size = np.max(np.abs(linear.all_sigma), initial=0.0) + np.max(np.abs(rho), initial=0.0)
    if gap > 1e-6 * size:
        raise InputError(
            "linear_model: the static result does not tell its load factors, and it was not reached by ramping all "
            "loads; set result.info['factors'] (N, 4) for gravity, loads, actuators, prestress"
        )


def longest_step(system) -> np.ndarray:
    """Largest change of each y (ny,) that Newton is given at once, so that a closed loop stays on its branch."""
    angle = ("angle", "lambda", "phi", "rotation", "skew", "warp")
    size = size_of(system)
    return np.array([FAR * (1.0 if n.rsplit(".", 1)[1].startswith(angle) else size) for n in system.y_names])


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
            f"linear_model: the state at t = {t:g} s does not satisfy its constraints: {names[i]} is off by "
            f"{all_[i]:.2g}, allowed {tol:.0g}; take x and q from the same result, or give q alone"
        )
