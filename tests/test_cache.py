"""Machine code on disk: found again, not taken for current when sources changed, quick to load."""

import importlib
import pkgutil
import sys

import numpy as np
import pytest
from numba.core.environment import Environment

from aligner import kernels
from aligner.kernels import _cache, _jit, lexicon


@pytest.fixture
def file(tmp_path):
    return lambda sources="sources": _cache.CodeFile(tmp_path / "kernel", sources)


def test_code_is_found_until_sources_change(file):
    assert file().load() is None
    file().save({"code": 1})
    assert file().load() == {"code": 1}
    assert file("others").load() is None
    file("others").save({"code": 2})
    assert file("others").load() == {"code": 2}
    assert file().load() is None


def test_half_a_file_is_no_code(file, tmp_path):
    file().save({"code": 1})
    whole = (tmp_path / "kernel").read_bytes()
    for size in (0, 10, len(whole) - 1):
        (tmp_path / "kernel").write_bytes(whole[:size])
        assert file().load() is None


def test_code_that_cannot_be_saved_is_not(tmp_path):
    (tmp_path / "a folder").mkdir()
    _cache.CodeFile(tmp_path / "a folder", "sources").save("code")
    assert [path.name for path in tmp_path.iterdir()] == ["a folder"]
    (tmp_path / "a file").touch()
    _cache.CodeFile(tmp_path / "a file" / "kernel", "sources").save("code")


def test_every_source_of_the_room_counts(tmp_path, monkeypatch):
    for name in ("a.py", "b.py", "a.nbc"):
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(_cache, "__file__", str(tmp_path / "_cache.py"))
    sources = _cache._sources.__wrapped__
    before = sources()
    (tmp_path / "a.nbc").write_text("y")
    assert sources() == before
    (tmp_path / "b.py").write_text("y")
    assert sources() != before


def test_a_kernel_elsewhere_counts_its_own_source_too(tmp_path):
    with_own = _cache._sources_with.__wrapped__
    assert with_own(lexicon.__file__) == with_own("<no file>") == _cache._sources()
    elsewhere = tmp_path / "kernel.py"
    seen = set()
    for text in "xyx":
        elsewhere.write_text(text)
        seen.add(with_own(str(elsewhere)))
    assert len(seen) == 2
    assert _cache._sources() not in seen


def test_kernels_use_it():
    """Numba's own does where ours cannot; with the version that is installed, it can."""
    assert isinstance(lexicon.uniform.dispatcher._cache, _cache.KernelCache)
    table = np.zeros((2, 2), np.float32)
    columns, shares = np.array([-1, 0], np.int32), np.ones(2, np.float32)
    lexicon.uniform(0, 1, np.array([1, 2, 2]), columns, shares, shares, table)
    assert table[1].tolist() == [1, 1]


@_jit.inlined
def tail(array, size):
    return np.zeros(size) + array[-1]


def last(array, size):
    return tail(array, size)[-1]


def test_without_a_place_to_write_there_is_no_cache(monkeypatch):
    def refuse(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(_cache, "_folders", {})
    monkeypatch.setattr(_cache, "CompileResultCacheImpl", refuse)
    nowhere = _cache.KernelCache(lexicon.uniform.py_func)
    assert nowhere.cache_path is None
    context = lexicon.uniform.dispatcher.targetctx
    assert nowhere.load_overload("signature", context) is None
    nowhere.save_overload("signature", context)


@pytest.mark.parametrize("place", [True, False])
def test_what_one_process_compiled_another_loads(place, tmp_path, monkeypatch):
    """Where there is a place to write to; where there is none, it compiles anew."""
    monkeypatch.setattr(_cache, "_folder", lambda function: str(tmp_path / "new") if place else None)
    for hits in (0, int(place)):
        kernel = _jit.kernel(last)
        assert kernel(np.array([1.0, 2.0]), 3) == 2.0
        with pytest.raises(MemoryError):
            kernel(np.array([1.0, 2.0]), 2**50)
        assert sum(kernel.dispatcher.stats.cache_hits.values()) == hits
    assert len(list(tmp_path.glob("new/*.nbc"))) == place
    assert _jit.kernel(last)(np.array([1, 2]), 3) == 2  # arguments of other types have other code
    assert len(list(tmp_path.glob("new/*.nbc"))) == 2 * place
    monkeypatch.setattr(_cache, "_sources_with", lambda own: "changed")
    kernel = _jit.kernel(last)
    assert kernel(np.array([1.0, 2.0]), 3) == 2.0
    assert not kernel.dispatcher.stats.cache_hits


def test_kernels_call_no_kernels():
    """Code that was loaded cannot be made a part of other code."""
    rooms = [
        importlib.import_module(f"aligner.kernels.{room.name}")
        for room in pkgutil.iter_modules(kernels.__path__)
    ]
    compiled = [f for room in rooms for f in vars(room).values() if isinstance(f, _jit._Compiled)]
    assert len(compiled) > 100
    for function in compiled:
        names = function.py_func.__code__.co_names
        used = [function.py_func.__globals__.get(name) for name in names]
        assert not any(isinstance(other, _jit._Kernel) for other in used), function.py_func


def test_only_kernels_can_be_called():
    assert callable(_jit.kernel(last))
    assert not callable(tail)
    assert lexicon.uniform.__doc__.startswith("table[k] = ")


def test_loading_does_not_import_the_compiler(file):
    environment = Environment({"__name__": "numba.never.imported"})
    environment.env_name = "an environment that is nowhere else"
    environment.consts.append("constant")
    file().save([environment])
    del environment
    (loaded,) = file().load()
    assert loaded.consts == ["constant"]
    assert loaded.globals == {"__name__": "numba.never.imported"}
    assert "numba.never" not in sys.modules
