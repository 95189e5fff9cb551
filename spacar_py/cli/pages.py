"""The HTML page of an archive or a comparison, with the modes that belong to it."""

from __future__ import annotations

from pathlib import Path

from ..errors import SpacarError
from .pictures import linear_of


def write_page(obj, page: Path, case=None, title: str | None = None, node: str | None = None) -> Path:
    """Write the report of a result, a comparison or a case's run; the folder is made where it is missing."""
    from ..report import write_report
    from .common import folder

    if page.parent != Path("."):
        folder(page.parent)
    title = title or getattr(case, "title", None) or None
    return write_report(obj, page, title=title, node=node, modes=modes_of(obj), case=case)


def modes_of(obj, n: int = 6):
    """Vibration modes at the start: with the joints held along a path, otherwise those of the model; or None."""
    linear = linear_of(obj)
    results = getattr(obj, "results", None)
    first = next(iter(results.values())) if results else obj
    try:
        if linear is not None:
            from ..ami.shapes import held_modes

            return held_modes(linear, n)
        if not any(first.system.flexible):
            return None
        from ..linearize import modes

        return modes(first.system.model, n=n)
    except (SpacarError, AttributeError):  # an extra: what the report is about is the motion
        return None
