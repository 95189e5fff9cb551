"""Inputs and outputs of a linear model by name.

Inputs                          | Outputs
------------------------------- | ------------------------------------------------------------------
stress joint.angle              | tip.z, joint.angle, tip.rx (also "position ...")
force tip.z                     | velocity tip.z, velocity joint.angle, velocity tip.rx
moment tip.x                    | acceleration tip.z, acceleration joint.angle, acceleration tip.rx
motion, rate, acceleration      | stress beam.torsion        any deformation, rigid ones included
    joint.angle (driven ones)   | reaction base.z, reaction base.rx   force, moment of a support
                                | drive joint.angle          force of a driven coordinate

rx, ry, rz of a frame are small rotations, angular velocity, angular acceleration and moment about the axes of space.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError, nearest
from ._kernels import static_rows

FORCES = ("stress", "force", "moment")
MOTIONS = ("motion", "rate", "acceleration")
OUTPUTS = ("position", "velocity", "acceleration", "stress", "reaction", "drive")


def default_inputs(linear) -> list[str]:
    """Actuators of the model, or all joints that are deformations, then the driven motions."""
    s = linear.system
    names = [f"{owner}.{d}" for owner, d, _ in s.model.actuators]
    if not names:
        names = [n for n, i in zip(linear.dof, linear.free, strict=True) if n in s.e_names and not s.flexible[i]]
    return [f"stress {n}" for n in names]


def lever(lam: np.ndarray) -> np.ndarray:
    """2 Lambda (3, 4) of omega = 2 Lambda(lambda) lambdad, axes of space."""
    a, b, c, d = lam
    return 2.0 * np.array([[-b, a, -d, c], [-c, d, a, -b], [-d, -c, b, a]])


def split(text, kinds, what) -> tuple[str, str]:
    """Kind and name of a port; the first kind is the default."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{what}: must be a text such as '{kinds[0]} tip.z', got {text!r}")
    head, _, rest = text.strip().partition(" ")
    if head in kinds and rest:
        return head, rest.strip()
    if what == "output" and not rest:
        return kinds[0], head
    if what == "output" and head not in kinds and " " in text:  # names may hold blanks
        return kinds[0], text.strip()
    raise InputError(f"{what} '{text}': begins with none of {', '.join(kinds)}{nearest(head, kinds)}")


def expand_motions(linear, names) -> list[tuple[str, str]]:
    """(kind, name) of all inputs; a motion stands for itself and its two rates."""
    out = []
    for text in names:
        kind, name = split(text, (*FORCES, *MOTIONS), "input")
        for k in MOTIONS if kind == "motion" else (kind,):
            if (k, name) not in out:
                out.append((k, name))
    for kind, name in out:
        if kind in MOTIONS and name not in linear.driven_names:
            hint = nearest(name, linear.driven_names)
            raise InputError(
                f"input '{kind} {name}': only driven coordinates have a motion{hint}; "
                f"driven are: {', '.join(linear.driven_names) or 'none'}; prescribe it, or hold it with hold('{name}')"
            )
    return out


def _deformation(linear, name, what) -> int:
    s = linear.system
    if name not in s.e_names:
        raise InputError(f"{what}: there is no deformation '{name}'{nearest(name, s.e_names)}")
    return s.e_names.index(name)


def _component(linear, name, what):
    """(kind of node, first coordinate, size, component) of "node.component"."""
    s = linear.system
    node, _, c = name.rpartition(".")
    turn = c in ("rx", "ry", "rz")
    for kind in ("frame",) if turn else ("point", "frame", "warp"):
        if (kind, node) in s.nodes:
            o, n = s.nodes[kind, node]
            if turn and n == 1 and c == "rz":
                return "coordinate", o, 1, 0
            if turn and n == 4:
                return "rotation", o, 4, "xyz".index(c[1])
            if name in s.x_names[o : o + n]:
                return "coordinate", o, n, s.x_names[o : o + n].index(name)
    nodes = sorted({k[1] for k in s.nodes})
    options = [x for x in s.x_names if x.rpartition(".")[0] == node] or nodes
    raise InputError(f"{what}: there is no coordinate '{name}'{nearest(name if node in nodes else node, options)}")


def force_columns(linear, n: int, names):
    """Generalised forces (nq, nu), stress resultants (ne, nu) and nodal forces (nx, nu) of unit forces at point n.

    The stress resultants are those of the given deformations at rest, the nodal forces those of the supports.
    """
    s = linear.system
    w, _ = linear.at_point(n)
    DF, DFe = linear._rates["DF"][n], linear._rates["DFe"][n]
    x = linear.X[n, 0]
    m = len(names)
    F, U = np.zeros((s.nx, m)), np.zeros((s.ne, m))
    for j, text in enumerate(names):
        kind, name = split(text, FORCES, "input")
        what = f"input '{text}'"
        if kind == "stress":
            i = _deformation(linear, name, what)
            if s.e_status[i] == "fixed":
                raise InputError(f"{what}: the deformation is rigid, a stress on it moves nothing; make it flexible")
            U[i, j] = 1.0
        elif kind == "force":
            node, o, _, c = _component(linear, name, what)
            if node != "coordinate":
                raise InputError(f"{what}: a force acts on a coordinate; write 'moment {name.replace('.r', '.')}'")
            F[o + c, j] = 1.0
        else:
            _moment(linear, name, what, x, F[:, j])
    B = (DF.T @ F + DFe.T @ U)[linear.free]
    released = np.asarray(s.tables.e_given) == 0
    sig = np.where(released[:, None], -U, 0.0)
    D = _dense_D(s, w)
    support = F + D[released].T @ U[released]
    static_rows(s.k, w.k, support, sig)
    dof = np.asarray(s.tables.e_y)
    own = (dof >= 0) & (dof < s.nq)
    sig[own] = -U[own]
    return B, sig, support


