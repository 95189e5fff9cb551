"""Linearised equations about any state: matrices, modes, buckling, state space, compliance, damping."""

from importlib import import_module as _import_module

_HOMES = {
    "LinearModel": "linear",
    "linear_model": "linear",
    "Mode": "eigenmodes",
    "Modes": "eigenmodes",
    "modes": "eigenmodes",
    "Buckling": "stability",
    "buckling": "stability",
    "sensitivity": "derivatives",
    "StateSpaceModel": "statespace",
    "state_space": "statespace",
    "compliance": "nodal",
    "nodal_stiffness": "nodal",
    "modal_damping": "damping",
    "proportional_damping": "damping",
    "deformation_damping": "damping",
    "set_damping": "damping",
    "plot_bode": "plots",
    "plot_step": "plots",
    "plot_mode": "plots",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.linearize' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
