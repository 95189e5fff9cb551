"""The two-link manipulator of Aarts and Jonker: accuracy and CPU time of all methods, side by side in one run.

    python benchmarks/manipulator.py [folder of the pictures, results/manipulator by default]

Every time is the median of warm runs. The paper's figures 2 to 6 are remade from the same run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import spacar_py as sp
from spacar_py.ami import plots
from spacar_py.ami.runs import simulate_path
from spacar_py.cases import manipulator

TIMES = np.linspace(0.0, manipulator.T_END, 401)
WANTED = 1e-5  # tip error (m) at which the best nonlinear method is taken


def build():
    """Model, path and controller of the paper."""
    return manipulator.build(damping=manipulator.DAMPING), manipulator.path(), manipulator.controller()


def timed(case, method, nominal, runs: int = 5):
    """The result of the last of several warm runs, with the medians of its times."""
    results = [simulate_path(*case, times=TIMES, method=method, nominal=nominal) for _ in range(runs + 1)][1:]
    r = results[-1]
    for key in ("cpu", "prepare"):
        if key in r.info:
            r.info[key] = float(np.median([x.info[key] for x in results]))
    return r


def gap(a, b, first_order: bool = False) -> float:
    """Largest difference of the tip's deviation (m)."""
    return float(np.abs(a.deviation("tip", first_order) - b.deviation("tip", first_order)).max())


def best_implicit(case, nominal, truth):
    """Generalised alpha with the loosest tolerance that reaches the wanted error."""
    for tol in (1e-4, 5e-5, 3e-5, 2e-5, 1e-5, 5e-6, 3e-6, 1e-6):
        method = sp.GeneralizedAlpha(tol, 1e-3 * tol)
        r = timed(case, method, nominal, 3)
        if gap(r, truth) < WANTED:
            return r, tol
    raise RuntimeError("no tolerance reaches the wanted error")


HEAD = f"{'':<24}{'error [mm]':>11}{'steps':>8}{'rhs':>9}{'linearise':>12}{'reduce':>12}{'integrate':>12}"
HEAD += f"{'ratio':>9}{'all':>8}"


def line(name, r, error, base) -> str:
    """One row; ratios to `base` of the integration alone, and of everything."""
    i = r.info
    total = i["cpu"] + i.get("linearise", 0.0) + i.get("prepare", 0.0)
    all_base = base.info["cpu"] + base.info["linearise"] + base.info["prepare"]
    times = "".join(f"{1e3 * i[k]:>9.2f} ms" if k in i else f"{'-':>12}" for k in ("linearise", "prepare", "cpu"))
    ratios = f"{i['cpu'] / base.info['cpu']:>9.1f}{total / all_base:>8.1f}"
    return f"{name:<24}{1e3 * error:>11.4f}{i['steps']:>8}{i['rhs']:>9}{times}{ratios}"


def speed(case, nominal, truth, rtol: float, modes=range(3, 13)):
    """Table of one tolerance; the results by name."""
    atol = 1e-3 * rtol
    rows = {"nonlinear, explicit": timed(case, sp.RungeKutta(5, rtol, atol), nominal, 3)}
    rows["nonlinear, implicit"], tol = best_implicit(case, nominal, truth)
    rows["perturbation"] = timed(case, sp.Perturbation(rtol=rtol, atol=atol), nominal)
    for n in modes:
        rows[f"AMI {n}"] = timed(case, sp.AMI(n, rtol=rtol, atol=atol), nominal)
    base = rows["AMI 4"]
    print(f"\nrtol {rtol:g}; implicit (rtol {tol:g}) at a tip error of {WANTED:g} m; error to the nonlinear truth;")
    print("ratios to AMI 4: of the integration alone, and with linearisation and reduction")
    print(HEAD)
    for name, r in rows.items():
        print(line(name, r, gap(r, truth), base))
    return rows


