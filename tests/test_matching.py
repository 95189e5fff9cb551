"""Largest matchings of sparse patterns, against the largest flow, and where SciPy's own matching never ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

import spacar_py as sp
from spacar_py.matching import own_columns


def size_by_flow(A) -> int:
    """Largest flow from a source through rows and columns to a sink, every edge of capacity one."""
    n, m = A.shape
    r, c = A.nonzero()
    ends = np.concatenate([np.zeros(n, int), 1 + r, 1 + n + np.arange(m)])
    heads = np.concatenate([1 + np.arange(n), 1 + n + c, np.full(m, n + m + 1)])
    graph = csr_matrix((np.ones(len(ends), np.int32), (ends, heads)), shape=(n + m + 2,) * 2)
    return maximum_flow(graph, 0, n + m + 1).flow_value


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 30), st.floats(0.02, 0.4))
def test_matching_is_as_large_as_the_largest_flow(seed, n, m, density):
    A = csr_matrix((np.random.default_rng(seed).random((n, m)) < density).astype(float))
    column = own_columns(A)
    used = column[column >= 0]
    assert len(np.unique(used)) == len(used) == size_by_flow(A)
    assert all(A[r, c] for r, c in enumerate(column) if c >= 0)


@pytest.mark.parametrize("elements", [25, 50])
def test_a_long_closed_loop_is_compiled_at_once(elements):
    """Two crossed leaf springs of 50 elements together: SciPy's matching of its conditions did not end."""
    from _sparse import cross_flexure

    system = cross_flexure(elements=elements).compile()
    assert system.nq == 6 * (2 * elements - 1)  # each leaf with all six, less the six conditions of the loop


def test_a_slender_loop_needs_no_more_iterations_than_a_coarse_one():
    """Two crossed leaves of 150 elements each turned by a moment as far as with two, in two load steps.

    Two elements bend a leaf by some 0.1 rad each: terms of third order in that, 1e-3 of the way of 16 mm, are left out.
    """
    from _sparse import cross_flexure

    few, many = (sp.solve_static(cross_flexure(elements=n), steps=2, solver="sparse") for n in (2, 150))
    assert many.info["iterations"] <= few.info["iterations"] + 3
    way = many["C"].x[-1] - (0.1, 0.1, 0.0)
    assert np.linalg.norm(way) > 0.015
    np.testing.assert_allclose(few["C"].x[-1] - (0.1, 0.1, 0.0), way, atol=2e-3 * np.linalg.norm(way))
