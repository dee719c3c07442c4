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
def fill(values, value):
    """Set all elements of a vector."""
    for k in range(len(values)):
        values[k] = value


@helper
def least(values):
    """Return the least element of a vector that is not empty."""
    result = values[0]
    for k in range(1, len(values)):
        result = min(result, values[k])
    return result


@helper
def greatest(values):
    """Return the greatest element of a vector that is not empty."""
    result = values[0]
    for k in range(1, len(values)):
        result = max(result, values[k])
    return result


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


@helper
def _counts_to_starts(counts):
    """Replace the count of each key by the index of its first element in sorted order."""
    start = 0
    for key in range(len(counts)):
        size = counts[key]
        counts[key] = start
        start += size


@helper
def _height_key(width, height, tallest):
    """Return the sort key of pairs of one width, from 0: ascending J for odd widths, descending for even."""
    return tallest + (height if width & 1 else -height)


@kernel
def order_by_size(conditioning, emitted, least, most, order):
    """List the pairs with least <= I J <= most cells by I, and pairs of equal I by J.

    J ascends and descends by turns, so that neighbours of different I have similar J. conditioning, emitted:
    int32 [pairs], I and J; order: int64 [pairs], set from its start. Returns the number of pairs listed. It
    is a counting sort by J, then by I, and pairs of equal sizes keep their order.
    """
    chosen = np.empty(len(emitted), np.int64)
    count = 0
    widest = 0
    tallest = 0
    for n in range(len(emitted)):
        width, height = np.int64(conditioning[n]), np.int64(emitted[n])
        if least <= width * height <= most:
            chosen[count] = n
            count += 1
            widest = max(widest, width)
            tallest = max(tallest, height)
    chosen = chosen[:count]
    heights = np.empty(2 * tallest + 1, np.int64)
    widths = np.empty(widest + 1, np.int64)
    fill(heights, 0)
    fill(widths, 0)
    for n in chosen:
        heights[_height_key(conditioning[n], emitted[n], tallest)] += 1
        widths[conditioning[n]] += 1
    _counts_to_starts(heights)
    _counts_to_starts(widths)
    by_height = np.empty(count, np.int64)
    for n in chosen:
        key = _height_key(conditioning[n], emitted[n], tallest)
        by_height[heights[key]] = n
        heights[key] += 1
    for n in by_height:
        order[widths[conditioning[n]]] = n
        widths[conditioning[n]] += 1
    return count
