"""Statics of flexure mechanisms, `spacarlight(nodes, elements, nprops, eprops, opt)`, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from spacar_py.errors import InputError
from spacar_py.light.constraints import Overconstraints, analyse, given_releases
from spacar_py.light.inputs import Mechanism, dat_model, read
from spacar_py.light.stress import PARTS, beam_stress
from spacar_py.linearize.nodal import _solve
from spacar_py.linearize.ports import lever
from spacar_py.rotations import matrix
from spacar_py.spacarfiles.run import DatRun, run_dat
from spacar_py.spacarfiles.write_dat import write_dat


@dataclass
class LightNode:
    """Results of a node; arrays have the steps in front.

    Attributes
    ----------
    p : (steps, 3) array
        Position (m).
    r_quat, r_axang, r_eulzyx : arrays
        Rotation as Euler parameters, as axis and angle (rad), as angles about z, y, x (rad).
    Freac, Mreac : (steps, 3) arrays
        Force (N) and moment (N m) of supports and prescribed motions on the mechanism.
    CMglob, CMloc : (steps, 6, 6) arrays
        Compliance, displacements and rotations by forces and moments, in the axes of space and of the node.
    """

    p: np.ndarray
    r_quat: np.ndarray
    Freac: np.ndarray
    Mreac: np.ndarray
    CMglob: np.ndarray | None = None
    CMloc: np.ndarray | None = None

    @property
    def r_axang(self) -> np.ndarray:
        lam = np.where(self.r_quat[:, :1] < 0, -self.r_quat, self.r_quat)
        size = np.linalg.norm(lam[:, 1:], axis=1)
        axis = np.where(size[:, None] > 1e-14, lam[:, 1:] / np.where(size > 1e-14, size, 1.0)[:, None], (0.0, 0.0, 1.0))
        return np.column_stack([axis, 2 * np.arctan2(size, lam[:, 0])])

    @property
    def r_eulzyx(self) -> np.ndarray:
        R = matrix(self.r_quat)
        y = np.arcsin(np.clip(-R[:, 2, 0], -1, 1))
        return np.column_stack([np.arctan2(R[:, 1, 0], R[:, 0, 0]), y, np.arctan2(R[:, 2, 1], R[:, 2, 2])])


@dataclass(eq=False)
class LightResult:
    """What `spacarlight` has found; arrays have the load steps in front, step 0 under the initial loads.

    Attributes
    ----------
    freq : (steps, n) array
        Natural frequencies (Hz), real and negative for a motion that grows; empty without mass.
    buck : list of arrays
        With opt["calcbuck"], for each step the multipliers of its own stresses at which it would buckle, ascending.
    node : dict of int to LightNode
    stressmax : (steps,) array
        Largest equivalent stress (Pa) of all flexible elements.
    stress : dict of element to dict of array
        "axial", "bending", "torsion", "shear", "normal", "mises" (steps,), the largest of the element's beams.
    releases : list of (element, deformation)
        Releases that were made to remove overconstraints.
    run : DatRun
        The model, its states and linear models.
    """

    freq: np.ndarray
    buck: list
    node: dict
    stress: dict
    releases: list
    overconstraints: Overconstraints
    run: DatRun
    warnings: list = field(default_factory=list)

    @property
    def ndof(self) -> int:
        return self.run.result.system.nq

    @property
    def stressmax(self) -> np.ndarray:
        n = len(self.run.result)
        return np.max([s["mises"] for s in self.stress.values()], axis=0, initial=0.0) if self.stress else np.zeros(n)

    def __str__(self) -> str:
        lines = [f"{len(self.run.result)} states, {self.ndof} degrees of freedom"]
        if self.releases:
            lines.append("released: " + ", ".join(f"element {e} deformation {d}" for e, d in self.releases))
        if self.freq.size:
            lines.append("frequencies (Hz): " + ", ".join(f"{f:.5g}" for f in self.freq[-1][:6]))
        lines.append(f"largest stress: {self.stressmax[-1]:.4g} Pa")
        return "\n".join(lines)


def spacarlight(nodes, elements, nprops, eprops, opt=None) -> LightResult:
    """Statics of a flexure mechanism in the manner of SPACAR Light.

    Parameters
    ----------
    nodes : (n, 3) array
        Positions (m); node 1 is the first row.
    elements : (m, 2) array
        Node numbers of both ends of each element.
    nprops : mapping {node: properties} or list
        fix, fix_pos, fix_orien, fix_x, fix_y, fix_z (bool); force, moment, and displ_x ..., rot_x ... (m, rad, one
        rotation at a node), reached in the load steps; the same with _initial (force_initial, displ_initial_x), there
        from the start;
        mass (kg), mominertia (Ixx Ixy Ixz Iyy Iyz Izz).
    eprops : list of mappings
        elems, flex (deformations 1 to 6 that are flexible: elongation, torsion, two of bending about local y, two
        about z), emod, smod (Pa), dens (kg/m^3), cshape ("rect" or "circ"), dim ([width along local y, height] or
        diameter, m),
        orien (local y vector), nbeams. Elements in no set are rigid and without mass.
    opt : mapping
        gravity, loadsteps (10), calcbuck, calccompl (True), rls ({element: deformations} to release in its last beam),
        autosolve (releases made by the program; on unless rls is given), filename (write .dat, .sbd, .sbm), folder.

    Returns
    -------
    LightResult

    Examples
    --------
    >>> leaf = dict(elems=[1], emod=210e9, smod=70e9, dens=7800, cshape="rect", dim=[0.05, 5e-4], orien=[0, 0, 1],
    ...             nbeams=4, flex=[1, 2, 3, 4, 5, 6])
    >>> out = spacarlight([[0, 0, 0], [0.1, 0, 0]], [[1, 2]], {1: dict(fix=True), 2: dict(force=[0, 0.1, 0])}, [leaf],
    ...                   dict(loadsteps=3))
    >>> out.node[2].p.shape, out.node[2].CMglob.shape
    ((4, 3), (4, 6, 6))
    """
    m = read(nodes, elements, nprops, eprops, opt)
    report, made = _exactly(m)
    name = str(m.options.get("filename") or "light")
    path = Path(m.options.get("folder") or ".") / Path(name).with_suffix(".dat")
    dat = dat_model(m, report.classes, str(path))
    written = "filename" in m.options
    if written:
        write_dat(path, dat)
    try:
        run = run_dat(dat, 10, write=written)
    except InputError as error:
        raise InputError(f"spacarlight: {getattr(error, 'message', error)}") from None
    return LightResult(
        freq=_frequencies(run), buck=_buckling(run) if m.options.get("calcbuck") else [], node=_nodes(m, run),
        stress=_stresses(m, run), releases=made, overconstraints=report, run=run,
    )  # fmt: skip


def _exactly(m: Mechanism) -> tuple[Overconstraints, list]:
    """Classes of all beams, with releases made where that is wanted."""
    released = given_releases(m)
    report = analyse(m, released)
    auto = m.options.get("autosolve", "rls" not in m.options)
    made = []
    if report.count and auto and len(report.releases) == report.count:
        for element, d in report.releases:
            released.setdefault(m.beams[element - 1][-1], set()).add(d)
        made, first = report.releases, report
        report = analyse(m, released)
        report.redundant = first.redundant
    if report.count:
        raise InputError(f"spacarlight: the mechanism is {report}; set them with opt['rls'] or make elements flexible")
    if report.free_motions:
        raise InputError(
            f"spacarlight: nothing determines the motion of {', '.join(report.free_motions[0])}; "
            "fix a node, or prescribe its motion"
        )
    return report, made


def _frequencies(run) -> np.ndarray:
    if not all(np.any(lin.M0) for lin in run.linear) or not run.result.system.nq:
        return np.zeros((len(run.linear), 0))
    return run.frequencies


def _buckling(run) -> list[np.ndarray]:
    """Positive multipliers of (K0 + lambda G0) phi = 0 in each step."""
    out = []
    for lin in run.linear:
        d = 1 / np.sqrt(np.diag(lin.K0))
        K, G = (d[:, None] * a * d for a in (lin.K0, lin.G0))
        mu = np.linalg.eigvals(np.linalg.solve(K, -G))
        mu = mu[(np.abs(mu.imag) < 1e-9 * np.max(np.abs(mu), initial=1e-300)) & (mu.real > 1e-12)].real
        out.append(np.sort(1 / mu))
    return out


def _nodes(m, run) -> dict[int, LightNode]:
    out, result = {}, run.result
    for i in range(1, len(m.nodes) + 1):
        if ("point", f"x{2 * i - 1}") not in result.system.nodes:
            continue
        point, frame = result[f"x{2 * i - 1}"], result[f"r{2 * i}"]
        out[i] = LightNode(point.x, frame.euler, point.force, frame.moment)
        if m.options.get("calccompl", True) and result.system.nq:
            pairs = [_compliance(lin, f"x{2 * i - 1}", f"r{2 * i}") for lin in run.linear]
            out[i].CMglob, out[i].CMloc = (np.array([p[k] for p in pairs]) for k in range(2))
    return out


def _compliance(linear, point, frame) -> tuple[np.ndarray, np.ndarray]:
    """C = T K^-1 T^T with T = (dx, 2 Lambda dlambda)/dq, and the same in the axes of the frame."""
    s = linear.system
    (o, n), (r, k) = s.nodes["point", point], s.nodes["frame", frame]
    lam = linear.x[r : r + k]
    T = np.vstack([linear.DF[o : o + n], lever(lam) @ linear.DF[r : r + k]])
    C = T @ _solve(linear, linear.stiffness, T.T)
    R = np.kron(np.eye(2), matrix(lam).T)
    return C, R @ C @ R.T


def _stresses(m, run) -> dict[int, dict[str, np.ndarray]]:
    out = {}
    for i, (beams, props) in enumerate(zip(m.beams, m.sets, strict=True), 1):
        if not props or not props["flex"]:
            continue
        found = []
        for b in beams:
            L = run.model.elements[f"e{b}"].L0
            found.append(beam_stress(run.result[f"e{b}"].sigma.values, L, props["section"]))
        out[i] = {part: np.max([f[part] for f in found], axis=0) for part in PARTS}
    return out
