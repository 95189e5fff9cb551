"""Model files in TOML: everything that the API can say, as plain data, checked before anything runs.

    case = read_case("arm.toml")          # model, path, controller, settings
    model = read_model("arm.toml")        # the model alone
    write_model(model, "arm.toml")        # builds the same system again, to the last bit
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from .case import Case
from .errors import InputError, missing_extra, nearest
from .modelbuild import FieldError, build_case
from .tomltext import FORMAT, dumps, line_of, lines_of

MOST_BYTES = 50_000_000
MOST_ERRORS = 8
LARGEST = 1e60  # its powers in the equations are still numbers
_WORDS = {
    "float_type": "a number", "int_type": "a whole number", "int_from_float": "a whole number",
    "bool_type": "true or false", "string_type": "a text", "list_type": "a list", "dict_type": "a table",
    "model_type": "a table", "model_attributes_type": "a table", "finite_number": "a finite number",
}  # fmt: skip


def read_case(path: str | os.PathLike) -> Case:
    """The case in a TOML file: a model and, where the file has them, path, controller and settings of the run.

    Raises
    ------
    InputError
        With file, line, field, value, rule and remedy of everything that is wrong.
    """
    return case_from_text(_read(path), str(path))


def case_from_text(text: str, where: str = "model text") -> Case:
    """The case in TOML text; `where` it comes from is said in errors."""
    return case_from_data(_parse(text, where), where, text)


def read_model(path: str | os.PathLike):
    """The model in a TOML file; path, controller and run in it are checked and left aside."""
    return read_case(path).model


def case_from_data(data: dict, where: str = "model data", text: str | None = None, check: bool = True) -> Case:
    """Case of plain data; `check=False` skips the schema for data that this program has written itself."""
    if check:
        check_data(data, where, text)
    try:
        case = build_case(data)
    except FieldError as error:
        raise InputError(_place(where, text, error.field) + str(error)) from None
    except RecursionError:
        raise InputError(f"{where}: tables are nested too deeply; write the model flatter") from None
    if case.name == "model" and where.endswith(".toml"):
        case.name = Path(where).stem
    return case


def model_from_data(data: dict, check: bool = True):
    """Model of plain data."""
    return case_from_data(data, check=check).model


def model_to_data(model, lost: bool = False) -> dict:
    """Plain data of a model: dictionaries, lists, numbers and texts.

    Parameters
    ----------
    lost : bool
        Put a mark in the place of Python functions, which no file can hold, instead of refusing them.

    Examples
    --------
    >>> import spacar_py as sp
    >>> m = sp.Model(planar=True)
    >>> m.node("wall", (0, 0)); m.fix("wall"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "wall", "tip", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    >>> model_to_data(m)["elements"]["leaf"]["flexible"]
    ['bending_p', 'bending_q']
    """
    from .modelwrite import Writer

    return Writer(model, lost).data()


def case_to_data(case: Case, lost: bool = False) -> dict:
    """Plain data of a case."""
    from .modelwrite import controller_data, path_data

    extra = {k: v for k in ("title", "source") if (v := getattr(case, k))}
    data = {"format": FORMAT, "name": case.name, **extra, **model_to_data(case.model, lost)}
    data["name"] = case.model.name
    for key, value, convert in (("path", case.path, path_data), ("controller", case.controller, controller_data)):
        if value is not None:
            data[key] = convert(value)
    run = case.run.data()
    return {**data, "run": run} if run else data


def write_model(model, path: str | os.PathLike) -> None:
    """Write a model, or a case, to a TOML file, in one piece."""
    from .spacarfiles.files import write_bytes

    data = case_to_data(model) if isinstance(model, Case) else model_to_data(model)
    write_bytes(path, dumps(data).encode())


def json_schema() -> dict:
    """JSON schema of model files, for editors and other programs."""
    schema = _schema().File.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "spacar_py model file"}


# checking -----------------------------------------------------------------------------------------------------------


def _schema():
    try:
        from . import modelschema
    except ImportError:
        raise missing_extra("pydantic", "files", "checking a model file") from None
    return modelschema


def check_data(data: dict, where: str = "model data", text: str | None = None) -> None:
    """Refuse data that do not keep to the schema."""
    from pydantic import ValidationError

    schema = _schema()
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] > FORMAT:
        raise InputError(
            f"{_place(where, text, ('format',))}format {data['format']} is newer than this program, "
            f"which knows up to {FORMAT}; update spacar_py"
        )
    try:
        schema.File.model_validate(data)
    except ValidationError as error:
        found = _merged(error.errors(include_url=False), data)
    except RecursionError:
        raise InputError(f"{where}: tables are nested too deeply; write the model flatter") from None
    else:
        found = [(f, f"{_dotted(f)} must be below {LARGEST:g} in size, got {_show(v)}; check its unit")
                 for f, v in _numbers(data) if abs(v) > LARGEST]  # fmt: skip
        if not found:
            return
    if text is not None:
        numbers = lines_of(text)
        found.sort(key=lambda f: line_of(numbers, f[0]) or 0)
    lines = [_place(where, text, field) + message for field, message in found[:MOST_ERRORS]]
    if len(found) > MOST_ERRORS:
        lines.append(f"... and {len(found) - MOST_ERRORS} more")
    raise InputError("\n".join(lines))


def _numbers(value, field=()):
    """Every number in nested data with its field."""
    if isinstance(value, (int, float)):
        yield field, value
    for k, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _numbers(v, (*field, k))


def _merged(errors: list[dict], data) -> list[tuple[tuple, str]]:
    """(field, sentence) of each field with something wrong, what several alternatives want joined by 'or'."""
    rules: dict[tuple, list[str]] = {}
    values: dict[tuple, object] = {}
    whole: dict[tuple, str] = {}
    for e in errors:
        kind, value = e["type"], e.get("input")
        field = _field(e["loc"], data, kind == "missing")
        if kind == "unknown_field":
            field = (*field, e["ctx"]["field"])
            whole[field] = f"{_dotted(field)} {e['msg']}"
        elif kind == "missing":
            whole[field] = f"{_dotted(field)} is missing; add it"
        elif kind == "unknown_kind":
            known = e["msg"]
            got = value.get("kind") if isinstance(value, dict) else value
            if isinstance(value, dict) and "kind" not in value:
                whole[field] = f"{_dotted(field)}.kind is missing; known: {known}"
            else:
                hint = nearest(got, known.split(", ")) if isinstance(got, str) else ""
                whole[field] = f"{_dotted(field)}.kind must be one of {known}, got {_show(got)}{hint}"
        else:
            rule = _WORDS.get(kind) or e["msg"].removeprefix("Input should be ").replace("Input should", "it should")
            rules.setdefault(field, [])
            if rule not in rules[field]:
                rules[field].append(rule)
            values[field] = value
    out = list(whole.items())
    inner = set(whole) | set(rules)
    for field, wanted in rules.items():
        if any(other != field and other[: len(field)] == field for other in inner):
            continue  # a field inside says it better
        rule = " or ".join(wanted)
        out.append((field, f"{_dotted(field)} must be {rule}, got {_show(values[field])}; correct it"))
    return out


def _field(loc: tuple, data, missing: bool) -> tuple:
    """The error's place without the names of alternatives, which are not in the file."""
    out, here = [], data
    for k, part in enumerate(loc):
        inside = isinstance(here, dict) and part in here
        if inside or isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
            out.append(part)
        elif missing and k == len(loc) - 1:
            out.append(part)
    return tuple(out)


def _dotted(field: tuple) -> str:
    text = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in field)
    return text.removeprefix(".") or "the file"


def _show(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _place(where: str, text: str | None, field: tuple) -> str:
    line = line_of(lines_of(text), field) if text is not None else None
    if line:
        return f"{where}, line {line}: "
    return f"{where}: {_dotted(field)}: " if field and text is None else f"{where}: "


# reading ------------------------------------------------------------------------------------------------------------


def _read(path) -> str:
    from .spacarfiles.files import read_bytes

    content = read_bytes(path)
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: has {len(content) / 1e6:.0f} MB; a model file has at most {MOST_BYTES / 1e6:.0f} MB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _parse(text: str, where: str) -> dict:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: is not valid TOML: {error}; correct the text there") from None
    except RecursionError:
        raise InputError(f"{where}: tables are nested too deeply; write the model flatter") from None
    except (ValueError, OverflowError) as error:  # numbers and dates beyond what Python takes
        raise InputError(f"{where}: has a value that cannot be read: {error}; correct it") from None