def targets(rows) -> None:
    """The ratios that were asked for."""
    four = rows["AMI 4"].info["cpu"]
    asked = {"nonlinear, explicit": 50, "nonlinear, implicit": 20, "perturbation": 5}
    for name, least in asked.items():
        print(f"AMI 4 integrates {rows[name].info['cpu'] / four:8.0f} times faster than {name} (asked for: {least})")
    print(f"best nonlinear at {WANTED:g} m: {rows['nonlinear, implicit'].info['cpu']:.3f} s (asked for: at most 0.3 s)")


def points(case, truth) -> None:
    """Error of interpolation over the number of linearisation points, beside that of linearisation."""
    tight = dict(rtol=1e-8, atol=1e-11)
    exact = sp.simulate(*case, times=TIMES, method=sp.Perturbation(3000, **tight))
    print(f"\nlinearisation errs by {1e3 * gap(exact, truth):.4f} mm; interpolation with N points, in mm:")
    print(f"{'N':>8}{'cubic':>12}{'linear':>12}{'step':>12}")
    for N in (24, 48, 96, 192, 250, 500, 1000, 1500):
        cells = []
        for kind in ("cubic", "linear", "step"):
            try:
                r = sp.simulate(*case, times=TIMES, method=sp.Perturbation(N, kind, **tight))
                cells.append(f"{1e3 * gap(r, exact, True):12.5f}")
            except sp.ConvergenceError:
                cells.append(f"{'unstable':>12}")
        print(f"{N:>8}" + "".join(cells))
    print(f"automatic: N = {sp.nominal_motion(*case[:2]).points}")


def corrections(case, nominal) -> None:
    """Error to the perturbation method by correction and number of modes."""
    tight = dict(rtol=1e-8, atol=1e-11)
    full = simulate_path(*case, times=TIMES, method=sp.Perturbation(**tight), nominal=nominal)
    print("\nlargest tip error to the perturbation method, mm (x y z)")
    print(f"{'modes':>6}{'inertial':>26}{'static (the paper)':>26}{'none':>26}")
    for n in range(1, 13):
        cells = []
        for c in ("inertial", "static", "none"):
            r = simulate_path(*case, times=TIMES, method=sp.AMI(n, c, **tight), nominal=nominal)
            e = 1e3 * np.abs(r.deviation("tip", True) - full.deviation("tip", True)).max(axis=0)
            cells.append("".join(f"{v:8.4f}" for v in e))
        print(f"{n:>6}" + "".join(f"{c:>26}" for c in cells))


def figures(case, nominal, folder: Path) -> None:
    """The paper's figures 2 to 6."""
    folder.mkdir(parents=True, exist_ok=True)
    model, path, controller = case
    loops = {"PID": sp.Loop(nominal, controller), "with one pole more": sp.Loop(nominal, manipulator.controller(True))}
    common = dict(t_end=manipulator.T_END, nonlinear=sp.GeneralizedAlpha(1e-6, 1e-9))
    study = sp.compare(model, path, controller, modes=[4], **common)
    plots.plot_nominal(nominal, path=folder / "figure2.png")
    plots.plot_frequencies(loops["PID"], path=folder / "figure3.png")
    plots.plot_loop(loops, 0, (0.0, 1.0), path=folder / "figure4.png")
    plots.plot_deviation(study, path=folder / "figure5.png")
    study = sp.compare(model, path, controller, **common)
    plots.plot_mode_study(study, path=folder / "figure6.png")
    print(f"\npictures in {folder}")


def run(folder: Path = Path("results/manipulator")) -> dict:
    """Print the tables and draw the figures; the rows at rtol 1e-6."""
    case = build()
    nominal = [sp.nominal_motion(*case[:2]) for _ in range(2)][-1]  # the second one is warm
    truth = simulate_path(*case, times=TIMES, method=sp.RungeKutta(5, 1e-8, 1e-11), nominal=nominal)
    for rtol in (1e-4, 1e-6):
        rows = speed(case, nominal, truth, rtol)
        targets(rows)
    corrections(case, nominal)
    points(case, truth)
    figures(case, nominal, folder)
    return rows


if __name__ == "__main__":
    run(*(Path(a) for a in sys.argv[1:2]))
