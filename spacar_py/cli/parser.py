"""The command line as argparse has it; nothing heavy is imported here."""

from __future__ import annotations

import argparse

from .._version import __version__

MODEL = "a built-in case (see `spacar cases`), a model file (.toml) or an archive (.h5)"
COMMANDS: dict[str, tuple[str, str]] = {  # name -> (module, one line)
    "compare": ("running", "nonlinear against perturbation against AMI: table, archive, pictures, report"),
    "run": ("running", "simulate into an archive that can be resumed; run a SPACAR .dat file"),
    "check": ("models", "mobility report, sizes and warnings, without simulating"),
    "modes": ("models", "natural frequencies, damping and what moves"),
    "linearize": ("models", "linearised matrices at the start, in equilibrium or along the path"),
    "batch": ("running", "run a study file: many parameter sets in parallel"),
    "bench": ("running", "CPU time of AMI for each number of modes"),
    "brake": ("siblings", "braking time that leaves the least vibration: curve, table, archive, pictures"),
    "kinetostatics": ("siblings", "drives and joint forces along the motion, by the core and by the bond graph"),
    "corotational": ("siblings", "the same model by co-rotational beams, index 2: archive, pictures"),
    "show": ("files", "what is in an archive"),
    "plot": ("files", "pictures of an archive"),
    "report": ("files", "one self-contained HTML page of an archive"),
    "export": ("files", "a model or an archive as .toml, .json, .csv, .npz or .mat"),
    "schema": ("models", "JSON schema of model files"),
    "cases": ("models", "list the built-in cases"),
    "warmup": ("running", "compile everything now, so that the first run does not wait"),
    "completion": ("files", "shell completion: bash, zsh or fish"),
}
METHODS = ("nonlinear", "implicit", "scipy", "perturbation", "AMI")


def make_parser() -> argparse.ArgumentParser:
    """The parser with all its commands."""
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group("output")
    group.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    group.add_argument("--json", action="store_true", help="print the outcome as one JSON object")
    parser = argparse.ArgumentParser(
        prog="spacar", description="Flexible multibody dynamics: nonlinear, perturbation, adaptive modal integration.",
        epilog="exit codes: 0 done, 1 the input or the run failed, 2 wrong usage, 130 stopped by Ctrl-C",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"spacar_py {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, line) in COMMANDS.items():
        sub = commands.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".", parents=[common])
        ADD[name](sub)
    return parser


def _model(p) -> None:
    p.add_argument("model", help=MODEL)


def _settings(p) -> None:
    g = p.add_argument_group("settings, instead of those of the case")
    g.add_argument("--t-end", type=float, metavar="S", help="end of the run (s)")
    g.add_argument("--points", type=int, metavar="N", help="output points")
    g.add_argument("--linear-points", type=int, metavar="N", help="linearisation points; chosen by itself if not given")
    g.add_argument("--rtol", type=float, help="relative tolerance")
    g.add_argument("--atol", type=float, help="absolute tolerance")
    g.add_argument("--node", help="node whose deviation is compared")


def _out(p, text: str) -> None:
    p.add_argument("-o", "--out", metavar="PATH", help=text)


def _compare(p) -> None:
    _model(p)
    p.add_argument("--modes", type=int, nargs="+", metavar="N", help="mode counts of AMI; by default 3 up to all")
    _settings(p)
    _out(p, "folder for table, archive, pictures and report (default results/NAME)")
    p.add_argument("--no-pictures", action="store_true", help="write no pictures")
    p.add_argument("--no-report", action="store_true", help="write no HTML report")
    p.add_argument("--resume", action="store_true", help="go on with the nonlinear run where it was stopped")


def _run(p) -> None:
    p.add_argument("model", help=MODEL + ", or a SPACAR model (.dat)")
    p.add_argument("--method", choices=METHODS, help="instead of that of the case")
    p.add_argument("--modes", metavar="N", help="modes of AMI, or auto")
    p.add_argument("--order", type=int, choices=(5, 8), help="of the Runge-Kutta pair")
    _settings(p)
    _out(p, "archive (default NAME.h5); for a .dat file the folder of its results")
    p.add_argument("--resume", action="store_true", help="go on where the archive ends, to the same bits")
    p.add_argument("--every", type=float, default=1.0, metavar="S", help="least time between writings (default 1 s)")
    p.add_argument("--mode", type=int, default=10, metavar="N", help="SPACAR's mode of a .dat file (default 10)")


def _check(p) -> None:
    p.add_argument("model", help=MODEL + ", or a SPACAR model (.dat)")


def _at(p) -> None:
    p.add_argument("--at", choices=("start", "static"), default="start",
                   help="linearise in the initial position or in static equilibrium (default start)")  # fmt: skip


def _modes(p) -> None:
    _model(p)
    _at(p)
    p.add_argument("-n", type=int, metavar="N", help="how many, the lowest first (default all)")
    p.add_argument("--kind", choices=("auto", "real", "undamped", "damped"), default="auto")
    _out(p, "archive")


def _linearize(p) -> None:
    _model(p)
    _at(p)
    p.add_argument("--along-path", action="store_true", help="at points along the path instead")
    p.add_argument("--linear-points", type=int, metavar="N", help="how many")
    _out(p, "archive")


def _batch(p) -> None:
    p.add_argument("study", help="study file (.toml)")
    _out(p, "archive (default NAME.h5 beside the study)")
    p.add_argument("--workers", type=int, metavar="N", help="processes on this machine (default one for each core)")
    p.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://10.0.0.1:8786")
    p.add_argument("--retry", action="store_true", help="run again what has failed before")
    p.add_argument("--time-limit", type=float, metavar="S", help="end a run after this time")
    p.add_argument("--csv", metavar="FILE", help="summary table (default NAME.csv beside the archive)")
    p.add_argument("--no-pictures", action="store_true", help="only archive and table")


