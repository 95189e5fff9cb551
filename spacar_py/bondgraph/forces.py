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
    """Drives and joint forces over time: `found["elbow"].force`, `found.drives["elbow.angle"]`.

    `inputs` are the drives that do not belong to a joint: of elements that lengthen and of points that are led.
    """

    t: np.ndarray
    joints: dict[str, JointForces]
    result: object = None
    info: dict = field(default_factory=dict)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)

    def __getitem__(self, name: str) -> JointForces:
        if name not in self.joints:
            known = ", ".join(self.joints)
            raise InputError(f"kineto-statics has no joint '{name}'{nearest(name, self.joints)}; known: {known}")
        return self.joints[name]

    @property
    def drives(self) -> dict[str, np.ndarray]:
        """Driving forces and torques by the name of their coordinate."""
        return {f"{j.name}.{k}": v for j in self.joints.values() for k, v in j.drive.items()} | self.inputs

    def record(self, title: str = ""):
        """All of it as a Record, for archive, pictures and report."""
        from ..record import Record, mechanism

        series = self.series()
        units = {n: "N m" if "moment" in n else "N" for n in series}
        drives = self.drives
        turns = ("angle", "phi", "lambda")
        units |= {n: "N m" if n.rpartition(".")[2].startswith(turns) else "N" for n in drives}
        # a free joint has no drive; rounding is not shown as one
        most = max((np.abs(v).max(initial=0.0) for v in drives.values()), default=0.0)
        active = [n for n, v in drives.items() if np.abs(v).max(initial=0.0) > 1e-9 * most] or list(drives)
        for j in self.joints.values():
            for which in ("constraint_force", "constraint_moment"):
                series[f"{j.name}.{which}"] = j.resultant(which)
                units[f"{j.name}.{which}"] = "N m" if "moment" in which else "N"
        pictures = {f"Drives [{u}]": [n for n in active if units[n] == u] for u in ("N", "N m")}
        for which in ("constraint_force", "constraint_moment"):
            what = which.split("_")[1]
            pictures[f"Resultant constraint {what}s"] = [f"{n}.{which}" for n in self.joints]
        for j in self.joints.values():
            for which in ("constraint_force", "constraint_moment"):
                for axes, words in (("", "axes of space"), ("_local", "joint frame")):
                    title_ = f"{j.name}: {which.replace('_', ' ')}, {words}"
                    pictures[title_] = [f"{j.name}.{which}{axes}_{c}" for c in "xyz"]
        shown = [*active, *(n for n in series if n.endswith(("constraint_force", "constraint_moment")))]
        rows = [{"series": n, "unit": units[n], "least": series[n].min(), "largest": series[n].max()} for n in shown]
        t, lines = mechanism(self.result) if self.result is not None else (np.zeros(0), {})
        return Record("kineto-statics", title or "drives and joint forces", self.t, series=series, units=units,
                      pictures={k: v for k, v in pictures.items() if any(series[n].any() for n in v)},
                      rows=rows, info=dict(self.info), t=t, lines=lines)  # fmt: skip

    def save(self, path) -> None:
        """Write an archive (.h5)."""
        self.record().save(path)

    def series(self) -> dict[str, np.ndarray]:
        """Every column by name: drives, and constraint forces and moments in space and in joint frames."""
        out = dict(self.drives)
        for j in self.joints.values():
            for which in ("constraint_force", "constraint_moment"):
                for axes, values in (("", getattr(j, which)), ("_local", j.local(which))):
                    out |= {f"{j.name}.{which}{axes}_{c}": values[:, k] for k, c in enumerate("xyz")}
        return out
