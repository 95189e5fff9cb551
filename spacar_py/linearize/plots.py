"""Pictures of linear models: Bode diagrams, step responses, mode shapes. Nothing else here imports matplotlib."""

from __future__ import annotations

import numpy as np

from ..errors import InputError


def _axes(n: int, axes, **options):
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(n, 1, squeeze=False, **options)
        axes = axes[:, 0]
    axes = np.atleast_1d(axes)
    if len(axes) != n:
        raise InputError(f"plot: needs {n} axes, got {len(axes)}")
    return axes


def plot_bode(system, omega=None, axes=None, hertz: bool = False):
    """Magnitude (dB) and phase (degrees) of every input and output pair.

    Parameters
    ----------
    system : StateSpaceModel
        At one point.
    omega : array, optional
        Angular frequencies (rad/s); by default two decades around the roots.
    axes : two matplotlib axes, optional

    Returns
    -------
    The two axes.
    """
    if omega is None:
        roots = np.abs(np.linalg.eigvals(system.A))
        roots = roots[roots > 1e-9 * max(roots.max(), 1e-300)]
        low, high = (roots.min(), roots.max()) if len(roots) else (1.0, 1.0)
        omega = np.geomspace(low / 30, min(high, low * 1e4) * 10, 1000)
    H = system.response(omega)
    if H.ndim != 3:
        raise InputError(f"plot_bode: needs one point, got {len(H)}; choose one with system[n]")
    top, bottom = _axes(2, axes, sharex=True)
    u = np.asarray(omega) / (2 * np.pi if hertz else 1.0)
    for i, y in enumerate(system.outputs):
        for j, x in enumerate(system.inputs):
            h = H[:, i, j]
            top.semilogx(u, 20 * np.log10(np.maximum(np.abs(h), 1e-300)), label=f"{y} / {x}")
            bottom.semilogx(u, np.degrees(np.unwrap(np.angle(h))))
    top.set_ylabel("magnitude (dB)")
    bottom.set_ylabel("phase (deg)")
    bottom.set_xlabel("frequency (Hz)" if hertz else "angular frequency (rad/s)")
    top.legend(fontsize="small")
    for ax in (top, bottom):
        ax.grid(True, which="both", alpha=0.3)
    return top, bottom


def plot_step(system, t, input: str | None = None, axes=None):
    """Outputs after a unit step of one input, one axis each; returns the axes."""
    y = system.step(t, input)
    axes = _axes(len(system.outputs), axes, sharex=True)
    for k, ax in enumerate(axes):
        ax.plot(t, y[:, k])
        ax.set_ylabel(system.outputs[k])
        ax.grid(True, alpha=0.3)
    axes[0].set_title(f"unit step of {input or system.inputs[0]}")
    axes[-1].set_xlabel("time (s)")
    return axes


def plot_mode(found, j: int = 0, scale: float | None = None, ax=None, plane: str = "xz"):
    """Shape j of `modes` or `buckling`: chords of the elements at rest and displaced, in a plane; returns the axis."""
    linear = found.linear
    s = linear.system
    ax = _axes(1, ax)[0]
    dx = np.real(found.dx[:, j])
    points = {n: (o, m) for (kind, n), (o, m) in s.nodes.items() if kind == "point"}
    moves = np.concatenate([dx[o : o + m] for o, m in points.values()])
    start = np.array([linear.x[o : o + 2] for o, _ in points.values()])
    size = float(np.max(np.ptp(start, axis=0))) or 1.0
    if scale is None:
        scale = 0.15 * size / max(float(np.max(np.abs(moves))), 1e-300)
    a, b = ("xyz".index(c) for c in ("xy" if s.model.planar else plane))
    for el in s.model.elements.values():
        if "xp" in el.nodes and "xq" in el.nodes:
            o = [s.nodes["point", el.nodes[e].name][0] for e in ("xp", "xq")]
            ax.plot(*[[linear.x[i + c] for i in o] for c in (a, b)], color="0.7")
            ax.plot(*[[linear.x[i + c] + scale * dx[i + c] for i in o] for c in (a, b)], color="C0", marker=".")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(found.names[j])
    return ax
