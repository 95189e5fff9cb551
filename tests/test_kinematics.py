"""x from q: closed forms of mechanisms, derivatives by the complex step, block structure, continuation, mobility."""

import numpy as np
import pytest
from _motion import deformation, of, state

from spacar_py import ConvergenceError, InputError, Model, Section
from spacar_py.continuation import move
from spacar_py.dynamics import position
from spacar_py.rotations import from_vector, matrix

EXACT = 1e-12
STEP = 1e-30


def two_link_arm():
    """Three hinges and two flexible links: a spatial tree with 12 degrees of freedom."""
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    for f in ("column", "upper_root", "fore_root"):
        m.frame(f)
    m.node("elbow", (0.7, 0, 0))
    m.node("tip", (1.4, 0, 0))
    m.hinge("j1", "base", "column", (0, 0, 1))
    m.hinge("j2", "column", "upper_root", (0, -1, 0))
    m.hinge("j3", "elbow", "fore_root", (0, -1, 0))
    s = Section(EIy=1.0, EIz=1.0, GJ=1.0)
    m.beam("upper", ("base", "upper_root"), "elbow", s, flexible=("torsion", "bending"))
    m.beam("fore", ("elbow", "fore_root"), "tip", s, flexible="bending")
    return m


# four-bar with ground d, crank a, coupler b, rocker c: a closed loop
A, B, C, D = 0.3, 0.8, 0.6, 0.9


def rocker_of(crank, sign=1.0):
    """Rocker angle of the open (sign 1) or crossed four-bar: the two circles about the crank's end and about D."""
    p = A * np.array([np.cos(crank), np.sin(crank)])
    d = np.array([D, 0.0]) - p
    r = np.linalg.norm(d)
    along = (B**2 - C**2 + r**2) / (2 * r)
    across = np.sqrt(B**2 - along**2)
    q = p + (along * d + sign * across * np.array([-d[1], d[0]])) / r
    return np.arctan2(q[1], q[0] - D), q


def four_bar(crank=1.0):
    _, q = rocker_of(crank)
    p = A * np.array([np.cos(crank), np.sin(crank)])
    m = Model(planar=True)
    m.node("O", (0, 0))
    m.node("D", (D, 0))
    m.fix("O")
    m.fix("D")
    m.point("P", p)
    m.point("Q", q)
    m.frame("crank")
    m.frame("rocker")
    m.hinge("motor", "O", "crank", dof="angle")
    m.hinge("pivot", "D", "rocker", release="angle")
    m.rigid_beam("a", ("O", "crank"), "P")
    m.truss("b", "P", "Q")
    m.rigid_beam("c", ("D", "rocker"), "Q")
    return m


def rates_of_four_bar(crank, w1, a1):
    """Rocker's and coupler's rates from the loop a + b - c - d = 0 differentiated once and twice."""
    rocker, q = rocker_of(crank)
    p = A * np.array([np.cos(crank), np.sin(crank)])

    def turned(v):
        return np.array([-v[1], v[0]])

    a, b, c = p, q - p, q - np.array([D, 0.0])
    W = np.column_stack([turned(b), -turned(c)])
    wb, wc = np.linalg.solve(W, -w1 * turned(a))
    ab, ac = np.linalg.solve(W, -a1 * turned(a) + w1**2 * a + wb**2 * b - wc**2 * c)
    return rocker, wc, ac


def test_four_bar_follows_its_closed_form_over_two_turns():
    """Position, rate and acceleration of the rocker; the convective term is D2F qd qd."""
    start = 1.0
    s = four_bar(start).compile()
    w, ref = s.work(), np.zeros(s.ne)
    first = rocker_of(start)[0]
    for turn in np.arange(0.0, 4 * np.pi, 0.3):
        state(s, [turn], [1.3], [0.4], work=w, ref=ref)
        angle, rate, acceleration = rates_of_four_bar(start + turn, 1.3, 0.4)
        assert deformation(s, w, "pivot.angle") == pytest.approx(angle - first, abs=EXACT)
        assert deformation(s, w, "pivot.angle", 1) == pytest.approx(rate, abs=1e-11)
        assert deformation(s, w, "pivot.angle", 2) == pytest.approx(acceleration, abs=1e-10)
        assert np.allclose(of(s, w, "point", "Q"), rocker_of(start + turn)[1], rtol=0, atol=EXACT)


def slider_crank(r, l):
    m = Model(planar=True)
    m.node("O", (0, 0))
    m.fix("O")
    m.frame("crank")
    m.point("pin", (r, 0))
    m.point("piston", (r + l, 0))
    m.fix("piston", "y")
    m.hinge("motor", "O", "crank", dof="angle")
    m.rigid_beam("web", ("O", "crank"), "pin")
    m.truss("rod", "pin", "piston")
    return m


