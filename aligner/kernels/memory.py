"""Memory operations that Python cannot express: prefetching, and additions that threads share.

The Python functions define each operation; compiled kernels use the code of ``memory_code`` instead.
"""

from collections.abc import Callable
from typing import Any

from aligner.kernels import memory_code
from aligner.kernels.policy import JIT


def _compiled_as(code: Any) -> Callable[[Any], Any]:
    return lambda definition: code if JIT else definition


@_compiled_as(memory_code.prefetch)
def prefetch(array, index):
    """Start loading array[index], of a contiguous vector or matrix, into the cache."""


@_compiled_as(memory_code.add_atomically)
def add_atomically(counts, row, column, value):
    """Add ``value`` to counts[row, column], int64, while other threads may be adding to it."""
    counts[row, column] += value
