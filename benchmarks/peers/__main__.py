"""Run the comparisons, all or those named: python -m benchmarks.peers [spinup] [manipulator] ..."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"  # before anything is imported that reads it

import argparse  # noqa: E402
import importlib  # noqa: E402
import importlib.metadata  # noqa: E402
import platform  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

PARTS = {"spinup": "exudyn", "manipulator": "exudyn", "double_link": "exudyn", "inverse_dynamics": "pinocchio"}
PACKAGE = {"exudyn": "exudyn", "pinocchio": "pin"}


def processor() -> str:
    """Name of the processor."""
    try:
        with open("/proc/cpuinfo") as f:
            return next(row.split(":")[1].strip() for row in f if row.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def main() -> int:
    """Print all tables; 1 where a peer is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="part", help=", ".join(PARTS))
    parts = parser.parse_args().parts or list(PARTS)
    for module in dict.fromkeys(PARTS[p] for p in parts):
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed: pip install -e .[peers]", file=sys.stderr)
            return 1
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("spacar_py", *PACKAGE.values()))
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"{versions}; Python {platform.python_version()}")
    print(f"{processor()}, {os.cpu_count()} cores, one thread each; load average {load}")
    begin = time.perf_counter()
    for part in parts:
        importlib.import_module(f"benchmarks.peers.{part}").main()
        print(f"  [{time.perf_counter() - begin:.0f} s so far, load average {os.getloadavg()[0]:.1f}]", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
