"""Writing SPACAR's input: `DatModel` to .dat text, with every digit."""

from __future__ import annotations

import os
from collections.abc import Iterable

from spacar_py.errors import InputError
from spacar_py.spacarfiles.dat import parse_dat
from spacar_py.spacarfiles.datmodel import DatModel, Setting
from spacar_py.spacarfiles.files import write_bytes
from spacar_py.spacarfiles.keywords import SECTIONS


def write_dat(path: str | os.PathLike[str], model: DatModel) -> None:
    """Write a model as a .dat file, in one piece.

    Parameters
    ----------
    path : path of the file, with its extension
    model : DatModel

    Raises
    ------
    InputError
        If the model would not be read back as it is, or the file cannot be written.
    """
    try:
        content = dat_text(model).encode("utf-8")
    except UnicodeEncodeError as exc:
        raise InputError(f"{os.fspath(path)}: the VISUALIZATION block cannot be written ({exc.reason})") from None
    write_bytes(path, content)


def dat_text(model: DatModel) -> str:
    """The .dat text of a model; `parse_dat` gives the same model back.

    Numbers are written with the fewest digits that determine them (``repr``). The order within a section is fixed:
    coordinates, elements, classes; properties, inputs, settings; signals, trajectory.

    Raises
    ------
    InputError
        If the model breaks a rule of the reader, so that its text would not be the model.
    """
    text = "\n".join(_lines(model)) + "\n"
    if parse_dat(text, model.path) != model:
        raise InputError(f"{model.path}: the model cannot be written as a .dat: read back it would differ; "
                         "check numbers and the lines of the VISUALIZATION block")
    return text


def _lines(model: DatModel) -> Iterable[str]:
    for x in model.coordinates:
        yield _line("X", [x.node], x.values)
    for e in model.elements:
        yield _line(e.kind, [e.number, *e.nodes], e.vector or ())
    for s in model.status:
        yield _line(s.keyword, [s.number, *s.components])
    yield from (_setting(s) for s in model.settings if s.keyword in SECTIONS["kinematics"])
    yield "END HALT"
    for p in model.properties:
        yield _line(p.keyword, [p.number], p.values)
    for i in model.inputs:
        yield _line(i.keyword, [i.number, i.component], i.values)
    yield from (_setting(s) for s in model.settings if s.keyword not in SECTIONS["kinematics"])
    if model.signals or model.trajectory:
        yield "END HALT"
        for s in model.signals:
            yield _line(s.keyword, [s.index, s.number, s.component])
        yield from (_setting(t) for t in model.trajectory)
    yield "END END"
    if model.visualization is not None:
        yield "VISUALIZATION"
        yield from model.visualization


def _line(keyword: str, whole: Iterable[int], values: Iterable[float] = ()) -> str:
    return " ".join([keyword, *(str(int(n)) for n in whole), *(repr(float(v)) for v in values)])


def _setting(setting: Setting) -> str:
    """Counts without a decimal point: a Fortran program reads them as integers."""
    numbers = (int(v) if float(v).is_integer() and abs(v) < 1e9 and not _is_real(setting.keyword, i) else float(v)
               for i, v in enumerate(setting.values))
    return " ".join([setting.keyword, *map(repr, numbers)])


def _is_real(keyword: str, position: int) -> bool:
    return keyword in ("GRAVITY", "DELGRAV", "ERROR") or (keyword, position) in (("TIMESTEP", 0), ("ITERSTEP", 2))
