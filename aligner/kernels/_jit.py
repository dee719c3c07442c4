"""How kernels are compiled, and why, in one place."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.extending import typeof_impl

try:
    from aligner.kernels._cache import KernelCache
except ImportError:  # another Numba, of other insides: its own cache does
    KernelCache = None  # type: ignore[assignment, misc]

_F = TypeVar("_F", bound=Callable[..., Any])

# Sums may be reassociated so that they vectorise; the order is fixed by the machine code, so results do not
# depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}


class _Compiled:
    """A function that Numba hears of when it is first used: most runs use few of them."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.__doc__ = function.__doc__
        self.py_func = function
        self._options = options
        self._dispatcher: Any = None
        self._lock = Lock()

    @property
    def dispatcher(self) -> Any:
        with self._lock:
            if self._dispatcher is None:
                options = {"error_model": "numpy", "fastmath": _FAST_MATH, **self._options}
                self._dispatcher = self._prepared(numba.njit(**options)(self.py_func))
        return self._dispatcher

    def _prepared(self, dispatcher: Any) -> Any:
        return dispatcher


class _Kernel(_Compiled):
    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self.dispatcher)(*arguments)

    def _prepared(self, dispatcher: Any) -> Any:
        if KernelCache is not None:
            dispatcher._cache = KernelCache(self.py_func)
        return dispatcher


class _Inlined(_Compiled):
    pass


@typeof_impl.register(_Inlined)
def _(inlined: _Inlined, context: Any) -> types.Dispatcher:
    return types.Dispatcher(inlined.dispatcher)


def kernel(function: _F) -> _F:
    """What Python calls: compiled on first call, machine code cached on disk, run without the GIL.

    Compilation is lazy (an import costs nothing) and every caller passes the same types, so that each kernel
    is compiled once. Loops read rows through slices, which is what lets LLVM prove indices non-negative and
    vectorise; an index expression such as ``a[offset + i - 4]`` would be checked for wrap-around instead.

    A kernel calls no other kernel, only functions that are ``inlined``.
    """
    return cast(_F, _Kernel(function, nogil=True, cache=KernelCache is None))


def inlined(function: _F) -> _F:
    """What kernels call: a part of each that does, and nothing that Python could call.

    As a function of its own it would be optimised once more for each kernel that calls it, and a process that
    has just compiled it would run another of the versions than one that loads it: sums would be
    rounded otherwise.
    """
    return cast(_F, _Inlined(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True))


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
