"""How kernels are declared and called.

Numba compiles them, once for a machine. What it makes of them is kept on disk as machine code, which later
runs link and call without Numba: to import that takes longer than to align a thousand sentence pairs.
"""

from collections.abc import Callable
from ctypes import ArgumentError
from threading import RLock
from typing import Any, NamedTuple, TypeVar, cast

from numpy import float32, integer, ndarray

_F = TypeVar("_F", bound=Callable[..., Any])
_lock = RLock()
_NUMBERS: dict[str, Any] = {"float32": float32, "float": float, "bool": bool, "int": (int, integer)}


class Declared:
    """A function that is compiled, not run."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.py_func = function


class Inlined(Declared):
    """See ``inlined``."""


class Intrinsic(Declared):
    """See ``intrinsic``."""


class _Entry(NamedTuple):
    """Machine code for arguments of one form: how to call it, see ``_machine.machine_code``.

    objects: the form but for the numbers, of which one may pass for another.
    """

    objects: str
    call: Callable[[tuple[Any, ...]], Any]


MISFIT = object()
_NO_ENTRY = _Entry("", lambda arguments: MISFIT)


class Kernel(Declared):
    """See ``kernel``."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._entries: dict[str, _Entry] = {}
        self._last = _NO_ENTRY

    def __call__(self, *arguments: Any) -> Any:
        last = self._last
        try:
            value = last.call(arguments)
        except ArgumentError:  # a number of another type
            return self._call_another(arguments)
        if value is not MISFIT:
            return value
        if last.objects == _form(arguments, with_numbers=False):
            raise self._no_memory()
        return self._call_another(arguments)

    def _call_another(self, arguments: tuple[Any, ...]) -> Any:
        """Call the entry for arguments of this form, not that of the call before."""
        self._last = entry = self._entry(arguments)
        value = entry.call(arguments)
        if value is MISFIT:
            raise self._no_memory()
        return value

    def _entry(self, arguments: tuple[Any, ...]) -> _Entry:
        form = _form(arguments)
        with _lock:
            if form not in self._entries:
                from aligner.kernels._machine import machine_code

                call = machine_code(self.py_func, form, arguments)
                self._entries[form] = _Entry(_form(arguments, with_numbers=False), call)
            return self._entries[form]

    def _no_memory(self) -> MemoryError:
        return MemoryError(f"no memory for what {self.py_func.__name__} works with")


def _form(value: Any, with_numbers: bool = True) -> str:
    """What machine code depends on, of arguments or of one of them."""
    kind = type(value)
    if kind is ndarray:
        flags = value.flags
        if not (flags.c_contiguous and flags.aligned and value.dtype.isnative):
            raise TypeError(f"kernels take no array with strides {value.strides} and type {value.dtype.str}")
        return f"{value.dtype.num}:{value.ndim}{'w' if flags.writeable else ''}"
    if isinstance(value, tuple):
        return f"{kind.__qualname__}({','.join(_form(item, with_numbers) for item in value)})"
    for name, numbers in _NUMBERS.items():
        if isinstance(value, numbers):
            return name if with_numbers else "number"
    raise TypeError(f"kernels take arrays, numbers and tuples of them, not {kind.__name__}")


def kernel(function: _F) -> _F:
    """What Python calls: compiled on first call, machine code cached on disk, run without the GIL.

    Compilation is lazy (an import costs nothing) and every caller passes the same types, so that each kernel
    is compiled once. No index is negative, nor at or beyond an array's end: unlike in Python, and in Numba,
    neither is looked at, so that loops vectorise and an index costs nothing.

    A kernel calls no other kernel, only functions that are ``inlined`` or ``intrinsic``. Its arguments are
    contiguous arrays, int, float, bool, np.float32 and tuples of them; it returns numbers, or nothing. All
    that can go wrong in it is that there is no memory.
    """
    return cast(_F, Kernel(function))


def inlined(function: _F) -> _F:
    """What kernels call: a part of each that does, and nothing that Python could call."""
    return cast(_F, Inlined(function))


def intrinsic(function: _F) -> _F:
    """What kernels call and Python cannot say; ``_lanes`` or ``_intrinsics`` tells LLVM, by the same name."""
    return cast(_F, Intrinsic(function))


class _Watch:
    tell: Callable[[], None] | None = None
    lost: Callable[[], None] | None = None


def on_first_compilation(tell: Callable[[], None], lost: Callable[[], None] | None = None) -> None:
    """Call ``tell`` once, when a kernel is not found in the cache on disk and has to be compiled.

    And ``lost``, once, where there is no place to keep what was compiled, so that every run will do it again.
    There is one listener: a later call takes the place of an earlier one.
    """
    _Watch.tell, _Watch.lost = tell, lost


def compilation_begins() -> None:
    """Pass the first compilation on, to whoever asked last."""
    tell, _Watch.tell = _Watch.tell, None
    if tell is not None:
        tell()


def code_is_lost() -> None:
    """Pass on that there is no place for what was compiled."""
    lost, _Watch.lost = _Watch.lost, None
    if lost is not None:
        lost()
