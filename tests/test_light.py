"""Flexure mechanisms in the manner of SPACAR Light: compliance, stress, buckling and overconstraint."""

import numpy as np
import pytest

from spacar_py.errors import InputError
from spacar_py.light import beam_stress, overconstraints, spacarlight
from spacar_py.light.stress import torsion_stress
from spacar_py.sections import Section

E, G, RHO = 210e9, 80e9, 7800.0
b, h, L = 0.05, 5e-4, 0.1  # leaf: width along local y, thickness along local z, length (m)
A, IY, IZ = b * h, b * h**3 / 12, h * b**3 / 12
NU = E / (2 * G) - 1
K = 10 * (1 + NU) / (12 + 11 * NU)  # shear factor, Cowper 1966
LEAF = dict(emod=E, smod=G, dens=RHO, cshape="rect", dim=[b, h], orien=[0, 0, 1])
BODY = dict(dens=2700.0, cshape="rect", dim=[0.05, 0.01], orien=[0, 0, 1])
ALL = [1, 2, 3, 4, 5, 6]


def cantilever(tip, n=2, opt=None, **leaf):
    return spacarlight(
        [[0, 0, 0], [L, 0, 0]], [[1, 2]], {1: dict(fix=True), 2: tip},
        [dict(LEAF, elems=[1], nbeams=n, flex=ALL) | leaf], dict(loadsteps=2, **(opt or {})),
    )  # fmt: skip


def guide(flex, opt=None, tip=None):
    """Two parallel leaves along x, 60 mm apart in y, with a rigid stage."""
    nodes = [[0, 0, 0], [L, 0, 0], [0, 0.06, 0], [L, 0.06, 0]]
    nprops = {1: dict(fix=True), 3: dict(fix=True), 2: tip or {}}
    return nodes, [[1, 2], [3, 4], [2, 4]], nprops, [dict(LEAF, elems=[1, 2], flex=flex), dict(BODY, elems=[3])], opt


def cross_pivot(flex, turn=None):
    """Two leaves that cross at their middle under a right angle, with a rigid body."""
    s = L / np.sqrt(2)
    nodes = [[0, 0, 0], [s, 0, 0], [s, s, 0], [0, s, 0]]
    nprops = {1: dict(fix=True), 2: dict(fix=True)} | ({} if turn is None else {3: dict(rot_z=turn)})
    sets = [dict(LEAF, elems=[1, 2], nbeams=2, flex=flex), dict(BODY, elems=[3])]
    return nodes, [[1, 3], [2, 4], [3, 4]], nprops, sets, dict(loadsteps=4)


# compliance -------------------------------------------------------------------------------------------------------


def test_compliance_of_a_cantilever_is_that_of_a_timoshenko_beam():
    C = cantilever({}).node[2].CMglob[0]
    It = Section.rectangle(b, h, E=E, G=G).GJ / G
    # local y is global z, local z is global -y: bending about local y moves the tip in y
    expected = np.zeros((6, 6))
    expected[0, 0], expected[3, 3] = L / (E * A), L / (G * It)
    expected[1, 1], expected[5, 5] = L**3 / (3 * E * IY) + L / (K * G * A), L / (E * IY)
    expected[2, 2], expected[4, 4] = L**3 / (3 * E * IZ) + L / (K * G * A), L / (E * IZ)
    expected[1, 5] = expected[5, 1] = L**2 / (2 * E * IY)
    expected[2, 4] = expected[4, 2] = -(L**2) / (2 * E * IZ)
    np.testing.assert_allclose(C, expected, rtol=1e-10, atol=1e-12 * np.abs(C).max())


