"""State space of a linear model: A, B, C, D with names.

states (dq, dqd):   A = [0 I; -M0^-1 K, -M0^-1 C],   K = K0 + G0 + N0,  C = C0 + D0
inputs: forces through B0, driven motions through -(M_r rdd + C_r rd + K_r r)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, missing_extra
from .linear import LinearModel
from .ports import FORCES, MOTIONS, OUTPUTS, Outputs, expand_motions, force_columns, split


@dataclass(frozen=True, eq=False)
class StateSpaceModel:
    """xd = A x + B u, y = C x + D u with names; arrays ([N,] ...) as in the linear model it came from.

    Attributes
    ----------
    A, B, C, D : arrays
    states, inputs, outputs : list of str
    t : float or (N,) array
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list
    inputs: list
    outputs: list
    t: object = 0.0

    def __getitem__(self, n) -> StateSpaceModel:
        """The system at point n of many."""
        if self.A.ndim == 2:
            raise InputError("state space: belongs to one point; index a system of many points only")
        parts = (self.A[n], self.B[n], self.C[n], self.D[n])
        return StateSpaceModel(*parts, self.states, self.inputs, self.outputs, self.t[n])

    def __str__(self) -> str:
        where = "" if self.A.ndim == 2 else f" at {len(self.A)} points"
        return (
            f"state space{where}: {len(self.states)} states\n  inputs   {', '.join(self.inputs) or 'none'}\n"
            f"  outputs  {', '.join(self.outputs) or 'none'}"
        )

    def _single(self, what) -> None:
        if self.A.ndim == 3:
            raise InputError(f"{what}: needs one point, got {len(self.A)}; choose one with system[n]")

    def to_scipy(self):
        """scipy.signal.StateSpace."""
        from scipy.signal import StateSpace

        self._single("to_scipy")
        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self):
        """control.StateSpace with the names of states, inputs and outputs (dots become underscores)."""
        try:
            import control
        except ImportError:
            raise missing_extra("control", "control", "to_control()") from None
        self._single("to_control")
        names = {
            k: [n.replace(".", "_").replace(" ", "_") for n in getattr(self, k)]
            for k in ("states", "inputs", "outputs")
        }
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def response(self, omega) -> np.ndarray:
        """Transfer matrix C (i omega - A)^-1 B + D, shape ([N,] len(omega), ny, nu), at angular frequencies (rad/s)."""
        omega = np.atleast_1d(np.asarray(omega, float))
        n = self.A.shape[-1]
        A, B, C, D = (m[..., None, :, :] for m in (self.A, self.B, self.C, self.D))
        s = 1j * omega[:, None, None] * np.eye(n)
        return (
            C @ np.linalg.solve(s - A, np.broadcast_to(B.astype(complex), (*A.shape[:-3], len(omega), *B.shape[-2:])))
            + D
        )

    def step(self, t, input: str | None = None) -> np.ndarray:
        """Outputs (len(t), ny) after a unit step of one input (the first by default), exact at the times t."""
        self._single("step")
        t = np.asarray(t, float)
        if t.ndim != 1 or len(t) < 2 or not np.all(np.diff(t) > 0):
            raise InputError("step: t must be at least two increasing times")
        j = 0 if input is None else self._index(input, self.inputs, "input")
        from scipy.linalg import expm

        n = len(self.A)
        big = np.zeros((n + 1, n + 1))
        big[:n, :n], big[:n, n] = self.A, self.B[:, j]
        z = np.zeros(n + 1)
        z[n] = 1.0
        out = np.zeros((len(t), len(self.outputs)))
        E, last = None, None
        for k, time in enumerate(t):
            if k:
                h = time - t[k - 1]
                if last is None or abs(h - last) > 1e-12 * abs(h):
                    E, last = expm(big * h), h
                z = E @ z
            out[k] = self.C @ z[:n] + self.D[:, j]
        return out

    @staticmethod
    def _index(name, names, what) -> int:
        from ..checks import known

        known("state space", what, name, names)
        return names.index(name)

    def gain(self) -> np.ndarray:
        """Static gain D - C A^-1 B."""
        self._single("gain")
        if np.linalg.cond(self.A) > 1e14:
            raise InputError("gain: A is singular, something moves freely; hold it, or look at a velocity instead")
        return self.D - self.C @ np.linalg.solve(self.A, self.B)


def state_space(model, inputs=None, outputs=None, at=None, t: float = 0.0, *, motion: str = "inputs", **options):
    """State space by names of inputs and outputs.

    Parameters
    ----------
    model : Model or LinearModel
        A model is linearised first, with `at`, `t` and further options of `linear_model`.
    inputs : list of str, optional
        "stress joint.angle", "force tip.z", "moment tip.x", "motion joint.angle" (stands for the motion, its rate and
        its acceleration, three inputs). By default the actuators, or all joints, and all driven motions.
    outputs : list of str, optional
        "tip.z", "velocity tip.z", "acceleration joint.angle", "tip.rx" (small rotation), "stress beam.torsion",
        "reaction base.z", "reaction base.rx", "drive joint.angle". By default the degrees of freedom.
    motion : "inputs" or "states"
        With "states" the only input of a motion is its acceleration, and (r, rd) are two more states.

    Returns
    -------
    StateSpaceModel

    Examples
    --------
    >>> import spacar_py as sp
    >>> from spacar_py.linearize import state_space
    >>> m = sp.Model(planar=True)
    >>> m.node("clamp", (0, 0)); m.fix("clamp"); m.node("tip", (1, 0))
    >>> m.beam("leaf", "clamp", "tip", sp.Section(EIz=1.0, m=1.0), flexible="bending")
    >>> system = state_space(m, ["force tip.y"], ["tip.y", "reaction clamp.y"])
    >>> system.gain().round(6).tolist()
    [[0.333333], [-1.0]]
    """
    from .linear import linear_model

    linear = model if isinstance(model, LinearModel) else linear_model(model, at, t, **options)
    if motion not in ("inputs", "states"):
        raise InputError(f"state_space: motion must be 'inputs' or 'states', got {motion!r}")
    if inputs is None:
        inputs = [*linear.input_names, *[f"motion {n}" for n in linear.driven_names]]
    outputs = list(linear.dof) if outputs is None else list(outputs)
    ports = expand_motions(linear, [inputs] if isinstance(inputs, str) else list(inputs))
    for text in outputs:
        split(text, OUTPUTS, "output")
    parts = [_at_point(linear, n, ports, outputs) for n in range(len(linear))]
    A, B, C, D = (linear._one(np.stack(p)) for p in zip(*parts, strict=True))
    states = [*linear.dof, *[f"velocity {n}" for n in linear.dof]]
    out = StateSpaceModel(A, B, C, D, states, [f"{k} {n}" for k, n in ports], outputs, linear._one(linear.t))
    return _integrated(out, [n for k, n in ports if k == "motion"]) if motion == "states" else out


