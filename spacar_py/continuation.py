"""Large steps in kinematics: from one position to another one in as many smaller steps as Newton needs."""

from __future__ import annotations

import numpy as np

from .dynamics import NEWTON_MOST, position
from .errors import ConvergenceError
from .system import System
from .tables import Arrays

SURE = 8  # iterations within which Newton stays on the branch where it began
HALVINGS = 12


def move(system: System, work: Arrays, y: np.ndarray, ref: np.ndarray, at: str = "the wanted position") -> int:
    """Move from the position in `work` (its y[0] and X[0]) to `y`, halving the step where Newton does not converge.

    Parameters
    ----------
    system : System
    work : Arrays
        Work space at a valid position; at the new one on return.
    y : (ny,) array
        Degrees of freedom and prescribed coordinates to reach.
    ref : (ne,) array
        Deformations at the present position, which decide the turn of angles; updated.
    at : str
        Where that is, for the message, such as "t = 0.135 s".

    Returns
    -------
    int
        The number of steps taken.
    """
    start, goal = work.y[0].copy(), np.asarray(y, float)
    done, step, count = 0.0, 1.0, 0
    while done < 1.0:
        kept = [a.copy() for a in (work.X[0], work.DF, work.yp, ref)]
        aim = min(1.0, done + step)
        work.y[0] = goal if aim == 1.0 else start + aim * (goal - start)
        status = position(system.k, work.k, ref)
        if 0 < status <= SURE or (status > 0 and step < 0.5**HALVINGS):
            ref[:] = work.e[0]
            done, step, count = aim, 2.0 * step, count + 1
            continue
        if step < 0.5**HALVINGS:
            name, size = _largest_residual(system, work)
            work.y[0] = start + done * (goal - start)
            _restore(work, ref, kept)
            raise ConvergenceError(
                f"kinematics did not converge at {at} (largest residual {size:.0e} in {name} after {NEWTON_MOST} "
                f"iterations, {done:.1%} of the way there); try a smaller step"
            )
        _restore(work, ref, kept)
        step *= 0.5
    return count


def _restore(work: Arrays, ref: np.ndarray, kept: list) -> None:
    """Back to a position that was kept, with the DF that predicts from there."""
    work.X[0], work.DF[:], work.yp[:], ref[:] = kept


def _largest_residual(system: System, work: Arrays) -> tuple[str, float]:
    """Name and size of the deformation that is farthest from what it should be."""
    t = system.tables
    wanted = np.where(t.e_y >= 0, work.y[0][t.e_y], 0.0)
    gap = np.where(t.e_given == 1, np.abs(work.e[0] - wanted), 0.0)
    gap = np.where(np.isfinite(gap), gap, np.inf)
    worst = int(np.argmax(gap))
    return system.e_names[worst], float(gap[worst])
