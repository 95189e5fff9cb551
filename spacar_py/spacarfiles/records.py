"""The records of SPACAR's binary files: what .sbd, .sbm and .ltv have in common.

Little endian throughout. A record is a header of 20 bytes, a name of 4 characters and four int32

    type (3 char, 1 int32, 2 float64, 0 marker), item size, rows, columns,

followed by rows x columns items, row by row. A file is

    header records with their data, the marker TDEF (rows: number of steps),
    record headers without data,    the marker TDAT,
    for every step the data of those records in that order.

Source: the layout read from genuine files (design notes, formulation, section 8). The columns and the item size
of the two markers are not used by the reader; the writer sets both to zero.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from spacar_py.errors import InputError
from spacar_py.spacarfiles.files import read_bytes, write_bytes

MARKER, INT, FLOAT, CHAR = 0, 1, 2, 3
HEAD = struct.Struct("<4s4i")
_SIZES = {INT: 4, FLOAT: 8}
_INT32 = np.iinfo(np.int32)
_LARGEST = 2**44    # bytes; a damaged header must not ask numpy for more than it can count


class BinaryError(InputError):
    """A binary file that is truncated or not laid out as SPACAR does; the text names file, record and offset."""

    def __init__(self, path: str, record: str, offset: int, message: str):
        super().__init__(f"{path}: record {record} at byte {offset}: {message}")
        self.path, self.record, self.offset, self.message = path, record, offset, message

    def __reduce__(self):
        return BinaryError, (self.path, self.record, self.offset, self.message)


class Head(NamedTuple):
    """The header of a record."""

    name: str
    type: int
    size: int
    rows: int
    cols: int

    @property
    def nbytes(self) -> int:
        return 0 if self.type == MARKER else self.size * self.rows * self.cols

    @property
    def extent(self) -> int:
        return abs(self.size) * max(self.rows, 1) * max(self.cols, 1)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype({INT: "<i4", FLOAT: "<f8"}.get(self.type, f"S{self.size}"))


@dataclass
class Records:
    """The content of a binary file as it stands there.

    Attributes
    ----------
    header : dict of str to ndarray, shape (rows, columns)
    steps : dict of str to ndarray, shape (nsteps, rows, columns)
    nsteps : int
    """

    header: dict[str, np.ndarray] = field(default_factory=dict)
    steps: dict[str, np.ndarray] = field(default_factory=dict)
    nsteps: int = 0


class _Reader:
    def __init__(self, path: str, data: bytes):
        self.path, self.data, self.at = path, data, 0

    def head(self, expected: str) -> Head:
        start = self.at
        if len(self.data) - start < HEAD.size:
            raise BinaryError(self.path, expected, start, f"the file ends here ({len(self.data) - start} of "
                              f"{HEAD.size} bytes of a record header); it is truncated, run the analysis again")
        raw, kind, size, rows, cols = HEAD.unpack_from(self.data, start)
        if re.fullmatch(rb"[A-Za-z][A-Za-z0-9_]*[ \0]*", raw) is None:
            raise BinaryError(self.path, expected, start, f"{raw!r} is not the name of a record; "
                              "this is not a SPACAR binary file, or it is damaged")
        head = Head(raw.decode("ascii").rstrip(" \0").upper(), kind, size, rows, cols)
        self.at += HEAD.size
        valid = kind in (MARKER, INT, FLOAT, CHAR) and _SIZES.get(kind, size) == size and (kind != CHAR or size > 0)
        if not valid or rows < 0 or cols < 0 or (kind != MARKER and head.extent > _LARGEST):
            raise BinaryError(self.path, head.name, start, f"type {kind} with items of {size} bytes in {rows} x {cols} "
                              "is not valid (types: 0 marker, 1 int32, 2 float64, 3 char); the file is damaged")
        return head

    def take(self, head: Head) -> np.ndarray:
        left = len(self.data) - self.at
        if head.nbytes > left:
            raise BinaryError(self.path, head.name, self.at, f"{head.nbytes} bytes of data expected, {left} left; "
                              "the file is truncated, run the analysis again")
        flat = np.frombuffer(self.data, head.dtype, head.rows * head.cols, self.at) if head.nbytes else \
            np.empty(0, head.dtype)
        self.at += head.nbytes
        return flat.reshape(head.rows, head.cols).copy()

    def until(self, marker: str, known: Mapping[str, object]) -> Head | None:
        """The next record before the marker; None at the marker, whose header is kept in ``last``."""
        start = self.at
        head = self.head(marker)
        if head.name == marker:
            self.last = head
            return None
        if head.type == MARKER:
            raise BinaryError(self.path, head.name, start, f"a marker where only {marker} can stand; "
                              "the file is damaged")
        if head.name in known:
            raise BinaryError(self.path, head.name, start, "the name occurs twice; the file is damaged")
        return head


def read_records(path: str | os.PathLike[str]) -> Records:
    """All records of a binary file.

    Raises
    ------
    BinaryError
        If the file is truncated, has bytes left over, or a record is not valid.
    """
    reader = _Reader(os.fspath(path), read_bytes(path))
    out = Records()
    while (head := reader.until("TDEF", out.header)) is not None:
        out.header[head.name] = reader.take(head)
    out.nsteps = reader.last.rows
    heads: dict[str, Head] = {}
    while (head := reader.until("TDAT", heads)) is not None:
        heads[head.name] = head
    _read_steps(reader, heads, out)
    return out


def _read_steps(reader: _Reader, heads: Mapping[str, Head], out: Records) -> None:
    width = sum(head.nbytes for head in heads.values())
    left = len(reader.data) - reader.at
    if out.nsteps * max((head.extent for head in heads.values()), default=1) > _LARGEST:
        raise BinaryError(reader.path, "TDEF", reader.at, f"{out.nsteps} steps are more than any file holds; "
                          "the file is damaged")
    if left < out.nsteps * width:
        step, rest = divmod(left, width)
        for head in heads.values():     # the record in which the file ends, for the message
            if rest < head.nbytes:
                break
            rest -= head.nbytes
        raise BinaryError(reader.path, head.name, len(reader.data) - rest, f"step {step + 1} of {out.nsteps} is "
                          f"incomplete ({rest} of {head.nbytes} bytes); the file is truncated, run the analysis again")
    if left > out.nsteps * width:
        raise BinaryError(reader.path, "TDAT", reader.at + out.nsteps * width, f"{left - out.nsteps * width} bytes "
                          f"are left after the last of {out.nsteps} steps; the file is damaged")
    table = np.frombuffer(reader.data, np.uint8, out.nsteps * width, reader.at) if left else np.empty(0, np.uint8)
    table = table.reshape(out.nsteps, width)
    column = 0
    for name, head in heads.items():
        raw = np.ascontiguousarray(table[:, column:column + head.nbytes])
        flat = raw.reshape(-1).view(head.dtype) if raw.size else np.empty(0, head.dtype)
        out.steps[name] = flat.reshape(out.nsteps, head.rows, head.cols).copy()
        column += head.nbytes


def _head(name: str, items: np.ndarray) -> bytes:
    kind = {"i": INT, "f": FLOAT}.get(items.dtype.kind, CHAR)
    return HEAD.pack(name.ljust(4).encode("ascii"), kind, items.dtype.itemsize, *items.shape[-2:])


def write_records(path: str | os.PathLike[str], records: Records) -> None:
    """Write all records of a binary file, in one piece.

    Parameters
    ----------
    path : path of the file
    records : Records
        Arrays as `read_records` gives them: shape (rows, columns), with the steps in front for ``steps``.
    """
    header = {_name(path, n): _items(path, n, a, 2) for n, a in records.header.items()}
    steps = {_name(path, n): _items(path, n, a, 3) for n, a in records.steps.items()}
    for name, items in steps.items():
        if len(items) != records.nsteps:
            raise InputError(f"{os.fspath(path)}: variable {name} has {len(items)} steps where the file has "
                             f"{records.nsteps}; give every variable for every step")
    parts = [part for name, items in header.items() for part in (_head(name, items), items.tobytes())]
    parts.append(HEAD.pack(b"TDEF", MARKER, 0, records.nsteps, 0))
    parts += [_head(name, items) for name, items in steps.items()]
    parts.append(HEAD.pack(b"TDAT", MARKER, 0, 0, 0))
    if steps and records.nsteps:
        table = [items.reshape(records.nsteps, -1) if items.size else np.empty((records.nsteps, 0), items.dtype)
                 for items in steps.values()]
        parts.append(np.concatenate([t.view(np.uint8).reshape(records.nsteps, -1) if t.size else
                                     np.empty((records.nsteps, 0), np.uint8) for t in table], axis=1).tobytes())
    write_bytes(path, b"".join(parts))


def _name(path, name: str) -> str:
    if re.fullmatch(r"[A-Z][A-Z0-9_]{0,3}", name) is None or name in ("TDEF", "TDAT"):
        raise InputError(f"{os.fspath(path)}: the name of a variable has 1 to 4 capitals or digits, got {name!r}")
    return name


def _items(path, name: str, array: np.ndarray, ndim: int) -> np.ndarray:
    items = np.ascontiguousarray(array)
    if items.ndim != ndim or items.dtype.kind not in "ifS" or math.prod(items.shape) > _INT32.max:
        raise InputError(f"{os.fspath(path)}: variable {name} must be an array of int32, float64 or "
                         f"bytes with {ndim} axes, got {items.dtype} of shape {items.shape}")
    if items.dtype.kind == "i":
        if items.size and (items.min() < _INT32.min or items.max() > _INT32.max):
            raise InputError(f"{os.fspath(path)}: variable {name} holds {items.max()}, which is beyond 32 bits")
        return items.astype("<i4")
    return items.astype("<f8") if items.dtype.kind == "f" else items
