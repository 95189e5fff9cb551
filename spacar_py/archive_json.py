"""JSON that keeps arrays, tuples and complex numbers, for the small things in an archive."""

from __future__ import annotations

import json

import numpy as np


def encode(value) -> str:
    """JSON text of numbers, texts, lists, dictionaries, tuples and arrays."""
    return json.dumps(_encoded(value))


def _encoded(v):
    if isinstance(v, np.ndarray):
        parts = [v.real.tolist(), v.imag.tolist()] if np.iscomplexobj(v) else v.tolist()
        return {"array": parts, "dtype": v.dtype.str, "shape": list(v.shape)}
    if isinstance(v, np.generic):
        return _encoded(v.item())
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, tuple):
        return {"tuple": [_encoded(x) for x in v]}
    if isinstance(v, list):
        return [_encoded(x) for x in v]
    if isinstance(v, dict):
        return {"dict": [[_encoded(k), _encoded(x)] for k, x in v.items()]}
    return v if v is None or isinstance(v, (bool, int, float, str)) else {"text": str(v)}


def decode(text: str):
    """The value of `encode`."""
    return _decoded(json.loads(text))


def _decoded(v):
    if isinstance(v, list):
        return [_decoded(x) for x in v]
    if not isinstance(v, dict):
        return v
    if "array" in v:
        dtype = np.dtype(v["dtype"])
        if dtype.kind == "c":
            return (np.array(v["array"][0]) + 1j * np.array(v["array"][1])).astype(dtype).reshape(v["shape"])
        return np.array(v["array"], dtype).reshape(v["shape"])
    if "tuple" in v:
        return tuple(_decoded(x) for x in v["tuple"])
    if "complex" in v:
        return complex(*v["complex"])
    return v["text"] if "text" in v else {_decoded(k): _decoded(x) for k, x in v["dict"]}
