"""Flexure mechanisms in the manner of SPACAR Light: nodes, elements, properties, options in; one result out.

from spacar_py.light import spacarlight
out = spacarlight(nodes, elements, nprops, eprops, opt)
out.freq, out.stressmax, out.node[4].CMglob
"""

from importlib import import_module as _import_module

_HOMES = {
    "spacarlight": "api",
    "LightResult": "api",
    "overconstraints": "constraints",
    "Overconstraints": "constraints",
    "beam_stress": "stress",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.light' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES})
