"""The sparse path: the same equations in nodal coordinates, without ever forming DF."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.sparse.solvers import frequencies_sparse, solve_static_sparse

SECTION = sp.Section(EA=1e6, GJ=80.0, EIy=100.0, EIz=200.0, m=1.0, Jx=2e-4, Jy=1e-4, Jz=1e-4)


def cantilever(elements, force=(0.0, 50.0, -200.0)):
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("a", (0, 0, 0))
    m.fix("a")
    m.node("b", (1, 0, 0))
    m.beam("leaf", "a", "b", SECTION, elements=elements, flexible="all")
    m.force("b", force)
    return m


def cross_flexure():
    """Two crossed leaves to a rigid body, loaded out of plane by a moment that follows it: a closed loop."""
    m = sp.Model()
    for name, at in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, at)
    m.fix("A")
    m.fix("D")
    m.beam("one", "A", "C", SECTION, y=(0, 0, 1), elements=2, flexible="all")
    m.beam("two", "D", "B", SECTION, y=(0, 0, 1), elements=2, flexible="all")
    m.beam("body", "B", "C", SECTION, y=(0, 0, 1))
    m.moment("C", (20.0, 5.0, 300.0), follow=True)
    m.force("B", (10.0, -20.0, 40.0), follow="B")
    return m


@pytest.mark.parametrize("build", [lambda: cantilever(8), cross_flexure], ids=["tree", "closed loop"])
def test_dense_and_sparse_statics_agree(build):
    dense, sparse = sp.solve_static(build(), steps=4), solve_static_sparse(build(), steps=4)
    # both converge to 1e-10 of the step in q; positions are of order 1 m, stresses up to 1e3
    assert np.abs(dense.x - sparse.x).max() < 1e-9
    assert np.abs(dense.sigma - sparse.sigma).max() < 1e-9 * np.abs(dense.sigma).max()


def test_frequencies_of_a_thousand_elements_are_those_of_the_beam():
    omega, _ = frequencies_sparse(cantilever(1000, force=(0, 0, 0)), 4)
    # 3.516015 sqrt(EI/(m L^4)) about both axes; gravity stiffens by less than 1e-2, rotary inertia lowers it by 1e-4
    assert omega[0] == pytest.approx(3.516015269 * 10.0, rel=1e-2)
    assert omega[1] == pytest.approx(3.516015269 * np.sqrt(200.0), rel=1e-2)


def test_a_prescribed_displacement_is_reached_by_both_paths():
    def build():
        m = cantilever(4, force=(0, 0, 0))
        m.prescribe("b", "z", -0.2)
        return m

    dense, sparse = sp.solve_static(build(), steps=3), solve_static_sparse(build(), steps=3)
    assert sparse["b"].x[-1, 2] == pytest.approx(-0.2, abs=1e-12)
    assert np.abs(dense.x - sparse.x).max() < 1e-9
