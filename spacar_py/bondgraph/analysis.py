"""Kineto-static analysis by the vector bond graph: kinematics of the tree, junction matrices, unified formulae."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..errors import InputError
from ..signals import as_signal
from .assemble import bond_graph
from .forces import JointForces, KinetoStatics
from .graph import BondGraph
from .unified import Fields


def skew(a) -> np.ndarray:
    """Matrix of the cross product, skew(a) b = a x b."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=float)


def turn(axis, angle) -> np.ndarray:
    """Rotation matrix about a unit axis (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


@dataclass
class State:
    """Positions, velocities and accelerations of all bodies, and axes and points of all joints, at one instant."""

    A: list
    W: list  # principal axes of the bodies in space, the axes of w
    r: list
    v: list
    a: list
    w: list
    alpha: list
    axes: list  # columns ex, ey, ez in space
    Q: list  # points of q in space
    vQ: list


def move(graph: BondGraph, y) -> State:
    """The tree in motion; y[joint][row] = (value, rate, second rate)."""
    s = State(*([] for _ in range(10)))
    zero, one = np.zeros(3), np.eye(3)
    for k, j in enumerate(graph.joints):
        inner = [x[j.p] for x in (s.A, s.r, s.v, s.a, s.w, s.alpha)] if j.p >= 0 else [one] + [zero] * 5
        A, r, v, a, w, al = inner
        base = graph.bodies[j.p].centre if j.p >= 0 else zero
        e0 = j.axes[0]
        u = A @ e0
        x, xd, xdd = y[k].get(0, (0.0, 0.0, 0.0))
        th, thd, thdd = y[k].get(3, (0.0, 0.0, 0.0))
        d = A @ (j.Q - base + x * e0)
        vQ = v + np.cross(w, d) + xd * u
        aQ = a + np.cross(al, d) + np.cross(w, np.cross(w, d)) + 2 * xd * np.cross(w, u) + xdd * u
        B = A @ turn(e0, th)
        wB = w + thd * u
        alB = al + thdd * u + thd * np.cross(w, u)
        rho = B @ (graph.bodies[k].centre - j.Q)
        s.A.append(B)
        s.W.append(B @ graph.bodies[k].axes)
        s.r.append(r + d + rho)
        s.v.append(vQ + np.cross(wB, rho))
        s.a.append(aQ + np.cross(alB, rho) + np.cross(wB, np.cross(wB, rho)))
        s.w.append(wB)
        s.alpha.append(alB)
        s.axes.append(A @ j.axes.T)
        s.Q.append(r + d)
        s.vQ.append(vQ)
    return s


def transformers(graph: BondGraph, s: State):
    """Functions (0-junction, 1-junction) -> T and its rate at the state.

    Relative twist of a joint in its axes U carried by p: U^T (v_Q of q - v of p at Q), U^T (w_q - w_p).
    """

    def parts(zero, one):
        j = graph.joints[zero.joint]
        U = s.axes[zero.joint]
        wp = s.w[j.p] if j.p >= 0 else np.zeros(3)
        Ud = skew(wp) @ U
        sign, b = (1.0, j.q) if one.body == j.q else (-1.0, j.p)
        arm, armd = s.Q[zero.joint] - s.r[b], s.vQ[zero.joint] - s.v[b]
        A, Ad = s.W[b], skew(s.w[b]) @ s.W[b]
        T, Td = np.zeros((zero.size, 3)), np.zeros((zero.size, 3))
        for i, row in enumerate(zero.rows):
            u, ud = U[:, row % 3], Ud[:, row % 3]
            if row < 3 and one.kind == "v":
                T[i], Td[i] = u, ud
            elif row < 3:  # velocity of the point: w x arm, w in body axes
                T[i] = np.cross(arm, u) @ A
                Td[i] = (np.cross(armd, u) + np.cross(arm, ud)) @ A + np.cross(arm, u) @ Ad
            elif one.kind == "w":
                T[i], Td[i] = u @ A, ud @ A + u @ Ad
        return sign * T, sign * Td

    return (lambda z, o: parts(z, o)[0]), (lambda z, o: parts(z, o)[1])


def independent(graph: BondGraph, s: State) -> np.ndarray:
    """Momenta of the independent motion: per drive the component of its body that lies closest to the joint's axis."""
    rows = []
    for n, _ in graph.columns("drive"):
        zero = graph.zeros[n]
        b = graph.joints[zero.joint].q
        u = s.axes[zero.joint][:, 0]
        if zero.rows[0] < 3:
            rows.append(6 * b + int(np.argmax(np.abs(u))))
        else:
            rows.append(6 * b + 3 + int(np.argmax(np.abs(u @ s.W[b]))))
    return np.array(rows, int)


