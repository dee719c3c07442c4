"""LLVM code of the operations that ``intrinsics`` defines, and the vector as a Numba type."""

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from aligner.kernels.constants import MOST_LANES


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
def eight_bytes(typing, array, index):
    def generate(context, builder, signature, arguments):
        pointer = builder.gep(data_pointer(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        number = builder.load(builder.bitcast(pointer, ir.IntType(64).as_pointer()))
        number.align = 1
        return number if sys.byteorder == "little" else builder.bswap(number)

    return types.uint64(array, types.intp), generate


@intrinsic
def add_atomically(typing, counts, row, column, value):
    def generate(context, builder, signature, arguments):
        matrix, row, column, value = arguments
        pointer = _row_pointer(context, builder, signature.args[0], matrix, row)
        builder.atomic_rmw("add", builder.gep(pointer, [column]), value, "monotonic")
        return context.get_dummy_value()

    return types.none(counts, types.intp, types.intp, types.int64), generate


def _lanes_of_processor() -> int:
    """Return 16 for a processor with AVX-512, and 8 for any other.

    The recursions of the HMM hold ten vectors at a time. In vectors of sixteen numbers, they exceed the
    registers of AVX2 and of NEON, and moving them to memory and back takes a quarter of the time.
    """
    with suppress(RuntimeError):  # LLVM does not know every processor
        if binding.get_host_cpu_features().get("avx512f"):
            return MOST_LANES
    return MOST_LANES // 2


LANES = _lanes_of_processor()
"""The numbers of a vector. No result depends on it."""

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_FLAGS = ("contract", "nsz")

_STEPS_AHEAD = 4
"""``interleave`` prefetches its runs this many vectors ahead; hardware follows fewer streams."""


class _Lanes(types.Type):
    """The Numba type of a vector of float32."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _element_pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any, like: Any) -> Any:
    """Return the pointer to element ``index`` of a float32 array, as a pointer to the type of ``like``."""
    pointer = builder.gep(data_pointer(context, builder, kind, array), [index])
    return builder.bitcast(pointer, _VECTOR.as_pointer()) if like == _lanes else pointer


def _load_unaligned(builder: Any, pointer: Any) -> Any:
    """Load a value whose address is a multiple of 4 bytes."""
    value = builder.load(pointer)
    value.align = 4
    return value


@intrinsic
def vector(typing, like):
    kind = _lanes if isinstance(like, types.Array) else types.float32

    def generate(context, builder, signature, arguments):
        return ir.Constant(context.get_value_type(kind), [0.0] * LANES if kind == _lanes else 0.0)

    return kind(like), generate


@intrinsic
def width_of(typing, like):
    count = LANES if like == _lanes else 1

    def generate(context, builder, signature, arguments):
        return context.get_constant(types.intp, count)

    return types.intp(like), generate


@intrinsic
def load(typing, like, array, index):
    def generate(context, builder, signature, arguments):
        kinds = signature.args
        return _load_unaligned(
            builder, _element_pointer(context, builder, kinds[1], arguments[1], arguments[2], like)
        )

    return like(like, array, types.intp), generate


@intrinsic
def store(typing, array, index, value):
    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], arguments[0], arguments[1], value)
        builder.store(arguments[2], pointer).align = 4
        return context.get_dummy_value()

    return types.none(array, types.intp, value), generate


@intrinsic
def splat(typing, like, value):
    def generate(context, builder, signature, arguments):
        if like != _lanes:
            return arguments[1]
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        index = ir.IntType(32)
        first = builder.insert_element(undefined, arguments[1], ir.Constant(index, 0))
        return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(index, LANES), [0] * LANES))

    return like(like, types.float32), generate


@intrinsic
def where_live(typing, live, value, otherwise):
    def generate(context, builder, signature, arguments):
        zero = ir.Constant(arguments[0].type, [0.0] * LANES if live == _lanes else 0.0)
        return builder.select(builder.fcmp_unordered("!=", arguments[0], zero), *arguments[1:])

    return value(live, value, otherwise), generate


def _transpose(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose as many vectors as there are lanes, by shuffles of 32, 64, then 128 bits."""
    low = [i // 2 % 2 + 4 * (i // 4) + LANES * (i % 2) for i in range(LANES)]
    high = [i + 2 for i in low]
    low_pairs = [i % 2 + 4 * (i // 4) + LANES * (i // 2 % 2) for i in range(LANES)]
    high_pairs = [i + 2 for i in low_pairs]
    even = [i % 4 + 8 * (i // 4 % (LANES // 8)) + LANES * (i // (LANES // 2)) for i in range(LANES)]
    odd = [i + 4 for i in even]

    def shuffle_twice(a: Any, b: Any, first: list[int], second: list[int]) -> tuple[Any, Any]:
        return _shuffle(builder, a, b, first), _shuffle(builder, a, b, second)

    def transpose_blocks(vectors: list[Any]) -> list[Any]:
        """Transpose vectors of as many blocks of four lanes."""
        if len(vectors) == 1:
            return vectors
        halves = [shuffle_twice(a, b, even, odd) for a, b in _two_by_two(vectors)]
        by_half = [transpose_blocks(list(half)) for half in zip(*halves, strict=True)]
        return [vector for pair in zip(*by_half, strict=True) for vector in pair]

    quads = []
    for (a, b), (c, d) in _two_by_two(list(_two_by_two(rows))):
        (ab, ab_high), (cd, cd_high) = shuffle_twice(a, b, low, high), shuffle_twice(c, d, low, high)
        quads.append(
            [
                *shuffle_twice(ab, cd, low_pairs, high_pairs),
                *shuffle_twice(ab_high, cd_high, low_pairs, high_pairs),
            ]
        )
    blocks = [transpose_blocks(list(vectors)) for vectors in zip(*quads, strict=True)]
    return [vector for vectors in zip(*blocks, strict=True) for vector in vectors]


def _two_by_two(values: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of consecutive values."""
    return zip(values[::2], values[1::2], strict=True)


def _shuffle(builder: Any, a: Any, b: Any, indices: list[int]) -> Any:
    """Return the lanes of these indices, where b's lanes are numbered from 16."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices))


def _call_shared(builder: Any, name: str, arguments: list[Any], define: Callable[..., None]) -> None:
    """Call the function of this name, whose body ``define`` writes once per module.

    The function is not inlined: its body is long, and a kernel calls it several times.
    """
    kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        body = ir.IRBuilder(function.append_basic_block())
        define(body, *function.args)
        body.ret_void()
    builder.call(function, arguments)


def _mask(builder: Any, count: Any) -> Any:
    """Return a mask that is true in the lanes below ``count``, an integer that fits into 32 bits."""
    narrow = ir.IntType(32)
    wide = ir.VectorType(narrow, LANES)
    count = builder.trunc(count, narrow)
    first = builder.insert_element(ir.Constant(wide, ir.Undefined), count, ir.Constant(narrow, 0))
    counts = _shuffle(builder, first, ir.Constant(wide, ir.Undefined), [0] * LANES)
    return builder.icmp_signed("<", ir.Constant(wide, list(range(LANES))), counts)


def _for_each_step(builder: Any, counts: Any, length: Any, body: Callable[[Any, bool], None]) -> None:
    """Build loops that run ``body`` for each multiple of ``LANES`` below the length.

    body: a function of this multiple, and of whether runs may end before the next one. Where no run does, it
    needs no masks, which are slow on many processors.
    """
    size = ir.IntType(64)
    least = length
    for lane in range(LANES):
        count = builder.load(builder.gep(counts, [size(lane)]))
        least = builder.select(builder.icmp_signed("<", count, least), count, least)
    whole = builder.and_(least, size(-LANES))
    for begin, end, masked in ((size(0), whole, False), (whole, length, True)):
        with cgutils.for_range_slice(builder, begin, end, size(LANES), intp=size) as (first, _):
            body(first, masked)


def _load_masked(builder: Any, pointer: Any, mask: Any | None) -> Any:
    """Load a vector from a pointer, with zeros where the mask is false; all of it if there is no mask."""
    if mask is None:
        return _load_unaligned(builder, pointer)
    arguments = [pointer, ir.Constant(ir.IntType(32), 4), mask, ir.Constant(_VECTOR, [0.0] * LANES)]
    return call(builder, f"llvm.masked.load.v{LANES}f32.p0", _VECTOR, arguments)


def _store_masked(builder: Any, value: Any, pointer: Any, mask: Any | None) -> None:
    """Store the lanes of a vector where the mask is true; all of them if there is no mask."""
    if mask is None:
        builder.store(value, pointer).align = 4
        return
    arguments = [value, pointer, ir.Constant(ir.IntType(32), 4), mask]
    call(builder, f"llvm.masked.store.v{LANES}f32.p0", ir.VoidType(), arguments)


def _lane_runs(
    builder: Any, array: Any, starts: Any, counts: Any, first: Any, masked: bool
) -> Iterator[tuple[Any, Any | None]]:
    """Yield, for each lane, the pointer to element ``first`` of its run and the mask of the elements left."""
    for lane in range(LANES):
        index = first.type(lane)
        start, count = (builder.load(builder.gep(numbers, [index])) for numbers in (starts, counts))
        pointer = builder.gep(array, [builder.add(start, first)])
        mask = _mask(builder, builder.sub(count, first)) if masked else None
        yield builder.bitcast(pointer, _VECTOR.as_pointer()), mask


def _copy(builder: Any, values: Any, count: Any, out: Any) -> None:
    """Copy the only run of a group with one lane."""
    cgutils.raw_memcpy(builder, out, values, count, 4)


@intrinsic
def interleave(typing, like, array, starts, counts, length, out, at):
    def define(builder, array, starts, counts, length, out):
        def step(first, masked):
            rows = []
            for pointer, mask in _lane_runs(builder, array, starts, counts, first, masked):
                rows.append(_load_masked(builder, pointer, mask))
                prefetch_at(builder, builder.gep(pointer, [first.type(_STEPS_AHEAD)]))
            pointer = builder.gep(out, [builder.mul(first, first.type(LANES))])
            pointer = builder.bitcast(pointer, _VECTOR.as_pointer())
            for r, value in enumerate(_transpose(builder, rows)):
                builder.store(value, builder.gep(pointer, [first.type(r)])).align = 4

        _for_each_step(builder, counts, length, step)

    def generate(context, builder, signature, arguments):
        array, starts, counts, out = (
            data_pointer(context, builder, signature.args[k], arguments[k]) for k in (1, 2, 3, 5)
        )
        out = builder.gep(out, [arguments[6]])
        if like == _lanes:
            _call_shared(builder, "align.interleave", [array, starts, counts, arguments[4], out], define)
        else:
            _copy(builder, builder.gep(array, [builder.load(starts)]), builder.load(counts), out)
        return context.get_dummy_value()

    return types.none(like, array, starts, counts, types.intp, out, types.intp), generate


@intrinsic
def deinterleave(typing, like, lanes, at, array, starts, counts, length):
    def define(builder, lanes, array, starts, counts, length):
        def step(first, masked):
            pointer = builder.gep(lanes, [builder.mul(first, first.type(LANES))])
            pointer = builder.bitcast(pointer, _VECTOR.as_pointer())
            rows = [_load_unaligned(builder, builder.gep(pointer, [first.type(r)])) for r in range(LANES)]
            runs = _lane_runs(builder, array, starts, counts, first, masked)
            for value, (pointer, mask) in zip(_transpose(builder, rows), runs, strict=True):
                _store_masked(builder, value, pointer, mask)

        _for_each_step(builder, counts, length, step)

    def generate(context, builder, signature, arguments):
        lanes, array, starts, counts = (
            data_pointer(context, builder, signature.args[k], arguments[k]) for k in (1, 3, 4, 5)
        )
        lanes = builder.gep(lanes, [arguments[2]])
        if like == _lanes:
            _call_shared(builder, "align.deinterleave", [lanes, array, starts, counts, arguments[6]], define)
        else:
            _copy(builder, lanes, builder.load(counts), builder.gep(array, [builder.load(starts)]))
        return context.get_dummy_value()

    return types.none(like, lanes, types.intp, array, starts, counts, types.intp), generate


def _define(operation: Any, instruction: str) -> None:
    """Define a Python operator for two vectors as an LLVM instruction."""

    @type_callable(operation)
    def _type(context: Any) -> Any:
        return lambda a, b: _lanes if a == _lanes and b == _lanes else None

    @lower_builtin(operation, _Lanes, _Lanes)
    def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, instruction)(*arguments, flags=_FLAGS)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_operation, _instruction)
