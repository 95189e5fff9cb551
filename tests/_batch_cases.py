"""Cases for the tests of batches, in a module that worker processes can import."""

import os
import time

from spacar_py.cases import pendulum


def slow(length=1.0, wait=0.0):
    """A pendulum that takes its time."""
    time.sleep(wait)
    return pendulum.case(length, t_end=0.5)


def fragile(length=1.0):
    """Kills the process at length 13, raises at 7, hangs at 99."""
    if length == 13.0:
        os._exit(9)
    if length == 7.0:
        raise RuntimeError("seven is not allowed")
    if length == 99.0:
        while True:
            pass
    return pendulum.case(length, t_end=0.5)


def batch(path, runs, wait):
    """The batch that the kill tests start as a process of its own."""
    from spacar_py.batch import run_study

    run_study(study(runs, wait), path, workers=2, flush=0.3)


def study(runs, wait):
    """Pendulums from 1 m on."""
    from spacar_py.batch import Study

    outputs = {"low": "min bob.x.z", "way": "history bob.x"}
    return Study(slow, {"length": [1.0 + 0.1 * i for i in range(runs)], "wait": [wait]}, outputs=outputs)
