"""SPACAR's .dat files run in SPACAR's modes, against numbers of the original program; converters; .ltv with AMI."""

import random
from pathlib import Path

import numpy as np
import pytest

import spacar_py as sp
from spacar_py.ami.control import PID
from spacar_py.ami.paths import LinePath
from spacar_py.ami.runs import AMI, Perturbation
from spacar_py.cases import manipulator
from spacar_py.errors import InputError
from spacar_py.linearize import linear_model
from spacar_py.spacarfiles import (
    DatError,
    LtvFile,
    dat_text,
    dat_to_toml,
    parse_dat,
    read_dat,
    read_sbd,
    run_dat,
    to_dat,
    to_model,
    to_script,
    toml_to_dat,
)
from spacar_py.spacarfiles.build import build

DATA = Path(__file__).parent / "data"
FILES = ("cantilever_moment", "cross_hinge_held", "cross_hinge_released", "two_link_manipulator")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def cantilever(folder):
    return run_dat(DATA / "cantilever_moment.dat", 10, folder=folder)


@pytest.fixture(scope="module")
def held(folder):
    return run_dat(DATA / "cross_hinge_held.dat", 10, folder=folder)


def path():
    return LinePath((0.536, 0, 0), (0, 1.3, 0), 1.0, node="x8")


@pytest.fixture(scope="module")
def arm(folder):
    """The manipulator along its line in 300 steps, mode 3."""
    text = (DATA / "two_link_manipulator.dat").read_text().replace("TIMESTEP 1 1500", "TIMESTEP 1 300")
    return run_dat(parse_dat(text, "arm.dat"), 3, path=path(), folder=folder)


# section 1 of the reference values: SPACAR, moment at mid-span -------------------------------------------------------

STATES = [  # tip x, tip y, rotation (deg), f1, f2, f3 (Hz), read from SPACAR's output
    (0.04, 0.0, 0.0, 153.7962693441, 960.8789213157, 2677.4130397286),
    (0.038767351286, 0.009035685653, 17.481951961346, 154.1754392511, 948.7237940147, 2612.8218061942),
    (0.035168845279, 0.017381554350, 34.975218905335, 155.3155728535, 914.8503386636, 2460.1601656834),
    (0.029495030192, 0.024403512903, 52.491181897154, 157.2239972658, 866.2349743743, 2291.9587593366),
    (0.022204770490, 0.029574803379, 70.041355243334, 159.9110163009, 811.7322722999, 2148.8762181959),
]


