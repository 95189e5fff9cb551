"""Exudyn from here: a system without output to files, motions as symbolic functions, one call to solve.

The fast module without range checks is taken. User functions are symbolic, so that no Python runs inside a step.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import exudyn as exu
import numpy as np
from exudyn.advancedUtilities import CreateSymbolicUserFunction

from ._measure import Run

exu.config.printToConsole = False
symbols = exu.symbolic


@dataclass(frozen=True)
class Newton:
    """Settings of Exudyn's Newton method: its own default, looser ones, and a new Jacobian in every iteration."""

    rtol: float = 1e-8
    atol: float = 1e-6
    modified: bool = True


NEWTON = (Newton(), Newton(1e-6, 1e-5), Newton(1e-6, 1e-5, modified=False))


def system():
    """Container (keep it alive) and an empty system with a ground marker for coordinates."""
    container = exu.SystemContainer()
    return container, container.AddSystem()


def offset(mbs, function, rate=None) -> dict:
    """A motion (t) -> value of symbols as arguments of a CoordinateConstraint."""

    def user(mbs, t, itemNumber, lOffset):
        return function(t)

    def user_t(mbs, t, itemNumber, lOffset):
        return rate(t)

    kind = dict(itemTypeName="ObjectConnectorCoordinate")
    found = dict(offsetUserFunction=CreateSymbolicUserFunction(mbs, user, "offsetUserFunction", **kind))
    if rate is not None:
        found["offsetUserFunction_t"] = CreateSymbolicUserFunction(mbs, user_t, "offsetUserFunction_t", **kind)
    return found


def solve(mbs, sensor, steps: int, times, newton=NEWTON[0], *, sparse=True, radius=0.9, label="") -> Run | None:
    """Generalised alpha with a fixed step; None where Newton fails. Seconds of SolveDynamic alone."""
    s = exu.SimulationSettings()
    ti = s.timeIntegration
    ti.numberOfSteps, ti.endTime, ti.verboseMode, ti.adaptiveStep = steps, float(times[-1]), 0, False
    ti.generalizedAlpha.spectralRadius = radius
    ti.newton.useModifiedNewton = newton.modified
    ti.newton.relativeTolerance, ti.newton.absoluteTolerance = newton.rtol, newton.atol
    s.solution.file.write = False
    s.solution.sensors.writePeriod = float(times[1] - times[0])
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse if sparse else exu.LinearSolverType.EXUdense
    s.linearSolver.reuseAnalyzedPattern = sparse
    s.parallel.numberOfThreads = 1
    begin = time.process_time()
    try:
        mbs.SolveDynamic(s)
    except exu.ExudynError:
        return None
    seconds = time.process_time() - begin
    data = mbs.GetSensorStoredData(sensor)
    near = np.abs(data[:, 0, None] - times[None, :]).argmin(axis=0)
    if np.abs(data[near, 0] - times).max() > 1e-9:
        return None  # steps that miss the output times
    return Run(seconds, data[near, 1:], steps, label)


def hold(mbs, node, motions) -> None:
    """Constrain the first coordinates of a node: None at its reference, a function (t) of symbols as displacement."""
    from exudyn.itemInterface import CoordinateConstraint, MarkerNodeCoordinate, NodePointGround

    ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    for k, motion in enumerate(motions):
        marker = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
        given = {} if motion is None else offset(mbs, motion)
        mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, marker], **given))


def position_sensor(mbs, node):
    """Position of a node, kept in memory; the system is assembled."""
    from exudyn.itemInterface import SensorNode

    kind = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind))
    mbs.Assemble()
    return sensor


def settle(mbs) -> None:
    """Static equilibrium with the loads and drives of t = 0 as the initial state."""
    s = exu.SimulationSettings()
    s.staticSolver.newton.relativeTolerance, s.staticSolver.newton.absoluteTolerance = 1e-8, 1e-5
    s.staticSolver.loadStepDuration, s.staticSolver.minimumStepSize = 1e-9, 1e-14  # else the drives see t = 1 s
    s.staticSolver.verboseMode, s.solution.file.write = 0, False
    mbs.SolveStatic(s, updateInitialValues=True)
