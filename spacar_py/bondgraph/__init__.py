"""Kineto-statics: drives and joint forces along a motion, by the core and, independently, by vector bond graphs."""

from .._lazy import lazy as _lazy

_HOMES = {
    "JointForces": "forces",
    "KinetoStatics": "forces",
    "kinetostatics": "core",
    "Fields": "unified",
    "BondGraph": "graph",
    "bond_graph": "assemble",
    "analyse": "analysis",
    "draw_bond_graph": "draw",
}

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
