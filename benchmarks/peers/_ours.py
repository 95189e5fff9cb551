"""spacar_py from here: processor time of a whole call and the way of the node "tip"."""

from __future__ import annotations

import time

import spacar_py as sp

from ._measure import Run


def timed(simulate, label: str = "", inner: bool = False) -> Run | None:
    """One run, the whole call or the integration alone; None where it fails."""
    begin = time.process_time()
    try:
        r = simulate()
    except sp.ConvergenceError:
        return None
    seconds = time.process_time() - begin
    size = 2 if r.system.model.planar else 3
    return Run(r.info["cpu"] if inner else seconds, r["tip"].x[:, :size], r.info["steps"], label)


def moved(model, times, method, label: str = "") -> Run | None:
    """One simulation of a model that moves by its own prescribed motions."""
    return timed(lambda: sp.simulate(model, times=times, method=method), label)
