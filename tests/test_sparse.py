"""The sparse path: the same equations in nodal coordinates, without ever forming DF."""

import numpy as np
import pytest
from _sparse import SECTION, cantilever, cross_flexure, ladder
from scipy.sparse import csr_matrix

import spacar_py as sp
from spacar_py.sparse.lu import backsolve, elimination_order, fill, permuted, refactor, slots, symbolic


@pytest.mark.parametrize("build", [lambda: cantilever(8), cross_flexure], ids=["tree", "closed loop"])
def test_dense_and_sparse_statics_agree(build):
    dense, sparse = (sp.solve_static(build(), steps=4, solver=s) for s in ("dense", "sparse"))
    # both converge to 1e-10 of the step in q; positions are of order 1 m, stresses up to 1e3
    assert np.abs(dense.x - sparse.x).max() < 1e-9
    for name in ("e", "sigma", "f", "energies", "y"):
        a, b = getattr(dense, name), getattr(sparse, name)
        assert np.abs(a - b).max() < 1e-9 * np.abs(a).max(), name


def test_a_prescribed_displacement_is_reached_by_both_paths():
    def build():
        m = cantilever(4, force=(0, 0, 0))
        m.prescribe("b", "z", -0.2)
        return m

    dense, sparse = (sp.solve_static(build(), steps=3, solver=s) for s in ("dense", "sparse"))
    assert sparse["b"].x[-1, 2] == pytest.approx(-0.2, abs=1e-12)
    assert np.abs(dense.x - sparse.x).max() < 1e-9
    np.testing.assert_allclose(sparse.drive[-1], dense.drive[-1], rtol=1e-8)


@pytest.mark.parametrize(
    "build, kind",
    [(lambda: cantilever(8), "real"), (cross_flexure, "undamped"), (lambda: cross_flexure(1e-5), "damped")],
    ids=["dead load", "follower load", "damping"],
)
def test_modes_about_a_loaded_state_are_those_of_the_dense_solver(build, kind):
    at = sp.solve_static(build(), steps=3, solver="sparse")
    dense, sparse = (sp.modes(build(), at, index=-1, n=5, solver=s, kind=kind) for s in ("dense", "sparse"))
    np.testing.assert_allclose(sparse.s, dense.s, rtol=1e-9, atol=1e-9 * np.abs(dense.s).max())
    assert sparse.names == dense.names
    size = np.abs(dense.dx).max(axis=0)
    # shapes agree up to a factor of modulus one: of complex ones the moduli
    np.testing.assert_allclose(np.abs(sparse.dx) / size, np.abs(dense.dx) / size, atol=1e-7)


def test_a_free_pendulum_swings_about_its_hinge_and_a_free_hinge_has_the_frequency_zero():
    m = sp.Model()
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.node("tip", (1, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 0, 1))
    m.beam("rod", ("pivot", "swing"), "tip", SECTION, y=(0, 0, 1), elements=3, flexible="bending")
    omega = sp.modes(m, n=3, solver="sparse").omega
    assert omega[0] < 1e-5  # nothing holds the joint
    np.testing.assert_allclose(omega[1:], sp.modes(m, n=3, solver="dense").omega[1:], rtol=1e-9)


def test_frequencies_of_five_thousand_elements_are_those_of_the_beam():
    m = cantilever(5000, force=(0, 0, 0))
    m.gravity[:] = 0.0
    omega = sp.modes(m, n=2).omega
    # (1.8751)^2 sqrt(EI/(m L^4)) of Euler and Bernoulli about both axes; rotary inertia 1e-4 lowers it by less than
    # 1e-3. In displacements alone the condition number, 5000^4, would leave no digit.
    assert omega[0] == pytest.approx(3.516015269 * 10.0, rel=1e-3)
    assert omega[1] == pytest.approx(3.516015269 * np.sqrt(200.0), rel=1e-3)
    coarse = cantilever(500, force=(0, 0, 0))
    coarse.gravity[:] = 0.0
    np.testing.assert_allclose(omega, sp.modes(coarse, n=2, solver="sparse").omega, rtol=1e-7)


