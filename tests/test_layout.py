"""How the house is built: imports point downwards, import is light, files are short, names are documented."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spacar_py

ROOT = Path(spacar_py.__file__).resolve().parent
REPOSITORY = Path(__file__).resolve().parent.parent

# lower numbers know nothing of higher ones; packages stand for all their modules
RANK = {
    "errors": 0, "rotations": 0, "_version": 0, "_jit": 0, "_outline": 0,
    "linalg": 1, "matching": 1, "tables": 1, "signals": 1, "checks": 1,
    "elements": 2,
    "build": 3, "structure": 3, "largestructure": 3, "system": 3, "controller": 3, "primitives": 3,
    "assembly": 4,
    "kinematics": 5,
    "dynamics": 6,
    "tangent": 7, "continuation": 7, "evaluation": 7,
    "integrate": 8,
    "linearize": 9,
    "ami": 10,
}  # fmt: skip
NUMERICS = {name for name, rank in RANK.items() if rank <= 8}
LONG = {}  # files above 400 lines, with the reason


def modules():
    """(dotted name, path) of every module of the package."""
    for path in sorted(ROOT.rglob("*.py")):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path


def imports(name, path, lazy=True):
    """Dotted names, within the package, of what a module imports; with `lazy` also inside functions."""
    tree = ast.parse(path.read_text())
    nodes = ast.walk(tree) if lazy else tree.body
    here = name.split(".")
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            for alias in node.names:
                yield ".".join([*base, *([node.module] if node.module else [alias.name])])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "spacar_py":
            yield ".".join(node.module.split(".")[1:])


def top(name):
    return name.split(".")[0]


def test_imports_point_downwards_only():
    wrong = []
    for name, path in modules():
        for other in imports(name, path):
            a, b = top(name), top(other)
            if a in RANK and b in RANK and a != b and RANK[b] >= RANK[a] and not (RANK[a] == RANK[b] and RANK[a] <= 3):
                wrong.append(f"{name} imports {other}")
    assert not wrong, wrong


def test_numerics_never_see_the_users_objects():
    wrong = []
    for name, path in modules():
        if top(name) in NUMERICS:
            above = [other for other in imports(name, path) if other and top(other) not in NUMERICS]
            wrong += [f"{name} imports {other}" for other in above]
    assert not wrong, wrong


def test_imports_at_module_level_form_no_circle():
    graph = {name: {o for o in imports(name, path, lazy=False)} for name, path in modules()}
    done, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name in done or name not in graph:
            return
        path.append(name)
        for other in graph[name]:
            visit(other)
        path.pop()
        done.add(name)

    for name in graph:
        visit(name)


@pytest.mark.parametrize("heavy", ["numba", "scipy", "matplotlib", "h5py"])
def test_import_of_the_package_loads_no_heavy_module(heavy):
    code = f"import sys, spacar_py; print('{heavy}' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert out.stdout.strip() == "False"


@pytest.mark.parametrize("library", ["matplotlib", "h5py"])
def test_plots_and_archives_load_their_libraries_only_when_used(library):
    """No module needs them to be imported, but those made for them."""
    wrong = []
    for name, path in modules():
        for node in ast.parse(path.read_text()).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            made_for_it = re.search("plot|draw|figure|movie|archive|cli", name)
            if any(top(n) == library for n in names) and not made_for_it:
                wrong.append(name)
    assert not wrong, wrong


def test_files_are_short():
    long = {p.name: n for _, p in modules() if (n := len(p.read_text().splitlines())) > 400}
    assert set(long) <= set(LONG), f"above 400 lines without a reason: {long}"


def test_no_file_knows_the_machine_it_was_written_on():
    places = re.compile("|".join(["/" + p + "/" for p in ("work", "home", "Users", "root", "tmp")] + [r"[A-Z]:\\\\"]))
    found = []
    for folder in ("spacar_py", "tests", "benchmarks", "docs"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".cfg", ".toml", ".sh") and places.search(path.read_text()):
                found.append(str(path.relative_to(REPOSITORY)))
    assert not found, found


@pytest.mark.parametrize("name", [n for n in spacar_py.__all__ if n != "__version__"])
def test_every_public_name_is_documented(name):
    thing = getattr(spacar_py, name)
    own = thing.__dict__.get("__doc__") if isinstance(thing, type) else thing.__doc__
    assert own and own.strip()


def test_every_public_method_is_documented():
    for thing in (getattr(spacar_py, n) for n in spacar_py.__all__):
        for name in vars(thing) if isinstance(thing, type) else ():
            method = getattr(thing, name)
            documented = name.startswith("_") or not callable(method) or inspect.getdoc(method)  # may be inherited
            assert documented, f"{thing.__name__}.{name}"


def test_dir_lists_what_is_loaded_later():
    assert set(spacar_py.__all__) <= set(dir(spacar_py))


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'spacar_py' has no attribute 'Modle'"):
        spacar_py.Modle  # noqa: B018
