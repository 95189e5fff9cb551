"""Linearised equations in a few shapes without full matrices: the same as those of the full model."""

import numpy as np
import pytest
from _linear_models import four_bar
from _sparse import cantilever, cross_flexure, ladder

import spacar_py as sp

MATRICES = ("M0", "C0", "D0", "K0", "G0", "N0")


def damped_chain():
    """A planar arm on a driven hinge with a damped released joint: dampers there add a term to N0."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("hub", (0, 0))
    m.fix("hub")
    for name in ("arm", "end"):
        m.frame(name)
    m.node("elbow", (1, 0))
    m.node("tip", (1.5, 0.5))
    m.hinge("drive", "hub", "arm")
    m.hinge("joint", "elbow", "end")
    section = sp.Section(EA=1e4, EIz=5.0, m=1.0)
    m.beam("inner", ("hub", "arm"), "elbow", section, elements=2, flexible="all", damping=1e-3)
    m.beam("outer", ("elbow", "end"), "tip", section, elements=2, flexible="all", damping=1e-3)
    m.damper("joint", "angle", 0.3)
    m.spring("joint", "angle", 2.0)
    return m


CASES = {
    "tree": lambda: cantilever(4),
    "closed loop with follower loads": lambda: cross_flexure(1e-5),
    "four-bar": four_bar,
    "arm with damped joints": damped_chain,
    "ladder": lambda: ladder(3),
}


@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "in motion"])
@pytest.mark.parametrize("case", CASES)
def test_matrices_in_shapes_are_the_projected_matrices_of_the_full_model(case, moving):
    """Phi^T A Phi with arbitrary shapes; the tolerance is rounding, in parts of the largest number in A times Phi."""
    model, rng = CASES[case](), np.random.default_rng(5)
    nq = model.compile().nq
    q0 = model.compile().y0[:nq]
    q = q0 + 1e-3 * rng.normal(size=nq)
    at = (q, rng.normal(size=nq), 3.0 * rng.normal(size=nq)) if moving else q
    Phi = rng.normal(size=(nq, min(3, nq)))
    full, small = sp.linear_model(model, at), sp.reduced_model(model, at, shapes=Phi)
    for name in MATRICES:
        A = Phi.T @ getattr(full, name) @ Phi
        size = (np.abs(Phi).T @ np.abs(getattr(full, name)) @ np.abs(Phi)).max()
        assert np.abs(getattr(small, name) - A).max() <= 1e-9 * size + 1e-12, name
    np.testing.assert_allclose(small.dx, full.DF @ Phi, atol=1e-9 * np.abs(full.DF).max())
    np.testing.assert_allclose(small.de, full.DFe @ Phi, atol=1e-9 * np.abs(full.DFe).max())


def test_a_kept_mode_keeps_its_frequency():
    m = cantilever(40, force=(0, 0, 0))
    small, omega = sp.reduced_model(m, modes=4), sp.modes(m, n=4, solver="sparse").omega
    w2 = np.linalg.eigvals(np.linalg.solve(small.M0, small.stiffness))
    np.testing.assert_allclose(np.sort(np.sqrt(w2.real)), omega, rtol=1e-7)
    np.testing.assert_allclose(small.M0, np.eye(4), atol=1e-8)  # modes of unit modal mass


def test_a_force_moves_the_tip_by_the_static_compliance_of_the_kept_modes():
    """d = P L^3 / (3 EI) sum over modes; the first of a cantilever carries 12 / (beta L)^4 = 97.07 % of it."""
    m = cantilever(40, force=(0, 0, 0))
    m.gravity[:] = 0.0
    A, B, C, D = sp.reduced_model(m, modes=8).state_space(["b.y"], ["b.y"])
    static = (D - C @ np.linalg.solve(A, B)).item()
    assert 0.99 < static / (1.0 / (3 * 200.0)) < 1.0
    first = sp.reduced_model(m, modes=2).rows(["b.y"])
    assert (first**2 / (3.516015269**2 * 200.0)).max() * 3 * 200.0 == pytest.approx(12 / 1.8751040687**4, rel=1e-3)


def test_a_model_beyond_full_matrices_is_reduced_to_its_modes():
    """42000 degrees of freedom: DF alone would take 16 GB. K0 in modes of unit mass is w^2 of Euler and Bernoulli."""
    m = cantilever(7000, force=(0, 0, 0))
    m.gravity[:] = 0.0
    small = sp.reduced_model(m, modes=2)
    assert small.shapes.shape == (42000, 2)
    np.testing.assert_allclose(np.diag(small.K0), (3.516015269**2 * 100.0, 3.516015269**2 * 200.0), rtol=2e-3)


@pytest.mark.parametrize("options, message", [
    (dict(modes=0), "reduced_model: modes must be"),
    (dict(shapes=np.zeros((3, 1))), r"shapes must be finite columns of 12 degrees of freedom, got shape \(3, 1\)"),
    (dict(at=np.zeros((2, 12))), "takes one state, got 2; choose one with index"),
])  # fmt: skip
def test_what_cannot_be_reduced_is_refused(options, message):
    with pytest.raises(sp.InputError, match=message):
        sp.reduced_model(cantilever(2), **options)


def test_an_unknown_row_gets_the_nearest_name():
    with pytest.raises(sp.InputError, match="no .*'b.w'"):
        sp.reduced_model(cantilever(2), modes=1).rows(["b.w"])
