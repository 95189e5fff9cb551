"""Paths and profiles, and the inverse kinematics along them."""

import numpy as np
import pytest
from _ami import arm

import spacar_py as sp
from spacar_py.ami.nominal import joint_motion, nominal_motion
from spacar_py.ami.paths import PROFILES, PrescribedPath, harmonic, squared_sine, trapezoidal
from spacar_py.cases import manipulator
from spacar_py.signals import Signal, polynomial, quintic, sine

A, B = manipulator.A, manipulator.B
H = 1e-6  # step of central differences: errors of 1e-10 relative


def differences(f, t):
    """First and second derivative of f at t by central differences."""
    h = 1e-4
    return (f(t + H) - f(t - H)) / (2 * H), (f(t + h) - 2 * f(t) + f(t - h)) / h**2


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_profile_goes_from_0_to_1_and_ends_at_rest(name):
    s = PROFILES[name](2.0, 0.5)
    assert s(0.0) == pytest.approx(0.0, abs=1e-14)
    np.testing.assert_allclose(s.rates(2.0), (1.0, 0.0, 0.0), atol=1e-14)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_rates_of_a_profile_are_its_derivatives(name):
    s = PROFILES[name](2.0, 0.5)
    for t in (0.2, 0.9, 1.7):
        v, a = differences(s, t)
        np.testing.assert_allclose(s.rates(t)[1:], (v, a), rtol=1e-6, atol=1e-6)


def test_squared_sine_has_its_speed_from_the_ramps():
    """v = vmax sin^2(pi t/(2 ta)) with vmax = 1/(T - ta); half of it at half the ramp."""
    s = squared_sine(1.0, 0.25)
    assert s.rates(0.5)[1] == pytest.approx(1 / 0.75, rel=1e-14)
    assert s.rates(0.125)[1] == pytest.approx(0.5 / 0.75, rel=1e-14)
    assert s.rates(0.25)[2] == pytest.approx(0.0, abs=1e-12)


def test_squared_sine_without_a_constant_part_is_its_two_ramps():
    s = squared_sine(1.0, 0.5)
    np.testing.assert_allclose(s.rates(0.5), (0.5, 2.0, 0.0), atol=1e-12)


def test_trapezoidal_profile_has_constant_acceleration():
    assert trapezoidal(1.0, 0.2).rates(0.1)[2] == pytest.approx(1 / (0.8 * 0.2), rel=1e-14)


def test_harmonic_profile_is_half_a_cosine():
    t = 0.3
    assert harmonic(2.0)(t) == pytest.approx((1 - np.cos(np.pi * t / 2)) / 2, rel=1e-14)


def test_a_table_is_a_profile_of_its_own():
    path = sp.LinePath(A, B, T=1.0, profile=([0.0, 0.3, 1.0], [0.0, 0.6, 1.0]))
    np.testing.assert_allclose(path.rates(0.3)[0], A + 0.6 * (B - A), atol=1e-14)


def test_a_signal_is_a_profile_of_its_own():
    path = sp.LinePath(A, B, T=1.0, profile=quintic(0.0, 1.0, 1.0))
    np.testing.assert_allclose(path.rates(0.5)[0], (A + B) / 2, atol=1e-14)


def test_a_line_stays_on_the_line():
    path = sp.LinePath(A, B, T=1.0)
    for t in np.linspace(0, 1, 9):
        x = path.rates(t)[0]
        assert np.linalg.norm(np.cross(x - A, B - A)) < 1e-14


def test_a_circle_keeps_its_radius_and_its_centripetal_acceleration():
    path = sp.CirclePath((0, 0, 0.2), (0.6, 0.1, 0.3), (0, 0, 2), 1.5, T=1.0, ramp=0.25)
    x, v, a = path.rates(0.5)  # constant speed here
    r = np.array([0.6, 0.1])
    assert np.linalg.norm(x[:2]) == pytest.approx(np.linalg.norm(r), rel=1e-14)
    assert x[2] == pytest.approx(0.3, rel=1e-14)
    assert np.linalg.norm(a) == pytest.approx(v @ v / np.linalg.norm(r), rel=1e-12)
    np.testing.assert_allclose(a[:2] / np.linalg.norm(a), -x[:2] / np.linalg.norm(x[:2]), atol=1e-12)


WAYPOINTS = [(0.536, 0, 0), (0.6, 0.4, 0.2), (0.3, 0.9, 0.1), (0, 1.2, 0)]


def test_way_points_are_passed_one_after_the_other():
    path = sp.WaypointPath(WAYPOINTS, T=1.0)
    x = np.array([path.rates(t)[0] for t in path.kinks])
    for p in WAYPOINTS:
        assert np.linalg.norm(x - p, axis=1).min() < 1e-12