@pytest.mark.parametrize("step", range(5))
def test_cantilever_in_mode_10_is_where_spacar_puts_it(cantilever, step):
    sbd = cantilever.read("sbd")
    tip = sbd["X"][step][sbd["LNP"][48, :3] - 1]
    np.testing.assert_allclose(tip[:2], STATES[step][:2], rtol=1e-9, atol=1e-12)  # printed to 1e-12 m
    lam = sbd["X"][step][sbd["LNP"][49] - 1]
    assert np.degrees(2 * np.arctan2(lam[3], lam[0])) == pytest.approx(STATES[step][2], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("step", range(5))
def test_cantilever_in_mode_10_has_the_frequencies_of_spacar(cantilever, step):
    np.testing.assert_allclose(cantilever.frequencies[step][:3], STATES[step][3:], rtol=1e-9)


def test_matrices_in_the_sbm_have_the_entries_of_spacar(cantilever):
    sbm = cantilever.read("sbm")  # numbers: SPACAR, printed to 10 digits
    assert np.trace(sbm["M0"][0]) == pytest.approx(2.345601947, rel=1e-9)
    assert sbm["M0"][0][0, 47] == pytest.approx(-8.262040021e-5, rel=1e-9)
    assert np.trace(sbm["G0"][4]) == pytest.approx(-132482.5687, rel=1e-9)
    assert np.trace(sbm["K0"][4]) == pytest.approx(121356362.2, rel=1e-9)


def test_first_beam_of_the_bent_cantilever_has_the_stress_of_spacar(cantilever):
    sbd = cantilever.read("sbd")
    place = sbd["LE"][0, 2:4] - 1
    np.testing.assert_allclose(sbd["SIG"][4][place], 180.19780542, rtol=1e-9)  # SPACAR
    np.testing.assert_allclose(sbd["E"][4][place], 8.4889804957e-5, rtol=1e-9)


# section 2: SPACAR, cross hinge --------------------------------------------------------------------------------------


def test_cross_hinge_in_mode_10_ends_where_spacar_puts_it(held):
    sbd = held.read("sbd")
    assert sbd.nsteps == 10
    ends = {5: (0.068886829, 0.121849032, -0.000004033), 3: (-0.018871424, 0.073906471, -0.000002072)}  # SPACAR
    for node, x in ends.items():
        np.testing.assert_allclose(sbd["X"][-1][sbd["LNP"][node - 1, :3] - 1], x, atol=1e-8)


def test_cross_hinge_held_has_the_frequencies_of_spacar(held):
    first = (266.482056362, 524.837970184, 1206.977963178, 1206.977963802, 2586.644692114)
    last = (261.179547008, 529.480635422, 1177.210973832, 1236.042727812, 2662.211980034)
    np.testing.assert_allclose(held.frequencies[0], first, rtol=1e-6)
    np.testing.assert_allclose(held.frequencies[-1], last, rtol=1e-6)


@pytest.mark.parametrize("form", ["file", "run"])
def test_cross_hinge_released_in_mode_3_has_the_frequencies_of_spacar(held, folder, form):
    states = held.files["sbd"] if form == "file" else held
    run = run_dat(DATA / "cross_hinge_released.dat", 3, states=states, folder=folder)
    assert run.frequencies[0][0] == pytest.approx(1.565391209, rel=1e-9)  # SPACAR, printed to 1e-9 Hz
    assert run.frequencies[-1][0] == pytest.approx(1.296657239, rel=1e-9)


# numbering -----------------------------------------------------------------------------------------------------------


def test_coordinates_and_deformations_stand_in_the_order_of_their_classes(held):
    sbd = held.read("sbd")
    # 2 clamped nodes of 7 coordinates; C and B but the prescribed lambda3; that one
    assert sbd["NXP"].tolist() == [14, 13, 1, 0, 0]
    # rigid body 6, two Euler conditions; released 6 + 1; 5 degrees of freedom
    assert sbd["NEP"].tolist() == [8, 7, 0, 5, 0]
    assert sbd["LNP"][5].tolist() == [25, 26, 27, 28]  # lambda3 of node 6 is the last of all
    assert sbd["LE"][2, :6].tolist() == [9, 10, 11, 20, 12, 13]  # DYNE 3 1 2 3 5 6, RLSE 3 4
    assert sorted(sbd["LNP"][sbd["LNP"] > 0].tolist()) == list(range(1, 29))
    assert sorted(sbd["LE"][sbd["LE"] > 0].tolist()) == list(range(1, 21))
    assert (sbd["NDOF"], sbd["NDDO"]) == (6, 5)
    np.testing.assert_allclose(sbd["X"][-1][27], 0.247404, rtol=1e-15)


def test_transfer_functions_have_unit_rows_at_their_own_degrees_of_freedom(held):
    sbd = held.read("sbd")
    fixed = sbd["NEP"][0]
    np.testing.assert_allclose(sbd["DE"][-1][: fixed], 0, atol=1e-12)
    np.testing.assert_allclose(sbd["DE"][-1][fixed : fixed + 5], np.eye(6)[1:], atol=1e-12)  # prescribed x comes first
    np.testing.assert_allclose(sbd["DX"][-1][27], np.eye(6)[0], atol=1e-12)


def test_total_nodal_forces_balance_the_weight(held):
    sbd = held.read("sbd")
    vertical = sbd["LNP"][[0, 2, 4, 6], 2] - 1
    weight = 9.81 * (2 * 0.078 * np.sqrt(0.02) + 1.5 * 0.1 + 0.1)  # leaves, body, point mass
    np.testing.assert_allclose(sbd["FXG"][:, vertical].sum(axis=1), -weight, rtol=1e-12)
    np.testing.assert_allclose(sbd["FXT"][:, vertical].sum(axis=1), weight, rtol=1e-7)


def test_loads_of_each_step_are_written(cantilever):
    sbd = cantilever.read("sbd")
    moment = sbd["LNP"][25] - 1
    lam, f = sbd["X"][:, moment], sbd["FX"][:, moment]
    # M = Lambda f / 2, about z
    Mz = 0.5 * (-lam[:, 3] * f[:, 0] - lam[:, 2] * f[:, 1] + lam[:, 1] * f[:, 2] + lam[:, 0] * f[:, 3])
    np.testing.assert_allclose(Mz, 0.3 * np.arange(5) / 4, atol=1e-14)


# manipulator, .ltv and AMI -------------------------------------------------------------------------------------------


def test_set_points_of_the_manipulator_are_those_computed_independently(folder):
    text = (DATA / "two_link_manipulator.dat").read_text().replace("TIMESTEP 1 1500", "TIMESTEP 1 50")
    run = run_dat(parse_dat(text, "points.dat"), 2, path=path(), folder=folder)
    ltv = run.read("ltv")
    # reference values, section 6 (Lagrange equations, automatic differentiation)
    np.testing.assert_allclose(np.abs(ltv["U0"][0]), (0, 193.2374, 80.7128), atol=6e-5)
    np.testing.assert_allclose(np.abs(ltv["U0"][-1]), (0, 468.6728, 195.7586), atol=6e-5)
    np.testing.assert_allclose(ltv["Y0"][-1][6:], (0, 1.3, 0), atol=1e-12)
    assert set(run.files) == {"sbd", "ltv"}


def test_state_space_of_the_ltv_is_the_one_described(arm):
    ltv = arm.read("ltv")
    M, C, K, A = (ltv[k][150] for k in ("M0", "C0B", "K0B", "A"))
    n = len(M)
    np.testing.assert_allclose(A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]), atol=0)
    scale = np.abs(A).max()
    np.testing.assert_allclose(A[n:], np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, C)]), atol=1e-9 * scale)
    np.testing.assert_allclose(M @ ltv["B"][150][n:], np.eye(n)[:, :3], atol=1e-9)  # torques on the joints
    sbm = arm.read("sbm")
    np.testing.assert_allclose(K, (sbm["K0"] + sbm["N0"] + sbm["G0"])[150], rtol=1e-14)
    assert (ltv["NX"], ltv["NU"], ltv["NY"], ltv["NRBM"]) == (24, 3, 9, 3)


