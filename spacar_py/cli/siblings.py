"""Commands of the sibling methods: brake, kinetostatics, corotational."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..record import table
from .common import find_case, folder
from .compiling import Compiling, prepare


def _write(record, case, args, screen, name: str) -> list[Path]:
    """Archive, table and pictures of a record; what was written."""
    from ..archive import save

    out = folder(args.out or Path("results") / case.name)
    files = [out / f"{name}.h5", out / f"{name}.txt"]
    record.title = case.title or case.name
    record.text = record.text or str(case.model)
    save(record, files[0], case=case)
    files[1].write_text(f"{record}\n")
    if not args.no_pictures:
        from ..plotting import plot_record

        files.append(out / f"{name}.png")
        with screen.progress("pictures"):
            plot_record(record, path=files[-1])
    return files


# braking --------------------------------------------------------------------------------------------------------------


def brake(args, screen) -> int:
    """Search for the braking time with the least residual vibration."""
    from ..motion import GeneralizedAlpha
    from ..rigidfe.search import brake_curve, search_braking

    case = find_case(args.model)
    if args.chain:
        case.model = _chained(case.model, args.chain)
    speeds, travel = _speeds(args, case)
    observe = _observed(args, case)
    options = dict(rest=args.rest, method=GeneralizedAlpha(args.rtol, args.rtol / 1000))
    begin = time.monotonic()
    with Compiling(screen), screen.progress("braking") as meter:
        if args.times:
            curve = brake_curve(case.model, speeds, travel, args.times, observe, meter, **options)
        else:
            between = args.between or _around(case, travel)
            curve = search_braking(case.model, speeds, travel, between, observe, tol=args.tol, points=args.curve_points,
                                   progress=meter, **options)  # fmt: skip
    curve.info = dict(travel=travel, rest=args.rest, speeds=speeds, rtol=args.rtol)
    record = curve.record()
    files = _write(record, case, args, screen, "brake")
    (T, least), (bad, most) = curve.best, curve.worst
    data = dict(case=case.name, observed=".".join(map(str, curve.observed)), times=curve.times, ranges=curve.ranges,
                others=curve.others, unit=curve.unit, best=dict(time=T, range=least), worst=dict(time=bad, range=most),
                peaks=curve.peaks, seconds=time.monotonic() - begin, files=files)  # fmt: skip
    unit = f"m{curve.unit}"
    summary = f"least vibration {1e3 * least:.4g} {unit} when braking for {T:.5g} s"
    if bad != T:
        times = f", {most / least:.3g} times as much" if least else ""
        summary += f", most {1e3 * most:.4g} {unit} for {bad:.5g} s{times}"
    text = f"{table(record.rows)}\n\n{summary}\n{data['seconds']:.1f} s; written: " + ", ".join(map(str, files))
    screen.result(data, text)
    return 0


def _speeds(args, case) -> tuple[dict, float]:
    if not args.speed:
        from ..rigidfe.search import speeds_of

        speeds, travel = speeds_of(case.model)
        return speeds, args.travel or travel
    speeds = {}
    for text in args.speed:
        name, _, rate = text.rpartition("=")
        try:
            speeds[name] = float(rate)
        except ValueError:
            speeds[name] = np.nan
        if not name or not np.isfinite(speeds[name]):
            raise InputError(f"--speed: must be a joint and its rate, such as joint1.angle=0.785, got {text!r}")
    if args.travel is None:
        raise InputError("--speed: the final pose is not known; add --travel, the time (s) the whole way takes")
    return speeds, args.travel


def _chained(model, texts):
    """The model with the beams that `--chain rod=10` names as rigid finite elements."""
    from ..rigidfe.chain import replace_beam

    for text in texts:
        name, _, count = text.partition("=")
        if not count.isdigit():
            raise InputError(f"--chain: must be a beam and its segments, such as rod=10, got {text!r}")
        model = replace_beam(model, name, elements=int(count))
    return model


def _observed(args, case) -> list[tuple[str, str]]:
    if args.observe is None:
        return [(case.run.node or list(case.model.points)[-1], "y")]
    out = []
    for text in args.observe:
        name, _, component = text.rpartition(".")
        if not name:
            raise InputError(f"--observe: must name a point or element and what of it, such as tip.y, got {text!r}")
        out.append((name, component))
    return out


def _around(case, travel: float) -> tuple[float, float]:
    """Between 0.8 and 1.2 times the braking time of the case's own motion."""
    for status, motion in case.model.e_status.values():
        if status == "prescribed" and len(getattr(motion, "start", ())) == 3:
            T = float(motion.start[2] - motion.start[1])
            return 0.8 * T, min(1.2 * T, 1.99 * travel)
    raise InputError("--between: the case has no braking time of its own; give two times (s), --between 0.4 0.56")


