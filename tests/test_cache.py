"""Machine code on disk: found again, not taken for current when sources changed, quick to load."""

import sys

import numpy as np
import pytest
from numba.core.environment import Environment

from aligner.kernels import _cache, lexicon


@pytest.fixture
def file(tmp_path):
    return lambda: _cache._KernelFile(str(tmp_path), "kernel", "stamp")


def test_code_is_found_until_any_source_of_the_room_changes(file, monkeypatch):
    file().save("signature", {"code": 1})
    assert file().load("signature") == {"code": 1}
    assert file().load("another signature") is None
    monkeypatch.setattr(_cache, "_sources", lambda: "changed")
    assert file().load("signature") is None


def test_every_source_of_the_room_counts(tmp_path, monkeypatch):
    for name in ("a.py", "b.py", "a.nbi"):
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(_cache, "__file__", str(tmp_path / "_cache.py"))
    sources = _cache._sources.__wrapped__
    before = sources()
    (tmp_path / "a.nbi").write_text("y")
    assert sources() == before
    (tmp_path / "b.py").write_text("y")
    assert sources() != before


def test_kernels_use_it():
    """Numba's own does where ours cannot; with the version that is installed, it can."""
    assert isinstance(lexicon.uniform._cache, _cache.KernelCache)
    table = np.zeros((2, 2), np.float32)
    columns, shares = np.array([-1, 0], np.int32), np.ones(2, np.float32)
    lexicon.uniform(0, 1, np.array([1, 2, 2]), columns, shares, shares, table)
    assert table[1].tolist() == [1, 1]


def test_without_a_place_to_write_kernels_are_compiled_anew(monkeypatch):
    def refuse(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(_cache, "_OpenCache", refuse)
    nowhere = _cache.KernelCache(lexicon.uniform.py_func)
    assert nowhere.cache_path is None
    assert nowhere.load_overload("signature", None) is None
    nowhere.save_overload("signature", None)


def test_loading_does_not_import_the_compiler(file):
    environment = Environment({"__name__": "numba.never.imported"})
    environment.env_name = "an environment that is nowhere else"
    environment.consts.append("constant")
    file().save("signature", [environment])
    del environment
    (loaded,) = file().load("signature")
    assert loaded.consts == ["constant"]
    assert loaded.globals == {"__name__": "numba.never.imported"}
    assert "numba.never" not in sys.modules
