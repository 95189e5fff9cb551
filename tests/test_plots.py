"""Pictures: the curves are the deformed beams, labels have units, files are written; looked at by eye besides."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import spacar_py as sp
from spacar_py.batch import Study, run_study
from spacar_py.cases import pendulum
from spacar_py.drawing import displaced, hermite, mode_scale, shape_of
from spacar_py.plotting import (
    animate,
    plot_deformations,
    plot_energy,
    plot_history,
    plot_mechanism,
    plot_mode_shapes,
    plot_study,
)


@pytest.fixture(scope="module")
def swing():
    return sp.simulate(**pendulum.case(t_end=1.0), points=41)


def leaf(planar=False):
    """A cantilever of two beams along x."""
    m = sp.Model(planar=planar)
    zero, tip = ((0, 0), (1, 0)) if planar else ((0, 0, 0), (1, 0, 0))
    m.node("clamp", zero)
    m.fix("clamp")
    m.node("tip", tip)
    section = sp.Section(EIy=1.0, EIz=1.0, m=1.0)
    m.beam("leaf", "clamp", "tip", section, elements=2, flexible="bending")
    return m


@pytest.mark.parametrize("planar", [False, True])
def test_a_beam_is_drawn_as_the_elastic_line_under_a_tip_load(planar):
    """w(x) = F x^2 (3 - x)/(6 EI) for a small force; the cubic of each element is exact."""
    m = leaf(planar)
    m.force("tip", (0, 1e-4) if planar else (0, 1e-4, 0))
    shape = shape_of(m.compile(), sp.solve_static(m, steps=1).x[-1])
    x, w = shape.lines["beam"][0].reshape(-1, 3)[:, :2].T
    assert np.allclose(w, 1e-4 * x**2 * (3 - x) / 6, atol=1e-12)  # second order in the deflection: 1e-8 relative


def test_tangents_of_the_curve_are_those_of_the_frames():
    p, q = np.zeros((1, 3)), np.array([[1.0, 0, 0]])
    tp, tq = np.array([[1.0, 0.2, 0]]), np.array([[1.0, -0.1, 0]])
    c = hermite(p, tp, q, tq, 20001)[0]
    assert np.allclose((c[1] - c[0]) * 20000, tp[0], atol=1e-3)
    assert np.allclose((c[-1] - c[-2]) * 20000, tq[0], atol=1e-3)


def test_joints_masses_and_supports_are_where_they_belong(swing):
    shape = shape_of(swing.system, swing.x)
    assert shape.joint_names == ["joint"] and np.array_equal(shape.joints[:, 0], np.zeros((41, 3)))
    assert np.array_equal(shape.masses[:, 0], swing["bob"].x)
    assert np.array_equal(shape.supports[:, 0], np.zeros((41, 3)))
    assert np.array_equal(shape.lines["rigid"][:, 0, 1], swing["bob"].x)


def test_a_mode_is_drawn_with_a_moderate_size():
    from spacar_py.linearize import modes

    m = leaf()
    found = modes(m, n=2)
    s, x0 = m.compile(), np.asarray(found.linear.x).ravel()
    for j in range(2):
        dx = found.dx[:, j]
        X = displaced(s, x0, dx, [0.0, np.pi], mode_scale(s, x0, dx))
        moves = np.abs(shape_of(s, X).lines["beam"] - shape_of(s, x0).lines["beam"]).max(axis=(1, 2, 3))
        assert np.all((moves > 0.02) & (moves < 0.5))
        assert np.allclose(X[0] - x0, -(X[1] - x0))


def labels(figure):
    return [a.get_ylabel() for a in figure.axes]


def overlap(figure):
    """Names of axis labels and titles that run out of the figure or into each other."""
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    texts = [t for a in figure.axes for t in (a.xaxis.label, a.yaxis.label, a.title) if t.get_text()]
    boxes = [t.get_window_extent(renderer) for t in texts]
    width, height = figure.canvas.get_width_height()
    out = [
        t.get_text()
        for t, b in zip(texts, boxes, strict=True)
        if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1
    ]
    for i, a in enumerate(boxes):
        out += [f"{texts[i].get_text()} on {texts[j].get_text()}" for j in range(i) if a.overlaps(boxes[j])]
    return out


def test_histories_have_units_and_legends_and_no_overlap(swing, tmp_path):
    figure = plot_history(
        {"a": swing}, ["bob.x", "q.joint.angle", "energy.total", "joint.sigma.angle"], tmp_path / "h.png"
    )
    told = ["position of bob (m)", "q.joint.angle (rad)", "energy.total (J)", "joint.sigma.angle (N m)"]
    assert labels(figure) == told
    assert [t.get_text() for t in figure.axes[0].get_legend().get_texts()] == ["a, x", "a, y", "a, z"]
    assert figure.axes[-1].get_xlabel() == "time (s)" and not overlap(figure)
    assert (tmp_path / "h.png").read_bytes()[:4] == b"\x89PNG"


def test_energy_and_deformations_are_drawn(swing, tmp_path):
    figure = plot_energy(swing, tmp_path / "e.png")
    assert labels(figure) == ["energy (J)"] and len(figure.axes[0].lines) == 4 and not overlap(figure)
    r = sp.simulate(leaf(), t_end=0.01, points=11)
    assert len(plot_deformations(r).axes[0].lines) == len(r.system.dof)


def test_a_static_result_is_drawn_over_the_load_factor():
    m = leaf()
    m.force("tip", (0, 0.1, 0))
    assert plot_history(sp.solve_static(m, steps=3), "tip.x").axes[0].get_xlabel() == "load factor"


def test_mechanism_and_modes_are_drawn(swing, tmp_path):
    from spacar_py.linearize import modes

    plot_mechanism(swing, (0, 20, -1), "bob", tmp_path / "m.png")
    plot_mechanism(leaf(planar=True), path=tmp_path / "p.png")
    figure = plot_mode_shapes(modes(leaf(), n=3), (0, 1, 2), tmp_path / "s.png")
    assert len(figure.axes) == 3 and "Hz" in figure.axes[0].get_title()
    assert all((tmp_path / f).stat().st_size > 5000 for f in ("m.png", "p.png", "s.png"))


def test_an_animation_has_as_many_pictures_as_asked_for(swing, tmp_path):
    from PIL import Image

    with Image.open(animate(swing, tmp_path / "a.gif", trace="bob", frames=5, dpi=40)) as gif:
        assert gif.n_frames == 5
    with pytest.raises(sp.InputError, match="must end in .gif or .mp4, got 'a.avi'"):
        animate(swing, tmp_path / "a.avi")


def test_an_mp4_is_written_where_ffmpeg_is(swing, tmp_path):
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        pytest.skip("the program ffmpeg is not installed")
    assert b"ftyp" in animate(swing, tmp_path / "a.mp4", frames=4, dpi=40).read_bytes()[:16]


def test_an_animation_that_is_stopped_leaves_no_file(swing, tmp_path):
    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(swing, tmp_path / "a.gif", frames=3, progress=stop)
    assert not list(tmp_path.iterdir())


def test_a_study_whose_output_is_constant_is_not_drawn_as_rounding(tmp_path):
    study = Study("spacar_py.cases.pendulum:case", {"mass": [1.0, 2.0, 3.0]}, outputs={"low": "min bob.x.z"})
    low, high = plot_study(run_study(study, workers=0)).axes[0].get_ylim()
    assert high - low > 0.1  # m; the pendulum has the length 1 m whatever its mass


def test_a_study_is_drawn_over_its_parameters_with_failures_marked(tmp_path):
    study = Study(
        "spacar_py.cases.pendulum:case", {"length": [1.0, 2.0], "mass": [1.0, -1.0]}, outputs={"low": "min bob.x.z"}
    )
    figure = plot_study(run_study(study, workers=0), path=tmp_path / "s.png")
    assert [a.get_xlabel() for a in figure.axes] == ["length", "mass"] and labels(figure)[0] == "low (m)"
    assert "failed" in [t.get_text() for t in figure.legends[0].get_texts()] and not overlap(figure)
