"""The compilation policy: how every kernel is compiled, where its machine code is cached, and who is told.

A *kernel* is called from Python. A *helper* is called from kernels only and becomes a part of each of them.
Both are plain ``numba.njit`` functions. With ``NUMBA_DISABLE_JIT=1`` they run as plain Python.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

_Function = TypeVar("_Function", bound=Callable[..., Any])

_config: Any = numba.config

JIT = not _config.DISABLE_JIT
"""False if Numba is told to run kernels as plain Python."""

# "reassoc" lets sums of float32 vectorise. The order of additions is fixed by the machine code, so results do
# not depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
}

_NOT_SETTINGS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}


def _cache_key() -> str:
    """Return a checksum of whatever machine code depends on, besides the processor, which Numba checks.

    Numba looks at the source file of the kernel alone. A kernel also contains its helpers' code, from other
    files, and depends on the ``NUMBA_*`` settings of the environment.
    """
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    settings = [setting for setting in settings if setting[0] not in _NOT_SETTINGS]
    key = hashlib.sha256(f"{numba.__version__} {settings}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        key.update(path.read_bytes())
    return key.hexdigest()[:16]


def _cache_folder() -> str:
    """Return the folder of this version's machine code: in NUMBA_CACHE_DIR or beside the kernels."""
    base = _config.CACHE_DIR or str(Path(__file__).parent / "__pycache__")
    return os.path.join(base, f"kernels-{_cache_key()}")


_CACHE_FOLDER = _cache_folder()
_uncached: list[str] = []


def kernel(function: _Function) -> _Function:
    """Compile a function that Python calls: on its first call, cached on disk, run without the GIL."""
    given, _config.CACHE_DIR = _config.CACHE_DIR, _CACHE_FOLDER
    try:
        return numba.njit(cache=True, nogil=True, **_OPTIONS)(function)
    except RuntimeError:  # no folder for the cache can be written
        _uncached.append(function.__name__)
        return numba.njit(nogil=True, **_OPTIONS)(function)
    finally:
        _config.CACHE_DIR = given


def helper(function: _Function) -> _Function:
    """Compile a function that kernels call, as a part of each kernel that calls it."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)


class _FirstCompilation(event.Listener):
    """Calls a function at the first compilation of the process that is not found in the cache."""

    def __init__(self, notify: Callable[[bool], None]) -> None:
        self._notify: Callable[[bool], None] | None = notify

    def on_start(self, event: event.Event) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith(__package__):
            notify, self._notify = self._notify, None
            if notify is not None:
                notify(not _uncached)

    def on_end(self, event: event.Event) -> None:
        pass


def on_first_compilation(notify: Callable[[bool], None]) -> None:
    """Call ``notify(cached)`` when the first kernel has to be compiled.

    Parameters
    ----------
    notify
        Called once per process. ``cached`` is False if the machine code cannot be kept on disk, so that every
        run compiles it again.
    """
    event.register("numba:compile", _FirstCompilation(notify))
