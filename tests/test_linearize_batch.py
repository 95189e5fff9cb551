"""Many states at once: shared out among threads, with the numbers of one state after the other."""

import numpy as np
import pytest
from _linear_models import four_bar
from _sparse import cantilever, cross_flexure, ladder

import spacar_py as sp
from spacar_py.linearize import linear_model
from spacar_py.linearize.states import read_states
from spacar_py.sparse.nominal import NodalState

PARTS = ("all_matrices", "rho", "all_sigma", "all_fx", "X", "E")


def wave(model, N, size=1e-3, joint=0.5):
    """States along a slow oscillation, with its rates and accelerations."""
    s = model.compile()
    rng, phase = np.random.default_rng(3), np.linspace(0, 1, N)[:, None]
    a, b = np.where(s.flexible, size, joint), rng.normal(size=s.nq)
    return a * np.sin(phase * b), a * b * np.cos(phase * b), -a * b**2 * np.sin(phase * b)


CASES = {"tree": lambda: cantilever(6), "elastic loop": lambda: cross_flexure(1e-5), "four-bar": four_bar}


@pytest.mark.parametrize("case", CASES)
def test_the_numbers_do_not_depend_on_the_number_of_threads(case):
    model = CASES[case]()
    at = wave(model, 90, 1e-5)
    one, two, three = (linear_model(model, at, workers=n) for n in (1, 2, 3))
    for name in PARTS:
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
        assert np.array_equal(getattr(one, name), getattr(three, name)), name


@pytest.mark.parametrize("case", CASES)
def test_a_state_has_the_same_matrices_alone_and_among_many(case):
    model = CASES[case]()
    at = wave(model, 40, 1e-5)
    many = linear_model(model, at, workers=2)
    for n in (0, 17, 39):
        alone = linear_model(model, tuple(a[n] for a in at))
        for k, name in enumerate(("M0", "C0", "D0", "K0", "G0", "N0")):
            a, b = alone.all_matrices[0, k], many.all_matrices[n, k]
            # positions converge to 1e-13; short stiff leaves multiply that by their stiffness, 1e7 of 1e4
            np.testing.assert_allclose(b, a, atol=1e-9 * max(np.abs(alone.all_matrices[0]).max(), 1e-12), err_msg=name)


def test_states_far_apart_are_reached_step_by_step_and_stay_on_their_branch():
    model = four_bar()
    s = model.compile()

    def turned(angles):
        q = np.tile(s.y0[: s.nq], (len(angles), 1))
        q[:, s.y_index["drive.angle"]] += angles
        return q

    many = linear_model(model, turned([0.0, 2.0, -2.0, 4.0]), workers=2)  # rad: too far for one step of Newton
    fine = linear_model(model, turned(np.linspace(0.0, 4.0, 201)))
    for n, k in ((0, 0), (1, 100), (3, 200)):
        np.testing.assert_allclose(many.X[n, 0], fine.X[k, 0], atol=1e-10)


@pytest.mark.parametrize("build", [lambda: cantilever(5), cross_flexure, lambda: ladder(3)],
                         ids=["tree", "elastic loop", "many loops"])  # fmt: skip
def test_mass_is_the_nodal_mass_seen_through_the_transfer_function(build):
    model = build()
    linear = linear_model(model)
    M = NodalState(model.compile(), read_states(model.compile(), None, 0.0)).M.toarray()
    # DF^T M DF by full products, where the tangent solves with D_c^T
    expected = linear.DF.T @ M @ linear.DF
    np.testing.assert_allclose(linear.M0, expected, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(linear.M0, linear.M0.T, atol=1e-13 * np.abs(expected).max())


def test_a_static_result_with_many_load_steps_is_shared_out_too():
    r = sp.solve_static(cantilever(4), steps=8)
    one, two = (linear_model(cantilever(4), r, workers=n) for n in (1, 2))
    assert np.array_equal(one.all_matrices, two.all_matrices)
    # an equilibrium at every load factor: nothing must be added, against loads of 200 N
    assert np.abs(two.residual).max() < 1e-6


def test_the_number_of_threads_is_checked():
    with pytest.raises(sp.InputError, match="linear_model: workers must be"):
        linear_model(cantilever(2), workers=0)
