"""SPACAR's numbering: where each coordinate and deformation of a model stands in X and E, and of its freedoms.

Coordinates come in the order of their classes, fixed, kinematic, dependent, prescribed, dynamic; deformations fixed,
prescribed, dynamic, kinematic, dependent (released); within a class by node or element, then by component. The Euler
condition of each rotation node that is not held counts as one more fixed deformation, after the elements. Columns of DX
and DE are prescribed x, dynamic x, prescribed e, dynamic e; those of M0 dynamic x, dynamic e.

Sources: the requirements of this package, and the public program SPACAR Light (precision-utwente/spalight), which takes
D_cc = BIGD(1 : nep1 + nep3 + nep4, nxp1 + (1 : nxp2)) and finds the dynamic columns of DX this way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacar_py.spacarfiles.build import KINDS, deformations, node_kind, node_name
from spacar_py.spacarfiles.datmodel import DatModel
from spacar_py.system import System

X_CLASSES = ("fixed", "kinematic", "dependent", "prescribed", "dof")
E_CLASSES = ("fixed", "prescribed", "dof", "kinematic", "released")
# counts in NXP and NEP: fixed, dependent, prescribed, dynamic, kinematic
_COUNTED = (("fixed",), ("dependent", "released"), ("prescribed",), ("dof",), ("kinematic",))
# SPACAR's own numbers of the types of elements are not established: these count the keywords, 0 is an Euler condition
TYPES = {kind: i for i, kind in enumerate(KINDS, 1)}


@dataclass(frozen=True)
class Numbering:
    """Permutations from our order to SPACAR's.

    Attributes
    ----------
    x, e : index arrays
        X = x_ours[x], E = e_ours[e].
    q : index array
        Dynamic degrees of freedom: M0 = M0_ours[q][:, q].
    y : index array
        Columns of DX among (q, r): prescribed x, dynamic x, prescribed e, dynamic e.
    LNP, LE, LN : tables, numbered from 1
        Coordinates of each node (n, 4), deformations (n, 8) and nodes (n, 6) of each element.
    NXP, NEP : (5,) arrays
        Numbers of fixed, dependent, prescribed, dynamic and kinematic coordinates and deformations.
    """

    x: np.ndarray
    e: np.ndarray
    q: np.ndarray
    y: np.ndarray
    LNP: np.ndarray
    LE: np.ndarray
    LN: np.ndarray
    IT: np.ndarray
    NXP: np.ndarray
    NEP: np.ndarray
    conditions: tuple[int, ...]

    def coordinate(self, node: int, component: int) -> int:
        """Place of a coordinate in our x."""
        return int(self.x[self.LNP[node - 1, component - 1] - 1])

    def deformation(self, element: int, component: int) -> int:
        """Place of a deformation in our e."""
        return int(self.e[self.LE[element - 1, component - 1] - 1])


def numbering(dat: DatModel, system: System) -> Numbering:
    """SPACAR's numbering of the compiled model of a .dat file.

    Examples
    --------
    >>> from spacar_py.spacarfiles import parse_dat
    >>> from spacar_py.spacarfiles.build import to_model
    >>> dat = parse_dat('''
    ... X 1 0 0 0
    ... X 2 1 0 0
    ... TRUSS 1 1 2
    ... FIX 1
    ... DYNX 2 2 3
    ... END HALT
    ... END END''')
    >>> numbering(dat, to_model(dat).compile()).LNP.tolist()
    [[1, 2, 3, 0], [4, 5, 6, 0]]
    """
    kinds = dat.node_kinds()
    where, size = {}, {}
    for n, kind in kinds.items():
        where[n], size[n] = system.nodes[node_kind(kind), node_name(kind, n)]
    coordinates = [(n, c, where[n] + c) for n in kinds for c in range(size[n])]
    extra = [i for i in range(system.nx) if i not in {i for *_, i in coordinates}]  # a point that only carries inertia
    x_order = sorted(coordinates, key=lambda item: X_CLASSES.index(system.x_status[item[2]]))
    x = np.array([i for *_, i in x_order] + extra, int)
    LNP = np.zeros((max(kinds), 4), int)
    for place, (n, c, _) in enumerate(x_order, 1):
        LNP[n - 1, c] = place

    elements = sorted(dat.elements, key=lambda e: e.number)
    conditions = tuple(n for n, kind in kinds.items() if f"frame {node_name(kind, n)}" in system.elements)
    top = max(e.number for e in elements)
    LE, LN, IT = (
        np.zeros((top + len(conditions), 8), int),
        np.zeros((top + len(conditions), 6), int),
        np.zeros(top, int),
    )
    items = []
    for el in elements:
        first = system.elements[f"e{el.number}"][0]
        items += [(el.number - 1, c, first + c) for c in range(len(deformations(el.kind)))]
        LN[el.number - 1, : len(el.nodes)] = el.nodes
        IT[el.number - 1] = TYPES[el.kind]
    for k, n in enumerate(conditions):
        items.append((top + k, 0, system.elements[f"frame {node_name(kinds[n], n)}"][0]))
        LN[top + k, 0] = n
    e_order = sorted(items, key=lambda item: E_CLASSES.index(system.e_status[item[2]]))
    for place, (row, c, _) in enumerate(e_order, 1):
        LE[row, c] = place
    e = np.array([i for *_, i in e_order], int)

    places = {name: k for k, name in enumerate(system.y_names)}
    labels = {s: [places[system.x_names[i]] for i in x if system.x_status[i] == s] for s in ("prescribed", "dof")}
    more = {s: [places[system.e_names[i]] for i in e if system.e_status[i] == s] for s in ("prescribed", "dof")}
    counts = [np.array([sum(s in names for s in status) for names in _COUNTED])
              for status in (system.x_status, system.e_status)]  # fmt: skip
    return Numbering(
        x=x, e=e, q=np.array(labels["dof"] + more["dof"], int),
        y=np.array(labels["prescribed"] + labels["dof"] + more["prescribed"] + more["dof"], int), LNP=LNP, LE=LE, LN=LN,
        IT=np.concatenate([IT, np.zeros(len(conditions), int)]), NXP=counts[0], NEP=counts[1], conditions=conditions,
    )  # fmt: skip
