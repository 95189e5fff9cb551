"""Throughput of a batch: 200 AMI runs of the manipulator (payload, gains, speed) on all cores against one by one.

Two broken parameter sets are among them. Prints runs a second, the load of the workers and their memory over time.
    python benchmarks/batch.py [runs] [scheduler address]
"""

import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

import spacar_py as sp
from spacar_py.batch import Study, run_study


def study(runs: int) -> Study:
    """Payload, bandwidth and duration by a Latin hypercube, and two points that cannot be run."""
    return Study(
        "spacar_py.cases.manipulator_study:case",
        {"payload": (10.0, 40.0), "bandwidth": (10.0, 14.0), "T": (1.0, 1.5)},
        {"AMI 4": sp.AMI(modes=4)},
        {"peak": "peak tip.deviation", "sag": "final tip.deviation.z"},
        design="latin",
        runs=runs - 2,
        also=[{"payload": -1.0}, {"T": 0.0}],
    )


def workers() -> tuple[float, float]:
    """Resident memory (MB) and CPU time (s) of all worker processes; nan where the system does not tell."""
    total, cpu = 0.0, 0.0
    for child in multiprocessing.active_children():
        try:
            total += int(Path(f"/proc/{child.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
            times = Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
            cpu += sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return float("nan"), float("nan")
    return total, cpu


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    scheduler = sys.argv[2] if len(sys.argv) > 2 else None
    s = study(runs)
    run_study(study(4), workers=0)  # compiled and loaded before any clock runs
    begin, cpu = time.perf_counter(), time.process_time()
    alone = run_study(s, workers=0)
    one, cpu = time.perf_counter() - begin, time.process_time() - cpu
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        many = run_study(
            s,
            Path(folder) / "study.h5",
            scheduler=scheduler,
            progress=lambda d, n, r: seen.append((time.perf_counter(), *workers())),
        )
        all_ = time.perf_counter() - begin
    assert many.table() == alone.table() and len(many.failures) == 2
    print(f"one by one       {runs / one:7.1f} runs/s  ({one:.1f} s, {1e3 * cpu / runs:.0f} ms CPU a run)")
    where = scheduler or f"{os.cpu_count()} processes"
    print(
        f"{where:<16} {runs / all_:7.1f} runs/s  ({all_:.1f} s), {one / all_:.2f} times; start of the workers included"
    )
    quarter, last = seen[max(len(seen) // 4, 1)], seen[-1]
    busy, each = (last[2] - quarter[2]) / (last[0] - quarter[0]), (last[2] - quarter[2]) / (0.75 * runs)
    print(f"workers          {busy:7.2f} cores of {os.cpu_count()} busy, {1e3 * each:.0f} ms CPU a run; ", end="")
    print(f"load of the whole machine {os.getloadavg()[0]:.1f}")
    print(f"steady           {0.75 * runs / (last[0] - quarter[0]):7.1f} runs/s over the last three quarters")
    print(f"memory           {quarter[1]:7.0f} MB after a quarter, {last[1]:.0f} MB at the end")
    print(f"failures         {', '.join(f['message'] for f in many.failures)}")


if __name__ == "__main__":
    main()
