"""One run of a study, as a worker does it: build the case, simulate by each method, reduce to the outputs."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from importlib import import_module, util
from pathlib import Path

import numpy as np

from ..errors import InputError, SpacarError
from .outputs import evaluate

SIMULATE = ("model", "path", "controller", "t_end", "t_start", "q0", "qd0", "points", "times")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def resolve(case):
    """The function behind a case given as text."""
    if callable(case):
        return case
    if ":" not in case:
        return _model_case(case)
    place, name = case.rsplit(":", 1)
    try:
        module = _from_file(place) if place.endswith(".py") else import_module(place)
    except (ImportError, OSError) as error:
        raise InputError(f"study: cannot import the case '{case}': {error}") from None
    if not callable(getattr(module, name, None)):
        raise InputError(f"study: there is no function '{name}' in {place}")
    return getattr(module, name)


def check_case(case, parameters) -> None:
    """Refuse a case that cannot be there for any run; a function is imported where the runs are."""
    if isinstance(case, str) and ":" not in case:
        from .modelcase import check_keys

        check_keys(case, parameters)


def _from_file(place):
    spec = util.spec_from_file_location(f"study_case_{abs(hash(place))}", Path(place))
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _model_case(case):
    """A built-in case or a model file, its parameters dotted keys into its data."""
    from .modelcase import from_data

    return lambda **point: from_data(case, point)


def arguments(made) -> dict:
    """Arguments of `simulate` from what a case has returned."""
    if isinstance(made, Mapping):
        unknown = [k for k in made if k not in SIMULATE]
        if unknown:
            known = ", ".join(SIMULATE)
            raise InputError(f"study: the case returned '{unknown[0]}', which simulate does not know; known: {known}")
        found = dict(made)
    else:
        found = {k: getattr(made, k) for k in SIMULATE if getattr(made, k, None) is not None}
    if "model" not in found:
        raise InputError("study: the case must return a model, and what else simulate takes")
    return found


def run_point(case, point, methods, outputs, time_limit=None) -> list[dict]:
    """Rows of one point, one for each method: status, message, values, histories, seconds; never an error."""
    if time_limit and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process even inside compiled code
        signal.setitimer(signal.ITIMER_REAL, time_limit)
    try:
        return _run_point(case, point, methods, outputs)
    finally:
        if time_limit and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def _run_point(case, point, methods, outputs):
    begin = time.perf_counter()
    try:
        args = arguments(resolve(case)(**point))
    except Exception as error:  # a run must not stop the others
        return [failed(m, error, time.perf_counter() - begin) for m in methods]
    rows, shared = [], {}
    for name, method in methods.items():
        begin = time.perf_counter()
        try:
            result = _simulate(args, method, shared)
            node = getattr(args.get("path"), "node", None)
            values, histories = {}, {}
            for key, output in outputs.items():
                v = evaluate(result, output, node)
                _sort(key, v, result, values, histories)
            rows.append(dict(method=name, status="ok", message="", values=values, histories=histories,
                             seconds=time.perf_counter() - begin, pid=os.getpid()))  # fmt: skip
        except Exception as error:
            rows.append(failed(name, error, time.perf_counter() - begin))
    return rows


def failed(method, error, seconds=0.0) -> dict:
    """The row of a run that went wrong."""
    text = str(error) if isinstance(error, SpacarError) else f"{type(error).__name__}: {error}"
    return dict(method=method, status="failed", message=text, values={}, histories={}, seconds=seconds, pid=os.getpid())


def _simulate(args, method, shared):
    from ..motion import simulate

    if args.get("path") is None:
        return simulate(**args, method=method)
    from ..ami.nominal import nominal_motion
    from ..ami.runs import simulate_path

    points = getattr(method, "points", None)
    if points not in shared:  # methods that linearise at the same points share the nominal motion
        shared[points] = nominal_motion(args["model"], args["path"], points, args.get("q0"))
    rest = {k: v for k, v in args.items() if k not in ("model", "path", "controller", "t_start")}
    control, nominal = args.get("controller"), shared[points]
    return simulate_path(args["model"], args["path"], control, method=method, nominal=nominal, **rest)


def _sort(key, v, result, values, histories):
    """Numbers and short vectors into the table, the rest into the histories."""
    if v.ndim == 0:
        values[key] = float(v)
    elif v.ndim == 1 and len(v) <= 4 and len(v) != len(result.t):
        values.update({f"{key}.{c}": float(x) for c, x in zip("xyzw", v, strict=False)})
    else:
        histories[key] = v
        histories["t"] = np.asarray(result.t)
