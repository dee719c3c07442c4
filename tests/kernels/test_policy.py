"""The compilation policy: errors, the cache, compilations, and runs without compilation."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.registry import CPUDispatcher

from aligner import kernels
from aligner.kernels import policy

ROOT = Path(__file__).resolve().parents[2]


@policy.kernel
def element(array, index):
    """Return an element of an array."""
    return array[index]


def python(code, *arguments, **environment):
    """Return what some code writes to stdout in a process with these environment variables."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command, env=os.environ | environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bounds_are_checked_on_request():
    code = """
import numpy as np
from tests.kernels.test_policy import element
try:
    element(np.zeros(3), 3)
except IndexError:
    print("refused")
"""
    assert python(code, NUMBA_BOUNDSCHECK="1") == "refused\n"


# The cache


@pytest.mark.parametrize(("name", "value"), [("NUMBA_OPT", "1"), ("NUMBA_BOUNDSCHECK", "1")])
def test_settings_change_the_cache_key(monkeypatch, name, value):
    monkeypatch.delenv(name, raising=False)
    before, folder = policy.cache_key(), policy.cache_folder()
    monkeypatch.setenv(name, value)
    assert policy.cache_key() != before
    assert policy.cache_folder() != folder
    monkeypatch.delenv(name)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")  # settings of places and threads change nothing
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert policy.cache_key() == before


def test_every_source_of_a_kernel_is_in_the_cache_key(monkeypatch, tmp_path):
    copied = shutil.copytree(Path(policy.__file__).parent, tmp_path / "kernels")
    monkeypatch.setattr(policy, "__file__", str(copied / "policy.py"))
    keys = {policy.cache_key()}
    for name in ("ibm1.py", "hmm/group.py", "constants.py"):
        with (copied / name).open("a") as file:
            file.write("#")
        keys.add(policy.cache_key())
    assert len(keys) == 4


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_files_that_vanish_from_the_cache_are_no_error(monkeypatch, tmp_path):
    """Another process that compiles kernels writes temporary files and renames them."""
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path))
    folder, _ = policy.cache_folder()
    monkeypatch.setattr(Path, "rglob", lambda path, pattern: iter([path / "kernel.nbi.tmp.0"]))
    assert policy.distrust(folder) == ""


def test_the_cache_is_beside_the_kernels_or_among_the_user_s_caches(monkeypatch, tmp_path):
    monkeypatch.setattr(policy._config, "CACHE_DIR", "")
    monkeypatch.setattr(policy, "_user_caches", lambda: str(tmp_path / "user"))
    (tmp_path / "package").mkdir()
    monkeypatch.setattr(policy, "__file__", str(tmp_path / "package" / "policy.py"))
    assert Path(policy.cache_folder()[0]).parent == tmp_path / "package" / "__pycache__"
    (tmp_path / "file").touch()  # a folder in a file cannot be made, by root either
    monkeypatch.setattr(policy, "__file__", str(tmp_path / "file" / "policy.py"))
    assert Path(policy.cache_folder()[0]).parent == tmp_path / "user" / "accord-align"
    monkeypatch.setattr(policy, "_user_caches", lambda: "~")
    assert policy.cache_folder()[0] is None
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path / "given"))
    assert Path(policy.cache_folder()[0]).parent == tmp_path / "given"
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path / "file"))
    assert policy.cache_folder()[0] is None


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("darwin", None, "Library/Caches"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
    ],
)
def test_the_user_s_caches_are_where_the_system_keeps_them(monkeypatch, tmp_path, platform, variable, folder):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    if variable:
        monkeypatch.delenv(variable, raising=False)
    assert Path(policy._user_caches()) == tmp_path / folder
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "other"))
        assert Path(policy._user_caches()) == tmp_path / "other"


# Compilations

SET_TWICE = """
import numpy as np
from aligner import kernels
kernels.policy.on_compilation(lambda number, cached: print(f"compiling {number}, cached: {cached}"))
used = np.zeros(3, np.bool_)
for pair_id in (2, 0):
    kernels.cells.set_pairs(np.array([pair_id], np.uint32), used)
kernels.counts.add_to_rows(np.array([1]), np.array([[1]]), np.zeros((3, 1), np.int64))
print(used.tolist())
"""


