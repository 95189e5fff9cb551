"""HDF5 archives: one layout for every result, readable by xarray and MATLAB, never half written.

    save(result, "run.h5")        result = load("run.h5")        print(summary("run.h5"))

An archive is written beside its place, brought to the disk, and moved there in one step: whoever opens it finds the old
one or the new one, whole, however the writer ended.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import h5py
import numpy as np

from .archive_json import decode, encode
from .archive_layout import FORMAT, LAYOUT, NESTED, VERSION
from .archive_write import Writer, head, put_text, reason, system_of, writing
from .case import Case
from .errors import InputError, SpacarError
from .modelfile import case_from_data, case_to_data, model_to_data

HOMES = {
    "Result": "results", "PathResult": "ami.runs", "Nominal": "ami.nominal", "LinearModel": "linearize.linear",
    "Modes": "linearize.eigenmodes", "StateSpaceModel": "linearize.statespace",
}  # fmt: skip


def save(obj, path: str | os.PathLike, *, case: Case | None = None, series: dict | None = None) -> None:
    """Write a result to an archive, in one piece.

    Parameters
    ----------
    obj : Result, PathResult, Comparison, LinearModel, Modes, StateSpaceModel, Record or anything with `record()`
    case : Case, optional
        Stored with it: model, path, controller and settings; by default the model of the result alone.
    series : dict, optional
        Further histories by name, each an array or a pair (array, unit).
    """
    obj = obj.record() if hasattr(obj, "record") else obj  # results of the sibling methods
    kind = type(obj).__name__
    if kind == "Record":
        from .archive_record import write_record

        with writing(path) as file:
            head(file, kind, None if case is None else case_to_data(case, lost=True), complete=True)
            write_record(file, obj)
        return
    if kind not in HOMES and kind != "Comparison":
        raise InputError(f"archive: cannot hold a {kind}; known: {', '.join([*HOMES, 'Comparison'])}")
    system = system_of(obj)
    if case is not None:
        data = case_to_data(case, lost=True)
    else:
        data = model_to_data(system.model, lost=True) if system is not None else None
    with writing(path) as file:
        head(file, kind, data, complete=True)
        writer = Writer(file)
        if kind == "Comparison":
            file.attrs["node"] = obj.node
            put_text(file, "rows", encode(obj.rows))
            file.attrs["order"] = json.dumps(list(obj.results))
            for name, result in obj.results.items():
                writer.put(f"results/{name}", result)
        else:
            writer.put("result", obj)
        for name, value in (series or {}).items():
            values, unit = value if isinstance(value, tuple) else (value, "")
            d = file.create_dataset(f"series/{name}", data=np.asarray(values))
            d.attrs["units"] = unit


@contextmanager
def reading(path: str | os.PathLike):
    """An archive opened for reading, after it was recognised."""
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file; check the path")
    try:
        file = h5py.File(path, "r")
    except (OSError, ValueError) as error:
        why = reason(error)
        raise InputError(f"{path}: is not an HDF5 file ({why}); give an archive that spacar_py has written") from None
    try:
        with file:
            _recognise(file, path)
            yield file
    except SpacarError as error:
        raise error if str(path) in str(error) else InputError(f"{path}: {error}") from None
    except Exception as error:  # a damaged file can raise anything
        raise InputError(f"{path}: the archive is damaged ({reason(error)}); run again, or take a copy") from None


def _recognise(file, path) -> None:
    if file.attrs.get("format") != FORMAT:
        raise InputError(f"{path}: is not an archive of spacar_py; give a file that it has written")
    version = int(file.attrs.get("format_version", 0))
    if version != VERSION:
        known = f"this program reads version {VERSION}"
        remedy = "update spacar_py" if version > VERSION else "read it with the spacar_py that wrote it"
        raise InputError(f"{path}: has archive version {version}; {known}; {remedy} ({_wrote(file)})")


def _wrote(file) -> str:
    try:
        return f"written by spacar_py {json.loads(file['versions'][()])['spacar_py']}"
    except (KeyError, ValueError):
        return "written by an unknown version"


def load(path: str | os.PathLike):
    """What `save` was given, equal to it; of a run that was stopped, the result up to its last point saved."""
    with reading(path) as file:
        kind = file.attrs["kind"]
        if not file.attrs["complete"]:
            from .checkpoint import partial_result

            return partial_result(file, str(path))
        if kind == "Record":
            from .archive_record import read_record

            return read_record(file["result"])
        reader = Reader(file, str(path))
        if kind != "Comparison":
            return reader.get("result")
        from .ami.compare import Comparison

        results = {n: reader.get(f"results/{n}") for n in names_of(file)}
        return Comparison(results, file.attrs["node"], decode(file["rows"][()]))


def names_of(file) -> list[str]:
    """Names of the results in a comparison, in their order."""
    return json.loads(file.attrs["order"])


def load_case(path: str | os.PathLike) -> Case:
    """Model, path, controller and settings that an archive was made with."""
    with reading(path) as file:
        return case_of(file, str(path))


def case_of(file, where: str) -> Case:
    """The case in an open archive."""
    if "model" not in file:
        raise InputError(f"{where}: holds no model")
    return case_from_data(json.loads(file["model"][()]), f"{where}: model", check=False)


class Reader:
    """Makes objects out of groups; what was shared is shared again."""

    def __init__(self, file, where: str):
        self.file, self.where, self.seen = file, where, {}
        self._system = None

    @property
    def system(self):
        """The system of the stored model, compiled once."""
        if self._system is None:
            self._system = case_of(self.file, self.where).model.compile()
        return self._system

    def get(self, name: str):
        """The object in a group."""
        group = self.file[name]
        key = h5py.h5o.get_info(group.id).addr
        if key in self.seen:
            return self.seen[key]
        kind = group.attrs["class"]
        cls = getattr(import_module(f".{HOMES[kind]}", __package__), kind)
        values = decode(group["info"][()])
        for field, spec in LAYOUT[kind].items():
            value = self._array(group, field, spec)
            if value is not None:
                values[field] = value
        for f in fields(cls):
            if f.name == "system":
                values["system"] = self.system
            elif f.name in NESTED and f.name in group:
                values[f.name] = self.get(f"{name}/{f.name}")
        if values.get("path") is not None:
            from .modelbuild import build_path

            values["path"] = build_path(values["path"])
        self.seen[key] = out = cls(**values)
        return out

    def _array(self, group, field, spec):
        names = spec.split or (field,)
        parts = []
        for name in names:
            if name in group:
                parts.append(group[name][()])
            elif f"{name}_real" in group:
                parts.append(group[f"{name}_real"][()] + 1j * group[f"{name}_imag"][()])
            else:
                return None
        return np.stack(parts, axis=spec.axis) if spec.split else parts[0]


def summary(path: str | os.PathLike) -> dict:
    """What is in an archive, without building its model."""
    with reading(path) as file:
        model = json.loads(file["model"][()]) if "model" in file else {}
        out = dict(file=str(path), kind=file.attrs["kind"], complete=bool(file.attrs["complete"]),
                   created=file.attrs["created"], version=VERSION, model=model.get("name"),
                   versions=json.loads(file["versions"][()]))  # fmt: skip
        out |= {k: model[k] for k in ("path", "controller", "run") if k in model}
        names = names_of(file) if "results" in file else []
        out["results"] = {n: _contents(file[f"results/{n}"]) for n in names} or {"result": _contents(file["result"])}
        if "series" in file:
            out["series"] = {n: list(d.shape) for n, d in file["series"].items()}
        return out


def _contents(group) -> dict:
    arrays = {n: list(d.shape) for n, d in group.items() if isinstance(d, h5py.Dataset) and d.dtype.kind == "f"}
    info = decode(group["info"][()]).get("info") if "info" in group else None
    out = dict(kind=group.attrs.get("class", "states"), arrays=arrays)
    if "t" in group and len(group["t"]):
        out["t"] = [float(group["t"][0]), float(group["t"][-1])]
    if "checks" in group:
        out["checks"] = json.loads(group["checks"][()])
    if info:
        out["info"] = {k: v for k, v in info.items() if isinstance(v, (bool, int, float, str))}
    return out
