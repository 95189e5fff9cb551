"""Ctrl-C that is not lost and does no harm.

Raised wherever the program happens to be, a KeyboardInterrupt can be dropped (Python ignores it in `__del__` and in the
callbacks of weak references, which h5py needs for every object it closes: one in ten was lost by a run that writes
often) or turned into some other error by compiled code that it passes through. It is therefore remembered, and raised
at the next sign of progress, where nothing is half done. Where none comes soon, it is raised all the same, and so is a
second one.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager

GRACE = 0.5  # s from Ctrl-C to the next sign of progress
_seen = _pending = False


@contextmanager
def listening():
    """Remember Ctrl-C while the body runs; not in other threads, nor where somebody else listens or nobody should."""
    if not _in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    global _seen
    told, alarm, _seen = sys.unraisablehook, None, False
    if hasattr(signal, "setitimer"):
        alarm = signal.signal(signal.SIGALRM, _overdue)
    signal.signal(signal.SIGINT, _remember)
    sys.unraisablehook = lambda lost: None if issubclass(lost.exc_type, KeyboardInterrupt) else told(lost)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _forget()
        if alarm is not None:
            signal.signal(signal.SIGALRM, alarm)
        sys.unraisablehook = told


def raise_lost() -> None:
    """Raise a Ctrl-C that has come since."""
    if _pending and _in_main_thread():
        _forget()
        raise KeyboardInterrupt


def _remember(*_) -> None:
    global _seen, _pending
    first, _seen, _pending = not _seen, True, True
    if not first or not hasattr(signal, "setitimer"):
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, GRACE)


def _overdue(*_) -> None:
    if _pending:
        raise KeyboardInterrupt


def _forget() -> None:
    global _pending
    _pending = False
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