def fields_at(graph: BondGraph, s: State) -> tuple[Fields, np.ndarray, np.ndarray]:
    """Fields and junction matrices at a state, and the indices of the independent and the dependent momenta."""
    T, Td = transformers(graph, s)
    n = 3 * len(graph.ones)
    C, Cd = graph.flows("constraint", T), graph.flows("constraint", Td)
    B, L = graph.flows("drive", T), graph.flows("damper", T)
    i1 = independent(graph, s)
    i2 = np.setdiff1d(np.arange(n), i1)
    F = np.zeros((n, n))
    spin = [3 * k for k, o in enumerate(graph.ones) if o.kind == "w"]
    RE = np.zeros((3 * len(spin), 3 * len(spin)))
    pick = np.zeros((3 * len(spin), n))
    for k, o in enumerate(graph.ones):
        F[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = np.linalg.inv(o.inertia)
    for m, k in enumerate(spin):
        b = graph.ones[k // 3].body
        RE[3 * m : 3 * m + 3, 3 * m : 3 * m + 3] = skew(graph.bodies[b].J @ s.W[b].T @ s.w[b])  # h x w = -w x h
        pick[3 * m : 3 * m + 3, k : k + 3] = np.eye(3)
    R = np.diag([graph.zeros[z].value for z, _ in graph.columns("damper")]).reshape(len(L), len(L))
    J, Jd = {}, {}
    for name, rows in (("1", i1), ("2", i2)):
        J |= {("C", name): C[:, rows], (name, "u2"): C[:, rows].T, (name, "u1"): B[:, rows].T,
              ("L", name): L[:, rows], (name, "L"): -L[:, rows].T, ("E", name): pick[:, rows],
              (name, "E"): pick[:, rows].T, (name, "u3"): np.eye(n)[rows]}  # fmt: skip
        Jd["C", name] = Cd[:, rows]
    if graph.mobility:
        R = _give_way(graph.mobility, R, J, len(C))
    F1, F2 = F[np.ix_(i1, i1)], F[np.ix_(i2, i2)]
    return Fields(F1, F2, R, RE, (len(B), len(C), n), J, Jd), i1, i2


def _give_way(mobility, R, J, m) -> np.ndarray:
    """Resistive field and junction matrices with one more resistance in each of the m constraints: J_CL = 1."""
    own = len(R)
    for key in [k for k in J if "L" in k]:
        add = [(0, m), (0, 0)] if key[0] == "L" else [(0, 0), (0, m)]
        J[key] = np.pad(J[key], add)
    one = np.hstack([np.zeros((m, own)), np.eye(m)])
    J["C", "L"], J["L", "u2"] = one, one.T
    return np.pad(R, (0, m)) + np.diag(np.repeat([0.0, mobility], [own, m]))


class _Motion:
    """A bond graph along a motion: its fields, given momenta and known sources at any time."""

    def __init__(self, graph: BondGraph, motion):
        names = {f"{j.name}.{d}": (k, row) for k, j in enumerate(graph.joints) for row, d in j.free.items()}
        self.graph, self.signals = graph, [{**j.motion} for j in graph.joints]
        for name, signal in (motion or {}).items():
            checks.known("bond graph", "joint coordinate", name, names)
            k, row = names[name]
            self.signals[k][row] = as_signal(signal)

    def at(self, t: float):
        """Fields, X1, X1', U3, the state of the tree, and the efforts of springs and dampers."""
        graph, laws = self.graph, np.zeros((len(self.graph.joints), 6))
        y = [{row: sig.rates(t) for row, sig in own.items()} for own in self.signals]
        s = move(graph, y)
        fields, i1, _ = fields_at(graph, s)
        Z = np.concatenate([np.concatenate([v, A.T @ w]) for v, A, w in zip(s.v, s.W, s.w, strict=True)])
        Zd = np.concatenate([np.concatenate([a, A.T @ al]) for a, A, al in zip(s.a, s.W, s.alpha, strict=True)])
        X1, X1d = np.linalg.solve(fields.F1, Z[i1]), np.linalg.solve(fields.F1, Zd[i1])
        return fields, X1, X1d, known_sources(graph, s, y, laws), s, laws

    def ideal(self) -> _Motion:
        """The same motion with ideal joints."""
        other = copy.copy(self)
        other.graph = replace(self.graph, mobility=0.0, ones=[], zeros=[], bonds=[])
        return other

    def constraints(self, t: float) -> np.ndarray:
        """U2 of the ideal joints."""
        fields, X1, X1d, U3, *_ = self.at(t)
        return fields.drives_and_constraints(X1, fields.dependent(X1, U3), X1d, U3)[1]

    def slipping(self, t: float, mobility: float, step: float = 1e-5) -> np.ndarray:
        """X2 where the constraints give way by mobility U2: from U2 and its rate in the ideal joints (to `step` s)."""
        fields, X1, X1d, U3, *_ = self.at(t)
        now, soon, later = (self.constraints(t + k * step) for k in range(3))
        # forwards, since signals need not exist before their start
        slip, rate = -mobility * now, -mobility * (4 * soon - 3 * now - later) / (2 * step)
        _, U2 = fields.drives_and_constraints(X1, fields.dependent(X1, U3, slip), X1d, U3, slip_rate=rate)
        return fields.dependent(X1, U3, -mobility * U2)


def analyse(model, times, motion=None, mobility: float = 0.0) -> KinetoStatics:
    """Drives and constraint forces of a rigid tree along a motion, by its vector bond graph.

    Parameters
    ----------
    model : Model or BondGraph
    times : (N,) array
    motion : mapping of names such as "elbow.angle" to Signals
        Prescribed joints follow the model's own; joints not named stay as drawn.
    mobility : float
        0: ideal joints, J_CL = J_CE = 0. Else the constraints give way, see `bond_graph`: J_CL = 1. The slip is that of
        the slow motion, to the first power of the mobility; the way slipped is left out of the geometry.

    Returns
    -------
    KinetoStatics
        Without the core's `result`.
    """
    graph = model if isinstance(model, BondGraph) else bond_graph(model, mobility)
    if not np.size(times):
        raise InputError("bond graph: needs times, such as times=(0, 0.5, 1), got none")
    times, along = np.asarray(times, float), _Motion(graph, motion)
    n1, n2 = len(graph.columns("drive")), len(graph.columns("constraint"))
    U1, U2 = np.zeros((len(times), n1)), np.zeros((len(times), n2))
    axes = np.zeros((len(times), len(graph.joints), 3, 3))
    laws = np.zeros((len(times), len(graph.joints), 6))
    ideal = along.ideal() if graph.mobility else None
    for i, t in enumerate(times):
        fields, X1, X1d, U3, s, laws[i] = along.at(t)
        X2 = fields.dependent(X1, U3) if ideal is None else ideal.slipping(t, graph.mobility)
        U1[i], U2[i] = fields.drives_and_constraints(X1, X2, X1d, U3)
        axes[i] = [a.T for a in s.axes]
    return _collect(graph, times, U1, U2, axes, laws)


def known_sources(graph, s, y, laws) -> np.ndarray:
    """Weights and spring efforts on the 1-junctions; the efforts of springs and dampers in the joints into `laws`."""
    T, _ = transformers(graph, s)
    out = np.zeros(3 * len(graph.ones))
    for b, body in enumerate(graph.bodies):
        out[6 * b : 6 * b + 3] = body.mass * graph.gravity
    for n, zero in enumerate(graph.zeros):
        joint = graph.joints[zero.joint]
        if zero.role != "drive":
            continue
        row = zero.rows[0]
        value, rate, _ = y[zero.joint].get(row, (0.0, 0.0, 0.0))
        k, free = joint.springs.get(row, (0.0, 0.0))
        laws[zero.joint, row] = -k * (value - free) - joint.dampers.get(row, 0.0) * rate
        if k:
            for b in graph.bonds:
                if b.zero == n:
                    out[3 * b.one : 3 * b.one + 3] += T(zero, graph.ones[b.one])[0] * (-k * (value - free))
    return out


def _collect(graph, times, U1, U2, axes, laws) -> KinetoStatics:
    N = len(times)
    joints = {}
    local = np.zeros((len(graph.joints), 2, N, 6))  # all, and constraints alone, in joint frames
    for col, (n, i) in enumerate(graph.columns("constraint")):
        zero = graph.zeros[n]
        local[zero.joint, :, :, zero.rows[i]] += U2[:, col]
    drives = [{} for _ in graph.joints]
    for col, (n, _) in enumerate(graph.columns("drive")):
        zero = graph.zeros[n]
        local[zero.joint, 0, :, zero.rows[0]] += U1[:, col]
        drives[zero.joint][graph.joints[zero.joint].free[zero.rows[0]]] = U1[:, col]
    for k, joint in enumerate(graph.joints):
        local[k, 0] += laws[:, k]
        vectors = [
            np.einsum("nji,nj->ni", axes[:, k], local[k, which][:, part])
            for which in (0, 1) for part in (slice(0, 3), slice(3, 6))
        ]  # fmt: skip
        joints[joint.name] = JointForces(joint.name, *vectors, axes[:, k], drives[k])
    return KinetoStatics(times, joints, None, dict(method="vector bond graph"))
