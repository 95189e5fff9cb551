"""Documentation that runs: doctests of all modules, the code in the guide, the scripts of the gallery; no dead link."""

import doctest
import importlib
import io
import os
import pkgutil
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import spacar_py

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PROCESSES = {"payload_study.py"}  # start workers, which import the script
PAGES = sorted((ROOT / "docs").rglob("*.md"))
SLOW = {"payload_study.py", "manipulator.py", "braking.py", "double_link.py"}


def module_names():
    return [m.name for m in pkgutil.walk_packages(spacar_py.__path__, "spacar_py.")]


@pytest.mark.parametrize("name", module_names())
def test_examples_in_docstrings_are_true(name):
    if "." in name and name.rsplit(".", 1)[1].startswith("__"):
        pytest.skip("runs as a program when it is imported")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    out = io.StringIO()
    with redirect_stdout(out):
        found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0, out.getvalue()


def blocks(page):
    """The pycon blocks of a page, as one text."""
    return "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text(), flags=re.S))


@pytest.mark.parametrize("page", [p for p in PAGES if "```pycon" in p.read_text()], ids=lambda p: p.name)
def test_code_in_the_guide_is_true(page):
    test = doctest.DocTestParser().get_doctest(blocks(page), {}, page.name, str(page), 0)
    out = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=out.write)
    assert runner.failures == 0, out.getvalue()


def marked(path):
    marks = [pytest.mark.slow] if path.name in SLOW else []
    return pytest.param(path, marks=marks, id=path.name)


@pytest.mark.parametrize("path", [marked(p) for p in EXAMPLES])
def test_the_scripts_of_the_gallery_run(path, tmp_path, monkeypatch):
    """Each script ends with assertions of its own."""
    monkeypatch.chdir(tmp_path)
    if path.name in PROCESSES:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        subprocess.run([sys.executable, str(path)], check=True, env=env, capture_output=True)
        return
    monkeypatch.setattr(sys, "argv", [str(path)])
    with redirect_stdout(io.StringIO()):
        runpy.run_path(str(path), run_name="__main__")


def test_the_gallery_lists_every_script():
    text = (ROOT / "docs" / "gallery.md").read_text()
    assert [p.name for p in EXAMPLES if f"`{p.name}`" not in text] == []


def test_links_between_the_pages_lead_somewhere():
    dead = []
    for page in [*PAGES, ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                dead.append(f"{page.name}: {target}")
    assert not dead, dead


def test_the_api_pages_name_what_exists():
    for page in (ROOT / "docs" / "api").glob("*.md"):
        for name in re.findall(r"^::: (\S+)", page.read_text(), flags=re.M):
            try:
                importlib.import_module(name)
            except ModuleNotFoundError:
                module, _, member = name.rpartition(".")
                assert hasattr(importlib.import_module(module), member), name


@pytest.mark.slow
def test_the_documentation_builds(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the extra 'docs'")
    pytest.importorskip("mkdocstrings", reason="needs the extra 'docs'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "run_study" in (tmp_path / "site" / "api" / "batch.html").read_text()
