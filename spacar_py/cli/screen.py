"""What the commands show: text, one JSON object, or nothing; and progress with the time left on anything long."""

from __future__ import annotations

import json
import math
import sys
import time

from .interrupt import raise_lost

QUIET_FOR = 2.0  # seconds before progress is shown
TOO_EARLY = 0.02  # part done below which an estimate would be a guess
LINE_EVERY = 10.0  # seconds between lines where the screen is a file


class Screen:
    """Results go to standard output, progress and notes to standard error."""

    def __init__(self, quiet: bool = False, as_json: bool = False):
        self.quiet, self.as_json = quiet, as_json

    def say(self, text: str) -> None:
        """A result in words."""
        if not self.quiet and not self.as_json:
            print(text, flush=True)

    def note(self, text: str) -> None:
        """Something on the way."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def result(self, data, text: str = "") -> None:
        """The outcome: JSON where it was asked for, words otherwise."""
        if self.as_json:
            print(json.dumps(plain(data), indent=2), flush=True)
        elif text:
            self.say(text)

    def progress(self, what: str) -> Progress:
        """A meter to be called with fractions; use it in a `with` statement."""
        return Progress(what, not self.quiet)


class Progress:
    """Fraction done and time left, shown when something takes longer than two seconds."""

    def __init__(self, what: str, shown: bool):
        self.what, self.shown = what, shown
        self.begin = self.last = time.monotonic()
        self.bar, self.fraction = None, 0.0

    def __enter__(self) -> Progress:
        return self

    def __call__(self, fraction: float) -> None:
        raise_lost()
        now = time.monotonic()
        self.fraction = min(max(float(fraction), 0.0), 1.0)
        if not self.shown or now - self.begin < QUIET_FOR or (self.fraction == 1.0 and self.bar is None):
            return
        if sys.stderr.isatty():
            self._bar()
        elif now - self.last >= LINE_EVERY or self.last == self.begin:
            self.last = now
            print(f"{self.what}: {self.words(now)}", file=sys.stderr, flush=True)

    def words(self, now: float | None = None) -> str:
        """Such as "42 %, 3 s left"."""
        spent = (now or time.monotonic()) - self.begin
        if self.fraction < TOO_EARLY:
            return f"{100 * self.fraction:.0f} %, time left not known yet"
        return f"{100 * self.fraction:.0f} %, {spent * (1 - self.fraction) / self.fraction:.0f} s left"

    def _bar(self) -> None:
        if self.bar is None:
            try:
                from tqdm import tqdm
            except ImportError:
                print(f"\r{self.what}: {self.words():<30}", end="", file=sys.stderr, flush=True)
                return
            form = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}, {remaining} left"
            self.bar = tqdm(total=1.0, desc=self.what, bar_format=form, leave=False, file=sys.stderr)
            self.bar.start_t -= time.monotonic() - self.begin
        self.bar.update(self.fraction - self.bar.n)

    def __exit__(self, *_) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.shown and sys.stderr.isatty() and time.monotonic() - self.begin > QUIET_FOR:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


def plain(value):
    """What JSON can hold; numbers that are not finite become null."""
    import numpy as np

    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
