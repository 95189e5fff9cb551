"""Kineto-statics: drives and joint forces by the core and by vector bond graphs, which share no equation."""

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.bondgraph import Fields, analyse, bond_graph, draw_bond_graph, kinetostatics
from spacar_py.bondgraph.analysis import fields_at, move
from spacar_py.cases.five_dof_robot import INERTIAS, MASSES, five_dof_robot, motion
from spacar_py.cases.manipulator import build as manipulator
from spacar_py.signals import polynomial, sine

G = 9.81
TIMES = np.linspace(0.0, 2.0, 81)
VECTORS = ("force", "moment", "constraint_force", "constraint_moment")


@pytest.fixture(scope="module")
def core():
    return kinetostatics(five_dof_robot(), TIMES, motion())


@pytest.fixture(scope="module")
def graph():
    return analyse(five_dof_robot(), TIMES, motion())


def rates(t):
    """(5, 3) values and rates of the robot's coordinates."""
    return np.array([s.rates(t) for s in motion().values()])


def skew_arm():
    """Hinge, slider and hinge about skew axes, skew inertias, a spring and a damper, a point mass and a heavy link."""
    m = sp.Model(gravity=(1.0, -2.0, -9.0))
    m.node("base", (0.1, 0.2, 0.0))
    m.fix("base")
    m.frame("post")
    m.point("top", (0.4, 0.1, 0.9))
    m.node("sledge", (0.5, 0.3, 1.0))
    m.point("end", (1.2, 0.2, 1.3))
    m.frame("blade")
    m.hinge("root", "base", "post", axis=(0.2, 0.3, 1.0), dof="angle")
    m.rigid_beam("mast", ("base", "post"), "top", sp.Section(m=3.0, Jx=0.02, Jy=0.01, Jz=0.01))
    m.slider("rail", ("top", "post"), "sledge", axis=(1.0, 0.5, 0.2), dof="displacement")
    m.pin_body("boom", "sledge", "end")
    m.hinge("tail", "sledge", "blade", axis=(0.3, 1.0, -0.4), dof="angle")
    J = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.0]])
    m.body(("base", "post"), 5.0, J=J, centre=(0.1, 0.0, 0.4))
    m.body("sledge", 4.0, J=0.5 * J, centre=(0.0, 0.1, 0.2))
    m.body(("end", "blade"), 3.0, J=0.2 * J, centre=(0.2, 0.1, -0.1))
    m.mass("end", 1.5)
    m.spring("rail", "displacement", 200.0, free=0.05)
    m.damper("tail", "angle", 7.0)
    move_ = {"root.angle": sine(1.2, 2.0), "rail.displacement": sine(0.3, 3.0), "tail.angle": sine(2.0, 4.0, 0.5)}
    return m, move_


def largest_difference(a, b):
    """Of all drives and joint vectors, relative to the largest value of each kind."""
    worst = max(np.abs(a.drives[k] - b.drives[k]).max() / np.abs(a.drives[k]).max() for k in a.drives)
    for name in a.joints:
        for which in VECTORS:
            x, y = getattr(a[name], which), getattr(b[name], which)
            worst = max(worst, np.abs(x - y).max() / max(np.abs(x).max(), 1.0))
    return worst


def test_core_and_bond_graph_agree_on_the_five_degree_of_freedom_robot(core, graph):
    """Issue: 1e-9 relative; both are exact, so rounding is what is left (1e-13 met)."""
    assert list(core.drives) == list(motion())
    assert largest_difference(core, graph) < 1e-11


def test_core_and_bond_graph_agree_on_a_skew_arm_with_spring_and_damper():
    m, along = skew_arm()
    t = np.linspace(0, 2, 21)
    assert largest_difference(kinetostatics(m, t, along), analyse(m, t, along)) < 1e-10


def test_vertical_drive_is_the_weight_and_inertia_of_all_that_it_lifts():
    """F = m (a + g) with arm and hand at rest in the column: Wang and Tao's column alone in motion."""
    t = np.linspace(0, 2, 11)
    along = {"lift.displacement": motion()["lift.displacement"]}
    expected = sum(MASSES) * (G - np.pi**2 * np.cos(np.pi * t))
    for found in (kinetostatics(five_dof_robot(), t, along), analyse(five_dof_robot(), t, along)):
        np.testing.assert_allclose(found.drives["lift.displacement"], expected, rtol=1e-12)


