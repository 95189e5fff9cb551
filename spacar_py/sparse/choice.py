"""Dense or sparse: who decides, and from which size on."""

from __future__ import annotations

from ..errors import InputError

# degrees of freedom from which "auto" takes the sparse solver; measured by benchmarks/large.py
SPARSE_FROM = {"motion": 30, "statics": 100, "modes": 300}
LARGE_MOTION = 300  # degrees of freedom above which `simulate` takes the implicit method if none is named


def use_sparse(task: str, solver: str, system, dense_only: str = "") -> bool:
    """Whether a task takes the sparse solver; `dense_only` names what only the dense one can do, or is empty."""
    if not isinstance(solver, str) or solver not in ("auto", "dense", "sparse"):
        raise InputError(f"{task}: solver must be 'auto', 'dense' or 'sparse', got {solver!r}")
    only = "Python functions" if system.python_signals or system.model.user_forces else dense_only
    if solver == "sparse" and only:
        raise InputError(f"{task}: {only} need the dense solver; take solver='dense'")
    return solver == "sparse" or (solver == "auto" and not only and system.nq >= SPARSE_FROM[task])
