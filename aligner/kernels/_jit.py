"""How kernels are compiled, and why, in one place."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

try:
    from aligner.kernels._cache import KernelCache
except ImportError:  # another Numba, of other insides: its own cache does
    KernelCache = None  # type: ignore[assignment, misc]

_F = TypeVar("_F", bound=Callable[..., Any])

# Sums may be reassociated so that they vectorise; the order is fixed by the machine code, so results do not
# depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}


def kernel(function: _F) -> _F:
    """Compile on first call, cache the machine code on disk, release the GIL.

    Compilation is lazy (an import costs nothing) and every caller passes the same types, so that each kernel
    is compiled once. Loops read rows through slices, which is what lets LLVM prove indices non-negative and
    vectorise; an index expression such as ``a[offset + i - 4]`` would be checked for wrap-around instead.

    A kernel's helpers are inlined. As functions of their own they would be optimised once more for each
    kernel that calls them, and a process that has just compiled them would run another of the versions than
    one that loads them: sums would be rounded otherwise.
    """
    own = KernelCache is not None
    options: dict[str, Any] = {"cache": not own, "nogil": True, "fastmath": _FAST_MATH}
    dispatcher: Any = numba.njit(error_model="numpy", forceinline=True, **options)(function)
    if own:
        dispatcher._cache = KernelCache(function)
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
