"""Ctrl-C that is not lost.

Python drops an exception where nobody can catch it: in `__del__`, in callbacks of weak references, which h5py needs for
every object it closes, in callbacks from C. One Ctrl-C in ten was dropped there by a run that writes often. It is
therefore remembered, and raised again at the next sign of progress.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager

_pending = False


@contextmanager
def listening():
    """Remember Ctrl-C while the body runs; not in other threads, nor where somebody else listens or nobody should."""
    if not _in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    told = sys.unraisablehook
    signal.signal(signal.SIGINT, _remember)
    sys.unraisablehook = lambda lost: None if issubclass(lost.exc_type, KeyboardInterrupt) else told(lost)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = told
        _forget()


def raise_lost() -> None:
    """Raise a Ctrl-C that was dropped since."""
    if _pending and _in_main_thread():
        _forget()
        raise KeyboardInterrupt


def _remember(*_) -> None:
    global _pending
    _pending = True
    raise KeyboardInterrupt


def _forget() -> None:
    global _pending
    _pending = False


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
