"""SPACAR's own files: .dat models, and .sbd, .sbm, .ltv results.

    from spacar_py.spacarfiles import read_dat, read_sbd
    model = read_dat("arm.dat")
    sbd = read_sbd("arm.sbd")
    sbd["X"]                       # shape (nsteps, nx)
    run = run_dat("arm.dat", 10)   # static load steps, with .sbd and .sbm written beside it

What needs the solvers is loaded when it is first used.
"""

from importlib import import_module as _import_module

from spacar_py.spacarfiles.binary import (
    LAYOUTS,
    SpacarFile,
    read_ltv,
    read_sbd,
    read_sbm,
    write_ltv,
    write_sbd,
    write_sbm,
)
from spacar_py.spacarfiles.dat import parse_dat, read_dat
from spacar_py.spacarfiles.datmodel import (
    Coordinates,
    DatModel,
    Element,
    Input,
    Property,
    Setting,
    Signal,
    Status,
)
from spacar_py.spacarfiles.keywords import NodeKind
from spacar_py.spacarfiles.lexer import DatError, Source
from spacar_py.spacarfiles.records import BinaryError
from spacar_py.spacarfiles.write_dat import dat_text, write_dat

__all__ = [
    "LAYOUTS", "BinaryError", "Coordinates", "DatError", "DatModel", "Element", "Input", "NodeKind", "Property",
    "Setting", "Signal", "Source", "SpacarFile", "Status", "dat_text", "parse_dat", "read_dat", "read_ltv", "read_sbd",
    "read_sbm", "write_dat", "write_ltv", "write_sbd", "write_sbm", "DatRun", "LtvFile", "LtvResult", "dat_to_toml",
    "run_dat", "to_dat", "to_model", "to_script", "toml_to_dat",
]

_HOMES = {"DatRun": "run", "run_dat": "run", "LtvFile": "ltv_run", "LtvResult": "ltv_run", "to_dat": "convert",
          "to_script": "convert", "dat_to_toml": "convert", "toml_to_dat": "convert",
          "to_model": "build"}


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'spacar_py.spacarfiles' has no attribute '{name}'")
