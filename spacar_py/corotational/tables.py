"""The frozen arrays that the kernels read, and the layout of the unknowns.

Unknowns y, block by block along the arm so that the Jacobian is banded: per node

    r (3)  p (4)  v (3)  w (3)         position, Euler parameters, velocity, angular velocity (fixed axes)

and per joint, between the nodes that it joins, the constraint forces lambda and the multipliers mu of the position
constraints (zero but for rounding and the integrator's error). The equations have the same order:

    r' - v - (G^T mu)_r = 0,   p' - Q(p)^T (w + (G^T mu)_w)/2 = 0        kinematics, kept on the constraints
    M v' + h + e(elastic) - f - G^T lambda = 0                             momentum
    G v - b(t) = 0  (row of lambda),   phi(q, t) = 0  (row of mu)          velocity and position constraints

Semi-explicit of index 2. Without stabilisation the rows of mu read mu = 0 and the positions may drift.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NODE = 13
R, P, V, W = 0, 3, 7, 10


class Tables(NamedTuple):
    """Arrays of one arm; node -1 is the ground. Arrays marked (t) are refreshed at every instant."""

    node_at: np.ndarray  # (nodes,) first unknown of each node
    beam_nodes: np.ndarray  # (beams, 2)
    beam_axes: np.ndarray  # (beams, 2, 3, 3) section frames seen from the nodes
    beam_l0: np.ndarray  # (beams,)
    beam_law: np.ndarray  # (beams, 7, 7)
    beam_mass: np.ndarray  # (beams, 5) rhoA, rhoIz, rhoIy, c11, c12
    body_node: np.ndarray  # (bodies,)
    body_mass: np.ndarray  # (bodies,)
    body_inertia: np.ndarray  # (bodies, 3, 3) about the mass centre = node
    point_nodes: np.ndarray  # (points, 2) coincidence of two points
    point_arms: np.ndarray  # (points, 2, 3) from node to point, node axes
    point_at: np.ndarray  # (points, 2) first lambda, first mu
    dot_nodes: np.ndarray  # (dots, 2) orthogonality of two turning vectors
    dot_first: np.ndarray  # (dots, 3, 3) (t) vector in axes of the first node, its rate and second rate
    dot_second: np.ndarray  # (dots, 3) vector in axes of the second node
    dot_at: np.ndarray  # (dots, 2)
    motor_nodes: np.ndarray  # (motors, 2)
    motor_axes: np.ndarray  # (motors, 4, 3) axis, zero direction, quarter-turn direction (first node); pointer (second)
    motor_gains: np.ndarray  # (motors, 2) KP, KD
    motor_target: np.ndarray  # (motors, 3) (t) angle, rate, torque fed forward
    load_node: np.ndarray  # (loads,)
    load_arm: np.ndarray  # (loads, 3) from node to point, node axes
    load: np.ndarray  # (loads, 6) (t) force and moment, global axes
    gravity: np.ndarray  # (3,)
    stabilise: np.ndarray  # (1,) 1 or 0

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return NODE * len(self.node_at) + 6 * len(self.point_at) + 2 * len(self.dot_at)


class Index(NamedTuple):
    """Rows of y by their meaning."""

    r: np.ndarray
    p: np.ndarray
    velocity: np.ndarray  # v and w, node by node
    position: np.ndarray  # r and p, node by node
    force: np.ndarray  # lambda
    multiplier: np.ndarray  # mu
    algebraic: np.ndarray


def index_of(tb: Tables) -> Index:
    """Where everything is in the vector of unknowns."""
    at = tb.node_at[:, None]
    r, p = at + np.arange(3), at + P + np.arange(4)
    velocity = (at + V + np.arange(6)).ravel()
    position = (at + np.arange(7)).ravel()
    spread = [(tb.point_at[:, k, None] + np.arange(3)).ravel() for k in (0, 1)]
    force = np.sort(np.concatenate((spread[0], tb.dot_at[:, 0]))).astype(np.int64)
    multiplier = np.sort(np.concatenate((spread[1], tb.dot_at[:, 1]))).astype(np.int64)
    return Index(r, p, velocity, position, force, multiplier, np.sort(np.concatenate((force, multiplier))))


def bandwidth(tb: Tables) -> int:
    """Half bandwidth of the Jacobian."""
    width = NODE - 1
    for table in (tb.beam_nodes, tb.motor_nodes):
        for a, b in table:
            if a >= 0 and b >= 0:
                width = max(width, abs(int(tb.node_at[a] - tb.node_at[b])) + NODE - 1)
    for nodes, at, n in ((tb.point_nodes, tb.point_at, 3), (tb.dot_nodes, tb.dot_at, 1)):
        for pair, (first, second) in zip(nodes, at, strict=True):
            for k in pair[pair >= 0]:
                low, high = tb.node_at[k], tb.node_at[k] + NODE - 1
                for c in (first, second):
                    width = max(width, abs(int(c + n - 1 - low)), abs(int(high - c)))
    # torques of a motor and derivatives of constraint forces couple the two nodes of a joint directly
    for a, b in tb.dot_nodes:
        if a >= 0 and b >= 0:
            width = max(width, abs(int(tb.node_at[a] - tb.node_at[b])) + NODE - 1)
    return width
