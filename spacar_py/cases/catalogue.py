"""The built-in cases with their paths, controllers and settings; one function each, named as the case."""

from __future__ import annotations

from ..case import Case, Run


def manipulator() -> Case:
    """Tip along a straight line in 1 s, PID of 12 rad/s, 2 s in all; damping 0.002 of the lowest mode (34.27 rad/s)."""
    from ..ami.control import PID
    from ..ami.paths import LinePath
    from .manipulator import A, B, build

    model = build(damping=2 * 0.002 / 34.27)
    path = LinePath(A, B, T=1.0, node="tip", ramp=0.25)
    run = Run(t_end=2.0, points=501, node="tip")
    source = "Aarts and Jonker, perturbation method and adaptive modal integration; ramps of 0.25 s assumed"
    return Case(model, path, PID(12.0), run, source=source)


def _braking(model, speeds, travel: float, braking: float, t_end: float) -> Case:
    from ..rigidfe.braking import braking_signal
    from ..rigidfe.steady import steady_state

    for label, rate in speeds.items():
        element, deformation = label.rsplit(".", 1)
        model.prescribe(element, deformation, braking_signal(rate, travel, braking))
    tight = dict(method="implicit", rtol=1e-6, atol=1e-9)
    run = Run(t_end=t_end, points=1001, q0=steady_state(model), node="tip", **tight)
    return Case(model, run=run, source="K. Lipinski, braking manipulators by rigid finite elements")


def braking_planar() -> Case:
    """Constant joint rates, braked in 0.509 s, then at rest for 0.5 s."""
    from . import braking_planar as data

    return _braking(data.braking_planar(), data.SPEEDS, data.TRAVEL, 0.509, data.TRAVEL + 0.509 / 2 + 0.5)


def braking_spatial() -> Case:
    """Constant joint rates, braked in 2.0 s, then at rest for 1 s."""
    from . import braking_spatial as data

    return _braking(data.braking_spatial(), data.SPEEDS, data.TRAVEL, 2.0, data.TRAVEL + 1.0 + 1.0)


def double_link() -> Case:
    """Both hinges driven for 15 s; four beams of the core per link."""
    from .double_link import double_link as build

    run = Run(t_end=15.0, points=751, node="tip", method="implicit", rtol=1e-7, atol=1e-9)
    return Case(build(), run=run, source="V. Damic and M. Cohodar, flexible robotic manipulators, first example")


def anthropomorphic(flexible: bool = True) -> Case:
    """PD with KP = KD = 1000 along the joint path for 1 s; inverse dynamics of the rigid arm fed forward (assumed)."""
    from ..ami.control import PD
    from ..ami.paths import JointPath
    from . import anthropomorphic as data

    path = JointPath(data.motions(), T=1.0)
    control = PD(joints=3, kp=data.KP, kd=data.KD, scheduled=False)
    run = Run(t_end=1.0, points=201, node="tip", method="implicit", rtol=1e-7, atol=1e-10)
    source = "V. Damic and M. Cohodar, flexible robotic manipulators, second example; feedforward assumed"
    return Case(data.anthropomorphic(flexible), path, control, run, source=source)


def anthropomorphic_rigid() -> Case:
    """The same with rigid links."""
    return anthropomorphic(flexible=False)


def five_dof_robot() -> Case:
    """All five coordinates driven for 2 s: kineto-statics."""
    from . import five_dof_robot as data

    model = data.five_dof_robot()
    for name, signal in data.motion().items():
        model.prescribe(*name.split("."), signal)
    source = "Z. Wang and Y. Tao, kineto-static analysis by vector bond graphs; geometry of the figure assumed"
    return Case(model, run=Run(t_end=2.0, points=401, node="wrist"), source=source)