def test_the_solver_goes_by_size_and_is_named_in_the_result():
    assert sp.solve_static(cantilever(2), steps=1).info["solver"] == "dense"
    assert sp.solve_static(cantilever(20), steps=1).info["solver"] == "sparse"  # 120 degrees of freedom, from 100 on


def test_a_long_ladder_is_cut_into_a_tree():
    system = ladder(130).compile()  # 1820 coordinates: no full matrix is made
    assert np.diff(system.tables.blk).max() == 7  # one element at a time, as in any tree
    assert system.nq == 130 * 12  # 2 nodes of 6 for each rung
    small, large = ladder(4), system.model
    assert small.compile().nq == 4 * 12
    assert sp.solve_static(large, steps=1).x[-1].shape == (131 * 14,)


def test_a_large_model_with_too_many_conditions_is_refused():
    m = ladder(130)
    m.fix("b130")
    for i in range(130):
        m.fix(f"rung{i}", *m.elements[f"rung{i}"].deformations)
        m.fix(f"a{i}-", *m.elements[f"a{i}-"].deformations)
    with pytest.raises(sp.InputError, match=r"over- or underconstrained.*look at the same model with fewer elements"):
        m.compile()


def test_full_matrices_of_a_large_model_are_refused_before_memory_is_taken():
    with pytest.raises(sp.InputError, match=r"needs \d+ GB of full matrices.*modes with n"):
        sp.simulate(cantilever(3000), t_end=0.1, method=sp.RungeKutta())


def test_an_unknown_solver_is_refused():
    with pytest.raises(sp.InputError, match="statics: solver must be 'auto', 'dense' or 'sparse', got 'fast'"):
        sp.solve_static(cantilever(2), solver="fast")
    with pytest.raises(sp.InputError, match="solver must be 'auto', 'dense' or 'sparse', got 'fast'"):
        sp.GeneralizedAlpha(solver="fast")


def test_what_only_the_dense_solver_can_do_is_said():
    with pytest.raises(sp.InputError, match="modes: symmetric=True.*need the dense solver; take solver='dense'"):
        sp.modes(cantilever(2), n=2, symmetric=True, solver="sparse")
    with pytest.raises(sp.InputError, match="the sparse solver takes states at rest"):
        m = cantilever(2)
        q = np.zeros(m.compile().nq)
        sp.modes(m, (q, q + 0.1), n=2, solver="sparse")


def test_factors_of_a_fixed_order_solve_a_saddle_point_system():
    rng = np.random.default_rng(1)
    nf, nb = 40, 6
    A = np.diag(rng.uniform(1, 2, nf)) * 10
    for i, j in rng.integers(0, nf, (60, 2)):
        A[i, j] += rng.normal()
        A[j, i] += rng.normal()
    c = np.repeat(np.arange(nb), 3)
    x = np.concatenate([rng.choice(nf, 3, replace=False) for _ in range(nb)])
    B = np.zeros((nb, nf))
    B[c, x] = rng.normal(size=len(c))
    full = np.block([[A, B.T], [B, np.zeros((nb, nb))]])
    rows, cols = np.nonzero(A)
    place = elimination_order(rows, cols, nf, nb, (c, x))
    ptr, idx = permuted(csr_matrix((A + A.T) != 0), place, nf, c, x)
    start, row, diag = symbolic(ptr, idx, nf + nb, int(fill(ptr, idx, nf + nb)[0]))
    r, k = np.nonzero(full)
    at, V = np.empty(len(r), np.int64), np.zeros(len(row))
    slots(start, row, place[r], place[k], at)
    V[at] = full[r, k]
    assert refactor(start, row, diag, V, np.zeros(nf + nb)) == -1
    b = rng.normal(size=nf + nb)
    solution = np.empty(nf + nb)
    solution[place] = b
    backsolve(start, row, diag, V, solution)
    np.testing.assert_allclose(full @ solution[place], b, atol=1e-11)
    V[:] = 0.0
    assert refactor(start, row, diag, V, np.zeros(nf + nb)) == 0  # the first pivot is lost
