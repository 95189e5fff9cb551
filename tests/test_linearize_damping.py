"""Damping matrices, and sensitivities of frequencies and damping."""

import numpy as np
import pytest
from _linear_models import cantilever

import spacar_py as sp
from spacar_py.cases import manipulator
from spacar_py.errors import InputError
from spacar_py.linearize import (
    deformation_damping,
    linear_model,
    modal_damping,
    modes,
    proportional_damping,
    sensitivity,
    set_damping,
)  # fmt: skip
from spacar_py.statics import solve_static


@pytest.fixture(scope="module")
def arm():
    return linear_model(manipulator.build(gravity=0.0))


@pytest.mark.parametrize("make", [lambda a: modal_damping(a, 0.02), lambda a: proportional_damping(a, 1e-3, 0.5)])
def test_damping_leaves_rigid_motion_of_the_joints_alone(arm, make):
    D = make(arm)
    assert np.abs(D[:, :3]).max() < 1e-9 * np.abs(D).max()
    assert np.abs(D[:3]).max() < 1e-9 * np.abs(D).max()


def test_modal_ratios_are_the_damping_of_the_elastic_modes(arm):
    found = modes(arm.add(D0=modal_damping(arm, [0.01, 0.03])))
    elastic = found.omega > 1.0  # rad/s; the three joints are free
    np.testing.assert_allclose(found.damping[elastic], [0.01] + [0.03] * 8, rtol=1e-6)


def test_stiffness_proportional_damping_grows_with_frequency(arm):
    found = modes(arm.add(D0=proportional_damping(arm, stiffness=1e-4)))
    elastic = (found.omega > 1.0) & (found.damping < 0.9)
    np.testing.assert_allclose(found.damping[elastic], 1e-4 * found.omega[elastic] / 2, rtol=1e-6)


def test_mass_proportional_damping_falls_with_frequency(arm):
    found = modes(arm.add(D0=proportional_damping(arm, mass=0.5)))
    elastic = found.omega > 1.0
    np.testing.assert_allclose(found.damping[elastic], 0.5 / (2 * found.omega[elastic]), rtol=1e-6)


def test_a_damper_on_a_deformation_is_the_one_of_the_model():
    with_damper = manipulator.build()
    with_damper.damper("upper", "torsion", 7.0)
    plain = linear_model(manipulator.build())
    np.testing.assert_allclose(
        deformation_damping(plain, {"upper.torsion": 7.0}), linear_model(with_damper).D0, atol=1e-12
    )


def test_one_name_damps_both_ends_of_all_elements():
    lin = linear_model(cantilever(3, planar=True))
    np.testing.assert_allclose(deformation_damping(lin, {"beam.bending": 2.0}), 2.0 * np.eye(6), atol=1e-12)


def test_damping_set_on_the_model_damps_the_wanted_mode():
    m = cantilever(4, planar=True)
    set_damping(m, 0.01, mode=2)
    assert modes(m).damping[1] == pytest.approx(0.01, rel=1e-9)


def test_wrong_damping_is_refused():
    lin = linear_model(cantilever(1, planar=True))
    with pytest.raises(InputError, match="ratios must be finite and not negative"):
        modal_damping(lin, -0.1)
    with pytest.raises(InputError, match=r"no deformation 'beam.torsion'"):
        deformation_damping(lin, {"beam.torsion": 1.0})


# sensitivity ----------------------------------------------------------------------------------------------------------


def test_frequency_of_a_tip_mass_goes_with_the_root_of_stiffness_and_mass():
    """omega^2 = 3 EI/(m L^3): d omega/d EI = omega/(2 EI), d omega/d m = -omega/(2 m)."""
    m = cantilever(1, planar=True, EI=2.0, m=0.0)
    m.mass("tip", 0.5)
    w = np.sqrt(3 * 2.0 / 0.5)
    assert sensitivity(m, "beam.EIz").omega_p[0] == pytest.approx(w / 4.0, rel=1e-10)
    assert sensitivity(m, "mass tip").omega_p[0] == pytest.approx(-w / 1.0, rel=1e-10)


@pytest.mark.parametrize("parameter, step", [("beam.EIz", 1e-4), ("beam.m", 1e-4), ("beam.shear_z", 1e-6)])
def test_sensitivity_is_the_slope_of_the_frequencies(parameter, step):
    def build(p):
        values = dict(EI=2.0, m=0.7, shear_z=1e-3)
        values[{"EIz": "EI"}.get(name, name)] = p
        return cantilever(3, planar=True, **values)

    name = parameter.split(".")[1]
    value = dict(EIz=2.0, m=0.7, shear_z=1e-3)[name]
    w = [modes(build(value + k * step), n=3).omega for k in (1, -1)]
    want = (w[0] - w[1]) / (2 * step)
    np.testing.assert_allclose(sensitivity(build(value), parameter, n=3).omega_p, want, rtol=1e-5)  # differences
    np.testing.assert_allclose(sensitivity(build(value), build, value=value, n=3).omega_p, want, rtol=1e-5)


def test_equal_frequencies_split_as_perturbation_theory_says():
    """A square cantilever: EIz moves one of the two equal frequencies, EIy the other."""
    p = sensitivity(cantilever(2), "beam.EIz", n=2).omega_p
    w = modes(cantilever(2), n=1).omega[0]
    np.testing.assert_allclose(np.sort(p), (0.0, w / 2), atol=1e-9 * w)


def test_sensitivity_of_damping():
    """zeta = c/(2 sqrt(k m)): d zeta/d m = -zeta/(2 m)."""
    m = cantilever(1, planar=True, EI=2.0, m=0.0)
    m.mass("tip", 0.5)
    m.material_damping["beam"] = 0.01
    m._touch()
    lin = linear_model(m)
    c, k = 0.01 * 6.0, 6.0
    zeta = c / (2 * np.sqrt(k * 0.5))
    low = modes(lin).damping[0]
    assert low == pytest.approx(zeta, rel=1e-6)
    assert sensitivity(m, "mass tip").damping_p[0] == pytest.approx(-zeta / (2 * 0.5), rel=1e-6)


def test_sensitivity_follows_the_equilibrium_of_a_sagging_beam():
    """First frequency of a cantilever under its own weight, whose sag changes with EI."""

    def build(EI):
        m = cantilever(4, planar=True, EI=EI)
        m.gravity[1] = -5.0
        return m

    def omega(EI):
        m = build(EI)
        return modes(m, solve_static(m, steps=2), index=-1, n=1).omega[0]

    h = 1e-3
    want = (omega(2.0 + h) - omega(2.0 - h)) / (2 * h)
    m = build(2.0)
    at = solve_static(m, steps=2).q[-1]
    assert sensitivity(m, "beam.EIz", at, n=1, equilibrium=True).omega_p[0] == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize(
    "parameter, message",
    [
        ("beem.EIz", r"no element 'beem' \(did you mean 'beam'\?\)"),
        ("beam.EI", "a section has no 'EI'"),
        ("mass clamp", "no point mass at 'clamp'"),
        (3.0, "parameter must be a text such as"),
        (lambda p: sp.Model(), "needs value="),
    ],
)
def test_unknown_parameters_are_refused(parameter, message):
    m = cantilever(1, planar=True)
    m.mass("tip", 1.0)
    with pytest.raises(InputError, match=message):
        sensitivity(m, parameter)
