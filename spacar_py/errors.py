"""Errors that name the thing, the rule, the value and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SpacarError(Exception):
    """Anything spacar_py refuses or cannot finish; the text is a sentence for the user."""


class InputError(SpacarError, ValueError):
    """The model, an option or a file is not acceptable; raised before any work is done."""


class ConvergenceError(SpacarError, RuntimeError):
    """An iteration or an integration could not go on from a valid model."""


class MissingExtraError(SpacarError, ImportError):
    """An optional package is needed; the text says how to install it."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as " (did you mean 'elbow'?)", or an empty string.

    >>> nearest("elbwo", ["elbow", "tip"])
    " (did you mean 'elbow'?)"
    """
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f" (did you mean '{close[0]}'?)" if close else ""


def missing_extra(package: str, extra: str, purpose: str) -> MissingExtraError:
    """The error for an optional package that is not installed."""
    return MissingExtraError(f"{purpose} needs the package '{package}': pip install 'spacar_py[{extra}]'")
