"""Parameters as dotted keys into the plain data of a built-in case or a model file.

    "bodies.tip.m", "controller.bandwidth", "path.T", "sections.arm.EIy", "gravity.2", "run.t_end"

An entry of a list is named by its number, or by the point, node or element that it is about.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache

from ..errors import InputError, nearest

_ABOUT = ("point", "node", "on", "element", "name")


@lru_cache(maxsize=8)
def _data(case: str) -> dict:
    from ..modelfile import case_to_data, read_case

    if case.endswith(".toml"):
        return case_to_data(read_case(case))
    from .. import cases

    return case_to_data(cases.load(case))


def check_keys(case: str, names) -> None:
    """Refuse a case that is not there, and parameters whose place in it is not, before any run."""
    data = deepcopy(_data(case))
    for name in names:
        put(data, name, None)


def from_data(case: str, point: dict) -> dict:
    """Arguments of `simulate` for a case with the fields of `point` changed."""
    from ..modelfile import case_from_data

    data = deepcopy(_data(case))
    for key, value in point.items():
        put(data, key, value)
    made = case_from_data(data, f"case '{case}'")
    run = made.run
    free = {} if made.path is not None else dict(t_start=run.t_start, qd0=run.qd0 or None)
    return dict(model=made.model, path=made.path, controller=made.controller, t_end=made.t_end, points=run.points,
                q0=run.q0 or None, **free)  # fmt: skip


def put(data, key: str, value) -> None:
    """Set the field of a dotted key, which must be there or be a field of a table that is.

    >>> d = {"bodies": [{"point": "tip", "m": 1.0}]}
    >>> put(d, "bodies.tip.m", 2.0)
    >>> d
    {'bodies': [{'point': 'tip', 'm': 2.0}]}
    """
    here, parts, done = data, key.split("."), 0
    while done < len(parts) - 1:
        for k in range(len(parts) - 1, done, -1):  # names may have dots: the longest that fits
            found = _child(here, ".".join(parts[done:k]))
            if found is not None:
                here, done = here[found], k
                break
        else:
            raise _unknown(key, parts[done], here)
    last = parts[-1]
    if isinstance(here, list):
        found = _child(here, last)
        if found is None:
            raise _unknown(key, last, here)
        here[found] = value
    elif isinstance(here, dict):
        here[last] = value  # the schema refuses a field that is not known
    else:
        raise _unknown(key, last, here)


def _child(here, name):
    if isinstance(here, dict):
        return name if name in here else None
    if isinstance(here, list):
        if name.isdigit() and int(name) < len(here):
            return int(name)
        for i, entry in enumerate(here):
            if isinstance(entry, dict) and any(_is(entry.get(a), name) for a in _ABOUT):
                return i
    return None


def _is(value, name) -> bool:
    return value == name or isinstance(value, list) and bool(value) and value[0] == name


def _unknown(key, part, here):
    if isinstance(here, list):
        tables = [e if isinstance(e, dict) else {} for e in here]
        known = [str(next((e[a] for a in _ABOUT if a in e), i)) for i, e in enumerate(tables)]
    else:
        known = list(here) if isinstance(here, dict) else []
    names = ", ".join(known[:10]) or "nothing"
    return InputError(f"parameter '{key}': there is no '{part}'{nearest(part, known)}; known there: {names}")
