"""From a kernel's source to machine code, by Numba.

A kernel is compiled together with an *entry*, which takes the address of a tuple of arguments, checks what
they are, and reads arrays and tuples where CPython and NumPy keep them; only numbers are passed. So nothing
of Numba is needed to call it. Of its run-time system a kernel needs only what gives and frees memory, and has
it with it.
"""

import os
from collections.abc import Callable
from typing import Any

# Intel's vector functions would have to be there in later runs, too, and round otherwise than others do.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import typeof
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from aligner.kernels._machine import Code, c_library
from aligner.kernels._numba import part, whole

# Where things are in what C calls PyObject, PyTupleObject, PyArrayObject and PyArray_Descr.
_HEAD = object.__basicsize__
_TYPE = _HEAD - 8
_SIZE, _ITEMS = _HEAD, tuple.__basicsize__
_DATA, _NDIM, _SHAPE, _DTYPE, _FLAGS = (_HEAD + offset for offset in (0, 8, 16, 40, 48))
_BYTE_ORDER, _NUMBER = _HEAD + 10, _HEAD + 12

_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
_ALL_FLAGS = _CONTIGUOUS | _ALIGNED | _WRITEABLE

# What arrays' code calls for memory: a block has 64 bytes for its head (its references, data and size, as in
# Numba's nrt.h), then the data, at a cache line. References are counted as any number is, in place of Numba's
# own way of doing so: no other thread has a kernel's arrays, and to lock the bus takes longer than to slice.
_MEMORY = """
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %all = add i64 %size, 128
  %block = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %fill
fill:
  %place = ptrtoint ptr %block to i64
  %after = add i64 %place, 127
  %aligned = and i64 %after, -64
  %data = inttoptr i64 %aligned to ptr
  %referred = insertvalue {i64, ptr, ptr, ptr, i64, ptr} zeroinitializer, i64 1, 0
  %filled = insertvalue {i64, ptr, ptr, ptr, i64, ptr} %referred, ptr %data, 3
  %head = insertvalue {i64, ptr, ptr, ptr, i64, ptr} %filled, i64 %size, 4
  store {i64, ptr, ptr, ptr, i64, ptr} %head, ptr %block
  br label %done
done:
  ret ptr %block
}

define void @NRT_incref(ptr %block) {
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %count
count:
  %before = load i64, ptr %block
  %after = add i64 %before, 1
  store i64 %after, ptr %block
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %block) {
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %count
count:
  %before = load i64, ptr %block
  %after = sub i64 %before, 1
  store i64 %after, ptr %block
  %last = icmp eq i64 %after, 0
  br i1 %last, label %free, label %done
free:
  call void @free(ptr %block)
  br label %done
done:
  ret void
}
"""
_COUNTING = {"NRT_incref", "NRT_decref"}
_OF_C = {"malloc", "free"}


def _loader(kind: Any) -> Any:
    """An intrinsic that reads a whole number at an address."""

    def load(typing, address):
        def generate(context, builder, signature, arguments):
            return builder.load(builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer()))

        return kind(types.int64), generate

    return intrinsic(load)


_load8, _load32, _load64 = _loader(types.uint8), _loader(types.int32), _loader(types.int64)


