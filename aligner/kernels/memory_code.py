"""LLVM code of the operations that ``memory`` defines."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def data_pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return the pointer to an array's first element."""
    return context.make_array(kind)(context, builder, array).data


def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call an intrinsic function of LLVM."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def prefetch_at(builder: Any, pointer: Any) -> None:
    """Prefetch data for reading, into all cache levels."""
    hints = [ir.Constant(ir.IntType(32), hint) for hint in (0, 3, 1)]
    byte = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    call(builder, "llvm.prefetch.p0", ir.VoidType(), [byte, *hints])


def _row_pointer(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Return the pointer to the first element of a row of a contiguous vector or matrix."""
    view = context.make_array(kind)(context, builder, array)
    for size in cgutils.unpack_tuple(builder, view.shape)[1:]:
        row = builder.mul(row, size)
    return builder.gep(view.data, [row])


@intrinsic
def prefetch(typing, array, index):
    def generate(context, builder, signature, arguments):
        prefetch_at(builder, _row_pointer(context, builder, signature.args[0], *arguments))
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


@intrinsic
def add_atomically(typing, counts, row, column, value):
    def generate(context, builder, signature, arguments):
        matrix, row, column, value = arguments
        pointer = _row_pointer(context, builder, signature.args[0], matrix, row)
        builder.atomic_rmw("add", builder.gep(pointer, [column]), value, "monotonic")
        return context.get_dummy_value()

    return types.none(counts, types.intp, types.intp, types.int64), generate