def test_turning_the_column_alone_takes_its_moment_of_inertia_times_the_acceleration():
    """About z: inertias of all bodies and 100 kg at 1 m (hand, 2 L from the axis); no weight about a vertical axis."""
    t = np.linspace(0, 2, 11)
    along = {"lift.angle": sine(1.0, np.pi)}
    inertia = sum(J[2] for J in INERTIAS) + MASSES[2] * 1.0**2
    expected = -inertia * np.pi**2 * np.sin(np.pi * t)
    found = analyse(five_dof_robot(), t, along)
    np.testing.assert_allclose(found.drives["lift.angle"], expected, atol=1e-9)


def test_hand_held_level_hangs_with_its_weight_and_lever_on_the_wrist():
    """At rest: force m g, torque m g L about x; as constraint the force alone."""
    found = kinetostatics(five_dof_robot(), [0.0, 1.0], {})
    np.testing.assert_allclose(found["wrist"].force[0], (0, 0, MASSES[2] * G), atol=1e-9)
    assert found.drives["wrist.angle"][0] == pytest.approx(MASSES[2] * G * 0.5, rel=1e-12)
    np.testing.assert_allclose(found["wrist"].constraint_moment[0], 0, atol=1e-9)


def test_drives_deliver_the_change_of_kinetic_and_potential_energy(graph):
    """Virtual power: constraint forces do no work, so sum U1 qd = d(T + V)/dt; central difference of
    the energies with h = 1e-5 s (truncation 1e-8 of the power, rounding 1e-6 W)."""
    model = bond_graph(five_dof_robot())

    def energy(t):
        y = [{row: sig.rates(t) for row, sig in own.items()} for own in _signals(model)]
        s = move(model, y)
        total = 0.0
        for k, b in enumerate(model.bodies):
            w = s.W[k].T @ s.w[k]
            total += 0.5 * b.mass * s.v[k] @ s.v[k] + 0.5 * w @ b.J @ w + b.mass * G * s.r[k][2]
        return total

    for i in (3, 17, 40, 66):
        t, h = TIMES[i], 1e-5
        power = sum(graph.drives[n][i] * s.rates(t)[1] for n, s in motion().items())
        assert power == pytest.approx((energy(t + h) - energy(t - h)) / (2 * h), rel=1e-6, abs=1e-2)


def _signals(model):
    named = motion()
    return [{row: named[f"{j.name}.{d}"] for row, d in j.free.items()} for j in model.joints]


def test_the_core_balances_powers_along_the_robots_motion():
    """Central difference of the energy, h = 1e-4 s: error h^2 (6 pi)^2/6 of the power, 1e-6."""
    h, at = 1e-4, np.array([0.11, 0.6, 1.3])
    found = kinetostatics(five_dof_robot(), np.sort(np.concatenate([at - h, at, at + h])), motion())
    power = sum(found.drives[n][1::3] * [s.rates(t)[1] for t in at] for n, s in motion().items())
    E = found.result.energy["total"]
    np.testing.assert_allclose(power, (E[2::3] - E[::3]) / (2 * h), rtol=1e-5)


def test_support_takes_the_momentum_of_all_bodies_and_their_weight(core):
    """Force on the column at the lift: sum m (a - g), by Newton alone."""
    r = core.result
    hand = r["wrist"].a
    R, w = r["hand"].R, r["hand"].omega
    arm = np.einsum("nij,j->ni", R, (0, 0.5, 0))
    i = np.arange(2, len(TIMES) - 2)
    h = TIMES[1] - TIMES[0]
    alpha = (-w[i + 2] + 8 * w[i + 1] - 8 * w[i - 1] + w[i - 2]) / (12 * h)  # fourth order
    a3 = hand[i] + np.cross(alpha, arm[i]) + np.cross(w[i], np.cross(w[i], arm[i]))
    total = MASSES[0] * r["column"].a[i] + MASSES[1] * r["arm"].a[i] + MASSES[2] * a3
    total[:, 2] += sum(MASSES) * G
    assert np.max(np.abs(total - core["lift"].force[i])) < 1e-3 * np.max(np.abs(total))


