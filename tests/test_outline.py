"""Kernels that are called by address: the same numbers, and no call with other arguments than they take."""

import numba
import numpy as np
import pytest

from spacar_py._outline import ADDRESSES, SLOTS
from spacar_py.assembly import values
from spacar_py.cases.manipulator import build


@numba.njit
def _by_address(t, w, first, K, ref):
    return values(t, w, first, K, ref)


def test_a_kernel_called_by_address_gives_the_numbers_of_the_kernel_itself():
    s = build().compile()
    one, other = s.work(), s.work()
    one.X[1] = other.X[1] = np.linspace(-1, 1, s.nx)
    values(s.k, one.k, 0, 3, np.zeros(s.ne))
    assert _by_address(s.k, other.k, 0, 3, np.zeros(s.ne)) == 1
    assert np.array_equal(one.e, other.e) and np.abs(one.e[1]).max() > 0.1


def test_what_is_called_has_an_address_as_soon_as_the_work_space_is_handed_over():
    s = build().compile()
    assert s.work().k is not None
    assert ADDRESSES["f"][SLOTS.index("values")] != 0


def test_an_array_with_gaps_is_refused_when_the_caller_is_compiled():
    s = build().compile()
    with pytest.raises(numba.TypingError, match="values: wants a contiguous array of 1 dimensions, got"):
        _by_address(s.k, s.work().k, 0, 1, np.zeros(2 * s.ne)[::2])
