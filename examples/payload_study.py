"""A study: how payload and bandwidth of the manipulator act on the deviation of its tip, by AMI on all cores.

The number of runs can be given: payload_study.py 200
"""

import sys

import spacar_py as sp
from spacar_py.batch import Study, run_study


def main(runs: int) -> None:
    study = Study(
        "spacar_py.cases.manipulator_study:case",
        parameters={"payload": (10.0, 40.0), "bandwidth": (10.0, 14.0), "T": (1.0, 1.5)},
        methods={"AMI 4": sp.AMI(modes=4)},
        outputs={"peak": "peak tip.deviation", "sag": "final tip.deviation.z"},
        design="latin",
        runs=runs,
        also=[{"payload": -5.0}],  # broken on purpose: it is reported, the others go on
    )
    found = run_study(study, progress=lambda done, total, rows: print(f"\r{done}/{total}", end="", file=sys.stderr))
    print(file=sys.stderr)
    print(found)
    print(f"{len(study) / found.info['seconds']:.1f} runs a second")
    assert len(found.failures) == 1


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
