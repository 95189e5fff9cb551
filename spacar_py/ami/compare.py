"""One call for the main comparison: nonlinear, perturbation and AMI with several numbers of modes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..motion import RungeKutta
from .nominal import nominal_motion
from .runs import AMI, PathResult, Perturbation, simulate_path


@dataclass(eq=False)
class Comparison:
    """Results of all methods on one motion.

    Attributes
    ----------
    results : dict
        "nonlinear", "perturbation", and "AMI 4" for four modes, ...
    node : str
        The node whose deviation is compared.
    rows : list of dict
        One row per method: modes, largest difference (m) from the nonlinear and from the perturbation result, steps,
        right-hand sides, and CPU times (s) for linearisation, preparation and integration, without the compiler's.
    """

    results: dict
    node: str
    rows: list

    def __getitem__(self, name: str) -> PathResult:
        if name not in self.results:
            raise InputError(f"comparison: no result '{name}'; known: {', '.join(self.results)}")
        return self.results[name]

    def __str__(self) -> str:
        head = f"{'method':<14}{'modes':>6}  {'to nonlinear [mm]':>19}  {'to perturbation [mm]':>21}"
        head += f"{'steps':>8}{'rhs':>9}{'linearise':>12}{'reduce':>10}{'integrate':>12}"
        lines = [head, "-" * len(head)]
        for r in self.rows:
            cells = [f"{r['method']:<14}{r['modes'] or '-':>6}  {_mm(r['to_nonlinear']):>19}  "]
            cells += [f"{_mm(r['to_perturbation']):>21}{r['steps']:>8}{r['rhs']:>9}"]
            cells += [f"{_ms(r['linearise']):>12}{_ms(r['prepare']):>10}{_ms(r['integrate']):>12}"]
            lines.append("".join(cells))
        return "\n".join(lines)


def _mm(v) -> str:
    return "-" if v is None else f"{1e3 * v:.4f}"


def _ms(v) -> str:
    return "-" if not v else f"{1e3 * v:.2f} ms"


def compare(model, path, controller, *, t_end: float | None = None, modes=None, node: str | None = None, points=None,
            nonlinear=None, perturbation: Perturbation | None = None, ami: AMI | None = None, output: int = 501,
            q0=None, progress=None) -> Comparison:  # fmt: skip
    """Simulate one motion by all methods and compare.

    Parameters
    ----------
    modes : list of int, optional
        Mode counts of AMI; by default 3 to the number of degrees of freedom (as far as there are that many).
    node : str, optional
        Node whose deviation is compared; by default the led one.
    points : int, optional
        Linearisation points of both linear methods.
    nonlinear, perturbation, ami
        The methods' own options; `nonlinear=False` leaves the nonlinear run out.
    progress : function (text), optional

    Returns
    -------
    Comparison
    """
    node = node or getattr(path, "node", None)
    if node is None:
        raise InputError("compare: name the node whose deviation is to be compared, node=...")
    say = progress or (lambda text: None)
    system = model.compile()
    modes = [m for m in (range(3, system.nq + 1) if modes is None else modes)]
    perturbation = perturbation or Perturbation(points=points)
    ami = ami or AMI(points=points)
    results, rows = {}, []
    common = dict(t_end=t_end, points=output, q0=q0)
    _load_kernels(model, path, controller, [nonlinear or RungeKutta()] * (nonlinear is not False)
                  + [perturbation] + [dataclasses.replace(ami, modes=m) for m in modes[:1]], q0)  # fmt: skip
    if nonlinear is not False:
        say("nonlinear")
        results["nonlinear"] = simulate_path(model, path, controller, method=nonlinear or RungeKutta(), **common)
    say("linearisation")
    nominal = nominal_motion(model, path, perturbation.points, q0)
    say("perturbation")
    results["perturbation"] = simulate_path(model, path, controller, method=perturbation, nominal=nominal, **common)
    for m in modes:
        say(f"AMI with {m} modes")
        method = dataclasses.replace(ami, modes=m)
        name = f"AMI {m}" if m != "auto" else "AMI auto"
        results[name] = simulate_path(model, path, controller, method=method, nominal=nominal, **common)
    for name, r in results.items():
        i = r.info
        linear = "linearise" in i
        rows.append(dict(
            method=i["method"] if name != "nonlinear" else "nonlinear", modes=i.get("modes"),
            to_nonlinear=_gap(r, results.get("nonlinear"), node, False),
            to_perturbation=_gap(r, results["perturbation"], node, True) if linear else None,
            steps=i["steps"], rhs=i["rhs"], linearise=i.get("linearise"), prepare=i.get("prepare"), integrate=i["cpu"],
        ))  # fmt: skip
    return Comparison(results, node, rows)


def _load_kernels(model, path, controller, methods, q0) -> None:
    """A thousandth of the motion by each method first: no clock counts the compiler, or kernels read from the disk."""
    nominal = nominal_motion(model, path, 8, q0)
    for method in methods:
        simulate_path(model, path, controller, t_end=1e-3 * path.T, points=3, method=method, nominal=nominal, q0=q0)


def _gap(a, b, node, first_order):
    if b is None or a is b:
        return None
    return float(np.abs(a.deviation(node, first_order) - b.deviation(node, first_order)).max())
