"""What LLVM is told again and again: where arrays are, what is there, and to fetch it."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types


def data_of(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Where the elements of each argument that is an array begin; None for one that is not."""
    return [
        context.make_array(kind)(context, builder, argument).data if isinstance(kind, types.Array) else None
        for kind, argument in zip(signature.args, arguments, strict=True)
    ]


def load_at(builder: Any, place: Any, align: int = 4) -> Any:
    """What is at a place, aligned as float32 are unless it is said otherwise."""
    value = builder.load(place)
    value.align = align
    return value


def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """What a function of LLVM's own makes of arguments."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def fetch_at(builder: Any, place: Any) -> None:
    """Start fetching what is at a place, for reading and writing, into all levels, as data."""
    hints = [ir.Constant(ir.IntType(32), hint) for hint in (0, 3, 1)]
    byte = builder.bitcast(place, ir.IntType(8).as_pointer())
    call(builder, "llvm.prefetch.p0", ir.VoidType(), [byte, *hints])
