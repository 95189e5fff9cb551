"""Static equilibrium in SPACAR's load steps: base loads act from the start, DEL... loads grow in ITERSTEP's steps.

The level goes from -1 (nothing) over 0 (all base loads) to 1 (base loads and increments). Loads, gravity and prescribed
values are set in the tables of the compiled model, so that every state is evaluated under its own loads and at rest.
"""

from __future__ import annotations

import numpy as np

from spacar_py.errors import ConvergenceError
from spacar_py.results import Result, evaluated
from spacar_py.spacarfiles.build import Built
from spacar_py.statics import _Statics

SMALLEST = 1e-4  # part of a step


class Stage:
    """The loads of a model at a level."""

    def __init__(self, built: Built):
        self.built, self.system = built, built.compile()
        dim = built.model.dim
        self.gravity = [np.concatenate([g, np.zeros(3 - dim)]) for g in built.gravity]
        self.drives = [built.prescribed[name] for name in self.system.prescribed]
        self.level = 0.0

    def set(self, level: float) -> None:
        """Bring all loads to a level."""
        t, self.level = self.system.tables, level
        b, d = min(1.0, 1.0 + level), max(level, 0.0)
        t.gravity[:] = b * self.gravity[0] + d * self.gravity[1]
        for row, (base, delta) in enumerate(self.built.forces):
            t.ld_v[row, : len(base)] = b * base + d * delta
        for k, (start, value, delta) in enumerate(self.drives):
            row = int(t.sg_ptr[t.r_sig[k]])
            t.sg_c[row] = 0.0
            t.sg_c[row, 0] = start + b * (value - start) + d * delta

    @property
    def grows(self) -> bool:
        """Whether the file has increments."""
        parts = [self.gravity[1], *[d for _, d in self.built.forces], [d for *_, d in self.drives]]
        return any(np.any(p) for p in parts)

    @property
    def values(self) -> np.ndarray:
        """Prescribed values at the present level."""
        t = self.system.tables
        return np.array([t.sg_c[int(t.sg_ptr[sig]), 0] for sig in t.r_sig])


class Solver:
    """Newton from state to state; steps are halved where it fails."""

    def __init__(self, stage: Stage, iterations: int = 30):
        self.stage, self.iterations = stage, iterations
        stage.set(-1.0)
        self.p = _Statics(stage.built.model, 0.0, (), None)
        self.p.w.fac[:] = 1.0
        self.q, self.level = self.p.q, -1.0
        self._solve(self.q, -1.0)

    def _solve(self, q, level):
        self.stage.set(level)
        self.p.r = self.stage.values
        return self.p.equilibrium(np.array(q), self.iterations)

    def move(self, target: float) -> np.ndarray:
        """Degrees of freedom in equilibrium at the level `target`."""
        h = target - self.level
        while self.level < target - 1e-12:
            goal = min(self.level + h, target)
            new, why = self._solve(self.q, goal)
            if new is not None:
                self.q, self.level = new, goal
                continue
            h /= 2
            if h < SMALLEST:
                what = "base loads" if goal <= 0 else "load steps"
                at = 1 + self.level if goal <= 0 else self.level
                raise ConvergenceError(
                    f"statics: no equilibrium beyond {at:.2%} of the {what}: {why}; "
                    "take smaller loads, or look for buckling"
                )
        self.stage.set(target)
        return self.q

    def point(self) -> Result:
        """Everything at the present state, under its own loads."""
        s = self.stage.system
        Y = np.zeros((1, 3, s.ny))
        Y[0, 0] = np.concatenate([self.q, self.stage.values])
        w = s.work()
        w.X[0] = self.p.w.X[0]
        return evaluated(s, [max(self.level, 0.0)], Y, work=w, given=True, info=dict(method="load steps"))


def joined(points: list[Result]) -> Result:
    """One result of all steps, with the step's part of the increments as its `t`."""
    parts = {
        n: np.concatenate([getattr(r, n) for r in points])
        for n in ("t", "y", "sigma", "f", "energies", "powers", "rho")
    }
    X, E = (np.concatenate([getattr(r, n) for r in points], axis=1) for n in ("X", "E"))
    return Result(points[0].system, X=X, E=E, **parts, info=dict(points[0].info))
