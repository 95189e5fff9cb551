"""One element alone, of any registered kind, and its mass in nodal coordinates: helpers of the contract tests."""

import numpy as np

from spacar_py import Model, Section
from spacar_py.assembly import series
from spacar_py.compiler import _Compiler, _provisional
from spacar_py.elements.registry import ELEMENTS
from spacar_py.nodes import Node
from spacar_py.rotations import from_vector, matrix
from spacar_py.tables import work_space

SECTION = Section(EA=3e3, GJ=7.0, EIy=11.0, EIz=13.0, m=1.7, Jx=0.5, Jy=0.3, Jz=0.4, Jyz=0.1, EIw=0.2, Jw=0.05)


class Alone:
    """One element of a kind between random nodes; its tables and its coordinates at the start."""

    def __init__(self, kind: str, rng: np.random.Generator, section: Section = SECTION):
        cls = ELEMENTS[kind]
        dim = 2 if cls.planar else 3
        model = Model(planar=cls.planar, gravity=rng.normal(size=dim))
        place = rng.normal(size=dim)
        nodes = {}
        for slot, node_kind in cls.slots.items():
            if node_kind == "point":
                together = slot == "xq" and kind in ("spherical joint", "planar pin")
                start = place if together or slot == "xp" else place + rng.normal(size=dim)
                store = model.points
            elif node_kind == "frame":
                start = rng.normal(size=1) if cls.planar else from_vector(rng.normal(size=3))
                store = model.frames
            else:
                start, store = [0.0], model.warps
            nodes[slot] = store[slot] = Node(slot, node_kind, tuple(float(v) for v in start), cls.planar)
        axis, y = rng.normal(size=3), rng.normal(size=3)
        axis[dim:] = 0.0
        self.element = cls("it", nodes, section=section, axis=None if cls.needs_length else axis, y=y)
        model.elements["it"] = self.element
        self.model, self.planar = model, cls.planar
        compiler = _Compiler(model)
        self.tables, _, _ = _provisional(compiler)
        self.x0, self.offsets = compiler.x0, compiler.offsets
        self.nx, self.ne = (int(n) for n in self.tables.n[:2])
        self.n = len(cls.deformations)

    def evaluate(self, X, K=1):
        """Work space with the series of e and D for the coefficients X (K, nx)."""
        X = np.atleast_2d(X)
        dtype = complex if np.iscomplexobj(X) else float
        w = work_space(self.tables, dtype)
        w.X[: len(X)] = X
        series(self.tables.k, w.k, K, np.zeros(self.ne, dtype))
        return w

    def moved(self, rotation, shift):
        """Coordinates at the start after a rigid motion: rotation vector (in the plane an angle) and shift."""
        x = self.x0.copy()
        if self.planar:
            c, s = np.cos(rotation), np.sin(rotation)
            R = np.array([[c, -s], [s, c]])
        else:
            turn = from_vector(rotation)
            R = matrix(turn)
        for node, o in self.offsets.items():
            part = slice(o, o + node.size)
            if node.kind == "point":
                x[part] = R @ x[part] + shift
            elif node.kind == "frame":
                x[part] = x[part] + rotation if self.planar else product(turn, x[part])
        return x

    def rigid_rate(self, omega, velocity):
        """xd of a rigid motion about the origin at the start."""
        xd = np.zeros(self.nx)
        for node, o in self.offsets.items():
            part, x = slice(o, o + node.size), np.zeros(3)
            if node.kind == "point":
                x[: node.size] = self.x0[part]
                xd[part] = (np.cross(omega, x) + velocity)[: node.size]
            elif node.kind == "frame":
                xd[part] = omega[2] if self.planar else 0.5 * product(np.r_[0.0, omega], self.x0[part])
        return xd


def product(a, b):
    """Product of two quaternions, scalar first."""
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def inertial_vectors(t, w, nx):
    """Z = dz/dx (3 nz, nx) of the inertial vectors, and C (nz, nz) of T = 1/2 sum C_ij zd_i . zd_j."""
    nz = len(t.z_kind)
    Z, C = np.zeros((3 * nz, nx)), np.zeros((nz, nz))
    for n in range(nz):
        i = t.z_i[n]
        if t.z_kind[n] != 1:
            for c in range(t.z_n[n]):
                Z[3 * n + c, i + c] = 1.0
        else:
            o, m = t.dir_x[i], t.dir_n[i]
            Z[3 * n : 3 * n + 3, o : o + m] = w.G[0, i, :, :m]
        C[n, t.c_idx[t.c_ptr[n] : t.c_ptr[n + 1]]] = t.c_val[t.c_ptr[n] : t.c_ptr[n + 1]]
    return Z, C


def mass(t, w, nx):
    """M = Z^T (C x I3) Z in nodal coordinates, and the nodal force per unit of gravity, (nx, 3)."""
    Z, C = inertial_vectors(t, w, nx)
    M = Z.T @ np.kron(C, np.eye(3)) @ Z
    points = (t.z_kind == 0).astype(float)
    return M, Z.T @ np.kron((C @ points)[:, None], np.eye(3))
