"""One name for the right-hand sides of the explicit integrators: a nonlinear system or a linear time-varying one.

Which one is meant is decided by the type of the first argument when the integrator is compiled.
"""

from numba.extending import overload

from .rates import go_back, linear_rates, rates


def rhs(t, w, c, ref, time, s, ds):
    """ds = f(time, s); positive where it succeeded."""
    raise NotImplementedError("for compiled code only")


@overload(rhs, inline="always")
def _rhs(t, w, c, ref, time, s, ds):
    if "P" in t.field_dict:

        def linear(t, w, c, ref, time, s, ds):
            return linear_rates(t, time, s, ds)

        return linear

    def nonlinear(t, w, c, ref, time, s, ds):
        return rates(t, w, c, ref, time, s, ds)

    return nonlinear


def back(t, w, ref, time, s, x):
    """Forget an attempt that failed; a linear system has nothing to forget."""
    raise NotImplementedError("for compiled code only")


@overload(back, inline="always")
def _back(t, w, ref, time, s, x):
    if "P" in t.field_dict:

        def linear(t, w, ref, time, s, x):
            return 1

        return linear

    def nonlinear(t, w, ref, time, s, x):
        return go_back(t, w, ref, time, s, x)

    return nonlinear
