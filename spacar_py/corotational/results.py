"""What a simulation leaves: positions, deflections, angles, torques, energies, and how well the constraints held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacar_py.corotational.beam3d import beam_effort
from spacar_py.corotational.model import Model
from spacar_py.corotational.residual import constraint_rows, momentum_rows, motor_state, unpack
from spacar_py.corotational.rotations import rotation
from spacar_py.errors import InputError, nearest


@dataclass(frozen=True)
class LinkSeries:
    """Series of one link: nodes x (n, nodes, 3), end point (n, 3), deflection of the end (n, 3) [m].

    The deflection is the displacement of the end against the undeformed link, in the axes l m n of the link's first
    section; zero for a rigid link.
    """

    x: np.ndarray
    tip: np.ndarray
    deflection: np.ndarray


@dataclass(frozen=True)
class JointSeries:
    """Series of one hinge: angle [rad], rate [rad/s], torque [N m] of its drive or motor."""

    angle: np.ndarray
    rate: np.ndarray
    torque: np.ndarray


class Result:
    """Motion of an arm.

    Attributes
    ----------
    t : (n,) array
    y, yp : (n, size) array
        Unknowns and rates, layout in tables.
    count : dict
        Work of the integrator.
    violation, velocity_violation : (n,) array
        Largest position [m or rad] and velocity [m/s or rad/s] error of any joint.
    kinetic, strain, gravity : (n,) array
        Energies [J].
    """

    def __init__(self, model: Model, t, y, yp, count):
        self.model, self.t, self.y, self.yp, self.count = model, t, y, yp, count
        self._evaluate()

    def _evaluate(self) -> None:
        tb, n, nn = self.model.tables, len(self.t), len(self.model.tables.node_at)
        self._x, self._R = np.empty((n, nn, 3)), np.empty((n, nn, 3, 3))
        self._motors = np.empty((n, len(tb.motor_nodes), 3))
        self.violation, self.velocity_violation = np.zeros(n), np.zeros(n)
        self.kinetic, self.strain, self.gravity = np.zeros(n), np.zeros(n), np.zeros(n)
        self.momentum = np.zeros((n, 6))
        x, v, w, a, wd = (np.empty((nn, 3)) for _ in range(5))
        R, Q = np.empty((nn, 3, 3)), np.empty((nn, 3, 4))
        rate = np.empty(3 * len(tb.point_nodes) + len(tb.dot_nodes))
        place = np.empty_like(rate)
        weight = np.zeros(nn)
        for e, pair in enumerate(tb.beam_nodes):
            weight[pair] += tb.beam_mass[e, 0] * (tb.beam_mass[e, 3] + tb.beam_mass[e, 4])
        weight[tb.body_node] += tb.body_mass
        zero, A, z, d = np.zeros((nn, 3)), np.empty(3), np.empty(3), np.empty(3)
        for k, t in enumerate(self.t):
            self.model.update(float(t))
            unpack(tb.node_at, self.y[k], self.yp[k], x, R, Q, v, w, a, wd)
            self._x[k], self._R[k] = x, R
            if len(rate):
                constraint_rows(tb, x, R, v, w, rate, place)
                self.violation[k], self.velocity_violation[k] = np.max(np.abs(place)), np.max(np.abs(rate))
            # at zero spin the inertia kernel is linear in its accelerations: fed with velocities it gives momenta
            rest, p = np.zeros((nn, 6)), np.zeros((nn, 6))
            self.strain[k] = momentum_rows(tb, x, R, zero, zero, zero, rest)
            momentum_rows(tb, x, R, zero, v, w, p)
            p -= rest
            self.kinetic[k] = 0.5 * np.sum(p[:, :3] * v + p[:, 3:] * w)
            self.gravity[k] = -np.sum(weight * (x @ tb.gravity))
            self.momentum[k, :3] = p[:, :3].sum(0)
            self.momentum[k, 3:] = (p[:, 3:] + np.cross(x, p[:, :3])).sum(0)
            for m in range(len(tb.motor_nodes)):
                angle, speed = motor_state(tb, m, R, w, A, z, d)
                goal, goal_rate, fed = tb.motor_target[m]
                gains = tb.motor_gains[m]
                self._motors[k, m] = angle, speed, fed + gains[0] * (goal - angle) + gains[1] * (goal_rate - speed)

    @property
    def energy(self) -> np.ndarray:
        """Kinetic, strain and gravity energy together."""
        return self.kinetic + self.strain + self.gravity

    @property
    def tip(self) -> np.ndarray:
        """End of the last link (n, 3)."""
        return self[self.model.arm.links[-1].name].tip

    @property
    def wanted_tip(self) -> np.ndarray:
        """Where the end of the arm would be with rigid links and all hinges at their targets (n, 3)."""
        out = np.empty((len(self.t), 3))
        for k, t in enumerate(self.t):
            place, turn = self.model.arm.base.copy(), np.eye(3)
            for link in self.model.arm.links:
                if link.joint is not None and link.joint.axis is not None:
                    turn = turn @ rotation(link.joint.motion(float(t))[0] * link.joint.axis)
                place = place + turn @ link.vector
            out[k] = place
        return out

    def __getitem__(self, name: str) -> LinkSeries | JointSeries:
        for link in self.model.arm.links:
            if link.name == name:
                return self._link(link)
            if link.joint is not None and link.joint.name == name and link.joint.axis is not None:
                return self._joint(link.joint)
        raise InputError(f"result: no link or hinge '{name}'{nearest(name, self.model.arm.names)}")

    def record(self, title: str = ""):
        """All of it as named series, for archive, pictures and report."""
        from spacar_py.corotational.record import record

        return record(self, title)

    def save(self, path) -> None:
        """Write an archive (.h5)."""
        self.record().save(path)

    def efforts(self, link: str) -> np.ndarray:
        """Elastic efforts on both ends of every beam of a link, (n, beams, 2, 6): force and moment, fixed axes."""
        rows = set(self.model.rows[link].tolist()) if link in self.model.rows else set()
        beams = [e for e, (a, _) in enumerate(self.model.tables.beam_nodes) if a in rows]
        if not beams:
            raise InputError(f"result: no flexible link '{link}'{nearest(link, self.model.arm.names)}")
        tb, out = self.model.tables, np.empty((len(self.t), len(beams), 12))
        for k in range(len(self.t)):
            for i, e in enumerate(beams):
                a, b = tb.beam_nodes[e]
                t1, t2 = self._R[k, a] @ tb.beam_axes[e, 0], self._R[k, b] @ tb.beam_axes[e, 1]
                beam_effort(self._x[k], a, b, t1, t2, tb.beam_l0[e], tb.beam_law[e], out[k, i])
        return out.reshape(len(self.t), len(beams), 2, 6)

    def __str__(self) -> str:
        work = ", ".join(f"{v:.2f} s" if k == "seconds" else f"{v} {k}" for k, v in self.count.items())
        worst = self.violation.max(), self.velocity_violation.max()
        return (
            f"motion of an {self.model.arm}\n  time       0 to {self.t[-1]:g} s, {len(self.t)} points ({work})\n"
            f"  joints     kept to {worst[0]:.1e} (position) and {worst[1]:.1e} (velocity)"
        )

    def _link(self, link) -> LinkSeries:
        rows = self.model.rows[link.name]
        x, R = self._x[:, rows], self._R[:, rows[0]]
        if not link.flexible:
            tip = x[:, 0] + R @ (link.vector / 2.0)
            return LinkSeries(x, tip, np.zeros_like(tip))
        T = link.axes(0)
        moved = np.einsum("nji,nj->ni", R, x[:, -1] - x[:, 0]) - link.vector
        return LinkSeries(x, x[:, -1], moved @ T)

    def _joint(self, joint) -> JointSeries:
        for k, other in self.model._motors:
            if other is joint:
                return JointSeries(*self._motors[:, k].T)
        row = self.model.rows[joint.name][0]
        angle, rate = np.array([joint.motion(float(t))[:2] for t in self.t]).T
        return JointSeries(angle, rate, self.y[:, row])