def _bench(p) -> None:
    _model(p)
    p.add_argument("--modes", type=int, nargs="+", metavar="N", help="mode counts of AMI; by default 3 up to all")
    p.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each, the fastest counts (default 5)")
    _settings(p)


def _brake(p) -> None:
    _model(p)
    p.add_argument("--between", type=float, nargs=2, metavar=("A", "B"), help="interval of braking times (s)")
    p.add_argument("--curve-points", type=int, default=33, metavar="N", help="of the coarse curve (default 33)")
    p.add_argument("--times", type=float, nargs="+", metavar="S", help="only these braking times, no search")
    p.add_argument("--observe", nargs="+", metavar="NAME", help="such as tip.y or rod[0].angle, the first counts "
                   "for what is best (default the case's node, y)")  # fmt: skip
    p.add_argument("--chain", action="append", metavar="BEAM=N", help="this beam as a chain of rigid finite elements, "
                   "of N segments")  # fmt: skip
    p.add_argument("--speed", action="append", metavar="JOINT=RATE", help="driven joint and its rate (rad/s, m/s)")
    p.add_argument("--travel", type=float, metavar="S", help="time the whole way would take at full speed (s)")
    p.add_argument("--rest", type=float, default=0.5, metavar="S", help="time watched after the stop (default 0.5 s)")
    p.add_argument("--tol", type=float, default=1e-4, metavar="S", help="of the best time (default 1e-4 s)")
    p.add_argument("--rtol", type=float, default=1e-8, help="relative tolerance (default 1e-8)")
    _out(p, "folder for archive and pictures (default results/NAME)")
    p.add_argument("--no-pictures", action="store_true", help="only table and archive")


def _kinetostatics(p) -> None:
    _model(p)
    p.add_argument("--t-end", type=float, metavar="S", help="end of the motion (s)")
    p.add_argument("--points", type=int, metavar="N", help="output points")
    p.add_argument("--no-bond-graph", action="store_true", help="the core alone")
    p.add_argument("--mobility", type=float, default=0.0, metavar="B", help="joints of the bond graph give way by this "
                   "velocity per force (m/s/N, rad/s/(N m)); default 0, ideal joints")  # fmt: skip
    _out(p, "folder for archive and pictures (default results/NAME)")
    p.add_argument("--no-pictures", action="store_true", help="only table and archive")


def _corotational(p) -> None:
    _model(p)
    p.add_argument("--elements", type=int, default=10, metavar="N", help="beams per flexible link (default 10)")
    p.add_argument("--rigid", action="store_true", help="all links rigid")
    p.add_argument("--solver", choices=("ida", "projected"), help="SUNDIALS IDA, or SciPy with projection (default: "
                   "IDA where scikit-sundae is installed)")  # fmt: skip
    p.add_argument("--feedforward", choices=("none", "gravity", "inverse-dynamics"), default="inverse-dynamics",
                   help="added to PD control (default inverse-dynamics)")  # fmt: skip
    p.add_argument("--start", choices=("undeformed", "equilibrium", "rest"), help="links straight; bent under their "
                   "weight; or that and standing still (default equilibrium, without gravity undeformed)")  # fmt: skip
    p.add_argument("--compare", action="store_true", help="run the core too: difference of the tip, time against time")
    p.add_argument("--t-end", type=float, metavar="S", help="end of the run (s)")
    p.add_argument("--points", type=int, metavar="N", help="output points")
    p.add_argument("--rtol", type=float, help="relative tolerance")
    _out(p, "folder for archive and pictures (default results/NAME)")
    p.add_argument("--no-pictures", action="store_true", help="only table and archive")


def _archive(p) -> None:
    p.add_argument("archive", help="an archive (.h5)")


def _plot(p) -> None:
    _archive(p)
    _out(p, "folder of the pictures (default beside the archive)")
    p.add_argument("--only", nargs="+", metavar="NAME", help="these pictures, such as deviation, energy, bode")
    p.add_argument("--history", nargs="+", metavar="WHAT", help="quantities over time, such as tip.x tip.deviation.z")
    p.add_argument("--joint", metavar="NAME", help="joint of the Bode diagram (default the first)")
    p.add_argument("--movie", metavar="FILE", help="animation as .gif, or .mp4 where ffmpeg is installed")
    p.add_argument("--result", metavar="NAME", help="which result of a comparison is animated (default the first)")


def _report(p) -> None:
    _archive(p)
    _out(p, "page (default NAME.html beside the archive)")
    p.add_argument("--title", help="heading of the page (default the title or name of the model)")
    p.add_argument("--node", metavar="NAME", help="point whose way is drawn (default the led or the last one)")


def _export(p) -> None:
    p.add_argument("source", help=MODEL)
    p.add_argument("-o", "--out", metavar="PATH", required=True, help="its ending tells the format")
    p.add_argument("--result", metavar="NAME", help="which result of a comparison (default the first)")


def _cases(p) -> None:
    p.add_argument("name", nargs="?", help="print this case as a model file")


ADD = {
    "compare": _compare, "run": _run, "check": _check, "modes": _modes, "linearize": _linearize, "batch": _batch,
    "bench": _bench, "brake": _brake, "kinetostatics": _kinetostatics, "corotational": _corotational,
    "show": _archive, "plot": _plot, "report": _report, "export": _export, "schema": lambda p: None,
    "cases": _cases, "warmup": lambda p: None,
    "completion": lambda p: p.add_argument("shell", choices=("bash", "zsh", "fish")),
}  # fmt: skip
