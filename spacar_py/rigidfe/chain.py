"""Beams as chains of rigid elements joined by spring-dampers (modified rigid finite element method).

A beam of length L is cut into m segments of the length d = L/m. The elasticity of a segment is gathered in its middle,
the material between two middles is one rigid element:

    m spring-dampers        k_bending = EI/d,  k_torsion = GJ/d,  k_axial = EA/d
    m - 1 rigid elements    of length l = d, and two of l = d/2 at the ends
    each                    m_l = m l,   J_along = Jx l,   J_across = m l^3/12 + Jy l  (or Jz l)

Only the rotations that are kept are degrees of freedom: in the plane a hinge, in space a universal (Cardan) joint;
torsion and elongation on demand. Source: Kruszewski's method in the form of Wojciech, as K. Lipinski uses it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..errors import InputError
from ..rotations import triad
from ..sections import Section

KEEP = ("bending", "bending_y", "bending_z", "torsion", "elongation")


@dataclass(frozen=True)
class RigidElements:
    """Data of a chain.

    Attributes
    ----------
    lengths, masses : (m + 1,) arrays
        Of the rigid elements (m, kg).
    inertias : (m + 1, 3) array
        About the beam's axes x, y, z through the mass centre of each element (kg m^2).
    stiffness : dict
        Of one spring: "bending_y", "bending_z", "torsion" (N m/rad), "elongation" (N/m).
    """

    lengths: np.ndarray
    masses: np.ndarray
    inertias: np.ndarray
    stiffness: dict

    @property
    def joints(self) -> np.ndarray:
        """Distance of the spring-dampers from the beam's start (m)."""
        return np.cumsum(self.lengths)[:-1]


def rigid_elements(section: Section, length: float, elements: int = 10) -> RigidElements:
    """Masses, inertias and spring constants of a beam cut into `elements` segments.

    >>> rod = Section.circle(0.02, E=2.02e11, nu=0.3, rho=7810)
    >>> round(rigid_elements(rod, 2.0).stiffness["bending_y"], 2)
    7932.52
    """
    m = checks.count("rigid elements", "elements", elements)
    L = checks.number("rigid elements", "length", length, positive=True)
    if not isinstance(section, Section):
        raise InputError(f"rigid elements: section must be a Section, got {section!r}")
    d = L / m
    lengths = np.full(m + 1, d)
    lengths[[0, -1]] = d / 2
    across = section.m * lengths**3 / 12
    inertias = np.column_stack(
        [section.Jx * lengths, across + section.Jy * lengths, across + section.Jz * lengths],
    )  # fmt: skip
    stiffness = dict(
        bending_y=section.EIy / d, bending_z=section.EIz / d, torsion=section.GJ / d, elongation=section.EA / d
    )
    return RigidElements(lengths, section.m * lengths, inertias, stiffness)


