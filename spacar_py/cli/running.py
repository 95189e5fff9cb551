"""Commands that simulate: compare, run, batch, bench, warmup."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path

from ..errors import InputError
from .common import change, find_case, folder
from .compiling import Compiling, prepare


def compare(args, screen) -> int:
    """Nonlinear against perturbation against AMI."""
    case = change(find_case(args.model), args)
    if args.modes is not None and min(args.modes) < 1:
        raise InputError(f"--modes: must be 1 at least, got {min(args.modes)}")
    if case.path is None:
        raise InputError(f"case '{case.name}': a comparison needs a path; add a [path] table to the model file")
    out = folder(args.out or Path("results") / case.name)
    begin = time.monotonic()
    prepare(case, ("nonlinear", "perturbation", "AMI"), screen)
    compiled = time.monotonic() - begin
    comparison = compared(case, out, args, screen)
    from ..archive import save

    archive = out / "compare.h5"
    save(comparison, archive, case=case)
    (out / "nonlinear.h5").unlink(missing_ok=True)
    (out / "table.txt").write_text(f"{comparison}\n")
    files = [archive, out / "table.txt"]
    screen.say(f"{case.title or case.name}\n\n{comparison}\n")
    if not args.no_pictures:
        from .pictures import pictures

        with screen.progress("pictures") as meter:
            files += pictures(comparison, out, case, meter)
    if not args.no_report:
        files += _report(comparison, out / "report.html", case, screen)
    seconds = time.monotonic() - begin
    text = f"{seconds:.1f} s, {compiled:.1f} s of them to compile and load; written: " + ", ".join(map(str, files))
    screen.result(dict(case=case.name, node=comparison.node, rows=comparison.rows, seconds=seconds, compiled=compiled,
                       files=files), text)  # fmt: skip
    return 0


def _report(comparison, page: Path, case, screen) -> list[Path]:
    """The page, or a note where plotly is not installed."""
    from ..errors import MissingExtraError
    from .pages import write_page

    try:
        return [write_page(comparison, page, case)]
    except MissingExtraError as error:
        screen.note(f"no report written: {error}")
        return []


def compared(case, out: Path, args, screen):
    """The Comparison, its nonlinear run kept on the way so that Ctrl-C loses nothing."""
    from ..ami.compare import Comparison
    from ..checkpoint import run_saved

    kept = out / "nonlinear.h5"
    nonlinear = _sub(case, "nonlinear")
    try:
        with screen.progress("nonlinear") as meter:
            full = run_saved(nonlinear, kept, resume=args.resume, progress=meter)
        with screen.progress("linear methods") as meter:
            counts = args.modes or case.run.compare_modes or range(3, full.system.nq + 1)
            steps = iter(range(1, len(counts) + 3))  # linearisation, perturbation, each number of modes
            done = lambda text: meter(next(steps) / (len(counts) + 3))  # noqa: E731
            linear = case.compare(args.modes, nonlinear=False, progress=done)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_kept(kept, _again(args))) from None
    node = linear.node
    first = dict(method="nonlinear", modes=None, to_nonlinear=None, to_perturbation=None, steps=full.info["steps"],
                 rhs=full.info["rhs"], linearise=None, prepare=None, integrate=full.info["cpu"])  # fmt: skip
    for row, result in zip(linear.rows, linear.results.values(), strict=True):
        row["to_nonlinear"] = float(abs(result.deviation(node) - full.deviation(node)).max())
    return Comparison({"nonlinear": full, **linear.results}, node, [first, *linear.rows])


def _sub(case, method):
    return replace(case, run=replace(case.run, method=method))


def _again(args) -> str:
    """The command that goes on with this one."""
    return shlex.join(["spacar", *args.words, *([] if args.resume else ["--resume"])])


def _kept(path: Path, command: str) -> str:
    if not path.exists():
        return "nothing was finished yet"
    return f"what was done is kept in {path}; go on with: {command}"


def run(args, screen) -> int:
    """Simulate into an archive, or run a SPACAR model."""
    if Path(args.model).suffix == ".dat":
        return _run_dat(args, screen)
    from ..checkpoint import run_saved

    if not args.every >= 0:
        raise InputError(f"--every: must be a time in seconds, 0 at least, got {args.every:g}")
    source = Path(args.model)
    case = change(find_case(args.model), args)
    if source.suffix == ".h5" and not args.out:
        if not args.resume:
            raise InputError(f"{source}: is an archive; add --resume to go on with it, or --out to write another one")
        out = source
    else:
        out = Path(args.out or f"{case.name}.h5")
    if out.parent != Path("."):
        folder(out.parent)
    begin = time.monotonic()
    prepare(case, (case.run.method,), screen)
    try:
        with screen.progress(case.run.method) as meter:
            result = run_saved(case, out, resume=args.resume, every=args.every, progress=meter)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_kept(out, f"spacar run {out} --resume")) from None
    info = {k: v for k, v in result.info.items() if isinstance(v, (bool, int, float, str))}
    data = dict(case=case.name, archive=out, points=len(result.t), t_end=result.t[-1], seconds=time.monotonic() - begin,
                info=info)  # fmt: skip
    screen.result(data, f"{result}\n{data['seconds']:.1f} s; written: {out}")
    return 0


def _run_dat(args, screen) -> int:
    from ..spacarfiles.run import MODES, run_dat

    if args.mode not in MODES:
        raise InputError(f"--mode: must be one of {', '.join(map(str, MODES))}, got {args.mode}")
    with Compiling(screen):
        done = run_dat(args.model, args.mode, folder=folder(args.out) if args.out else None)
    for warning in done.warnings:
        screen.note(f"warning: {warning}")
    data = dict(model=args.model, mode=args.mode, what=MODES[args.mode], files=done.files, warnings=list(done.warnings))
    lines = [f"mode {args.mode}, {MODES[args.mode]}"]
    if done.mobility is not None:
        data["dof"] = done.mobility.dof
        lines.append(str(done.mobility))
    if done.linear:
        data["frequencies"] = done.frequencies
        lines += ["frequencies (Hz), lowest first, of the last state:", _row(done.frequencies[-1])]
    if done.buckling is not None:
        data["buckling"] = done.buckling
        lines += ["buckling load multipliers:", _row(done.buckling)]
    lines.append("written: " + (", ".join(str(f) for f in done.files.values()) or "nothing"))
    screen.result(data, "\n".join(lines))
    return 0


def _row(values, most: int = 8) -> str:
    return "  ".join(f"{v:.6g}" for v in values[:most]) + (" ..." if len(values) > most else "")


def batch(args, screen) -> int:
    """Run a study file."""
    from ..batch import read_study, run_study

    study = read_study(args.study)
    out = Path(args.out or Path(args.study).with_suffix(".h5"))
    if out.parent != Path("."):
        folder(out.parent)
    options = {k: getattr(args, k) for k in ("workers", "scheduler", "retry", "time_limit")}
    try:
        with Compiling(screen) as compiling, screen.progress("batch") as meter:

            def progress(done, total, rows):
                compiling.stop.set()  # one run is through: all kernels are there
                meter(done / max(total, 1))

            result = run_study(study, out, progress=progress, **options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"finished runs are kept; go on with: spacar batch {args.study} -o {out}") from None
    files = [out, Path(args.csv) if args.csv else out.with_suffix(".csv")]
    result.to_csv(files[1])
    if not args.no_pictures:
        for output in result.outputs:
            picture = out.with_name(f"{out.stem}_{output}.png")
            result.plot(output, path=picture)
            files.append(picture)
    failures = result.failures
    data = dict(archive=out, rows=result.table(), failures=failures, files=files)
    screen.result(data, f"{result}\nwritten: " + ", ".join(str(f) for f in files))
    return 0 if len(failures) < len(data["rows"]) else 1


def bench(args, screen) -> int:
    """CPU time of the linear methods, the fastest of several runs."""
    case = change(find_case(args.model), args)
    if args.repeat < 1:
        raise InputError(f"--repeat: must be 1 at least, got {args.repeat}")
    if args.modes is not None and min(args.modes) < 1:
        raise InputError(f"--modes: must be 1 at least, got {min(args.modes)}")
    if case.path is None:
        raise InputError(f"case '{case.name}': a benchmark of the methods needs a path; add a [path] table")
    prepare(case, ("perturbation", "AMI"), screen)
    best: list[dict] = []
    with screen.progress("bench") as meter:
        for k in range(args.repeat):
            rows = case.compare(args.modes, nonlinear=False).rows
            best = best or rows
            for old, new in zip(best, rows, strict=True):
                for key in ("linearise", "prepare", "integrate"):
                    old[key] = min(old[key], new[key])
            meter((k + 1) / args.repeat)
    lines = [f"{'method':<14}{'modes':>6}{'steps':>8}{'rhs':>9}{'linearise':>12}{'reduce':>12}{'integrate':>12}"]
    for r in best:
        times = "".join(f"{1e3 * r[k]:>9.2f} ms" for k in ("linearise", "prepare", "integrate"))
        lines.append(f"{r['method']:<14}{r['modes'] or '-':>6}{r['steps']:>8}{r['rhs']:>9}{times}")
    screen.result(dict(case=case.name, repeat=args.repeat, rows=best), "\n".join(lines))
    return 0


def warmup(args, screen) -> int:
    """Compile every kernel that the commands use."""
    from .. import cases
    from ..linearize import modes

    begin = time.monotonic()
    steps = [("manipulator", "nonlinear"), ("manipulator", "perturbation"), ("manipulator", "AMI"),
             ("braking_planar", "implicit")]  # fmt: skip
    with Compiling(screen):
        for name, method in steps:
            case = cases.load(name)
            case.run = replace(case.run, points=5, t_end=0.01)
            case.simulate(method)
        modes(cases.load("manipulator").model)
    seconds = time.monotonic() - begin
    screen.result(dict(seconds=seconds), f"ready after {seconds:.1f} s")
    return 0
