"""The order in which sentence pairs go through the HMM side by side: neighbours have similar lengths.

A text is ordered when it is read, while another process may compile the module ``hmm`` (see ``policy``).
"""

import numpy as np

from aligner.kernels.policy import helper, kernel, part


@helper
def _turn(width, height, tallest):
    """Return the key of a pair among those of its I: J ascends for odd I and descends for even I."""
    return height if width & 1 else tallest - height


@part
def _ordered(conditioning, emitted):
    """Return the numbers of the pairs, int64 [pairs], by I, then by J in turns: two stable counting sorts."""
    pairs = len(conditioning)
    widest = 0
    tallest = 0
    for n in range(pairs):
        widest = max(widest, np.int64(conditioning[n]))
        tallest = max(tallest, np.int64(emitted[n]))
    by_width = np.zeros(widest + 2, np.int64)
    by_height = np.zeros(tallest + 2, np.int64)
    for n in range(pairs):
        by_width[conditioning[n] + 1] += 1
        by_height[_turn(conditioning[n], emitted[n], tallest) + 1] += 1
    for k in range(widest + 1):
        by_width[k + 1] += by_width[k]
    for k in range(tallest + 1):
        by_height[k + 1] += by_height[k]
    turns = np.empty(pairs, np.int64)
    for n in range(pairs):
        key = _turn(conditioning[n], emitted[n], tallest)
        turns[by_height[key]] = n
        by_height[key] += 1
    order = np.empty(pairs, np.int64)
    for n in turns:
        order[by_width[conditioning[n]]] = n
        by_width[conditioning[n]] += 1
    return order


@kernel
def ordered(conditioning, emitted):
    """Return the numbers of the pairs in order, int64 [pairs]; conditioning, emitted: int32 [pairs], I and J.

    Pairs are ordered by I, then by J, which ascends for odd I and descends for even I, so that J does not
    jump where I rises.
    """
    return _ordered(conditioning, emitted)


@kernel
def members(conditioning, emitted, most):
    """Return the numbers, in order, of the pairs of up to ``most`` cells, and of those with more.

    Pairs without cells are left out.
    """
    order = _ordered(conditioning, emitted)
    large = np.empty(len(order), np.int64)
    smaller = 0
    larger = 0
    for n in order:
        size = np.int64(conditioning[n]) * emitted[n]
        if size > most:
            large[larger] = n
            larger += 1
        elif size > 0:
            order[smaller] = n
            smaller += 1
    return order[:smaller], large[:larger]