def test_rates_along_way_points_are_derivatives():
    path = sp.WaypointPath(WAYPOINTS, T=1.0)
    for t in (0.15, 0.5, 0.8):
        v, a = differences(lambda u: path.rates(u)[0], t)
        np.testing.assert_allclose(path.rates(t)[1:], (v, a), rtol=1e-5, atol=1e-5)


def wave(t):
    """Along y with a wave in z: position, velocity, acceleration."""
    w = 3.0
    return (
        (0.6, 0.5 * t**2, 0.1 * np.sin(w * t)),
        (0.0, t, 0.1 * w * np.cos(w * t)),
        (0.0, 1.0, -0.1 * w**2 * np.sin(w * t)),
    )


PATHS = {
    "line": sp.LinePath(A, B, T=1.0),
    "circle": sp.CirclePath((0, 0, 0.1), (0.6, 0.0, 0.1), (0.2, 0, 1), 1.2, T=1.0),
    "way-points": sp.WaypointPath(WAYPOINTS, T=1.0),
    "function": sp.FunctionPath(wave, T=1.0),
}


@pytest.mark.parametrize("name", sorted(PATHS))
def test_the_led_node_moves_as_the_path_says_up_to_its_acceleration(name):
    """Joint motion by inverse kinematics, put back through the model's own kinematics: exact to rounding."""
    path, system = PATHS[name], arm().compile()
    t = np.linspace(0.01, 0.99, 23)
    Y, _ = joint_motion(system, path, t)
    from spacar_py.results import evaluated

    tip = evaluated(system, t, Y)["tip"]
    want = np.array([path.rates(x) for x in t])
    np.testing.assert_allclose(tip.x, want[:, 0], atol=1e-12)
    np.testing.assert_allclose(tip.v, want[:, 1], atol=1e-11)
    np.testing.assert_allclose(tip.a, want[:, 2], atol=1e-9)  # up to 16 m/s^2, solved twice


def test_joint_angles_along_the_line_are_those_of_the_triangle():
    """Elbow up: cosine rule in the plane of the links (formula in cases/manipulator.py)."""
    t = np.linspace(0, 1, 11)
    Y, em = joint_motion(arm().compile(), PATHS["line"], t)
    want = manipulator.joint_angles([PATHS["line"].rates(x)[0] for x in t]) - manipulator.joint_angles(A)
    np.testing.assert_allclose(Y[:, 0, em], want, atol=1e-12)


def test_a_posture_is_chosen_by_q0():
    """Elbow down is the mirror image: the elbow's angle changes sign."""
    up, start = manipulator.joint_angles(A)[1:], manipulator.joint_angles(A)
    down = np.array([0.0, -up[0], -up[1]]) - start
    q0 = dict(zip(manipulator.JOINTS, down, strict=True))
    Y, em = joint_motion(arm().compile(), PATHS["line"], np.linspace(0, 1, 11), q0)
    angles = Y[:, 0, em] + start
    want = manipulator.joint_angles([PATHS["line"].rates(x)[0] for x in np.linspace(0, 1, 11)])
    np.testing.assert_allclose(angles[:, 1:], -want[:, 1:], atol=1e-12)


def test_a_joint_path_moves_the_named_joint_only():
    path = sp.JointPath({"shoulder.angle": quintic(0.0, 0.4, 1.0)}, T=1.0)
    Y, em = joint_motion(arm().compile(), path, np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(Y[:, 0, em], [[0, 0, 0], [0, 0.2, 0], [0, 0.4, 0]], atol=1e-14)


def test_kinks_of_a_joint_path_are_those_of_its_signals():
    two = Signal([(0.0, [0.0]), (0.3, [0.0, 1.0]), (0.7, [0.4])])
    np.testing.assert_allclose(sp.JointPath({"a": two}, T=1.0).kinks, (0.0, 0.3, 0.7, 1.0))


def test_the_models_own_prescribed_motions_are_a_path():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (1, 0))
    m.hinge("drive", "hub", "arm")
    m.prescribe("drive", "angle", sine(0.5, 2.0))
    m.beam("beam", ("hub", "arm"), "tip", sp.Section(EIz=10.0, m=1.0), flexible="bending")
    n = nominal_motion(m, PrescribedPath(1.0), 20)
    np.testing.assert_allclose(n.X[:, m.compile().x_names.index("tip.y")], np.sin(0.5 * np.sin(2 * n.t)), atol=1e-12)


def test_an_unreachable_point_is_named_with_its_time():
    path = sp.LinePath(A, (0, 1.5, 0), T=1.0)  # the arm reaches 1.4 m
    with pytest.raises(sp.ConvergenceError, match=r"path: the point \(.*\) of 'tip' at t = 0\.\d+ s is out of reach"):
        nominal_motion(arm(), path, 100)


