"""The layout of archives: under which name, along which dimensions and in which unit each array is stored."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "spacar_py archive"
VERSION = 1
NESTED = ("nominal", "linear")  # fields that are groups of their own
MATRICES = ("M0", "C0", "D0", "K0", "G0", "N0")


@dataclass(frozen=True)
class Array:
    """Where an array goes: `dims` without the axis along which it is `split` into several named datasets."""

    dims: tuple[str, ...]
    split: tuple[str, ...] = ()
    axis: int = 0
    unit: str = ""
    meaning: str = ""


_T = Array(("t",), unit="s", meaning="time, or load factor of a static result")
_STATE = ("y", "yd", "ydd")
_RESULT = dict(
    t=_T,
    y=Array(("t", "variable"), _STATE, 1, meaning="degrees of freedom and prescribed motions; their rates"),
    X=Array(("t", "coordinate"), ("x", "xd", "xdd"), 0, meaning="nodal coordinates; their rates"),
    E=Array(("t", "deformation"), ("e", "ed", "edd"), 0, meaning="deformations; their rates"),
    sigma=Array(("t", "deformation"), meaning="stress resultants dual to e, reactions included"),
    f=Array(("t", "coordinate"), meaning="forces in held and prescribed coordinates"),
    energies=Array(("t", "energy"), unit="J", meaning="energies"),
    powers=Array(("t", "power"), unit="W", meaning="powers"),
    rho=Array(("t", "variable"), meaning="residual of the equations: drives of prescribed motions"),
    z=Array(("t", "state"), meaning="states of the controller"),
    dq=Array(("t", "dof"), meaning="deviation of the degrees of freedom from the nominal motion"),
    dx=Array(("t", "coordinate"), meaning="deviation of the coordinates to first order, DF dq"),
)
LAYOUT: dict[str, dict[str, Array]] = {
    "Result": _RESULT,
    "PathResult": _RESULT,
    "Nominal": dict(
        t=_T,
        Y=Array(("t", "variable"), _STATE, 1, meaning="nominal motion; its rates"),
        mats=Array(("t", "row", "column"), MATRICES, 1, meaning="linearised matrices on the nominal motion"),
        rho=Array(("t", "row"), meaning="drives u0 in the joint rows, minus the excitation in the flexible ones"),
        sigma=Array(("t", "deformation"), meaning="stress resultants of the nominal motion"),
        X=Array(("t", "coordinate"), meaning="nodal coordinates of the nominal motion"),
        DF=Array(("t", "coordinate", "column"), meaning="dx/dq"),
    ),
    "LinearModel": dict(
        t=_T,
        Y=Array(("t", "variable"), _STATE, 1, meaning="nominal state"),
        all_matrices=Array(("t", "row", "column"), MATRICES, 1, meaning="linearised matrices"),
        rho=Array(("t", "row"), meaning="forces that must be added to hold the nominal state"),
        all_sigma=Array(("t", "deformation"), meaning="stress resultants"),
        all_fx=Array(("t", "coordinate"), meaning="support forces"),
        X=Array(("t", "coordinate"), ("x", "xd", "xdd"), 1, meaning="nodal coordinates; Taylor terms"),
        E=Array(("t", "deformation"), ("e", "ed", "edd"), 1, meaning="deformations; Taylor terms"),
    ),
    "Modes": dict(
        s=Array(("t", "mode"), unit="1/s", meaning="roots, the motion is exp(s t)"),
        shapes=Array(("t", "free", "mode"), meaning="mode shapes, normalised to M0"),
        left=Array(("t", "free", "mode"), meaning="left mode shapes"),
    ),
    "StateSpaceModel": dict(
        A=Array(("t", "state", "state_column")), B=Array(("t", "state", "input")),
        C=Array(("t", "output", "state_column")), D=Array(("t", "output", "input")),
    ),
}  # fmt: skip
ENERGIES = ("kinetic", "elastic", "gravitational")
POWERS = ("loads", "actuators", "dampers", "drives")
FORCE = {"m": "N", "rad": "N m", "1": "N m", "rad/m": "N m^2"}


def labels(obj, system) -> dict[str, list[str]]:
    """Names along each dimension."""
    out = dict(energy=list(ENERGIES), power=list(POWERS))
    if system is not None:
        out |= dict(variable=system.y_names, row=system.y_names, column=system.y_names, dof=system.dof,
                    coordinate=system.x_names, deformation=system.e_names)  # fmt: skip
    if type(obj).__name__ == "Modes":
        out["free"] = obj.linear.dof
    if type(obj).__name__ == "StateSpaceModel":
        out |= dict(state=obj.states, state_column=obj.states, input=obj.inputs, output=obj.outputs)
    return out


def units(system) -> dict[str, list[str]]:
    """Unit of each coordinate, deformation and variable."""
    if system is None:
        return {}
    x, e = ["1"] * system.nx, []
    for (kind, _), (first, n) in system.nodes.items():
        unit = {"point": "m", "warp": "rad/m"}.get(kind, "rad" if n == 1 else "1")
        x[first : first + n] = [unit] * n
    for name, (_, deformations) in system.elements.items():
        e += [_unit(system.model.elements.get(name), d) for d in deformations]
    of = {**dict(zip(system.e_names, e, strict=True)), **dict(zip(system.x_names, x, strict=True))}
    return dict(coordinate=x, deformation=e, variable=[of[n] for n in system.y_names], dof=[of[n] for n in system.dof])


def _unit(element, deformation: str) -> str:
    if element is None:
        return "1"  # length of the Euler parameters
    turns = "hinge" in element.kind or "universal" in element.kind
    return "rad" if turns or deformation.startswith(("angle", "rotation")) else "m"
