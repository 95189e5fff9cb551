"""Models and complex-step derivatives for the tests of the linearisation."""

import numpy as np

import spacar_py as sp
from spacar_py.dynamics import position, reactions, residual
from spacar_py.elements.registry import ELEMENTS

STEP = 1e-30  # of the complex step: no subtraction, so nothing is lost
SECTION = sp.Section(EA=3e3, GJ=7.0, EIy=11.0, EIz=13.0, m=1.7, Jx=0.5, Jy=0.3, Jz=0.4, Jyz=0.1, EIw=0.2, Jw=0.05)
KINDS = sorted(set(ELEMENTS) - {"frame"})  # that condition, |lambda| = 1, is in every spatial model


def alone(kind: str) -> sp.Model:
    """One element between two bodies that move freely, with weight, loads, spring and damper; p by its coordinates."""
    planar = ELEMENTS[kind].planar
    dim = 2 if planar else 3
    m = sp.Model(planar=planar, gravity=(0.3, -2.0, 1.1)[:dim])
    q = (0.1, -0.2, 0.3) if kind in ("spherical joint", "planar pin") else (0.9, 0.3, 0.7)
    m.node("p", (0.1, -0.2, 0.3)[:dim], 0.2 if planar else (0.2, -0.1, 0.3))
    m.node("q", q[:dim], -0.1 if planar else (-0.1, 0.3, 0.1))
    axis = (0.2, 0.9, -0.4)[:dim]
    status = dict(dof="all")
    if "warping" in kind:
        m.warp("wp")
        m.warp("wq")
        m.dof("wp")
        m.beam("it", "p", "q", SECTION, y=(0, 0.3, 1), warping=("wp", "wq"), dof=tuple(ELEMENTS[kind].deformations[:7]),
               release="warping_q")  # fmt: skip
        m.dof("wq")
        m.release("it", "warping_p")
    elif "truss" in kind:
        m.truss("it", "p", "q", SECTION, **status)
        m.dof("q", *("y", "z")[: dim - 1])
    elif "rigid" in kind:
        m.rigid_beam("it", "p", "q", SECTION, **status)
    elif "beam" in kind:
        m.beam("it", "p", "q", SECTION, **({} if planar else dict(y=(0, 0.3, 1))), **status)
    elif "hinge" in kind:
        m.hinge("it", "p", "q", *(() if planar else (axis,)), **status)
    elif "pin body" in kind:
        m.pin_body("it", "p", "q", **status)
    elif "slider" in kind:
        m.slider("it", "p", "q", axis, **status)
    elif kind == "cylinder":
        m.cylinder("it", "p", "q", axis, **status)
    elif kind == "universal joint":
        m.universal("it", "p", "q", axis, (0.9, -0.2, 0.0), **status)
    else:
        m.spherical("it", "p", "q", **status)
    _rest(m, planar, dim)
    return m


def _rest(m, planar, dim):
    """Make whatever the element leaves open a degree of freedom, then add bodies, loads, spring and damper."""
    slots = m.elements["it"].nodes
    m.dof("p", *("x", "y", "z")[:dim])
    m.dof("p", *(("phi",) if planar else ("lambda1", "lambda2", "lambda3")))
    if "xq" not in slots:
        m.dof("q", *("x", "y", "z")[:dim])
    if "rq" not in slots:
        m.dof("q", *(("phi",) if planar else ("lambda1", "lambda2", "lambda3")))
    for n in ("p", "q"):
        m.body(n, 1.3, 0.4 if planar else (0.4, 0.5, 0.6), centre=(0.1, 0.2, -0.1)[:dim])
    m.force("q", (1.0, -2.0, 0.7)[:dim])
    m.force("q", (0.4, 0.9, 0.2)[:dim], follow="q")
    m.moment("q", 0.8 if planar else (0.3, 0.8, -0.5))
    if not planar:
        m.moment("p", (0.5, -0.2, 0.4), follow=True)
    for d in m.elements["it"].deformations:
        m.spring("it", d, 40.0, free=0.02)
    m.damper("it", m.elements["it"].deformations[0], 3.0)


def four_bar(flexible: bool = True) -> sp.Model:
    """Planar four-bar with a flexible coupler, a damper in its last hinge, a drive and a follower force."""
    m = sp.Model(planar=True, gravity=(0, -9.81), name="four-bar")
    for n, x in dict(A=(0, 0), B=(0.0, 0.3), C=(0.7, 0.5), D=(0.7, 0.0)).items():
        m.node(n, x)
    m.fix("A")
    m.fix("D")
    for f in ("crank", "rocker"):
        m.frame(f)
    m.hinge("drive", "A", "crank")
    m.hinge("support", "D", "rocker", release="all")
    s = sp.Section(EA=2e4, EIz=12.0, m=0.8, Jz=0.01)
    m.beam("crank", ("A", "crank"), "B", s, flexible="bending")
    m.frame("coupler")
    m.beam("coupler", ("B", "coupler"), "C", s, flexible="bending", damping=1e-3)
    m.frame("end")
    m.beam("rocker", ("D", "rocker"), ("C", "end"), s)
    m.damper("support", "angle", 0.3)
    m.force("C", (3.0, 1.0), follow="coupler")
    m.mass("C", 0.5)
    return m


def complex_derivatives(system, x, y, t=0.0, quantity="rho"):
    """d(quantity)/d(y, yd, ydd) of w.rho, w.sigma or w.fx, y of shape (3, ny), near the position x."""

    def value(Y):
        w = system.work(complex)
        w.X[0], w.y[:] = x, Y
        ref = np.zeros(system.ne, complex)
        for _ in range(2):  # the second pass brings imaginary parts into D
            assert position(system.k, w.k, ref) > 0
        residual(system.k, w.k, t, ref)
        if quantity != "rho":
            reactions(system.k, w.k)
        return getattr(w, quantity).copy()

    out = []
    for k in range(3):
        columns = []
        for j in range(system.ny):
            Y = y.astype(complex)
            Y[k, j] += 1j * STEP
            columns.append(value(Y).imag / STEP)
        out.append(np.array(columns).T)
    return out


def random_state(system, seed, size=0.1):
    """(q, qd, qdd) about the start."""
    rng = np.random.default_rng(seed)
    q = system.y0[: system.nq] + size * rng.normal(size=system.nq)
    return q, rng.normal(size=system.nq), 3 * rng.normal(size=system.nq)


def largest_error(a, b):
    """Largest difference in parts of the largest entry."""
    return np.max(np.abs(a - b)) / np.max(np.abs(b))


def cantilever(elements=8, planar=False, EI=1.0, m=1.0, L=1.0, **options) -> sp.Model:
    """Clamped at the origin, along x, bending only; in space both planes."""
    model = sp.Model(planar=planar, name="cantilever")
    zero = (0, 0) if planar else (0, 0, 0)
    model.node("clamp", zero)
    model.fix("clamp")
    model.node("tip", (L, *zero[1:]))
    section = sp.Section(EIy=0.0 if planar else EI, EIz=EI, m=m, **options)
    extra = {} if planar else dict(y=(0, 1, 0))
    model.beam("beam", "clamp", "tip", section, elements=elements, flexible="bending", **extra)
    return model


def slope(sizes, errors):
    """Fitted order of convergence."""
    return np.polyfit(np.log(sizes), np.log(np.abs(errors)), 1)[0]
