"""Large models: time and memory of statics, frequencies, linearisation and motion as the number of elements grows.

    python benchmarks/large.py                                   # all sections, about five minutes
    python benchmarks/large.py statics motion                    # some of them
    sections: statics frequencies linearise motion memory

Every size runs in a process of its own, so that its peak memory is its own; compilation is not counted. Of several runs
the shortest counts. "slope" is the fitted exponent of the time over the number of elements (or degrees of freedom).
SPACAR's largest licence takes 2000 coordinates, 1300 degrees of freedom and 700 elements.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

import spacar_py as sp
from spacar_py.linearize import linear_model
from spacar_py.sparse.choice import SPARSE_FROM

SECTION = sp.Section(EA=1e6, GJ=80.0, EIy=100.0, EIz=200.0, m=1.0, Jx=2e-4, Jy=1e-4, Jz=1e-4)
SIZES = (100, 300, 1000, 3000, 7000, 10000)
LIMIT = 1.3  # largest exponent of statics and frequencies
STEPS_LIMIT = 1.2  # of the time of a step of the spin-up
OVER = 5.0  # seconds after which nothing is repeated

# models -------------------------------------------------------------------------------------------------------------


def cantilever(n) -> sp.Model:
    """A spatial cantilever of n beams that its load bends by a quarter of its length: a tree."""
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("a", (0, 0, 0))
    m.fix("a")
    m.node("b", (1, 0, 0))
    m.beam("leaf", "a", "b", SECTION, elements=n, flexible="all")
    m.force("b", (0.0, 20.0, -60.0))
    return m


def stage(n) -> sp.Model:
    """A stage on two crossed leaf springs of n / 2 beams each, turned by a moment that follows it: a closed loop."""
    m = sp.Model()
    for name, at in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, at)
    m.fix("A")
    m.fix("D")
    m.beam("one", "A", "C", SECTION, y=(0, 0, 1), elements=n // 2, flexible="all")
    m.beam("two", "D", "B", SECTION, y=(0, 0, 1), elements=n // 2, flexible="all")
    m.beam("body", "B", "C", SECTION, y=(0, 0, 1))
    m.moment("C", (20.0, 5.0, 300.0), follow=True)
    return m


def ladder(n) -> sp.Model:
    """Two rails of one metre with n / 3 rungs, flexible throughout: a closed loop for every rung."""
    rungs = n // 3
    m = sp.Model(gravity=(0, 0, -9.81))
    for i in range(rungs + 1):
        m.node(f"a{i}", (i / rungs, 0, 0))
        m.node(f"b{i}", (i / rungs, 0.1, 0))
    m.fix("a0")
    m.fix("b0")
    for i in range(rungs):
        for rail in "ab":
            m.beam(f"{rail}{i}-", f"{rail}{i}", f"{rail}{i + 1}", SECTION, y=(0, 0, 1), flexible="all")
        m.beam(f"rung{i}", f"a{i + 1}", f"b{i + 1}", SECTION, y=(0, 0, 1), flexible="all")
    return m


def spinup(n) -> sp.Model:
    """The beam of Wu and Haug, 8 m, turned up to 4 rad/s in 15 s, with all its deformations."""
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (8, 0))
    m.hinge("drive", "hub", "arm")
    w, a = 2 * np.pi / 15, 60 / (2 * np.pi) ** 2
    law = sp.Signal([(0.0, [-a, 0, 30 / 15**2, 0, 0, 0, a, w, np.pi / 2]), (15.0, [30.0, 4.0])])
    m.prescribe("drive", "angle", law)
    m.beam("beam", ("hub", "arm"), "tip", sp.Section(EA=5.03e6, EIz=566.0, m=0.201), elements=n, flexible="all")
    return m


def arm(n) -> sp.Model:
    """A planar arm of four links on hinges, n elements together, 2 n + 4 degrees of freedom."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("n0", (0, 0))
    m.fix("n0")
    for k in range(4):
        m.frame(f"r{k}")
        m.node(f"n{k + 1}", (k + 1.0, 0.0))
        m.hinge(f"j{k}", f"n{k}", f"r{k}")
        m.beam(f"b{k}", (f"n{k}", f"r{k}"), f"n{k + 1}", sp.Section(EIz=100.0, m=1.0), elements=n // 4,
               flexible="bending")  # fmt: skip
    return m


