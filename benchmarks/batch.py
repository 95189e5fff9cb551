"""Throughput of a batch: 200 AMI runs of the manipulator (payload, gains, speed), two of them broken.

One by one in one process, on all cores of this machine, and on a Dask cluster of two workers of which one is killed on
the way. All must give the same table to the last bit. Prints runs a second, cores kept busy, and memory of the workers.
    python benchmarks/batch.py [runs]
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
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


def usage(pids) -> list[tuple[float, float]]:
    """Resident memory (MB) and CPU time (s) of each process that is alive, where the system tells."""
    out = []
    for pid in pids:
        try:
            rss = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
            times = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        except (OSError, ValueError):
            continue
        out.append((rss, sum(map(int, times)) / os.sysconf("SC_CLK_TCK")))
    return out


@contextmanager
def cluster(folder: Path, workers: int = 2):
    """A real scheduler and its workers, each a process; yields the address and the worker processes."""
    from distributed import Client

    file, quiet = folder / "scheduler.json", dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    python = [sys.executable, "-m"]
    start = [*python, "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard"]
    worker = [*python, "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    scheduler = subprocess.Popen([*start, "--scheduler-file", str(file)], **quiet)
    made = [subprocess.Popen([*worker, "--scheduler-file", str(file)], **quiet) for _ in range(workers)]
    try:
        with Client(scheduler_file=str(file), timeout=120) as client:
            client.wait_for_workers(workers, timeout=120)
            address = client.scheduler.address
        yield address, made
    finally:
        for p in [*made, scheduler]:
            p.kill()
            p.wait()


def measured(s: Study, path: Path, pids, at=None, **options) -> tuple:
    """The batch, its seconds, and (time, usage of each worker) after every run; `at` is called with the number done."""
    seen, begin = [], time.perf_counter()

    def progress(done, total, rows):
        seen.append((time.perf_counter(), usage(pids())))
        if at is not None:
            at(done)

    found = run_study(s, path, progress=progress, **options)
    return found, time.perf_counter() - begin, seen


def report(name: str, runs: int, seconds: float, alone: float, seen: list) -> None:
    """Throughput, cores busy and memory; both of the latter from a quarter of the way on, when all is loaded."""
    print(f"{name:<22}{runs / seconds:6.1f} runs/s ({seconds:.1f} s), {alone / seconds:.2f} times one by one, ", end="")
    print("start of the workers included" if "Dask" not in name else "one worker killed on the way")
    quarter, last = seen[len(seen) // 4], seen[-1]
    span = last[0] - quarter[0]
    print(f"{'':<22}{0.75 * runs / span:6.1f} runs/s over the last three quarters, ", end="")
    if len(last[1]) == len(quarter[1]):
        busy = sum(w[1] for w in last[1]) - sum(w[1] for w in quarter[1])
        print(f"{busy / span:.2f} of {os.cpu_count()} cores busy with {1e3 * busy / (0.75 * runs):.0f} ms CPU a run")
    else:
        print(f"{len(quarter[1])} workers, then {len(last[1])}")
    for what, rows in (("after the first run", seen[0]), ("after a quarter", quarter), ("at the end", last)):
        print(f"{'':<22}memory {what}: " + ", ".join(f"{w[0]:.0f} MB" for w in rows[1]))
    print(f"{'':<22}load of the whole machine {os.getloadavg()[0]:.1f}")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    s = study(runs)
    run_study(study(4), workers=0)  # compiled and loaded before any clock runs
    begin, cpu = time.perf_counter(), time.process_time()
    alone = run_study(s, workers=0)
    one, cpu = time.perf_counter() - begin, time.process_time() - cpu
    print(f"{'one by one':<22}{runs / one:6.1f} runs/s ({one:.1f} s, {1e3 * cpu / runs:.0f} ms CPU a run)", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        children = lambda: [c.pid for c in multiprocessing.active_children()]  # noqa: E731
        many, seconds, seen = measured(s, folder / "local.h5", children)
        assert many.table() == alone.table()
        report(f"{os.cpu_count()} processes", runs, seconds, one, seen)
        try:
            with cluster(folder) as (address, workers):

                def kill_one(done):
                    if done == runs // 3:
                        workers[0].kill()

                pids = [w.pid for w in workers]
                dask, seconds, seen = measured(s, folder / "dask.h5", lambda: pids, kill_one, scheduler=address)
                assert dask.table() == alone.table()
                assert workers[0].poll() is not None and workers[1].poll() is None
                report("Dask, 2 workers", runs, seconds, one, seen)
        except ImportError:
            print("Dask is not installed: pip install 'spacar_py[dask]'")
    failures = many.failures
    assert len(failures) == 2
    print(f"{'failures':<22}{len(failures)} of {runs}: " + "; ".join(f["message"] for f in failures))


if __name__ == "__main__":
    main()
