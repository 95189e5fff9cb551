"""Rigid finite elements: beams as chains of rigid elements and spring-dampers; braking with the least vibration."""

from .._lazy import lazy as _lazy

_HOMES = {
    "RigidElements": "chain",
    "rigid_elements": "chain",
    "rigid_chain": "chain",
    "replace_beam": "chain",
    "steady_state": "steady",
    "Braking": "braking",
    "BrakeCurve": "search",
    "brake": "braking",
    "brake_curve": "search",
    "best_braking": "search",
    "braking_signal": "braking",
    "search_braking": "search",
    "speeds_of": "search",
    "plot_brake_curve": "search",
}

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