MODELS = dict(cantilever=cantilever, stage=stage, ladder=ladder, spinup=spinup, arm=arm)

# one size, in a process of its own ----------------------------------------------------------------------------------


def clock(function, repeat=3):
    """Shortest wall time (s) of several runs, and what the last one returned."""
    times = []
    while len(times) < repeat and sum(times) < OVER:
        begin = time.perf_counter()
        out = function()
        times.append(time.perf_counter() - begin)
    return min(times), out


def statics(model, solver="auto"):
    """Two load steps."""
    return clock(lambda: sp.solve_static(model, steps=2, solver=solver))


def frequencies(model, solver="auto"):
    """Six modes about the position as drawn."""
    return clock(lambda: sp.modes(model, n=6, solver=solver))


def motion(model, solver="auto", step=1e-3, steps=20):
    """CPU seconds per step of the implicit method with a given step: a long run less a short one; the long one."""

    def run(n):
        return sp.simulate(model, t_end=n * step, points=2, method=sp.GeneralizedAlpha(step=step, solver=solver))

    runs = [[run(n) for n in (steps, 3 * steps)] for _ in range(2 if model.compile().nq > 2000 else 7)]
    short, long = (min(r[k].info["cpu"] for r in runs) for k in (0, 1))
    return (long - short) / (2 * steps), runs[-1][1]


def waves(system, N):
    """N states along a slow wave, with velocities and accelerations."""
    rng = np.random.default_rng(1)
    phase = np.linspace(0, 1, N)[:, None] * rng.normal(size=system.nq)
    size = np.where(system.flexible, 1e-3 * 4 / system.nq, 0.3)
    return size * np.sin(phase), size * np.cos(phase), -size * np.sin(phase)


def linearise(model, N, workers):
    """Seconds per point."""
    at = waves(model.compile(), N)
    seconds, linear = clock(lambda: linear_model(model, at, workers=workers), 4)
    return seconds / N, linear


