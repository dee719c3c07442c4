"""The architecture: packages import only packages below them, and files stay short."""

import ast
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

STOREYS = [
    "cli", "serve", "view", "learning", "analysis", "compat", "pivots", "shards", "training", "priors",
    "recipe", "decoding", "criteria", "models", "lexicon", "sample", "annotations", "links", "storage",
    "pieces", "text", "scripture", "files", "system", "kernels", "foundation",
]  # fmt: skip
"""The packages from the top down. Each may import those after it."""

FOUNDATION = {"arguments", "arrays", "errors", "extensions", "messages", "registry", "_version"}
"""Modules of ``aligner`` itself, which every package may import."""

WITHOUT_NUMBA = {"constants", "structs"}
"""Kernel modules that other packages may import by name. All others load when they are first used."""

THIRD_PARTY = {
    "cli": {"click", "tqdm"},
    "analysis": {"numpy", "matplotlib"},
    "serve": {"numpy", "starlette", "uvicorn"},
    "learning": {"numpy", "lightgbm"},
    "training": {"numpy", "tqdm"},
    "view": {"numpy", "anywidget", "traitlets"},
    "kernels": {"numpy", "numba", "llvmlite"},
    "shards": {"numpy", "dask", "distributed"},
    "scripture": {"numpy", "usfmtc"},
}
"""What a package may import from outside; by default NumPy."""

SHELF = [
    f"aligner.{name}"
    for name in ("serve", "view", "compat", "pivots", "sample", "annotations", "links.remap")
]
"""The packages and modules that training, decoding, scoring, symmetrising and learning do without."""

LONGEST_FILE = 500


@cache
def sources():
    """Return module name -> syntax tree, for everything in aligner/ and cli/."""
    found = {}
    for package in ("aligner", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def storey(module):
    """Return the package that a dotted module name belongs to; None for the front door."""
    parts = module.split(".")
    if parts[0] == "cli" or parts[:2] == ["aligner", "cli"]:
        return "cli"
    if parts[0] != "aligner" or len(parts) == 1 or parts[1] == "__main__":
        return None
    return "foundation" if parts[1] in FOUNDATION else parts[1]


@cache
def imports(module):
    """Return the dotted names of what a module imports, with relative imports made absolute."""
    names = []
    for node in ast.walk(sources()[module]):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = ".".join(filter(None, ["cli" if node.level else "", node.module]))
            names += [f"{home}.{alias.name}" for alias in node.names]
    return names


def edges(module):
    """Return the other packages that a module imports. Names of the front door belong to no package."""
    own = storey(module)
    found = {storey(name) for name in imports(module) if name.startswith(("aligner.", "cli."))}
    return {other for other in found if other in STOREYS} - {own}


@cache
def graph():
    """Return (package, package below) -> number of files that import it."""
    return Counter((storey(module), below) for module in modules() for below in edges(module))


@cache
def modules():
    """Return the modules that belong to a package, sorted."""
    return sorted(name for name in sources() if storey(name))


def test_every_module_has_a_storey():
    assert {storey(name) for name in modules()} == set(STOREYS)


@pytest.mark.parametrize("package", STOREYS)
def test_a_package_imports_only_packages_below(package):
    lower = set(STOREYS[STOREYS.index(package) + 1 :])
    upward = {below for above, below in graph() if above == package} - lower
    assert not upward, f"{package} imports {', '.join(sorted(upward))}, which stand above it"


def on_shelf(name):
    """Return whether a dotted name is of a shelf module or in one."""
    return any(f"{name}.".startswith(f"{shelf}.") for shelf in SHELF)


def test_the_core_imports_nothing_from_the_shelf():
    core = [module for module in modules() if storey(module) != "cli" and not on_shelf(module)]
    assert [(module, name) for module in core for name in imports(module) if on_shelf(name)] == []


def test_the_import_graph_is_small():
    assert len(graph()) <= 173


def test_kernels_load_lazily():
    """Import ``kernels``, not a module in it, so that Numba is imported only when a kernel is called."""
    others = [module for module in modules() if storey(module) != "kernels"]
    named = [
        (module, name)
        for module in others
        for name in imports(module)
        if name.startswith("aligner.kernels.") and name.split(".")[2] not in WITHOUT_NUMBA
    ]
    assert named == []


def test_other_packages_stay_where_they_are_used():
    known = {"aligner", "cli", "backports", *sys.stdlib_module_names}
    for module in modules():
        outside = {name.split(".")[0] for name in imports(module)} - known
        assert outside <= THIRD_PARTY.get(storey(module), {"numpy"}), module


def test_no_data_is_run_as_code():
    for module in modules():
        nodes = list(ast.walk(sources()[module]))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = [
            call.func for call in calls if not all(isinstance(part, ast.Constant) for part in call.args)
        ]
        assert not {"eval", "exec", "compile"} & {node.id for node in called if isinstance(node, ast.Name)}
        assert not {"pickle", "marshal", "shelve", "dill"} & {name.split(".")[0] for name in imports(module)}
        options = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "allow_pickle"]
        assert {ast.unparse(option.value) for option in options} <= {"False"}, module


def test_the_front_door_imports_no_package():
    """Names of ``aligner`` are loaded when they are first used."""
    tree = sources()["aligner"]
    top = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert {name for name in top if name and name.startswith("aligner.")} == {"aligner._version"}


@pytest.mark.parametrize("folder", ["aligner", "cli", "tests"])
def test_files_are_short(folder):
    lines = {path: path.read_text("utf-8").count("\n") for path in (ROOT / folder).rglob("*.py")}
    long = [str(path) for path in lines if lines[path] > LONGEST_FILE]
    assert not long, "a long file holds two ideas"
