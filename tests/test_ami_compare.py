"""One call for all methods."""

from functools import cache

import numpy as np
import pytest
from _ami import arm, link

import spacar_py as sp
from spacar_py.cases import manipulator
from spacar_py.signals import quintic


@cache
def comparison():
    return sp.compare(arm(), manipulator.path(), manipulator.controller(), t_end=2.0, modes=[3, 4, "auto"],
                      nonlinear=sp.GeneralizedAlpha(1e-6, 1e-9), output=201)  # fmt: skip


def row(name):
    return next(r for r, k in zip(comparison().rows, comparison().results, strict=True) if k == name)


def test_all_methods_are_there():
    assert list(comparison().results) == ["nonlinear", "perturbation", "AMI 3", "AMI 4", "AMI auto"]


def test_differences_are_the_largest_ones_of_the_led_node():
    c = comparison()
    a = np.abs(c["AMI 4"].deviation("tip") - c["nonlinear"].deviation("tip")).max()
    b = np.abs(c["AMI 4"].deviation("tip", True) - c["perturbation"].deviation("tip", True)).max()
    assert row("AMI 4")["to_nonlinear"] == pytest.approx(a, rel=1e-12)
    assert row("AMI 4")["to_perturbation"] == pytest.approx(b, rel=1e-12)


def test_the_papers_accuracy_with_default_options():
    """Perturbation within 0.2 mm of the nonlinear result, four modes within 0.05 mm of the perturbation method."""
    assert row("perturbation")["to_nonlinear"] < 0.2e-3
    assert row("AMI 4")["to_perturbation"] < 0.05e-3


def test_the_linearisation_is_shared():
    c = comparison()
    assert c["AMI 3"].linear is c["perturbation"].linear


def test_the_table_names_every_method_and_its_times():
    text = str(comparison())
    assert "to nonlinear [mm]" in text
    assert len(text.splitlines()) == 2 + len(comparison().rows)
    assert text.count(" ms") >= 3 * 4 + 1


def test_the_cost_is_told_apart():
    r = row("AMI 4")
    assert r["linearise"] > 0 and r["prepare"] > 0 and r["integrate"] > 0
    assert row("nonlinear")["linearise"] is None


def test_another_node_can_be_compared():
    c = sp.compare(arm(), manipulator.path(), manipulator.controller(), modes=[4], node="elbow", nonlinear=False,
                   points=60, output=51)  # fmt: skip
    assert c.node == "elbow"
    assert c.rows[1]["to_nonlinear"] is None


def test_by_default_all_numbers_of_modes_are_studied():
    path = sp.JointPath({"drive.angle": quintic(0.0, 1.0, 0.8)}, T=0.8)
    c = sp.compare(link(), path, sp.PID(12, 1), node="tip", nonlinear=False, output=51)
    assert list(c.results) == ["perturbation", "AMI 3", "AMI 4", "AMI 5"]


def test_progress_is_told():
    said = []
    sp.compare(arm(), manipulator.path(), manipulator.controller(), modes=[4], nonlinear=False, points=60, output=51,
               progress=said.append)  # fmt: skip
    assert said == ["linearisation", "perturbation", "AMI with 4 modes"]


def test_a_joint_path_needs_a_node():
    path = sp.JointPath({"drive.angle": quintic(0.0, 1.0, 0.8)}, T=0.8)
    with pytest.raises(sp.InputError, match="compare: name the node whose deviation is to be compared, node=..."):
        sp.compare(link(), path, sp.PID(12, 1))


def test_an_unknown_result_is_refused():
    with pytest.raises(sp.InputError, match="comparison: no result 'AMI 7'; known: nonlinear, perturbation, AMI 3"):
        comparison()["AMI 7"]
