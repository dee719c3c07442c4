"""Memory operations that Python cannot express: prefetching, and additions that threads share.

The Python functions define each operation; compiled kernels use the code of ``memory_code`` instead.
"""

from aligner.kernels import memory_code
from aligner.kernels.policy import compiled_as


@compiled_as(memory_code.prefetch)
def prefetch(array, index):
    """Start loading array[index], of a contiguous vector or matrix, into the cache."""


@compiled_as(memory_code.add_atomically)
def add_atomically(counts, row, column, value):
    """Add ``value`` to counts[row, column], int64, while other threads may be adding to it."""
    counts[row, column] += value
