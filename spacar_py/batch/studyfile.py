"""Study files in TOML.

case = "manipulator"            # a built-in case, a model file, "module:function" or "file.py:function"
design = "latin"                # grid, list, random or latin
runs = 200
seed = 1

[parameters]
"bodies.tip.m" = { low = 10, high = 40 }
"controller.bandwidth" = [10, 12, 14]

[methods]
"AMI 4" = { kind = "AMI", modes = 4 }

[outputs]
deviation = "peak tip.deviation"
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from .. import checks
from ..errors import InputError
from .study import Study

FIELDS = ("name", "case", "design", "runs", "seed", "parameters", "methods", "outputs", "also")
METHODS = {
    "RungeKutta": "motion", "GeneralizedAlpha": "motion", "SciPy": "motion", "Perturbation": "ami.runs",
    "AMI": "ami.runs",
}  # fmt: skip
ALIASES = {"nonlinear": "RungeKutta", "implicit": "GeneralizedAlpha", "scipy": "SciPy", "perturbation": "Perturbation"}


def read_study(path: str | os.PathLike) -> Study:
    """The study in a TOML file; files that it names are looked for beside it."""
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"{path}: tables are nested too deeply; write the study flatter") from None
    except (ValueError, OverflowError) as error:  # TOML, UTF-8, numbers and dates beyond what Python takes
        raise InputError(f"{path}: is not valid TOML: {error}; correct the text there") from None
    try:
        return study_from_data(data, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def study_from_data(data: dict, folder: str | os.PathLike = ".") -> Study:
    """Study of plain data."""
    for key in data:
        checks.known("study file", "field", key, FIELDS)
    if "case" not in data or "parameters" not in data:
        raise InputError("study file: needs the fields case and parameters")
    for key in ("parameters", "methods", "outputs"):
        if not isinstance(data.get(key, {}), dict):
            raise InputError(f"study file: {key} must be a table, got {data[key]!r}")
    methods = {name: _method(name, m) for name, m in data.get("methods", {}).items()}
    rest = {k: v for k, v in data.items() if k not in ("case", "methods")}
    return Study(case=_case(data["case"], Path(folder)), methods=methods, **rest)


def _case(case, folder: Path):
    if not isinstance(case, str):
        raise InputError(f"study file: case must be a text, got {case!r}")
    file, _, function = case.partition(":") if case.split(":")[0].endswith(".py") else (case, "", "")
    if file.endswith((".py", ".toml")):
        if not (folder / file).exists():
            raise InputError(f"study file: there is no file '{file}' beside it")
        return f"{(folder / file).resolve()}" + (f":{function}" if function else "")
    return case


def _method(name: str, given):
    from importlib import import_module

    given = {"kind": given} if isinstance(given, str) else given
    if not isinstance(given, dict):
        raise InputError(f"method '{name}': must be a table such as {{ kind = 'AMI', modes = 4 }}, got {given!r}")
    options = {k: v for k, v in given.items() if k != "kind"}
    kind = given.get("kind", name)
    kind = ALIASES.get(kind, kind) if isinstance(kind, str) else kind
    checks.known(f"method '{name}'", "kind", kind, METHODS)
    cls = getattr(import_module(f"..{METHODS[kind]}", __package__), kind)
    for key in options:
        checks.known(f"method '{name}'", "option", key, cls.__dataclass_fields__)
    return cls(**options)
