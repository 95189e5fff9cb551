"""The two-link manipulator in Exudyn: geometrically exact beams on rigid-body nodes, hinges as joints.

What cannot be the same: Exudyn's beam has no rigid elongation, shear or torsion (stiff ones here, 1e9 N), needs some
rotary inertia (radius of gyration 5 mm) and a body between turret and shoulder (1 g), and is linear: one cubic element
of ours needs several of them. ANCFCable, cubic, has no torsion and cannot be the upper arm.
"""

from __future__ import annotations

import numpy as np
from exudyn.itemInterface import (
    LoadForceVector,
    MarkerBodyRigid,
    MarkerNodePosition,
    MarkerNodeRigid,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    ObjectConnectorTorsionalSpringDamper,
    ObjectGround,
    ObjectJointGeneric,
    ObjectJointRevoluteZ,
    ObjectRigidBody,
)
from exudyn.utilities import RotationMatrix2EulerParameters

from spacar_py.cases import manipulator as case

from . import _exudyn as ex

STIFF, GYRATION, GRAVITY = 1e9, 5e-3, 9.81
UP = np.eye(3)
LEVEL = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # its third axis is -y, about which shoulder and elbow turn


def build(elements: int, joint):
    """Container, system and sensor of the tip; joint(mbs, k, marker, marker) makes turret, shoulder and elbow."""
    keep, mbs = ex.system()
    _, up, _ = case.joint_angles(case.A)
    L, S = case.LENGTH, case.LENGTH**3
    elbow = np.array([L * np.cos(up), 0, L * np.sin(up)])
    column = _node(mbs, np.zeros(3), UP)
    _body(mbs, column, 1e-3)
    upper, at_upper = _link(mbs, elements, np.zeros(3), elbow, 48300 * S, 41580 * S, 4.0)
    fore, at_fore = _link(mbs, elements, elbow, case.A, 24460 * S, STIFF, 2.0)
    for node, mass in ((upper[-1], 10.0), (fore[-1], 30.0)):
        _body(mbs, node, mass)
        _weight(mbs, node, mass)
    ground = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround())))
    joint(mbs, 0, ground, _marker(mbs, column, UP, UP))
    joint(mbs, 1, _marker(mbs, column, UP, LEVEL), _marker(mbs, upper[0], at_upper, LEVEL))
    joint(mbs, 2, _marker(mbs, upper[-1], at_upper, LEVEL), _marker(mbs, fore[0], at_fore, LEVEL))
    return keep, mbs, ex.position_sensor(mbs, fore[-1])


def prescribed(motions):
    """Joints with all axes locked and an offset (t) of symbols about the third."""

    def joint(mbs, k, a, b):
        def user(mbs, t, itemNumber, offsetUserFunctionParameters):
            return [0.0, 0.0, 0.0, 0.0, 0.0, motions[k](t)]

        given = ex.CreateSymbolicUserFunction(mbs, user, "offsetUserFunction", itemTypeName="ObjectJointGeneric")
        mbs.AddObject(ObjectJointGeneric(markerNumbers=[a, b], constrainedAxes=[1] * 6, offsetUserFunction=given))

    return joint


def driven(angle, rate, feedforward, kp, kd):
    """Hinges with a torque u0 - kp (e - e0) - kd (ed - e0d); functions (k, t) of symbols."""

    def joint(mbs, k, a, b):
        def user(mbs, t, itemNumber, rotation, angularVelocity, stiffness, damping, offset):
            return kp[k] * (rotation - angle(k, t)) + kd[k] * (angularVelocity - rate(k, t)) - feedforward(k, t)

        kind = "ObjectConnectorTorsionalSpringDamper"
        given = ex.CreateSymbolicUserFunction(mbs, user, "springTorqueUserFunction", itemTypeName=kind)
        mbs.AddObject(ObjectJointRevoluteZ(markerNumbers=[a, b]))
        mbs.AddObject(
            ObjectConnectorTorsionalSpringDamper(markerNumbers=[a, b], stiffness=kp[k], damping=kd[k],
                                                 springTorqueUserFunction=given)
        )  # fmt: skip

    return joint


def _node(mbs, place, R):
    return mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*place, *RotationMatrix2EulerParameters(R)]))


def _body(mbs, node, mass) -> None:
    mbs.AddObject(ObjectRigidBody(nodeNumber=node, mass=mass, inertia=[1e-6, 1e-6, 1e-6, 0, 0, 0]))


def _weight(mbs, node, mass) -> None:
    marker = mbs.AddMarker(MarkerNodePosition(nodeNumber=node))
    mbs.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[0, 0, -GRAVITY * mass]))


def _marker(mbs, node, R, frame):
    """A marker whose frame in the drawn position is `frame`."""
    place = ex.exu.HT(rotation=R.T @ frame, translation=[0, 0, 0])
    return mbs.AddMarker(MarkerNodeRigid(nodeNumber=node, localHT=place))


def _link(mbs, n, a, b, EI, GJ, m):
    """Nodes along a link and their rotation matrix."""
    h, x, y = np.linalg.norm(b - a) / n, (b - a) / np.linalg.norm(b - a), np.array([0.0, 1, 0])
    R = np.column_stack([x, y, np.cross(x, y)])
    nodes = [_node(mbs, a + (b - a) * k / n, R) for k in range(n + 1)]
    section = ex.exu.BeamSection()
    section.stiffnessMatrix = np.diag([STIFF, STIFF, STIFF, GJ, EI, EI])
    section.dampingMatrix = case.DAMPING * np.diag([0, 0, 0, GJ if GJ < STIFF else 0.0, EI, EI])
    section.massPerLength, section.inertia = m, m * GYRATION**2 * np.diag([2.0, 1.0, 1.0])
    for pair in zip(nodes, nodes[1:], strict=False):
        mbs.AddObject(ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=h, sectionData=section))
    for k, node in enumerate(nodes):
        _weight(mbs, node, m * h * (1.0 if 0 < k < n else 0.5))
    return nodes, R
