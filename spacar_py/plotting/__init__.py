"""Pictures by matplotlib: histories, energy, mechanisms with true deformed beams, modes, studies, animations."""

from importlib import import_module as _import_module

_HOMES = {
    "plot_history": "histories",
    "plot_energy": "histories",
    "plot_deformations": "histories",
    "plot_mechanism": "mechanism",
    "plot_mode_shapes": "mechanism",
    "animate": "movie",
    "plot_study": "studies",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.plotting' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
