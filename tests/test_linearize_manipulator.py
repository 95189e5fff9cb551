"""The spatial two-link manipulator along its path (reference values, section 6)."""

import numpy as np
import pytest

from spacar_py.cases import manipulator
from spacar_py.linearize import linear_model, modes

WB = 12.0  # bandwidth of the controller (rad/s)
RAMP = 0.25  # squared-sine acceleration (s)


def along(t):
    """Part of the straight path that is behind, and its two rates: squared-sine ramps, constant speed between."""
    t = np.asarray(t, float)
    speed = 1.0 / (1.0 - RAMP)
    w = np.pi / RAMP

    def start(u):
        inside = u < RAMP
        s = np.where(inside, u / 2 - np.sin(w * u) / (2 * w), u - RAMP / 2)
        return (
            speed * s,
            speed * np.where(inside, np.sin(w * u / 2) ** 2, 1.0),
            speed * np.where(inside, w / 2 * np.sin(w * u), 0),
        )

    s, v, a = start(np.minimum(t, 1.0 - t))
    late = t > 0.5
    return np.where(late, 1.0 - s, s), v, np.where(late, -a, a)


def nominal(t):
    """(q, qd, qdd) of the rigid arm with its tip on the line from A to B; rates by the complex step in closed form."""
    s, v, a = along(t)

    def angles(s):
        p = manipulator.A + s[:, None] * (manipulator.B - manipulator.A)
        r2 = p[:, 0] ** 2 + p[:, 1] ** 2
        half = np.arccos(np.sqrt(r2) / (2 * manipulator.LENGTH))
        turn = np.arctan(p[:, 1] / p[:, 0]) if np.iscomplexobj(p) else np.arctan2(p[:, 1], p[:, 0])
        return np.stack([turn, half, -2 * half], axis=1)

    safe = np.minimum(s, 1 - 1e-9)
    h = 1e-30
    g = angles(safe)
    g1 = angles(safe + 1j * h).imag / h
    d = 1e-5
    g2 = (angles(safe + 1j * h + d).imag - angles(safe + 1j * h - d).imag) / (2 * d * h)
    q, qd, qdd = (np.zeros((len(s), 12)) for _ in range(3))
    q[:, :3] = g - manipulator.joint_angles(manipulator.A)
    qd[:, :3] = g1 * v[:, None]
    qdd[:, :3] = g2 * v[:, None] ** 2 + g1 * a[:, None]
    return q, qd, qdd


@pytest.fixture(scope="module")
def path():
    model = manipulator.build()
    t = np.linspace(0.0, 1.0, 401)
    lin = linear_model(model, nominal(t), t)
    gain = np.zeros_like(lin.M0)
    gain[:, :3, :3] = WB**2 * lin.M0[:, :3, :3]
    return t, lin, lin.add(K0=gain)


@pytest.mark.parametrize("point, torques", [(0, (193.2374, 80.7128)), (-1, (468.6728, 195.7586))])
def test_nominal_torques_at_both_ends(path, point, torques):
    np.testing.assert_allclose(np.abs(path[1].residual[point, 1:3]), torques, atol=1e-4)


@pytest.mark.parametrize("point, inertia", [(0, (9.64, 14.41, 14.93)), (-1, (56.70, 57.47, 14.93))])
def test_inertia_of_the_joints_at_both_ends(path, point, inertia):
    np.testing.assert_allclose(np.diag(path[1].M0[point])[:3], inertia, atol=5e-3)  # printed to two decimals


@pytest.mark.parametrize("point, omega", [(0, (34.27, 36.88, 84.18, 114.14)), (-1, (23.56, 24.05, 129.52, 165.28))])
def test_frequencies_with_the_joints_held(path, point, omega):
    np.testing.assert_allclose(modes(path[1][point].hold(), n=4).omega, omega, atol=5e-3)


@pytest.mark.parametrize("point, omega", [(0, (11.17, 11.37, 12.10, 84.65)), (-1, (10.71, 10.77, 11.92, 123.44))])
def test_closed_loop_frequencies_at_both_ends(path, point, omega):
    np.testing.assert_allclose(modes(path[2][point], n=4, kind="undamped", symmetric=True).omega, omega, atol=5.5e-3)


def test_all_closed_loop_frequencies_at_the_start(path):
    want = (11.2, 11.4, 12.1, 84.7, 1472, 1513, 1516, 2618, 6644, 6689, 6704, 8165)
    np.testing.assert_allclose(modes(path[2][0], kind="undamped").omega, want, rtol=5e-3)  # printed to 3 or 4 digits


def test_third_closed_loop_frequency_has_its_maximum_near_the_end(path):
    t, _, closed = path
    third = modes(closed, n=3, kind="real", symmetric=True).omega[:, 2]
    assert t[np.argmax(third)] == pytest.approx(0.91, abs=0.01)
    assert third.max() == pytest.approx(13.85, abs=0.01)


def test_intervals_in_which_the_true_stiffness_has_complex_frequencies(path):
    t, _, closed = path
    s = modes(closed, n=3, kind="undamped").s
    flutter = t[np.any(np.abs(s.real) > 1e-6 * np.abs(s), axis=1)]
    first, second = flutter[flutter < 0.3], flutter[flutter > 0.3]
    np.testing.assert_allclose((first.min(), first.max()), (0.05, 0.17), atol=0.02)  # the reference says "about"
    np.testing.assert_allclose((second.min(), second.max()), (0.45, 0.57), atol=0.02)


def test_damping_of_the_lowest_mode_is_the_one_asked_for():
    from spacar_py.linearize import set_damping

    model = manipulator.build()
    beta = set_damping(model, 0.002)
    assert beta == pytest.approx(2 * 0.002 / 34.27, rel=1e-4)
    found = modes(linear_model(model).hold())
    assert found.damping[0] == pytest.approx(0.002, rel=0.05)  # gravity stiffness is not damped
