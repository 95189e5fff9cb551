"""What a study is: a case, parameters and how they are sampled, methods and outputs."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass

import numpy as np

from .. import checks
from ..errors import InputError
from .outputs import check_output

DESIGNS = ("grid", "list", "random", "latin")
MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Parameter:
    """Values that a parameter takes: a list, a range, or a normal distribution.

    Parameters
    ----------
    values : sequence, optional
        The values themselves; numbers or anything else that the case takes.
    low, high : float, optional
        Ends of a range.
    count : int
        Values of a range in a grid.
    scale : {"linear", "log"}
        How a range is divided, or sampled.
    mean, deviation : float, optional
        Normal distribution, for random designs.

    Examples
    --------
    >>> Parameter(low=1.0, high=100.0, count=3, scale="log").grid()
    [1.0, 10.0, 100.0]
    """

    values: tuple | None = None
    low: float | None = None
    high: float | None = None
    count: int = 5
    scale: str = "linear"
    mean: float | None = None
    deviation: float | None = None

    def __post_init__(self):
        kinds = (self.values is not None, self.low is not None or self.high is not None, self.mean is not None)
        if sum(kinds) != 1:
            raise InputError("parameter: give either values, or low and high, or mean and deviation")
        checks.count("parameter", "count", self.count)
        if kinds[0]:
            if isinstance(self.values, str) or not np.iterable(self.values) or not len(tuple(self.values)):
                raise InputError(f"parameter: values must be a list that is not empty, got {self.values!r}")
            object.__setattr__(self, "values", tuple(_plain(v) for v in self.values))
        elif kinds[1]:
            low, high = checks.number("parameter", "low", self.low), checks.number("parameter", "high", self.high)
            if not low < high:
                raise InputError(f"parameter: low must be below high, got {low:g} and {high:g}")
            if self.scale not in ("linear", "log"):
                raise InputError(f"parameter: scale must be linear or log, got {self.scale!r}")
            if self.scale == "log" and low <= 0:
                raise InputError(f"parameter: a log scale needs low above zero, got {low:g}")
        else:
            checks.number("parameter", "mean", self.mean)
            checks.number("parameter", "deviation", self.deviation, positive=True)

    @classmethod
    def of(cls, name: str, given) -> Parameter:
        """From a Parameter, a list of values, a pair (low, high) as a tuple, or a mapping of the fields."""
        try:
            if isinstance(given, Parameter):
                return given
            if isinstance(given, Mapping):
                for key in given:
                    checks.known("parameter", "field", key, cls.__dataclass_fields__)
                return cls(**given)
            if isinstance(given, tuple) and len(given) == 2:
                return cls(low=given[0], high=given[1])
            if isinstance(given, (list, tuple, range, np.ndarray)):
                return cls(values=tuple(given))
        except InputError as error:
            raise InputError(f"parameter '{name}': {str(error).removeprefix('parameter: ')}") from None
        return cls(values=(given,))

    def grid(self) -> list:
        """The values that a grid runs through."""
        if self.values is not None:
            return list(self.values)
        if self.low is None:
            raise InputError("parameter: a normal distribution has no grid; use design='random' or 'latin'")
        even = np.linspace(self.low, self.high, self.count)
        if self.scale == "log":
            even = np.geomspace(self.low, self.high, self.count)
        return even.tolist()

    def at(self, u: float):
        """The value below which the part u of all values lies (0 <= u < 1)."""
        if self.values is not None:
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        if self.mean is not None:
            from scipy.special import ndtri

            return self.mean + self.deviation * float(ndtri(np.clip(u, 1e-12, 1 - 1e-12)))
        if self.scale == "log":
            return float(self.low * (self.high / self.low) ** u)
        return float(self.low + (self.high - self.low) * u)


@dataclass(eq=False)
class Study:
    """One case at many parameter points, by one or more methods.

    Parameters
    ----------
    case : function or str
        `case(**point)` returns a mapping of the arguments of `simulate` (model, path, controller, t_end, ...), or an
        object with these as attributes. As text: "module:function", "file.py:function", the name of a built-in case or
        a model file; parameters of the last two are dotted keys into the model's data, such as "masses.tip.m".
    parameters : mapping
        Name to Parameter, to a list of values, or to a tuple (low, high).
    methods : mapping
        Name to method, such as AMI(modes=4); by default the nonlinear one.
    outputs : mapping
        Name to an output such as "peak tip.deviation" (see `spacar_py.batch.outputs`), or to a function of the Result.
    design : {"grid", "list", "random", "latin"}
        All combinations; the lists side by side; independent samples; a Latin hypercube.
    runs, seed : int
        Number of points of a random design, and the seed of its generator.
    also : list of mappings
        Further points; parameters that are not named there keep the case's own defaults.

    Examples
    --------
    >>> study = Study("spacar_py.cases.manipulator_study:case", {"payload": [20, 30], "bandwidth": [15.0, 20.0, 25.0]})
    >>> len(study), study.points()[1]
    (6, {'payload': 20, 'bandwidth': 20.0})
    """

    case: Callable | str
    parameters: Mapping
    methods: Mapping = field(default_factory=dict)
    outputs: Mapping = field(default_factory=lambda: {"peak_deviation": "peak deviation"})
    design: str = "grid"
    runs: int = 100
    seed: int = 0
    also: tuple = ()
    name: str = "study"

    def __post_init__(self):
        if not callable(self.case) and not (isinstance(self.case, str) and self.case):
            raise InputError(f"study: case must be a function or 'module:function', got {self.case!r}")
        if not self.parameters and not self.also:
            raise InputError("study: needs at least one parameter")
        self.parameters = {str(k): Parameter.of(k, v) for k, v in self.parameters.items()}
        if self.design not in DESIGNS:
            checks.known("study", "design", self.design, DESIGNS)
        checks.count("study", "seed", self.seed, 0)
        if not isinstance(self.name, str):
            raise InputError(f"study: name must be a text, got {self.name!r}")
        self._check_size()
        self.methods = dict(self.methods) or {"nonlinear": None}
        for name in [*self.methods, *self.outputs, *self.parameters]:
            if not isinstance(name, str) or not name or "/" in name:
                raise InputError(f"study: a name must be a text without a slash, got {name!r}")
        for name, method in self.methods.items():
            if method is not None and not (hasattr(method, "run") or hasattr(method, "prepare")):
                raise InputError(f"study: method '{name}' must be RungeKutta, Perturbation, AMI, ..., got {method!r}")
        for name, output in self.outputs.items():
            check_output(name, output)
        if not isinstance(self.also, (list, tuple)) or not all(isinstance(p, Mapping) for p in self.also):
            raise InputError(f"study: also must be a list of tables such as {{ mass = 2.0 }}, got {self.also!r}")
        self.also = tuple(dict(p) for p in self.also)
        self._points = self._sample() + [dict(p) for p in self.also]

    def _check_size(self) -> None:
        if self.design in ("random", "latin"):
            size = checks.count("study", "runs", self.runs)
        else:
            sizes = [len(p.values or ()) or p.count for p in self.parameters.values()]
            size = math.prod(sizes) if self.design == "grid" else max(sizes, default=0)
        if size > MOST_POINTS:
            raise InputError(f"study: a design has at most {MOST_POINTS} points; take fewer, or design = 'latin'")

    def points(self) -> list[dict]:
        """All parameter points in the order in which they are numbered."""
        return [dict(p) for p in self._points]

    def __len__(self) -> int:
        return len(self._points)

    def _sample(self) -> list[dict]:
        names, ps = list(self.parameters), list(self.parameters.values())
        if not names:
            return []
        if self.design == "grid":
            return [dict(zip(names, v, strict=True)) for v in itertools.product(*(p.grid() for p in ps))]
        if self.design == "list":
            columns = [p.grid() for p in ps]
            if len({len(c) for c in columns}) > 1:
                sizes = ", ".join(f"{n} {len(c)}" for n, c in zip(names, columns, strict=True))
                raise InputError(f"study: the lists of a design 'list' must be equally long, got {sizes}")
            return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        if self.design == "latin":
            from scipy.stats.qmc import LatinHypercube

            u = LatinHypercube(len(names), rng=np.random.default_rng(self.seed)).random(self.runs)
        else:
            u = np.random.default_rng(self.seed).random((self.runs, len(names)))
        return [{n: p.at(float(x)) for n, p, x in zip(names, ps, row, strict=True)} for row in u]

    def definition(self) -> dict:
        """All that fixes the results, as plain data."""
        return dict(
            case=_label(self.case), points=self.points(),
            methods={k: describe_method(m) for k, m in self.methods.items()},
            outputs={k: _label(v) for k, v in self.outputs.items()},
        )  # fmt: skip

    def digest(self) -> str:
        """Name of the definition: a batch resumes only what it has begun itself."""
        text = json.dumps(self.definition(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def describe_method(method) -> dict:
    """A method as plain data."""
    if method is None:
        return {"kind": "RungeKutta"}
    fields = asdict(method) if is_dataclass(method) else {}
    return {"kind": type(method).__name__, **{k: _plain(v) for k, v in fields.items()}}


def _label(thing) -> str:
    return thing if isinstance(thing, str) else f"{thing.__module__}:{thing.__qualname__}"


def _plain(v):
    if isinstance(v, np.generic):
        return v.item()
    return v.tolist() if isinstance(v, np.ndarray) else v
