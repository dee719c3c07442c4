"""The order in which sentence pairs are inferred side by side."""

import numpy as np

from aligner.kernels._jit import kernel


@kernel
def _to_places(counts):
    """Replace counts of keys by the first place of each, were all sorted."""
    place = 0
    for key in range(len(counts)):
        size = counts[key]
        counts[key] = place
        place += size


@kernel
def like_sizes_together(conditioning, emitted, least, most):
    """The pairs of least <= I J <= most cells, int64, by I; those of equal I by J, up and down in turn.

    conditioning, emitted: int32 [pairs], I and J. By counting sort, J first: pairs of like sizes keep their
    order.
    """
    chosen = 0
    widest = 0
    tallest = 0
    for n in range(len(emitted)):
        if least <= np.int64(conditioning[n]) * emitted[n] <= most:
            chosen += 1
            widest = max(widest, conditioning[n])
            tallest = max(tallest, emitted[n])
    up_and_down = np.zeros(2 * tallest + 1, np.int64)
    widths = np.zeros(widest + 1, np.int64)
    for n in range(len(emitted)):
        if least <= np.int64(conditioning[n]) * emitted[n] <= most:
            up_and_down[tallest + (emitted[n] if conditioning[n] & 1 else -emitted[n])] += 1
            widths[conditioning[n]] += 1
    _to_places(up_and_down)
    _to_places(widths)
    by_height = np.empty(chosen, np.int64)
    for n in range(len(emitted)):
        if least <= np.int64(conditioning[n]) * emitted[n] <= most:
            key = tallest + (emitted[n] if conditioning[n] & 1 else -emitted[n])
            by_height[up_and_down[key]] = n
            up_and_down[key] += 1
    order = np.empty(chosen, np.int64)
    for n in by_height:
        order[widths[conditioning[n]]] = n
        widths[conditioning[n]] += 1
    return order
