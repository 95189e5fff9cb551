"""Studies: one case at many parameter points, in parallel, resumable, in one archive."""

from importlib import import_module as _import_module

_HOMES = {
    "Parameter": "study",
    "Study": "study",
    "run_study": "execute",
    "StudyResult": "table",
    "load_study": "table",
    "read_study": "studyfile",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.batch' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
