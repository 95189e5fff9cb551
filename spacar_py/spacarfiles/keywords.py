"""The keywords of a .dat file: which exist, where they stand, which numbers they take.

Sources of the meanings: [issue] the requirements of this package; [light] the .dat files that the public program
SPACAR Light writes (repositories precision-utwente/spalight and spatools); [flex] the .dat files of the public
repository roepnaamstraat/FlexibleInstrumentSimulation, which leave out trailing numbers of EM and ESTIFF, and whose
count of conditions shows that RBEAM and HINGE have three deformations. Where none says more, the remark "by analogy"
or "not established" stands beside the entry.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class NodeKind(Enum):
    """What the coordinates of a node are; it follows from the elements that use the node."""

    TRANSLATION = ("translation", 3)
    ROTATION = ("rotation", 4)              # Euler parameters, lambda0 to lambda3
    WARPING = ("warping", 1)
    PLANAR_TRANSLATION = ("planar translation", 2)
    PLANAR_ROTATION = ("planar rotation", 1)

    def __init__(self, label: str, size: int):
        self.label, self.size = label, size

    @property
    def is_translation(self) -> bool:
        return self in (NodeKind.TRANSLATION, NodeKind.PLANAR_TRANSLATION)


_X, _R, _W = NodeKind.TRANSLATION, NodeKind.ROTATION, NodeKind.WARPING
_PX, _PR = NodeKind.PLANAR_TRANSLATION, NodeKind.PLANAR_ROTATION


class ElementForm(NamedTuple):
    """The statement that defines an element, and the numbers its properties take.

    vector is 0 (none), 1 (may follow) or 2 (must follow); mass, stiffness and damping name the numbers of
    EM, ESTIFF and EDAMP, of which trailing ones may be left out (zero).
    """

    nodes: tuple[tuple[str, NodeKind], ...]
    vector: int
    deformations: int
    mass: tuple[str, ...] = ()
    stiffness: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        names = " ".join(["element", *(name for name, _ in self.nodes)])
        return names + ("", " [vx vy vz]", " vx vy vz")[self.vector]


_BEAM_MASS = ("m/L", "Jxx/L", "Jyy/L", "Jzz/L", "Jyz/L")
_BEAM_STIFF = ("EA", "GJ", "EIy", "EIz", "shearY", "shearZ")
_PLANE_MASS, _PLANE_STIFF = ("m/L", "J/L"), ("EA", "EI", "shear")

ELEMENTS: dict[str, ElementForm] = {
    "BEAM": ElementForm((("xp", _X), ("rp", _R), ("xq", _X), ("rq", _R)), 1, 6, _BEAM_MASS, _BEAM_STIFF),
    "BEAMW": ElementForm((("xp", _X), ("rp", _R), ("wp", _W), ("xq", _X), ("rq", _R), ("wq", _W)), 1, 8,
                         (*_BEAM_MASS, "Jw/L"), (*_BEAM_STIFF, "EIw")),
    "TRUSS": ElementForm((("xp", _X), ("xq", _X)), 0, 1, ("m/L",), ("EA",)),
    "HINGE": ElementForm((("rp", _R), ("rq", _R)), 2, 3, (), ("k1", "k2", "k3")),
    "RBEAM": ElementForm((("xp", _X), ("rp", _R), ("xq", _X)), 1, 3, _BEAM_MASS, ("k1", "k2", "k3")),
    "PINBODY": ElementForm((("xp", _X), ("rp", _R), ("xq", _X)), 0, 3, (), ("k1", "k2", "k3")),
    "PLBEAM": ElementForm((("xp", _PX), ("phip", _PR), ("xq", _PX), ("phiq", _PR)), 0, 3, _PLANE_MASS, _PLANE_STIFF),
    "PLTRUSS": ElementForm((("xp", _PX), ("xq", _PX)), 0, 1, ("m/L",), ("EA",)),
    "PLTOR": ElementForm((("phip", _PR), ("phiq", _PR)), 0, 1, (), ("k",)),
    "PLRBEAM": ElementForm((("xp", _PX), ("phip", _PR), ("xq", _PX)), 0, 2, _PLANE_MASS, ("k1", "k2")),
    "PLPINBOD": ElementForm((("xp", _PX), ("phip", _PR), ("xq", _PX)), 0, 2, (), ("k1", "k2")),
}

# statements of the kinematics that give coordinates or deformations their class
NODE_STATUS = ("FIX", "INPUTX", "DYNX")
ELEMENT_STATUS = ("RLSE", "INPUTE", "DYNE")

# properties: item, then as many numbers as node kind or element takes
NODE_PROPERTIES = ("XM", "XF", "DELXF")
ELEMENT_PROPERTIES = ("EM", "ESTIFF", "ESIG", "EDAMP")

# item, component, then this many numbers at most: value [rate [acceleration]]; [light] writes one
NODE_INPUTS = {"INPUTX": 3, "DELINPX": 1, "STARTDX": 2}
ELEMENT_INPUTS = {"INPUTE": 3, "DELINPE": 1, "STARTDE": 2}


class SettingForm(NamedTuple):
    """A statement without node or element: fewest and most numbers; which of them are counts (integers)."""

    least: int
    most: int | None
    usage: str
    section: str = "dynamics"
    integers: tuple[int, ...] = ()


SETTINGS: dict[str, SettingForm] = {
    "OUTLEVEL": SettingForm(1, None, "level ...", "kinematics"),
    "GRAVITY": SettingForm(2, 3, "gx gy [gz]"),
    "DELGRAV": SettingForm(2, 3, "gx gy [gz]"),
    "TIMESTEP": SettingForm(2, 2, "t n", integers=(1,)),
    # [light] writes 10 steps 5e-7 1 3 initial-steps; the last three are kept, their meaning is not established
    "ITERSTEP": SettingForm(3, None, "iterations load-steps tolerance ...", integers=(0, 1)),
    "ERROR": SettingForm(1, 2, "abs [rel]"),
    "INTEGRAT": SettingForm(0, None, "..."),   # not established: kept
}

# input/output: index, item, component. [light] shows INPUTF and OUTX; the others by analogy
NODE_SIGNALS = ("INPUTF", "INX", "INXP", "INXDP", "OUTX", "OUTXP", "OUTXDP", "OUTF", "REFX", "NOMF")
ELEMENT_SIGNALS = ("INPUTS", "INE", "INEP", "INEDP", "OUTE", "OUTEP", "OUTEDP", "OUTS", "REFE", "NOMS")

# kept with their numbers; what the numbers mean could not be established, so a run that needs them must refuse
TRAJECTORY = ("TRAJECT", "TRANS", "TROT", "TRE", "TRTIME", "TRVMAX", "TREPMAX")

UNSUPPORTED = ("WHEEL", "TUBE", "BELT", "KINX", "KINE", "USERSIG", "USERINP")

SECTIONS: dict[str, frozenset[str]] = {
    "kinematics": frozenset({*ELEMENTS, "X", *NODE_STATUS, *ELEMENT_STATUS,
                             *(k for k, form in SETTINGS.items() if form.section == "kinematics")}),
    "dynamics": frozenset({*NODE_PROPERTIES, *ELEMENT_PROPERTIES, *NODE_INPUTS, *ELEMENT_INPUTS, *TRAJECTORY,
                           *(k for k, form in SETTINGS.items() if form.section == "dynamics")}),
    "input/output": frozenset({*NODE_SIGNALS, *ELEMENT_SIGNALS, *TRAJECTORY}),
}
ALL = sorted(set().union(*SECTIONS.values()) | {"END", "HALT", "VISUALIZATION"} | set(UNSUPPORTED))

LARGEST_NUMBER = 99999      # of a node or element: tables are indexed by it


def signal_group(keyword: str) -> str:
    """The vector a signal is an entry of: its indices are numbered on their own."""
    if keyword.startswith("IN"):
        return "input"
    return {"OUT": "output", "REF": "reference", "NOM": "nominal"}[keyword[:3]]
