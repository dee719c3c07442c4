"""The order in which sentence pairs are inferred side by side."""

import numpy as np

from aligner.kernels.policy import helper, kernel


@helper
def _to_places(counts):
    """Replace counts of keys by the first place of each, were all sorted."""
    place = 0
    for key in range(len(counts)):
        size = counts[key]
        counts[key] = place
        place += size


@helper
def _turn(width, height, tallest):
    """What pairs of one width are sorted by, from 0: up where it is odd, down where it is even."""
    return tallest + (height if width & 1 else -height)


@kernel
def order_by_size(conditioning, emitted, least, most, order):
    """The pairs of least <= I J <= most cells, by I; those of equal I by J, up and down in turn.

    conditioning, emitted: int32 [pairs], I and J. order: int64 [pairs], filled from its start; returns how
    many there are. By counting sort, J first: pairs of like sizes keep their order.
    """
    chosen = np.empty(len(emitted), np.int64)
    count = 0
    widest = 0
    tallest = 0
    for n in range(len(emitted)):
        if least <= np.int64(conditioning[n]) * emitted[n] <= most:
            chosen[count] = n
            count += 1
            widest = max(widest, conditioning[n])
            tallest = max(tallest, emitted[n])
    chosen = chosen[:count]
    heights = np.zeros(2 * tallest + 1, np.int64)
    widths = np.zeros(widest + 1, np.int64)
    for n in chosen:
        heights[_turn(conditioning[n], emitted[n], tallest)] += 1
        widths[conditioning[n]] += 1
    _to_places(heights)
    _to_places(widths)
    by_height = np.empty(count, np.int64)
    for n in chosen:
        key = _turn(conditioning[n], emitted[n], tallest)
        by_height[heights[key]] = n
        heights[key] += 1
    for n in by_height:
        order[widths[conditioning[n]]] = n
        widths[conditioning[n]] += 1
    return count