def _at_point(linear, n, ports, outputs):
    point = linear[n] if not linear.single else linear
    nq, ny, m = len(linear.free), linear.system.ny, len(ports)
    forces = [f"{k} {name}" for k, name in ports if k in FORCES]
    columns = [j for j, (k, _) in enumerate(ports) if k in FORCES]
    B0, sig, support = force_columns(linear, n, forces)
    M_r, C_r, K_r = point.coupling()
    drive = np.zeros((3, ny, m))  # y, yd, ydd of unit inputs
    F = np.zeros((nq, m))
    F[:, columns] = B0
    for j, (kind, name) in enumerate(ports):
        if kind in MOTIONS:
            k, order = linear.driven_names.index(name), MOTIONS.index(kind)
            drive[order, linear.driven[k], j] = 1.0
            F[:, j] = -(K_r, C_r, M_r)[order][:, k]
    Minv = _inverse_mass(point)
    KC = np.hstack([point.stiffness, point.velocity])
    A = np.zeros((2 * nq, 2 * nq))
    A[:nq, nq:] = np.eye(nq)
    A[nq:] = -Minv @ KC
    B = np.zeros((2 * nq, m))
    B[nq:] = Minv @ F
    rows = Outputs(linear, n)
    C, D = np.zeros((len(outputs), 2 * nq)), np.zeros((len(outputs), m))
    f = linear.free
    for i, text in enumerate(outputs):
        o, direct = rows.row(text)
        C[i, :nq], C[i, nq:] = o[0, f], o[1, f]
        C[i] += o[2, f] @ A[nq:]
        D[i] = o[2, f] @ B[nq:] + np.einsum("kj,kjm->m", o, drive)
        if direct is not None and columns:
            D[i, columns] += _direct(linear, n, direct, sig, support, forces)
    return A, B, C, D


def _direct(linear, n, direct, sig, support, forces):
    kind, weights = direct
    if kind == "sigma":
        return weights @ sig
    if kind == "support":
        return weights @ support
    from dataclasses import replace

    one = replace(linear, free=np.array([linear.system.y_index[weights]]), driven=linear.driven[:0])
    return -force_columns(one, n, forces)[0][0]


def _inverse_mass(point) -> np.ndarray:
    M = point.M0
    d = 1.0 / np.sqrt(np.maximum(np.diag(M), 1e-300))
    scaled = d[:, None] * M * d[None, :]
    low, V = np.linalg.eigh(scaled)
    if len(low) and not low[0] > 1e-14 * low[-1]:
        name = point.dof[int(np.argmax(np.abs(V[:, 0])))]
        raise InputError(
            f"state space: the mass matrix is singular: nothing with inertia moves with {name}; "
            "give it mass or rotary inertia, or make the deformation rigid"
        )
    return d[:, None] * ((V / low) @ V.T) * d[None, :]


def _integrated(s: StateSpaceModel, names) -> StateSpaceModel:
    """Motions as states, their accelerations as inputs."""
    many = s.A.ndim == 3
    A, B, C, D = ((m if many else m[None]) for m in (s.A, s.B, s.C, s.D))
    N, n, k = len(A), A.shape[1], len(names)
    col = {kind: [s.inputs.index(f"{kind} {name}") for name in names] for kind in MOTIONS}
    rest = [j for j in range(B.shape[2]) if j not in col["motion"] + col["rate"]]
    big = np.zeros((N, n + 2 * k, n + 2 * k))
    big[:, :n, :n] = A
    big[:, :n, n : n + k], big[:, :n, n + k :] = B[:, :, col["motion"]], B[:, :, col["rate"]]
    big[:, n : n + k, n + k :] = np.eye(k)
    Bi = np.zeros((N, n + 2 * k, len(rest)))
    Bi[:, :n] = B[:, :, rest]
    for i, c in enumerate(col["acceleration"]):
        Bi[:, n + k + i, rest.index(c)] = 1.0
    Ci = np.concatenate([C, D[:, :, col["motion"]], D[:, :, col["rate"]]], axis=2)
    parts = [big, Bi, Ci, D[:, :, rest]]
    if not many:
        parts = [p[0] for p in parts]
    states = [*s.states, *[f"motion {m}" for m in names], *[f"rate {m}" for m in names]]
    return StateSpaceModel(*parts, states, [s.inputs[j] for j in rest], s.outputs, s.t)
