"""Models for the tests of the sparse path: trees and closed loops."""

import spacar_py as sp

SECTION = sp.Section(EA=1e6, GJ=80.0, EIy=100.0, EIz=200.0, m=1.0, Jx=2e-4, Jy=1e-4, Jz=1e-4)


def cantilever(elements, force=(0.0, 50.0, -200.0)):
    m = sp.Model(gravity=(0, 0, -9.81))
    m.node("a", (0, 0, 0))
    m.fix("a")
    m.node("b", (1, 0, 0))
    m.beam("leaf", "a", "b", SECTION, elements=elements, flexible="all")
    m.force("b", force)
    return m


def cross_flexure(damping=0.0, elements=2):
    """Two crossed leaves to a rigid body, loaded out of plane by a moment that follows it: a closed loop."""
    m = sp.Model()
    for name, at in dict(A=(0, 0, 0), B=(0, 0.1, 0), C=(0.1, 0.1, 0), D=(0.1, 0, 0)).items():
        m.node(name, at)
    m.fix("A")
    m.fix("D")
    m.beam("one", "A", "C", SECTION, y=(0, 0, 1), elements=elements, flexible="all", damping=damping)
    m.beam("two", "D", "B", SECTION, y=(0, 0, 1), elements=elements, flexible="all", damping=damping)
    m.beam("body", "B", "C", SECTION, y=(0, 0, 1))
    m.moment("C", (20.0, 5.0, 300.0), follow=True)
    m.force("B", (10.0, -20.0, 40.0), follow="B")
    return m


def ladder(rungs, pitch=0.1):
    """Two clamped rails joined by rungs, flexible throughout: a closed loop for every rung."""
    m = sp.Model(gravity=(0, 0, -9.81))
    for i in range(rungs + 1):
        m.node(f"a{i}", (pitch * i, 0, 0))
        m.node(f"b{i}", (pitch * i, 0.1, 0))
    m.fix("a0")
    m.fix("b0")
    for i in range(rungs):
        for rail in "ab":
            m.beam(f"{rail}{i}-", f"{rail}{i}", f"{rail}{i + 1}", SECTION, y=(0, 0, 1), flexible="all")
        m.beam(f"rung{i}", f"a{i + 1}", f"b{i + 1}", SECTION, y=(0, 0, 1), flexible="all")
    return m
