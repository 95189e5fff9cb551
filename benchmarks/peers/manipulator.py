"""The two-link manipulator of Aarts and Jonker, 2 s, beside Exudyn: joint angles prescribed; torque driven with PD.

Prescribed: every joint from its angle at A to that at B by a quintic in 1 s, the links straight at the start, so that
gravity sets them swinging. Driven: the tip on the straight line, PD with fixed gains and the nominal drives fed
forward, from the state of rest; Exudyn gets reference and drives as piecewise polynomials (within 1e-7 of them).
Preparation (nominal motion, static start) is timed in neither code. AMI with 4 modes runs at its own accuracy.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import cheb2poly

import spacar_py as sp
from spacar_py.ami.runs import simulate_path
from spacar_py.cases import manipulator as case
from spacar_py.signals import quintic

from . import _arm
from . import _exudyn as ex
from ._measure import Run, best, counts, distance, interleaved, line, verdict
from ._ours import timed

TIMES = np.linspace(0.0, case.T_END, 101)
TARGET = 1e-5  # m
ELEMENTS = (1, 2, 4, 8)  # per link, of Exudyn
JUDGED = 4  # the coarsest within 1 mm of the one cubic element of ours
KP, KD = (4000.0, 4000.0, 2000.0), (500.0, 500.0, 250.0)
NEWTON = (ex.Newton(1e-8, 1e-6), ex.Newton(1e-6, 1e-5), ex.Newton(1e-4, 1e-3), ex.Newton(1e-6, 1e-5, modified=False))


def method_ladders():
    """Generalised alpha with fixed steps and with error control, Runge-Kutta with error control."""
    for rtol in (1e-5, 1e-3):
        row = [sp.GeneralizedAlpha(rtol, 1e-3 * rtol, 0.9, case.T_END / n) for n in counts(400, 8000, 100)]
        yield "fixed step", row
    tolerances = 10.0 ** np.arange(-3.0, -8.0, -0.25)
    yield "error control", [sp.GeneralizedAlpha(t, 1e-3 * t, 0.9) for t in tolerances]
    yield "explicit", [sp.RungeKutta(5, t, 1e-3 * t) for t in (1e-3, 1e-4, 1e-5)]


def our_ladders(simulate):
    """Runs over all methods; simulate takes one."""
    for label, methods in method_ladders():
        yield [lambda m=m, label=label: timed(lambda: simulate(m), label) for m in methods]


def peer(n, joint, steps, newton, rest: bool = False, sparse: bool = True) -> Run | None:
    """One run of Exudyn, from the state of rest or from the straight links."""
    keep, mbs, sensor = _arm.build(n, joint)
    if rest:
        ex.settle(mbs)
    kind = ("modified" if newton.modified else "full Newton") + (", sparse" if sparse else ", dense")
    return ex.solve(mbs, sensor, steps, TIMES, newton, sparse=sparse, label=kind)


def peer_best(n, joint, truth, rest: bool):
    """Fixed steps with every setting of Newton, then the other linear solver with the best of them."""
    def ladder(newton, sparse):
        return [lambda s=s: peer(n, joint, s, newton, rest, sparse) for s in counts(400, 12000, 100)]

    return best((ladder(w, sparse) for w in NEWTON for sparse in ((True, False) if n < 4 else (True,))), truth, TARGET)


def compare(title: str, simulate, fine, joint, rest: bool) -> tuple[float, float]:
    """Table of one case: seconds of ours and of Exudyn with the judged number of elements."""
    print(f"\n{title}, {case.T_END:g} s, ms at a tip error of {TARGET:g} m against each code's own refined solution")
    line("", "time", "steps", "error um", "ours/this", "apart mm")
    mine = timed(lambda: simulate(fine)).tip
    found, apart = {"ours": best(our_ladders(simulate), mine, TARGET)}, {"ours": 0.0}
    for n in ELEMENTS:
        truth = next(r for r in (peer(n, joint, 20000, w, rest) for w in NEWTON) if r is not None).tip
        found[f"Exudyn {n}"] = peer_best(n, joint, truth, rest)
        apart[f"Exudyn {n}"] = 1e3 * distance(mine, truth)
    t = interleaved(found)
    for name, f in found.items():
        what = f"{name}, {f.label}"
        line(what, 1e3 * t[name], str(f.steps), 1e6 * f.error, t["ours"] / t[name], apart[name])
    return t["ours"], t[f"Exudyn {JUDGED}"]


def prescribed() -> None:
    """Joint angles given."""
    move = case.joint_angles(case.B) - case.joint_angles(case.A)
    model = case.build(damping=case.DAMPING)
    for name, angle in zip(case.JOINTS, move, strict=True):
        model.prescribe(*name.split("."), quintic(0.0, angle, case.T))
    model.compile()

    def angle(k):
        def of(t):
            return ex.symbols.IfThenElse(t < case.T, move[k] * t**3 * (10 - t * (15 - 6 * t)), float(move[k]) + 0 * t)

        return of

    joint = _arm.prescribed([angle(k) for k in range(3)])
    fine = sp.GeneralizedAlpha(1e-9, 1e-12, 0.9)
    mine, theirs = compare("Manipulator, angles prescribed", lambda m: sp.simulate(model, times=TIMES, method=m), fine,
                           joint, False)  # fmt: skip
    verdict(f"ours/Exudyn with {JUDGED} elements", mine / theirs, 0.5)


def pieces(t, values, kinks, degree: int = 14):
    """Functions (k, t) of symbols for columns of values and their rates, a polynomial between each two kinks."""
    fits = []
    for a, b in zip(kinks, kinks[1:], strict=False):
        at = (t >= a - 1e-12) & (t <= b + 1e-12)
        few = min(degree, int(at.sum()) - 3)
        fits.append([Chebyshev.fit(t[at], v[at], few, domain=[a, b]) for v in values.T])

    def function(order):
        def of(k, s):
            out = float(values[-1, k]) if order == 0 else 0.0
            for (a, b), fit in reversed(list(zip(zip(kinks, kinks[1:], strict=False), fits, strict=True))):
                x = (s - a) * (2 / (b - a)) - 1
                horner = 0.0 * x
                for c in cheb2poly(fit[k].deriv(order).coef if order else fit[k].coef)[::-1]:
                    horner = horner * x + float(c)
                out = ex.symbols.IfThenElse(s < b, horner, out + 0 * s)
            return out

        return of

    return function(0), function(1)


def driven() -> None:
    """PD and feedforward; AMI beside."""
    model, path = case.build(damping=case.DAMPING), case.path()
    pd = sp.PD(kp=KP, kd=KD, scheduled=False)
    nominal = sp.nominal_motion(model, path)
    kinks = np.unique(np.clip(path.kinks, 0, case.T))
    t = np.unique(np.concatenate([nominal.t, *(np.linspace(a, b, 60) for a, b in zip(kinks, kinks[1:], strict=False))]))
    angle, rate = pieces(t, nominal.motion(t)[:, 0, nominal.em], kinks)
    u0, _ = pieces(nominal.t, nominal.u0, kinks)
    joint = _arm.driven(angle, rate, u0, KP, KD)

    def simulate(method):
        return simulate_path(model, path, pd, times=TIMES, method=method, nominal=nominal)

    fine = sp.GeneralizedAlpha(1e-9, 1e-12, 0.9)
    mine, theirs = compare("Manipulator, torque driven with PD", simulate, fine, joint, True)
    verdict(f"ours/Exudyn with {JUDGED} elements", mine / theirs, 0.5)
    truth = timed(lambda: simulate(fine)).tip
    runs = [timed(lambda: simulate(sp.AMI(4))) for _ in range(6)][1:]
    inner = [timed(lambda: simulate(sp.AMI(4)), inner=True) for _ in range(6)][1:]
    whole, part = (float(np.median([r.seconds for r in x])) for x in (runs, inner))
    error = 1e6 * distance(runs[0].tip, truth)
    line("AMI, 4 modes, whole call", 1e3 * whole, str(runs[0].steps), error, whole / theirs)
    line("AMI, 4 modes, integration", 1e3 * part, str(runs[0].steps), "", part / theirs)
    verdict("Exudyn's nonlinear run over AMI 4, integration", theirs / part, 30, at_most=False)
    print(f"  with reduction and evaluation at {len(TIMES)} times: {theirs / whole:.3g}")


def main() -> None:
    """Both cases."""
    prescribed()
    driven()
