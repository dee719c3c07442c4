"""The compilation policy: how every kernel is compiled, where its machine code is cached, and who is told.

A *kernel* is called from Python. A *helper*, which is small, and a *part*, which is large or is called at
several places, are called from kernels only and are compiled with each of them. All are plain ``numba.njit``
functions. With ``NUMBA_DISABLE_JIT=1`` they run as plain Python, slowly. With ``NUMBA_BOUNDSCHECK=1``,
compiled code checks every index.
"""

import gc
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba.core import event
from numba.core.caching import FunctionCache

_Function = TypeVar("_Function", bound=Callable[..., Any])

_config: Any = numba.config

JIT = not _config.DISABLE_JIT
"""False if Numba is told to run kernels as plain Python."""

# "reassoc" lets sums of float32 vectorise. The order of additions is fixed by the machine code, so results do
# not depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "no_cfunc_wrapper": True,  # which C code would call; 6 % of the time of compilation
}
# A kernel holds the code of its parts, optimised once more. In the process that compiles it, calls would lead
# to the parts' own code, which adds in another order: other last bits than where the kernel is loaded.
_OPTIONS_OF_PARTS = _OPTIONS | {"no_cpython_wrapper": True, "forceinline": True}

_NOT_SETTINGS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}


def cache_key() -> str:
    """Return a checksum of whatever machine code depends on, besides the processor, which Numba checks.

    Numba looks at the source file of the kernel alone. A kernel also contains its helpers' code, from other
    files, and depends on the ``NUMBA_*`` settings of the environment.
    """
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    settings = [setting for setting in settings if setting[0] not in _NOT_SETTINGS]
    key = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {settings}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        key.update(path.read_bytes())
    return key.hexdigest()[:16]


def _user_caches() -> str:
    """Return the folder in which the system wants programs to keep a user's caches."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def _is_writable(folder: str) -> bool:
    """Return True if a file can be written to the folder, which is made if necessary, for this user alone."""
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def distrust(folder: str) -> str:
    """Return why machine code in a folder may be another user's, or an empty string.

    Machine code is run without any check. So this user must own the folder and its files, and no other user
    may write to the folder.
    """
    if not hasattr(os, "geteuid"):  # Windows, where the folders of a user are the user's own
        return ""
    user, status = os.geteuid(), os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != user:
        return "it does not belong to this user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write to it"
    for path in Path(folder).rglob("*"):
        # Another process may replace its temporary files by machine code at the same time.
        with suppress(FileNotFoundError):
            if path.lstat().st_uid != user:
                return f"{path} does not belong to this user"
    return ""


def _is_open_to_all(folder: str) -> bool:
    """Return True if any user may rename files in a folder, and so put other files in their place.

    In a folder with the sticky bit, such as /tmp, only the owner of a file may rename it.
    """
    if not hasattr(os, "geteuid"):
        return False
    mode = os.stat(folder).st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def cache_folder() -> tuple[str | None, list[str]]:
    """Return the folder for machine code, None if there is none, and why other folders were not used.

    It is in NUMBA_CACHE_DIR if that is set to an absolute path, else beside the kernels or, if that cannot be
    written, among the user's caches. A folder that other users may write to is not used. Numba's own choice
    of a folder does not depend on ``cache_key`` and could hold old code.
    """
    chosen, notes = _config.CACHE_DIR, []
    if chosen and not os.path.isabs(chosen):
        notes.append(f"NUMBA_CACHE_DIR={chosen} is not used: it is a relative path; set an absolute one")
        chosen = ""
    bases = [str(Path(__file__).parent / "__pycache__"), os.path.join(_user_caches(), "accord-align")]
    for base in [chosen] if chosen else filter(os.path.isabs, bases):
        folder = os.path.join(base, f"kernels-{cache_key()}")
        if not _is_writable(folder):
            continue
        if _is_open_to_all(base):
            notes.append(f"{base} is not used for compiled kernels: all users may write to it; name another")
            continue
        reason = distrust(folder)
        if not reason:
            return folder, notes
        notes.append(f"the compiled kernels in {folder} are not used: {reason}; delete the folder")
    return None, notes


_CACHE_FOLDER, CACHE_NOTES = cache_folder() if JIT else (None, [])
"""The folder for machine code, and what the user should know about folders that are not used."""

_lock = threading.Lock()


class _Cache(FunctionCache):
    """The machine code of a kernel on disk. A file that cannot be read or written is no error."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged files raise errors of many types
            _warn("a file cannot be read; its kernel is compiled again")
            with suppress(OSError):
                self.flush()

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            reason = getattr(error, "strerror", None) or error
            _warn(f"a file cannot be written ({reason}), so later runs compile its kernel again")