def rigid_chain(model, name: str, p, q, section: Section, *, elements: int = 10, keep="bending", y=None,
                damping: float = 0.0, damper: float = 0.0) -> RigidElements:  # fmt: skip
    """A beam from p to q as a chain of rigid elements, added to a model in the place of `model.beam`.

    Joint i (from 0) is the element `name[i]` with its springs as degrees of freedom: in the plane a hinge (`angle`),
    in space a universal joint (`angle_x` about the beam's y, `angle_y` about its z), or a hinge where one rotation
    is kept. Torsion is the hinge `name.twist[i]`, elongation `shift_x` of the link `name.link[i]`. The first rigid
    element belongs to the frame of p, the last to that of q.

    Parameters
    ----------
    p, q : str or (point, frame)
        Ends of the beam.
    section : Section
        Elasticity and mass per length; without Jy, Jz the elements are slender rods, as in Lipinski's paper.
    elements : int
        Segments, one spring-damper each; the number of rigid elements is one more.
    keep : names out of "bending", "bending_y", "bending_z", "torsion", "elongation"
        Deformations that are kept (bending_y turns about the beam's y axis). In the plane "bending", "elongation".
    y : (3,) array, optional
        Orients the beam's y axis.
    damping : float
        Stiffness proportional (s), as in `model.beam`.
    damper : float
        Damping of each rotational spring (N m s/rad), added to it.

    Returns
    -------
    RigidElements

    Examples
    --------
    >>> import spacar_py as sp
    >>> m = sp.Model(planar=True)
    >>> m.node("wall", (0, 0)); m.fix("wall"); m.node("tip", (1, 0))
    >>> data = rigid_chain(m, "rod", "wall", "tip", sp.Section(EIz=1586.5, m=3.15), elements=4)
    >>> m.compile().dof
    ['rod[0].angle', 'rod[1].angle', 'rod[2].angle', 'rod[3].angle']
    """
    what = f"rigid chain '{name}'"
    checks.new_name("rigid chain", name, {**model.elements, **model.chains})
    kept = _kept(what, keep, model.planar)
    damping = checks.number(what, "damping", damping, minimum=0.0)
    damper = checks.number(what, "damper", damper, minimum=0.0)
    ends = [model._end(what, p), model._end(what, q)]
    a, b = (np.array(model.points[point].start) for point, _ in ends)
    chord = np.zeros(3)
    chord[: model.dim] = b - a
    if not np.linalg.norm(chord) > 0:
        raise InputError(f"{what}: its points '{ends[0][0]}' and '{ends[1][0]}' must be apart; move one of them")
    if y is not None:
        y = checks.vector(what, "y", y, 3, nonzero=True)
    if model.planar:
        axes = np.array([chord, (-chord[1], chord[0], 0), (0, 0, np.linalg.norm(chord))]) / np.linalg.norm(chord)
    else:
        axes = triad(chord, y)
    data = rigid_elements(section, float(np.linalg.norm(chord)), elements)
    soft = [d for d in kept if not data.stiffness["bending_z" if model.planar and d == "bending_y" else d] > 0]
    if soft:
        raise InputError(f"{what}: {soft[0]} is kept but the section has no stiffness for it; give it or leave it out")
    with model._all_or_nothing():
        _Builder(model, name, ends, axes, data, kept, damping, damper).build()
    return data


def _kept(what, keep, planar) -> set[str]:
    names = [keep] if isinstance(keep, str) else list(keep)
    for n in names:
        checks.known(what, "deformation to keep", n, KEEP)
    if planar and {"torsion", "bending_y"} & set(names):
        raise InputError(f"{what}: a planar chain keeps bending and elongation only, got {keep!r}")
    out = {n for n in names if n != "bending"}
    if "bending" in names:
        out |= {"bending_z"} if planar else {"bending_y", "bending_z"}
    if not out:
        raise InputError(f"{what}: keep must name a deformation, got none; known: {', '.join(KEEP)}")
    return out


