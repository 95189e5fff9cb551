"""Published cases as models, for tests, benchmarks, examples and the command line.

    names()                       ['manipulator', ...]
    load("manipulator")           a Case: model, path, controller, settings
"""

from importlib import import_module as _import_module

_CASES = {
    "manipulator": "Spatial two-link manipulator of Aarts and Jonker: perturbation method and AMI",
    "braking_planar": "Planar manipulator with a long elastic rod that brakes (Lipinski)",
    "braking_spatial": "Spatial manipulator with a rod of 2 m that brakes (Lipinski)",
    "double_link": "Planar double link of 8 m links, both hinges driven (Damic and Cohodar)",
    "anthropomorphic": "Anthropomorphic arm with flexible links under PD control (Damic and Cohodar)",
    "anthropomorphic_rigid": "The same arm with rigid links",
    "five_dof_robot": "Robot with five degrees of freedom, driven along its motion (Wang and Tao)",
}


def names() -> list[str]:
    """Names of the built-in cases."""
    return list(_CASES)


def title(name: str) -> str:
    """What a case is, in one line, without building it."""
    return _CASES[name]


def load(name: str):
    """A built-in case, made anew."""
    if name not in _CASES:
        from ..errors import InputError, nearest

        raise InputError(f"there is no built-in case '{name}'{nearest(name, _CASES)}; known: {', '.join(_CASES)}")
    case = getattr(_import_module(".catalogue", __name__), name)()
    case.name, case.title = name, _CASES[name]
    return case
