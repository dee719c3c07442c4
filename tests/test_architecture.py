"""Imports go one way: the layers of the package, read from its source."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TEXT = {"errors", "compression", "files", "textio", "sentences", "corpus", "links"}
ALLOWED = {
    # text and links: no numba
    "errors": set(),
    "_version": set(),
    "__main__": set(),
    "compression": {"errors"},
    "files": {"errors", "compression"},
    "textio": {"errors", "files"},
    "links": {"errors"},
    "pharaoh": {"errors", "files", "textio", "links"},
    "gold": {"errors", "files", "links", "pharaoh"},
    "show": {"errors", "files", "textio", "pharaoh"},
    "remap": {"errors", "files", "textio", "pharaoh"},
    "symmetrize": {"errors", "links"},
    "evaluation": {"_version", "errors", "links", "gold"},
    "invented": set(),
    "sample": {"errors", "links", "gold", "invented"},
    "recipes": {"errors"},
    "sizes": {"errors"},
    "limits": set(),
    # inference
    "kernels": set(),
    "parallel": {"errors"},
    "heap": set(),
    "words": {"kernels"},
    "spelling": {"kernels"},
    "encoding": {"errors", "textio", "kernels", "parallel", "words"},
    "sentences": {"errors", "kernels", "parallel", "words", "encoding"},
    "corpus": {"errors", "files", "heap", "textio", "words", "encoding", "sentences"},
    "blocks": {"kernels"},
    "pairs": {"errors", "kernels", "sentences", "corpus", "parallel", "blocks"},
    "celltext": {"kernels", "sentences", "corpus", "blocks", "pairs", "parallel"},
    "lexicon": {"kernels", "pairs", "parallel"},
    "models": {"kernels", "errors", "blocks", "lexicon"},
    "objectives": {"kernels", "errors", "sentences", "blocks", "celltext", "lexicon", "models"},
    # training and decoding
    "variants": {"kernels", "models", "blocks"},
    "restarts": {"lexicon"},
    "stepwise": {"objectives"},
    "evidence": {*TEXT, "pharaoh", "kernels", "blocks", "pairs", "models", "objectives", "variants"},
    "cognates": {"kernels", "corpus", "objectives", "pairs", "parallel", "spelling"},
    "unknown": {"kernels", "sentences", "corpus", "models", "blocks", "spelling", "variants"},
    "model": {"errors", "sentences", "corpus", "models"},
    "scores": {*TEXT, "lexicon", "model", "blocks"},
    "export": {*TEXT, "model"},
    "pruning": {"kernels", "objectives", "models", "blocks", "celltext", "parallel"},
    "sharing": {"kernels", "sentences", "objectives", "models", "blocks", "celltext"},
    "expectation": {
        "errors",
        "kernels",
        "corpus",
        "objectives",
        "models",
        "blocks",
        "celltext",
        "sharing",
        "parallel",
    },
    "decoder": {*TEXT, "kernels", "symmetrize", "blocks", "models", "objectives", "model", "scores"},
    "decoding": {*TEXT, "parallel", "celltext", "models", "model", "scores", "unknown", "decoder"},
    "config": {"errors", "recipes", "models", "objectives", "variants", "stepwise", "pruning", "decoder"},
    "by_word": {
        "kernels",
        "sentences",
        "pairs",
        "celltext",
        "models",
        "objectives",
        "variants",
        "parallel",
        "evidence",
        "expectation",
        "config",
    },
    "memory": {
        *TEXT,
        "sizes",
        "limits",
        "celltext",
        "models",
        "pruning",
        "evidence",
        "config",
        "by_word",
    },
    "container": {*TEXT, "_version"},
    "storage": {*TEXT, "container", "models", "model", "lexicon", "pairs"},
    "checkpoint": {
        *TEXT,
        "_version",
        "celltext",
        "config",
        "container",
        "evidence",
        "model",
        "objectives",
        "blocks",
        "storage",
    },
    "training": {
        *TEXT,
        "cognates",
        "config",
        "evidence",
        "expectation",
        "pruning",
        "restarts",
        "celltext",
        "memory",
        "checkpoint",
        "encoding",
        "objectives",
        "models",
        "model",
        "lexicon",
        "by_word",
        "pairs",
        "parallel",
    },
    "shift": set(),
    "streaming": {*TEXT, "shift", "heap", "decoder", "decoding", "model", "parallel", "pharaoh", "scores"},
    "development": {*TEXT, "decoder", "decoding", "evaluation", "gold", "model"},
}
"""Each room of ``aligner`` with the rooms it may import; every room comes after those it imports."""

WITHOUT_NUMBA = [
    "errors",
    "files",
    "textio",
    "links",
    "pharaoh",
    "gold",
    "show",
    "remap",
    "symmetrize",
    "evaluation",
    "invented",
    "sample",
    "recipes",
    "sizes",
]

OF_THE_COMMAND_LINE = set(ALLOWED) - {
    "kernels",
    "parallel",
    "sentences",
    "cognates",
    "spelling",
    "unknown",
    "invented",
    "blocks",
    "pairs",
    "lexicon",
    "models",
    "objectives",
    "variants",
    "restarts",
    "stepwise",
    "sharing",
    "expectation",
    "pruning",
    "celltext",
}

TOLERATED = {
    # The message that kernels are being compiled.
    ("cli.report", "kernels"),
}
"""Edges that break the rule, as they stand; a new one needs a better reason than these have."""

THIRD_PARTY = {"aligner": {"numpy"}, "cli": {"click", "tqdm"}}
OF_ONE_MODULE = {
    "aligner.kernels._compile": {"numpy", "numba", "llvmlite"},
    "aligner.kernels._intrinsics": {"numba", "llvmlite"},
    "aligner.kernels._lanes": {"numba", "llvmlite"},
    "aligner.kernels._llvm": {"numba", "llvmlite"},
    "aligner.kernels._machine": {"numpy", "llvmlite"},
    "aligner.kernels._numba": {"numba"},
}
"""What compiles kernels, and what links them."""


@cache
def sources():
    """Module name -> its syntax tree, for everything in aligner/ and cli/."""
    found = {}
    for package in ("aligner", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def imports(tree, *, for_types=True):
    """Dotted names of what a module imports; without those that only a type checker sees, if said so."""
    hidden = set()
    if not for_types:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                hidden.update(id(inner) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Only ``cli`` speaks of itself relatively: where it is installed, it is ``aligner.cli``.
            home = ".".join(filter(None, ["cli" if node.level else "", node.module]))
            # `from aligner import links` may name a module as well as something in one.
            yield from (f"{home}.{alias.name}" for alias in node.names)


def room(name):
    """The room of ``aligner`` that a dotted name leads to; None for the front door itself."""
    return name.split(".")[1] if name.startswith("aligner.") and name.split(".")[1] in ALLOWED else None


def edges(module, **options):
    """The other rooms that a module imports."""
    found = {room(name) for name in imports(sources()[module], **options)} - {None, room(module)}
    return {edge for edge in found if (module, edge) not in TOLERATED}


ROOMS = [name for name in sources() if name.startswith("aligner.")]
COMMANDS = [name for name in sources() if name.startswith("cli.")]


@pytest.mark.parametrize("module", ROOMS)
def test_a_room_imports_only_the_rooms_below_it(module):
    assert room(module), f"{module}: a new room; say in ALLOWED what it may import"
    assert edges(module) <= ALLOWED[room(module)]


def test_the_layers_are_layers():
    below = set()
    for name, allowed in ALLOWED.items():
        assert allowed <= below, name
        below.add(name)


def test_the_library_knows_nothing_of_the_command_line():
    for module in ("aligner", *ROOMS):
        others = ("cli.", "aligner.cli", "tests.")
        reached = [name for name in imports(sources()[module]) if name.startswith(others)]
        assert not reached, module


@pytest.mark.parametrize("module", COMMANDS)
def test_commands_speak_to_the_front_rooms(module):
    assert edges(module) <= OF_THE_COMMAND_LINE


@pytest.mark.parametrize("module", ["aligner", *ROOMS, *COMMANDS])
def test_other_packages_stay_in_their_rooms(module):
    known = OF_ONE_MODULE.get(module, THIRD_PARTY[module.split(".")[0]])
    outside = {name.split(".")[0] for name in imports(sources()[module])} - {"aligner", "cli"}
    assert outside - set(sys.stdlib_module_names) <= known


@pytest.mark.parametrize("name", WITHOUT_NUMBA)
def test_what_needs_no_numba_does_not_reach_it(name):
    reached, new = set(), {name}
    while new:
        reached |= new
        modules = [module for module in ROOMS if room(module) in new]
        new = set().union(*(edges(module, for_types=False) for module in modules)) - reached
    assert "kernels" not in reached


def test_the_front_door_loads_nothing():
    """What ``aligner`` offers is imported when it is first used; see ``__getattr__`` there."""
    assert {room(name) for name in imports(sources()["aligner"], for_types=False)} <= {None, "_version"}


@pytest.mark.parametrize("module", COMMANDS)
def test_a_command_is_a_short_file(module):
    verbs = {"report", "options", "main", "table", "process", "notices"}
    limit = 130 if module.split(".")[1] in verbs else 85
    path = ROOT / Path(*module.split(".")).with_suffix(".py")
    assert len(path.read_text("utf-8").splitlines()) <= limit


def test_what_is_tolerated_is_still_there():
    for module, edge in TOLERATED:
        assert edge in {room(name) for name in imports(sources()[module])}, (module, edge)
