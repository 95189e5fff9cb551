"""Speed of the core: right-hand sides, import, first simulation with a cold and with a warm cache, growth with a chain.

    python benchmarks/core.py [--no-cold]

The targets hold for an idle machine; the load average is printed beside the figures. Every timing is the best of
several, so that other work on the machine disturbs least.
"""

import os
import subprocess
import sys
import tempfile
import time

import numba
import numpy as np

import spacar_py as sp
from spacar_py.cases.manipulator import build
from spacar_py.controller import pack_control
from spacar_py.integrate.rates import rates

FIRST = """
import time
begin = time.perf_counter()
import spacar_py as sp
from spacar_py.cases.manipulator import build
sp.simulate(build(), t_end=0.01, points=11)
print(time.perf_counter() - begin)
"""


@numba.njit(error_model="numpy")
def repeat(t, w, c, ref, start, s, ds, n, step):
    """n right-hand sides at states `step` apart in time, to and fro, as the stages of an integrator have them."""
    worst, nq = 1, start.size // 2
    for k in range(n):
        m = k % 16
        for i in range(nq):
            s[i] = start[i] + step * min(m, 16 - m) * start[nq + i]
        worst = min(worst, rates(t, w, c, ref, 0.0, s, ds))
    return worst


def right_hand_side(model, n=4000, best=7) -> float:
    """Microseconds of one right-hand side inside a compiled loop, at states 1 ms of a slow motion apart."""
    system = model.compile()
    w, c, ref = system.work(), pack_control(), np.zeros(system.ne)
    start = np.concatenate([system.y0[: system.nq], np.linspace(-0.1, 0.1, system.nq)])
    s, ds = start.copy(), np.zeros_like(start)
    repeat(system.k, w.k, c.k, ref, start, s, ds, 2, 1e-3)
    found = []
    for _ in range(best):
        begin = time.perf_counter()
        status = repeat(system.k, w.k, c.k, ref, start, s, ds, n, 1e-3)
        found.append(time.perf_counter() - begin)
        assert status == 1
    return min(found) / n * 1e6


def chain(n) -> sp.Model:
    """A spatial cantilever of n beams, six degrees of freedom each."""
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("root", (0, 0, 0))
    m.fix("root")
    m.node("tip", (1, 0, 0))
    section = sp.Section(EA=1e4, GJ=10.0, EIy=20.0, EIz=30.0, m=1.0, Jx=1e-3, Jy=5e-4, Jz=5e-4)
    m.beam("beam", "root", "tip", section, elements=n, flexible="all")
    return m


def process(code, cache=None) -> float:
    """Seconds that a fresh Python prints."""
    env = dict(os.environ, **({"SPACAR_CACHE_DIR": cache} if cache else {}))
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return float(out.stdout.split()[-1])


def row(what, value, unit, target=None) -> None:
    """One line of the table."""
    verdict = "" if target is None else f"   target {target:g} {unit}: {'met' if value <= target else 'NOT met'}"
    print(f"  {what:<58}{value:10.3g} {unit}{verdict}", flush=True)


def main() -> None:
    """Print the table."""
    print(f"core of spacar_py {sp.__version__}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    code = "import time; t = time.perf_counter(); import spacar_py; print(time.perf_counter() - t)"
    row("import spacar_py", min(process(code) for _ in range(5)), "s", 0.5)
    names = code.replace("import spacar_py;", "from spacar_py import Model, Section, simulate;")
    row("import of Model, Section and simulate from it", min(process(names) for _ in range(5)), "s")
    if "--no-cold" not in sys.argv:
        with tempfile.TemporaryDirectory() as cache:
            row("first simulation of the manipulator, compilation included", process(FIRST, cache), "s", 40)
            row("the same in a new process, cache warm", min(process(FIRST, cache) for _ in range(3)), "s", 2)
    row("right-hand side of the manipulator, 12 degrees of freedom", right_hand_side(build()), "us", 30)
    sizes, times = np.array([1, 2, 4, 8, 16, 32]), []
    for n in sizes:
        times.append(right_hand_side(chain(n), n=max(20, 4000 // n**2), best=5))
        row(f"right-hand side of a chain of {n} beams, {6 * n} degrees of freedom", times[-1], "us")
    for a, b in ((0, 3), (3, 6)):
        order = np.polyfit(np.log(sizes[a:b]), np.log(times[a:b]), 1)[0]
        print(f"  grows as n^{order:.2f} from {sizes[a]} to {sizes[b - 1]} beams (dense mass matrix: n^3 in the end)")


if __name__ == "__main__":
    main()