def peak() -> float:
    """Largest memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(task, name, n, *options) -> dict:
    """What a process of its own measures."""
    build, n = MODELS[name], int(n)
    small = {"arm": 8, "spinup": 4}.get(name, 6)
    if task in ("statics", "frequencies"):  # compile the kernels, or fetch them from the disk
        (statics if task == "statics" else frequencies)(build(small), options[0])
    elif task == "motion":
        motion(build(small), options[0], 1e-3, 2)
    elif task == "linearise":
        linearise(build(small), 4, 1)
    base = peak()
    begin = time.perf_counter()
    model = build(n)
    system = model.compile()
    out = dict(elements=n, coordinates=system.nx, dof=system.nq, build=time.perf_counter() - begin)
    if task == "statics":
        out["time"], r = statics(model, options[0])
        out.update(solver=r.info.get("solver", "dense"))
    elif task == "frequencies":
        out["time"], r = frequencies(model, options[0])
        out.update(solver="sparse" if type(r).__name__ == "NodalModes" else "dense", first=float(r.omega[0]))
    elif task == "motion":
        out["time"], r = motion(model, options[0], float(options[1]), int(options[2]))
        out.update(solver=r.info.get("solver", "dense"), steps=r.info["steps"], tangents=r.info["tangents"],
                   rhs=r.info["rhs"])  # fmt: skip
    else:
        N = int(options[0])
        out["time"], r = linearise(model, N, int(options[1]))
        out.update(points=N, result=r.all_matrices.nbytes / 2**20)
    return dict(out, peak=peak(), base=base)


def measure(*case) -> dict:
    """One size in a fresh Python."""
    say = sys.stderr.isatty()
    if say:
        print(f"\r  {' '.join(str(c) for c in case):<60}", end="", file=sys.stderr, flush=True)
    done = subprocess.run([sys.executable, __file__, "--child", *map(str, case)], capture_output=True, text=True)
    if say:
        print(f"\r{'':<64}\r", end="", file=sys.stderr, flush=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(str(c) for c in case)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


# tables -------------------------------------------------------------------------------------------------------------


def slope(rows, x="elements", y="time") -> float:
    """Fitted exponent."""
    return float(np.polyfit(np.log([r[x] for r in rows]), np.log([r[y] for r in rows]), 1)[0])


def verdict(value, limit) -> str:
    return f"{value:.2f} (at most {limit:g}: {'met' if value <= limit else 'NOT met'})"


def by_size(task, unit):
    """One task over all sizes of cantilever and stage."""
    for name in ("cantilever", "stage"):
        rows = []
        print(f"\n{task}, {name}")
        print(f"{'beams':>8} {'coordinates':>12} {'dof':>8} {'solver':>8} {'build s':>9} {unit:>14} {'peak MB':>9}")
        for n in SIZES:
            r = measure(task, name, n, "auto")
            rows.append(r)
            print(f"{r['elements']:>8} {r['coordinates']:>12} {r['dof']:>8} {r['solver']:>8} {r['build']:>9.2f} "
                  f"{r['time']:>14.3f} {r['peak']:>9.0f}", flush=True)  # fmt: skip
        print(f"  slope {verdict(slope(rows), LIMIT)}, from {SIZES[2]} beams on {slope(rows[2:]):.2f}; "
              f"building the model {slope(rows[2:], y='build'):.2f}")  # fmt: skip


def crossing(task, name, sizes, *more, scale=1e3, unit="ms"):
    """Dense against sparse, around the size at which the program changes over."""
    key = "modes" if task == "frequencies" else task
    print(f"\n{task}, {name}: dense and sparse; 'auto' changes over at {SPARSE_FROM[key]} degrees of freedom")
    print(f"{'dof':>8} {'dense ' + unit:>12} {'sparse ' + unit:>12} {'dense / sparse':>16}")
    for n in sizes:
        d, s = (measure(task, name, n, solver, *more) for solver in ("dense", "sparse"))
        print(f"{d['dof']:>8} {scale * d['time']:>12.3f} {scale * s['time']:>12.3f} {d['time'] / s['time']:>16.2f}",
              flush=True)  # fmt: skip


def section_statics():
    by_size("statics", "2 steps, s")
    crossing("statics", "cantilever", (8, 17, 33, 50))


def section_frequencies():
    by_size("frequencies", "6 modes, s")
    crossing("frequencies", "cantilever", (17, 33, 50, 67))


def section_linearise():
    print("\nlinearise, planar arm: one core and all cores, the same numbers")
    print(f"{'dof':>8} {'points':>8} {'one core':>12} {'all cores':>12} {'ratio':>7} {'us per dof^2':>13}")
    rows = []
    for n, N in ((16, 1500), (32, 800), (64, 300), (96, 150), (148, 100)):
        one, all_ = (measure("linearise", "arm", n, N, w) for w in (1, os.cpu_count()))
        rows.append(dict(one, all=all_["time"]))
        a, b = one["time"], all_["time"]
        print(f"{one['dof']:>8} {N:>8} {a * 1e3:>9.3f} ms {b * 1e3:>9.3f} ms {a / b:>7.2f} "
              f"{a * 1e6 / one['dof'] ** 2:>13.4f}", flush=True)  # fmt: skip
    one, all_ = slope(rows, "dof"), slope(rows, "dof", "all")
    print(f"  slope over degrees of freedom: one core {one:.2f}, all cores {all_:.2f} (a matrix has dof^2 entries)")
    print("\nlinearise, 300 degrees of freedom at 1500 points")
    for w in (1, os.cpu_count()):
        r = measure("linearise", "arm", 148, 1500, w)
        print(f"  {w} thread{'s' * (w > 1)}: {r['time'] * 1500:6.1f} s, {r['time'] * 1e3:.2f} ms per point; peak "
              f"{r['peak']:.0f} MB, of which the six matrices take {r['result']:.0f} MB", flush=True)  # fmt: skip


def section_motion():
    print("\nmotion, spin-up beam: implicit steps of 5 ms")
    print(f"{'beams':>8} {'dof':>8} {'solver':>8} {'us per step':>12} {'iterations':>11} {'us per beam':>12}")
    rows = []
    for n in (10, 20, 40, 80, 160):
        r = measure("motion", "spinup", n, "sparse", 5e-3, 200)
        rows.append(r)
        print(f"{n:>8} {r['dof']:>8} {r['solver']:>8} {r['time'] * 1e6:>12.1f} {r['rhs'] / r['steps']:>11.2f} "
              f"{r['time'] * 1e6 / n:>12.2f}", flush=True)  # fmt: skip
    print(f"  slope {verdict(slope(rows), STEPS_LIMIT)}")
    crossing("motion", "spinup", (3, 6, 10, 14, 20, 40), 5e-3, 200, scale=1e6, unit="us")
    crossing("motion", "cantilever_weight", (2, 4, 6, 8, 16), 1e-3, 100, scale=1e6, unit="us")
    for name, sizes in (("cantilever", (300, 1000, 3000, 7000)), ("ladder", (300, 999, 3000, 6999))):
        print(f"\nmotion, {name}: implicit steps of 0.1 ms under sudden weight")
        print(f"{'beams':>8} {'dof':>8} {'ms per step':>12} {'iterations':>11} {'tangents':>9} {'steps':>6} {'MB':>6}")
        rows = []
        for n in sizes:
            r = measure("motion", name + "_weight", n, "sparse", 1e-4, 10)
            rows.append(r)
            print(f"{n:>8} {r['dof']:>8} {r['time'] * 1e3:>12.2f} {r['rhs'] / r['steps']:>11.2f} {r['tangents']:>9} "
                  f"{r['steps']:>6} {r['peak']:>6.0f}", flush=True)  # fmt: skip
        print(f"  slope {slope(rows):.2f}")


def weight(build):
    """The model without its force."""

    def bare(n):
        m = build(n)
        m.loads.clear()
        return m

    return bare


MODELS |= {f"{k}_weight": weight(MODELS[k]) for k in ("cantilever", "ladder")}


def section_memory():
    print("\nmemory: peak of one process, and what a beam adds to it")
    print(f"{'task':>12} {'model':>12} {'beams':>8} {'coordinates':>12} {'time s':>8} {'peak MB':>8} {'kB a beam':>10}")
    for task, name, more in (("statics", "ladder", ("auto",)), ("frequencies", "ladder", ("auto",)),
                             ("motion", "ladder_weight", ("auto", 1e-4, 10))):  # fmt: skip
        for n in (999, 6999):
            r = measure(task, name, n, *more)
            print(f"{task:>12} {name.split('_')[0]:>12} {n:>8} {r['coordinates']:>12} {r['time']:>8.2f} "
                  f"{r['peak']:>8.0f} {(r['peak'] - r['base']) * 1024 / n:>10.1f}", flush=True)  # fmt: skip
    print("  (time of motion: per step)")


SECTIONS = {k.removeprefix("section_"): v for k, v in list(globals().items()) if k.startswith("section_")}


def main() -> None:
    """Run the sections that are named, or all."""
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:])))
        return
    wanted = sys.argv[1:] or list(SECTIONS)
    for name in wanted:
        if name not in SECTIONS:
            raise SystemExit(f"there is no section '{name}'; known: {', '.join(SECTIONS)}")
    load = os.getloadavg()[0]
    print(f"large models with spacar_py {sp.__version__}; load average {load:.1f} on {os.cpu_count()} cores")
    begin = time.perf_counter()
    for name in wanted:
        SECTIONS[name]()
    print(f"\n{time.perf_counter() - begin:.0f} s in all")


if __name__ == "__main__":
    main()
