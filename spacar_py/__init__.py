"""Flexible multibody dynamics by finite elements with deformation coordinates.

Names are loaded when they are first used, so that `import spacar_py` takes no time.
"""

from ._lazy import lazy as _lazy
from ._version import __version__ as __version__

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
    "Case": "case",
    "read_case": "modelfile",
    "read_model": "modelfile",
    "write_model": "modelfile",
    "load": "archive",
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

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES, also=("__version__",))
