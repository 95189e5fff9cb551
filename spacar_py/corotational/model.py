"""From the user's arm to the frozen arrays, and back from unknowns to positions, angles and torques."""

from __future__ import annotations

import numpy as np

from spacar_py.corotational.arm import Arm, Joint, Link
from spacar_py.corotational.jacobian import jacobian
from spacar_py.corotational.laws import MASS
from spacar_py.corotational.residual import constraint_time_slope, residual, unpack
from spacar_py.corotational.rotations import quaternion_of, rotation
from spacar_py.corotational.tables import NODE, P, Tables, V, W, bandwidth, index_of
from spacar_py.errors import InputError


class Model:
    """Compiled arm.

    Parameters
    ----------
    arm : Arm
    locked : bool
        Controlled hinges are driven along their targets instead, passive ones held: for statics.
    stabilise : bool
        Keep the position constraints by their own multipliers.
    """

    def __init__(self, arm: Arm, locked: bool = False, stabilise: bool = True):
        if not arm.links:
            raise InputError("arm has no links; call hinge and link first")
        self.arm, self.locked = arm, locked
        self.rows: dict[str, np.ndarray] = {}
        self._drives: list[tuple[int, Joint, np.ndarray, np.ndarray]] = []
        self._motors: list[tuple[int, Joint]] = []
        self._loads: list[tuple[int, object, object]] = []
        self.feedforward: dict[str, object] = {}
        self.tables = _Builder(self).tables(stabilise)
        self.index = index_of(self.tables)
        self.size = self.tables.size
        self.band = bandwidth(self.tables)
        self._jac = np.empty((self.size, self.size))
        self.load_factor = 1.0

    def update(self, t: float) -> None:
        """Refresh everything that depends on time: drives, targets, loads."""
        tb = self.tables
        for k, joint, u1, u2 in self._drives:
            th, rate, acc = joint.motion(t)
            c, s = np.cos(th), np.sin(th)
            across, back = -s * u1 + c * u2, -c * u1 - s * u2
            tb.dot_first[k, 0] = across
            tb.dot_first[k, 1] = rate * back
            tb.dot_first[k, 2] = acc * back - rate**2 * across
        for k, joint in self._motors:
            th, rate, _ = joint.motion(t)
            fed = self.feedforward.get(joint.name)
            tb.motor_target[k] = th, rate, 0.0 if fed is None else fed(t)
        for k, force, moment in self._loads:
            tb.load[k, :3] = force(t) if callable(force) else force
            tb.load[k, 3:] = moment(t) if callable(moment) else moment
            tb.load[k] *= self.load_factor

    def residual(self, t: float, y: np.ndarray, yp: np.ndarray) -> np.ndarray:
        """F(t, y, y')."""
        self.update(t)
        out = np.empty(self.size, dtype=np.result_type(y, yp))
        residual(self.tables, y, yp, out)
        return out

    def jacobian(self, t: float, y: np.ndarray, yp: np.ndarray, cj: float) -> np.ndarray:
        """dF/dy + cj dF/dy'; the array is overwritten by the next call."""
        self.update(t)
        jacobian(self.tables, y, yp, float(cj), self._jac)
        return self._jac

    def initial(self, t: float = 0.0) -> np.ndarray:
        """Undeformed arm with the hinges at their targets, moving with the targets' rates."""
        y = np.zeros(self.size)
        place, turn = self.arm.base.copy(), np.eye(3)
        speed, spin = self.arm.velocity, self.arm.spin
        for link in self.arm.links:
            j = link.joint
            if j is not None and j.axis is not None:
                th, rate, _ = j.motion(t)
                spin = spin + rate * (turn @ j.axis)
                turn = turn @ rotation(th * j.axis)
            points = link.path - link.path[0]
            points = points if link.flexible else points[-1:] / 2.0
            for n, point in zip(self.rows[link.name], points, strict=True):
                self._place(y, n, place + turn @ point, turn, speed + np.cross(spin, turn @ point), spin)
            arm = turn @ link.vector
            place, speed = place + arm, speed + np.cross(spin, arm)
            for owner, name, _, _ in self.arm.payloads:
                if owner == link.name:
                    self._place(y, self.rows[name][0], place, turn, speed, spin)
        return y

    def _place(self, y, n, x, turn, v, w) -> None:
        o = self.tables.node_at[n]
        y[o : o + P], y[o + P : o + V] = x, quaternion_of(turn)
        y[o + V : o + W], y[o + W : o + NODE] = v, w

    def rates(self, y: np.ndarray) -> np.ndarray:
        """y' as far as the kinematics give it: rows of r and p."""
        zero = np.zeros(self.size)
        out = -self.residual(0.0, y, zero)
        yp = np.zeros(self.size)
        yp[self.index.position] = out[self.index.position]
        return yp

    def complete(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and constraint forces that belong to positions and velocities: (y, y') consistent."""
        ix, y = self.index, y.copy()
        y[ix.algebraic] = 0.0
        yp = self.rates(y)
        F = self.residual(t, y, yp)
        J = self.jacobian(t, y, yp, 0.0).copy()
        M = (self.jacobian(t, y, yp, 1.0) - J)[np.ix_(ix.velocity, ix.velocity)]
        G = J[np.ix_(ix.force, ix.velocity)]
        R, w = self._rotations(y)
        slope = np.empty(len(ix.force))
        constraint_time_slope(self.tables, R, w, slope)
        order = self.constraint_order()
        gamma = J[np.ix_(ix.force, ix.position)] @ yp[ix.position]
        gamma[order] += slope
        nv, nc = len(ix.velocity), len(ix.force)
        system = np.block([[M, -G.T], [G, np.zeros((nc, nc))]])
        try:
            x = np.linalg.solve(system, -np.concatenate((F[ix.velocity], gamma)))
        except np.linalg.LinAlgError:
            raise InputError(
                "arm: mass matrix or constraints are singular; give every section Jy and Jz above zero"
            ) from None
        yp[ix.velocity], y[ix.force] = x[:nv], x[nv:]
        return y, yp

    def constraint_order(self) -> np.ndarray:
        """Place among the sorted constraint rows of every constraint in kernel order (points, then dots)."""
        rows = np.concatenate(
            ((self.tables.point_at[:, 0, None] + np.arange(3)).ravel(), self.tables.dot_at[:, 0])
        ).astype(np.int64)
        return np.searchsorted(self.index.force, rows)

    def _rotations(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nn = len(self.tables.node_at)
        x, v, w, a, wd = (np.empty((nn, 3)) for _ in range(5))
        R, Q = np.empty((nn, 3, 3)), np.empty((nn, 3, 4))
        unpack(self.tables.node_at, y, np.zeros_like(y), x, R, Q, v, w, a, wd)
        return R, w


class _Builder:
    """Collects the arrays of Tables, joint by joint and link by link."""

    def __init__(self, model: Model):
        self.model, self.arm = model, model.arm
        self.at = 0
        self.nodes: list[int] = []
        self.beams: list[tuple] = []
        self.bodies: list[tuple] = []
        self.points: list[tuple] = []
        self.dots: list[tuple] = []
        self.motors: list[tuple] = []
        self.loads: list[tuple] = []
        self.end = (-1, self.arm.base)
        for link in self.arm.links:
            self._link(link)

    def _node(self) -> int:
        self.nodes.append(self.at)
        self.at += NODE
        return len(self.nodes) - 1

    def _multipliers(self, n: int) -> tuple[int, int]:
        at = (self.at, self.at + n)
        self.at += 2 * n
        return at

    def _link(self, link: Link) -> None:
        child = len(self.nodes)
        half = link.vector / 2.0
        if link.joint is not None:
            self._joint(link.joint, self.end, (child, np.zeros(3) if link.flexible else -half))
        count = len(link.path) if link.flexible else 1
        rows = [self._node() for _ in range(count)]
        self.model.rows[link.name] = np.array(rows)
        if link.flexible:
            c1, c2 = MASS[link.interpolation]
            for k in range(count - 1):
                l0 = np.linalg.norm(link.path[k + 1] - link.path[k])
                sec, T = link.section, link.axes(k)
                mass = (sec.m, sec.Jz, sec.Jy, c1 * l0, c2 * l0)
                self.beams.append(((rows[k], rows[k + 1]), (T, T), l0, link.law(sec, l0), mass))
            self.end = (rows[-1], np.zeros(3))
        else:
            self.bodies.append((rows[0], *link.rigid_inertia()))
            self.end = (rows[0], half)
        for force, moment in link.loads:
            self.model._loads.append((len(self.loads), force, moment))
            self.loads.append(self.end)
        for owner, name, mass, inertia in self.arm.payloads:
            if owner == link.name:
                self._joint(Joint(name), self.end, (len(self.nodes), np.zeros(3)))
                node = self._node()
                self.model.rows[name] = np.array([node])
                self.bodies.append((node, mass, inertia))

    def _joint(self, joint: Joint, first: tuple, second: tuple) -> None:
        pair = (first[0], second[0])
        self.points.append((pair, (first[1], second[1]), self._multipliers(3)))
        if joint.axis is None:
            for k in range(3):
                self._dot(pair, np.eye(3)[k], np.eye(3)[(k + 1) % 3])
            return
        u1 = np.linalg.svd(joint.axis[None, :])[2][1]
        u2 = np.cross(joint.axis, u1)
        self._dot(pair, u1, joint.axis)
        self._dot(pair, u2, joint.axis)
        if joint.drive is not None or self.model.locked:
            self.model._drives.append((len(self.dots), joint, u1, u2))
            self._dot(pair, u2, u1)
            self.model.rows[joint.name] = np.array([self.dots[-1][3][0]])
            return
        gains = (0.0, 0.0)
        if joint.control is not None:
            gains = (joint.control.KP, joint.control.KD)
        self.model._motors.append((len(self.motors), joint))
        self.motors.append((pair, (joint.axis, u1, u2, u1), gains))

    def _dot(self, pair, first, second) -> None:
        self.dots.append((pair, first, second, self._multipliers(1)))

    def tables(self, stabilise: bool) -> Tables:
        """All arrays with their shapes fixed, also when empty."""

        def column(rows, k, shape, dtype=float):
            return np.array([row[k] for row in rows], dtype=dtype).reshape((len(rows), *shape))

        dot_first = np.zeros((len(self.dots), 3, 3))
        for k, dot in enumerate(self.dots):
            dot_first[k, 0] = dot[1]
        return Tables(
            node_at=np.array(self.nodes, dtype=np.int64),
            beam_nodes=column(self.beams, 0, (2,), np.int64),
            beam_axes=column(self.beams, 1, (2, 3, 3)),
            beam_l0=column(self.beams, 2, ()),
            beam_law=column(self.beams, 3, (7, 7)),
            beam_mass=column(self.beams, 4, (5,)),
            body_node=column(self.bodies, 0, (), np.int64),
            body_mass=column(self.bodies, 1, ()),
            body_inertia=column(self.bodies, 2, (3, 3)),
            point_nodes=column(self.points, 0, (2,), np.int64),
            point_arms=column(self.points, 1, (2, 3)),
            point_at=column(self.points, 2, (2,), np.int64),
            dot_nodes=column(self.dots, 0, (2,), np.int64),
            dot_first=dot_first,
            dot_second=column(self.dots, 2, (3,)),
            dot_at=column(self.dots, 3, (2,), np.int64),
            motor_nodes=column(self.motors, 0, (2,), np.int64),
            motor_axes=column(self.motors, 1, (4, 3)),
            motor_gains=column(self.motors, 2, (2,)),
            motor_target=np.zeros((len(self.motors), 3)),
            load_node=column(self.loads, 0, (), np.int64),
            load_arm=column(self.loads, 1, (3,)),
            load=np.zeros((len(self.loads), 6)),
            gravity=self.arm.gravity.copy(),
            stabilise=np.array([int(stabilise)], dtype=np.int64),
        )