def test_joint_frames_have_no_constraint_force_along_a_free_direction(graph):
    """A cylinder holds nothing along or about its axis, a hinge nothing about it."""
    for name in ("lift", "slide"):
        assert np.abs(graph[name].local("constraint_force")[:, 0]).max() < 1e-9
    for name in ("lift", "slide", "wrist"):
        assert np.abs(graph[name].local("constraint_moment")[:, 0]).max() < 1e-9


def test_a_simulation_gives_the_pull_of_a_pendulum_on_its_pivot():
    """Released level: the rod pulls with 3 m g sin(angle below level)."""
    m = sp.Model(gravity=(0, 0, -G))
    m.node("pivot", (0, 0, 0))
    m.fix("pivot")
    m.frame("swing")
    m.point("bob", (1, 0, 0))
    m.hinge("joint", "pivot", "swing", axis=(0, 1, 0))
    m.rigid_beam("rod", ("pivot", "swing"), "bob")
    m.mass("bob", 2.0)
    r = sp.simulate(m, t_end=0.5, points=11, method=sp.RungeKutta(8, 1e-10, 1e-12))
    found = kinetostatics(m, motion=r)
    along = r["bob"].x / np.linalg.norm(r["bob"].x, axis=1)[:, None]
    pull = -np.einsum("ni,ni->n", found["joint"].force, along)
    np.testing.assert_allclose(pull, 3 * 2.0 * G * np.sin(r.q[:, 0]), atol=1e-6)


def test_planar_hinges_pass_on_the_same_force_as_spatial_ones():
    def arm(planar):
        cut = slice(0, 2 if planar else 3)
        m = sp.Model(gravity=(0, -G, 0)[cut], planar=planar)
        m.node("base", (0, 0, 0)[cut])
        m.fix("base")
        m.frame("one")
        m.point("elbow", (1, 0, 0)[cut])
        m.frame("two")
        m.point("tip", (1.5, 0.5, 0)[cut])
        axis = {} if planar else {"axis": (0, 0, 1)}
        m.hinge("h1", "base", "one", **axis)
        m.hinge("h2", "one", "two", **axis)
        m.rigid_beam("a", ("base", "one"), "elbow")
        m.rigid_beam("b", ("elbow", "two"), "tip")
        m.mass("elbow", 1.0)
        m.mass("tip", 2.0)
        return kinetostatics(m, [0.1, 0.4], {"h1.angle": sine(1.0, 3.0), "h2.angle": polynomial(0, 1.0, 2.0)})

    flat, space = arm(True), arm(False)
    for name in ("h1", "h2"):
        np.testing.assert_allclose(flat[name].force, space[name].force, atol=1e-10)
        np.testing.assert_allclose(flat[name].moment, space[name].moment, atol=1e-10)


def test_hinges_in_one_point_with_a_massless_frame_between_both_carry_the_whole_weight():
    """The two-link manipulator at rest: 10 + 30 kg and links of 4 and 2 kg/m, 0.7 m each."""
    found = kinetostatics(manipulator(), [0.0, 1.0], {})
    weight = (40 + 6 * 0.7) * G
    for name in ("turret", "shoulder"):
        np.testing.assert_allclose(found[name].force[0], (0, 0, weight), atol=1e-8)
    np.testing.assert_allclose(found["elbow"].force[0], (0, 0, (30 + 2 * 0.7) * G), atol=1e-8)


# the unified formulae ------------------------------------------------------------------------------------------------


def random_fields(case, seed):
    """Fields with every junction matrix filled; case 1 without JCL and JCE."""
    rng = np.random.default_rng(seed)
    n = {"1": 3, "2": 4, "L": 2, "E": 3, "C": 4, "u1": 3, "u2": 4, "u3": 2}
    J = {}
    for row in ("1", "2", "L", "E", "C"):
        for col in ("1", "2", "L", "E", "u1", "u2", "u3"):
            if row == "C" and (col in ("u1", "u2") or (case == 1 and col in ("L", "E"))):
                continue
            J[row, col] = rng.normal(size=(n[row], n[col]))
    Jd = {("C", col): rng.normal(size=(4, n[col])) for col in ("1", "2", "u3")}
    square = [rng.normal(size=(n[k], n[k])) for k in ("1", "2", "L", "E")]
    return Fields(*square, (3, 4, 2), J, Jd), rng


