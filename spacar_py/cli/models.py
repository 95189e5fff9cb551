"""Commands about models: check, modes, linearize, schema, cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import InputError, SpacarError
from .common import find_case
from .compiling import Compiling


def check(args, screen) -> int:
    """Mobility, sizes and warnings; 1 where the model cannot be simulated."""
    if Path(args.model).suffix == ".dat":
        from ..spacarfiles import read_dat
        from ..spacarfiles.build import to_model

        dat = read_dat(args.model)
        model, path, warnings, name = to_model(dat), None, list(dat.warnings), args.model
    else:
        case = find_case(args.model)
        model, path, warnings, name = case.model, case.path, [], case.name
    report = model.mobility()
    data = dict(case=name, ok=report.ok, conditions=report.conditions, coordinates=report.coordinates, rank=report.rank,
                condition_number=report.condition_number, dof=report.dof, redundant=report.redundant,
                free_motions=report.free_motions, warnings=warnings)  # fmt: skip
    lines = [str(model), "", str(report)]
    if report.ok:
        try:
            data["sizes"], more = _sizes(model)
            lines.append("sizes: " + ", ".join(f"{v} {k}" for k, v in data["sizes"].items()))
            warnings += more
            if path is not None:
                warnings += _path_warnings(model, path)
        except SpacarError as error:
            data["ok"] = False
            data["error"] = str(error)
            lines.append(f"error: {error}")
    if report.condition_number > 1e8 and report.ok:
        warnings.append(f"condition number {report.condition_number:.1e}: the model is close to a singular position")
    lines += [f"warning: {w}" for w in warnings]
    screen.result(data, "\n".join([*lines, "" if data["ok"] else "this model cannot be simulated as it is"]).rstrip())
    return 0 if data["ok"] else 1


def _sizes(model) -> tuple[dict, list[str]]:
    from ..linearize import linear_model

    s = model.compile()
    flexible = int(np.sum(s.flexible))
    sizes = {"coordinates": s.nx, "deformations": s.ne, "degrees of freedom": s.nq, "of them flexible": flexible,
             "prescribed": s.ny - s.nq}  # fmt: skip
    warnings = []
    if s.python_signals or model.user_forces:
        return sizes, ["the model has Python functions and runs on the slower path"]
    if s.nq:
        M = linear_model(model).M0
        scale = np.sqrt(np.maximum(np.diag(M), 1e-300))
        bare = [n for n, m in zip(s.dof, np.diag(M), strict=True) if m <= 0]
        if bare:
            warnings.append(f"nothing gives inertia to {', '.join(bare[:6])}; add a mass, or make it rigid or released")
        elif np.linalg.cond(M / np.outer(scale, scale)) > 1e12:
            warnings.append("the mass matrix is close to singular; motions of it have hardly any inertia")
    return sizes, warnings


def _path_warnings(model, path) -> list[str]:
    from ..ami.nominal import joint_motion

    joint_motion(model.compile(), path, np.linspace(0, path.T, 101))  # raises where the path is out of reach
    return []


def _state(case, at: str):
    if at == "start":
        return None
    from ..statics import solve_static

    return solve_static(case.model)


def _linear(case, at):
    from ..linearize import linear_model

    state = _state(case, at)
    return linear_model(case.model) if state is None else linear_model(case.model, state, index=-1)


def _along_path(case, points):
    from ..ami.nominal import nominal_motion
    from ..linearize import linear_model

    n = nominal_motion(case.model, case.path, points, case.run.q0 or None)
    nq = n.system.nq
    return linear_model(case.model, (n.Y[:, 0, :nq], n.Y[:, 1, :nq], n.Y[:, 2, :nq]), n.t)


def modes(args, screen) -> int:
    """Natural frequencies."""
    case = find_case(args.model)
    if args.n is not None and args.n < 1:
        raise InputError(f"-n: must be 1 at least, got {args.n}")
    from ..linearize import modes as find_modes

    with Compiling(screen):
        found = find_modes(_linear(case, args.at), n=args.n, kind=args.kind)
    if args.out:
        from ..archive import save

        save(found, args.out)
    rows = [dict(mode=j + 1, s=m.s, omega=m.omega, frequency=m.frequency, damping=m.damping, name=m.name)
            for j, m in enumerate(found[k] for k in range(len(found)))]  # fmt: skip
    text = f"{found}" + (f"\nwritten: {args.out}" if args.out else "")
    screen.result(dict(case=case.name, at=args.at, kind=found.kind, modes=rows), text)
    return 0


def linearize(args, screen) -> int:
    """Matrices of the linearised equations."""
    case = find_case(args.model)
    if args.along_path and case.path is None:
        raise InputError(f"case '{case.name}': has no path; leave --along-path out")
    with Compiling(screen):
        linear = _along_path(case, args.linear_points) if args.along_path else _linear(case, args.at)
    if args.out:
        from ..archive import save

        save(linear, args.out, case=case)
    data = dict(case=case.name, points=len(linear), dof=linear.dof, inputs=linear.input_names)
    if linear.single:
        data |= {k: getattr(linear, k) for k in ("M0", "C0", "D0", "K0", "G0", "N0", "B0")}
    screen.result(data, f"{linear}" + (f"\nwritten: {args.out}" if args.out else ""))
    return 0


def schema(args, screen) -> int:
    """JSON schema of model files, always as JSON."""
    import json

    from ..modelfile import json_schema

    print(json.dumps(json_schema(), indent=2))
    return 0


def cases(args, screen) -> int:
    """List the built-in cases, or print one."""
    from .. import cases as built_in

    if args.name is None:
        rows = {n: built_in.title(n) for n in built_in.names()}
        screen.result(rows, "\n".join(f"{n:<{max(map(len, rows)) + 2}}{t}" for n, t in rows.items()))
        return 0
    from ..modelfile import case_to_data
    from ..tomltext import dumps

    data = case_to_data(built_in.load(args.name))
    screen.result(data, dumps(data).rstrip())
    return 0
