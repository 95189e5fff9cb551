"""Each linearised matrix on its own, the ways to give a state, and what is refused."""

import numpy as np
import pytest
from _linear_models import alone, cantilever, complex_derivatives, four_bar, largest_error, random_state

import spacar_py as sp
from spacar_py.cases import manipulator
from spacar_py.errors import ConvergenceError, InputError
from spacar_py.linearize import linear_model, modes
from spacar_py.statics import solve_static


@pytest.fixture(scope="module")
def arm():
    return manipulator.build()


def symmetric(A):
    return np.max(np.abs(A - A.T)) <= 1e-12 * np.max(np.abs(A))  # rounding


def test_at_rest_velocity_terms_and_dynamic_stiffness_vanish_exactly(arm):
    lin = linear_model(arm, random_state(arm.compile(), 1)[0])
    assert not lin.C0.any()
    assert not lin.N0.any()


def test_without_load_geometric_stiffness_vanishes_exactly():
    lin = linear_model(manipulator.build(gravity=0.0))
    assert not lin.G0.any()


def test_matrices_are_symmetric_at_rest_under_dead_loads(arm):
    lin = linear_model(arm, random_state(arm.compile(), 2)[0])
    for A in (lin.M0, lin.K0, lin.G0):
        assert symmetric(A)


def test_a_follower_force_makes_the_geometric_stiffness_unsymmetric():
    model = cantilever(2, planar=True)
    model.force("tip", (-1.0, 0.0), follow="tip")
    assert not symmetric(linear_model(model).G0)


def test_structural_stiffness_and_damping_do_not_depend_on_the_motion_of_a_tree(arm):
    moving = linear_model(arm, random_state(arm.compile(), 3))
    np.testing.assert_array_equal(moving.K0, linear_model(arm).K0)


def test_dynamic_stiffness_of_a_spinning_accelerating_arm_is_not_symmetric(arm):
    q = dict.fromkeys(manipulator.JOINTS, 0.3)
    s = arm.compile()
    y = np.array([q.get(n, 0.0) for n in s.dof])
    spin = np.array([2.0 if n == "turret.angle" else 0.0 for n in s.dof])
    lin = linear_model(arm, (y, spin, 3.0 * spin))
    assert not symmetric(lin.N0)
    assert lin.C0.any()


def test_geometric_and_structural_stiffness_at_rest_are_the_second_derivative_of_the_potential(arm):
    """K0 + G0 = d rho/dq at rest; rho is the gradient of strain energy minus work of the weight."""
    s = arm.compile()
    lin = linear_model(arm, random_state(s, 4)[0])
    K = complex_derivatives(s, lin.x, lin.Y[0])[0]
    assert largest_error(lin.K0 + lin.G0, K) < 1e-12


def test_gravity_torques_of_the_arm_at_its_start_are_those_of_the_reference(arm):
    lin = linear_model(arm)
    u0 = dict(zip(lin.dof, np.abs(lin.residual), strict=True))
    assert u0["shoulder.angle"] == pytest.approx(193.2374, abs=1e-4)  # reference values, section 6
    assert u0["elbow.angle"] == pytest.approx(80.7128, abs=1e-4)


def test_many_states_give_the_same_as_each_of_them_alone(arm):
    s = arm.compile()
    states = [random_state(s, k) for k in range(5)]
    many = linear_model(arm, tuple(np.stack(a) for a in zip(*states, strict=True)))
    for k, state in enumerate(states):
        one = linear_model(arm, state)
        for name in ("M0", "C0", "K0", "G0", "N0", "residual", "x", "sigma"):
            np.testing.assert_allclose(getattr(many, name)[k], getattr(one, name), rtol=1e-9, atol=1e-9)
            np.testing.assert_array_equal(getattr(many[k], name), getattr(many, name)[k])


