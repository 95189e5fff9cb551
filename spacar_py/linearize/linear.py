"""Linearised equations of motion about any state, each matrix on its own.

M0 dqdd + (C0 + D0) dqd + (K0 + G0 + N0) dq = B0 du
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..checks import known
from ..dynamics import position, velocities
from ..errors import InputError
from ..tangent import C0, D0, G0, K0, M0, N0, tangent
from ._kernels import deformation_rates, nodal_rows, store
from .batch import tangents
from .states import check_closed, check_factors, read_states
from .user_forces import add_user_forces, set_user_forces

MATRICES = ("M0", "C0", "D0", "K0", "G0", "N0")


def linear_model(
    model, at=None, t: float = 0.0, *, index=None, free: bool = False, complex_step: bool = False,
    workers: int | None = None
) -> LinearModel:  # fmt: skip
    """Linearised equations of motion about one or many nominal states.

    M0 dqdd + (C0 + D0) dqd + (K0 + G0 + N0) dq = B0 du, exact to rounding.

    Parameters
    ----------
    model : Model
    at : optional
        The nominal state: None for the initial position at rest; a mapping {degree of freedom: value}, at rest; q or a
        tuple (q, qd) or (q, qd, qdd), each (nq,) or (N, nq), rates that are not given being zero; or a result (anything
        with q, qd, qdd, t over N points, of solve_static, simulate or a nominal motion).
    t : float or (N,) array
        Time (s), at which prescribed motions and loads are taken; a result brings its own.
    index : int, slice or array, optional
        Which points of a result.
    free : bool
        Let the nominal state go: qdd is found by the equations of motion, instead of being given or zero.
    complex_step : bool
        Differentiate Python user forces by the complex step; without it a model that has them is refused.
    workers : int, optional
        Threads among which many states are shared out; by default as many as there are cores. The numbers do not depend
        on it.

    Returns
    -------
    LinearModel
        Arrays without leading dimension for a single state, (N, ...) for many.

    Examples
    --------
    >>> import spacar_py as sp
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    >>> from spacar_py.linearize import linear_model
    >>> linear_model(m).K0.tolist()
    [[4.0, -2.0], [-2.0, 4.0]]
    """
    system = model.compile()
    states = read_states(system, at, t, index)
    if model.user_forces and not complex_step:
        what = ", ".join(f[0] for f in model.user_forces)
        raise InputError(
            f"linear_model: {what}: a Python function has no derivative; linear_model(..., complex_step=True) "
            "differentiates it, if it takes complex x and v"
        )
    linear = _linearise(system, states, workers=workers)
    check_factors(at, linear)
    if not free:
        return linear
    nq = system.nq
    rho = linear.rho[:, :nq, None]
    states.Y[:, 2, :nq] -= np.linalg.solve(linear.all_matrices[:, M0, :nq, :nq], rho)[:, :, 0]
    return _linearise(system, states, workers=workers)


def _linearise(system, states, factors=None, u_ext=None, workers=None) -> LinearModel:
    """The tangents at all states, on all cores; where Python has a part in them, one after the other."""
    ny, N = system.ny, len(states.times)
    fac = np.ones(4) if factors is None else np.asarray(factors, float)
    every = states.factors if states.factors is not None else np.broadcast_to(fac, (N, 4))
    if states.x is not None:
        w, ref = system.work(), np.zeros(system.ne)
        for n, x in enumerate(states.x):
            check_closed(system, w, ref, x, states.Y[n, 0], states.times[n])
    python = system.model.user_forces or system.python_signals
    each = (lambda n, w, out: tangent_with_python(system, states.times[n], n, w, out)) if python else None
    out = tangents(
        system, states.times, states.Y, np.array(every, float), states.x, u_ext, workers=workers, each=each,
    )  # fmt: skip
    return LinearModel(
        system=system, t=states.times, Y=states.Y, all_matrices=out["matrices"], rho=out["rho"], all_sigma=out["sigma"],
        all_fx=out["fx"], X=out["X"], E=out["e"], single=states.single, factors=states.factors, u_ext=u_ext,
        free=np.arange(system.nq), driven=np.arange(system.nq, ny), fac=fac,
    )  # fmt: skip


def tangent_with_python(system, time, n, w, out) -> None:
    """Tangent at the state n, with the model's Python functions."""
    ref = out["e"][n, 0].copy()
    if system.python_signals:
        system.set_python_signals(time)
    position(system.k, w.k, ref)
    slopes = []
    if system.model.user_forces:
        velocities(system.k, w.k, ref)
        slopes = set_user_forces(system, w, time)
    tangent(system.k, w.k, time, ref, out["matrices"][n])
    add_user_forces(w, slopes, out["matrices"][n])
    store(w.k, n, ref, out["rho"], out["sigma"], out["fx"], out["X"], out["e"])


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Linearised equations about one state or N states.

    The columns of y = (q, r) are split into `free` ones, the degrees of freedom of the linearised model, and `driven`
    ones, which are inputs: the prescribed motions, and what `hold` holds.

    Attributes
    ----------
    M0, C0, D0, K0, G0, N0 : arrays ([N,] nq, nq)
        Inertia, velocity terms, damping, structural, geometric and dynamic stiffness.
    B0 : array ([N,] nq, nu)
        Of the default inputs `input_names`; for others use `input_matrix`.
    dof, driven_names : list of str
    q, qd, qdd, x, xd, xdd, e, ed, sigma : arrays
        The nominal state; sigma of all deformations, reactions included.
    residual : array ([N,] nq)
        Generalised forces that must be added to hold the nominal state; zero in equilibrium and in a free motion.
    drive : array
        Forces of the driven coordinates.
    """

    system: object
    t: np.ndarray
    Y: np.ndarray
    all_matrices: np.ndarray
    rho: np.ndarray
    all_sigma: np.ndarray
    all_fx: np.ndarray
    X: np.ndarray
    E: np.ndarray
    single: bool
    free: np.ndarray
    driven: np.ndarray
    fac: np.ndarray
    factors: np.ndarray | None = None
    u_ext: np.ndarray | None = None
    added: dict = field(default_factory=dict)  # name of a matrix -> what `add` put on top of it

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, n) -> LinearModel:
        """The linear model at point n, or at several points."""
        pick = np.arange(len(self))[n]
        rows = np.atleast_1d(pick)
        parts = ("t", "Y", "all_matrices", "rho", "all_sigma", "all_fx", "X", "E")
        return replace(
            self, **{k: getattr(self, k)[rows] for k in parts}, single=np.ndim(pick) == 0,
            factors=None if self.factors is None else self.factors[rows],
            added={k: v if v.ndim == 2 else v[rows] for k, v in self.added.items()},
        )  # fmt: skip

    def __str__(self) -> str:
        where = f"t = {self.t[0]:g} s" if self.single else f"{len(self)} points, t = {self.t[0]:g} to {self.t[-1]:g} s"
        size = {k: float(np.max(np.abs(getattr(self, k)), initial=0.0)) for k in MATRICES}
        lines = [f"linear model of '{self.system.model.name}' at {where}", f"  free      {', '.join(self.dof)}"]
        if self.driven_names:
            lines.append(f"  driven    {', '.join(self.driven_names)}")
        lines.append("  largest   " + ", ".join(f"{k} {v:.3g}" for k, v in size.items()))
        return "\n".join(lines)

    # names and states -----------------------------------------------------------------------------------------------

    @property
    def dof(self) -> list[str]:
        return [self.system.y_names[i] for i in self.free]

    @property
    def driven_names(self) -> list[str]:
        return [self.system.y_names[i] for i in self.driven]

    def _one(self, a):
        return a[0] if self.single else a

    q = property(lambda self: self._one(self.Y[:, 0][:, self.free]))
    qd = property(lambda self: self._one(self.Y[:, 1][:, self.free]))
    qdd = property(lambda self: self._one(self.Y[:, 2][:, self.free]))
    x = property(lambda self: self._one(self.X[:, 0]))
    xd = property(lambda self: self._one(self.X[:, 1]))
    xdd = property(lambda self: self._one(self.X[:, 2]))
    e = property(lambda self: self._one(self.E[:, 0]))
    ed = property(lambda self: self._one(self.E[:, 1]))
    sigma = property(lambda self: self._one(self.all_sigma))
    support = property(lambda self: self._one(self.all_fx))
    residual = property(lambda self: self._one(self.rho[:, self.free]))
    drive = property(lambda self: self._one(self.rho[:, self.driven]))

    # matrices -------------------------------------------------------------------------------------------------------

    def _matrix(self, k, rows, cols):
        return self.all_matrices[:, k][:, rows[:, None], cols[None, :]]

    def _own(self, name):
        a = self._matrix(MATRICES.index(name), self.free, self.free)
        return self._one(a + self.added[name] if name in self.added else a)

    M0 = property(lambda self: self._own("M0"))
    C0 = property(lambda self: self._own("C0"))
    D0 = property(lambda self: self._own("D0"))
    K0 = property(lambda self: self._own("K0"))
    G0 = property(lambda self: self._own("G0"))
    N0 = property(lambda self: self._own("N0"))

    @property
    def stiffness(self) -> np.ndarray:
        """K0 + G0 + N0."""
        return self.K0 + self.G0 + self.N0

    @property
    def velocity(self) -> np.ndarray:
        """C0 + D0."""
        return self.C0 + self.D0

    def coupling(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Matrices (M, C, K) that carry the driven motions into the equations: -(M rdd + C rd + K r) is their force."""
        m = [self._matrix(k, self.free, self.driven) for k in (M0, C0, D0, K0, G0, N0)]
        return tuple(self._one(a) for a in (m[0], m[1] + m[2], m[3] + m[4] + m[5]))

    @property
    def input_names(self) -> list[str]:
        """Default inputs: the actuators of the model, or, if it has none, all joints."""
        from .ports import default_inputs

        return default_inputs(self)

    @property
    def B0(self) -> np.ndarray:
        return self.input_matrix(self.input_names)

    def input_matrix(self, names) -> np.ndarray:
        """Generalised forces of unit inputs ("stress joint.angle", "force tip.z", "moment tip.x"), ([N,] nq, nu)."""
        from .ports import force_columns

        return self._one(np.stack([force_columns(self, n, names)[0] for n in range(len(self))]))

    # kinematics -----------------------------------------------------------------------------------------------------

    @cached_property
    def _rates(self) -> dict[str, np.ndarray]:
        """dx/dy, d(xd)/dy, d(xdd)/dy, de/dy, d(ed)/dy, d(edd)/dy at all points."""
        s = self.system
        out = {k: np.zeros((len(self), s.nx, s.ny)) for k in ("DF", "DFd", "DFdd")}
        out |= {k: np.zeros((len(self), s.ne, s.ny)) for k in ("DFe", "DFed", "DFedd")}
        for n in range(len(self)):
            w, _ = self.at_point(n)
            for k in ("DF", "DFd", "DFdd"):
                out[k][n] = getattr(w, k)
            deformation_rates(s.k, w.k, out["DFe"][n], out["DFed"][n], out["DFedd"][n])
        return out

    DF = property(lambda self: self._one(self._rates["DF"][:, :, self.free]))
    DFe = property(lambda self: self._one(self._rates["DFe"][:, :, self.free]))

    def at_point(self, n: int):
        """Work space as `tangent` leaves it at point n, and its six matrices."""
        s = self.system
        w = s.work()
        w.fac[:] = self.fac if self.factors is None else self.factors[n]
        if self.u_ext is not None:
            w.u_ext[:] = self.u_ext
        w.X[0], w.y[:] = self.X[n, 0], self.Y[n]
        ref = self.E[n, 0].copy()
        if s.python_signals:
            s.set_python_signals(self.t[n])
        position(s.k, w.k, ref)
        velocities(s.k, w.k, ref)
        if s.model.user_forces:
            set_user_forces(s, w, self.t[n])
        out = np.zeros((6, s.ny, s.ny))
        tangent(s.k, w.k, self.t[n], ref, out)
        return w, out

    def nodal(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by (y, yd, ydd) of all stress resultants (3, ne, ny) and of the support forces (3, nx, ny)."""
        s = self.system
        w, _ = self.at_point(n)
        DFe, DFed, DFedd = (np.zeros((s.ne, s.ny)) for _ in range(3))
        deformation_rates(s.k, w.k, DFe, DFed, DFedd)
        sig, P = np.zeros((3, s.ne, s.ny)), np.zeros((3, s.nx, s.ny))
        nodal_rows(s.k, w.k, self.t[n], DFe, DFed, sig, P)
        return sig, P

    # variants -------------------------------------------------------------------------------------------------------

    def hold(self, *names: str) -> LinearModel:
        """The same with some degrees of freedom held: they become driven ones. `hold()` holds all joints.

        Parameters
        ----------
        names : str
            Labels of degrees of freedom, or of elements or nodes, all of whose degrees of freedom are meant.
        """
        chosen = [i for n in names for i in self._meant(n)]
        if not names:
            chosen = [int(i) for i in self.free if i < self.system.nq and not self.system.flexible[i]]
        keep = np.array([k for k, i in enumerate(self.free) if i not in chosen], int)
        if len(keep) == 0:
            raise InputError("hold: nothing would be left to move; leave one degree of freedom free")
        added = {k: v[..., keep[:, None], keep[None, :]] for k, v in self.added.items()}
        driven = np.concatenate([self.driven, [i for i in self.free if i in chosen]]).astype(int)
        return replace(self, free=self.free[keep], driven=driven, added=added)

    def _meant(self, name) -> list[int]:
        own = [int(i) for i in self.free if self.system.y_names[i] == name]
        own = own or [int(i) for i in self.free if self.system.y_names[i].rsplit(".", 1)[0] == name]
        if not own:
            known("hold", "degree of freedom", name, self.dof)
        return own

    def add(self, **matrices) -> LinearModel:
        """The same with something added to its matrices: `add(K0=gain, D0=damping)`, each ([N,] nq, nq)."""
        added = dict(self.added)
        n = len(self.free)
        for name, value in matrices.items():
            known("add", "matrix", name, MATRICES)
            value = np.asarray(value, float)
            if value.shape not in ((n, n), (len(self), n, n)) or not np.all(np.isfinite(value)):
                raise InputError(f"add: {name} must be finite and of shape ({n}, {n}), got shape {value.shape}")
            added[name] = added.get(name, 0.0) + value
        return replace(self, added=added)
