"""Kineto-statics: drives and joint forces along a motion, by the core and, independently, by vector bond graphs."""

from importlib import import_module as _import_module

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

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.bondgraph' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