def _dense_D(s, w):
    from ..structure import dense_D

    return dense_D(s.tables, w.D[0])


def _moment(linear, name, what, x, column) -> None:
    s = linear.system
    node, _, c = name.rpartition(".")
    if ("frame", node) not in s.nodes or c not in ("x", "y", "z", "rx", "ry", "rz", "phi"):
        frames = [k[1] for k in s.nodes if k[0] == "frame"]
        raise InputError(
            f"{what}: needs a frame and an axis x, y or z{nearest(node, frames)}; frames: {', '.join(frames)}"
        )
    o, size = s.nodes["frame", node]
    if size == 1:
        if c not in ("z", "rz", "phi"):
            raise InputError(f"{what}: a planar frame turns about z only")
        column[o] = 1.0
    else:
        column[o : o + 4] = lever(x[o : o + 4])["xyz".index(c[-1])]


class Outputs:
    """Rows of outputs at one point: y = o[0] dy + o[1] dyd + o[2] dydd, and where to find the direct part of forces."""

    def __init__(self, linear, n: int):
        self.linear, self.n, self.system = linear, n, linear.system
        self.rates = {k: v[n] for k, v in linear._rates.items()}
        self._nodal = None

    @property
    def nodal(self):
        if self._nodal is None:
            if self.system.model.user_forces:
                raise InputError("stress and reaction outputs: not with Python user forces; use springs and dampers")
            self._nodal = self.linear.nodal(self.n)
        return self._nodal

    def row(self, text: str):
        """(rows (3, ny), direct) with direct = ("sigma" | "support", weights) or None."""
        kind, name = split(text, OUTPUTS, "output")
        if kind == "stress":
            i = _deformation(self.linear, name, f"output '{text}'")
            return self.nodal[0][:, i], ("sigma", np.eye(self.system.ne)[i])
        if kind == "reaction":
            return self._reaction(name, text)
        if kind == "drive":
            return self._drive(name, text), ("drive", name)
        return self._kinematic(OUTPUTS.index(kind), name, text), None

    def _kinematic(self, order, name, text):
        s = self.system
        if name in s.e_names:
            i = s.e_names.index(name)
            a = [self.rates[k][i] for k in ("DFe", "DFed", "DFedd")]
        else:
            node, o, size, c = _component(self.linear, name, f"output '{text}'")
            a = [self.rates[k][o : o + size] for k in ("DF", "DFd", "DFdd")]
            if node == "rotation":
                return self._turn(order, o, c, a)
            a = [m[c] for m in a]
        z = np.zeros_like(a[0])
        return np.array([[a[0], z, z], [a[1], a[0], z], [a[2], 2 * a[1], a[0]]][order])

    def _turn(self, order, o, c, a):
        """2 Lambda dlambda and its rates: Lambda(a) b = -Lambda(b) a."""
        X = self.linear.X[self.n, :, o : o + 4]
        G = [lever(l)[c] for l in X]
        z = np.zeros_like(a[0][0])
        if order == 0:
            return np.array([G[0] @ a[0], z, z])
        if order == 1:
            return np.array([G[0] @ a[1] - G[1] @ a[0], G[0] @ a[0], z])
        return np.array([G[0] @ a[2] - G[2] @ a[0], 2 * (G[0] @ a[1]), G[0] @ a[0]])

    def _reaction(self, name, text):
        s = self.system
        node, o, size, c = _component(self.linear, name, f"output '{text}'")
        held = s.x_status[o : o + size] if node == "rotation" else [s.x_status[o + c]]
        if any(h not in ("fixed", "prescribed") for h in held) or (node == "rotation" and "prescribed" in held):
            raise InputError(
                f"output '{text}': the coordinate is not held, nothing reacts there; fix it, or ask for a stress"
            )
        weights = np.zeros(s.nx)
        if node == "rotation":
            weights[o : o + 4] = lever(self.linear.X[self.n, 0, o : o + 4])[c] / 4.0
        else:
            weights[o + c] = 1.0
        return np.einsum("i,kij->kj", weights, self.nodal[1]), ("support", weights)

    def _drive(self, name, text):
        if name not in self.linear.driven_names:
            names = self.linear.driven_names
            raise InputError(
                f"output '{text}': is not driven{nearest(name, names)}; driven are: {', '.join(names) or 'none'}"
            )
        i = self.system.y_index[name]
        m = self.linear.all_matrices[self.n][:, i]
        return np.array([m[3] + m[4] + m[5], m[1] + m[2], m[0]])
