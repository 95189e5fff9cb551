"""SPACAR's result files: .sbd (motion), .sbm (linearised matrices), .ltv (linear time-varying state space).

    sbd = read_sbd("arm.sbd")
    sbd["X"]          # nodal coordinates, shape (nsteps, nx)
    sbd["LNP"]        # where the coordinates of each node are, shape (nodes, 4), numbered from 1

Which variables stand in which file, and in which order, is the table `LAYOUTS` below (design notes, formulation,
section 8, read from genuine files). Names may be written in small letters and as the MATLAB tools of SPACAR write
them (``time``, ``nddof``, ``fxtot``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spacar_py.errors import InputError, nearest
from spacar_py.spacarfiles.records import Records, read_records, write_records


class Layout(NamedTuple):
    """The variables of a kind of file in their order; those in brackets in section 8 are optional."""

    header: tuple[str, ...]
    steps: tuple[str, ...]
    optional: frozenset[str] = frozenset()


LAYOUTS = {
    "sbd": Layout(
        tuple("NX NE NDOF NDDO NKDO NKDD NXP NEP LNP LE LN IT KDEF MODE "
              "RL0 RXYZ RQ DR0 EINI STIF DAMP EM ESIG".split()),
        tuple("T X XD XDD E ED EDD FX FXT FXG SIG DX DE".split()),
        frozenset({"DX", "DE"})),
    # section 8 names no header for .sbm; the help text of SPACAR's loadsbm lists these sizes
    "sbm": Layout(
        tuple("NDOF NDDO NKDO NKDD NNOM".split()),
        tuple("T M0 C0 D0 K0 N0 G0".split()),
        frozenset("NDOF NDDO NKDO NKDD NNOM".split())),
    "ltv": Layout(
        tuple("NX NU NY NNOM NRBM NYS DFT X0".split()),
        tuple("T A B C D G M0 C0B K0B U0 Y0 SIG0".split()),
        frozenset({"D", "G", "SIG0"})),
}

_INTEGERS = frozenset("NX NE NDOF NDDO NKDO NKDD NXP NEP LNP LE LN IT KDEF MODE NU NY NNOM NRBM NYS".split())
# one row or one column does not make these a vector: a model may have one node, one element, one degree of freedom
_TABLES = frozenset("LNP LE LN RXYZ RQ DR0 EINI STIF DAMP EM ESIG DX DE DXC DEC D2X D2E BIGD DFT "
                    "A B C D G M0 C0 D0 K0 N0 G0 C0B K0B B0 AK0 BK0".split())
_SCALARS = frozenset("T NX NE NDOF NDDO NKDO NKDD MODE NU NY NNOM NRBM NYS".split())
_ALIASES = {"TIME": "T", "FXTOT": "FXT", "FXGRAV": "FXG"}


@dataclass
class SpacarFile:
    """The variables of a binary file by name.

    Attributes
    ----------
    path : str
    kind : str
        "sbd", "sbm" or "ltv".
    header : dict of str to ndarray
        What does not change: numbers (shape ()), vectors (n,), tables (rows, columns).
    steps : dict of str to ndarray
        What is there for every step, with the steps in front: (nsteps,), (nsteps, n), (nsteps, rows, columns).
    nsteps : int
    shapes : dict of str to (int, int)
        Rows and columns as they stand in the file.
    """

    path: str
    kind: str
    header: dict[str, np.ndarray]
    steps: dict[str, np.ndarray]
    nsteps: int
    shapes: dict[str, tuple[int, int]] = field(default_factory=dict)

    def _find(self, name: str) -> str | None:
        wanted = str(name).upper()
        for candidate in (wanted, _ALIASES.get(wanted, wanted), wanted[:4]):
            if candidate in self.steps or candidate in self.header:
                return candidate
        return None

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._find(name)
        if found is None:
            raise InputError(f"{self.path}: no variable {str(name)!r}{nearest(str(name).upper(), list(self))}; "
                             f"it has {', '.join(self)}")
        return self.steps[found] if found in self.steps else self.header[found]

    def __contains__(self, name: object) -> bool:
        return self._find(str(name)) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self.header
        yield from (name for name in self.steps if name not in self.header)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def keys(self) -> list[str]:
        """Names of all variables, in the order of the file."""
        return list(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file again, with the order and the shapes it was read with."""
        header, steps = ({name: _boxed(os.fspath(path), name, _typed(os.fspath(path), name, items), lead, self.shapes)
                          for name, items in group.items()} for group, lead in ((self.header, 0), (self.steps, 1)))
        write_records(path, Records(header, steps, self.nsteps))

    def __repr__(self) -> str:
        return f"<SpacarFile {self.path}: {self.nsteps} steps; {' '.join(self.header)}; {' '.join(self.steps)}>"


def _natural(name: str, items: np.ndarray) -> np.ndarray:
    """Drop the axes that carry no meaning from (..., rows, columns)."""
    rows, cols = items.shape[-2:]
    if name in _TABLES or (rows != 1 and cols != 1):
        return items
    lead = items.shape[:-2]
    return items.reshape(lead if name in _SCALARS and rows == cols == 1 else (*lead, rows * cols))


def _read(path: str | os.PathLike[str], kind: str) -> SpacarFile:
    records = read_records(path)
    shapes = {name: items.shape[-2:] for group in (records.header, records.steps) for name, items in group.items()}
    return SpacarFile(os.fspath(path), kind,
                      {name: _natural(name, items) for name, items in records.header.items()},
                      {name: _natural(name, items) for name, items in records.steps.items()},
                      records.nsteps, shapes)


