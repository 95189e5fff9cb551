"""TOML as text: writing plain data, and finding the line on which a field stands."""

from __future__ import annotations

import json
import re

from .errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_HEADER = re.compile(r"\s*(\[\[?)(.*?)(\]\]?)\s*(#.*)?\Z")
_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")
FORMAT = 1  # of the model files that this version writes
INLINE = 110  # characters up to which a table is written on one line


def dumps(data: dict) -> str:
    """TOML text of nested dictionaries, lists, numbers, texts and truth values; numbers keep all their digits.

    >>> print(dumps({"name": "arm", "nodes": {"tip": {"position": [1.0, 0.0]}}}), end="")
    name = "arm"
    <BLANKLINE>
    [nodes]
    tip = { position = [1.0, 0.0] }
    """
    lines: list[str] = []
    _table(lines, (), data)
    return "\n".join(lines).strip("\n") + "\n"


def _table(lines: list[str], path: tuple, data: dict) -> None:
    later = []
    for key, value in data.items():
        # tables after the first long one are long too: order is numbering
        if isinstance(value, dict) and (not path or later or len(_value(value)) > INLINE):
            later.append((key, value))
        elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value) and not path:
            later.append((key, value))
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    for key, value in later:
        name = ".".join(_key(k) for k in (*path, key))
        for item in value if isinstance(value, list) else [value]:
            mark = "[[{}]]" if isinstance(value, list) else "[{}]"
            lines += ["", mark.format(name)]
            if isinstance(value, list):
                lines += [f"{_key(k)} = {_value(v)}" for k, v in item.items()]
            else:
                _table(lines, (*path, key), item)


def _key(key: str) -> str:
    return key if _BARE.match(key) else _text(key)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"model file: the name {value!r} is not valid Unicode; choose another one") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
        return "{ " + inside + " }" if inside else "{}"
    raise InputError(f"model file: {value!r} is no plain data; use numbers, texts, lists and tables")


def _parts(text: str) -> tuple[str, ...] | None:
    """Keys of a dotted name, or None where it is none."""
    out, at = [], 0
    while True:
        m = _PART.match(text, at)
        if not m:
            return None
        quoted, literal, bare = m.groups()
        if quoted is not None:
            try:
                quoted = json.loads(f'"{quoted}"')
            except ValueError:
                pass
        out.append(next(k for k in (quoted, literal, bare) if k is not None))
        at = m.end()
        if at == len(text):
            return tuple(out)
        if text[at] != ".":
            return None
        at += 1


def lines_of(text: str) -> dict[tuple, int]:
    """Line number of each table and of each key that begins a line: ("nodes", "tip", "position") -> 7.

    Good for messages: text within multi-line strings may be taken for keys, never the other way round.
    """
    out: dict[tuple, int] = {}
    counts: dict[tuple, int] = {}
    table: tuple = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        parts = _parts(header.group(2)) if header and len(header.group(1)) == len(header.group(3)) else None
        if parts is not None:
            table = ()
            for k, part in enumerate(parts):
                table += (part,)
                last = k == len(parts) - 1
                if last and header.group(1) == "[[":
                    counts[table] = counts.get(table, -1) + 1
                if table in counts:
                    table += (counts[table],)
            for k in range(1, len(table) + 1):
                out.setdefault(table[:k], number)
            continue
        key = _parts(line.split("=", 1)[0]) if "=" in line else None
        for k in range(1, len(key or ()) + 1):
            out.setdefault(table + key[:k], number)
    return out


def line_of(lines: dict[tuple, int], field: tuple) -> int | None:
    """Line of a field, or of the nearest thing around it."""
    for k in range(len(field), 0, -1):
        if field[:k] in lines:
            return lines[field[:k]]
    return None
