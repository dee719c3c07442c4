"""How Numba takes kernels and what they call, and what it does without for them."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import cpu_target
from numba.extending import typeof_impl
from numba.np import arrayobj

from aligner.kernels import _intrinsics, _lanes
from aligner.kernels._jit import Inlined, Intrinsic

# Sums may be reassociated so that they vectorise; the order is fixed by the machine code, so results do not
# depend on threads or blocks. NaN and infinity keep their meaning: a kernel may test for them.
_SEMANTICS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "arcp", "nsz"}}


class _Whole(JITCodeLibrary):
    """A function, with all that it calls, as LLVM's code: who asks for that emits machine code of it.

    Numba's own would emit some at once, and link it. Should a later Numba have other names for what is
    overridden here, it does more than it need, no less.
    """

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: Numba asks for a wrapper's, which these functions are compiled without."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_Whole":
        """What is told of the environment that machine code would have."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """There is no machine code."""


class _Part(_Whole):
    """A function as part of others, in which it is optimised: by itself it would be for nothing."""

    def _optimize_final_module(self) -> None:
        pass


def _compiler(library: type[JITCodeLibrary]) -> type[CompilerBase]:
    """Numba's compiler, with what it makes of a function in such a library."""

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            self.state.library = library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    return Compiler


def _declarer(library: type[JITCodeLibrary], **others: Any) -> Any:
    no_wrappers: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(pipeline_class=_compiler(library), **_SEMANTICS, **no_wrappers, **others)


whole = _declarer(_Whole)
"""What is compiled for its LLVM code, of which machine code is to be made."""

part = _declarer(_Part)
"""What such functions call."""

_written = vars(_lanes) | vars(_intrinsics)
_inlined = _declarer(_Part, forceinline=True)
_dispatchers: dict[Inlined, Any] = {}


@typeof_impl.register(Inlined)
def _(inlined: Inlined, context: Any) -> Any:
    if inlined not in _dispatchers:
        _dispatchers[inlined] = _inlined(inlined.py_func)
    return types.Dispatcher(_dispatchers[inlined])


@typeof_impl.register(Intrinsic)
def _(declared: Intrinsic, context: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(_written[declared.py_func.__name__])


def within_numba(function: Callable[..., Any]) -> Callable[[tuple[Any, ...]], Any]:
    """The kernel as Numba calls it, compiled anew in every run; a function of a tuple of arguments."""
    kernel = numba.njit(nogil=True, **_SEMANTICS)(function)
    return lambda arguments: kernel(*arguments)


# What begins the names of functions of this room, as Numba mangles them.
_OWN = "_ZN" + "".join(f"{len(word)}{word}" for word in __package__.split("."))

# A Numba without it would have kernels look at their indices.
_numba_index = getattr(arrayobj, "fix_integer_index", None)


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index as it is; in functions of Numba's, or of anybody else's, negative ones count from the end."""
    if _numba_index is not None and not builder.function.name.startswith(_OWN):
        return _numba_index(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


# Kernels have no negative indices (see ``kernel``), and to look at each takes a twentieth of their time.
arrayobj.fix_integer_index = _index