# kineto-statics -------------------------------------------------------------------------------------------------------


def kinetostatics(args, screen) -> int:
    """Drives and joint forces along the motion of a case."""
    from ..bondgraph.core import kinetostatics as by_core

    case = _settings(find_case(args.model), args)
    begin = time.monotonic()
    with Compiling(screen):
        times, motion = _motion(case)
        found = by_core(case.model, times, motion)
    record = found.record()
    data = dict(case=case.name, t=found.t, rows=record.rows)
    lines, drawn = [table(record.rows)], None
    if not args.no_bond_graph:
        drawn, words = _bond_graph(case, times, motion, found, record, data, args.mobility)
        lines.append(words)
    if drawn is not None and not args.no_pictures:
        from ..bondgraph.draw import bond_graph_svg

        record.drawings["Vector bond graph"] = bond_graph_svg(drawn)
    files = _write(record, case, args, screen, "kinetostatics")
    if drawn is not None and not args.no_pictures:
        from ..bondgraph.draw import draw_bond_graph

        files.append(files[0].with_name("bond_graph.png"))
        draw_bond_graph(drawn).figure.savefig(files[-1], dpi=130)
    data |= dict(seconds=time.monotonic() - begin, files=files)
    lines.append(f"{data['seconds']:.1f} s; written: " + ", ".join(map(str, files)))
    screen.result(data, "\n".join(lines))
    return 0


def _settings(case, args):
    new = {k: v for k in ("t_end", "points", "rtol") if (v := getattr(args, k, None)) is not None}
    if new.get("points", 2) < 2:
        raise InputError(f"--points: must be 2 at least, got {new['points']}")
    case.run = replace(case.run, **new)
    return case


def _motion(case):
    """Times and motion for the analysis: signals of a joint path, nothing where all is prescribed, or a simulation."""
    if hasattr(case.path, "joints") and not case.model.compile().flexible.any():
        return np.linspace(case.run.t_start, case.t_end, case.run.points), case.path.joints
    if case.path is None and not case.model.compile().nq:
        return np.linspace(case.run.t_start, case.t_end, case.run.points), {}
    return None, case.simulate()


def _bond_graph(case, times, motion, found, record, data, mobility: float):
    """The graph and the largest difference to the core, or why there is none."""
    from ..bondgraph.analysis import analyse
    from ..bondgraph.assemble import bond_graph

    try:
        graph = bond_graph(case.model, mobility)
        if times is None:
            raise InputError("bond graph: needs joints that follow signals; prescribe them or give a joint path")
        other = analyse(graph, times, motion)
    except InputError as error:
        data["bond_graph"] = None
        return None, f"without bond graph ({error})"
    a, b = found.series(), other.series()
    gaps = {}
    for name in a:
        kind = name.rsplit("_", 1)[0] if name not in found.drives else name
        size = max(np.abs(a[n]).max() for n in a if n == name or n.rsplit("_", 1)[0] == kind)
        gaps[name] = float(np.abs(a[name] - b[name]).max() / max(size, 1e-12))
    worst = max(gaps, key=gaps.get)
    record.info["difference_to_bond_graph"] = gaps[worst]
    data["bond_graph"] = dict(difference=gaps[worst], where=worst, junctions=len(graph.ones) + len(graph.zeros))
    slip = f", whose joints give way by {mobility:g} m/s/N and rad/s/(N m)," if mobility else ""
    return graph, f"core and vector bond graph{slip} differ by {gaps[worst]:.1e} of the largest value at most ({worst})"


