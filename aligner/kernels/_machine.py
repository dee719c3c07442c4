"""From machine code to what Python can call, by LLVM's linker: without Numba."""

import ctypes
import json
import sys
from collections.abc import Callable
from functools import cache, reduce
from operator import getitem, itemgetter
from typing import Any, NamedTuple

import llvmlite
import numpy as np
from llvmlite import binding as llvm

from aligner.kernels._files import code_file
from aligner.kernels._jit import MISFIT, code_is_lost, compilation_begins

# Numbers that are passed and returned, by the names that Numba has for them.
_NUMBERS = {"bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double} | {
    f"{kind}{bits}": getattr(ctypes, f"c_{kind}{bits}")
    for kind in ("int", "uint")
    for bits in (8, 16, 32, 64)
}

_Call = Callable[[tuple[Any, ...]], Any]

_rooms: list[Any] = []
"""What machine code has addresses of, for as long as the process lasts."""


class Code(NamedTuple):
    """What was compiled of a kernel for arguments of one form.

    symbol: what to call; tuples: where in the arguments there are any, that of all of them first; numbers,
    passed: where there are numbers, and as what each is passed; returns: as what those are that come back;
    needs: functions of the C library that are called; code: an object file.
    """

    symbol: str
    tuples: list[list[int]]
    numbers: list[list[int]]
    passed: list[str]
    returns: list[str]
    needs: list[str]
    code: bytes

    def to_bytes(self) -> bytes:
        """The same, to be kept in a file."""
        return json.dumps(self[:-1]).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> "Code":
        """What ``to_bytes`` was called on."""
        head, _, code = data.partition(b"\n")
        return cls(*json.loads(head), code)  # type: ignore[call-arg]


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
        from aligner.kernels import _compile, _numba

        compiled = _compile.compiled(function, arguments, _machine())
        if compiled is None:
            return _numba.within_numba(function)
        code = compiled
        if not file.save(code.to_bytes()):
            code_is_lost()
    return _callable(code, arguments)


def _callable(code: Code, arguments: tuple[Any, ...]) -> _Call:
    """A function of a tuple of arguments of the form of these; ``_compile.compiled`` says what it calls."""
    passed = (_NUMBERS[name] for name in code.passed)
    run = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 4, *passed)(_linked(code))
    numbers = _getter(code.numbers)
    kinds = [np.ndarray, *(type(reduce(getitem, place, arguments)) for place in code.tuples)]
    # Room for a result that is none, for a failure's description, and the types.
    room = (ctypes.c_size_t * (2 + len(kinds)))(0, 0, *map(id, kinds))
    _rooms.append(room)
    nothing = ctypes.addressof(room)
    failure, kinds_there = nothing + 8, nothing + 16
    fields = [(f"number{k}", _NUMBERS[name]) for k, name in enumerate(code.returns)]
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


def _getter(places: list[list[int]]) -> Callable[[tuple[Any, ...]], Any]:
    """What takes those that are at these places out of arguments."""
    if not places:
        return lambda arguments: ()
    if len(places) > 1 and all(len(place) == 1 for place in places):
        return itemgetter(*(number for (number,) in places))
    return lambda arguments: [reduce(getitem, place, arguments) for place in places]


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
