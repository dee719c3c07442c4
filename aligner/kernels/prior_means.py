"""Prior means of word pairs, float32 [pair_ids + 1, 2]: m(f | e) and m(e | f).

Kernels work on the source types first <= s < last, so that threads can share the work.
"""

import numpy as np

from aligner.kernels.constants import MEAN_SCALE
from aligner.kernels.policy import helper, kernel


@helper
def _add_mean(mean, count, sums, word):
    """Add a mean above 0, and the count of its pair, to sums[word]."""
    if mean > 0:
        sums[word, 0] += int(np.float64(mean) * MEAN_SCALE + 0.5)
        sums[word, 1] += count


@kernel
def add_rows(first, last, row_offsets, columns, counts, means, forward, reverse):
    """Add each mean, and the count of its pair if the mean is not 0, to the sums of the pair's words.

    counts: int64 fixed point [pair_ids + 1, 1 or 2]; means: float32 [pair_ids + 1, 2]; forward, reverse:
    int64 [types + 1, 2], of source types and of target types, means in units of 1 / MEAN_SCALE.
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            _add_mean(means[k, 0], counts[k, 0], forward, s)
            _add_mean(means[k, 1], counts[k, final], reverse, np.uint32(columns[k]))


@kernel
def scale_rows(first, last, row_offsets, columns, forward, reverse, means):
    """Multiply means[k] by (forward[s], reverse[columns[k]]); float64 by type."""
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            means[k, 0] *= forward[s]
            means[k, 1] *= reverse[np.uint32(columns[k])]
