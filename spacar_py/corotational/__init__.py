"""Flexible arms by co-rotational beams in velocity form: a second formulation, independent of the core."""

from spacar_py.corotational.arm import PD, Arm
from spacar_py.corotational.laws import Section, euler_bernoulli, timoshenko
from spacar_py.corotational.simulate import inverse_dynamics, simulate
from spacar_py.corotational.solvers import Ida, Projected
from spacar_py.corotational.statics import frequencies, solve_static

__all__ = [
    "PD", "Arm", "Ida", "Projected", "Section", "euler_bernoulli", "frequencies", "inverse_dynamics", "simulate",
    "solve_static", "timoshenko",
]  # fmt: skip