def test_local_compliance_turns_with_the_node():
    out = cantilever(dict(moment=[0, 0, 0.5]), n=8)
    tip = out.node[2]
    angle = tip.r_axang[-1][3]
    assert angle == pytest.approx(0.5 * L / (E * IY), rel=1e-3)  # M L/EI, eight elements
    c, s = np.cos(angle), np.sin(angle)
    R = np.kron(np.eye(2), [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(tip.CMloc[-1], R.T @ tip.CMglob[-1] @ R, atol=1e-12 * tip.CMglob[-1].max())


def test_parallel_guide_has_the_stiffness_of_two_clamped_leaves():
    out = spacarlight(*guide([2, 3, 4]))
    shear = L / (K * G * A)
    each = L**3 / (12 * E * IY) + shear  # clamped at both ends
    assert 1 / out.node[2].CMglob[0][1, 1] == pytest.approx(2 / each, rel=1e-9)


def test_cross_pivot_has_the_stiffness_2_EI_over_L():
    for flex in (ALL, [2, 3, 4]):
        C = spacarlight(*cross_pivot(flex)).node[3].CMglob[0]
        assert 1 / C[5, 5] == pytest.approx(2 * E * IY / L, rel=1e-9)


# statics ----------------------------------------------------------------------------------------------------------


def test_supports_carry_the_load():
    out = cantilever(dict(force=[0.3, 0.02, -0.4]), opt=dict(gravity=[0, 0, -9.81]))
    weight = RHO * A * L * 9.81
    np.testing.assert_allclose(out.node[1].Freac[-1], (-0.3, -0.02, 0.4 + weight), rtol=1e-9)
    tip = out.node[2].p[-1]
    moment = np.cross(tip, (0.3, 0.02, -0.4))
    assert out.node[1].Mreac[-1][2] == pytest.approx(-moment[2], rel=1e-6)


def test_prescribed_rotation_needs_the_moment_of_the_pivot():
    out = spacarlight(*cross_pivot([2, 3, 4], turn=0.02))
    np.testing.assert_allclose(out.node[3].r_eulzyx[-1], (0.02, 0, 0), atol=1e-9)
    assert out.node[3].Mreac[-1][2] == pytest.approx(2 * E * IY / L * 0.02, rel=1e-3)


def test_prescribed_displacement_begins_at_its_initial_value():
    out = cantilever(dict(displ_initial_y=0.001, displ_y=0.002))
    np.testing.assert_allclose(out.node[2].p[:, 1], (0.001, 0.002, 0.003), atol=1e-15)
    k = 1 / (L**3 / (3 * E * IY) + L / (K * G * A))
    assert out.node[2].Freac[0][1] == pytest.approx(k * 0.001, rel=1e-3)


def test_frequencies_of_the_leaf_are_those_of_a_cantilever():
    out = cantilever({}, n=6)
    f = 3.516015269 / (2 * np.pi) * np.sqrt(E * IY / (RHO * A * L**4))
    assert out.freq[0][0] == pytest.approx(f, rel=1e-3)


def test_multipliers_of_a_column_reach_eulers_load_in_every_step():
    out = cantilever(dict(force=[-1.0, 0, 0]), n=8, opt=dict(calcbuck=True))
    euler = np.pi**2 / 4 * E * IY / L**2
    assert len(out.buck[0]) == 0  # nothing acts in the first state
    assert out.buck[1][0] == pytest.approx(euler / 0.5, rel=1e-4)
    assert out.buck[2][0] == pytest.approx(euler, rel=1e-4)


# stress -----------------------------------------------------------------------------------------------------------


def test_bending_stress_of_a_cantilever_is_six_F_L_over_b_h_squared():
    out = cantilever(dict(force=[0, 1e-3, 0]))
    assert out.stress[1]["bending"][-1] == pytest.approx(6 * 1e-3 * L / (b * h**2), rel=1e-6)
    assert out.stressmax[-1] == pytest.approx(6 * 1e-3 * L / (b * h**2), rel=1e-6)
    assert out.stressmax[0] < 1e-6


def test_axial_stress_is_force_over_area():
    out = cantilever(dict(force=[12.0, 0, 0]))
    assert out.stress[1]["axial"][-1] == pytest.approx(12.0 / A, rel=1e-12)
    assert out.stressmax[-1] == pytest.approx(12.0 / A, rel=1e-9)


def test_shear_stress_is_one_and_a_half_times_the_mean():
    out = cantilever(dict(force=[0, 1e-3, 0]))
    assert out.stress[1]["shear"][-1] == pytest.approx(1.5 * 1e-3 / A, rel=1e-6)


def test_round_bar_in_torsion_and_bending():
    d, T, M = 2e-3, 2e-5, 3e-5  # small: the twist of a beam enters by its sine
    out = cantilever(dict(moment=[T, 0, 0]), cshape="circ", dim=[d])
    assert out.stress[1]["torsion"][-1] == pytest.approx(16 * T / (np.pi * d**3), rel=1e-9)
    assert out.stressmax[-1] == pytest.approx(np.sqrt(3) * 16 * T / (np.pi * d**3), rel=1e-9)
    s = Section.circle(d, E=E, G=G)
    both = beam_stress(np.array([0, T, M, M, 0, 0]) / L, L, s)
    bending, torsion = 32 * M / (np.pi * d**3), 16 * T / (np.pi * d**3)
    assert both["mises"] == pytest.approx(np.sqrt(bending**2 + 3 * torsion**2), rel=1e-12)


@pytest.mark.parametrize("ratio, alpha", [(1, 0.208), (2, 0.246), (4, 0.282), (10, 0.312)])
def test_torsion_stress_of_rectangles_is_timoshenkos(ratio, alpha):
    """tau_max = T/(alpha a c^2) in the middle of the long side (Timoshenko and Goodier, table 5)."""
    _, long = torsion_stress(float(ratio), 1.0)
    assert 1 / (long * ratio) == pytest.approx(alpha, abs=6e-4)


def test_torsion_stress_in_the_short_side_of_a_thin_strip():
    """8/pi^2 times Catalan's constant of that in the long side, 0.7425."""
    short, long = torsion_stress(200.0, 1.0)
    assert short / long == pytest.approx(8 / np.pi**2 * 0.915965594, rel=1e-6)


def test_corner_of_a_rectangle_adds_both_bendings_and_tension():
    s = Section.rectangle(0.02, 0.01, E=E, G=G)
    N, My, Mz = 100.0, 3.0, 2.0
    out = beam_stress([N, 0, My / L, My / L, Mz / L, Mz / L], L, s)
    expected = N / 2e-4 + My / (0.02 * 0.01**2 / 6) + Mz / (0.01 * 0.02**2 / 6)
    assert out["mises"] == pytest.approx(expected, rel=1e-12)


def test_stress_needs_a_shape():
    with pytest.raises(InputError, match="the section must be a rectangle or a circle, got 'free'"):
        beam_stress(np.zeros(6), L, Section(EA=1.0))


# overconstraint ---------------------------------------------------------------------------------------------------


def test_parallel_guide_that_cannot_bend_sideways_is_overconstrained_once():
    """Both leaves forbid the stage to turn about y with their in-plane bending; torsion and bending are flexible."""
    found = overconstraints(*guide([2, 3, 4]))
    assert found.count == 1
    assert {(1, 5), (1, 6), (2, 5), (2, 6)} <= set(found.redundant[0])
    assert len(found.releases) == 1 and found.releases[0] in found.redundant[0]
    assert str(found).startswith("overconstrained by 1")


def test_release_is_made_and_told():
    out = spacarlight(*guide([2, 3, 4]))
    assert out.releases == overconstraints(*guide([2, 3, 4])).releases
    assert out.overconstraints.count == 0


def test_users_release_is_taken():
    rls = overconstraints(*guide([2, 3, 4])).rls
    out = spacarlight(*guide([2, 3, 4], opt=dict(rls=rls)))
    assert out.releases == []
    auto = spacarlight(*guide([2, 3, 4]))
    np.testing.assert_allclose(out.freq, auto.freq, rtol=1e-12)


def test_without_releases_the_conditions_are_named():
    with pytest.raises(InputError) as caught:
        spacarlight(*guide([2, 3, 4], opt=dict(autosolve=False)))
    text = str(caught.value)
    assert "overconstrained by 1" in text and "deformation 5 (bending_z_p)" in text and "opt['rls']" in text


def test_flexible_deformations_never_overconstrain():
    assert overconstraints(*guide(ALL)).count == 0


def test_too_few_supports_are_named():
    nodes, elements, _, eprops, _ = guide([2, 3, 4])
    with pytest.raises(InputError, match=r"nothing determines the motion of node \d"):
        spacarlight(nodes, elements, {1: dict(fix_pos=True)}, eprops)


# input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(nprops={9: {}}), "nprops: there is no 9; numbers go from 1 to 2"),
        (dict(nprops={1: dict(fixx=True)}), "unknown property 'fixx' (did you mean 'fix_x'?)"),
        (dict(nprops={1: dict(fix=True, displ_x=0.1)}), "displ_x on a coordinate that is held"),
        (dict(nprops={2: dict(rot_x=0.1, rot_y=0.1)}), "only one rotation can be prescribed at a node, got x, y"),
        (dict(elements=[[1, 3]]), "element 1: node 3 does not exist; there are nodes 1 to 2"),
        (dict(elements=[[1, 1]]), "element 1: its nodes 1 and 1 must be at two places"),
        (dict(eprops=[dict(LEAF, elems=[1], flex=[7])]), "flex takes numbers of deformations 1 to 6, got [7]"),
        (dict(eprops=[dict(elems=[1], flex=[1])]), "eprops(1): flex needs cshape as well"),
        (dict(eprops=[dict(LEAF, elems=[1]), dict(LEAF, elems=[1])]), "element 1 already has properties"),
        (dict(eprops=[dict(LEAF, elems=[1], cshape="tri")]), "cshape must be 'rect' or 'circ', got 'tri'"),
        (dict(opt=dict(loadsteps=0)), "opt: loadsteps must be a whole number, 1 at least, got 0"),
        (dict(opt=dict(rls={5: [1]})), "opt.rls: there is no element 5"),
        (dict(nodes=[[0, 0], [1, 0]]), "nodes: must be a table of finite numbers with 3 columns, got shape (2, 2)"),
    ],
)
def test_wrong_input_is_named(change, message):
    given = dict(nodes=[[0, 0, 0], [L, 0, 0]], elements=[[1, 2]], nprops={1: dict(fix=True)},
                 eprops=[dict(LEAF, elems=[1], flex=ALL)], opt={}) | change  # fmt: skip
    with pytest.raises(InputError) as caught:
        spacarlight(**given)
    assert message in str(caught.value)


def test_files_are_written_when_a_name_is_given(tmp_path):
    out = cantilever(dict(force=[0, 0.01, 0]), opt=dict(filename="leaf", folder=tmp_path))
    assert {p.name for p in tmp_path.iterdir()} == {"leaf.dat", "leaf.sbd", "leaf.sbm"}
    sbd = out.run.read("sbd")
    np.testing.assert_array_equal(sbd["X"][:, sbd["LNP"][2, :3] - 1], out.node[2].p)
    assert "largest stress" in str(out)
