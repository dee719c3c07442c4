"""How kernels are compiled, and why, in one place."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

_F = TypeVar("_F", bound=Callable[..., Any])

# Sums may be reassociated so that they vectorise; the order is fixed by the machine code, so results do not
# depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}


class _QuickCache(FunctionCache):
    """Numba's cache on disk, without preparing for compilation what is only loaded.

    Numba registers all that it could compile before it looks into the cache: 0.3 s, and nothing that machine
    code needs but the run-time system. Where the cache has no code, compiling makes up for it.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


_QUICK = all(hasattr(FunctionCache, name) for name in ("_load_overload", "_guard_against_spurious_io_errors"))
"""These are not a promise of Numba's: without them, its own cache does."""


def kernel(function: _F) -> _F:
    """Compile on first call, cache the machine code on disk, release the GIL.

    Compilation is lazy (an import costs nothing) and every caller passes the same types, so that each kernel
    is compiled once. Loops read rows through slices, which is what lets LLVM prove indices non-negative and
    vectorise; an index expression such as ``a[offset + i - 4]`` would be checked for wrap-around instead.

    A kernel's helpers are inlined. As functions of their own they would be optimised once more for each
    kernel that calls them, and a process that has just compiled them would run another of the versions than
    one that loads them: sums would be rounded otherwise.
    """
    compiled = numba.njit(cache=True, nogil=True, fastmath=_FAST_MATH, error_model="numpy", forceinline=True)
    dispatcher = compiled(function)
    if _QUICK and hasattr(dispatcher, "_cache"):
        dispatcher._cache = _QuickCache(function)
    return cast(_F, dispatcher)


class _Watch(event.Listener):
    """Passes the first compilation on, to whoever asked last."""

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = None
        event.register("numba:compile", self)

    def on_start(self, event: Any) -> None:
        tell, self.tell = self.tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        pass


_watch = _Watch()


def on_first_compilation(tell: Callable[[], None]) -> None:
    """Call ``tell`` once, when a kernel is not found in the cache on disk and has to be compiled.

    There is one listener: a later call takes the place of an earlier one.
    """
    _watch.tell = tell
