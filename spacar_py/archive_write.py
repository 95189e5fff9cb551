"""Writing archives: atomically, by the tables of the layout, with names and units along every dimension."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import h5py
import numpy as np

from .archive_json import encode
from .archive_layout import FORCE, FORMAT, LAYOUT, NESTED, VERSION, labels, units
from .errors import InputError

_TEXT = h5py.string_dtype()


def reason(error) -> str:
    """Why the system refused, in a few words."""
    return getattr(error, "strerror", None) or str(error).split("(")[-1].rstrip(")")


def system_of(obj):
    """The system that an object belongs to, or None."""
    if type(obj).__name__ == "Comparison":
        return next(iter(obj.results.values())).system
    if type(obj).__name__ == "Modes":
        return obj.linear.system
    return getattr(obj, "system", None)


@contextmanager
def writing(path: str | os.PathLike):
    """An HDF5 file that takes its place when everything in it is on the disk, and not before."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = h5py.File(part, "w")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the archive cannot be written ({reason(error)}); check the directory") from None
    try:
        with file:
            yield file
        with open(part, "rb") as f:
            os.fsync(f.fileno())
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{path}: the archive cannot be written ({reason(error)}); check the disk") from None
        raise


def sweep(path: str | os.PathLike) -> None:
    """Remove what killed writers of this archive have left beside it."""
    path = Path(path)
    for part in path.parent.glob(f".{path.name}.*.part"):
        pid = part.name.split(".")[-2]
        if pid.isdigit() and not _alive(int(pid)):
            part.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def head(file, kind: str, data: dict | None, complete: bool) -> None:
    """What every archive says about itself."""
    file.attrs.update(format=FORMAT, format_version=VERSION, kind=kind, complete=int(complete),
                      created=datetime.now(UTC).isoformat(timespec="seconds"))  # fmt: skip
    put_text(file, "versions", json.dumps(versions()))
    if data is not None:
        put_text(file, "model", json.dumps(data))


def versions() -> dict[str, str]:
    """Versions of this program and of what it stands on."""
    import platform
    import re

    from ._version import __version__

    out = dict(spacar_py=__version__, python=platform.python_version())
    try:
        needed = metadata.requires("spacar_py") or []
    except metadata.PackageNotFoundError:
        needed = []
    for text in needed:
        if "extra ==" not in text:
            name = re.match(r"[\w.-]+", text)[0]
            out[name] = metadata.version(name)
    return out


def checks_of(result) -> dict:
    """What can be seen from a result alone: that all is finite, and how well energy and work agree (J).

    `energy_balance` is the largest difference of E - E(0) and the integral of the power, by splines through the output
    points; it grows with the distance of these and is no error of the motion itself. It is left out of what moves over
    a load factor, of linear methods, whose nodes are first order, and of runs without power.
    """
    out = dict(finite=bool(np.isfinite(result.x).all() and np.isfinite(result.y).all()))
    t, powers, info = result.t, getattr(result, "powers", None), result.info
    timed = len(t) > 3 and np.all(np.diff(t) > 0) and info.get("method") not in ("statics", "arc length")
    if out["finite"] and timed and powers is not None and np.isfinite(powers).all() and "linearise" not in info:
        from scipy.interpolate import CubicSpline

        total = np.asarray(result.energies).sum(axis=1)
        work = CubicSpline(t, result.power["balance"]).antiderivative()(t)
        out["energy_balance"] = float(np.abs(total - total[0] - work).max())
        out["energy_range"] = float(np.ptp(total))
    return out


def put_text(group, name, text: str) -> None:
    group.create_dataset(name, data=text, dtype=_TEXT)


