"""The HTML report: self-contained, complete, and in a real browser it renders, turns, plays and says no error."""

import re

import pytest
from _browser import CHROMIUM, Browser

import spacar_py as sp
from spacar_py.cases import pendulum
from spacar_py.report import write_report

pytest.importorskip("plotly", reason="the report needs the extra 'report'")


@pytest.fixture(scope="module")
def swing():
    return sp.simulate(**pendulum.case(t_end=1.0), points=101)


def own_part(text):
    """The page without plotly.js."""
    return re.sub(r"<script>/\*\*.*?</script>", "", text, count=1, flags=re.S)


def test_a_report_is_one_file_that_asks_the_network_for_nothing(swing, tmp_path):
    text = write_report(swing, tmp_path / "r.html").read_text()
    own = own_part(text)
    assert len(own) < 500_000 < len(text)
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", own)
    assert "https://" not in own and "http://" not in own


def test_a_report_tells_model_settings_and_versions(swing, tmp_path):
    own = own_part(write_report(swing, tmp_path / "r.html", title="Swing & <more>").read_text())
    for part in (
        "Swing &amp; &lt;more&gt;",
        "1 degree of freedom: joint.angle",
        "Runge-Kutta 5",
        sp.__version__,
        "Energy",
    ):
        assert part in own


def test_a_static_result_has_a_report_too(tmp_path):
    m = pendulum.build()
    m.spring("joint", "angle", 10.0)
    m.force("bob", (1, 0, 0))
    assert "load factor" in own_part(write_report(sp.solve_static(m, steps=3), tmp_path / "r.html").read_text())


def test_what_cannot_be_reported_is_refused(swing, tmp_path):
    with pytest.raises(sp.InputError, match="report: needs a Result, a Comparison"):
        write_report({"a": 3}, tmp_path / "r.html")
    with pytest.raises(sp.InputError, match="report: there is no point 'bobb'; known: pivot, bob"):
        write_report(swing, tmp_path / "r.html", node="bobb")
    assert not (tmp_path / "r.html").exists()


def test_an_archive_can_be_reported(swing, tmp_path):
    archive = pytest.importorskip("spacar_py.archive")
    archive.save(swing, tmp_path / "r.h5")
    assert "joint.angle" in own_part(write_report(tmp_path / "r.h5", tmp_path / "r.html").read_text())


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
def test_the_report_renders_and_plays_in_a_real_browser_without_an_error(tmp_path):
    pytest.importorskip("websocket", reason="the browser is driven by websocket-client, from the extra 'test'")
    from spacar_py.cases.manipulator_study import case
    from spacar_py.linearize import modes

    made = case()
    model = made.pop("model")
    results = {"AMI 4": sp.simulate(model, **made, method=sp.AMI(modes=4))}
    page = write_report(results, tmp_path / "r.html", modes=modes(model, n=4))
    with Browser() as browser:
        browser.open(page, "document.body && document.body.dataset.ready === 'yes'")
        assert browser.run("document.querySelectorAll('#scene canvas').length") > 0  # WebGL is there
        assert browser.run("document.querySelectorAll('.curve .scatterlayer .trace').length") >= 10
        tip = "scene.data.find(t => t.name === 'masses').x.slice(-1)[0]"
        start = browser.run(tip)
        assert start == pytest.approx(0.536 - 3.016e-3, abs=1e-4)  # reference values, section 6: A and dx at t = 0
        browser.run("el('play').click()")
        browser.until("frame > 20")
        assert browser.run(tip) < start - 0.01 and browser.run("el('play').textContent") == "Pause"
        browser.run("el('play').click()")
        assert browser.run("el('now').textContent").startswith("t = ")
        browser.run("el('magnify').value = '20'; el('magnify').dispatchEvent(new Event('change'))")
        browser.run("el('what').value = 4; el('what').dispatchEvent(new Event('change'))")
        browser.until("scene.data.some(t => t.name === 'at rest')")
        browser.run("el('play').click()")
        browser.until("frame > 3")
        browser.picture(tmp_path / "page.png")
        assert (tmp_path / "page.png").stat().st_size > 20_000
        assert browser.errors == []
