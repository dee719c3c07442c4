"""Numba's cache of machine code on disk, made quick to load from and safe to edit kernels under.

This relies on insides of Numba, which it does not promise to keep: importing this module fails without them.
"""

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.environment import Environment, _rebuild_env, lookup_environment
from numba.core.runtime import rtsys

if not all(hasattr(FunctionCache, name) for name in ("_load_overload", "_guard_against_spurious_io_errors")):
    raise ImportError("another kind of cache")


@cache
def _sources() -> str:
    """A checksum of this room's sources."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """What machine code was compiled in, without importing the parts of Numba that compiled it.

    Only what runs interpreted looks into its module's names. To import where Numba keeps array functions
    takes 0.05 s.
    """
    if not module.startswith("numba.") or module in sys.modules or lookup_environment(name) is not None:
        return _rebuild_env(module, constants, name)
    made = Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


class _Unpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> Any:
        found = super().find_class(module_name, global_name)
        return _environment if found is _rebuild_env else found


class _KernelFile(IndexDataCacheFile):
    """Numba's files of a kernel's machine code, which become stale with any change in this room.

    A kernel holds its helpers' code, wherever they are; Numba looks at the kernel's own file only.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, (source_stamp, _sources()))

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:
            return _Unpickler(file).load()


class _OpenCache(FunctionCache):
    """Numba's cache on disk, without preparing for compilation what is only loaded.

    Numba registers all that it could compile before it looks into the cache: 0.3 s, and nothing that machine
    code needs but the run-time system. Where the cache has no code, compiling makes up for it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _KernelFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class KernelCache(NullCache):
    """A kernel's cache, opened when the kernel is first called: most runs call few of them.

    Where there is no place to write to, there is none, and kernels are compiled anew in every run.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _opened(self) -> NullCache | FunctionCache:
        try:
            return _OpenCache(self._function)
        except RuntimeError:
            return NullCache()

    @property
    def cache_path(self) -> str | None:
        return self._opened.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self._opened.load_overload(sig, target_context)

    def save_overload(self, sig: Any, cres: Any) -> None:
        self._opened.save_overload(sig, cres)
