"""Bad input to what runs a model, one kind per case: refused before any step, or at the time when it comes up."""

import re

import numpy as np
import pytest
from _bodies import pendulum

import spacar_py as sp
from spacar_py.signals import quintic, ramp

NAN = float("nan")


def sprung():
    """A pendulum that statics can hold."""
    m = pendulum()
    m.spring("joint", "angle", 30.0)
    return m


def run(**options):
    return sp.simulate(pendulum(), **{"t_end": 0.01, "points": 3, **options})


def invert(q, times=(0.0, 1.0)):
    return sp.inverse_dynamics(pendulum(), times, q)


def with_force(value):
    m = pendulum()
    m.user_force("bob", lambda t, x, v: value)
    return sp.simulate(m, t_end=0.01)


def with_event(value):
    def alarm(t, q, qd):
        return value

    return run(method=sp.SciPy(events=[alarm]))


def with_drive_that_fails(value):
    m = pendulum()
    m.prescribe("joint", "angle", lambda t: (0.0, 0.0, 0.0) if t < 0.005 else value)
    return sp.simulate(m, t_end=0.01)


CASES = {
    "no model": (lambda: sp.simulate("arm.toml", t_end=1.0), "simulate: needs a Model, got 'arm.toml'"),
    "no model in statics": (lambda: sp.solve_static(None), "statics: needs a Model, got None"),
    "no model to trace": (lambda: sp.trace_static(3), "statics: needs a Model, got 3"),
    "no model to invert": (lambda: sp.inverse_dynamics(3, [0, 1], [[0], [0]]), "inverse dynamics: needs a Model"),
    "end that is not finite": (lambda: run(t_end=NAN), "simulate: t_end must be a finite number, got nan"),
    "end as text": (lambda: run(t_end="soon"), "simulate: t_end must be a finite number, got 'soon'"),
    "one point": (lambda: run(points=1), "simulate: points must be a whole number, 2 at least, got 1"),
    "times as text": (lambda: run(times="x"), "simulate: times must be at least two finite increasing numbers"),
    "times that are complex": (lambda: run(times=[0, 1j]), "times must be at least two finite increasing numbers"),
    "method that is no method": (lambda: run(method=45), "must be RungeKutta, GeneralizedAlpha or SciPy, got 45"),
    "progress that is no function": (lambda: run(progress=True), "simulate: progress must be a function, got True"),
    "too many numbers in q0": (lambda: run(q0=[0, 0]), "q0: values must be a vector of 1 finite numbers, got (0, 0)"),
    "q0 not finite": (lambda: run(q0={"joint.angle": NAN}), "q0: joint.angle must be a finite number, got nan"),
    "complex rates": (lambda: run(qd0=[1j]), "qd0: values must be a vector of 1 finite numbers, got [1j]"),
    "order as text": (lambda: sp.RungeKutta(order="5"), "Runge-Kutta: order must be 5 or 8, got '5'"),
    "no tolerance": (lambda: sp.RungeKutta(rtol=None), "Runge-Kutta: rtol must be a positive finite number, got None"),
    "step as text": (lambda: sp.RungeKutta(max_step="1ms"), "Runge-Kutta: max_step must be positive, got '1ms'"),
    "step not a number": (lambda: sp.SciPy(max_step=NAN), "SciPy: max_step must be positive, got nan"),
    "radius as text": (lambda: sp.GeneralizedAlpha(radius="0.8"), "radius must lie between 0 and 1, got '0.8'"),
    "unknown solver of statics": (
        lambda: sp.solve_static(sprung(), solver="lu"),
        "statics: solver must be 'auto', 'dense' or 'sparse', got 'lu'",
    ),
    "one event without a list": (
        lambda: sp.SciPy(events=with_event),
        "SciPy: events must be a list of functions (t, q, qd) -> float, got <function",
    ),
    "event that is no function": (lambda: sp.SciPy(events=["low"]), "events must be a list of functions (t, q, qd)"),
    "event without a value": (
        lambda: with_event(None),
        "SciPy: event 'alarm' must return one finite number, got None at t = 0 s",
    ),
    "event with two values": (lambda: with_event((1, 2)), "event 'alarm' must return one finite number, got (1, 2) at"),
    "user force with two numbers": (
        lambda: with_force((1, 2)),
        "user force on 'bob': must return 3 finite numbers, got (1, 2) at t = 0 s",
    ),
    "user force with NaN": (
        lambda: with_force((0, 0, NAN)),
        "user force on 'bob': must return 3 finite numbers, got (0, 0, nan) at t = 0 s",
    ),
    "user force as text": (lambda: with_force("up"), "user force on 'bob': must return 3 finite numbers, got 'up'"),
    "drive that fails on the way": (
        lambda: with_drive_that_fails(0.0),
        "signal: the Python function must return three finite numbers (value, rate, second rate), got 0.0 at t = 0.0",
    ),
    "history of the wrong shape": (
        lambda: invert(np.zeros((3, 1))),
        "inverse dynamics: q must be finite and of the shape (2, 1), got the shape (3, 1)",
    ),
    "history as text": (lambda: invert("sine"), "q must be finite and of the shape (2, 1), got 'sine'"),
    "history not finite": (
        lambda: invert({"joint.angle": [0.0, NAN]}),
        "inverse dynamics: joint.angle must be finite and of the shape (2,), got [0.0, nan]",
    ),
    "history of an unknown name": (
        lambda: invert({"joint.angel": [0.0, 1.0]}),
        "inverse dynamics: there is no degree of freedom 'joint.angel' (did you mean 'joint.angle'?)",
    ),
    "times of a history": (lambda: invert([[0]], "now"), "inverse dynamics: times must be a row of finite numbers"),
    "ramp of nothing known": (
        lambda: sp.solve_static(sprung(), ramp=3),
        "statics: there is no kind of load '3'; known: 'gravity', 'loads', 'actuators', 'prestress', 'prescribed'",
    ),
    "no iterations": (
        lambda: sp.trace_static(sprung(), iterations=0),
        "trace: iterations must be a whole number, 1 at least, got 0",
    ),
    "start of statics": (lambda: sp.solve_static(sprung(), q0={"joint": 1}), "there is no degree of freedom 'joint'"),
    "ramp between texts": (lambda: ramp("a", 1, 1.0), "ramp: a must be a finite number, got 'a'"),
    "motion that never ends": (lambda: quintic(0, 1, 0.0), "quintic: T must be a positive finite number, got 0"),
    "motion to nowhere": (lambda: quintic(0, NAN, 1.0), "quintic: b must be a finite number, got nan"),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_run_refuses(kind):
    do, message = CASES[kind]
    with pytest.raises(sp.InputError, match=re.escape(message)):
        do()


def test_infinite_inertia_is_refused_without_a_warning():
    m = sp.Model()
    m.node("a", (0, 0, 0))
    with pytest.raises(sp.InputError, match="body at 'a': J must be a number, three numbers or a symmetric"):
        m.body("a", J=float("inf"))
