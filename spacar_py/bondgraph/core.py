"""Kineto-statics on top of the core: stress resultants of the joints as forces and moments in space.

An element with the stress resultants sigma acts on its nodes with -D^T sigma; on a frame with Euler parameters lambda
this is the moment Lambda f/2. A hinge joins frames only: its force is read from a spherical joint put into its point.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..motion import inverse_dynamics
from ..results import Result
from ..rotations import matrix
from .cut import HINGES, JOINTS, cut_open
from .forces import JointForces, KinetoStatics


def kinetostatics(model, times=None, motion=None) -> KinetoStatics:
    """Drives of a motion and the forces and moments in all joints, in space and in joint frames.

    Parameters
    ----------
    model : Model
        Any model; prescribed quantities follow their signals.
    times : (N,) array
        Times (s); left out where the motion is a Result.
    motion : mapping of names to Signals, or Result
        Motion of the degrees of freedom; those not named stay as drawn. The Result of a simulation of the
        model gives the joint forces of that motion.

    Returns
    -------
    KinetoStatics
        With the `result` of the model cut open at its hinges.

    Examples
    --------
    >>> import numpy as np, spacar_py as sp
    >>> from spacar_py.signals import sine
    >>> m = sp.Model(gravity=(0, 0, -9.81))
    >>> m.node("base", (0, 0, 0)); m.fix("base"); m.node("load", (0, 0, 1))
    >>> m.slider("lift", "base", "load", axis=(0, 0, 1)); m.body("load", 2.0, J=1.0)
    >>> found = kinetostatics(m, [0.0, 0.5], {"lift.displacement": sine(1.0, np.pi)})
    >>> found.drives["lift.displacement"].round(3).tolist()
    [19.62, -0.119]
    """
    cut, seats = cut_open(model)
    if isinstance(motion, Result):
        times, q = motion.t, _from_result(cut.compile(), motion)
        result = inverse_dynamics(cut, times, *q)
    else:
        if times is None:
            raise InputError("kineto-statics: needs times unless the motion is a Result; give times=(t0, t1, ...)")
        result = inverse_dynamics(cut, np.asarray(times, float), motion or {})
    elements = {k: e for k, e in model.elements.items() if e.kind in JOINTS}
    if not elements:
        raise InputError(f"kineto-statics: the model '{model.name}' has no joints; add hinges, sliders or cylinders")
    names = list(elements) + list(seats.values())
    total, fixed = _wrenches(cut, result, names)
    joints = {k: _joint(model, cut, result, e, seats, total, fixed) for k, e in elements.items()}
    _pass_on(elements, seats, joints)
    return KinetoStatics(result.t, joints, result, dict(method="inverse dynamics"), _inputs(result, elements))


def _inputs(result, joints) -> dict:
    """Forces of the drives that are not in a joint: cylinders that lengthen, points that are led."""
    s = result.system
    soft = {n for n, flexible in zip(s.dof, s.flexible, strict=True) if flexible}
    owned = tuple(f"{j}." for j in joints)
    return {n: result.rho[:, k] for n, k in s.y_index.items() if n not in soft and not n.startswith(owned)}


def _from_result(system, motion) -> list[np.ndarray]:
    missing = [n for n in system.dof if n not in motion.system.y_index]
    if missing:
        raise InputError(f"kineto-statics: the result does not know '{missing[0]}'; simulate the same model")
    cols = [motion.system.y_index[n] for n in system.dof]
    return [motion.y[:, k][:, cols] for k in range(3)]


def _wrenches(cut, result, names) -> tuple[dict, dict]:
    """Force and moment (N, 6) on the end q of each element: by all stress resultants, and by those of constraints."""
    from ..dynamics import position, velocities

    s = result.system
    t, w, ref = s.tables, s.work(), np.zeros(s.ne)
    order = list(s.elements)
    held = np.array([st == "fixed" for st in s.e_status], float)
    where = {n: order.index(n) for n in names}
    total, fixed = ({n: np.zeros((len(result.t), 6)) for n in names} for _ in range(2))
    sizes = [(t.el_e[k + 1] - t.el_e[k]) * (t.el_x[k + 1] - t.el_x[k]) for k in range(len(t.el_e) - 1)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for n in range(len(result.t)):
        w.X[0], w.y[0] = result.x[n], result.y[n, 0]
        ref[:] = result.e[n]
        position(s.k, w.k, ref)
        velocities(s.k, w.k, ref)
        for name, k in where.items():
            e = slice(t.el_e[k], t.el_e[k + 1])
            x = t.el_xi[t.el_x[k] : t.el_x[k + 1]]
            D = w.D[0][starts[k] : starts[k + 1]].reshape(e.stop - e.start, len(x))
            for out, sigma in ((total, result.sigma[n, e]), (fixed, result.sigma[n, e] * held[e])):
                out[name][n] = _on_q(cut.elements[name], s, result.x[n], dict(zip(x, -D.T @ sigma, strict=True)))
    return total, fixed


def _on_q(element, s, x, f) -> np.ndarray:
    out = np.zeros(6)
    if "xq" in element.nodes:
        o, n = s.nodes["point", element.nodes["xq"].name]
        out[:n] = [f.get(o + i, 0.0) for i in range(n)]
    if "rq" in element.nodes:
        o, n = s.nodes["frame", element.nodes["rq"].name]
        g = np.array([f.get(o + i, 0.0) for i in range(n)])
        if n == 1:
            out[5] = g[0]
        else:
            lam = x[o : o + 4]
            out[3:] = 0.5 * (lam[0] * g[1:] - g[0] * lam[1:] + np.cross(lam[1:], g[1:]))
    return out


def _joint(model, cut, result, element, seats, total, fixed) -> JointForces:
    name = element.name
    both = [w[name] + (w[seats[name]] if name in seats else 0.0) for w in (total, fixed)]
    index = result.system.y_index
    drive = {d: result.rho[:, index[f"{name}.{d}"]] for d in element.deformations if f"{name}.{d}" in index}
    vectors = [w[:, part] for w in both for part in (slice(0, 3), slice(3, 6))]
    return JointForces(name, *vectors, _axes(element, result), drive)


def _axes(element, result) -> np.ndarray:
    axes = np.eye(3) if element.axes is None else element.axes
    frame = element.nodes.get("rp")
    if frame is None:
        return np.broadcast_to(axes, (len(result.t), 3, 3)).copy()
    part = result[frame.name]
    if len(frame.start) == 1:
        a = part.rotation - frame.start[0]
        c, s, o = np.cos(a), np.sin(a), np.zeros_like(a)
        R = np.array([[c, -s, o], [s, c, o], [o, o, 1 + o]]).transpose(2, 0, 1)
    else:
        R = part.R @ matrix(frame.start).T
    return np.einsum("nij,kj->nki", R, axes)


def _pass_on(elements, seats, joints) -> None:
    """A hinge to a massless frame without a point passes on what the hinges behind it do."""
    for name in reversed([k for k, e in elements.items() if e.kind in HINGES and k not in seats]):
        behind = [k for k, e in elements.items() if e.kind in HINGES and e.nodes["rp"] is elements[name].nodes["rq"]]
        for k in behind:
            joints[name].force += joints[k].force
            joints[name].constraint_force += joints[k].constraint_force