def brute_force(f, X1, X2, X1d, U3, U3d):
    """Unknowns (U1, U2, X2d, Din, Ein) of the field and junction equations as one linear system."""
    n = [f.size[k] for k in ("u1", "u2", "2", "L", "E")]
    at = np.concatenate([[0], np.cumsum(n)])
    A, b = [], []

    def equation(row, left, known):
        lines = [f.j(row, "u1") if row != "C" else np.zeros((4, 3)), f.j(row, "u2") if row != "C" else np.zeros((4, 4))]
        lines += [np.zeros((f.size[row], n[2])), f.j(row, "L") @ f.R, f.j(row, "E") @ f.RE]
        block = np.hstack(lines)
        if left is not None:
            block[:, at[left] : at[left + 1]] -= np.eye(f.size[row])
        Z = f.j(row, "1") @ f.F1 @ X1 + f.j(row, "2") @ f.F2 @ X2 + f.j(row, "u3") @ U3
        A.append(block)
        b.append(known - Z)

    equation("1", None, X1d)
    equation("2", 2, 0.0)
    equation("L", 3, 0.0)
    equation("E", 4, 0.0)
    if f.differential:
        block = np.zeros((4, at[-1]))
        block[:, at[2] : at[3]] = f.j("C", "2") @ f.F2
        known = f.jd("1") @ f.F1 @ X1 + f.jd("2") @ f.F2 @ X2 + f.jd("u3") @ U3 + f.j("C", "u3") @ U3d
        A.append(block)
        b.append(-known - f.j("C", "1") @ f.F1 @ X1d)
    else:
        equation("C", None, 0.0)
    x = np.linalg.solve(np.vstack(A), np.concatenate(b))
    return x[:3], x[3:7]


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_unified_formulae_solve_the_equations_they_come_from(case, seed):
    """Equations 5 to 13 of Wang and Tao with random matrices, solved as one linear system, in both cases."""
    f, rng = random_fields(case, seed)
    assert f.differential == (case == 1)
    given = [rng.normal(size=k) for k in (3, 4, 3, 2, 2)]
    U1, U2 = f.drives_and_constraints(*given)
    V1, V2 = brute_force(f, *given)
    np.testing.assert_allclose(U1, V1, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(U2, V2, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("make", [lambda: (five_dof_robot(), motion()), lambda: skew_arm()], ids=["robot", "skew arm"])
def test_joints_that_give_way_tend_to_ideal_joints_with_the_first_power_of_their_mobility(make):
    """The second case of the formulae (J_CL = 1), assembled from the model: forces and drives differ by O(mobility)."""
    model, along = make()
    assert not fields_at(bond_graph(model, 1e-8), move(bond_graph(model), [{}] * 3))[0].differential
    t = np.linspace(0.0, 1.0, 6)
    ideal = analyse(model, t, along)
    sizes = np.array([1e-8, 1e-7, 1e-6])
    errors = [largest_difference(ideal, analyse(model, t, along, mobility=float(s))) for s in sizes]
    assert errors[0] < 1e-3  # 250 kg, 2e5 N/s: 0.5 N of 10 kN; near zeros of a force ten times that
    assert np.polyfit(np.log(sizes), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.1)


def test_a_joint_that_gives_way_lets_a_resting_load_sink_without_losing_its_force():
    """Weight on a level slider: U2 = m g as in the ideal joint, since it sinks at constant speed."""
    m = sp.Model(gravity=(0, 0, -G))
    m.node("base", (0, 0, 0))
    m.fix("base")
    m.node("load", (1, 0, 0))
    m.slider("rail", "base", "load", axis=(1, 0, 0), dof="displacement")
    m.body("load", 2.0, J=1.0)
    found = analyse(m, [0.0, 0.5], {}, mobility=1e-3)
    np.testing.assert_allclose(found["rail"].constraint_force[:, 2], 2.0 * G, rtol=1e-9)


# the graph itself -----------------------------------------------------------------------------------------------------


def test_augmented_graph_has_as_many_dependent_momenta_as_constraint_forces():
    """18 momenta of three bodies; 4 + 4 + 5 constraints of two cylindrical joints and a revolute one, 5 drives."""
    g = bond_graph(five_dof_robot())
    assert (3 * len(g.ones), len(g.columns("constraint")), len(g.columns("drive"))) == (18, 13, 5)


def test_drawing_shows_every_junction():
    import matplotlib

    matplotlib.use("Agg")
    g = bond_graph(five_dof_robot())
    texts = [t.get_text() for t in draw_bond_graph(g).texts]
    assert texts.count("1") == len(g.ones) and texts.count("0") == len(g.zeros)


def test_a_cylinder_that_lifts_a_boom_is_a_drive_like_any_other():
    """The ram stands upright half way to the load: twice its weight; power of the drive is the change of energy."""
    m = sp.Model(planar=True, gravity=(0, -G))
    m.node("base", (0, 0))
    m.fix("base")
    m.point("foot", (1, 0))
    m.fix("foot")
    m.frame("boom")
    m.point("eye", (1, 1))
    m.point("tip", (2, 2))
    m.hinge("pivot", "base", "boom")
    m.release("pivot", "angle")
    m.pin_body("low", ("base", "boom"), "eye")
    m.pin_body("high", ("eye", "boom"), "tip")
    m.truss("ram", "foot", "eye")
    m.mass("tip", 10.0)
    m.prescribe("ram", "elongation", sine(0.1, 2.0))
    h = 1e-4
    found = kinetostatics(m, [0.3 - h, 0.3, 0.3 + h])
    assert list(found.drives) == ["ram.elongation"]
    E = found.result.energy["total"]
    power = found.drives["ram.elongation"][1] * sine(0.1, 2.0).rates(0.3)[1]
    assert power == pytest.approx((E[2] - E[0]) / (2 * h), rel=1e-6)
    m.prescribe("ram", "elongation", polynomial(0.0))
    assert kinetostatics(m, [0.0, 1.0]).drives["ram.elongation"][0] == pytest.approx(2 * 10.0 * G, rel=1e-12)
    record = found.record()
    assert not any("moment" in title for title in record.pictures)  # planar hinges bear none
    assert record.units["ram.elongation"] == "N" and "ram.elongation" in record.pictures["Drives [N]"]


# messages -------------------------------------------------------------------------------------------------------------


def test_a_closed_loop_is_refused_by_name():
    m = five_dof_robot()
    m.slider("brace", "base", ("wrist", "hand"), axis=(0, 0, 1))
    with pytest.raises(sp.InputError, match="closes a loop at frame '(hand|arm)'; only trees are covered"):
        bond_graph(m)


def test_a_massless_body_is_refused_by_name():
    m = five_dof_robot()
    m.bodies.pop()
    with pytest.raises(sp.InputError, match="body 'hand' has no mass; give it one"):
        bond_graph(m)


def test_a_flexible_beam_is_refused_by_name():
    m = five_dof_robot()
    m.point("end", (0, 2, 0))
    m.truss("bar", "wrist", "end")
    with pytest.raises(sp.InputError, match="truss 'bar' is not rigid or not covered"):
        bond_graph(m)


def test_a_negative_mobility_is_refused():
    with pytest.raises(sp.InputError, match="bond graph: mobility must be"):
        bond_graph(five_dof_robot(), -1.0)


def test_an_unknown_joint_is_answered_with_the_nearest(core):
    with pytest.raises(sp.InputError, match=r"no joint 'wirst' \(did you mean 'wrist'\?\); known: lift, slide, wrist"):
        core["wirst"]


def test_an_analysis_without_times_is_refused():
    with pytest.raises(sp.InputError, match="bond graph: needs times, such as"):
        analyse(five_dof_robot(), [], motion())


def test_a_number_holds_a_joint_where_it_is():
    """As in the core: lift 1 m up, at rest; the weight of all three bodies."""
    found = analyse(five_dof_robot(), [0.0], {"lift.displacement": 1.0})
    assert found.drives["lift.displacement"][0] == pytest.approx(sum(MASSES) * G, rel=1e-12)


def test_an_unknown_coordinate_in_the_motion_is_refused():
    with pytest.raises(sp.InputError, match="bond graph: there is no joint coordinate 'wrist.angel'"):
        analyse(five_dof_robot(), [0.0, 1.0], {"wrist.angel": sine(1, 1)})
