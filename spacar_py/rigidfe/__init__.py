"""Rigid finite elements: beams as chains of rigid elements and spring-dampers; braking with the least vibration."""

from importlib import import_module as _import_module

_HOMES = {
    "RigidElements": "chain",
    "rigid_elements": "chain",
    "rigid_chain": "chain",
    "replace_beam": "chain",
    "steady_state": "steady",
    "Braking": "braking",
    "BrakeCurve": "braking",
    "brake": "braking",
    "brake_curve": "braking",
    "best_braking": "braking",
    "braking_signal": "braking",
    "plot_brake_curve": "braking",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.rigidfe' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
