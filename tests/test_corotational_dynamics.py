"""Motion of co-rotational arms: balances, closed forms, a published spin-up, and two integrators that must agree."""

import numpy as np
import pytest
from scipy.special import ellipk

from spacar_py.corotational import Arm, Ida, Projected, Section, inverse_dynamics, simulate, timoshenko

G = 9.81
SOFT = Section(EA=1e5, GIt=50.0, EIy=80.0, EIz=120.0, m=2.0, Jy=0.002, Jz=0.003)
WU_HAUG = Section(EA=5.03e6, GIt=566.0, EIy=566.0, EIz=566.0, m=0.201, Jy=22.7e-6, Jz=22.7e-6, GAy=1.94e6, GAz=1.94e6)


def ida(**options):
    pytest.importorskip("sksundae")
    return Ida(**options)


@pytest.fixture(scope="module")
def tumbling():
    """Free flexible beam, tumbling, hit at one end during 0.2 s."""

    def push(t):
        return (0.0, 300.0 * np.sin(np.pi * t / 0.2) ** 2 if t < 0.2 else 0.0, 0.0)

    arm = Arm(free=True, velocity=(1, 0, 0.5), spin=(0.5, 1, 2))
    arm.link("beam", (2, 0, 0), SOFT, elements=6)
    arm.load(force=push)
    return simulate(arm, 1.0, points=101, solver=Projected(rtol=1e-6, atol=1e-8))


def test_free_beam_keeps_its_energy_once_nothing_pushes_it(tumbling):
    after = tumbling.energy[tumbling.t > 0.21]
    # integrator of order 3 at rtol 1e-6; the strain energy itself is a few per cent of the total
    assert np.ptp(after) < 2e-5 * after[0]
    assert tumbling.strain.max() > 0.02 * after[0]


def test_free_beam_keeps_its_angular_momentum_once_nothing_pushes_it(tumbling):
    h = tumbling.momentum[tumbling.t > 0.21, 3:]
    assert np.max(np.ptp(h, axis=0)) < 2e-6 * np.linalg.norm(h[0])


def test_push_changes_the_momentum_by_its_impulse(tumbling):
    """Impulse of 300 sin^2 over 0.2 s: 30 N s; 4 kg."""
    change = tumbling.momentum[-1, :3] - tumbling.momentum[0, :3]
    np.testing.assert_allclose(change, (0.0, 30.0, 0.0), atol=1e-5)


def test_rigid_pendulum_swings_with_the_period_of_the_elliptic_integral():
    """Amplitude 1 rad, rod of 1 m: T = 4 sqrt(2 L/(3 g)) K(sin^2 1/2)."""
    period = 4.0 * np.sqrt(2.0 / (3.0 * G)) * ellipk(np.sin(0.5) ** 2)
    start = np.pi / 2 - 1.0
    arm = Arm(gravity=(0, 0, -G))
    arm.hinge("pin", axis=(0, 1, 0), angle=start)
    arm.link("rod", (1, 0, 0), Section(1.0, 1.0, 1.0, 1.0, m=1.0), flexible=False)
    result = simulate(arm, period, points=11, solver=Projected())
    # back at rest: the angle is second order in the error of the period
    assert result["pin"].angle[-1] == pytest.approx(start, abs=1e-5)
    assert abs(result["pin"].rate[-1]) < 2e-3


def test_inverse_dynamics_of_one_link_is_inertia_plus_weight():
    """(m L^2/3 + Jz L) acc + m g L/2 cos(angle), raising about -y."""
    rod = Section(1.0, 1.0, 1.0, 1.0, m=3.0, Jy=0.02, Jz=0.05)
    arm = Arm(gravity=(0, 0, -G))
    arm.hinge("pin", axis=(0, -1, 0), drive=lambda t: (0.3 + t**2, 2 * t, 2.0))
    arm.link("rod", (2, 0, 0), rod, y=(0, 0, 1))
    expected = (3.0 * 2.0 * 4.0 / 3.0 + 0.05 * 2.0) * 2.0 + 6.0 * G * np.cos(0.3 + 0.25)
    assert inverse_dynamics(arm, np.array([0.5]))["pin"][0] == pytest.approx(expected, rel=1e-12)


def test_dead_force_at_the_end_of_a_rigid_link_does_the_work_of_its_path():
    arm = Arm()
    arm.hinge("pin", axis=(0, 0, 1))
    arm.link("rod", (2, 0, 0), SOFT, flexible=False)
    arm.load((0, 5.0, 0))
    result = simulate(arm, 1.0, points=11, solver=Projected())
    assert result.kinetic[-1] == pytest.approx(5.0 * result.tip[-1, 1], rel=1e-5)
    assert result.tip[-1, 1] > 0.3


def test_arm_at_equilibrium_with_a_held_drive_stays_there():
    arm = Arm(gravity=(0, 0, -G))
    arm.hinge("pin", axis=(0, -1, 0), drive=lambda t: (0.4, 0.0, 0.0))
    arm.link("beam", (1, 0, 0), SOFT, elements=4)
    result = simulate(arm, 0.5, points=11, solver=Projected(), start="equilibrium")
    assert np.max(np.abs(result.tip - result.tip[0])) < 1e-9
    assert result["beam"].deflection[0, 2] < -1e-3


