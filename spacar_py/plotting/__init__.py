"""Pictures by matplotlib: histories, energy, mechanisms with true deformed beams, modes, studies, animations."""

from .._lazy import lazy as _lazy

_HOMES = {
    "plot_history": "histories",
    "plot_energy": "histories",
    "plot_deformations": "histories",
    "plot_mechanism": "mechanism",
    "plot_mode_shapes": "mechanism",
    "animate": "movie",
    "plot_study": "studies",
    "plot_record": "records",
}

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
