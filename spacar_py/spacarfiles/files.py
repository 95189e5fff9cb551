"""Reading and writing whole files so that every failure is one sentence and no half file is left behind."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from spacar_py.errors import InputError


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file.

    Raises
    ------
    InputError
        If the file cannot be opened or read.
    """
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as exc:   # ValueError: a NUL character in the path
        raise InputError(f"{os.fspath(path)!s}: the file cannot be read ({_reason(exc)}); check the path") from None


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file in one piece: either the old or the new content is on disk, never a part.

    Raises
    ------
    InputError
        If the directory does not exist or cannot be written.
    """
    temporary = None
    try:
        target = Path(path)
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        temporary.write_bytes(content)
        os.replace(temporary, target)
    except (OSError, ValueError) as exc:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(f"{os.fspath(path)!s}: the file cannot be written ({_reason(exc)}); "
                         "check the directory") from None


def _reason(exc: Exception) -> str:
    return getattr(exc, "strerror", None) or str(exc)
