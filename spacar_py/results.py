"""Results with access by name: every node, element, energy and reaction on one grid of times."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import InputError, nearest
from .rotations import angular_velocity, matrix, to_vector


class Named:
    """Columns of an array (N, n) by name: `view["torsion"]`, or several at once."""

    def __init__(self, names, values, what):
        self.names, self.values, self._what = list(names), values, what

    def __getitem__(self, name):
        if isinstance(name, str):
            if name not in self.names:
                raise InputError(
                    f"{self._what} has no '{name}'{nearest(name, self.names)}; known: {', '.join(self.names)}"
                )
            return self.values[..., self.names.index(name)]
        return np.stack([self[n] for n in name], axis=-1)

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"Named({', '.join(self.names)})"


class Part:
    """All that a result knows under one name: a point, a frame, an element, or several of these.

    Points: `x, v, a` (N, 3) and `force`, the support force. Frames: `rotation` (rotation vector), `euler`, `R`,
    `omega`, `moment` (support moment). Elements: `e, ed, sigma`, columns by name of the deformation.
    """

    def __init__(self, result, name):
        self._r, self.name = result, name
        s = result.system
        self._point, self._frame = s.nodes.get(("point", name)), s.nodes.get(("frame", name))
        self._warp, self._element = s.nodes.get(("warp", name)), s.elements.get(name)
        if not any(p is not None for p in (self._point, self._frame, self._warp, self._element)):
            known = sorted({n for _, n in s.nodes} | {n for n in s.elements if not n.startswith("frame ")})
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
    def moment(self):
        """Support moment in space (N, 3): half of Lambda f_lambda; (N,) in the plane."""
        lam, f = self.euler, self._of(self._frame, self._r.f, "frame")
        if lam.shape[1] == 1:
            return f[:, 0]
        v, fv = lam[:, 1:], f[:, 1:]
        return 0.5 * (lam[:, :1] * fv - f[:, :1] * v + np.cross(v, fv))

    def _deformations(self, array):
        if self._element is None:
            raise InputError(f"'{self.name}' is not an element in this model")
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

    def __getitem__(self, name: str) -> Part:
        return Part(self, name)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def energy(self) -> Named:
        """Kinetic, elastic, gravitational and total energy (J)."""
        total = self.energies.sum(axis=1)
        return Named(("kinetic", "elastic", "gravitational", "total"), np.column_stack([self.energies, total]), "energy")

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
        if name not in self.system.y_index:
            names = self.system.y_names
            raise InputError(f"result has no degree of freedom '{name}'{nearest(name, names)}; known: {', '.join(names[:12])}")
        return self.y[:, 0, self.system.y_index[name]]

    def __str__(self) -> str:
        i = self.info
        return f"{i.get('method', 'result')}: {len(self.t)} points from {self.t[0]:g} to {self.t[-1]:g}" + (
            f", {i['steps']} steps, {i['rhs']} evaluations" if "steps" in i else ""
        )


def evaluated(system, times, Y, *, work=None, control=None, z=None, given=True, info=None) -> Result:
    """The Result of states Y (N, 3, ny); qdd from the equations of motion unless given."""
    from .controller import pack_control
    from .dynamics import evaluate
    from .errors import ConvergenceError

    w = work or system.work()
    c = control or pack_control()
    N = len(times)
    z = np.zeros((N, int(c.n[2]))) if z is None else z
    shape = dict(X=(3, N, system.nx), E=(3, N, system.ne), sigma=(N, system.ne), f=(N, system.nx))
    arr = {k: np.zeros(v) for k, v in shape.items()}
    energies, powers, rho = np.zeros((N, 3)), np.zeros((N, 4)), np.zeros((N, system.ny))
    Y, times = np.ascontiguousarray(Y, float), np.ascontiguousarray(times, float)
    ref = np.zeros(system.ne)
    bad = -1
    if system.python_signals or system.model.user_forces:
        from .motion import set_user

        one = {k: np.zeros((*v[:-2], 1, v[-1])) for k, v in shape.items()}
        en, po, rh = np.zeros((1, 3)), np.zeros((1, 4)), np.zeros((1, system.ny))
        for n in range(N):  # Python functions are brought up to each point in turn
            set_user(system, w, times[n], Y[n], ref)
            y1, z1 = Y[n : n + 1].copy(), z[n : n + 1].copy()
            if evaluate(system.k, w.k, c.k, z1, times[n : n + 1], y1, ref, int(given), *one.values(), en, po, rh) >= 0:
                bad = n
                break
            Y[n], energies[n], powers[n], rho[n] = y1[0], en[0], po[0], rh[0]
            for k in arr:
                arr[k][..., n, :] = one[k][..., 0, :]
    else:
        bad = evaluate(system.k, w.k, c.k, z, times, Y, ref, int(given), arr["X"], arr["E"], arr["sigma"], arr["f"],
                       energies, powers, rho)  # fmt: skip
    if bad >= 0:
        raise ConvergenceError(f"kinematics did not converge at t = {times[bad]:g} while results were collected")
    return Result(system, times, Y, **arr, energies=energies, powers=powers, rho=rho, z=z, info=info or {})
