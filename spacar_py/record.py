"""What any method leaves behind, as named series: the form in which archive, pictures, report and export take it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

import numpy as np

from .errors import InputError, nearest


@dataclass(eq=False)
class Record:
    """Named series over one abscissa, with units, a table and, where there is one, the mechanism in motion.

    The sibling methods (co-rotational runs, braking curves, kineto-statics) have results of their own shape; each gives
    a Record with `record()`, and `save` stores it.

    Attributes
    ----------
    kind : str
        Such as "kineto-statics".
    x : (N,) array
        Abscissa, `x_name` and `x_unit` say of what.
    series : dict
        Name to (N,) array; `units` has the unit of each.
    pictures : dict
        Title to the names of the series that are drawn together.
    rows : list of dict
        A table, one dictionary for each row.
    info : dict
        Method, settings, effort: plain data.
    t : (F,) array
        Times of the mechanism's pictures, empty where there is none.
    lines : dict
        "beam", "rigid", "bar" or "guide" to (F, lines, points, 3) arrays: the mechanism at these times.
    drawings : dict
        Title to a drawing as SVG text, such as a bond graph.

    Examples
    --------
    >>> r = Record("curve", "a parabola", [0, 1, 2], "way", "m", {"y": [0, 1, 4]}, {"y": "m"})
    >>> r["y"].tolist(), r.span("y")
    ([0.0, 1.0, 4.0], (0.0, 4.0))
    """

    kind: str
    title: str
    x: np.ndarray
    x_name: str = "time"
    x_unit: str = "s"
    series: dict = field(default_factory=dict)
    units: dict = field(default_factory=dict)
    pictures: dict = field(default_factory=dict)
    rows: list = field(default_factory=list)
    info: dict = field(default_factory=dict)
    text: str = ""
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    lines: dict = field(default_factory=dict)
    drawings: dict = field(default_factory=dict)

    def __post_init__(self):
        self.x, self.t = np.asarray(self.x, float), np.asarray(self.t, float)
        self.series = {k: np.asarray(v, float) for k, v in self.series.items()}
        for name, v in self.series.items():
            if v.shape != self.x.shape:
                raise InputError(f"record: series '{name}' must have {self.x.shape[0]} values, got {v.shape}")

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.series:
            known = ", ".join(list(self.series)[:12])
            raise InputError(f"{self.kind}: there is no series '{name}'{nearest(name, self.series)}; known: {known}")
        return self.series[name]

    def span(self, name: str) -> tuple[float, float]:
        """Least and largest value of a series."""
        v = self[name]
        return float(np.min(v)), float(np.max(v))

    def unit(self, title: str) -> str:
        """Unit or units of one of the pictures."""
        return ", ".join(u for u in dict.fromkeys(self.units.get(n, "") for n in self.pictures[title]) if u)

    def is_log(self, title: str) -> bool:
        """Whether a picture is drawn on a logarithmic axis."""
        return title in self.info.get("log", ())

    def curves(self, title: str) -> list[tuple[str, np.ndarray]]:
        """Labels and values that one of the pictures shows.

        Labels leave out what all of them begin with where the title says it. On a logarithmic axis what is zero to
        rounding stops nine decades below the largest value, else it would pull the axis down by hundreds.
        """
        names = self.pictures[title]
        common = re.match(r"(.*[._])?", os.path.commonprefix(names))[0] if len(names) > 1 else ""
        common = common if common.partition(".")[0] in title else ""
        out = []
        for name in names:
            v = self[name]
            if self.is_log(title):
                v = np.maximum(v, max(1e-17, 1e-9 * v.max(initial=0.0)))
            out.append((name[len(common) :], v))
        return out

    def record(self) -> Record:
        """Itself, so that a record is taken wherever results are."""
        return self

    def save(self, path) -> None:
        """Write an archive (.h5)."""
        from .archive import save

        save(self, path)

    def __str__(self) -> str:
        span = f"{self.x[0]:g} to {self.x[-1]:g} {self.x_unit}" if len(self.x) else "nothing"
        lines = [f"{self.kind}: {self.title}", f"  {self.x_name:<12}{span}, {len(self.x)} points"]
        return "\n".join(lines + ([table(self.rows)] if self.rows else []))


def table(rows: list[dict]) -> str:
    """Rows as text, columns under their names."""
    heads = list(dict.fromkeys(k for r in rows for k in r))
    cells = [[_cell(r.get(h)) for h in heads] for r in rows]
    wide = [max(len(h), *(len(c[k]) for c in cells)) for k, h in enumerate(heads)]
    left = [any(isinstance(r.get(h), str) for r in rows) for h in heads]

    def line(words):
        pairs = zip(words, wide, left, strict=True)
        return "  ".join(w.ljust(n) if text else w.rjust(n) for w, n, text in pairs).rstrip()

    return "\n".join([line(heads), *(line(c) for c in cells)])


def _cell(value) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def mechanism(result, frames: int = 150) -> tuple[np.ndarray, dict]:
    """Times and lines of a Result of the core, evenly over its time."""
    from .drawing import shape_of

    wanted = np.linspace(result.t[0], result.t[-1], min(frames, len(result.t)))
    at = np.unique(np.clip(np.searchsorted(result.t, wanted - 1e-12), 0, len(result.t) - 1))
    return result.t[at], shape_of(result.system, result.x[at]).lines