# co-rotational --------------------------------------------------------------------------------------------------------


def corotational(args, screen) -> int:
    """The same model by co-rotational beams."""
    from ..corotational import simulate
    from ..corotational.convert import arm_of

    case = _settings(find_case(args.model), args)
    if args.compare:
        _comparable(case, args)
    feed = {"none": None, "gravity": "gravity", "inverse-dynamics": "inverse dynamics"}[args.feedforward]
    arm = arm_of(case.model, case.path, case.controller, elements=args.elements, feedforward=feed,
                 flexible=False if args.rigid else None)  # fmt: skip
    start = args.start or ("equilibrium" if np.any(arm.gravity) else "undeformed")
    with Compiling(screen), screen.progress("co-rotational"):
        result = simulate(arm, case.t_end, case.run.points, _solver(args), start)
    record = result.record()
    data = dict(case=case.name, arm=str(arm), count=result.count, violation=float(result.violation.max()),
                velocity_violation=float(result.velocity_violation.max()), rows=record.rows)  # fmt: skip
    lines = [str(result), table(record.rows)]
    if args.compare:
        lines.append(_against_core(case, args, result, record, data, screen))
    files = _write(record, case, args, screen, "corotational")
    screen.result(data | dict(files=files), "\n".join([*lines, "written: " + ", ".join(map(str, files))]))
    return 0


def _solver(args):
    from ..corotational import Ida, Projected

    if args.solver is None and args.rtol is None:
        return None
    solver = {"ida": Ida, "projected": Projected, None: Projected}[args.solver]
    return solver() if args.rtol is None else solver(rtol=args.rtol, atol=args.rtol / 100)


def _comparable(case, args) -> None:
    """The core runs the model as it is, from the nominal motion, with inverse dynamics fed forward."""
    led = case.path is not None
    if args.rigid:
        raise InputError("--compare: the core runs the model as it is; leave --rigid out")
    if led and (args.feedforward != "inverse-dynamics" or args.start == "rest"):
        what = "--start rest" if args.start == "rest" else f"--feedforward {args.feedforward}"
        raise InputError("--compare: the core starts on the path and feeds inverse dynamics forward; "
                         f"leave {what} out")  # fmt: skip


def _against_core(case, args, result, record, data, screen) -> str:
    from ..corotational.convert import end_point

    prepare(case, (case.run.method,), screen)  # the time of the core is told, not that of the compiler
    with screen.progress("core"):
        core = case.simulate()
    seconds = core.info["cpu"]
    point = end_point(case.model)
    tip = np.zeros((len(core.t), 3))
    tip[:, : core[point].x.shape[1]] = core[point].x
    gap = np.linalg.norm(result.tip - tip, axis=1)
    for k, c in enumerate("xyz"):
        if np.ptp(tip[:, k]) > 0:
            record.series[f"core.tip.{c}"], record.units[f"core.tip.{c}"] = tip[:, k], "m"
    record.series["difference"], record.units["difference"] = gap, "m"
    record.pictures["Distance of the tip from the core's"] = ["difference"]
    ratio = result.count["seconds"] / seconds
    record.info |= dict(core_seconds=seconds, time_ratio=ratio, largest_difference=float(gap.max()))
    data["core"] = dict(seconds=seconds, ratio=ratio, difference=float(gap.max()))
    return f"core: tip differs by {gap.max():.3g} m at most; {seconds:.2f} s, co-rotational {ratio:.2g} times that"
