"""The compiler before the clock: a moment of the motion by each method first, and how far the compiler has come.

The kernels that are ready are files in the cache. They are counted while the compiler works, whoever runs it.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from importlib import import_module

from ..errors import SpacarError

KERNELS = 110  # files in the cache after the first `spacar compare`
LATER = 1.7  # kernels grow along the way: the part of the time is the part of their number to this power
LOOK_EVERY = 0.5  # s


def _cache():
    # by name, not by an import statement: a source that has one counts as a kernel, and every edit of it recompiles
    return import_module("spacar_py._jit").CACHE


def ready() -> int:
    """How many compiled kernels there are."""
    return sum(1 for _ in _cache().rglob("*.nbc"))


def part_done(kernels: int, before: int = 0) -> float:
    """Part of the compiler's time that is spent when this many kernels are there, `before` of them from the start."""
    if before >= KERNELS:
        return 0.0  # something rare that the count does not know
    return min(((kernels - before) / (KERNELS - before)) ** LATER, 0.99)


class Compiling:
    """Tells what the compiler does while the body of the `with` statement runs; silent where all is compiled."""

    def __init__(self, screen):
        self.screen, self.stop = screen, threading.Event()
        self.before, self.told = 0, False

    def __enter__(self) -> Compiling:
        self.before = ready()
        self.meter = self.screen.progress("compiling")
        if self.before == 0:
            self._tell()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _tell(self) -> None:
        self.told = True
        self.screen.note("compiling for the first time on this machine, a minute or two; later runs start at once")

    def _watch(self) -> None:
        while not self.stop.wait(LOOK_EVERY):
            now = ready()
            if now > self.before:
                if not self.told:
                    self._tell()
                self.meter(part_done(now, self.before))

    def __exit__(self, *_) -> None:
        self.stop.set()
        self.thread.join()
        self.meter.__exit__()


def prepare(case, methods, screen) -> None:
    """A thousandth of the run by each method, so that neither progress nor timings of the run count the compiler."""
    with Compiling(screen):
        try:
            end = case.run.t_start + 1e-3 * (case.t_end - case.run.t_start)
            few = case.run.linear_points and 20
            short = replace(case, run=replace(case.run, points=3, t_end=end, linear_points=few))
            for method in methods:
                short.simulate(method)
        except SpacarError:
            return  # the run itself meets it and says so