def test_the_time_at_which_the_path_leaves_the_reach_is_right():
    path = sp.LinePath(A, (0, 1.5, 0), T=1.0)
    with pytest.raises(sp.ConvergenceError) as e:
        nominal_motion(arm(), path, 400)
    t = float(str(e.value).split("t = ")[1].split(" s")[0])
    inside = [x for x in np.linspace(0, 1, 2001) if np.linalg.norm(path.rates(x)[0]) < 1.4]
    assert t == pytest.approx(max(inside), abs=0.01)  # points are 2.5 ms apart


def test_a_singular_point_is_named_with_its_time():
    """Through the axis of the first joint, where that joint cannot move the tip sideways."""
    path = sp.LinePath(A, (-0.536, 1e-9, 0.0), T=1.0)
    with pytest.raises(sp.ConvergenceError, match=r"at t = 0\.5\d* s is (a singular position|out of reach)"):
        nominal_motion(arm(), path, 64)


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: sp.LinePath(A, B, T=0.0), "path: T must be a positive finite number, got 0"),
        (lambda: sp.LinePath(A, B, T=0.4), "profile: two ramps of 0.25 s do not fit into T = 0.4 s; shorten the ramp"),
        (lambda: sp.LinePath(A, (0, 1), T=1.0), "path: B must be a vector of 3 finite numbers, got (0, 1)"),
        (
            lambda: sp.LinePath(A, B, T=1.0, profile="quintc"),
            "path: there is no profile 'quintc' (did you mean 'quintic'?)",
        ),
        (lambda: sp.CirclePath((0, 0, 0), A, (0, 0, 0), 1.0, T=1.0), "path: axis must be a non-zero 3-vector"),
        (lambda: sp.WaypointPath([A], T=1.0), "path: way-points must be at least two rows of finite coordinates"),
        (lambda: sp.WaypointPath([A, A, B], T=1.0), "path: two way-points in a row are the same; leave one out"),
        (lambda: sp.FunctionPath(lambda t: A, T=1.0).rates(0.0), "path: the function must return three finite vectors"),
    ],
)
def test_a_wrong_path_is_refused(make, text):
    with pytest.raises(sp.InputError) as e:
        make()
    assert text in str(e.value)


@pytest.mark.parametrize(
    "path, text",
    [
        (sp.LinePath(A, B, T=1.0, node="tipp"), "path: there is no point 'tipp' (did you mean 'tip'?)"),
        (sp.LinePath((0, 1), (1, 0), T=1.0), "path: its points must have 3 coordinates, got 2"),
        (sp.JointPath({"elbow": 0.0}, T=1.0), "path: there is no joint 'elbow' (did you mean 'elbow.angle'?)"),
        (PrescribedPath(1.0), "path: the joint turret.angle is neither prescribed in the model nor led"),
    ],
)
def test_a_path_that_does_not_fit_the_model_is_refused(path, text):
    with pytest.raises(sp.InputError) as e:
        nominal_motion(arm(), path, 10)
    assert text in str(e.value)


def test_a_path_leads_as_many_joints_as_it_has_coordinates():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (1, 0))
    m.hinge("drive", "hub", "arm")
    m.rigid_beam("rod", ("hub", "arm"), "tip")
    m.mass("tip", 1.0)
    text = r"path: 2 coordinates of 'tip' cannot lead 1 joints \(drive.angle\); use a JointPath"
    with pytest.raises(sp.InputError, match=text):
        nominal_motion(m, sp.LinePath((1, 0), (0, 1), T=1.0), 10)


def test_a_path_and_a_prescribed_motion_of_the_model_exclude_each_other():
    m = sp.Model(planar=True)
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("arm")
    m.node("tip", (1, 0))
    m.hinge("drive", "hub", "arm")
    m.prescribe("drive", "angle", polynomial(0.0, 1.0))
    m.rigid_beam("rod", ("hub", "arm"), "tip")
    m.mass("tip", 1.0)
    with pytest.raises(sp.InputError, match="path: the model already prescribes drive.angle; leave that to the path"):
        nominal_motion(m, sp.JointPath({"drive.angle": 0.0}, T=1.0), 10)


def test_a_path_that_goes_on_moving_cannot_be_held():
    path = sp.JointPath({"turret.angle": polynomial(0.0, 0.0, 0.5)}, T=1.0)
    with pytest.raises(sp.InputError, match="the path goes from 0 to 1 s and does not end at rest"):
        sp.simulate(arm(), path, sp.PID(12), t_end=1.5, method=sp.AMI(4, points=50))
