"""Running a .dat file in SPACAR's modes, with .sbd, .sbm and .ltv written beside it.

run = run_dat("arm.dat", 10)
run.frequencies           # Hz, (steps, modes)
run.result["x5"].x        # by the names of `to_model`
run.files["sbm"]          # path of the file
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from spacar_py.errors import ConvergenceError, InputError
from spacar_py.linearize import modes
from spacar_py.results import Result
from spacar_py.spacarfiles import modes_run
from spacar_py.spacarfiles.binary import SpacarFile, read_ltv, read_sbd, read_sbm, write_ltv, write_sbd, write_sbm
from spacar_py.spacarfiles.build import Built, build, located
from spacar_py.spacarfiles.dat import read_dat
from spacar_py.spacarfiles.datmodel import DatModel
from spacar_py.spacarfiles.load_steps import joined
from spacar_py.spacarfiles.numbering import Numbering, numbering
from spacar_py.spacarfiles.output import Ports, sbd_header, sbd_step, sbm_header, sbm_step, stacked

MODES = {
    0: "mobility", 1: "forward dynamics", 2: "inverse dynamics with set-points", 3: "linearise along the motion",
    4: "forward dynamics and linearise", 7: "frequencies and state space", 8: "buckling",
    9: "state space in static equilibrium", 10: "static load steps with linearised matrices",
}  # fmt: skip
_LINEAR, _STATE_SPACE = (3, 4, 7, 8, 9, 10), (2, 3, 4, 7, 9)
_READ = {"sbd": read_sbd, "sbm": read_sbm, "ltv": read_ltv}


@dataclass(eq=False)
class DatRun:
    """What a run of a .dat file has found.

    Attributes
    ----------
    dat, model, mode
    result : Result
        States with access by name; None where the mobility is all that was asked for and the model cannot move.
    linear : list of LinearModel
        One for each state, in modes that linearise.
    mobility : Mobility
    buckling : (n,) array
        Buckling load multipliers (mode 8), ascending.
    frequencies : (steps, n) array
        Hz, without velocity terms, of K0 + G0 + N0; real and negative for a motion that grows.
    files : dict of str to Path
        What was written: "sbd", "sbm", "ltv".
    warnings : tuple of str
    """

    dat: DatModel
    built: Built
    mode: int
    mobility: object = None
    numbering: Numbering | None = None
    result: Result | None = None
    linear: list = field(default_factory=list)
    buckling: np.ndarray | None = None
    contents: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)

    @property
    def model(self):
        return self.built.model

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.dat.warnings

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies (Hz) of every step."""
        if not self.linear:
            raise InputError(
                f"run of {self.dat.path}: mode {self.mode} ({MODES[self.mode]}) linearises nothing; take mode 7 or 10"
            )
        out = []
        for lin in self.linear:
            s = modes(lin, kind="undamped").s
            out.append(np.where(np.abs(s.imag) > 0, np.abs(s), -np.abs(s)) / (2 * np.pi))
        return np.array(out)

    def read(self, kind: str) -> SpacarFile:
        """The file "sbd", "sbm" or "ltv" that the run has written."""
        if kind not in self.files:
            raise InputError(
                f"run of {self.dat.path}: mode {self.mode} has written no .{kind}; "
                f"it has {', '.join(self.files) or 'none'}"
            )
        return _READ[kind](self.files[kind])

    def __str__(self) -> str:
        lines = [f"{self.dat.path}, mode {self.mode}: {MODES[self.mode]}", str(self.mobility)]
        if self.result is not None and self.mode:
            lines.append(f"{len(self.result)} states")
        if self.linear:
            first = ", ".join(f"{f:.6g}" for f in self.frequencies[-1][:6])
            lines.append(f"frequencies of the last state (Hz): {first}")
        if self.buckling is not None:
            lines.append("buckling multipliers: " + (", ".join(f"{f:.6g}" for f in self.buckling[:6]) or "none"))
        return "\n".join([*lines, *[f"written: {p}" for p in self.files.values()]])


def run_dat(dat, mode: int = 10, *, path=None, states=None, folder=None, write: bool = True, method=None) -> DatRun:
    """Run a .dat file in one of SPACAR's modes.

    Parameters
    ----------
    dat : path of a .dat file, or DatModel
    mode : int
        0 mobility; 1 forward dynamics (TIMESTEP); 2 inverse dynamics with set-points; 3 linearise along the motion;
        4 forward and linearise; 7 frequencies and state space; 8 buckling; 9 state space in static equilibrium; 10
        static load steps with linearised matrices.
    path : path object, optional
        Motion of a node or of the joints, such as LinePath(...), in modes 2 and 3. The meaning of SPACAR's own keywords
        for it (TRAJECT ...) is not established.
    states : path of a .sbd file, SpacarFile or DatRun, optional
        In mode 3: the motion or the static states, perhaps of a model with other classes, about which this one is
        linearised.
    folder : path, optional
        Where the results go; by default beside the model.
    write : bool
        Whether files are written at all.
    method : optional
        Integrator of modes 1 and 4, such as GeneralizedAlpha(); by default Runge-Kutta with the tolerances of ERROR.

    Returns
    -------
    DatRun

    Raises
    ------
    DatError
        With the line, if the model is not valid; InputError if the mode does not suit it.
    """
    if not isinstance(dat, DatModel):
        dat = read_dat(dat)
    if mode not in MODES:
        known = ", ".join(f"{m} ({text})" for m, text in MODES.items())
        raise InputError(f"{dat.path}: there is no mode {mode!r}; known: {known}")
    if not dat.elements:
        raise InputError(f"{dat.path}: the model has no elements; add some to the kinematics")
    built = build(dat)
    run = DatRun(dat, built, mode)
    try:
        run.mobility = built.model.mobility()
        if mode or run.mobility.ok:
            built.compile()
            run.numbering = numbering(dat, built.compile())
            _collect(run, path, states, method)
    except InputError as error:
        raise located(dat, error) from None
    except ConvergenceError as error:
        raise ConvergenceError(f"{dat.path}: {error}") from None
    if write and run.contents:
        _write(run, folder)
    return run


def _collect(run: DatRun, path, states, method) -> None:
    """Go through the states and take down what each file needs of them."""
    system, number = run.built.compile(), run.numbering
    ports = Ports(run.dat, system, number)
    steps = {"sbd": [], "sbm": [], "ltv": []}
    points = []
    for result, linear in modes_run.states_of(run, path, states, method):
        points.append(result)
        if linear is not None and run.mode in _LINEAR:
            run.linear.append(linear)
            steps["sbm"].append(sbm_step(linear, number))
        if linear is not None and run.mode in _STATE_SPACE:
            steps["ltv"].append(ports.step(linear))
        steps["sbd"].append(sbd_step(result, number, 0, linear if run.mode in _LINEAR else None))
    run.result = joined(points)
    headers = {"sbd": sbd_header(run.dat, system, number, run.mode), "sbm": sbm_header(system), "ltv": ports.header()}
    run.contents = {k: (headers[k], stacked(v)) for k, v in steps.items() if v}


def _write(run: DatRun, folder) -> None:
    target = Path(os.fspath(run.dat.path))
    if folder is not None:
        target = Path(os.fspath(folder)) / target.name
    for kind, write in (("sbd", write_sbd), ("sbm", write_sbm), ("ltv", write_ltv)):
        if kind in run.contents:
            file = target.with_suffix(f".{kind}")
            write(file, *run.contents[kind])
            run.files[kind] = file
