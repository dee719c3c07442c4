"""Array operations as loops, since Numba's own take seconds to compile, with their error messages."""

import numpy as np

from aligner.kernels.intrinsics import prefetch
from aligner.kernels.policy import helper, kernel

# Rows are scattered over memory: the beginning of each is prefetched this many rows before it is needed.
_AHEAD = 16


@helper
def copy(values, out):
    """Set the first elements of ``out`` to the values."""
    for k in range(len(values)):
        out[k] = values[k]


@helper
def count_below(values, bound):
    """Return the number of ascending values that are less than a bound."""
    low = 0
    high = len(values)
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def gather_rows(first, last, starts, values, offsets, gathered):
    """Copy the row that begins at values[starts[n]] to row n of ``gathered``.

    starts: int64 [rows]; values: int32; offsets: int64 [rows + 1], of ``gathered``; gathered: int32, set.
    """
    for n in range(first, last):
        prefetch(values, np.int64(starts[min(n + _AHEAD, last - 1)]))
        size = offsets[n + 1] - offsets[n]
        row = values[starts[n] : starts[n] + size]
        out = gathered[offsets[n] : offsets[n + 1]]
        for k in range(size):
            out[k] = row[k]
