"""Where the runs of a study are done: worker processes here, or a Dask cluster; both yield (number, rows)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context

from ..errors import InputError, missing_extra
from .task import failed, run_point


def _start(parent: int) -> None:
    """Begin of a worker: the parent alone listens to Ctrl-C, and no worker outlives it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, get_context("spawn"), _start, (os.getpid(),))


def _stop(pool) -> None:
    workers = list((pool._processes or {}).values())  # no public way to end a run that is under way
    pool.shutdown(wait=False, cancel_futures=True)
    for w in workers:
        w.terminate()


def run_local(todo: dict, common: tuple, workers: int, time_limit=None) -> Iterator[tuple[int, list]]:
    """In `workers` processes, or in this one where that is 0. A worker that dies does not take other runs with it."""
    case, methods, outputs = common
    if workers == 0:
        for i, point in todo.items():
            yield i, run_point(case, point, methods, outputs)
        return
    waiting = list(todo.items())[::-1]
    suspects: list = []
    running: dict = {}
    pool = _pool(workers)
    most = 1 if _cold() else 2 * workers  # the first run compiles for all
    try:
        while waiting or running:
            try:
                while waiting and len(running) < most:
                    i, point = waiting.pop()
                    try:
                        running[pool.submit(run_point, case, point, methods, outputs, time_limit)] = (i, point)
                    except BrokenProcessPool:
                        waiting.append((i, point))
                        raise
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda f: running[f][0]):
                    rows = future.result()
                    i, _ = running.pop(future)
                    yield i, rows
                most = 2 * workers
            except BrokenProcessPool:
                suspects, running = list(running.values()), {}
                _stop(pool)
                yield from _alone(suspects, common, time_limit)
                pool = _pool(workers)
    finally:
        _stop(pool)


def _alone(suspects, common, time_limit):
    """Runs of which one has killed a worker, one at a time, so that the guilty one is found."""
    case, methods, outputs = common
    pool = _pool(1)
    try:
        for i, point in sorted(suspects, key=lambda s: s[0]):
            try:
                rows = pool.submit(run_point, case, point, methods, outputs, time_limit).result()
            except BrokenProcessPool:
                why = f"took longer than {time_limit:g} s, or crashed" if time_limit else "crashed or was killed"
                rows = [failed(m, RuntimeError(f"the worker process {why}")) for m in methods]
                _stop(pool)
                pool = _pool(1)
            yield i, rows
    finally:
        _stop(pool)


def _cold() -> bool:
    # by name, not by an import statement: a source that has one counts as a kernel, and every edit of it recompiles
    return import_module("spacar_py._jit").is_cold()


def run_dask(todo: dict, common: tuple, scheduler: str) -> Iterator[tuple[int, list]]:
    """On the workers of a Dask scheduler; runs of a worker that dies are given to another one."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise missing_extra("dask", "dask", "a Dask cluster") from None
    case, methods, outputs = common
    try:
        cluster = Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        told = f"batch: no scheduler answers at '{scheduler}' ({why}); start one with: dask scheduler"
        raise InputError(told) from None
    with cluster as client:
        futures = {client.submit(run_point, case, p, methods, outputs, pure=False): i for i, p in todo.items()}
        for future in as_completed(list(futures), loop=client.loop):
            error = future.exception()
            rows = [failed(m, error) for m in methods] if error else future.result()
            yield futures.pop(future), rows