def test_effort_at_the_root_of_a_hanging_link_is_its_weight():
    arm = Arm(gravity=(0, 0, -G))
    arm.clamp("ceiling")
    arm.link("beam", (0, 0, -1.5), SOFT, elements=3)
    result = simulate(arm, 0.1, points=3, solver=Projected(), start="equilibrium")
    # the upper end node carries the half weight of its own element, m g l0/2, besides the effort
    np.testing.assert_allclose(result.efforts("beam")[-1, 0, 0, 2], 2.0 * (1.5 - 0.25) * G, rtol=1e-9)


def test_result_prints_a_short_account():
    arm = Arm()
    arm.clamp("wall")
    arm.link("beam", (1, 0, 0), SOFT, elements=1)
    text = str(simulate(arm, 0.1, points=3, solver=Projected()))
    assert text.startswith(
        "motion of an arm of 1 links: wall (clamp), beam (flexible, 1 elements)\n  time       0 to 0.1 s"
    )


def test_work_of_the_drive_is_the_energy_of_the_arm():
    arm = Arm()
    arm.hinge("hub", axis=(0, 0, 1), drive=lambda t: (t**3, 3 * t**2, 6 * t))
    arm.link("beam", (2, 0, 0), SOFT, elements=4)
    result = simulate(arm, 1.0, points=401, solver=Projected())
    hub = result["hub"]
    work = np.trapezoid(hub.torque * hub.rate, result.t)
    assert work == pytest.approx(result.energy[-1], rel=2e-4)


def spin_up(t):
    """Wu and Haug's spin-up: 4 rad/s in 15 s."""
    u = t / 15.0
    return (
        60.0 * (u**2 / 2.0 + (np.cos(2 * np.pi * u) - 1.0) / (2 * np.pi) ** 2),
        4.0 * (u - np.sin(2 * np.pi * u) / (2 * np.pi)),
        4.0 / 15.0 * (1.0 - np.cos(2 * np.pi * u)),
    )


def wu_haug(elements):
    arm = Arm()
    arm.hinge("hub", axis=(0, 0, 1), drive=spin_up)
    arm.link("beam", (8, 0, 0), WU_HAUG, elements, y=(0, 1, 0), law=timoshenko)
    return arm


def test_spin_up_bends_the_beam_as_wu_and_haug_found():
    """Tip deflection in the turning frame (reference values, section 5, CODE, itself within 0.5 %)."""
    result = simulate(wu_haug(10), 12.5, points=1251, solver=Projected(rtol=1e-5, atol=1e-7))
    bend = result["beam"].deflection[:, 1]
    expected = np.array([-0.141910, -0.419898, -0.518102, -0.347148, -0.110022])
    np.testing.assert_allclose(bend[250::250], expected, rtol=0.01)
    assert bend.min() == pytest.approx(-0.530575, rel=0.01)
    assert result.t[bend.argmin()] == pytest.approx(6.764, abs=0.02)


@pytest.mark.slow
def test_spin_up_converges_with_the_square_of_the_element_length():
    bends = [
        simulate(wu_haug(n), 8.0, points=401, solver=Projected(rtol=1e-6, atol=1e-8))["beam"].deflection[:, 1]
        for n in (5, 10, 20, 40)
    ]
    steps = [np.max(np.abs(a - b)) for a, b in zip(bends, bends[1:], strict=False)]
    slope = -np.polyfit(np.log([5, 10, 20]), np.log(steps), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.15)


def test_sundials_and_the_projected_method_agree_on_the_spin_up():
    first = simulate(wu_haug(4), 6.0, points=121, solver=ida(rtol=1e-8, atol=1e-10))
    second = simulate(wu_haug(4), 6.0, points=121, solver=Projected())
    gap = np.max(np.abs(first["beam"].deflection - second["beam"].deflection))
    assert gap < 1e-3 * np.max(np.abs(second["beam"].deflection))


def test_position_multipliers_keep_the_joints_together_that_would_drift_otherwise():
    options = {"rtol": 1e-6, "atol": 1e-8}
    kept = simulate(wu_haug(4), 6.0, points=121, solver=ida(**options))
    loose = simulate(wu_haug(4), 6.0, points=121, solver=ida(stabilise=False, **options))
    assert kept.violation.max() < 1e-6
    assert loose.violation.max() > 10.0 * kept.violation.max()


def test_projected_method_keeps_the_joints_to_the_interpolation_error():
    result = simulate(wu_haug(4), 3.0, points=61, solver=Projected())
    assert result.violation.max() < 1e-8


def test_three_dimensional_beam_in_a_plane_stays_in_the_plane():
    result = simulate(wu_haug(4), 3.0, points=31, solver=Projected())
    assert np.max(np.abs(result["beam"].x[:, :, 2])) < 1e-12


def test_payload_of_a_rigid_and_of_a_nearly_rigid_link_move_alike():
    stiff = Section(EA=1e9, GIt=1e6, EIy=1e6, EIz=1e6, m=1.0, Jy=1e-3, Jz=1e-3)
    torques = []
    for flexible in (False, True):
        arm = Arm(gravity=(0, 0, -G))
        arm.hinge("pin", axis=(0, -1, 0), drive=lambda t: (t**3, 3 * t**2, 6 * t))
        arm.link("rod", (1, 0, 0), stiff, elements=4, flexible=flexible, y=(0, 0, 1))
        arm.payload("tool", 5.0)
        torques.append(simulate(arm, 0.5, points=21, solver=Projected(), start="equilibrium")["pin"].torque)
    # linear interpolation of r and the flexibility left: 1e-3
    np.testing.assert_allclose(torques[1], torques[0], rtol=2e-3)
