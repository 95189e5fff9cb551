"""The manipulator of Aarts and Jonker, run once for all tests of nominal motion, control, perturbation and AMI."""

from functools import cache

import numpy as np

import spacar_py as sp
from spacar_py.ami.runs import simulate_path
from spacar_py.cases import manipulator

TIMES = np.linspace(0.0, manipulator.T_END, 401)
TIGHT = dict(rtol=1e-8, atol=1e-11)


@cache
def arm(flexibility: float = 1.0) -> sp.Model:
    return manipulator.build(damping=manipulator.DAMPING, flexibility=flexibility)


@cache
def nominal(points: int | None = None):
    return sp.nominal_motion(arm(), manipulator.path(), points)


@cache
def loop(roll_off: bool = False) -> sp.Loop:
    return sp.Loop(nominal(), manipulator.controller(roll_off))


def run(method, controller=None, profile="squared_sine", times=TIMES):
    """The paper's motion by a method; the linearisation is used again where its points are the same."""
    path, points = manipulator.path(profile), getattr(method, "points", None)
    ready = nominal(points) if profile == "squared_sine" else None
    controller = controller or manipulator.controller()
    return simulate_path(arm(), path, controller, times=times, method=method, nominal=ready)


@cache
def nonlinear():
    """Explicit; the step is bound by stability, so that the tip is right to 1e-9 m even with this tolerance."""
    return run(sp.RungeKutta(5, 1e-4, 1e-7))


@cache
def perturbation(points: int = 1500, interpolation: str = "cubic"):
    return run(sp.Perturbation(points, interpolation, **TIGHT))


@cache
def ami(modes, correction: str = "inertial", points: int = 1500):
    return run(sp.AMI(modes, correction, points=points, **TIGHT))


def gap(a, b, node: str = "tip", first_order: bool = True) -> np.ndarray:
    """Largest difference of the node's deviation in each coordinate (m)."""
    return np.abs(a.deviation(node, first_order) - b.deviation(node, first_order)).max(axis=0)


def slope(x, y) -> float:
    """Fitted exponent of y over x."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@cache
def link() -> sp.Model:
    """One flexible link on a planar hinge, with a mass at its end and weight."""
    m = sp.Model(planar=True, gravity=(0, -9.81))
    m.node("hub", (0, 0))
    m.fix("hub")
    m.frame("root")
    m.node("tip", (1, 0))
    m.hinge("drive", "hub", "root")
    m.beam("link", ("hub", "root"), "tip", sp.Section(EIz=400.0, m=1.0), elements=2, flexible="bending", damping=2e-3)
    m.mass("tip", 2.0)
    return m


def turn(controller, method=None, times=None, **path):
    """The link turned by 1 rad in 0.8 s."""
    from spacar_py.signals import quintic

    times = np.linspace(0, 1.5, 151) if times is None else times
    p = sp.JointPath({"drive.angle": quintic(0.0, 1.0, 0.8)}, T=0.8)
    return sp.simulate(link(), p, controller, times=times, method=method or sp.Perturbation())