@pytest.mark.parametrize("method", [Perturbation(points=300), AMI(modes=4, points=300)], ids=lambda m: m.name)
def test_ltv_file_simulated_equals_the_simulation_by_the_api(arm, method):
    model = to_model(arm.dat)
    api = sp.simulate(model, path(), PID(12.0), t_end=2.0, method=method)
    ours = LtvFile(arm.files["ltv"], kinks=(0.25, 0.75)).simulate(PID(12.0), t_end=2.0, method=method)
    np.testing.assert_allclose(ours.dq, api.dq, atol=1e-10)  # same points, same integrator: rounding only
    np.testing.assert_allclose(ours.dy[:, 6:], api.deviation("x8", first_order=True), atol=1e-11)
    assert np.abs(ours.dy[:, 6:]).max() == pytest.approx(0.0197, abs=1e-4)  # reference values, section 6: 19.7 mm


def test_ltv_file_without_its_kinks_differs_by_the_interpolation_only(arm):
    ltv = arm.files["ltv"]
    with_kinks, without = (
        LtvFile(ltv, kinks=k).simulate(PID(12.0), t_end=2.0, method=AMI(modes=4)) for k in ((0.25, 0.75), ())
    )
    assert np.abs(with_kinks.dy[:, 6:] - without.dy[:, 6:]).max() < 1e-5  # of 20 mm


def test_ltv_file_chooses_the_modes_by_the_wanted_accuracy(arm):
    out = LtvFile(arm.files["ltv"], kinks=(0.25, 0.75)).simulate(PID(12.0), t_end=2.0, method=AMI(modes="auto"))
    assert out.info["modes"] == 4


def test_ltv_without_excitation_or_with_unknown_joints_is_refused(arm):
    ltv = arm.read("ltv")
    del ltv.steps["SIG0"]
    with pytest.raises(InputError, match=r"has no SIG0, the excitation of the vibration; give sigma0=\.\.\."):
        LtvFile(ltv)
    ltv = arm.read("ltv")
    ltv.steps["B"] = ltv.steps["B"] @ np.ones((3, 3))
    with pytest.raises(InputError, match=r"so the joints are not known; name them with joints=\(0, 1, \.\.\.\)"):
        LtvFile(ltv)
    assert LtvFile(ltv, joints=(0, 1, 2)).joints.tolist() == [0, 1, 2]


# other modes ---------------------------------------------------------------------------------------------------------