@cache
def _warn(reason: str) -> None:
    """Warn of the folder for machine code, once for each reason."""
    warnings.warn(f"compiled kernels in {_CACHE_FOLDER}: {reason}", RuntimeWarning, stacklevel=3)


def kernel(function: _Function) -> _Function:
    """Compile a function that Python calls: on its first call, cached on disk, run without the GIL."""
    compiled = numba.njit(nogil=True, **_OPTIONS)(function)
    if _CACHE_FOLDER is None:
        return compiled
    with _lock:  # modules of kernels may be imported by several threads
        previous, _config.CACHE_DIR = _config.CACHE_DIR, _CACHE_FOLDER
        try:
            compiled._cache = _Cache(function)
        finally:
            _config.CACHE_DIR = previous
    return compiled


def helper(function: _Function) -> _Function:
    """Compile a small function that kernels call, as if its lines stood in each kernel that calls it.

    Compiling it by itself first, for each signature, took up to twice as long.
    """
    return numba.njit(inline="always", **_OPTIONS)(function)


def part(function: _Function) -> _Function:
    """Compile a part of a kernel by itself, once for each signature, without the code for calls from Python.

    The time of Numba's inlining and of its analyses grows with the square of a function's size. A function
    that a loop calls with tuples of arrays is a part, too: inlined, it counts references to them in each
    round, which made Model 1 slower by half.
    """
    return numba.njit(**_OPTIONS_OF_PARTS)(function)


def compiled_as(code: Any) -> Callable[[_Function], _Function]:
    """Return a decorator for the Python definition of an operation that compiled kernels run as ``code``."""
    return lambda definition: code if JIT else definition


class _Compilations(event.Listener):
    """The kernels that this process compiles, and the time that it takes.

    Numba compiles one kernel at a time, with a lock, so that times can be added up. Meanwhile, the garbage
    collector is off: the compiler makes millions of objects, and looking through them takes 10 % of the time.
    """

    def __init__(self) -> None:
        self.count, self.seconds, self._collects = 0, 0.0, False
        self.report: Callable[[int, bool], None] | None = None
        self._begun: list[float] = []  # a kernel, then the parts and other functions that it calls

    def on_start(self, event: event.Event) -> None:
        self._begun.append(time.perf_counter())
        if len(self._begun) > 1:
            return
        self._collects = gc.isenabled()
        gc.disable()
        if event.data["dispatcher"].py_func.__module__.startswith(__package__):
            self.count += 1
            if self.report is not None:
                self.report(self.count, _CACHE_FOLDER is not None)

    def on_end(self, event: event.Event) -> None:
        begun = self._begun.pop()
        if not self._begun:
            self.seconds += time.perf_counter() - begun
            if self._collects:
                gc.enable()


_compilations = _Compilations()
event.register("numba:compile", _compilations)


def on_compilation(notify: Callable[[int, bool], None]) -> None:
    """Call ``notify(number, cached)`` when a kernel has to be compiled.

    Parameters
    ----------
    notify
        ``number`` counts the kernels from 1. ``cached`` is False if the machine code cannot be kept on disk,
        so that every run compiles it again.
    """
    _compilations.report = notify


def working_time() -> float:
    """Return the seconds of a clock that stands still while kernels are compiled or awaited."""
    return time.perf_counter() - _compilations.seconds


_elsewhere: set[str] = set()
_compiled: Iterator[str] = iter(())
_waiting = threading.Lock()


def is_cache_empty() -> bool:
    """Return True if machine code can be kept, and none has been kept yet."""
    return _CACHE_FOLDER is not None and not os.listdir(_CACHE_FOLDER)


def compiled_elsewhere(modules: Iterable[str], compiled: Iterator[str]) -> None:
    """Let the first use of each of these modules of kernels wait for another process, which compiles them.

    compiled: the name of each module when its kernels are in the cache. It ends if the process ends.
    """
    global _compiled
    _elsewhere.update(modules)
    _compiled = compiled


def await_module(module: str) -> None:
    """Wait until no other process is compiling a module's kernels for this process."""
    with _waiting:
        begun = time.perf_counter()
        while module in _elsewhere:
            compiled = next(_compiled, None)
            _elsewhere.difference_update({compiled} if compiled else set(_elsewhere))
        _compilations.seconds += time.perf_counter() - begun
