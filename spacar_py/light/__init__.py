"""Flexure mechanisms in the manner of SPACAR Light: nodes, elements, properties, options in; one result out.

from spacar_py.light import spacarlight
out = spacarlight(nodes, elements, nprops, eprops, opt)
out.freq, out.stressmax, out.node[4].CMglob
"""

from .._lazy import lazy as _lazy

_HOMES = {
    "spacarlight": "api",
    "LightResult": "api",
    "overconstraints": "constraints",
    "Overconstraints": "constraints",
    "beam_stress": "stress",
}

__getattr__, __dir__, __all__ = _lazy(__name__, _HOMES)