def test_states_far_apart_are_reached_on_the_same_branch_of_a_closed_loop():
    """Crank angles over a full turn, there and back, give the same matrices in either order."""
    m = sp.Model(planar=True)
    for n, x in dict(A=(0, 0), B=(0, 0.2), C=(0.9, 0.6), D=(0.8, 0)).items():
        m.point(n, x)
    for n in ("A", "D"):
        m.fix(n)
    for f in ("ground", "crank", "coupler", "rocker"):
        m.frame(f)
    m.fix("ground")
    m.hinge("drive", "ground", "crank")
    bar = sp.Section(m=1.0)
    m.rigid_beam("crank", ("A", "crank"), "B", bar)
    m.rigid_beam("coupler", ("B", "coupler"), "C", bar)
    m.rigid_beam("rocker", ("D", "rocker"), "C", bar)
    angles = np.array([0.0, 2.5, -2.0, 5.5])[:, None]
    there = linear_model(m, angles)
    back = linear_model(m, angles[::-1].copy())
    np.testing.assert_allclose(there.M0, back.M0[::-1], rtol=1e-9)


def test_state_by_names_equals_state_by_array(arm):
    q = np.zeros(12)
    q[1] = 0.4
    np.testing.assert_allclose(linear_model(arm, {"shoulder.angle": 0.4}).M0, linear_model(arm, q).M0, atol=1e-14)


def test_held_joints_leave_the_flexible_rows(arm):
    held = linear_model(arm).hold()
    assert held.M0.shape == (9, 9)
    assert held.driven_names == list(manipulator.JOINTS)
    np.testing.assert_array_equal(held.K0, linear_model(arm).K0[3:, 3:])


def test_added_matrices_add_up(arm):
    lin = linear_model(arm)
    np.testing.assert_array_equal(lin.add(K0=np.eye(12)).add(K0=np.eye(12)).K0, lin.K0 + 2 * np.eye(12))


def test_prescribed_motion_enters_with_its_rates():
    """A beam on a hinge turning at 3 rad/s: the driven part of the state is that of the signal."""
    m = cantilever(1, planar=True)
    m.release("clamp", "phi")
    m.frame("ground")
    m.fix("ground")
    m.hinge("hub", "ground", "clamp")
    m.prescribe("hub", "angle", sp.Signal([(0.0, [0.1, 3.0])]))
    lin = linear_model(m, t=0.5)
    np.testing.assert_allclose(lin.Y[0, :, -1], (1.6, 3.0, 0.0))
    assert lin.driven_names == ["hub.angle"]


def test_static_results_bring_their_load_factors():
    m = cantilever(4, planar=True)
    m.force("tip", (0.0, 1.0))
    lin = linear_model(m, solve_static(m, steps=2))
    assert np.abs(lin.residual).max() < 1e-9
    assert lin.M0.shape == (3, 8, 8)


def test_a_static_result_that_hides_its_load_factors_is_refused():
    m = cantilever(2, planar=True)
    m.gravity[1] = -1.0
    m.force("tip", (0.0, 1.0))
    r = solve_static(m, steps=2, ramp=("loads",))
    r.info.pop("factors", None)
    with pytest.raises(InputError, match="does not tell its load factors"):
        linear_model(m, r)


def test_index_picks_points_of_a_result():
    m = cantilever(4, planar=True)
    m.force("tip", (0.0, 1.0))
    r = solve_static(m, steps=2)
    np.testing.assert_allclose(linear_model(m, r, index=-1).M0, linear_model(m, r).M0[-1], rtol=1e-12)


def test_derivative_of_a_user_force_by_the_complex_step_is_that_of_a_spring_and_damper():
    def plain(t, x, v):
        return np.array([-50.0 * x[0] - 2.0 * v[0], -9.0 * x[1] ** 3, 0.0])

    m = alone("beam")
    m.user_force("q", plain)
    lin = linear_model(m, random_state(m.compile(), 1), complex_step=True)
    bare = alone("beam")
    base = linear_model(bare, random_state(m.compile(), 1))
    o = m.compile().nodes["point", "q"][0]
    DF, y = base._rates["DF"][0][o : o + 2], base.X[0, 0, o + 1]
    np.testing.assert_allclose(lin.C0 - base.C0, 2.0 * np.outer(DF[0], DF[0]), atol=1e-9)
    slopes = 50.0 * np.outer(DF[0], DF[0]) + 27.0 * y**2 * np.outer(DF[1], DF[1])
    own = lin.G0 - base.G0
    # the force also changes the stress resultants, whose part is the geometric stiffness of a dead force of that size
    dead = alone("beam")
    dead.force("q", np.append(plain(0, base.X[0, 0, o : o + 3], base.X[0, 1, o : o + 3])[:2], 0.0))
    np.testing.assert_allclose(own - (linear_model(dead, random_state(m.compile(), 1)).G0 - base.G0), slopes, atol=1e-7)


