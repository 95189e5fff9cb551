"""Rigid finite elements: beams as chains of rigid elements and spring-dampers; braking with the least vibration."""

from .._lazy import lazy as _lazy

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

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