PENDULUM = """
X 1 0 0 0
X 3 1 0 0
HINGE 1 2 4  0 1 0
RBEAM 2 1 4 3
FIX 1
FIX 2
DYNE 1 1
END HALT
XM 3 2.0
GRAVITY 0 0 -9.81
STARTDE 1 1 {start} 0
TIMESTEP {T} 100
ERROR 1e-10 1e-9
END HALT
INPUTS 1 1 1
OUTE 1 1 1
END END
"""


def test_forward_dynamics_of_a_pendulum_keeps_its_energy(tmp_path):
    run = run_dat(parse_dat(PENDULUM.format(start=0, T=1), "p.dat"), 1, folder=tmp_path)
    total = run.result.energy["total"]
    assert np.ptp(total) < 1e-7 * 2 * 9.81
    assert set(run.files) == {"sbd"}


def test_linearised_pendulum_hanging_down_has_the_frequency_sqrt_g_over_l(tmp_path):
    run = run_dat(parse_dat(PENDULUM.format(start=np.pi / 2, T=0.1), "p.dat"), 4, folder=tmp_path)
    np.testing.assert_allclose(run.frequencies[:, 0], np.sqrt(9.81) / (2 * np.pi), rtol=1e-9)
    assert run.read("ltv")["A"].shape == (101, 2, 2)


COLUMN = """
X 1 0 0
X 3 0.25 0
X 5 0.5 0
X 7 0.75 0
X 9 1 0
PLBEAM 1 1 2 3 4
PLBEAM 2 3 4 5 6
PLBEAM 3 5 6 7 8
PLBEAM 4 7 8 9 10
FIX 1
FIX 2
DYNE 1 2 3
DYNE 2 2 3
DYNE 3 2 3
DYNE 4 2 3
END HALT
ESTIFF 1 0 1
ESTIFF 2 0 1
ESTIFF 3 0 1
ESTIFF 4 0 1
EM 1 1
EM 2 1
EM 3 1
EM 4 1
{loads}
END HALT
INPUTF 1 9 2
OUTX 1 9 2
END END
"""


def test_planar_column_buckles_at_eulers_load(tmp_path):
    run = run_dat(parse_dat(COLUMN.format(loads="XF 9 -1 0"), "c.dat"), 8, folder=tmp_path)
    assert run.buckling[0] == pytest.approx(np.pi**2 / 4, rel=1e-4)  # four elements
    half = run_dat(parse_dat(COLUMN.format(loads="XF 9 -1 0\nDELXF 9 -1 0"), "c.dat"), 8, write=False)
    assert half.buckling[0] == pytest.approx(run.buckling[0] - 1, rel=1e-9)  # the base load uses up one unit


def test_frequencies_of_the_column_are_those_of_a_cantilever(tmp_path):
    run = run_dat(parse_dat(COLUMN.format(loads=""), "c.dat"), 7, folder=tmp_path)
    np.testing.assert_allclose(run.frequencies[0][:2] * 2 * np.pi, (3.516015269, 22.03449156), rtol=2e-3)
    ltv = run.read("ltv")
    gain = -ltv["C"][0] @ np.linalg.solve(ltv["A"][0], ltv["B"][0])
    assert gain.item() == pytest.approx(1 / 3, rel=1e-9)  # L^3/(3 EI)


def test_state_space_in_static_equilibrium_is_softer_under_compression(tmp_path):
    run = run_dat(parse_dat(COLUMN.format(loads="XF 9 -1 0"), "c.dat"), 9, folder=tmp_path)
    ltv = run.read("ltv")
    gain = -ltv["C"][0] @ np.linalg.solve(ltv["A"][0], ltv["B"][0])
    assert gain.item() == pytest.approx(np.tan(1.0) - 1, rel=1e-3)  # (tan k L - k L)/(k P), k^2 = P/EI = 1


def test_mobility_names_what_is_redundant(tmp_path):
    text = COLUMN.format(loads="").replace("FIX 2\n", "FIX 2\nFIX 9\nFIX 10\n").replace("DYNE 4 2 3\n", "")
    text = text.replace("DYNE 3 2 3\n", "")
    report = run_dat(parse_dat(text, "c.dat"), 0, folder=tmp_path).mobility
    assert not report.ok and report.redundant
    with pytest.raises(DatError, match=r"c\.dat, line \d+: model is overconstrained"):
        run_dat(parse_dat(text, "c.dat"), 7, folder=tmp_path)