def _typed(where: str, name: str, value: Any) -> np.ndarray:
    """An array of a type the file knows. Arrays that have one already keep it."""
    try:
        items = np.asarray(value)
        if items.dtype in (np.int32, np.float64) or items.dtype.kind == "S":
            return items
        if items.dtype.kind == "U":
            return np.frombuffer("".join(items.ravel().tolist()).encode("latin-1"), "S1").reshape(1, -1)
        if items.dtype.kind not in "biuf":
            raise ValueError(items.dtype)
        integer = items.dtype.kind in "biu" and (name in _INTEGERS or name not in _known())
        return items.astype(np.int64 if integer else np.float64)
    except (ValueError, TypeError, UnicodeEncodeError) as exc:
        raise InputError(f"{where}: variable {name} must be numbers of one shape for all steps ({exc})") from None


def _known() -> set[str]:
    return {name for layout in LAYOUTS.values() for name in layout.header + layout.steps}


def _boxed(where: str, name: str, items: np.ndarray, lead: int, shapes: Mapping[str, tuple[int, int]]) -> np.ndarray:
    """Rows and columns again: a number is 1 x 1, a vector a column, unless ``shapes`` says otherwise."""
    inner = items.shape[lead:]
    rows, cols = shapes.get(name, (1, 1) if not inner else (inner[0], 1) if len(inner) == 1 else inner[-2:])
    size = int(np.prod(inner, dtype=np.int64))
    if len(inner) > 2 or rows * cols != size:
        raise InputError(f"{where}: variable {name} has shape {items.shape}, which is not a table of {rows} x {cols}"
                         f"{' for each step' if lead else ''}")
    return items.reshape(*items.shape[:lead], rows, cols)


def _write(path: str | os.PathLike[str], kind: str, header: Mapping[str, Any], steps: Mapping[str, Any],
           shapes: Mapping[str, tuple[int, int]] | None) -> None:
    where, layout = os.fspath(path), LAYOUTS[kind]
    out = Records()
    for given, order, target, lead in ((header, layout.header, out.header, 0), (steps, layout.steps, out.steps, 1)):
        missing = [name for name in order if name not in given and name not in layout.optional]
        if missing:
            what = "step data" if lead else "header"
            raise InputError(f"{where}: the {what} of a .{kind} needs {', '.join(missing)}; give these too")
        for name in [n for n in order if n in given] + [n for n in given if n not in order]:
            items = _typed(where, name, given[name])
            if items.ndim < lead:
                raise InputError(f"{where}: variable {name} must have the steps as its first axis, got a number")
            target[name] = _boxed(where, name, items, lead, shapes or {})
    out.nsteps = len(out.steps["T"])
    write_records(path, out)


def read_sbd(path: str | os.PathLike[str]) -> SpacarFile:
    """The motion that SPACAR, or `write_sbd`, left in a .sbd file.

    Parameters
    ----------
    path : path of the file, with its extension

    Returns
    -------
    SpacarFile
        ``sbd["X"]`` has shape (nsteps, nx); ``sbd["LNP"]`` is a table.

    Raises
    ------
    BinaryError
        If the file is truncated or damaged; the text names file, record and offset.
    """
    return _read(path, "sbd")


def read_sbm(path: str | os.PathLike[str]) -> SpacarFile:
    """The linearised matrices of a .sbm file; ``sbm["M0"]`` has shape (nsteps, ndof, ndof). See `read_sbd`."""
    return _read(path, "sbm")


def read_ltv(path: str | os.PathLike[str]) -> SpacarFile:
    """The linear time-varying system of a .ltv file; ``ltv["A"]`` has shape (nsteps, nx, nx). See `read_sbd`."""
    return _read(path, "ltv")


def write_sbd(path: str | os.PathLike[str], header: Mapping[str, Any], steps: Mapping[str, Any],
              shapes: Mapping[str, tuple[int, int]] | None = None) -> None:
    """Write a .sbd file.

    Parameters
    ----------
    path : path of the file, with its extension
    header : mapping of name to array
        All of ``LAYOUTS["sbd"].header``; further names follow in the given order.
    steps : mapping of name to array with the steps as first axis
        All of ``LAYOUTS["sbd"].steps`` but the optional ones.
    shapes : mapping of name to (rows, columns), optional
        Where a vector is not to be written as a column: ``SpacarFile.shapes`` keeps those of a file that was read.
    """
    _write(path, "sbd", header, steps, shapes)


def write_sbm(path: str | os.PathLike[str], header: Mapping[str, Any], steps: Mapping[str, Any],
              shapes: Mapping[str, tuple[int, int]] | None = None) -> None:
    """Write a .sbm file: T M0 C0 D0 K0 N0 G0 for every step. See `write_sbd`."""
    _write(path, "sbm", header, steps, shapes)


def write_ltv(path: str | os.PathLike[str], header: Mapping[str, Any], steps: Mapping[str, Any],
              shapes: Mapping[str, tuple[int, int]] | None = None) -> None:
    """Write a .ltv file: T A B C [D] [G] M0 C0B K0B U0 Y0 [SIG0] for every step. See `write_sbd`."""
    _write(path, "ltv", header, steps, shapes)
