"""The lines of a .dat file as statements: a keyword and its words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spacar_py.errors import InputError

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement stands: line number (from 1; 0 when it is in no file) and the line itself."""

    line: int = 0
    text: str = ""


class DatError(InputError):
    """A .dat file that cannot be accepted; the text names file, line, rule, value and remedy.

    Attributes
    ----------
    path : str
    line : int
    text : str
        The line of the file.
    message : str
        The sentence without file and line.
    """

    def __init__(self, path: str, source: Source, message: str):
        shown = "".join(c if c.isprintable() else " " for c in source.text[:_SHOWN].strip())
        super().__init__(f"{path}, line {source.line}: {message}" + (f"\n    {shown}" if shown else ""))
        self.path, self.source, self.message = path, source, message
        self.line, self.text = source.line, source.text

    def __reduce__(self):
        return DatError, (self.path, self.source, self.message)


@dataclass(frozen=True, slots=True)
class Statement:
    """A keyword (capitals, at most 8 letters) and the words behind it."""

    path: str
    keyword: str
    words: tuple[str, ...]
    source: Source

    def error(self, message: str) -> DatError:
        """The error for this statement."""
        return DatError(self.path, self.source, f"{self.keyword}: {message}")

    def numbers(self) -> list[float]:
        """All words as finite numbers; exponents may be written with E or, as in Fortran, with D."""
        return [self._number(word) for word in self.words]

    def _number(self, word: str) -> float:
        if _NUMBER.fullmatch(word) is None:
            if "," in word:
                remedy = "separate numbers by blanks and write decimals with a point"
            elif word[:1].isalpha() and len(word) > 1:
                remedy = "start every keyword on a line of its own; comments begin with # or %"
            else:
                remedy = "write it like 0.25 or 2.5e-1"
            raise self.error(f"{_quoted(word)} is not a finite number; {remedy}")
        value = float(word.upper().replace("D", "E"))
        if not math.isfinite(value):
            raise self.error(f"{_quoted(word)} is beyond the largest number (1.8e308); check the exponent")
        return value


def _quoted(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:40] + "...")


def lines_of(text: str) -> list[str]:
    """The lines of a text as an editor numbers them (``str.splitlines`` would also split at form feeds)."""
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def statements(path: str, lines: list[str], start: int = 0) -> Iterator[Statement]:
    """The statements of the lines from index ``start`` on, without blank lines and comments.

    Only the first 8 letters of a keyword count, as in SPACAR.
    """
    for number, line in enumerate(lines[start:], start + 1):
        words = re.split(r"[#%]", line, maxsplit=1)[0].split()
        if not words:
            continue
        source = Source(number, line)
        if not words[0][0].isalpha():
            raise DatError(path, source, f"{_quoted(words[0])} where a keyword must stand; a line is a keyword "
                           "followed by all its numbers, comments begin with # or %")
        yield Statement(path, words[0].upper()[:8], tuple(words[1:]), source)
