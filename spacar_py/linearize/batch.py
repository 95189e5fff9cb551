"""Tangents at many states: kinematics from state to state, then the tangents of all states on all cores.

Each tangent starts from the position that the kinematics has found for its own state, so that no number depends on how
the states are shared out among the threads. Every thread has its own work space; the results are written in place.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np

from ..checks import count
from ..continuation import SURE, move
from ..dynamics import NEWTON_MOST, position
from ..errors import ConvergenceError
from ._kernels import follow, linearise
from .states import longest_step

SHARE = 32  # states that a thread takes at a time
MOST_STEPS = 10_000  # between two states; more is a mistake in the motion
NUMBERS = 1_000_000  # of all matrices, below which threads cost more than they save


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def how_many(system, N, workers: int | None) -> int:
    """Threads for N states of a system: as asked for, or all cores where there is work for them."""
    if workers is not None:
        return min(count("linear_model", "workers", workers), N)
    return 1 if 6 * N * system.ny**2 < NUMBERS else min(cores(), N)


class Walk:
    """Positions of the states Y (N, 3, ny), each reached from the one before it.

    Where Newton does not close at once, it goes there step by step.
    """

    def __init__(self, system, times, Y, x, X, e):
        self.system, self.times, self.Y, self.X, self.e = system, times, Y, X, e
        self.w, self.ref, self.far = system.work(), np.zeros(system.ne), longest_step(system)
        self.start = (system.x0, system.y0) if x is None else (x[0], Y[0, 0])
        self.w.X[0], self.w.yp[:] = self.start

    def to(self, first, last) -> None:
        """Fill X[:, 0] and e[:, 0] of the states first to last - 1."""
        n = first
        while n < last:
            bad = self._follow(n, last, SURE)
            if bad < 0:
                return
            self._step_by_step(bad)
            self._follow(bad, bad + 1, NEWTON_MOST)
            n = bad + 1

    def _follow(self, first, last, most) -> int:
        return follow(self.system.k, self.w.k, self.Y, first, last, self.far, most, self.ref, self.X, self.e)

    def _step_by_step(self, n) -> None:
        s, w, goal = self.system, self.w, self.Y[n, 0]
        x, before = (self.X[n - 1, 0], self.Y[n - 1, 0]) if n else self.start
        w.X[0], w.y[0], w.yp[:] = x, before, before
        position(s.k, w.k, self.ref)  # for the DF that predicts from there
        many = np.ceil(np.max(np.abs(goal - before) / self.far, initial=1.0))
        if not many <= MOST_STEPS:
            k = int(np.argmax(np.abs(goal - before) / self.far))
            raise ConvergenceError(
                f"motion: {s.y_names[k]} must not jump, at t = {self.times[n]:g} s it goes from {before[k]:g} to "
                f"{goal[k]:g} at once; take more points, or correct the motion"
            )
        steps = int(many)
        for k in range(1, steps + 1):
            move(s, w, before + k / steps * (goal - before), self.ref, f"t = {self.times[n]:g} s")


def tangents(system, times, Y, factors, x=None, u_ext=None, DF=None, workers: int | None = None, each=None) -> dict:
    """Matrices (N, 6, ny, ny), rho, sigma, fx, X and e at the states Y (N, 3, ny).

    Parameters
    ----------
    factors : (N, 4) array
        Load factors.
    x : (N, nx) array, optional
        Nodal coordinates of which the first are taken to start from.
    u_ext : (ne,) array, optional
        Added actuator stress.
    DF : (N, nx, m) array, optional
        To be filled with the first m columns of dx/dy.
    workers : int, optional
        Threads; all cores by default.
    each : function of (n, work space, results), optional
        Takes the place of the compiled tangent, one state after the other: for what calls Python.
    """
    N, ny, nx, ne = len(times), system.ny, system.nx, system.ne
    shapes = dict(matrices=(6, ny, ny), rho=(ny,), sigma=(ne,), fx=(nx,), X=(3, nx), e=(3, ne))
    out = {k: np.zeros((N, *v)) for k, v in shapes.items()}
    DF = np.zeros((0, nx, ny)) if DF is None else DF
    walk = Walk(system, times, Y, x, out["X"], out["e"])
    number, spaces = 1 if each else how_many(system, N, workers), SimpleQueue()
    for _ in range(number):
        spaces.put(_space(system, u_ext))

    def share(first, last) -> int:
        w = spaces.get()
        try:
            ref = np.zeros(ne)
            return linearise(system.k, w.k, times, Y, factors, first, last, ref, *out.values(), DF)
        finally:
            spaces.put(w)

    if each:
        _one_by_one(walk, spaces.get(), factors, out, each)
        return out
    size = max(1, min(SHARE, N // (4 * number)))
    ranges = [(n, min(n + size, N)) for n in range(0, N, size)]
    if number == 1:
        failed = [walk.to(a, b) or share(a, b) for a, b in ranges]
    else:
        with ThreadPoolExecutor(number) as pool:
            jobs = [walk.to(a, b) or pool.submit(share, a, b) for a, b in ranges]
            failed = [job.result() for job in jobs]
    for n in failed:
        if n >= 0:
            raise ConvergenceError(f"kinematics did not converge at t = {times[n]:g} s; try a state near it")
    return out


def _space(system, u_ext):
    w = system.work()
    if u_ext is not None:
        w.u_ext[:] = u_ext
    return w


def _one_by_one(walk, w, factors, out, each) -> None:
    for n, y in enumerate(walk.Y):
        walk.to(n, n + 1)
        w.fac[:], w.y[:], w.yp[:], w.X[0] = factors[n], y, y[0], out["X"][n, 0]
        each(n, w, out)
