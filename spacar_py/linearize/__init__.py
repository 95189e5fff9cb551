"""Linearised equations about any state: matrices, modes, buckling, state space, compliance, damping."""

from .._lazy import lazy as _lazy

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

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