# errors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, line, message",
    [
        ("ESTIFF 2 0 1\n", "ESTIFF 2 0 -1\n", "ESTIFF 2 0 -1", "section: EIz must be zero or positive, got -1"),
        ("EM 4 1\n", "EM 4 1\nXM 9 -2\n", "XM 9 -2", "m must be a positive finite number, got -2"),
        ("ESTIFF 1 0 1\n", "", "PLBEAM 1 1 2 3 4", "bending_p is flexible but its stiffness is 0"),
        ("EM 4 1\n", "EM 4 1\nEDAMP 4 1 0\n", "EDAMP 4 1 0", "EDAMP 4: EA needs stiffness: ESTIFF has none, got 1"),
        ("PLBEAM 4 7 8 9 10", "TRUSS 4 7 9", "PLBEAM 1 1 2 3 4", "planar or spatial as a whole, and TRUSS 4"),
    ],
)
def test_errors_of_the_model_name_file_line_and_text(old, new, line, message):
    text = COLUMN.format(loads="").replace(old, new)
    text = text.replace("INPUTF 1 9 2\nOUTX 1 9 2\n", "")
    if "TRUSS" in new:
        text = text.replace("ESTIFF 4 0 1\n", "").replace("DYNE 4 2 3\n", "")
        text = text.replace("X 7 0.75 0", "X 7 0.75 0 0").replace("X 9 1 0", "X 9 1 0 0")
    with pytest.raises(DatError) as caught:
        run_dat(parse_dat(text, "c.dat"), 7, write=False)
    assert message in str(caught.value)
    assert str(caught.value).startswith("c.dat, line ")
    assert caught.value.text == line


def test_moments_as_forces_on_euler_parameters_are_refused():
    text = (DATA / "cantilever_moment.dat").read_text().replace("DELXF 26 0 0 0.3", "DELXF 26 0 0 0 0.6")
    with pytest.raises(DatError, match="give the moment about the axes of space as three numbers Mx My Mz"):
        run_dat(parse_dat(text), 10, write=False)


@pytest.mark.parametrize(
    "mode, options, message",
    [
        (5, {}, r"there is no mode 5; known: 0 \(mobility\), 1 \(forward dynamics\)"),
        (1, {}, r"mode 1 needs a time and a number of steps; add TIMESTEP t n to the dynamics"),
        (2, {}, r"mode 2 needs the motion: path=LinePath\(\.\.\.\) or JointPath\(\.\.\.\)"),
        (10, {"path": 1}, r"mode 10 takes no path; give it in mode 2 or 3"),
    ],
)
def test_a_mode_that_does_not_suit_is_refused(mode, options, message):
    with pytest.raises(InputError, match=message):
        run_dat(parse_dat(COLUMN.format(loads="")), mode, write=False, **options)


# converters ----------------------------------------------------------------------------------------------------------


def same(a, b):
    """Whether two models have the same degrees of freedom and matrices to the last bit."""
    p, q = linear_model(a), linear_model(b)
    assert p.dof == q.dof
    for name in ("M0", "D0", "K0", "G0"):
        np.testing.assert_array_equal(getattr(p, name), getattr(q, name))


@pytest.mark.parametrize("name", FILES)
def test_model_to_dat_and_back_is_the_same_to_the_last_bit(name):
    model = to_model(read_dat(DATA / f"{name}.dat"))
    same(model, to_model(parse_dat(dat_text(to_dat(model)))))


@pytest.mark.parametrize("name", FILES)
def test_script_makes_the_same_model(name):
    dat = read_dat(DATA / f"{name}.dat")
    space = {}
    exec(to_script(dat).split("\n# load steps")[0], space)
    model = space["model"]
    if name != "cross_hinge_held":  # there the script's drive is a ramp, at zero as in the file
        same(model, to_model(dat))
    else:
        assert model.compile().dof == to_model(dat).compile().dof


@pytest.mark.parametrize("name", FILES)
def test_toml_file_holds_the_same_model(name, tmp_path):
    dat = read_dat(DATA / f"{name}.dat")
    dat_to_toml(dat, tmp_path / "m.toml")
    same(to_model(dat), to_model(toml_to_dat(tmp_path / "m.toml")))


def test_script_goes_through_the_load_steps(held):
    space = {}
    exec(to_script(held.dat), space)
    ends = np.array([r["x5"].x[-1] for r in space["states"]])
    np.testing.assert_allclose(ends, held.result["x5"].x, atol=1e-10)


