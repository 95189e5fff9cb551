"""Flexible multibody dynamics by finite elements with deformation coordinates.

Names are loaded when they are first used, so that `import spacar_py` takes no time.
"""

from importlib import import_module as _import_module

from ._version import __version__

_HOMES = {
    "Model": "model",
    "Section": "sections",
    "SpacarError": "errors",
    "InputError": "errors",
    "ConvergenceError": "errors",
    "Signal": "signals",
    "Result": "results",
    "simulate": "motion",
    "inverse_dynamics": "motion",
    "RungeKutta": "motion",
    "GeneralizedAlpha": "motion",
    "SciPy": "motion",
    "solve_static": "statics",
    "trace_static": "statics",
    "linear_model": "linearize",
    "LinearModel": "linearize",
    "modes": "linearize",
    "Modes": "linearize",
    "Mode": "linearize",
    "buckling": "linearize",
    "Buckling": "linearize",
    "sensitivity": "linearize",
    "state_space": "linearize",
    "StateSpaceModel": "linearize",
    "compliance": "linearize",
    "nodal_stiffness": "linearize",
    "modal_damping": "linearize",
    "proportional_damping": "linearize",
    "deformation_damping": "linearize",
    "set_damping": "linearize",
    "plot_bode": "linearize",
    "plot_step": "linearize",
    "plot_mode": "linearize",
    "LinePath": "ami.paths",
    "CirclePath": "ami.paths",
    "WaypointPath": "ami.paths",
    "FunctionPath": "ami.paths",
    "JointPath": "ami.paths",
    "Controller": "ami.control",
    "PID": "ami.control",
    "PD": "ami.control",
    "Sampled": "ami.sampled",
    "Perturbation": "ami.runs",
    "AMI": "ami.runs",
    "nominal_motion": "ami.nominal",
    "Loop": "ami.loop",
    "compare": "ami.compare",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
