"""Momenta of any model from its tables, and free bodies, for the tests of dynamics."""

import numpy as np

import spacar_py as sp


def slope(h, error):
    """Fitted order of an error in h."""
    return np.polyfit(np.log(h), np.log(np.abs(error)), 1)[0]


def momenta(r):
    """Linear and angular momentum about the origin (N, 3): sums of C zd and z x C zd over points and directions.

    The kinetic energy 1/2 sum C_ij zd_i.zd_j does not change when all z turn together, nor when all points shift.
    """
    t = r.system.tables
    N, n = len(r), len(t.z_kind)
    z, zd = np.zeros((n, N, 3)), np.zeros((n, N, 3))
    for k in range(n):
        i = t.z_i[k]
        if t.z_kind[k] != 1:
            z[k, :, : t.z_n[k]], zd[k, :, : t.z_n[k]] = r.x[:, i : i + t.z_n[k]], r.xd[:, i : i + t.z_n[k]]
            continue
        o, a = t.dir_x[i], t.dir_a[i]
        frame = next(name for (kind, name), (first, _) in r.system.nodes.items() if kind == "frame" and first == o)
        part = r[frame]
        if t.dir_n[i] == 1:
            c, s = np.cos(part.rotation), np.sin(part.rotation)
            z[k] = np.stack([c * a[0] - s * a[1], s * a[0] + c * a[1], 0 * c], axis=1)
            zd[k] = np.cross(part.omega[:, None] * [0, 0, 1], z[k])
        else:
            z[k] = part.R @ a
            zd[k] = np.cross(part.omega, z[k])
    C = np.zeros((n, n))
    for k in range(n):
        C[k, t.c_idx[t.c_ptr[k] : t.c_ptr[k + 1]]] = t.c_val[t.c_ptr[k] : t.c_ptr[k + 1]]
    p = np.einsum("ij,jnc->inc", C, zd)
    return p[t.z_kind == 0].sum(axis=0), np.cross(z, p).sum(axis=0)


def free_beam(n=2):
    """A soft beam that floats in space: 6 degrees of freedom of its first node, 6 deformations per element."""
    m = sp.Model()
    m.node("a", (0.1, 0.2, 0.3))
    m.node("b", (1.1, 0.2, 0.3))
    section = sp.Section(EA=200.0, GJ=3.0, EIy=2.0, EIz=3.0, m=1.0, Jx=0.02, Jy=0.01, Jz=0.01)
    m.beam("beam", "a", "b", section, y=(0, 1, 0), elements=n, flexible="all")
    m.dof("a", "x", "y", "z", "rotation")
    return m


def free_planar_beam(n=3):
    """The same in the plane."""
    m = sp.Model(planar=True)
    m.node("a", (0.1, 0.2))
    m.node("b", (1.1, 0.2))
    m.beam("beam", "a", "b", sp.Section(EA=200.0, EIz=3.0, m=1.0, Jz=0.01), elements=n, flexible="all")
    m.dof("a", "x", "y", "phi")
    return m


def thrown(model, seed=0, size=0.5):
    """Initial rates of all degrees of freedom: rigid motion and some vibration."""
    rng = np.random.default_rng(seed)
    dof = model.compile().dof
    rates = {}
    for name in dof:
        rates[name] = rng.uniform(-size, size)
    return rates


def pendulum(g=9.81, L=1.0, m=1.0):
    """A mass on a rigid rod, along x at the start, turning about -y: positive angles lift it."""
    p = sp.Model(gravity=(0, 0, -g))
    p.node("pivot", (0, 0, 0))
    p.fix("pivot")
    p.frame("swing")
    p.point("bob", (L, 0, 0))
    p.hinge("joint", "pivot", "swing", axis=(0, -1, 0))
    p.rigid_beam("rod", ("pivot", "swing"), "bob")
    p.mass("bob", m)
    return p
