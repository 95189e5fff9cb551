"""Pictures of motions along a path: files are written, axes carry units."""

import numpy as np
import pytest
from _ami import arm, link, loop, nominal, turn

import spacar_py as sp
from spacar_py.ami import plots
from spacar_py.cases import manipulator


@pytest.fixture(scope="module")
def study():
    options = dict(modes=[3, 4], nonlinear=sp.GeneralizedAlpha(1e-4, 1e-7), output=101)
    return sp.compare(arm(), manipulator.path(), manipulator.controller(), t_end=1.2, **options)


def drawings(study):
    return {
        "nominal": lambda path: plots.plot_nominal(nominal(), path=path),
        "torques": lambda path: plots.plot_torques(nominal(), path=path),
        "frequencies": lambda path: plots.plot_frequencies(loop(), path=path),
        "loop": lambda path: plots.plot_loop({"PID": loop(), "more": loop(True)}, 0, (0.0, 1.0), path=path),
        "deviation": lambda path: plots.plot_deviation(study, path=path),
        "study": lambda path: plots.plot_mode_study(study, path=path),
    }


@pytest.mark.parametrize("name", ["nominal", "torques", "frequencies", "loop", "deviation", "study"])
def test_a_picture_is_written_and_its_axes_have_units(name, study, tmp_path):
    figure = drawings(study)[name](tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000
    labels = [text for ax in figure.axes for text in (ax.get_xlabel(), ax.get_ylabel()) if text]
    bare = [text for text in labels if "(" not in text and text not in ("kept modes", "gain of the open loop")]
    assert labels and not bare


def test_the_drawn_torques_are_the_nominal_ones():
    lines = plots.plot_torques(nominal()).axes[0].lines
    for k, line in enumerate(lines):
        np.testing.assert_allclose(line.get_ydata(), nominal().u0[:, k])


def test_the_drawn_phase_crosses_minus_180_degrees_only_with_the_additional_pole():
    """Between 80 and 160 rad/s, the vibration mode: the paper's figure 4."""
    omega = np.geomspace(60, 200, 400)
    for roll_off, beyond in ((False, False), (True, True)):
        phase = plots.plot_loop(loop(roll_off), 0, (1.0,), omega).axes[1].lines[0].get_ydata()
        lowest = (phase - phase.max()).min() + phase.max() % 360
        assert (lowest < -180) == beyond


def test_a_planar_motion_without_a_led_node_can_be_drawn():
    r = turn(sp.PID(12, 1), sp.AMI(3))
    assert plots.plot_nominal(r.linear, "tip").axes[0].get_xlabel() == "tip.x (m)"


def test_a_joint_path_needs_a_node():
    r = turn(sp.PID(12, 1), sp.AMI(3))
    with pytest.raises(sp.InputError, match="plot: name the node whose motion is to be drawn, node=..."):
        plots.plot_nominal(r.linear)
    assert link().compile().nq == 5