def test_slider_crank_follows_its_closed_form():
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a) and its two derivatives."""
    r, l = 0.2, 0.7
    s = slider_crank(r, l).compile()
    w, ref = s.work(), np.zeros(s.ne)
    for a in np.arange(0.05, 2 * np.pi, 0.5):
        wa, aa = 2.0, -1.5
        state(s, [a], [wa], [aa], work=w, ref=ref)
        root = np.sqrt(l**2 - (r * np.sin(a)) ** 2)
        x = r * np.cos(a) + root
        x1 = -r * np.sin(a) - r**2 * np.sin(a) * np.cos(a) / root
        x2 = -r * np.cos(a) - r**2 * np.cos(2 * a) / root - (r**2 * np.sin(a) * np.cos(a)) ** 2 / root**3
        assert of(s, w, "point", "piston")[0] == pytest.approx(x, abs=EXACT)
        assert of(s, w, "point", "piston", 1)[0] == pytest.approx(x1 * wa, abs=1e-11)
        assert of(s, w, "point", "piston", 2)[0] == pytest.approx(x2 * wa**2 + x1 * aa, abs=1e-11)


def test_rigid_arm_is_where_its_rotations_put_it():
    """tip = Rz(q1) Ry(-q2) (L ex + Ry(-q3) L ex)."""
    s = two_link_arm().compile()
    q = np.zeros(12)
    q[:3] = 0.4, 0.9, -1.7
    w = state(s, q)
    ex = np.array([0.7, 0, 0])

    def about_y(a):
        return matrix(from_vector((0, -a, 0)))

    tip = matrix(from_vector((0, 0, q[0]))) @ about_y(q[1]) @ (ex + about_y(q[2]) @ ex)
    assert np.allclose(of(s, w, "point", "tip"), tip, rtol=0, atol=EXACT)


def test_pure_bending_of_a_chain_follows_theta_is_asin():
    """Equal e3 = e4 = e in every element: its end frames turn by 2 asin(e/L0) about y and |l| = L0 - e^2/(6 L0)."""
    n, L0, e = 6, 0.2, 0.05
    m = Model()
    m.node("root", (0, 0, 0))
    m.node("tip", (n * L0, 0, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", Section(EIy=1.0), y=(0, 1, 0), elements=n, dof="bending_y")
    s = m.compile()
    w = state(s, np.full(2 * n, e))
    theta, chord = np.arcsin(e / L0), L0 - e**2 / (6 * L0)
    angles = (2 * np.arange(n) + 1) * theta
    x, z = chord * np.cos(angles).sum(), -chord * np.sin(angles).sum()
    assert np.allclose(of(s, w, "point", "tip"), (x, 0, z), rtol=0, atol=EXACT)
    assert np.allclose(matrix(of(s, w, "frame", "tip")), matrix(from_vector((0, 2 * n * theta, 0))), rtol=0, atol=EXACT)


@pytest.mark.parametrize("make", [two_link_arm, four_bar, lambda: slider_crank(0.2, 0.7)])
def test_DF_equals_the_complex_step_through_newton(make):
    s = make().compile()
    rng = np.random.default_rng(2)
    y = s.y0 + 0.1 * rng.normal(size=s.ny)
    w = state(s, y)
    for j in range(s.ny):
        c, ref = s.work(complex), np.zeros(s.ne, complex)
        c.X[0] = w.X[0]
        c.y[0] = y
        c.y[0, j] += 1j * STEP
        for _ in range(2):  # the second call carries the imaginary part through a converged Newton step
            assert position(s.k, c.k, ref) > 0
        assert np.allclose(w.DF[:, j], c.X[0].imag / STEP, rtol=0, atol=EXACT * np.abs(w.DF).max())


@pytest.mark.parametrize("make", [two_link_arm, four_bar])
def test_accelerations_equal_the_complex_step_of_velocities_in_time(make):
    """xdd = d/dt xd along q(t): DF qdd + D2F qd qd."""
    s = make().compile()
    rng = np.random.default_rng(3)
    y, yd, ydd = s.y0 + 0.1 * rng.normal(size=s.ny), rng.normal(size=s.ny), rng.normal(size=s.ny)
    w = state(s, y, yd, ydd)
    c, ref = s.work(complex), np.zeros(s.ne, complex)
    c.X[0] = w.X[0]
    c.y[0] = y + 1j * STEP * yd
    for _ in range(2):
        assert position(s.k, c.k, ref) > 0
    xd = c.DF @ (yd + 1j * STEP * ydd)
    assert np.allclose(2 * w.X[2], xd.imag / STEP, rtol=0, atol=1e-11 * np.abs(w.X[2]).max())


def test_a_rigid_motion_of_the_base_carries_the_mechanism_along():
    """Released from its support and driven, the four-bar keeps its shape."""
    m = four_bar()
    s = m.compile()
    shape = state(s, [0.6])
    turned = four_bar()
    for n in ("O", "D"):
        turned.release(n)
    turned.rigid_beam("ground", "O", "D")
    turned.hinge("same", "O", "D", fixed="angle")
    turned.dof("O")
    t = turned.compile()
    angle, shift = 2.1, np.array([0.4, -0.8])
    y = np.zeros(t.ny)
    y[[t.y_index[n] for n in ("O.x", "O.y", "O.phi", "motor.angle")]] = *shift, angle, 0.6
    w, ref = t.work(), np.zeros(t.ne)
    w.y[0] = t.y0
    move(t, w, y, ref)
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    for n in ("P", "Q"):
        assert np.allclose(of(t, w, "point", n), R @ of(s, shape, "point", n) + shift, rtol=0, atol=EXACT)


# block structure ------------------------------------------------------------------------------------------------------


def chain(n, planar):
    m = Model(planar=planar)
    m.node("root", (0, 0) if planar else (0, 0, 0))
    m.node("tip", (1, 0) if planar else (1, 0, 0))
    m.fix("root")
    m.beam("arm", "root", "tip", Section(EA=1.0, EIy=1.0, EIz=1.0, GJ=1.0), elements=n, flexible="all")
    return m


@pytest.mark.parametrize(("planar", "largest"), [(False, 7), (True, 3)])
def test_a_chain_is_solved_one_node_at_a_time(planar, largest):
    """Blocks are no larger than a node (3 + 4 or 2 + 1 coordinates), however long the chain."""
    for n in (5, 40):
        sizes = np.diff(chain(n, planar).compile().tables.blk)
        assert sizes.max() <= largest
        assert sizes.sum() == n * largest


def test_a_closed_loop_is_one_larger_block():
    sizes = np.diff(cured_four_bar().compile().tables.blk)
    assert sizes.max() > 7
    assert np.sum(sizes > 7) == 1


def test_a_long_chain_compiles():
    """1200 elements: the numbering stays sparse."""
    assert chain(1200, True).compile().nq == 3600


# continuation ---------------------------------------------------------------------------------------------------------


def test_a_large_jump_is_made_in_smaller_steps_on_the_same_branch():
    s = four_bar(1.0).compile()
    w, ref = s.work(), np.zeros(s.ne)
    w.y[0] = s.y0
    steps = move(s, w, [3.0], ref)
    assert steps > 1
    assert np.allclose(of(s, w, "point", "Q"), rocker_of(4.0)[1], rtol=0, atol=EXACT)


def test_an_impossible_position_is_refused_with_the_worst_deformation():
    """The crank of 0.3 would have to reach over the coupler: at no angle is the piston 1.2 away from O."""
    m = Model(planar=True)
    m.point("O", (0, 0))
    m.point("P", (0.3, 0.4))
    m.point("Q", (0.6, 0.0))
    m.fix("O")
    m.fix("Q", "y")
    m.dof("Q", "x")
    m.truss("a", "O", "P")
    m.truss("b", "P", "Q")
    s = m.compile()
    w, ref = s.work(), np.zeros(s.ne)
    w.y[0] = s.y0
    with pytest.raises(
        ConvergenceError,
        match=r"kinematics did not converge at t = 2 s \(largest residual .* in [ab]\.elongation after 25 iterations, "
        r"\d\d\.\d% of the way there\); try a smaller step",
    ):
        move(s, w, [1.2], ref, at="t = 2 s")
    assert np.hypot(*of(s, w, "point", "P")) == pytest.approx(0.5, abs=1e-9)  # left at the last good position


# mobility -------------------------------------------------------------------------------------------------------------


def spatial_four_bar(tilt=0.0):
    """Rectangular four-bar in space: four hinges about z (C's tilted about y), three rigid bars, A driven."""
    m = Model()
    points = {"A": (0, 0, 0), "B": (0, 0.12, 0), "C": (0.24, 0.12, 0), "D": (0.24, 0, 0)}
    m.node("A", points["A"])
    m.node("D", points["D"])
    m.fix("A")
    m.fix("D")
    m.point("B", points["B"])
    m.point("C", points["C"])
    for f in ("crank", "crank_end", "coupler", "coupler_end", "rocker", "rocker_end"):
        m.frame(f)
    z = (0, 0, 1)
    m.hinge("hA", "A", "crank", z)
    m.hinge("hB", "crank_end", "coupler", z)
    m.hinge("hC", "coupler_end", "rocker_end", (np.sin(tilt), 0, np.cos(tilt)))
    m.hinge("hD", "D", "rocker", z)
    m.beam("crank_bar", ("A", "crank"), ("B", "crank_end"))
    m.beam("coupler_bar", ("B", "coupler"), ("C", "coupler_end"))
    m.beam("rocker_bar", ("D", "rocker"), ("C", "rocker_end"))
    return m


def test_a_planar_four_bar_built_in_space_is_overconstrained_by_three():
    """Gruebler: 6 * 3 - 5 * 4 = -2 against one motion: three conditions too many, all of them out of plane."""
    report = spatial_four_bar().mobility()
    assert len(report.redundant) == 3
    assert report.dof and len(report.dof) == 1
    assert report.free_motions == []
    assert report.conditions - report.coordinates == 3
    assert report.condition_number == np.inf
    names = {n.split(".")[0] for group in report.redundant for n in group}
    assert names <= {"hA", "hB", "hC", "hD", "crank_bar", "coupler_bar", "rocker_bar"}
    with pytest.raises(InputError, match=r"model is overconstrained: .*; release one of them \(2 more of this kind"):
        spatial_four_bar().compile()


def cured_four_bar():
    """C is a ball, and the rocker may tilt at D so that C stays in the plane."""
    m = spatial_four_bar()
    m.release("hC")
    m.release("hD", "bending_y")
    return m


def test_releasing_three_conditions_cures_the_spatial_four_bar():
    report = cured_four_bar().mobility()
    assert report.ok and len(report.dof) == 1
    assert 1 < report.condition_number < 1e4
    cured_four_bar().compile()


def test_a_misaligned_four_bar_of_rigid_bars_locks():
    """With C's hinge tilted by 5 degrees no motion is left (Bauchau's mechanism with rigid bars)."""
    report = spatial_four_bar(tilt=np.radians(5)).mobility()
    assert report.dof == []
    assert len(report.redundant) == 2  # 20 conditions on 18 motions


def test_a_missing_joint_leaves_a_free_motion_by_name():
    m = Model()
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.frame("swing")
    m.point("bob", (1, 0, 0))
    m.rigid_beam("rod", ("base", "swing"), "bob")
    report = m.mobility()
    assert len(report.free_motions) == 3  # nothing joins the frame "swing" to anything
    assert all(any(n.startswith(("swing.", "bob.")) for n in group) for group in report.free_motions)
    assert "free motion 1: moves" in str(report)
    with pytest.raises(InputError, match="model is underconstrained: .*nothing determines the motion of"):
        m.compile()


def test_condition_number_does_not_depend_on_the_unit_of_length():
    """The same arm in metres and in micrometres."""

    def condition(size):
        m = Model()
        m.node("a", (0, 0, 0))
        m.fix("a")
        m.node("b", (size, 0, 0))
        m.node("c", (size, size, 0))
        m.beam("first", "a", "b")
        m.beam("second", "b", "c")
        return m.mobility().condition_number

    assert condition(1.0) == pytest.approx(condition(1e-6), rel=1e-9)
    assert condition(1.0) < 100


def test_mobility_prints_degrees_of_freedom_and_condition():
    text = str(four_bar().mobility())
    assert "6 conditions on 6 dependent coordinates, rank 6, condition number" in text
    assert "degrees of freedom (1): motor.angle" in text


def test_degrees_of_freedom_of_a_loop_are_chosen_among_its_hinges():
    m = four_bar()
    for h in ("motor", "pivot"):
        m.flexible(h, "angle")
    assert len(m.compile().dof) == 1


def test_a_wild_trial_step_does_not_turn_a_rigid_link_round():
    """el = -ex satisfies the conditions of a rigid link as well; that root must never be taken (nor kept)."""
    m = Model(planar=True)
    m.node("a", (0, 0))
    m.fix("a")
    m.frame("f")
    m.point("b", (0.1, 0))
    m.hinge("h", "a", "f")
    m.rigid_beam("link", ("a", "f"), "b")
    m.mass("b", 1.0)
    s = m.compile()
    w, ref = s.work(), np.zeros(s.ne)
    for angle in np.random.default_rng(3).uniform(-40, 40, 200):
        w.y[0] = angle
        if position(s.k, w.k, ref) > 0:
            assert np.allclose(w.X[0, 2:4], [0.1 * np.cos(angle), 0.1 * np.sin(angle)], atol=1e-12)
