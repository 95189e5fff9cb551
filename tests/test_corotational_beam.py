"""Beam3D of the co-rotational formulation: kinematics, efforts, inertia of one element and of the assembled arm."""

import numpy as np
import pytest

from spacar_py.corotational import PD, Arm, Section, euler_bernoulli, timoshenko
from spacar_py.corotational.beam3d import beam_effort, beam_flow_matrix, beam_local, beam_stiffness
from spacar_py.corotational.inertia import beam_inertia
from spacar_py.corotational.model import Model
from spacar_py.corotational.rotations import lambda_factors, lambda_matrix, quaternion_of, rotation, rotation_vector

SECTION = Section(EA=1e3, GIt=20.0, EIy=30.0, EIz=40.0, m=2.0, Jy=0.1, Jz=0.2, GAy=300.0, GAz=200.0)
LAW = timoshenko(SECTION, 1.1)
STEP = 1e-30


def bent_beam(seed=3):
    rng = np.random.default_rng(seed)
    x = np.array([[0.2, -0.3, 0.5], [1.1, 0.2, 0.7]]) + 0.05 * rng.normal(size=(2, 3))
    d = (x[1] - x[0]) / np.linalg.norm(x[1] - x[0])
    ey = np.cross((0.0, 0.0, 1.0), d)
    ey /= np.linalg.norm(ey)
    frame = np.column_stack((d, ey, np.cross(d, ey)))
    return x, rotation(0.3 * rng.normal(size=3)) @ frame, rotation(0.3 * rng.normal(size=3)) @ frame, rng


def turned_by(t, w):
    """Section frame after the infinitesimal imaginary spin w."""
    return t + 1j * STEP * np.cross(w, t.T).T


def test_local_flows_by_the_printed_matrices_are_the_rates_of_the_local_deformations():
    """J11 J12 J21 J22 and Lambda against the complex step of theta1, u, theta2 along random nodal velocities."""
    x, t1, t2, rng = bent_beam()
    v, w = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    frame, s, B = np.empty((3, 3)), np.empty(7), np.empty((7, 12))
    length, eta = beam_local(x, 0, 1, t1, t2, 1.1, frame, s)
    beam_flow_matrix(length, eta, s, B)
    flows = np.concatenate([frame.T @ a for a in (v[0], w[0], v[1], w[1])])
    E, sc = np.empty((3, 3), complex), np.empty(7, complex)
    beam_local(x + 1j * STEP * v, 0, 1, turned_by(t1, w[0]), turned_by(t2, w[1]), 1.1, E, sc)
    np.testing.assert_allclose(B @ flows, sc.imag / STEP, rtol=1e-12, atol=1e-13)


def test_left_m_vector_stays_in_the_xy_plane_of_the_corotated_frame():
    x, t1, t2, _ = bent_beam()
    frame, s = np.empty((3, 3)), np.empty(7)
    _, eta = beam_local(x, 0, 1, t1, t2, 1.1, frame, s)
    local = frame.T @ t1[:, 1]
    assert abs(local[2]) < 1e-15
    assert eta == pytest.approx(local[0] / local[1], rel=1e-13)


def test_rigid_motion_leaves_the_beam_free_of_deformation():
    R = rotation(np.array([0.4, -1.9, 0.8]))
    x = np.array([[0.0, 0.0, 0.0], [1.1, 0.0, 0.0]]) @ R.T + np.array([5.0, -2.0, 1.0])
    frame, s = np.empty((3, 3)), np.empty(7)
    beam_local(x, 0, 1, R, R, 1.1, frame, s)
    assert np.max(np.abs(s)) < 1e-15 * 10


def test_elastic_efforts_are_the_gradient_of_the_strain_energy():
    x, t1, t2, rng = bent_beam()
    effort, ec = np.empty(12), np.empty(12, complex)
    beam_effort(x, 0, 1, t1, t2, 1.1, LAW, effort)
    v, w = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    energy = beam_effort(x + 1j * STEP * v, 0, 1, turned_by(t1, w[0]), turned_by(t2, w[1]), 1.1, LAW, ec)
    power = effort[:3] @ v[0] + effort[3:6] @ w[0] + effort[6:9] @ v[1] + effort[9:] @ w[1]
    assert energy.imag / STEP == pytest.approx(power, rel=1e-12)


def test_elastic_efforts_of_a_beam_are_in_equilibrium_with_themselves():
    x, t1, t2, _ = bent_beam()
    f = np.empty(12)
    beam_effort(x, 0, 1, t1, t2, 1.1, LAW, f)
    np.testing.assert_allclose(f[:3] + f[6:9], 0.0, atol=1e-12)
    np.testing.assert_allclose(f[3:6] + f[9:] + np.cross(x[1] - x[0], f[6:9]), 0.0, atol=1e-12)


