"""What LLVM is told where kernels call what ``simd`` declares, but of vectors of sixteen (see ``_lanes``)."""

import struct
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from aligner.kernels._llvm import data_of, fetch_at, load_at
from aligner.kernels.fixed import SCALE


@intrinsic
def add_products(typing, sums, index, row, there, back):
    def generate(context, builder, signature, arguments):
        pair, wide, whole = (
            ir.VectorType(kind, 2) for kind in (ir.FloatType(), ir.DoubleType(), ir.IntType(64))
        )
        data = data_of(context, builder, signature, arguments)
        totals, potentials = (
            builder.gep(builder.bitcast(data[n], kind.as_pointer()), [arguments[1]])
            for n, kind in ((0, whole), (2, pair))
        )
        factors = ir.Constant(pair, ir.Undefined)
        for column in (0, 1):
            place = ir.Constant(ir.IntType(32), column)
            factors = builder.insert_element(factors, arguments[3 + column], place)
        product = builder.fpext(builder.fmul(load_at(builder, potentials), factors), wide)
        # A double of this size has as many binary places as fixed point: to add it is to round to them.
        size = 1.5 * 2.0**52 / SCALE
        bits = struct.unpack("q", struct.pack("d", size))[0]
        rounded = builder.bitcast(builder.fadd(product, ir.Constant(wide, [size] * 2)), whole)
        more = builder.sub(rounded, ir.Constant(whole, [bits] * 2))
        builder.store(builder.add(load_at(builder, totals, align=8), more), totals).align = 8
        return context.get_dummy_value()

    return types.none(sums, types.intp, row, types.float32, types.float32), generate


@intrinsic
def prefetch(typing, array, index):
    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = arguments[1]
        for size in cgutils.unpack_tuple(builder, view.shape)[1:]:
            place = builder.mul(place, size)
        fetch_at(builder, builder.gep(view.data, [place]))
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


def _first_of_row(context: Any, builder: Any, kind: Any, matrix: Any, row: Any) -> Any:
    """Pointer to matrix[row, 0], of a contiguous matrix."""
    view = context.make_array(kind)(context, builder, matrix)
    return builder.gep(view.data, [builder.mul(row, cgutils.unpack_tuple(builder, view.shape)[1])])


@intrinsic
def acquire(typing, locks, index):
    def generate(context, builder, signature, arguments):
        place = _first_of_row(context, builder, signature.args[0], *arguments)
        taken = ir.Constant(ir.IntType(64), 1)
        before = builder.atomic_rmw("xchg", place, taken, "acquire")
        return builder.icmp_unsigned("==", before, ir.Constant(ir.IntType(64), 0))

    return types.boolean(locks, types.intp), generate


@intrinsic
def release(typing, locks, index):
    def generate(context, builder, signature, arguments):
        place = _first_of_row(context, builder, signature.args[0], *arguments)
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), place, "release", 8)
        return context.get_dummy_value()

    return types.none(locks, types.intp), generate


@intrinsic
def add_shared(typing, counts, row, column, value):
    def generate(context, builder, signature, arguments):
        matrix, row, column, value = arguments
        place = builder.gep(_first_of_row(context, builder, signature.args[0], matrix, row), [column])
        builder.atomic_rmw("add", place, value, "monotonic")
        return context.get_dummy_value()

    return types.none(counts, types.intp, types.intp, types.int64), generate


def _loaded(context: Any, builder: Any, signature: Any, arguments: Any, kind: Any) -> Any:
    """Bytes of an array from an index on, unaligned, as a value of some type."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return load_at(builder, builder.bitcast(builder.gep(data, [arguments[1]]), kind.as_pointer()), align=1)


@intrinsic
def eight_bytes(typing, text, index):
    def generate(context, builder, signature, arguments):
        return _loaded(context, builder, signature, arguments, ir.IntType(64))

    return types.uint64(text, types.intp), generate


@intrinsic
def separators(typing, text, index):
    def generate(context, builder, signature, arguments):
        bytes64 = ir.VectorType(ir.IntType(8), 64)
        value = _loaded(context, builder, signature, arguments, bytes64)
        space, tab, newline = (
            builder.icmp_unsigned("==", value, ir.Constant(bytes64, [byte] * 64)) for byte in b" \t\n"
        )
        return builder.bitcast(builder.or_(builder.or_(space, tab), newline), ir.IntType(64))

    return types.uint64(text, types.intp), generate


@intrinsic
def lowest_bit(typing, bits):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate
