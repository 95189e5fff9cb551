"""Functions of time: values and exact rates."""

import numpy as np
import pytest

from spacar_py import InputError, Signal
from spacar_py.signals import PythonSignal, as_signal, constant, polynomial, quintic, ramp, sine, table

TIMES = np.linspace(-0.5, 4.0, 91)


def rates_by_difference(s, t, h=1e-4):
    """Central differences of fourth order: error some h^4 of the fifth derivative plus rounding over h^2."""
    v = [s(t + k * h) for k in (-2, -1, 0, 1, 2)]
    first = (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / (12 * h)
    second = (-v[0] + 16 * v[1] - 30 * v[2] + 16 * v[3] - v[4]) / (12 * h**2)
    return np.array([v[2], first, second])


SMOOTH = {
    "polynomial": polynomial(0.3, -1.0, 0.7, 0.2, -0.1, 0.05, start=-1.0),
    "sine": sine(0.7, 3.0, 0.4, start=-1.0),
    "sum of two sines": sine(0.7, 3.0, 0.4, start=-1.0) + sine(-0.2, 5.0, start=-2.0),
    "mixture": 2.0 * sine(0.7, 3.0, start=-1.0) - polynomial(1, 2, 3, start=-1.0) * 0.5 + 4.0,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_rates_are_the_derivatives_of_the_value(name):
    s = SMOOTH[name]
    for t in np.linspace(0.0, 2.0, 7):
        assert np.allclose(s.rates(t), rates_by_difference(s, t), rtol=1e-6, atol=1e-6)


def test_sine_has_closed_form_rates():
    s, w, p = sine(0.7, 3.0, 0.4, start=0.5), 3.0, 0.4
    a = w * (1.2 - 0.5) + p
    want = [0.7 * np.sin(a), 0.7 * w * np.cos(a), -0.7 * w**2 * np.sin(a)]
    assert np.allclose(s.rates(1.2), want, rtol=1e-14, atol=0)


def test_quintic_goes_from_rest_to_rest_without_a_jump_of_acceleration():
    s = quintic(1.0, 3.0, 2.0, start=1.0)
    assert np.allclose(s.rates(1.0), [1, 0, 0], rtol=0, atol=1e-14)
    assert np.allclose(s.rates(3.0 - 1e-12), [3, 0, 0], rtol=0, atol=1e-10)
    assert np.allclose(s.rates(2.0), [2.0, 15 / 8 * 2 / 2.0, 0], rtol=0, atol=1e-13)  # largest rate 15/8 d/T


def test_signal_rests_before_its_start_and_after_a_ramp():
    s = ramp(2.0, 5.0, 1.5, start=1.0)
    assert s.rates(0.2).tolist() == [2.0, 0.0, 0.0]
    assert np.allclose(s.rates(1.5), [3.0, 2.0, 0.0], rtol=1e-15, atol=0)
    assert s.rates(9.0).tolist() == [5.0, 0.0, 0.0]


def test_kinks_are_the_times_where_pieces_begin():
    assert ramp(0, 1, 2.0, start=1.0).kinks.tolist() == [1.0, 3.0]
    assert (ramp(0, 1, 2.0, start=1.0) + ramp(0, 1, 1.0, start=1.5)).kinks.tolist() == [1.0, 1.5, 2.5, 3.0]


def test_at_a_kink_the_rates_are_those_of_the_coming_piece():
    assert ramp(0, 1, 2.0).rates(2.0)[1] == 0.0
    assert ramp(0, 1, 2.0).rates(0.0)[1] == 0.5


@pytest.mark.parametrize("other", [constant(5.0), polynomial(1, 2, 3, 4, 5, 6, start=0.7), sine(1, 2, 3, start=-0.2)])
def test_the_rates_of_a_sum_are_the_sum_of_the_rates(other):
    """Pieces that start at different times, and constants, which have no higher powers to shift."""
    a = ramp(0.0, 1.0, 1.0, start=1.0) + quintic(0.0, 2.0, 0.7, start=2.1)
    both = a + other
    for t in TIMES:
        want = a.rates(t) + other.rates(t)
        assert np.allclose(both.rates(t), want, rtol=1e-11, atol=1e-11)  # shifted powers up to 3^5


def test_numbers_add_and_subtract_from_either_side():
    s = ramp(0.0, 1.0, 1.0)
    assert (1.0 + s)(0.5) == 1.5
    assert (1.0 - s)(0.25) == 0.75
    assert (s - 1.0)(0.5) == -0.5
    assert (-s)(0.5) == -0.5


def test_scaling_scales_value_and_rates():
    s = sine(0.7, 3.0) + polynomial(1, 2, 3)
    assert np.allclose((s * -2.5).rates(0.8), -2.5 * s.rates(0.8), rtol=1e-14, atol=0)


def test_table_is_a_spline_through_its_points_at_rest_at_both_ends():
    t = np.array([0.0, 0.5, 1.2, 2.0])
    v = np.array([0.0, 1.0, -0.5, 0.3])
    s = table(t, v)
    assert np.allclose([s(x) for x in t], v, rtol=0, atol=1e-14)
    assert abs(s.rates(0.0)[1]) < 1e-14
    assert abs(s.rates(2.0 - 1e-9)[1]) < 1e-7
    for x in t[1:-1]:  # twice continuously differentiable inside
        assert np.allclose(s.rates(x - 1e-10), s.rates(x), rtol=0, atol=1e-7)
    assert s.rates(5.0).tolist() == [0.3, 0.0, 0.0]


def test_table_repeats_a_cubic_with_clamped_ends():
    """v = 3 t^2 - 2 t^3 is at rest at 0 and 1: a clamped cubic spline is exact."""
    t = np.linspace(0, 1, 6)
    s = table(t, 3 * t**2 - 2 * t**3)
    assert np.allclose(s.rates(0.37), [3 * 0.37**2 - 2 * 0.37**3, 6 * 0.37 * 0.63, 6 - 12 * 0.37], rtol=0, atol=1e-12)


def test_python_function_gives_its_own_rates():
    s = as_signal(lambda t: (t**2, 2 * t, 2.0))
    assert isinstance(s, PythonSignal)
    assert s.rates(3.0).tolist() == [9.0, 6.0, 2.0]


def test_python_function_of_a_load_may_return_a_number():
    assert as_signal(lambda t: 2 * t, rates=False).rates(3.0).tolist() == [6.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Signal([]), "signal: needs at least one piece (start, coefficients), got none"),
        (lambda: Signal([(0.0, [1.0]), (0.0, [2.0])]), "signal: the start times of the pieces must increase"),
        (lambda: Signal([(0.0, [float("nan")])]), "signal: start times and coefficients must be finite"),
        (lambda: Signal([(float("inf"), [1.0])]), "signal: start times and coefficients must be finite"),
        (lambda: Signal([(0.0, np.ones(13))]), "signal: a piece takes 1 to 12 coefficients, got 13 from t = 0"),
        (lambda: Signal([1.0, 2.0]), "signal: pieces must be pairs (start, coefficients)"),
        (lambda: polynomial(*range(7)), "polynomial: takes 1 to 6 coefficients, got 7"),
        (lambda: ramp(0, 1, 0.0), "ramp: T must be a positive finite number, got 0"),
        (lambda: quintic(0, 1, -2.0), "quintic: T must be a positive finite number, got -2"),
        (lambda: table([0, 1, 1], [0, 1, 2]), "table: times must increase and be as many as the values"),
        (lambda: table([0, 1], [0, 1, 2]), "two at least, got 2 and 3"),
        (lambda: table([0, 1], [0, float("nan")]), "table: times and values must be finite"),
        (lambda: table("ab", [1, 2]), "table: times and values must be two rows of numbers"),
        (lambda: as_signal("fast"), "signal: needs a number, a Signal or a function of time, got 'fast'"),
        (lambda: as_signal(float("nan")), "signal: its value must be a finite number, got nan"),
        (lambda: as_signal(lambda t: t), "must return three finite numbers (value, rate, second rate), got 0.0 at"),
        (lambda: as_signal(lambda t: "x", rates=False), "must return one finite number, or three"),
        (lambda: constant(1.0) + (lambda t: (t, 1, 0)), "signal: a Python function cannot be added to a signal"),
        (lambda: constant(1.0) - (lambda t: (t, 1, 0)), "signal: a Python function cannot be scaled or subtracted"),
        (lambda: constant(1.0) * constant(2.0), "signal: factor must be a finite number"),
        (lambda: sine(1, 1) + sine(1, 2) + sine(1, 3), "signal: a piece can hold at most two sines"),
    ],
)
def test_impossible_signals_are_refused(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)
