"""What the commands share: finding a case, changing its settings, making folders."""

from __future__ import annotations

from pathlib import Path

from ..case import Case
from ..errors import InputError, nearest

SETTINGS = ("t_end", "points", "linear_points", "rtol", "atol", "node", "method", "order")


def find_case(name: str) -> Case:
    """The case behind a name: built in, a model file or an archive."""
    from .. import cases

    path = Path(name)
    if name in cases.names():
        return cases.load(name)
    if path.suffix == ".h5":
        from ..archive import load_case

        case = load_case(path)
        case.name = path.stem
        return case
    if path.suffix == ".toml" or path.is_file():
        from ..modelfile import read_case

        case = read_case(path)
        case.name = path.stem
        return case
    if path.suffix:
        raise InputError(f"{name}: there is no such file; check the path")
    known = cases.names()
    raise InputError(f"'{name}' is neither a built-in case nor a file{nearest(name, known)}; known: {', '.join(known)}")


def change(case: Case, args) -> Case:
    """Settings given on the command line take the place of those of the case; they are checked as those of a file."""
    from dataclasses import replace

    new = {k: v for k in SETTINGS if (v := getattr(args, k, None)) is not None}
    modes = getattr(args, "modes", None)
    if isinstance(modes, str):
        if modes != "auto" and not modes.isdigit():
            raise InputError(f"--modes: must be a whole number or auto, got {modes!r}")
        new["modes"] = modes if modes == "auto" else int(modes)
    if new.get("points", 2) < 2:
        raise InputError(f"--points: must be 2 at least, got {new['points']}")
    case.run = replace(case.run, **new)
    if "node" in new:
        from ..modelbuild import check_node

        check_node(new["node"], case.model)
    return case


def folder(path) -> Path:
    """A folder that is there, or an error that says why it cannot be made."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: the folder cannot be made ({error.strerror}); choose another with --out") from None
    return path
