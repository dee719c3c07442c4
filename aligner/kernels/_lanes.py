"""Vectors of sixteen float32 as a Numba type, and what LLVM is told where kernels call ``simd`` for them."""

import operator
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from aligner.kernels._llvm import call, data_of, fetch_at, load_at
from aligner.kernels.fixed import JUMP_SCALE
from aligner.kernels.simd import LANES

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_FLAGS = ("contract", "nsz")

_STEPS_AHEAD = 4
"""Runs are fetched so many times sixteen before they are read: the processor does not foresee sixteen."""


class _Lanes(types.Type):
    """Sixteen float32."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any, like: Any) -> Any:
    """Pointer to element ``index`` of a contiguous float32 array, as a pointer to the type of ``like``."""
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [index])
    return builder.bitcast(place, _VECTOR.as_pointer()) if like == _lanes else place


@intrinsic
def lanes16(typing):
    def generate(context, builder, signature, arguments):
        return ir.Constant(_VECTOR, [0.0] * LANES)

    return _lanes(), generate


@intrinsic
def width_of(typing, like):
    count = LANES if like == _lanes else 1

    def generate(context, builder, signature, arguments):
        return context.get_constant(types.intp, count)

    return types.intp(like), generate


@intrinsic
def load(typing, like, array, index):
    def generate(context, builder, signature, arguments):
        return load_at(builder, _place(context, builder, signature.args[1], arguments[1], arguments[2], like))

    return like(like, array, types.intp), generate


@intrinsic
def store(typing, array, index, value):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1], value)
        builder.store(arguments[2], place).align = 4
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
def within(typing, live, value, beyond):
    def generate(context, builder, signature, arguments):
        zero = ir.Constant(arguments[0].type, [0.0] * LANES if live == _lanes else 0.0)
        return builder.select(builder.fcmp_ordered("!=", arguments[0], zero), *arguments[1:])

    return value(live, value, beyond), generate


@intrinsic
def fixed_sum(typing, like, array, index):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[1], arguments[1], arguments[2], like)
        wide, whole = ir.DoubleType(), ir.IntType(64)
        if like == _lanes:
            wide, whole = ir.VectorType(wide, LANES), ir.VectorType(whole, LANES)
        value = builder.fmul(builder.fpext(load_at(builder, place), wide), _constant(wide, JUMP_SCALE))
        value = builder.fptosi(builder.fadd(value, _constant(wide, 0.5)), whole)
        if like != _lanes:
            return value
        return call(builder, f"llvm.vector.reduce.add.v{LANES}i64", ir.IntType(64), [value])

    return types.int64(like, array, types.intp), generate


@intrinsic
def multiply_by(typing, like, products, array, index):
    def generate(context, builder, signature, arguments):
        value = load_at(builder, _place(context, builder, signature.args[2], *arguments[2:], like))
        wide, truth = ir.DoubleType(), ir.IntType(1)
        if like == _lanes:
            wide, truth = ir.VectorType(wide, LANES), ir.VectorType(truth, LANES)
        place = builder.bitcast(data_of(context, builder, signature, arguments)[1], wide.as_pointer())
        product = builder.fmul(load_at(builder, place, align=8), builder.fpext(value, wide))
        builder.store(product, place).align = 8
        small = builder.fcmp_unordered("<=", product, _constant(wide, 1e-200))
        extreme = builder.or_(small, builder.fcmp_unordered(">=", product, _constant(wide, 1e200)))
        if like != _lanes:
            return extreme
        return call(builder, f"llvm.vector.reduce.or.v{LANES}i1", ir.IntType(1), [extreme])

    return types.boolean(like, products, array, types.intp), generate


def _constant(kind: Any, number: float) -> Any:
    """The number, in every lane of a vector."""
    return ir.Constant(kind, [number] * LANES if isinstance(kind, ir.VectorType) else number)


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """The transpose of sixteen vectors, by shuffles that processors have: of 32, 64, then 128 bits of two."""
    low = [i // 2 % 2 + 4 * (i // 4) + LANES * (i % 2) for i in range(LANES)]
    high = [i + 2 for i in low]
    low_pairs = [i % 2 + 4 * (i // 4) + LANES * (i // 2 % 2) for i in range(LANES)]
    high_pairs = [i + 2 for i in low_pairs]
    even = [i % 4 + 8 * (i // 4 % 2) + LANES * (i // 8) for i in range(LANES)]
    odd = [i + 4 for i in even]

    def both(a: Any, b: Any, first: list[int], second: list[int]) -> tuple[Any, Any]:
        return _shuffled(builder, a, b, first), _shuffled(builder, a, b, second)

    quads = []
    for k in range(0, LANES, 4):
        a, b = both(rows[k], rows[k + 1], low, high)
        c, d = both(rows[k + 2], rows[k + 3], low, high)
        quads.append([*both(a, c, low_pairs, high_pairs), *both(b, d, low_pairs, high_pairs)])
    columns = [None] * LANES
    for c in range(4):
        p, p_odd = both(quads[0][c], quads[1][c], even, odd)
        q, q_odd = both(quads[2][c], quads[3][c], even, odd)
        columns[c], columns[8 + c] = both(p, q, even, odd)
        columns[4 + c], columns[12 + c] = both(p_odd, q_odd, even, odd)
    return columns


def _shuffled(builder: Any, a: Any, b: Any, indices: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices))


def _apart(builder: Any, name: str, arguments: list[Any], define: Callable[..., None]) -> None:
    """Call what ``define`` makes of a builder and arguments: one function, which is part of no caller."""
    kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        own = ir.IRBuilder(function.append_basic_block())
        define(own, *function.args)
        own.ret_void()
    builder.call(function, arguments)


def _mask(builder: Any, count: Any) -> Any:
    """True in the lanes below ``count``, which fits into 32 bits."""
    narrow = ir.IntType(32)
    wide = ir.VectorType(narrow, LANES)
    count = builder.trunc(count, narrow)
    first = builder.insert_element(ir.Constant(wide, ir.Undefined), count, ir.Constant(narrow, 0))
    counts = _shuffled(builder, first, ir.Constant(wide, ir.Undefined), [0] * LANES)
    return builder.icmp_signed("<", ir.Constant(wide, list(range(LANES))), counts)


def _in_steps(builder: Any, length: Any, body: Callable[[Any], None]) -> None:
    """Call ``body`` with each multiple of sixteen below the length."""
    size = ir.IntType(64)
    with cgutils.for_range_slice(builder, size(0), length, size(LANES), intp=size) as (first, _):
        body(first)


def _load_first(builder: Any, place: Any, mask: Any) -> Any:
    """Sixteen float32 at a place, zero where the mask is not true."""
    given = [place, ir.Constant(ir.IntType(32), 4), mask, ir.Constant(_VECTOR, [0.0] * LANES)]
    return call(builder, "llvm.masked.load.v16f32.p0", _VECTOR, given)


def _store_first(builder: Any, value: Any, place: Any, mask: Any) -> None:
    given = [value, place, ir.Constant(ir.IntType(32), 4), mask]
    call(builder, "llvm.masked.store.v16f32.p0", ir.VoidType(), given)


@intrinsic
def load_first(typing, like, array, index, count):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[1], *arguments[1:3], _lanes)
        return _load_first(builder, place, _mask(builder, arguments[3]))

    return like(like, array, types.intp, types.intp), generate


@intrinsic
def store_first(typing, array, index, value, count):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[0], *arguments[:2], _lanes)
        _store_first(builder, arguments[2], place, _mask(builder, arguments[3]))
        return context.get_dummy_value()

    return types.none(array, types.intp, value, types.intp), generate


@intrinsic
def add_to(typing, sums, value):
    def generate(context, builder, signature, arguments):
        wide = ir.VectorType(ir.DoubleType(), LANES)
        place = builder.bitcast(data_of(context, builder, signature, arguments)[0], wide.as_pointer())
        total = builder.fadd(load_at(builder, place, align=8), builder.fpext(arguments[1], wide))
        builder.store(total, place).align = 8
        return context.get_dummy_value()

    return types.none(sums, value), generate


def _lane_runs(builder: Any, array: Any, starts: Any, counts: Any, first: Any) -> Iterator[tuple[Any, Any]]:
    """Where sixteen of each lane's run begin, after so many of it, and which of them are not beyond it."""
    for lane in range(LANES):
        at = first.type(lane)
        start, count = (builder.load(builder.gep(numbers, [at])) for numbers in (starts, counts))
        place = builder.gep(array, [builder.add(start, first)])
        yield builder.bitcast(place, _VECTOR.as_pointer()), _mask(builder, builder.sub(count, first))


