"""Commands about archives and other files: show, plot, report, export, completion."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..errors import InputError
from .common import find_case, folder

FORMATS = (".toml", ".json", ".csv", ".npz", ".mat")


def show(args, screen) -> int:
    """What is in an archive."""
    from ..archive import summary

    if is_study(args.archive):
        return _show_study(args.archive, screen)
    data = summary(args.archive)
    lines = [
        f"{data['file']}: {data['kind']} of '{data['model']}', " + ("complete" if data["complete"] else "not complete"),
        f"  written   {data['created']} by spacar_py {data['versions']['spacar_py']}, layout {data['version']}",
    ]
    if "run" in data:
        short = {k: v for k, v in data["run"].items() if k not in ("q0", "qd0")}
        lines.append("  settings  " + ", ".join(f"{k} = {v}" for k, v in short.items()))
    for name, r in data["results"].items():
        span = f", t = {r['t'][0]:g} to {r['t'][1]:g}" if "t" in r else ""
        lines.append(f"  {name:<14}{r['kind']}{span}")
        info = r.get("info", {})
        if info:
            words = [f"{k} {v:.6g}" if isinstance(v, float) else f"{k} {v}" for k, v in info.items()]
            lines.append("    " + ", ".join(words))
        if r.get("checks"):
            words = [f"{k} {v:.3g} J" if isinstance(v, float) else f"{k} {v}" for k, v in r["checks"].items()]
            lines.append("    checks: " + ", ".join(words))
        lines.append("    " + ", ".join(f"{k}{tuple(s)}" for k, s in r["arrays"].items()))
    for name, shape in data.get("series", {}).items():
        lines.append(f"  series    {name} {tuple(shape)}")
    screen.result(data, "\n".join(lines))
    return 0


def _show_study(path, screen) -> int:
    from ..batch import load_study

    found = load_study(path)
    data = dict(file=str(path), kind="study", complete=found.complete, points=len(found.points), done=len(found.rows),
                parameters=found.parameters, methods=found.methods, outputs=found.outputs, failures=found.failures)
    screen.result(data, f"{path}: {'complete' if found.complete else 'not complete'}\n{found}")
    return 0


def plot(args, screen) -> int:
    """Pictures of an archive."""
    from .pictures import pictures

    obj, case = _load(args.archive)
    out = folder(args.out or Path(args.archive).parent)
    files = []
    wanted = dict(only=args.only, history=args.history, joint=args.joint)
    if args.movie is None or args.only or args.history:
        with screen.progress("pictures") as meter:
            files += pictures(obj, out, case, meter, **wanted)
    if args.movie is not None:
        files.append(_movie(obj, case, args.movie, args.result, screen))
    screen.result(dict(files=files), "written: " + ", ".join(str(f) for f in files))
    return 0


def _load(path):
    """What an archive holds, a study as well, and the case that made it where it is known."""
    from ..archive import load, load_case

    if is_study(path):
        from ..batch import load_study

        return load_study(path), None
    obj = load(path)
    try:
        return obj, load_case(path)
    except InputError:
        return obj, None


def _movie(obj, case, path, result, screen) -> Path:
    from ..plotting import animate
    from .pictures import watched

    if hasattr(obj, "results"):
        obj = obj[result or next(iter(obj.results))]
    if not hasattr(obj, "energies"):
        raise InputError(f"plot: a movie needs a result in time, got a {type(obj).__name__}; leave --movie out")
    with screen.progress("movie") as meter:
        return animate(obj, path, trace=watched(obj, case), progress=meter)


def is_study(path) -> bool:
    """Whether a file is the archive of a batch."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return file.attrs.get("format") == "spacar_py study"
    except OSError:
        return False  # the reader of archives says what is wrong with it


def report(args, screen) -> int:
    """One HTML page."""
    from .pages import write_page

    if is_study(args.archive):
        raise InputError(f"{args.archive}: is a study, which has no motion to show; use `spacar plot {args.archive}`")
    obj, case = _load(args.archive)
    page = write_page(obj, Path(args.out or Path(args.archive).with_suffix(".html")), case, args.title, args.node)
    screen.result(dict(page=page), f"written: {page}")
    return 0


def export(args, screen) -> int:
    """A model or a result in another format."""
    out = Path(args.out)
    if out.suffix not in FORMATS:
        raise InputError(f"export: '{out.name}' must end in {', '.join(FORMATS)}")
    if out.suffix in (".toml", ".json"):
        from ..modelfile import case_to_data
        from ..spacarfiles.files import write_bytes
        from ..tomltext import dumps

        data = case_to_data(find_case(args.source))
        text = dumps(data) if out.suffix == ".toml" else json.dumps(data, indent=2) + "\n"
        write_bytes(out, text.encode())
    else:
        _export_result(args, out)
    screen.result(dict(file=out), f"written: {out}")
    return 0


def _export_result(args, out: Path) -> None:
    from ..archive import load

    if Path(args.source).suffix != ".h5":
        raise InputError(f"export: {out.suffix} holds results, '{args.source}' has none; give an archive (.h5)")
    result = load(args.source)
    if type(result).__name__ == "Comparison":
        result = result[args.result or next(iter(result.results))]
    if hasattr(result, "series"):
        _export_record(result, out)
        return
    if not hasattr(result, "energies"):
        raise InputError(f"export: {out.suffix} holds results in time, {args.source} has a {type(result).__name__}")
    s = result.system
    if out.suffix == ".csv":
        from ..spacarfiles.files import write_bytes

        columns = [("t", result.t)]
        columns += zip([*s.y_names, *s.x_names], np.hstack([result.y[:, 0], result.x]).T, strict=True)
        head = ",".join('"' + n.replace('"', '""') + '"' if "," in n or '"' in n else n for n, _ in columns)
        rows = [",".join(map(repr, row)) for row in np.column_stack([v for _, v in columns]).tolist()]
        write_bytes(out, ("\n".join([head, *rows]) + "\n").encode())
        return
    arrays = dict(t=result.t, q=result.q, qd=result.qd, qdd=result.qdd, x=result.x, xd=result.xd, xdd=result.xdd,
                  e=result.e, ed=result.ed, sigma=result.sigma, f=result.f, energy=result.energies)  # fmt: skip
    names = dict(dof=s.dof, coordinates=s.x_names, deformations=s.e_names)
    if out.suffix == ".npz":
        np.savez_compressed(out, **arrays, **{k: np.array(v, dtype=str) for k, v in names.items()})
    else:
        from scipy.io import savemat

        savemat(out, {**arrays, **{k: np.array(v, dtype=object) for k, v in names.items()}}, do_compression=True)


def _export_record(record, out: Path) -> None:
    """Abscissa and series of a sibling method's record."""
    columns = {record.x_name: record.x, **record.series}
    if out.suffix == ".csv":
        from ..spacarfiles.files import write_bytes

        head = ",".join('"' + n.replace('"', '""') + '"' if "," in n or '"' in n else n for n in columns)
        rows = [",".join(map(repr, row)) for row in np.column_stack(list(columns.values())).tolist()]
        write_bytes(out, ("\n".join([head, *rows]) + "\n").encode())
    elif out.suffix == ".npz":
        np.savez_compressed(out, **columns)
    else:
        from scipy.io import savemat

        names = np.array(list(columns), dtype=object)
        savemat(out, dict(names=names, values=np.column_stack(list(columns.values()))), do_compression=True)


def completion(args, screen) -> int:
    """Print the completion script of a shell."""
    from .completion import script

    print(script(args.shell))
    return 0