def test_a_model_of_ours_runs_as_a_dat():
    model = manipulator.build(damping=1e-4)
    other = to_model(parse_dat(dat_text(to_dat(model))))
    a, b = linear_model(model), linear_model(other)
    np.testing.assert_allclose(b.M0, a.M0, rtol=0, atol=1e-12 * np.abs(a.M0).max())
    np.testing.assert_allclose(b.D0, a.D0, rtol=0, atol=1e-12 * np.abs(a.D0).max())
    np.testing.assert_allclose(b.G0, a.G0, rtol=0, atol=1e-12 * np.abs(a.G0).max())


def test_what_spacar_has_no_word_for_is_refused_by_name():
    m = sp.Model()
    m.node("a", (0, 0, 0))
    m.fix("a")
    m.node("b", (1, 0, 0))
    m.slider("guide", "a", "b", axis=(1, 0, 0))
    with pytest.raises(InputError, match="slider 'guide': SPACAR's format has no word for the element 'slider'"):
        to_dat(m)


def test_damping_that_is_not_proportional_is_kept():
    text = COLUMN.format(loads="EDAMP 1 0 0.1\nEDAMP 2 0 0.3").replace("ESTIFF 2 0 1", "ESTIFF 2 5 1")
    dat = parse_dat(text)
    linear = linear_model(to_model(dat))
    block = linear.D0[:4, :4] / linear.K0[:4, :4].max()
    expected = np.kron(np.diag((0.1, 0.3)), [[1, -0.5], [-0.5, 1]])
    np.testing.assert_allclose(block, expected, atol=1e-12)
    same(to_model(dat), to_model(to_dat(to_model(dat))))


# fuzz ----------------------------------------------------------------------------------------------------------------


def test_mutated_files_make_a_model_or_one_sentence():
    rng = random.Random(5)
    sources = [(DATA / f"{n}.dat").read_text().splitlines() for n in FILES[1:]] + [COLUMN.format(loads="").splitlines()]
    made = 0
    for _ in range(400):
        lines = list(rng.choice(sources))
        for _ in range(rng.randint(1, 3)):
            k = rng.randrange(len(lines))
            words = lines[k].split()
            if words:
                j = rng.randrange(len(words))
                words[j] = rng.choice([words[j], "0", "-1", "1e30", "7", "2.5", rng.choice(words)])
                lines[k] = " ".join(words)
            elif rng.random() < 0.3:
                del lines[k]
        try:
            run_dat(parse_dat("\n".join(lines)), 0, write=False)
            made += 1
        except InputError as error:
            assert str(error)
    assert made > 50


def test_base_loads_and_increments_are_told_apart():
    built = build(parse_dat(COLUMN.format(loads="XF 9 -1 0\nDELXF 9 -2 3\nDELXF 8 0.5\nDELGRAV 0 -1")))
    assert [tuple(map(tuple, f)) for f in built.forces] == [((-1, 0), (-2, 3)), ((0,), (0.5,))]
    assert [list(g) for g in built.gravity] == [[0, 0], [0, -1]]
    assert len(to_model(built.dat).loads) == 1


def test_sbd_is_read_back_as_it_was_written(cantilever):
    again = read_sbd(cantilever.files["sbd"])
    for name, value in {**cantilever.contents["sbd"][0], **cantilever.contents["sbd"][1]}.items():
        np.testing.assert_array_equal(again[name], np.asarray(value), err_msg=name)


# all elements -----------------------------------------------------------------------------------------------------

SPATIAL = """
X 1 0 0 0
X 4 1 0 0
X 7 2 0 0
X 8 2 1 0
X 9 3 0 0
X 10 2 0 -1
BEAMW 1 1 2 3 4 5 6  0 0 1
BEAM 2 4 5 7 11
RBEAM 3 7 11 8
PINBODY 4 7 11 9
HINGE 5 11 12  0 0 1
TRUSS 6 9 10
FIX 1
FIX 2
FIX 3
DYNE 1 2 3 4
RLSE 1 7 8
DYNX 6
DYNE 2 2 3 4 5 6
DYNE 4 2
DYNE 5 1
DYNX 10 1 2
DYNE 6 1
END HALT
ESTIFF 1 100 3 2 4 1e-3 2e-3 0.1
EDAMP 1 0 0.03 0.02 0.08 0 0 0.001
ESTIFF 2 100 3 2 4
ESTIFF 4 0 7
EDAMP 4 0 0.3
ESTIFF 5 2.5
EDAMP 5 0.1
ESIG 5 0.2
ESTIFF 6 50
EDAMP 6 0.5
EM 1 1 0.1 0.05 0.05 0 0.01
EM 2 1 0.1 0.05 0.05 0.01
EM 3 0.4 0.01 0.01 0.01
EM 6 0.2
XM 8 0.7
XM 12 0.3 0.01 0.02 0.4 0.03 0.5
XF 8 1 2 3
XF 12 0.1 0.2 0.3
GRAVITY 0 0.5 -9.81
END END
"""

