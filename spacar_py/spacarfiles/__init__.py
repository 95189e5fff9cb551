"""SPACAR's own files: .dat models, and .sbd, .sbm, .ltv results.

    from spacar_py.spacarfiles import read_dat, read_sbd
    model = read_dat("arm.dat")
    sbd = read_sbd("arm.sbd")
    sbd["X"]                       # shape (nsteps, nx)
"""

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
    "read_sbm", "write_dat", "write_ltv", "write_sbd", "write_sbm",
]