def test_stiffness_is_the_derivative_of_the_efforts():
    x, t1, t2, _ = bent_beam()
    K, f = np.empty((12, 12)), np.empty(12, complex)
    beam_stiffness(x, 0, 1, t1, t2, 1.1, LAW, K)
    for j in range(12):
        d = np.zeros(12)
        d[j] = 1.0
        xc = x + 1j * STEP * d.reshape(2, 6)[:, :3]
        beam_effort(xc, 0, 1, turned_by(t1, d[3:6]), turned_by(t2, d[9:]), 1.1, LAW, f)
        np.testing.assert_allclose(K[:, j], f.imag / STEP, rtol=1e-11, atol=1e-9)


def test_lambda_series_meets_the_closed_form_at_half_a_radian():
    below, above = lambda_factors(0.25 - 1e-15), lambda_factors(0.25 + 1e-15)
    np.testing.assert_allclose(below, above, rtol=1e-12)


def test_lambda_is_the_inverse_of_the_tangent_operator_of_rotations():
    """Lambda(theta) w against the logarithm of exp(dt w) exp(theta): central difference, error h^2 = 1e-10."""
    theta, w, out = np.array([0.9, -1.4, 0.6]), np.array([0.3, 0.8, -0.5]), np.empty((3, 3))
    lambda_matrix(theta, out)
    ahead, behind = np.empty(3), np.empty(3)
    h = 1e-5
    rotation_vector(rotation(h * w) @ rotation(theta), ahead)
    rotation_vector(rotation(-h * w) @ rotation(theta), behind)
    np.testing.assert_allclose(out @ w, (ahead - behind) / (2 * h), rtol=1e-8)


def test_quaternion_of_a_matrix_survives_half_turns():
    for axis in np.eye(3):
        p = quaternion_of(rotation(np.pi * axis))
        assert abs(p[0]) < 1e-12 and abs(abs(p[1:] @ axis) - 1.0) < 1e-12


def test_timoshenko_law_without_shear_is_the_euler_bernoulli_law():
    stiff = Section(1e3, 20.0, 30.0, 40.0, 2.0)
    np.testing.assert_allclose(timoshenko(stiff, 0.7), euler_bernoulli(stiff, 0.7), rtol=1e-14)


def test_turning_beam_needs_the_centripetal_force_of_its_mass_matrix():
    """Steady turn about the left end: the forces on both ends add up to m w^2 L/2 towards the centre."""
    L, w = 1.5, 2.0
    f = np.empty(12)
    spin = np.tile((0.0, 0.0, w), (2, 1))
    acc = np.array([[0.0, 0.0, 0.0], [-(w**2) * L, 0.0, 0.0]])
    beam_inertia(np.eye(3), np.eye(3), 0, 1, spin, acc, np.zeros((2, 3)), np.array([2.0, 0.2, 0.1, L / 3, L / 6]), f)
    assert f[0] + f[6] == pytest.approx(-2.0 * L * w**2 * L / 2.0, rel=1e-14)


@pytest.mark.parametrize("stabilise", [True, False])
def test_jacobian_of_an_arm_with_everything_in_it_is_exact_and_banded(stabilise):
    arm = Arm(gravity=(1, 2, -9.81))
    arm.hinge("driven", (0, 0.3, 1), drive=lambda t: (0.3 + 0.1 * t, 0.1, 0.2))
    arm.link("A", (1, 0.2, 0.3), SECTION, elements=2)
    arm.hinge("controlled", (0, 1, 0.2), control=PD(lambda t: (0.2, 0.3, 0.0), 10.0, 20.0))
    arm.link("B", (1, 0.2, 0), SECTION, flexible=False)
    arm.load((30.0, -20.0, 10.0), (1.0, 2.0, 3.0))
    arm.hinge("passive", (0, 1, 0.2))
    arm.link("C", (1, 0.2, 0), SECTION, elements=2)
    arm.payload("tool", 3.0, (0.1, 0.2, 0.3))
    model = Model(arm, stabilise=stabilise)
    rng = np.random.default_rng(0)
    y, yp = model.initial() + 0.1 * rng.normal(size=model.size), rng.normal(size=model.size)
    J = model.jacobian(0.1, y, yp, 1.7).copy()
    for k in range(model.size):
        d = np.zeros(model.size, complex)
        d[k] = 1j * STEP
        np.testing.assert_allclose(J[:, k], model.residual(0.1, y + d, yp + 1.7 * d).imag / STEP, rtol=1e-10, atol=1e-9)
    i, j = np.nonzero(J)
    assert np.max(np.abs(i - j)) <= model.band < model.size / 3