@intrinsic
def _array(typing, place, kind):
    """The array of some type whose PyArrayObject is at an address."""
    kind = kind.instance_type

    def generate(context, builder, signature, arguments):
        def load(offset, what):
            address = builder.add(arguments[0], ir.Constant(ir.IntType(64), offset))
            return builder.load(builder.inttoptr(address, what.as_pointer()))

        size = ir.IntType(64)
        array = context.make_array(kind)(context, builder)
        lengths = load(_SHAPE, size.as_pointer())
        shape = [builder.load(builder.gep(lengths, [ir.Constant(size, k)])) for k in range(kind.ndim)]
        itemsize = ir.Constant(size, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides = [itemsize]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        data = load(_DATA, array.data.type)
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
        return array._getvalue()

    return kind(types.int64, types.TypeRef(kind)), generate


@part
def _is_array(place, kind, ndim, number, flags):
    """Whether at an address there is an array of so many dimensions, of the type with this number."""
    if _load64(place + _TYPE) != kind or _load32(place + _NDIM) != ndim:
        return False
    dtype = _load64(place + _DTYPE)
    order = _load8(dtype + _BYTE_ORDER)
    native = order == ord("=") or order == ord("|")
    return native and _load32(dtype + _NUMBER) == number and _load32(place + _FLAGS) & _ALL_FLAGS == flags


@part
def _is_tuple(place, kind, size):
    return _load64(place + _TYPE) == kind and _load64(place + _SIZE) == size


class _Writer:
    """Writes an entry's source for arguments of one form; see ``Code`` for tuples, numbers and passed."""

    def __init__(self, kernel: Any) -> None:
        self.names: dict[str, Any] = {
            "kernel": kernel,
            "load": _load64,
            "is_array": _is_array,
            "is_tuple": _is_tuple,
            "array": _array,
            "float32": types.float32,
        }
        self._lines: list[str] = []
        self.tuples: list[list[int]] = []
        self.numbers: list[list[int]] = []
        self.passed: list[Any] = []

    def source(self, arguments: tuple[Any, ...]) -> str:
        """What ``compiled`` executes."""
        given = self._tuple(arguments, "place", [])
        numbers = (f"number{k}" for k in range(len(self.numbers)))
        head = f"def entry({', '.join(['kinds', 'place', *numbers])}):"
        return "\n    ".join([head, *self._lines, f"return kernel({given})"])

    def _named(self, what: Any) -> str:
        name = f"name{len(self.names)}"
        self.names[name] = what
        return name

    def _check(self, condition: str) -> None:
        self._lines += [f"if not {condition}:", "    raise TypeError"]

    def _tuple(self, value: tuple[Any, ...], name: str, place: list[int]) -> str:
        """The items of a tuple, an expression of each, separated by commas."""
        self.tuples.append(place)
        self._check(f"is_tuple({name}, load(kinds + {8 * len(self.tuples)}), {len(value)})")
        return "".join(f"{self._part(item, name, [*place, k])}, " for k, item in enumerate(value))

    def _part(self, value: Any, above: str, place: list[int]) -> str:
        if not isinstance(value, (tuple, np.ndarray)):
            return self._number(value, place)
        name = f"{above}_{place[-1]}"
        self._lines.append(f"{name} = load({above} + {_ITEMS + 8 * place[-1]})")
        if isinstance(value, tuple):
            items = self._tuple(value, name, place)
            return f"({items})" if type(value) is tuple else f"{self._named(type(value))}({items})"
        flags = _ALL_FLAGS if value.flags.writeable else _ALL_FLAGS & ~_WRITEABLE
        self._check(f"is_array({name}, load(kinds), {value.ndim}, {value.dtype.num}, {flags})")
        return f"array({name}, {self._named(typeof(value))})"

    def _number(self, value: Any, place: list[int]) -> str:
        name = f"number{len(self.numbers)}"
        self.numbers.append(place)
        self.passed.append(types.float64 if isinstance(value, (float, np.float32)) else types.int64)
        if isinstance(value, bool):
            return f"{name} != 0"
        return f"float32({name})" if isinstance(value, np.float32) else name


def compiled(function: Callable[..., Any], arguments: tuple[Any, ...], machine: Any) -> Code | None:
    """Machine code of a kernel for arguments of the form of these; None if it needs more of Numba.

    It is a function of pointers to the result, to the description of a failure, to the addresses of the types
    that arrays and tuples must have, and to the tuple of arguments, then of the numbers there, int64 or
    float64, which returns 0 if nothing has failed. Objects are at what ``id`` says.
    """
    writer = _Writer(part(function))
    exec(writer.source(arguments), writer.names)
    entry = whole(writer.names["entry"])
    entry.compile((types.int64, types.int64, *writer.passed))
    (result,) = entry.overloads.values()
    symbol = f"{function.__module__}.{function.__name__}.{os.urandom(8).hex()}"
    module = llvm.parse_assembly(entry.inspect_llvm(result.signature.args))
    module.get_function(result.fndesc.llvm_func_name).name = symbol
    for defined in module.functions:
        if defined.name in _COUNTING:
            defined.linkage = "available_externally"
    module.link_in(llvm.parse_assembly(_MEMORY))
    _strip(module, symbol, machine)
    declared = [function.name for function in module.functions if function.is_declaration]
    if any(not name.startswith("llvm.") and name not in _OF_C for name in declared):
        return None
    passed, returns = (_names(kinds) for kinds in (writer.passed, _numbers_of(result.signature.return_type)))
    code = machine.emit_object(module)
    return Code(symbol, writer.tuples, writer.numbers, passed, returns, _needs(declared), code)


def _strip(module: Any, symbol: str, machine: Any) -> None:
    """Leave nothing but a function and what it calls."""
    for defined in (*module.functions, *module.global_variables):
        if not defined.is_declaration and defined.name != symbol:
            defined.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))


def _needs(declared: list[str]) -> list[str]:
    """What machine code may call of the C library, for functions and LLVM's own that it declares."""
    needed = set()
    for name in declared:
        _, _, own = name.rpartition("llvm.")
        stem, *kinds = own.split(".")
        needed.add(f"{stem}f" if "f32" in kinds else stem)
    return sorted(name for name in needed if hasattr(c_library(), name))


def _numbers_of(result: Any) -> list[Any]:
    """The types of the numbers that a kernel returns."""
    return [] if result == types.none else list(getattr(result, "types", [result]))


def _names(numbers: list[Any]) -> list[str]:
    return [types.unliteral(number).name for number in numbers]
