"""A vector of float32 as a Numba type: the same kernel source runs on one sentence pair or on sixteen at once.

Recursions along a sentence do not vectorise, but sixteen sentence pairs of like size can go through them side by
side, one per lane. LLVM turns the 16-lane type into whatever the processor has (AVX-512, AVX2, SSE, NEON).

A kernel takes a ``like`` argument, ``lanes16()`` or a float32, and is compiled for its type; ``load``, ``store``
and ``splat`` follow it. Arithmetic is rounded in program order (no reassociation), so a lane's result never
depends on its neighbours or on padding.
"""

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 16

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_FLAGS = ("contract", "nsz")


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
def lanes16(typing):  # type: ignore[no-untyped-def]
    """Sixteen zeros."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return ir.Constant(_VECTOR, [0.0] * LANES)

    return _lanes(), generate


@intrinsic
def width_of(typing, like):  # type: ignore[no-untyped-def]
    """Lanes of the type of ``like``: 16 or 1."""
    count = LANES if like == _lanes else 1

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return context.get_constant(types.intp, count)

    return types.intp(like), generate


@intrinsic
def load(typing, like, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + lanes], unaligned."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = _place(context, builder, signature.args[1], arguments[1], arguments[2], like)
        value = builder.load(place)
        value.align = 4
        return value

    return like(like, array, types.intp), generate


@intrinsic
def store(typing, array, index, value):  # type: ignore[no-untyped-def]
    """array[index : index + lanes] = value."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1], value)
        builder.store(arguments[2], place).align = 4
        return context.get_dummy_value()

    return types.none(array, types.intp, value), generate


@intrinsic
def splat(typing, like, value):  # type: ignore[no-untyped-def]
    """The float32 in every lane."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        if like != _lanes:
            return arguments[1]
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        index = ir.IntType(32)
        first = builder.insert_element(undefined, arguments[1], ir.Constant(index, 0))
        return builder.shuffle_vector(
            first, undefined, ir.Constant(ir.VectorType(index, LANES), [0] * LANES)
        )

    return like(like, types.float32), generate


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
