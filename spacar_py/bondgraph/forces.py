"""Forces and moments in joints as named series."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError, nearest


@dataclass(eq=False)
class JointForces:
    """What one joint passes on to the body of its end q, at the joint's point on that body.

    Attributes
    ----------
    force, moment : (N, 3) arrays
        Everything that the joint passes on, drives, springs and dampers included (N, N m), in axes of space.
    constraint_force, constraint_moment : (N, 3) arrays
        The part that the constraints make.
    axes : (N, 3, 3) array
        Rows ex, ey, ez of the joint frame in space, carried by p, ex along the joint's axis.
    drive : dict
        Name of each driven coordinate of the joint to its force or torque (N,), positive where it lets it grow.
    """

    name: str
    force: np.ndarray
    moment: np.ndarray
    constraint_force: np.ndarray
    constraint_moment: np.ndarray
    axes: np.ndarray
    drive: dict = field(default_factory=dict)

    def local(self, which: str = "force") -> np.ndarray:
        """One of the four vectors in the joint frame, (N, 3)."""
        known = ("force", "moment", "constraint_force", "constraint_moment")
        if which not in known:
            raise InputError(f"joint '{self.name}' has no '{which}'{nearest(which, known)}; known: {', '.join(known)}")
        return np.einsum("nij,nj->ni", self.axes, getattr(self, which))

    def resultant(self, which: str = "constraint_force") -> np.ndarray:
        """Length of one of the four vectors, (N,)."""
        return np.linalg.norm(self.local(which), axis=1)


@dataclass(eq=False)
class KinetoStatics:
    """Drives and joint forces over time: `found["elbow"].force`, `found.drives["elbow.angle"]`."""

    t: np.ndarray
    joints: dict[str, JointForces]
    result: object = None
    info: dict = field(default_factory=dict)

    def __getitem__(self, name: str) -> JointForces:
        if name not in self.joints:
            known = ", ".join(self.joints)
            raise InputError(f"kineto-statics has no joint '{name}'{nearest(name, self.joints)}; known: {known}")
        return self.joints[name]

    @property
    def drives(self) -> dict[str, np.ndarray]:
        """Driving forces and torques by the name of their coordinate."""
        return {f"{j.name}.{k}": v for j in self.joints.values() for k, v in j.drive.items()}

    def series(self) -> dict[str, np.ndarray]:
        """Every column by name: drives, and constraint forces and moments in space and in joint frames."""
        out = dict(self.drives)
        for j in self.joints.values():
            for which in ("constraint_force", "constraint_moment"):
                for axes, values in (("", getattr(j, which)), ("_local", j.local(which))):
                    out |= {f"{j.name}.{which}{axes}_{c}": values[:, k] for k, c in enumerate("xyz")}
        return out