def test_compilations_are_numbered_and_run_if_code_cannot_be_cached(tmp_path):
    (tmp_path / "file").touch()
    out = python(SET_TWICE, NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert out == "compiling 1, cached: False\ncompiling 2, cached: False\n[True, False, True]\n"


def test_iterations_do_not_last_longer_by_compilation_or_by_waiting_for_it(tmp_path):
    code = """
import time
import numpy as np
from aligner import kernels
kernels.policy.compiled_elsewhere(["cells"], (time.sleep(0.5) or name for name in ["cells"]))
begun, working = time.perf_counter(), kernels.policy.working_time()
kernels.cells.set_pairs(np.zeros(1, np.uint32), np.zeros(3, np.bool_))
print(time.perf_counter() - begun, kernels.policy.working_time() - working)
"""
    elapsed, worked = map(float, python(code, NUMBA_CACHE_DIR=str(tmp_path)).split())
    assert elapsed > 0.5
    assert worked < elapsed - 0.5


PARTED = """
from aligner.kernels import policy
@policy.part
def total(values, scale):
    result = 0.0
    for k in range(1, len(values)):
        for value in values[:k]:
            result += scale * value * value / (1.0 + value) if value > scale else value ** scale
    return result
@policy.kernel
def run(values):
    return total(values, 0.5) + total(values, 0.25) + total(values[1:], 0.75)
"""


def test_kernels_call_no_part(tmp_path):
    """A process that compiles a kernel would call other code for a part than one that loads the kernel."""
    (tmp_path / "parted.py").write_text(PARTED)
    code = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import parted
parted.run(np.ones(9))
(assembly,) = parted.run.inspect_asm().values()
print([line for line in assembly.splitlines() if "5total" in line and ("mov" in line or "call" in line)])
"""
    assert python(code, str(tmp_path), NUMBA_CACHE_DIR=str(tmp_path)) == "[]\n"


AWAIT = """
from aligner import kernels
def compiled():
    for name in {compiled}:
        print(f"{{name}} is compiled")
        yield name
kernels.policy.compiled_elsewhere(["hmm", "links"], compiled())
for name in ("cells", "links", "hmm"):
    kernels.policy.await_module(name)
    print(f"{{name}} is used")
"""


@pytest.mark.parametrize(
    ("compiled", "printed"),
    [
        (
            ["hmm", "links", "more"],
            "cells is used,hmm is compiled,links is compiled,links is used,hmm is used",
        ),
        (["hmm"], "cells is used,hmm is compiled,links is used,hmm is used"),  # the other process has ended
    ],
    ids=["running", "ended"],
)
def test_a_module_is_awaited_until_it_is_compiled(compiled, printed):
    assert python(AWAIT.format(compiled=compiled)).splitlines() == printed.split(",")


def test_unreadable_files_of_the_cache_are_replaced(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "error"}
    compiled = "compiling 1, cached: True\ncompiling 2, cached: True\n[True, False, True]\n"
    assert python(SET_TWICE, **environment) == compiled
    for name, content in (("*set_pairs*.nbi", b""), ("*add_to_rows*.nbc", b"\x80\x05")):
        (path,) = tmp_path.rglob(name)
        path.write_bytes(content)
    assert python(SET_TWICE, **environment | {"PYTHONWARNINGS": "ignore"}) == compiled
    assert python(SET_TWICE, **environment) == "[True, False, True]\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_a_cache_without_room_is_not_used(tmp_path):
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))" + SET_TWICE
    silenced = "import warnings; caught = warnings.catch_warnings(record=True).__enter__();" + limited
    said = "print(len(caught), 'cannot be written (File too large)' in str(caught[0].message))"
    out = python(silenced + said, NUMBA_CACHE_DIR=str(tmp_path))
    assert out.endswith("[True, False, True]\n1 True\n")
    assert not list(tmp_path.rglob("*.tmp*"))


PRINT_POSTERIORS = """
from aligner import kernels
from tests.kernels.cases import make_block
compiling = []
kernels.policy.on_compilation(lambda number, cached: compiling.append(cached))
cells, model = make_block("ibm1", [(1, 1), (7, 40), (33, 29)], 0)
counts = model.new_counts()
log_likelihood = model.posteriors(cells, counts)
for array in (cells.links, cells.null, log_likelihood, counts):
    print(array.tobytes().hex())
print(compiling)
"""


@pytest.mark.slow
def test_compiled_and_cached_kernels_give_the_same_bytes(tmp_path):
    """A process that compiles the kernels infers the same bytes as the next process, which loads them."""
    outputs = [python(PRINT_POSTERIORS, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() for _ in range(2)]
    assert [lines.pop() for lines in outputs] == ["[True]", "[]"]
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) == 4


# Kernels and helpers


def dispatchers():
    """Return every compiled function of the package."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(kernels.__path__, "aligner.kernels.")
    ]
    functions = [f for module in modules for f in vars(module).values() if isinstance(f, CPUDispatcher)]
    return list({id(function): function for function in functions}.values())


def test_kernels_call_helpers_and_parts_only():
    """A kernel contains all that it calls: a call of another kernel would need that kernel's cache."""
    assert len(dispatchers()) > 80
    for function in dispatchers():
        names = function.py_func.__code__.co_names
        called = [function.py_func.__globals__.get(name) for name in names]
        for other in called:
            assert not isinstance(other, CPUDispatcher) or not other.targetoptions.get("nogil"), function


# Without compilation and without Numba

TEXT = [
    ("la maison bleue", "the blue house"),
    ("la maison", "the house"),
    ("la fleur", "the flower"),
    ("une fleur bleue", "a blue flower"),
    ("la petite maison", "the small house"),
]
NEW_TEXT = [("la maison de Toto 1234", "the house of Toto 1234"), ("le lion", "the lions")]


@pytest.mark.slow
def test_python_definitions_give_the_links_of_compiled_code(tmp_path):
    """The default recipe trains and decodes a tiny text, with out-of-vocabulary words, as plain Python."""
    for name, pairs in (("train", TEXT), ("new", NEW_TEXT)):
        for side in (0, 1):
            (tmp_path / f"{name}{side}").write_text("".join(pair[side] + "\n" for pair in pairs))
    text, new = ([str(tmp_path / f"{name}{side}") for side in (0, 1)] for name in ("train", "new"))
    links = []
    for mode in ("compiled", "python"):
        model, trained, decoded = (
            str(tmp_path / f"{name}.{mode}") for name in ("model", "trained", "decoded")
        )
        commands = [["train", *text, "-m", model, "--links", trained], ["decode", model, *new, "-o", decoded]]
        run = f"from tests.program import run_here; print([run_here([*c, '-q']) for c in {commands}])"
        settings = {"NUMBA_DISABLE_JIT": "1"} if mode == "python" else {}  # others would compile anew
        assert python(run, PYTHONWARNINGS="ignore", **settings) == "[0, 0]\n"
        links.append((Path(trained).read_text(), Path(decoded).read_text()))
    assert links[0] == links[1]
    assert links[0][0].splitlines()[1] == "0-0 1-1"