# what is refused -----------------------------------------------------------------------------------------------------


def test_a_user_force_without_derivative_is_refused_by_name():
    m = cantilever(1)
    m.user_force("tip", lambda t, x, v: -x)
    with pytest.raises(
        InputError, match=r"user force on 'tip': a Python function has no derivative; .*complex_step=True"
    ):
        linear_model(m)


def test_a_user_force_that_is_not_analytic_is_refused():
    m = cantilever(1)
    m.user_force("tip", lambda t, x, v: -np.linalg.norm(x) * x)
    with pytest.raises(InputError, match=r"user force on 'tip': the complex step gives .* write \|v\| as sqrt"):
        linear_model(m, complex_step=True)


def test_a_state_beyond_the_reach_of_the_linkage_is_refused_by_name():
    m = four_bar()
    with pytest.raises(ConvergenceError, match=r"did not converge at t = 0 s \(largest residual .* in "):
        linear_model(m, {"coupler.bending_p": 40.0})


def test_coordinates_that_contradict_the_degrees_of_freedom_are_refused_by_name():
    m = cantilever(2, planar=True)
    m.force("tip", (0.0, 1.0))
    r = solve_static(m, steps=1)
    r.y[1, 0, 0] += 0.01
    with pytest.raises(InputError, match=r"does not satisfy its constraints: beam\[0\].bending_p is off by 0.01"):
        linear_model(m, r)


@pytest.mark.parametrize(
    "at, message",
    [
        ({"turet.angle": 1.0}, r"no degree of freedom 'turet.angle' \(did you mean 'turret.angle'\?\)"),
        (np.zeros(5), r"q must have 12 values, one for each degree of freedom, got shape \(5,\)"),
        ((np.zeros(12), np.zeros((2, 12))), r"qd must have the shape of q, \(12,\), got \(2, 12\)"),
        (np.full(12, np.nan), "q must be finite, got nan"),
        ((np.zeros(12),) * 4, r"a state is \(q, qd, qdd\), got 4 arrays"),
        ("rest", "q must be numbers, got 'rest'"),
    ],
)
def test_a_state_that_makes_no_sense_is_refused(arm, at, message):
    with pytest.raises(InputError, match=message):
        linear_model(arm, at)


def test_a_prescribed_coordinate_cannot_be_given_a_value():
    m = cantilever(1, planar=True)
    m.prescribe("tip", "y", 0.1)
    with pytest.raises(InputError, match=r"'tip.y' is prescribed as a function of time; choose t"):
        linear_model(m, {"tip.y": 0.2})


def test_states_of_another_model_are_refused(arm):
    m = cantilever(2, planar=True)
    m.force("tip", (0.0, 1.0))
    with pytest.raises(InputError, match="the states belong to another model"):
        linear_model(arm, solve_static(m, steps=1))


def test_holding_everything_is_refused():
    m = cantilever(1, planar=True)
    with pytest.raises(InputError, match="nothing would be left to move"):
        linear_model(m).hold("beam")


def test_adding_a_matrix_of_the_wrong_size_is_refused(arm):
    with pytest.raises(InputError, match=r"K0 must be finite and of shape \(12, 12\), got shape \(3, 3\)"):
        linear_model(arm).add(K0=np.eye(3))


def test_modes_of_a_model_that_lets_go_use_its_own_acceleration():
    """A pendulum let go at 1 rad: M0 qdd = -residual, so nothing is left."""
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (0, 0, -1))
    m.hinge("joint", "pivot", "swing", (0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", 1.0)
    lin = linear_model(m, {"joint.angle": 1.0}, free=True)
    assert abs(lin.residual[0]) < 1e-12
    assert modes(lin).omega[0] ** 2 == pytest.approx(9.81 * np.cos(1.0))  # g/L cos(angle)