@intrinsic
def interleave(typing, array, starts, counts, length, out, at):
    def define(builder, array, starts, counts, length, out):
        def step(first):
            rows = []
            for place, mask in _lane_runs(builder, array, starts, counts, first):
                rows.append(_load_first(builder, place, mask))
                fetch_at(builder, builder.gep(place, [first.type(_STEPS_AHEAD)]))
            place = builder.gep(out, [builder.mul(first, first.type(LANES))])
            place = builder.bitcast(place, _VECTOR.as_pointer())
            for r, value in enumerate(_transposed(builder, rows)):
                builder.store(value, builder.gep(place, [first.type(r)])).align = 4

        _in_steps(builder, length, step)

    def generate(context, builder, signature, arguments):
        data = data_of(context, builder, signature, arguments)
        out = builder.gep(data[4], [arguments[5]])
        _apart(builder, "align.interleave", [*data[:3], arguments[3], out], define)
        return context.get_dummy_value()

    return types.none(array, starts, counts, types.intp, out, types.intp), generate


@intrinsic
def deinterleave(typing, lanes, at, array, starts, counts, length):
    def define(builder, lanes, array, starts, counts, length):
        def step(first):
            place = builder.gep(lanes, [builder.mul(first, first.type(LANES))])
            place = builder.bitcast(place, _VECTOR.as_pointer())
            rows = [load_at(builder, builder.gep(place, [first.type(r)])) for r in range(LANES)]
            runs = _lane_runs(builder, array, starts, counts, first)
            for value, (place, mask) in zip(_transposed(builder, rows), runs, strict=True):
                _store_first(builder, value, place, mask)

        _in_steps(builder, length, step)

    def generate(context, builder, signature, arguments):
        data = data_of(context, builder, signature, arguments)
        lanes = builder.gep(data[0], [arguments[1]])
        _apart(builder, "align.deinterleave", [lanes, *data[2:5], arguments[5]], define)
        return context.get_dummy_value()

    return types.none(lanes, types.intp, array, starts, counts, types.intp), generate


def _define(operation: Any, instruction: str) -> None:
    """Element-wise arithmetic of two vectors."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if args == (_lanes, _lanes):
                return signature(_lanes, _lanes, _lanes)
            return None

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
