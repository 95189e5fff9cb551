"""The results of a study: a table, values over the runs, histories, failures."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import checks
from ..errors import InputError, missing_extra


@dataclass(eq=False)
class StudyResult:
    """All runs of a study.

    Attributes
    ----------
    points : list of dict
        Parameters of each run.
    rows : dict
        Number of a run to its rows, one for each method.
    definition : dict
        Case, methods and outputs as plain data.
    info : dict
        Workers, seconds, runs repeated from the archive.
    """

    points: list
    rows: dict
    definition: dict
    info: dict

    @property
    def methods(self) -> list[str]:
        return list(self.definition["methods"])

    @property
    def parameters(self) -> list[str]:
        return list(dict.fromkeys(k for p in self.points for k in p))

    @property
    def outputs(self) -> list[str]:
        """Names of the columns of results."""
        return list(dict.fromkeys(k for r in self._all() for k in r["values"]))

    @property
    def complete(self) -> bool:
        return len(self.rows) == len(self.points)

    @property
    def failures(self) -> list[dict]:
        """Run, method, parameters and message of everything that failed."""
        return [
            dict(run=i, method=r["method"], message=r["message"], **self.points[i])
            for i, rows in sorted(self.rows.items()) for r in rows if r["status"] != "ok"
        ]  # fmt: skip

    def _all(self):
        return (r for _, rows in sorted(self.rows.items()) for r in rows)

    def _row(self, run, method):
        return next((r for r in self.rows.get(run, ()) if r["method"] == method), None)

    def _method(self, method):
        if method is None:
            return self.methods[0]
        checks.known("study", "method", method, self.methods)
        return method

    def values(self, output: str, method: str | None = None) -> np.ndarray:
        """One output (n,) over the runs, NaN where a run failed or is missing; of the first method by default."""
        checks.known("study", "output", output, self.outputs)
        rows = [self._row(i, self._method(method)) for i in range(len(self.points))]
        return np.array([np.nan if r is None else r["values"].get(output, np.nan) for r in rows], float)

    def parameter(self, name: str) -> np.ndarray:
        """One parameter over the runs."""
        checks.known("study", "parameter", name, self.parameters)
        return np.array([p.get(name, np.nan) for p in self.points])

    def history(self, run: int, output: str, method: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of an output that is kept as a history."""
        row = self._row(run, self._method(method))
        if row is None or row["status"] != "ok":
            raise InputError(f"study: run {run} has no result" + (f": {row['message']}" if row else ""))
        checks.known("study", "history", output, [k for k in row["histories"] if k != "t"])
        return row["histories"]["t"], row["histories"][output]

    def table(self, timing: bool = False) -> list[dict]:
        """One row for each run and method; with `timing` the seconds as well, which no two batches share."""
        out = []
        for i, rows in sorted(self.rows.items()):
            for r in rows:
                row = {"run": i, **{p: self.points[i].get(p) for p in self.parameters}}
                row |= {"method": r["method"], "status": r["status"], **{k: r["values"].get(k) for k in self.outputs}}
                row["message"] = r["message"]
                out.append({**row, "seconds": r["seconds"]} if timing else row)
        return out

    def to_csv(self, path: str | os.PathLike, timing: bool = False) -> None:
        """The table as a CSV file."""
        from .archive import replace_file

        table = self.table(timing)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(table[0]) if table else ["run"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        replace_file(Path(path), text.getvalue().encode())

    def to_dataframe(self, timing: bool = True):
        """The table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise missing_extra("pandas", "batch", "a DataFrame") from None
        return pandas.DataFrame(self.table(timing))

    def plot(self, output: str | None = None, path: str | os.PathLike | None = None):
        """Picture of an output over every parameter; see `spacar_py.plotting.plot_study`."""
        from ..plotting import plot_study

        return plot_study(self, output, path=path)

    def __str__(self) -> str:
        bad = self.failures
        lines = [f"study of '{self.definition['case']}': {len(self.rows)} of {len(self.points)} runs done"
                 + (f", {len({b['run'] for b in bad})} with failures" if bad else "")]  # fmt: skip
        for m in self.methods:
            for k in self.outputs:
                v = self.values(k, m)
                if np.isfinite(v).any():
                    lines.append(f"  {m:<14} {k:<24} {np.nanmin(v):>12.6g} to {np.nanmax(v):.6g}")
        lines += [f"  run {b['run']} ({b['method']}) failed: {b['message']}" for b in bad[:10]]
        return "\n".join(lines + ([f"  ... and {len(bad) - 10} more failures"] if len(bad) > 10 else []))


def load_study(path: str | os.PathLike) -> StudyResult:
    """The study in an archive, with the runs that a batch has finished since it was last written."""
    from .archive import parts_folder, read_archive, read_parts

    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such study archive")
    head, rows = read_archive(path)
    rows.update(read_parts(parts_folder(path), head["digest"]))
    definition = json.loads(head["definition"])
    info = {k: v for k, v in head.items() if k not in ("definition", "format")}
    return StudyResult(definition["points"], rows, definition, info)
