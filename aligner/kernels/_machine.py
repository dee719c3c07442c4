"""From machine code to what Python can call, by LLVM's linker: without Numba."""

import ctypes
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache, reduce
from operator import getitem, itemgetter
from typing import Any, NamedTuple

import llvmlite
import numpy as np
from llvmlite import binding as llvm

from aligner.kernels._files import code_file
from aligner.kernels._jit import MISFIT, compilation_begins

# What kernels may return, by the names that Numba has for it.
_RETURNED = {"bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double} | {
    f"{kind}{bits}": getattr(ctypes, f"c_{kind}{bits}")
    for kind in ("int", "uint")
    for bits in (8, 16, 32, 64)
}

_Call = Callable[[tuple[Any, ...]], Any]

_rooms: list[Any] = []
"""What machine code has addresses of, for as long as the process lasts."""


class Code(NamedTuple):
    """What was compiled of a kernel for arguments of one form.

    symbol: what to call; returns: the types of the numbers that it returns; needs: functions of the C library
    that it calls; code: an object file.
    """

    symbol: str
    returns: list[str]
    needs: list[str]
    code: bytes

    def to_bytes(self) -> bytes:
        """The same, to be kept in a file."""
        return json.dumps(self[:3]).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> "Code":
        """What ``to_bytes`` was called on."""
        head, _, code = data.partition(b"\n")
        symbol, returns, needs = json.loads(head)
        return cls(symbol, returns, needs, code)


def machine_code(function: Callable[..., Any], form: str, arguments: tuple[Any, ...]) -> _Call:
    """What calls a kernel's machine code with a tuple of arguments of the form of these.

    It returns what the kernel does, or MISFIT if arguments have another form, or for want of memory.
    """
    file = code_file(function, f"{form} {_target()}")
    data = file.load()
    if data is not None:
        code = Code.from_bytes(data)
    else:
        compilation_begins()
        from aligner.kernels import _compile

        compiled = _compile.compiled(function, arguments, _machine())
        if compiled is None:
            return _compile.within_numba(function)
        code = compiled
        file.save(code.to_bytes())
    return _callable(_linked(code), code.returns, arguments)


def _callable(address: int, returns: list[str], arguments: tuple[Any, ...]) -> _Call:
    """A function of a tuple of arguments; ``_compile.compiled`` says what is at the address."""
    parts = list(_parts(arguments))
    kinds = [np.ndarray, *(type(part) for _, part in parts if isinstance(part, tuple))]
    numbers = _numbers([path for path, part in parts if not isinstance(part, (tuple, np.ndarray))])
    real = (float, np.float32)
    passed = [
        ctypes.c_double if isinstance(number, real) else ctypes.c_int64 for number in numbers(arguments)
    ]
    run = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 4, *passed)(address)
    # Room for a result that is none, for a failure's description, and the types.
    room = (ctypes.c_size_t * (2 + len(kinds)))(0, 0, *map(id, kinds))
    _rooms.append(room)
    nothing = ctypes.addressof(room)
    failure, kinds_there = nothing + 8, nothing + 16
    fields = [(f"number{k}", _RETURNED[name]) for k, name in enumerate(returns)]
    result_type = type("_Result", (ctypes.Structure,), {"_fields_": fields})

    def call(arguments: tuple[Any, ...]) -> Any:
        if run(nothing, failure, kinds_there, id(arguments), *numbers(arguments)):
            return MISFIT
        return None

    def call_for_result(arguments: tuple[Any, ...]) -> Any:
        result = result_type()
        if run(ctypes.addressof(result), failure, kinds_there, id(arguments), *numbers(arguments)):
            return MISFIT
        found = tuple(getattr(result, name) for name, _ in fields)
        return found if len(found) > 1 else found[0]

    return call_for_result if fields else call


def _parts(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The tuples, arrays and numbers that arguments consist of, and where each is, from left to right."""
    yield path, value
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _parts(item, (*path, number))


def _numbers(paths: list[tuple[int, ...]]) -> Callable[[tuple[Any, ...]], Any]:
    """What takes numbers out of arguments, by where they are there."""
    if not paths:
        return lambda arguments: ()
    if len(paths) > 1 and all(len(path) == 1 for path in paths):
        return itemgetter(*(place for (place,) in paths))
    return lambda arguments: [reduce(getitem, path, arguments) for path in paths]


@cache
def _processor() -> tuple[str, str, str]:
    """System, processor, and what it has."""
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _target() -> str:
    """What code is compiled for and by, which only these can run."""
    return repr((*_processor(), llvmlite.__version__, np.__version__, sys.version))


@cache
def _machine() -> Any:
    """What LLVM emits code for: this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features = _processor()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name,
        features=features,
        opt=3,
        reloc="static" if triple.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def _engine() -> Any:
    module = llvm.parse_assembly("")
    module.triple, _, _ = _processor()
    return llvm.create_mcjit_compiler(module, _machine())


@cache
def c_library() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


def _linked(code: Code) -> int:
    """The address of what is to be called."""
    for name in code.needs:
        if llvm.address_of_symbol(name) is None:
            llvm.add_symbol(name, ctypes.cast(getattr(c_library(), name), ctypes.c_void_p).value)
    _engine().add_object_file(llvm.ObjectFileRef.from_data(code.code))
    return int(_engine().get_function_address(code.symbol))
