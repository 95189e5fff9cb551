"""Studies: one case at many parameter points, in parallel, resumable, in one archive."""

from .._lazy import lazy as _lazy

_HOMES = {
    "Parameter": "study",
    "Study": "study",
    "run_study": "execute",
    "StudyResult": "table",
    "load_study": "table",
    "read_study": "studyfile",
}

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