class Writer:
    """Puts objects into groups by the tables of the layout; what two objects share is stored once."""

    def __init__(self, file):
        self.file, self.seen = file, {}

    def put(self, name: str, obj) -> None:
        """Write one object to a group."""
        if id(obj) in self.seen:
            self.file[name] = self.file[self.seen[id(obj)]]  # a hard link
            return
        self.seen[id(obj)] = name
        group = self.file.create_group(name)
        kind = type(obj).__name__
        group.attrs["class"] = kind
        layout, system = LAYOUT[kind], system_of(obj)
        scales = Scales(group, labels(obj, system), units(system))
        rest = {}
        for f in fields(obj):
            value = getattr(obj, f.name)
            if f.name == "system" or value is None:
                continue
            if f.name in NESTED and is_dataclass(value):
                self.put(f"{name}/{f.name}", value)
            elif f.name in layout:
                self._array(group, scales, f.name, layout[f.name], np.asarray(value))
            elif f.name == "path":
                rest["path"] = _path(value)
            else:
                rest[f.name] = value
        put_text(group, "info", encode(rest))
        if kind in ("Result", "PathResult"):
            put_text(group, "checks", json.dumps(checks_of(obj)))

    def _array(self, group, scales, field, spec, value) -> None:
        names = spec.split or (("t",) if field == "t" else (field,))
        parts = np.moveaxis(value, spec.axis, 0) if spec.split else [value]
        for order, (name, part) in enumerate(zip(names, parts, strict=True)):
            dims = spec.dims[len(spec.dims) - part.ndim :]
            if name == "t":
                scales.time(part)
                continue
            split = np.iscomplexobj(part)  # two real datasets, which everybody can read
            for suffix, array in (("_real", part.real), ("_imag", part.imag)) if split else (("", part),):
                self.dataset(group, scales, name + suffix, array, dims, spec, order)

    def dataset(self, group, scales, name, array, dims, spec, order=0) -> None:
        """One array with its dimensions, unit and meaning."""
        d = dataset(group, name, array)
        for k, dim in enumerate(dims):
            d.dims[k].label = dim
            d.dims[k].attach_scale(scales.get(dim, array.shape[k]))
        unit = spec.unit
        if not unit and dims and dims[-1] in scales.units:
            unit = f"see {dims[-1]}_unit" + ("", " per s", " per s^2")[order if spec.split in _RATES else 0]
        if not unit and name in ("sigma", "f"):
            unit = f"see {dims[-1]}_force_unit"
        if unit:
            d.attrs["units"] = unit
        if spec.meaning:
            d.attrs["long_name"] = spec.meaning


_RATES = (("y", "yd", "ydd"), ("x", "xd", "xdd"), ("e", "ed", "edd"))


def dataset(group, name: str, array: np.ndarray, most: int = 1 << 18):
    """A chunked and compressed dataset; small ones are left as they are."""
    array = np.ascontiguousarray(array)
    if array.size < 64:
        return group.create_dataset(name, data=array)
    rows = max(1, min(len(array), most // max(1, array[0].nbytes)))
    return group.create_dataset(name, data=array, chunks=(rows, *array.shape[1:]), compression="gzip",
                                compression_opts=2, shuffle=True, fletcher32=True)  # fmt: skip


class Scales:
    """Dimension scales of one group: time, and names with their units."""

    def __init__(self, group, names: dict, unit: dict):
        self.group, self.names, self.units = group, names, unit

    def time(self, t) -> None:
        """The time grid."""
        d = dataset(self.group, "t", t)
        d.attrs.update(units="s", long_name="time, or load factor of a static result")
        d.make_scale("t")

    def get(self, dim: str, size: int):
        """The scale of a dimension, made when it is first needed."""
        if dim in self.group:
            return self.group[dim]
        if dim in self.names and len(self.names[dim]) == size:
            self.group.create_dataset(dim, data=list(self.names[dim]) or np.zeros(0), dtype=_TEXT)
        else:
            self.group.create_dataset(dim, data=np.arange(1, size + 1))
        self.group[dim].make_scale(dim)
        if dim in self.units and size:
            self._more(dim, f"{dim}_unit", self.units[dim])
            if dim in ("coordinate", "deformation"):
                self._more(dim, f"{dim}_force_unit", [FORCE[u] for u in self.units[dim]])
        return self.group[dim]

    def _more(self, dim, name, values) -> None:
        d = self.group.create_dataset(name, data=values, dtype=_TEXT)
        d.dims[0].attach_scale(self.group[dim])


def _path(path):
    from .modelwrite import path_data

    try:
        return path_data(path)
    except InputError:
        return None  # a Python function
