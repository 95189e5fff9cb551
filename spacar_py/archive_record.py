"""Records in archives: one dataset for each series, with its unit and its abscissa attached."""

from __future__ import annotations

import re

import numpy as np

from .archive_json import decode, encode
from .archive_write import dataset, put_text
from .record import Record

_WORDS = ("kind", "title", "x_name", "x_unit", "pictures", "rows", "info", "text", "units", "drawings")


def write_record(file, record: Record) -> None:
    """A record into the group `result` of an open archive."""
    group = file.create_group("result")
    group.attrs["class"] = "Record"
    words = {k: getattr(record, k) for k in _WORDS}
    x = dataset(group, _abscissa(record), record.x)
    x.attrs.update(units=record.x_unit, long_name=record.x_name)
    x.make_scale(_abscissa(record))
    used, names = {_abscissa(record), "info", "mechanism"}, {}
    for name, values in record.series.items():
        key = _key(name, used)
        names[name] = key
        d = dataset(group, key, values)
        d.dims[0].label = _abscissa(record)
        d.dims[0].attach_scale(x)
        d.attrs.update(units=record.units.get(name, ""), long_name=name)
    put_text(group, "info", encode({**words, "names": names}))
    if len(record.t):
        scene = group.create_group("mechanism")
        dataset(scene, "t", record.t).attrs["units"] = "s"
        for name, values in record.lines.items():
            d = dataset(scene, name, np.asarray(values, float))
            d.attrs.update(units="m", long_name=f"{name}: time, line, point, coordinate")


def read_record(group) -> Record:
    """The record of a group, equal to the one written."""
    words = decode(group["info"][()])
    names = words.pop("names")
    t, lines = np.zeros(0), {}
    if "mechanism" in group:
        scene = group["mechanism"]
        t, lines = scene["t"][()], {k: d[()] for k, d in scene.items() if k != "t"}
    bare = Record(x=np.zeros(0), **words)
    series = {name: group[key][()] for name, key in names.items()}
    return Record(**words, x=group[_abscissa(bare)][()], series=series, t=t, lines=lines)


def _abscissa(record: Record) -> str:
    return "t" if record.x_name == "time" else re.sub(r"\W+", "_", record.x_name)


def _key(name: str, used: set) -> str:
    """A name that HDF5, xarray and MATLAB all take."""
    key = name.replace("/", "_")
    while key in used:
        key += "_"
    used.add(key)
    return key