@dataclass
class _Builder:
    """Adds nodes, bodies, links, joints, springs and dampers to the model."""

    model: object
    name: str
    ends: list
    axes: np.ndarray
    data: RigidElements
    kept: set
    damping: float
    damper: float

    def build(self) -> None:
        m, n = self.model, len(self.data.lengths) - 1
        start = np.array(m.points[self.ends[0][0]].start)
        points = [self.ends[0][0]]
        for i, s in enumerate(self.data.joints, 1):
            m.point(f"{self.name}.{i}", start + s * self.axes[0, : m.dim])
            points.append(f"{self.name}.{i}")
        points.append(self.ends[1][0])
        frames = [self.ends[0][1], *[f"{self.name}.{i}" for i in range(1, n)], self.ends[1][1]]
        for f in frames[1:-1]:
            m.frame(f)
        for i in range(n + 1):
            self.element(i, (points[i], frames[i]), points[i + 1])
        for i in range(n):
            self.joint(i, frames[i], frames[i + 1])
        m.chains[self.name] = [f"{self.name}[{i}]" for i in range(n)]

    def element(self, i, node, end) -> None:
        """A rigid element with its mass and the link to its end; the link's elongation is the next joint's spring."""
        m, d = self.model, self.data
        if d.masses[i] > 0 or d.inertias[i].any():
            J = self.axes.T @ np.diag(d.inertias[i]) @ self.axes
            m.body(node, d.masses[i], J=J, centre=d.lengths[i] / 2 * self.axes[0, : m.dim])
        link = f"{self.name}.link[{i}]"
        axial = "elongation" in self.kept and i < len(d.lengths) - 1
        status = {"dof": "shift_x"} if axial else {}
        # a pin body, not a rigid beam: its conditions are linear in the point, so that no iteration can turn it round
        m.pin_body(link, node, end, y=None if m.planar else self.axes[1], **status)
        if axial:
            self.law(link, "shift_x", "elongation")

    def joint(self, i, p, q) -> None:
        """The spring-damper between two frames."""
        m, name = self.model, f"{self.name}[{i}]"
        _, ey, ez = self.axes
        bend = sorted(self.kept & {"bending_y", "bending_z"})
        twist = "torsion" in self.kept
        if m.planar:
            status = {"dof": "angle"} if bend else {"fixed": "angle"}
            m.hinge(name, p, q, **status)
            if bend:
                self.law(name, "angle", "bending_z")
            return
        middle = q
        if twist and bend:
            middle = f"{self.name}.cross.{i}"
            m.frame(middle)
        if len(bend) == 2:
            m.universal(name, p, middle, axis=ey, y=ez, dof=("angle_x", "angle_y"))
            self.law(name, "angle_x", "bending_y")
            self.law(name, "angle_y", "bending_z")
        elif bend:
            m.hinge(name, p, middle, axis=ey if bend == ["bending_y"] else ez, dof="angle")
            self.law(name, "angle", bend[0])
        if twist:
            hinge = f"{self.name}.twist[{i}]" if bend else name
            m.hinge(hinge, middle if bend else p, q, axis=self.axes[0], dof="angle")
            self.law(hinge, "angle", "torsion")
        if not twist and not bend:  # elongation alone: the elements do not turn
            m.hinge(name, p, q, axis=self.axes[0], fixed="angle")

    def law(self, element, deformation, kind) -> None:
        k = self.data.stiffness[kind]
        c = self.damping * k + (0.0 if kind == "elongation" else self.damper)
        self.model.spring(element, deformation, k)
        if c > 0:
            self.model.damper(element, deformation, c)


def replace_beam(model, name: str, *, elements: int = 10, keep="bending", damper: float = 0.0):
    """A copy of the model with one of its beams replaced by a chain of rigid elements of the same name.

    Section, orientation and stiffness proportional damping are those of the beam; see `rigid_chain` for the rest.
    """
    what = f"replace beam '{name}'"
    checks.known(what, "element", name, {**model.elements, **model.chains})
    parts = [model.elements[p] for p in model.chains.get(name, [name])]
    if any(p.kind not in ("beam", "planar beam") for p in parts):
        raise InputError(f"{what}: must be a beam, it is a {parts[0].kind}; only beams become chains")
    if parts[0].section is None:
        raise InputError(f"{what}: has no section to make springs and masses of; give section=Section(...)")
    new = copy.copy(model)
    for key, value in vars(model).items():
        if isinstance(value, (dict, list)):
            setattr(new, key, value.copy())
    new._compiled = None
    inner = {n for part in parts[1:] for n in (part.nodes["xp"], part.nodes["rp"])}
    gone = {part.name for part in parts}
    users = [e for e in new.elements.values() if e.name not in gone] + new.bodies
    held = {n for u in users for n in u.nodes.values()}
    held |= {load.node for load in new.loads} | {n for n, _ in new.x_status}
    if inner & held:
        busy = sorted(n.name for n in inner & held)[0]
        raise InputError(f"{what}: its inner node '{busy}' carries something; end a beam there to keep it")
    new.elements = {k: v for k, v in new.elements.items() if k not in gone}
    new.points = {k: v for k, v in new.points.items() if v not in inner}
    new.frames = {k: v for k, v in new.frames.items() if v not in inner}
    new.e_status = {k: v for k, v in new.e_status.items() if k[0] not in gone}
    for laws in ("springs", "dampers", "prestresses", "actuators"):
        setattr(new, laws, [law for law in getattr(new, laws) if law[0] not in gone])
    new.chains.pop(name, None)
    damping = new.material_damping.get(parts[0].name, 0.0)
    new.material_damping = {k: v for k, v in new.material_damping.items() if k not in gone}
    first, last = parts[0].nodes, parts[-1].nodes
    y = None if model.planar else parts[0].axes[1]
    rigid_chain(new, name, (first["xp"].name, first["rp"].name), (last["xq"].name, last["rq"].name), parts[0].section,
                elements=elements, keep=keep, y=y, damping=damping, damper=damper)  # fmt: skip
    return new
