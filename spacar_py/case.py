"""A case: a model with, where it has them, its path, controller and settings of the run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from .errors import InputError, nearest

METHODS = ("nonlinear", "implicit", "scipy", "perturbation", "AMI")


@dataclass
class Run:
    """Settings of a run, as plain data.

    Parameters
    ----------
    t_end, t_start : float
        Time span (s); along a path t_end is the path's T unless given.
    points : int
        Output points.
    method : {"nonlinear", "implicit", "scipy", "perturbation", "AMI"}
    order, rtol, atol, max_step, solver
        Of the integrator; None for the method's own default.
    modes : int or "auto"
        Modes of AMI; `compare_modes` is the list for a comparison.
    correction, interpolation, linear_points
        Of the linear methods.
    node : str, optional
        Node whose deviation is compared; by default the one that the path leads.
    q0, qd0 : dict
        Degrees of freedom and rates at the start.
    chunks : int
        Pieces after each of which a run can be saved and taken up again; part of the settings, since every piece begins
        with the integrator anew.
    """

    t_end: float | None = None
    t_start: float = 0.0
    points: int = 501
    method: str = "nonlinear"
    order: int = 5
    rtol: float | None = None
    atol: float | None = None
    max_step: float | None = None
    solver: str = "DOP853"
    modes: int | str = 4
    correction: str = "inertial"
    interpolation: str = "cubic"
    linear_points: int | None = None
    compare_modes: list[int] | None = None
    node: str | None = None
    q0: dict = field(default_factory=dict)
    qd0: dict = field(default_factory=dict)
    chunks: int = 50

    def __post_init__(self):
        if self.method not in METHODS:
            raise InputError(
                f"run: method must be one of {', '.join(METHODS)}, got {self.method!r}{nearest(self.method, METHODS)}"
            )

    def data(self) -> dict:
        """What differs from the defaults, as plain data."""
        standard = asdict(Run())
        return {k: v for k, v in asdict(self).items() if v != standard[k]}

    def integrator(self, method: str | None = None):
        """The method object: RungeKutta, GeneralizedAlpha, SciPy, Perturbation or AMI."""
        method = method or self.method
        tol = {k: v for k in ("rtol", "atol") if (v := getattr(self, k)) is not None}
        step = {} if self.max_step is None else {"max_step": self.max_step}
        if method in ("perturbation", "AMI"):
            from .ami.runs import AMI, Perturbation

            linear = dict(points=self.linear_points, interpolation=self.interpolation, order=self.order, **tol)
            if method == "perturbation":
                return Perturbation(**linear)
            return AMI(modes=self.modes, correction=self.correction, **linear)
        from .motion import GeneralizedAlpha, RungeKutta, SciPy

        if method == "implicit":
            return GeneralizedAlpha(**tol, **step)
        if method == "scipy":
            return SciPy(self.solver, **tol, **step)
        return RungeKutta(order=self.order, **tol, **step)


@dataclass(eq=False)
class Case:
    """A model and what is to be done with it.

    Attributes
    ----------
    model : Model
    path, controller : optional
    run : Run
    name, title, source : str

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py import cases
    >>> cases.load("manipulator").run.t_end
    2.0
    """

    model: object
    path: object = None
    controller: object = None
    run: Run = field(default_factory=Run)
    name: str = "model"
    title: str = ""
    source: str = ""

    @property
    def t_end(self) -> float:
        """End of the run (s)."""
        if self.run.t_end is not None:
            return self.run.t_end
        if self.path is None:
            raise InputError(f"case '{self.name}': has no t_end; add t_end to [run], or give --t-end")
        return self.path.T

    def simulate(self, method=None, times=None, progress=None):
        """The motion by one method, a name or an object; by default that of the settings."""
        from .motion import simulate

        r = self.run
        span = {} if self.path is not None else {"t_start": r.t_start, "qd0": r.qd0 or None}
        method = r.integrator(method) if method is None or isinstance(method, str) else method
        return simulate(self.model, self.path, self.controller, t_end=self.t_end, points=r.points, times=times,
                        q0=r.q0 or None, method=method, progress=progress, **span)  # fmt: skip

    def compare(self, modes=None, nonlinear=None, progress=None):
        """Nonlinear against perturbation against AMI; `nonlinear=False` leaves the first out."""
        from .ami.compare import compare

        if self.path is None:
            raise InputError(f"case '{self.name}': a comparison needs a path; add a [path] table")
        r = self.run
        nonlinear = r.integrator("nonlinear") if nonlinear is None else nonlinear
        methods = dict(nonlinear=nonlinear, perturbation=r.integrator("perturbation"), ami=r.integrator("AMI"))
        return compare(self.model, self.path, self.controller, t_end=self.t_end, modes=modes or r.compare_modes,
                       node=r.node, points=r.linear_points, output=r.points, q0=r.q0 or None, progress=progress,
                       **methods)  # fmt: skip
