"""Sums of the linearised matrices against the complex step of the nonlinear residual, for random states that move."""

import numpy as np
import pytest
from _linear_models import KINDS, alone, complex_derivatives, four_bar, largest_error, random_state

import spacar_py as sp
from spacar_py.linearize import linear_model, state_space

EXACT = 1e-9  # relative, as issue 3 demands; what is left is rounding, some 1e-13


def check_sums(model, state, t=0.0):
    s = model.compile()
    lin = linear_model(model, state, t)
    K, C, M = complex_derivatives(s, lin.x, lin.Y[0], t)
    a = lin.all_matrices[0]
    assert largest_error(a[0], M) < EXACT
    assert largest_error(a[1] + a[2], C) < EXACT
    assert largest_error(a[3] + a[4] + a[5], K) < EXACT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_matrices_of_every_element_alone_are_the_derivatives_of_its_residual(kind, seed):
    model = alone(kind)
    check_sums(model, random_state(model.compile(), seed))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_matrices_of_a_closed_planar_loop_are_the_derivatives_of_its_residual(seed):
    model = four_bar()
    check_sums(model, random_state(model.compile(), seed, size=0.02))


def spatial_loop(driven=False):
    """Two leaf springs that cross under a body, closed, released where they would be overconstrained, with dampers."""
    m = sp.Model(gravity=(0.4, 1.0, -9.81))
    for name, x in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, x)
    m.fix("A")
    m.fix("D")
    leaf = sp.Section(EA=2e3, GJ=0.01, EIy=0.02, EIz=4.0, m=0.08, Jx=2e-5, Jy=1e-6, Jz=2e-5)
    m.beam("AC", "A", "C", leaf, y=(0, 0, 1), flexible="all", damping=1e-3)
    m.beam("BC", "B", "C", sp.Section(m=1.5, Jx=3e-4, Jy=1e-5, Jz=3e-4), y=(0, 0, 1))
    m.beam("BD", "B", "D", leaf, y=(0, 0, 1), flexible="all", damping=2e-3)
    m.moment("C", (0.02, -0.01, 0.05))
    if driven:
        m.prescribe("C", "lambda3", sp.Signal([(0.0, [0.05, 0.3, -0.2])]))
    return m


@pytest.mark.parametrize("driven", [False, True])
def test_matrices_of_a_closed_spatial_loop_are_the_derivatives_of_its_residual(driven):
    model = spatial_loop(driven)
    q, qd, qdd = random_state(model.compile(), 5, size=1e-3)
    check_sums(model, (q, 0.1 * qd, qdd), t=0.1)


@pytest.mark.parametrize("model", [four_bar(), spatial_loop(driven=True), alone("beam"), alone("warping beam")])
def test_derivatives_of_all_stresses_and_support_forces_are_those_of_the_complex_step(model):
    """The dependent rows: reactions in rigid deformations and in held coordinates."""
    s = model.compile()
    q, qd, qdd = random_state(s, 7, size=1e-3)
    lin = linear_model(model, (q, 0.1 * qd, qdd), 0.1)
    sig, support = lin.nodal(0)
    held = np.array([st in ("fixed", "prescribed") for st in s.x_status])
    e_y = np.asarray(s.tables.e_y)
    given = (np.asarray(s.tables.e_given) == 1) & ((e_y < 0) | (e_y >= s.nq))
    for k, (d_sigma, d_fx) in enumerate(
        zip(
            complex_derivatives(s, lin.x, lin.Y[0], 0.1, "sigma"),
            complex_derivatives(s, lin.x, lin.Y[0], 0.1, "fx"),
            strict=True,
        )  # fmt: skip
    ):
        scale = np.max(np.abs(d_sigma))
        assert np.max(np.abs(sig[k] - d_sigma)[given], initial=0.0) < EXACT * scale
        if held.any():
            assert np.max(np.abs(support[k] - d_fx)[held]) < EXACT * np.max(np.abs(d_fx))


def test_kinematic_outputs_are_the_derivatives_of_the_nonlinear_rates():
    """Coordinates, their first and second rates in a moving state, by the complex step in y, yd and ydd."""
    model = four_bar()
    s = model.compile()
    lin = linear_model(model, random_state(s, 3, size=0.02))
    from spacar_py.linearize.ports import Outputs

    rows = Outputs(lin, 0)
    i = s.x_names.index("C.y")
    want = complex_derivatives(s, lin.x, lin.Y[0], 0.0, "X")  # [y, yd, ydd][nx, order, ny]
    for k, kind in enumerate(("position", "velocity", "acceleration")):
        factor = 2.0 if k == 2 else 1.0  # w.X holds Taylor coefficients
        got = rows.row(f"{kind} C.y")[0]
        for j in range(3):
            np.testing.assert_allclose(got[j], factor * want[j][i, k], rtol=1e-9, atol=1e-9)


def test_state_space_of_a_moving_loop_gives_the_nonlinear_acceleration_rate():
    """A and B rows of qdd: M0 dqdd = -(C0 + D0) dqd - (K0 + G0 + N0) dq."""
    model = four_bar()
    lin = linear_model(model, random_state(model.compile(), 4, size=0.02))
    A = state_space(lin, []).A
    n = len(lin.dof)
    np.testing.assert_allclose(lin.M0 @ A[n:], -np.hstack([lin.stiffness, lin.velocity]), rtol=1e-9, atol=1e-6)