PLANAR = """
X 1 0 0
X 3 1 0
X 5 1 1
X 6 2 0
X 7 2 1
PLBEAM 1 1 2 3 4
PLRBEAM 2 3 4 5
PLPINBOD 3 3 4 6
PLTOR 4 4 8
PLTRUSS 5 6 7
FIX 1
INPUTE 4 1
DYNE 1 2 3
DYNX 2
DYNE 3 2
DYNX 7 1
DYNE 5 1
END HALT
ESTIFF 1 100 2 1e-3
EDAMP 1 0 0.2
ESTIFF 3 0 5
ESTIFF 4 3
ESTIFF 5 60
EM 1 1 0.1
EM 2 0.3 0.02
EM 5 0.1
XM 8 0.2
XM 7 1.5
XF 8 0.4
XF 5 1 -2
INPUTE 4 1 0.1 0.2 0.3
GRAVITY 0 -9.81
END END
"""


@pytest.mark.parametrize("text", [SPATIAL, PLANAR], ids=["spatial", "planar"])
def test_every_element_and_property_goes_there_and_back(text):
    dat = parse_dat(text)
    model = to_model(dat)
    same(model, to_model(parse_dat(dat_text(to_dat(model)))))
    space = {}
    exec(to_script(dat), space)
    same(model, space["model"])


def test_deformations_without_a_word_in_the_kinematics_are_rigid():
    system = to_model(parse_dat(SPATIAL)).compile()
    assert system.e_status[system.e_names.index("e5.bending_y")] == "fixed"
    assert system.e_status[system.e_names.index("e3.elongation")] == "fixed"


def test_stiffness_and_damping_of_all_elements_are_those_of_the_keywords():
    """Virtual work in the deformations themselves: K0 of a tree is S, sorted by degrees of freedom."""
    linear = linear_model(to_model(parse_dat(SPATIAL)))
    at = {name: i for i, name in enumerate(linear.dof)}
    diagonal = {n: linear.K0[i, i] for n, i in at.items()}
    assert diagonal["e5.angle"] == pytest.approx(2.5)
    assert diagonal["e4.shift_y"] == pytest.approx(7.0)
    assert diagonal["e6.elongation"] == pytest.approx(50 / np.sqrt(2))  # EA/L
    assert linear.D0[at["e6.elongation"], at["e6.elongation"]] == pytest.approx(0.5 / np.sqrt(2))
    assert linear.D0[at["e5.angle"], at["e5.angle"]] == pytest.approx(0.1)
    y, z = (at[f"e1.bending_{k}"] for k in ("y_p", "y_q"))
    assert linear.D0[y, z] / linear.K0[y, z] == pytest.approx(0.01)


def test_prescribed_motion_of_the_file_itself_is_followed(tmp_path):
    """A rigid arm turned at the rate 0.2 rad/s, growing by 0.3 rad/s^2: torque m l^2 0.3 + m g l cos(angle)."""
    text = PENDULUM.format(start=0, T=1).replace("DYNE 1 1", "INPUTE 1 1")
    text = text.replace("STARTDE 1 1 0 0", "INPUTE 1 1 0 0.2 0.3")
    text = text.replace("INPUTS 1 1 1\n", "NOMS 1 1 1\n")
    run = run_dat(parse_dat(text, "p.dat"), 1, folder=tmp_path)
    t = run.result.t
    np.testing.assert_allclose(run.result.dof("e1.angle"), 0.2 * t + 0.15 * t**2, atol=1e-14)
    angle = run.result.dof("e1.angle")  # about y, so downwards
    np.testing.assert_allclose(run.result.drive[:, 0], 2 * 0.3 - 2 * 9.81 * np.cos(angle), rtol=1e-10)
