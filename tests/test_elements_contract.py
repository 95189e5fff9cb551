"""What every registered element must satisfy, found from the registry: to list an element is to test it."""

import numpy as np
import pytest
from _nodal import SECTION, Alone, mass
from hypothesis import given, settings
from hypothesis import strategies as st

from spacar_py.assembly import hessian, series
from spacar_py.dynamics import add_inertia, inertia_forces
from spacar_py.elements.base import Element
from spacar_py.elements.registry import ELEMENTS
from spacar_py.errors import InputError
from spacar_py.tables import work_space

KINDS = sorted(ELEMENTS)
STEP = 1e-30  # of the complex step: no subtraction, so nothing is lost
EXACT = 1e-12  # relative, as the reference values demand; rounding alone leaves some 1e-15


def random_series(alone, seed):
    """Coordinates well away from the start, Euler parameters not of unit length, with two rates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, alone.nx))
    X[0] = alone.x0 + 0.3 * rng.normal(size=alone.nx)
    return X


def close(a, b):
    return np.max(np.abs(a - b), initial=0.0) <= EXACT * max(1.0, np.max(np.abs(b), initial=0.0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_first_derivative_equals_the_complex_step(kind, seed):
    alone = Alone(kind, np.random.default_rng(seed))
    x = random_series(alone, seed)[0]
    t = alone.tables
    D = alone.evaluate(x).D[0]
    for el in range(len(t.el_e) - 1):
        xi = t.el_xi[t.el_x[el] : t.el_x[el + 1]]
        rows = slice(t.el_e[el], t.el_e[el + 1])
        moved = [x + 1j * STEP * (np.arange(alone.nx) == j) for j in xi]
        step = np.array([alone.evaluate(c).e[0, rows].imag / STEP for c in moved]).T
        assert close(D[t.el_D[el] : t.el_D[el + 1]].reshape(step.shape), step)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_time_series_of_e_and_D_equal_the_complex_step_in_time(kind, seed):
    """Coefficient k is the k-th derivative over k!, so d/dt of coefficient k - 1 is k times coefficient k."""
    alone = Alone(kind, np.random.default_rng(seed))
    X = random_series(alone, seed)
    w = alone.evaluate(X, K=3)
    later = X.astype(complex)  # the series of the same motion at t = i STEP
    later[0] += 1j * STEP * X[1]
    later[1] += 1j * STEP * 2 * X[2]
    c = alone.evaluate(later, K=3)
    for k in (1, 2):
        assert close(k * w.e[k], c.e[k - 1].imag / STEP)
        assert close(k * w.D[k], c.D[k - 1].imag / STEP)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_deformations_are_D_times_rates(kind):
    """ed = D xd and edd / 2 = D xdd / 2 + Dd xd / 2, e by e."""
    alone = Alone(kind, np.random.default_rng(4))
    X = random_series(alone, 4)
    w, t = alone.evaluate(X, K=3), alone.tables
    for el in range(len(t.el_e) - 1):
        xi = t.el_xi[t.el_x[el] : t.el_x[el + 1]]
        rows = slice(t.el_e[el], t.el_e[el + 1])
        D = w.D[:, t.el_D[el] : t.el_D[el + 1]].reshape(3, -1, len(xi))
        assert close(w.e[1, rows], D[0] @ X[1, xi])
        assert close(w.e[2, rows], D[0] @ X[2, xi] + D[1] @ X[1, xi] / 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hessian_contracted_with_stresses_equals_the_complex_step(kind, seed):
    alone = Alone(kind, np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 100)
    x, sigma, t = random_series(alone, seed)[0], rng.normal(size=alone.ne), alone.tables
    w = alone.evaluate(x)
    hessian(t.k, w.k, sigma)
    for el in range(len(t.el_e) - 1):
        xi = t.el_xi[t.el_x[el] : t.el_x[el + 1]]
        n, s = len(xi), sigma[t.el_e[el] : t.el_e[el + 1]]
        columns = []
        for j in xi:
            c = alone.evaluate(x + 1j * STEP * (np.arange(alone.nx) == j))
            columns.append(s @ c.D[0, t.el_D[el] : t.el_D[el + 1]].reshape(-1, n).imag / STEP)
        H = w.H[t.el_H[el] : t.el_H[el + 1]].reshape(n, n)
        assert close(H, np.array(columns).T)
        assert close(H, H.T)


@pytest.mark.parametrize("kind", KINDS)
def test_deformations_vanish_at_the_start(kind):
    for seed in range(5):
        alone = Alone(kind, np.random.default_rng(seed))
        assert np.max(np.abs(alone.evaluate(alone.x0).e[0])) < EXACT


numbers = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(turn=st.tuples(numbers, numbers, numbers), shift=st.tuples(numbers, numbers, numbers), seed=st.integers(0, 9))
def test_a_large_rigid_motion_leaves_the_deformations_zero(kind, turn, shift, seed):
    alone = Alone(kind, np.random.default_rng(seed))
    if alone.planar:
        x = alone.moved(turn[0], np.array(shift[:2]))
    else:
        x = alone.moved(np.array(turn), np.array(shift))
    assert np.max(np.abs(alone.evaluate(x).e[0])) < EXACT  # lengths are of order one


def expected_inertia(alone):
    """Mass, first moment and inertia tensor about the origin of a straight bar with SECTION between the two points."""
    p, q = np.zeros((2, 3))
    p[: len(alone.element.nodes["xp"].start)] = alone.element.nodes["xp"].start
    q[: len(alone.element.nodes["xq"].start)] = alone.element.nodes["xq"].start
    m, L = SECTION.m * alone.element.L0, alone.element.L0
    second = m * (2 * np.outer(p, p) + 2 * np.outer(q, q) + np.outer(p, q) + np.outer(q, p)) / 6
    J = np.trace(second) * np.eye(3) - second
    if "rp" in alone.element.nodes:
        A = alone.element.axes
        J = J + L * A.T @ SECTION.J @ A
    return m, m * (p + q) / 2, J


HEAVY = [k for k in KINDS if ELEMENTS[k].needs_length]


@pytest.mark.parametrize("kind", HEAVY)
def test_mass_is_symmetric_positive_and_has_the_total_mass_and_inertia_of_a_bar(kind):
    """T of a rigid motion = m v.v/2 + v.(omega x s) + omega.J omega/2, s the first moment."""
    rng = np.random.default_rng(7)
    alone = Alone(kind, rng)
    M, _ = mass(alone.tables, alone.evaluate(alone.x0), alone.nx)
    m, s, J = expected_inertia(alone)
    assert close(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > -1e-12 * np.abs(M).max()
    for _ in range(5):
        omega, v = rng.normal(size=(2, 3))
        if alone.planar:
            omega[:2], v[2] = 0.0, 0.0
        xd = alone.rigid_rate(omega, v)
        T = 0.5 * m * v @ v + v @ np.cross(omega, s) + 0.5 * omega @ J @ omega
        assert 0.5 * xd @ M @ xd == pytest.approx(T, rel=1e-12)  # rounding


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in HEAVY])
def test_a_joint_has_no_mass(kind):
    assert len(Alone(kind, np.random.default_rng(1)).tables.z_kind) == 0


@pytest.mark.parametrize("kind", HEAVY)
def test_gravity_does_the_work_of_the_weight_in_any_rigid_motion(kind):
    """Power of the nodal forces of gravity = g . (m v + omega x s)."""
    rng = np.random.default_rng(8)
    alone = Alone(kind, rng)
    w, t = alone.evaluate(alone.x0), alone.tables
    w.X[1:] = 0.0
    w.U[1:] = 0.0
    inertia_forces(t.k, w.k, 1.0)
    add_inertia(t.k, w.k, -1.0)
    m, s, _ = expected_inertia(alone)
    _, weight = mass(t, w, alone.nx)
    assert close(w.fx, weight @ alone.model.gravity)
    omega, v = rng.normal(size=(2, 3))
    if alone.planar:
        omega[:2], v[2] = 0.0, 0.0
    power = alone.model.gravity @ (m * v + np.cross(omega, s))
    assert w.fx @ alone.rigid_rate(omega, v) == pytest.approx(power, rel=1e-12)


@pytest.mark.parametrize("kind", HEAVY)
def test_stiffness_is_symmetric_and_not_negative(kind):
    S = Alone(kind, np.random.default_rng(3)).element.stiffness()
    assert close(S, S.T)
    assert np.linalg.eigvalsh(S)[0] >= -1e-12 * max(1.0, np.abs(S).max())


def test_deformations_of_real_and_complex_work_spaces_agree():
    alone = Alone("beam", np.random.default_rng(5))
    x = random_series(alone, 5)[0]
    c = work_space(alone.tables, complex)
    c.X[0] = x
    series(alone.tables.k, c.k, 1, np.zeros(alone.ne, complex))
    assert close(c.e[0].real, alone.evaluate(x).e[0]) and not c.e[0].imag.any()


def test_an_element_class_that_does_not_say_its_kind_is_refused_at_once():
    with pytest.raises(TypeError, match="element class Nameless does not state its kind"):
        type("Nameless", (Element,), {"slots": {"xp": "point"}, "deformations": ("a",), "describe": lambda s, b: None})


def test_an_element_class_without_describe_is_refused_at_once():
    with pytest.raises(TypeError, match=r"element class Silent does not define describe\(build\)"):
        type("Silent", (Element,), {"kind": "silent", "slots": {"xp": "point"}, "deformations": ("a",)})


def test_spherical_joint_needs_points_at_one_place():
    rng = np.random.default_rng(1)
    alone = Alone("truss", rng)
    with pytest.raises(InputError, match="spherical joint 'j': its points 'xp' and 'xq' must be at the same place"):
        ELEMENTS["spherical joint"]("j", alone.element.nodes)
