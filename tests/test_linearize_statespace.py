"""State space by names, conversions, compliance: against formulas and against the nonlinear equations."""

import sys

import matplotlib
import numpy as np
import pytest
from _linear_models import cantilever, four_bar, random_state

import spacar_py as sp
from spacar_py.cases import manipulator
from spacar_py.errors import InputError, MissingExtraError
from spacar_py.linearize import compliance, linear_model, nodal_stiffness, plot_bode, plot_mode, plot_step, state_space
from spacar_py.linearize import modes as find_modes

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def beam():
    """Spatial cantilever, all deformations flexible, EI = 2 and 3, GJ = 5, EA = 7, L = 1.5."""
    m = sp.Model()
    m.node("clamp", (0, 0, 0))
    m.fix("clamp")
    m.node("tip", (1.5, 0, 0))
    s = sp.Section(EA=7.0, GJ=5.0, EIy=2.0, EIz=3.0, m=1.0, Jx=0.1)
    m.beam("beam", "clamp", "tip", s, y=(0, 1, 0), elements=3, flexible="all", damping=1e-3)
    return m


def test_compliance_of_a_cantilever_is_that_of_the_handbook(beam):
    L = 1.5
    C = np.zeros((6, 6))
    C[0, 0], C[3, 3] = L / 7.0, L / 5.0
    C[1, 1], C[5, 5], C[1, 5] = L**3 / 9.0, L / 3.0, L**2 / 6.0
    C[2, 2], C[4, 4], C[2, 4] = L**3 / 6.0, L / 2.0, -(L**2) / 4.0
    C[5, 1], C[4, 2] = C[1, 5], C[2, 4]
    np.testing.assert_allclose(compliance(beam, "tip"), C, atol=1e-12)


def test_stiffness_is_the_inverse_of_compliance(beam):
    np.testing.assert_allclose(nodal_stiffness(beam, "tip") @ compliance(beam, "tip"), np.eye(6), atol=1e-9)


def test_static_gain_of_forces_and_moments_is_the_compliance(beam):
    directions = ("x", "y", "z", "rx", "ry", "rz")
    inputs = [f"force tip.{d}" if len(d) == 1 else f"moment tip.{d[1]}" for d in directions]
    gain = state_space(beam, inputs, [f"tip.{d}" for d in directions]).gain()
    np.testing.assert_allclose(gain, compliance(beam, "tip"), atol=1e-9)


def test_support_reacts_to_a_tip_force_and_moment_with_force_and_lever(beam):
    s = state_space(
        beam, ["force tip.y", "moment tip.x"], ["reaction clamp.y", "reaction clamp.rz", "reaction clamp.rx"]
    ).gain()
    np.testing.assert_allclose(s, [[-1.0, 0.0], [-1.5, 0.0], [0.0, -1.0]], atol=1e-9)


def test_stress_of_a_rigid_deformation_follows_from_the_balance():
    m = cantilever(1, planar=True)  # elongation rigid
    gain = state_space(m, ["force tip.x"], ["stress beam.elongation"]).gain()
    np.testing.assert_allclose(gain, [[1.0]], atol=1e-12)


def test_stress_of_a_flexible_deformation_is_stiffness_times_deformation(beam):
    s = state_space(beam, ["force tip.x"], ["stress beam[1].elongation", "beam[1].elongation"]).gain()
    np.testing.assert_allclose(s, [[1.0], [1 / (7.0 / 0.5)]], rtol=1e-9)


def test_acceleration_at_high_frequency_is_force_over_mass():
    m = sp.Model()
    m.point("body", (0, 0, 0))
    m.dof("body", "x", "y", "z")
    m.mass("body", 4.0)
    s = state_space(m, ["force body.x"], ["acceleration body.x", "velocity body.x", "body.x"])
    w = 3.0
    np.testing.assert_allclose(s.response(w)[0, :, 0], [1 / 4.0, 1 / (4.0j * w), -1 / (4.0 * w**2)])


