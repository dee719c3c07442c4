"""Expected counts, 64-bit fixed point, so that their sums are exact in any order.

An expected count c is added as the integer round(c * 2**32). Integer addition is associative: counts are the
same bits for any number of threads, blocks or shards. The resolution is 2.3e-10 of one occurrence. The
largest sum is 2**31 occurrences of one event.

Every token of a text has a jump, and there are few kinds of jumps. Jumps are therefore added in units of
2**-24, the resolution of a float32 posterior, and 2**39 of them fit.

``shared`` says that other threads may add to the same counts: additions are then atomic.
"""

import numpy as np

from aligner.kernels.constants import COUNT_SCALE, JUMP_SCALE
from aligner.kernels.intrinsics import add_atomically, prefetch
from aligner.kernels.policy import helper, kernel

# Counts are scattered over memory. They are prefetched this many additions before they are needed.
_AHEAD = 96


@helper
def count_to_fixed(value):
    """Return the fixed-point integer nearest to a non-negative count."""
    return int(np.float64(value) * COUNT_SCALE + 0.5)


@helper
def jump_to_fixed(value):
    """Return the fixed-point integer nearest to a non-negative number of jumps."""
    return int(np.float64(value) * JUMP_SCALE + 0.5)


@helper
def _add(counts, row, column, value, shared):
    """Add a posterior to counts[row, column]."""
    if not shared:
        counts[row, column] += count_to_fixed(value)
    elif value > 0:
        add_atomically(counts, np.int64(row), column, count_to_fixed(value))


@kernel
def add_links(pair_ids, links, shared, counts):
    """Add link posteriors to the counts of their word pairs, or NULL posteriors to the counts of their words.

    pair_ids: uint32 [cells], or the words of a block; links: float32 [cells, columns]; counts: int64 fixed
    point [pair_ids + 1, columns].
    """
    columns = counts.shape[1]
    final = len(pair_ids) - 1
    for k in range(len(pair_ids)):
        prefetch(counts, np.int64(pair_ids[min(k + _AHEAD, final)]))
        for c in range(columns):
            _add(counts, pair_ids[k], c, links[k, c], shared)


@kernel
def add_measures(measures, scale, sums):
    """Add the measures of each pair, float64 [names, pairs], rounded in units of 1 / scale, to int64 sums."""
    for name in range(len(measures)):
        for measure in measures[name]:
            sums[name] += np.int64(np.rint(measure * scale))


@kernel
def add_to_rows(rows, amounts, counts):
    """Add amounts[k] to counts[rows[k]], both int64 fixed point.

    amounts: [n, 1], the same for every column, or [n, columns].
    """
    final = amounts.shape[1] - 1
    for k in range(len(rows)):
        row = np.int64(rows[k])
        for c in range(counts.shape[1]):
            counts[row, c] += amounts[k, min(c, final)]


@kernel
def add_to_all(amounts, counts):
    """Add amounts[k], float32, to counts[k], int64 fixed point [pair_ids + 1, columns], for all k but 0.

    amounts: [pair_ids + 1, 1], the same for every column, or [pair_ids + 1, columns].
    """
    final = amounts.shape[1] - 1
    for k in range(1, len(amounts)):
        for c in range(counts.shape[1]):
            counts[k, c] += count_to_fixed(amounts[k, min(c, final)])
