"""Results with access by name: every node, element, energy and reaction on one grid of times."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import InputError, nearest
from .rotations import angular_velocity, matrix, nodal_moment, to_vector


class Named:
    """Columns of an array (N, n) by name: `view["torsion"]`, or several at once: `view["torsion", "elongation"]`."""

    def __init__(self, names, values, what):
        self.names, self.values, self._what = list(names), values, what

    def __getitem__(self, name):
        if isinstance(name, str):
            if name not in self.names:
                raise InputError(
                    f"{self._what} has no '{name}'{nearest(name, self.names)}; known: {', '.join(self.names)}"
                )
            return self.values[..., self.names.index(name)]
        if not isinstance(name, (tuple, list)) or not name:
            raise InputError(f"{self._what}: give a name or several, got {name!r}; known: {', '.join(self.names)}")
        return np.stack([self[n] for n in name], axis=-1)

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"Named({', '.join(self.names)})"


class Part:
    """All that a result knows under one name: a point, a frame, an element, or several of these.

    Points: `x, v, a` (N, 3) and `force`, the support force. Frames: `rotation` (rotation vector), `euler`, `R`,
    `omega`, `alpha`, `moment` (support moment). Warping coordinates: `warp`, `bimoment` (of the support). Elements:
    `e, ed, sigma`, columns by name of the deformation, (N, pieces) each for a beam in pieces; `reaction("p")`.
    """

    def __init__(self, result, name):
        self._r, self.name = result, name
        s = result.system
        if not isinstance(name, str):
            raise InputError(f"result: a node or element is asked for by its name, got {name!r}")
        self._point, self._frame = s.nodes.get(("point", name)), s.nodes.get(("frame", name))
        self._warp, self._element = s.nodes.get(("warp", name)), s.elements.get(name)
        self._pieces = s.model.chains.get(name)
        if not any(p is not None for p in (self._point, self._frame, self._warp, self._element, self._pieces)):
            elements = {n for n in s.elements if not n.startswith("frame ")} | set(s.model.chains)
            known = sorted({n for _, n in s.nodes} | elements)
            raise InputError(f"result has no '{name}'{nearest(name, known)}; known: {', '.join(known[:12])}")

    def _of(self, where, array, what):
        if where is None:
            raise InputError(f"'{self.name}' is not a {what} in this model")
        o, n = where
        return array[:, o : o + n]

    x = property(lambda self: self._of(self._point, self._r.x, "point"))
    v = property(lambda self: self._of(self._point, self._r.xd, "point"))
    a = property(lambda self: self._of(self._point, self._r.xdd, "point"))
    force = property(lambda self: self._of(self._point, self._r.f, "point"))
    euler = property(lambda self: self._of(self._frame, self._r.x, "frame"))
    warp = property(lambda self: self._of(self._warp, self._r.x, "warping coordinate"))

    @property
    def rotation(self):
        """Rotation vector (N, 3), or the angle (N,) in the plane."""
        lam = self.euler
        return lam[:, 0] if lam.shape[1] == 1 else to_vector(lam)

    @property
    def R(self):
        """Rotation matrices (N, 3, 3)."""
        return matrix(self.euler)

    @property
    def omega(self):
        """Angular velocity in space (N, 3), or (N,) in the plane."""
        rate = self._of(self._frame, self._r.xd, "frame")
        return rate[:, 0] if rate.shape[1] == 1 else angular_velocity(self.euler, rate)

    @property
    def alpha(self):
        """Angular acceleration in space (N, 3), or (N,) in the plane."""
        rate = self._of(self._frame, self._r.xdd, "frame")  # the rates of lambda cancel in d/dt of omega
        return rate[:, 0] if rate.shape[1] == 1 else angular_velocity(self.euler, rate)

    @property
    def moment(self):
        """Support moment in space (N, 3): half of Lambda f_lambda; (N,) in the plane."""
        lam, f = self.euler, self._of(self._frame, self._r.f, "frame")
        return f[:, 0] if lam.shape[1] == 1 else nodal_moment(lam, f)

    @property
    def bimoment(self):
        """Support bimoment of a warping coordinate (N,), N m^2."""
        return self._of(self._warp, self._r.f, "warping coordinate")[:, 0]

    def reaction(self, end: str):
        """Force and moment of the node at the end "p" or "q" on the element: what a joint there passes on to it.

        Inertia, weight and all stress resultants of the element are in it; `.force` (N, 3), `.moment` (N, 3) about the
        point of that end, in space.
        """
        from .reactions import end_reaction

        if self._pieces is not None:
            return end_reaction(self._r, self._pieces[-1 if end == "q" else 0], end)
        self._need_element()
        return end_reaction(self._r, self.name, end)

    def _need_element(self):
        if self._element is None:
            raise InputError(f"'{self.name}' is not an element in this model")

    def _deformations(self, array):
        if self._pieces is not None:
            parts = [self._r.system.elements[p] for p in self._pieces]
            values = np.stack([array[:, first : first + len(names)] for first, names in parts], axis=1)
            return Named(parts[0][1], values, f"beam '{self.name}'")
        self._need_element()
        first, names = self._element
        return Named(names, array[:, first : first + len(names)], f"element '{self.name}'")

    e = property(lambda self: self._deformations(self._r.e))
    ed = property(lambda self: self._deformations(self._r.ed))
    sigma = property(lambda self: self._deformations(self._r.sigma))


@dataclass(eq=False)
class Result:
    """States and everything that follows from them on a grid of times (or load steps).

    Attributes
    ----------
    t : (N,) array
        Time (s), or load factor of a static result.
    q, qd, qdd : (N, nq) arrays
    x, xd, xdd : (N, nx) arrays
    e, ed, sigma : (N, ne) arrays
        Deformations, rates and stress resultants, reactions in rigid deformations included.
    f : (N, nx) array
        Forces in held and prescribed coordinates.
    drive : (N, nr) array
        Force or torque of each prescribed motion.
    z : (N, nz) array
        States of the controller.
    info : dict
        Method, steps, right-hand sides, CPU time.
    """

    system: object
    t: np.ndarray
    y: np.ndarray
    X: np.ndarray
    E: np.ndarray
    sigma: np.ndarray
    f: np.ndarray
    energies: np.ndarray
    powers: np.ndarray
    rho: np.ndarray
    z: np.ndarray | None = None
    info: dict = field(default_factory=dict)

    q = property(lambda self: self.y[:, 0, : self.system.nq])
    qd = property(lambda self: self.y[:, 1, : self.system.nq])
    qdd = property(lambda self: self.y[:, 2, : self.system.nq])
    x = property(lambda self: self.X[0])
    xd = property(lambda self: self.X[1])
    xdd = property(lambda self: self.X[2])
    e = property(lambda self: self.E[0])
    ed = property(lambda self: self.E[1])
    drive = property(lambda self: self.rho[:, self.system.nq :])

    @property
    def generalised(self) -> Named:
        """Force or torque that each degree of freedom lacks and each prescribed motion takes, by its label."""
        return Named(self.system.y_names, self.rho, "motion")

    def __getitem__(self, name: str) -> Part:
        return Part(self, name)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def energy(self) -> Named:
        """Kinetic, elastic, gravitational and total energy (J)."""
        total = self.energies.sum(axis=1)
        names = ("kinetic", "elastic", "gravitational", "total")
        return Named(names, np.column_stack([self.energies, total]), "energy")

    @property
    def power(self) -> Named:
        """Power (W) of loads, actuators and prescribed motions, and lost in dampers; their balance is d(energy)/dt."""
        loads, act, lost, drives = self.powers.T
        balance = loads + act + drives - lost
        return Named(
            ("loads", "actuators", "drives", "dampers", "balance"),
            np.column_stack([loads, act, drives, lost, balance]), "power",
        )  # fmt: skip

    def dof(self, name: str) -> np.ndarray:
        """History of a degree of freedom or prescribed quantity by its label."""
        if not isinstance(name, str) or name not in self.system.y_index:
            names = self.system.y_names
            known = ", ".join(names[:12])
            raise InputError(f"result has no degree of freedom '{name}'{nearest(name, names)}; known: {known}")
        return self.y[:, 0, self.system.y_index[name]]

    def save(self, path, **options) -> None:
        """Write an HDF5 archive that `spacar_py.archive.load` reads back; options as `archive.save` has them."""
        from .archive import save

        save(self, path, **options)

    def __str__(self) -> str:
        i = self.info
        return f"{i.get('method', 'result')}: {len(self.t)} points from {self.t[0]:g} to {self.t[-1]:g}" + (
            f", {i['steps']} steps, {i['rhs']} evaluations" if "steps" in i else ""
        )


def evaluated(system, times, Y, *, work=None, control=None, z=None, given=1, near=None, info=None) -> Result:
    """The Result of states Y (N, 3, ny), in the order in which `work` can follow them.

    Parameters
    ----------
    given : {0, 1, 2}
        0: qdd follows from the equations of motion; 1: it is given; 2: so are the prescribed motions.
    near : (N, nx + ne) array, optional
        Coordinates and deformations close to each state, where they are too far apart to be followed.
    """
    from .controller import pack_control
    from .evaluation import evaluate
    from .integrate.problem import set_user

    w = work or system.work()
    c = control or pack_control()
    N = len(times)
    z = np.zeros((N, int(c.n[2]))) if z is None else z
    near = np.zeros((0, system.nx + system.ne)) if near is None else near
    arr = dict(
        X=np.zeros((3, N, system.nx)), E=np.zeros((3, N, system.ne)), sigma=np.zeros((N, system.ne)),
        f=np.zeros((N, system.nx)), energies=np.zeros((N, 3)), powers=np.zeros((N, 4)), rho=np.zeros((N, system.ny)),
    )  # fmt: skip
    Y, times = np.array(Y, float, order="C"), np.ascontiguousarray(times, float)
    ref = np.zeros(system.ne)
    python = system.python_signals or system.model.user_forces
    for n in range(N) if python else (0,):  # Python functions are brought up to each point in turn
        part = slice(n, n + 1) if python else slice(0, N)
        if python:
            if len(near):
                w.X[0], ref[:], w.yp[:] = near[n, : system.nx], near[n, system.nx :], Y[n, 0]
            set_user(system, w, times[n], Y[n], ref)
        views = [a[:, part] if k in "XE" else a[part] for k, a in arr.items()]
        out = [np.ascontiguousarray(v) for v in views]
        y = Y[part].copy()
        bad = evaluate(system.k, w.k, c.k, z[part], times[part], y, ref, int(given), near[part], *out)
        if bad >= 0:
            raise _trouble(system, w, c, times[part][bad], ref)
        Y[part] = y
        for v, o in zip(views, out, strict=True):
            v[...] = o
    return Result(system, times, Y, **arr, z=z, info=info or {})


def _trouble(system, w, c, t, ref) -> Exception:
    """Why the point at t cannot be evaluated."""
    from .dynamics import accelerate, position, velocities
    from .integrate.problem import explained

    status = position(system.k, w.k, ref)
    if status > 0:
        velocities(system.k, w.k, ref)
        status = accelerate(system.k, w.k, t, ref)
    return explained(system, w, t, status)