def test_a_driven_hub_carries_the_beam_with_it():
    """Rotation of a rigid arm: the tip follows motion, rate and acceleration with L, the drive feels m L^2."""
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub", "x", "y")
    m.frame("ground")
    m.fix("ground")
    m.hinge("spin", "ground", "hub")
    m.node("tip", (2.0, 0))
    m.beam("arm", "hub", "tip", sp.Section(EIz=1e3, m=1e-6), flexible="bending")  # as good as massless
    m.mass("tip", 3.0)
    m.prescribe("spin", "angle", 0.0)
    s = state_space(m, ["motion spin.angle"], ["tip.y", "drive spin.angle"])
    assert s.inputs == ["motion spin.angle", "rate spin.angle", "acceleration spin.angle"]
    H = s.response(1e-3)[0]
    np.testing.assert_allclose(H[:, 0], [2.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(H[:, 2], [-3.0 * 2.0 / (3 * 1e3 / 8.0), 12.0], rtol=1e-6)  # sag m L a/k, and m L^2


def test_a_drive_holds_a_force_at_the_end_of_its_arm():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub", "x", "y")
    m.frame("ground")
    m.fix("ground")
    m.hinge("spin", "ground", "hub")
    m.node("tip", (2.0, 0))
    m.beam("arm", "hub", "tip", sp.Section(EIz=1e3, m=1.0), flexible="bending")
    m.prescribe("spin", "angle", 0.0)
    gain = state_space(m, ["force tip.y"], ["drive spin.angle", "reaction hub.y", "stress spin.angle"]).gain()
    np.testing.assert_allclose(gain, [[-2.0], [-1.0], [2.0]], atol=1e-9)  # the joint carries what the drive gives


def test_motion_as_states_is_the_same_transfer():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub", "x", "y")
    m.frame("ground")
    m.fix("ground")
    m.hinge("spin", "ground", "hub")
    m.node("tip", (2.0, 0))
    m.beam("arm", "hub", "tip", sp.Section(EIz=1e3, m=1.0), elements=2, flexible="bending")
    m.prescribe("spin", "angle", sp.Signal([(0.0, [0.3, 2.0])]))
    out = ["tip.x", "velocity tip.y", "drive spin.angle"]
    three, one = state_space(m, outputs=out), state_space(m, outputs=out, motion="states")
    w = 7.0
    H3, H1 = three.response(w)[0], one.response(w)[0]
    s = 1j * w
    np.testing.assert_allclose(H1[:, 0], H3 @ [1 / s**2, 1 / s, 1.0], rtol=1e-9)


def test_all_outputs_agree_with_small_nonlinear_motions():
    """Outputs of the linearised loop against differences of the nonlinear ones, in a moving state."""
    m = four_bar()
    s = m.compile()
    q, qd, qdd = random_state(s, 2, size=0.02)
    names = ["C.x", "velocity C.y", "coupler.bending_q", "velocity coupler.bending_q", "stress rocker.elongation",
             "reaction A.x", "reaction D.y", "stress crank.bending_p", "end.rz", "velocity end.phi"]  # fmt: skip
    lin = linear_model(m, (q, qd, qdd))
    C = state_space(lin, [], names)
    n = len(q)
    # free motion about the nominal: dqdd follows from the linear equations, so move the nominal state the same way
    rng = np.random.default_rng(1)
    dq, dqd = rng.normal(size=(2, n))
    dqdd = C.A[n:] @ np.r_[dq, dqd]
    values = []
    h = 1e-5
    for k in (1, -1):
        at = linear_model(m, (q + k * h * dq, qd + k * h * dqd, qdd + k * h * dqdd))
        x, xd, e, ed, sig, f = at.x, at.xd, at.e, at.ed, at.sigma, at.support
        i, j = s.x_names.index, s.e_names.index
        constitutive = at.sigma[j("crank.bending_p")] + at.residual[list(s.dof).index("crank.bending_p")]
        values.append([x[i("C.x")], xd[i("C.y")], e[j("coupler.bending_q")], ed[j("coupler.bending_q")],
                       sig[j("rocker.elongation")], f[i("A.x")], f[i("D.y")], constitutive, x[i("end.phi")],
                       xd[i("end.phi")]])  # fmt: skip
    got = C.C @ np.r_[dq, dqd]
    want = (np.array(values[0]) - np.array(values[1])) / (2 * h)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6 * np.abs(want).max())  # differences of step 1e-5


def test_rotation_outputs_are_angular_quantities_in_space():
    """Hinge about z turned by 1 rad at 2 rad/s, a second one about its y: omega and alpha of the second frame."""
    m = sp.Model()
    m.node("o", (0, 0, 0))
    m.fix("o")
    m.frame("a")
    m.frame("b")
    m.hinge("first", "o", "a", (0, 0, 1))
    m.hinge("second", "a", "b", (0, 1, 0))
    m.body(("o", "b"), 0.0, (1.0, 2.0, 2.5))
    lin = linear_model(m, ([1.0, 0.3], [2.0, 0.5], [0.7, -0.4]))
    from spacar_py.linearize.ports import Outputs

    rows = Outputs(lin, 0)
    c, s = np.cos(1.0), np.sin(1.0)
    # omega = qd1 ez + qd2 (-s, c, 0), alpha = qdd1 ez + qdd2 (-s, c, 0) + qd2 qd1 (-c, -s, 0)
    omega = np.array([rows.row(f"velocity b.{d}")[0] for d in ("rx", "ry", "rz")])
    np.testing.assert_allclose(omega[:, 1], [[0, -s], [0, c], [1, 0]], atol=1e-12)
    np.testing.assert_allclose(omega[:, 0], [[-0.5 * c - 0 * s, 0], [-0.5 * s, 0], [0, 0]], atol=1e-12)
    alpha = np.array([rows.row(f"acceleration b.{d}")[0] for d in ("rx", "ry", "rz")])
    np.testing.assert_allclose(alpha[:, 1], [[-0.5 * c, -2 * c], [-0.5 * s, -2 * s], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(alpha[:, 0, 0], [0.4 * c + 1.0 * s, 0.4 * s - 1.0 * c, 0], atol=1e-12)


def test_default_ports_of_the_arm_are_its_joints_and_degrees_of_freedom():
    s = state_space(manipulator.build())
    assert s.inputs == [f"stress {j}" for j in manipulator.JOINTS]
    assert len(s.outputs) == 12
    assert s.A.shape == (24, 24)


def test_input_matrix_of_the_joints_picks_their_rows():
    lin = linear_model(manipulator.build())
    np.testing.assert_array_equal(lin.B0, np.eye(12)[:, :3])


def test_poles_of_the_state_space_are_the_roots_of_the_modes(beam):
    poles = np.linalg.eigvals(state_space(beam).A)
    low = poles[poles.imag > 0]
    low = low[np.argsort(np.abs(low))][:4]
    np.testing.assert_allclose(low, find_modes(beam, n=4).s, rtol=1e-7)


def test_scipy_and_control_take_the_system_over(beam):
    pytest.importorskip("control")
    s = state_space(beam, ["force tip.z"], ["tip.z", "stress beam[0].bending_y_p"])
    w = np.array([0.1, 1.0, 10.0])
    H = s.response(w)
    c = s.to_control()
    assert c.input_labels == ["force_tip_z"]
    np.testing.assert_allclose(np.moveaxis(c(1j * w), -1, 0), H, rtol=1e-8, atol=1e-12)
    sc = s.to_scipy()
    for name in "ABCD":
        np.testing.assert_array_equal(getattr(sc, name), getattr(s, name))


def test_a_missing_control_package_is_named_with_its_remedy(beam, monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(
        MissingExtraError, match=r"to_control\(\) needs the package 'control': pip install 'spacar_py\[control\]'"
    ):
        state_space(beam).to_control()


def test_step_of_an_oscillator_is_that_of_the_formula():
    m = sp.Model()
    m.point("ground", (0, 0, 0))
    m.fix("ground")
    m.point("mass", (1, 0, 0))
    m.fix("mass", "y", "z")
    m.truss("spring", "ground", "mass", dof="elongation")
    m.spring("spring", "elongation", 9.0)
    m.mass("mass", 1.0)
    t = np.linspace(0.0, 2.0, 21)
    y = state_space(m, ["force mass.x"], ["mass.x"]).step(t)
    np.testing.assert_allclose(y[:, 0], (1 - np.cos(3 * t)) / 9.0, atol=1e-12)


def test_systems_at_many_points_are_those_of_each_point():
    m = manipulator.build()
    q = np.zeros((3, 12))
    q[:, 1] = (0.0, 0.1, 0.3)
    many = state_space(linear_model(m, q), ["stress elbow.angle"], ["tip.z"])
    assert many.A.shape == (3, 24, 24)
    one = state_space(linear_model(m, q[2]), ["stress elbow.angle"], ["tip.z"])
    np.testing.assert_allclose(many[2].B, one.B, atol=1e-8 * np.abs(one.B).max())  # condition of M0


def test_pictures_are_drawn(beam):
    import matplotlib.pyplot as plt

    s = state_space(beam, ["force tip.z"], ["tip.z", "tip.ry"])
    top, bottom = plot_bode(s)
    assert len(top.lines) == len(bottom.lines) == 2
    assert len(plot_step(s, np.linspace(0, 1, 11))) == 2
    assert plot_mode(find_modes(beam), 0).get_title().startswith("beam.bending_y")
    plt.close("all")


@pytest.mark.parametrize(
    "inputs, outputs, message",
    [
        (["torque tip.z"], None, "begins with none of stress, force, moment"),
        (
            ["stress beam[0].torison"],
            None,
            r"no deformation 'beam\[0\].torison' \(did you mean 'beam\[0\].torsion'\?\)",
        ),
        (["force tpi.z"], None, r"no coordinate 'tpi.z' \(did you mean 'tip'\?\)"),
        (["moment tip.w"], None, "needs a frame and an axis x, y or z"),
        (["motion beam[0].torsion"], None, "only driven coordinates have a motion"),
        (["force tip.z"], ["reaction tip.z"], "the coordinate is not held, nothing reacts there"),
        (["force tip.z"], ["drive tip.z"], "is not driven"),
    ],
)
def test_wrong_ports_are_refused_by_name(beam, inputs, outputs, message):
    with pytest.raises(InputError, match=message):
        state_space(beam, inputs, outputs)


def test_a_stress_on_a_rigid_deformation_is_refused():
    with pytest.raises(InputError, match="the deformation is rigid, a stress on it moves nothing"):
        state_space(cantilever(1, planar=True), ["stress beam.elongation"])


def test_compliance_with_a_free_joint_is_refused_by_name():
    with pytest.raises(
        InputError, match=r"moves without stiffness; hold it with linear_model\(...\).hold\('.*.angle'\)"
    ):
        compliance(manipulator.build(gravity=0.0), "tip")


def test_stiffness_of_a_rigid_direction_is_refused_by_name():
    with pytest.raises(InputError, match="tip.x is rigid, its stiffness is infinite"):
        nodal_stiffness(cantilever(1, planar=True), "tip")


def test_a_massless_motion_is_refused_by_name():
    m = cantilever(1, planar=True, m=0.0)
    m.mass("tip", 1.0)
    with pytest.raises(InputError, match="mass matrix is singular: nothing with inertia moves with beam.bending"):
        state_space(m)
