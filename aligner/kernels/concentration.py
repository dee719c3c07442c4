"""The slope of the leave-one-out likelihood by the concentration (see ``training.concentration``)."""

import numpy as np

from aligner.kernels.constants import COUNT_SCALE, SLOPE_SCALE
from aligner.kernels.policy import helper, kernel


@helper
def _subtract_explained(count, mean, variance, candidates, slopes):
    """Subtract what a count above 1 takes from the slope at each concentration."""
    value = count / COUNT_SCALE
    for n in range(len(candidates)):
        damping = 1.0 / (1.0 + candidates[n] * variance)
        others = value - 1.0
        explained = damping * value * others / (others + candidates[n] * damping * mean)
        slopes[n] -= int(explained * SLOPE_SCALE + 0.5)


@kernel
def subtract_pairs(first, last, row_offsets, columns, counts, means, variances, candidates, slopes):
    """Subtract what each pair with a prior mean takes from the slope, for the source types first <= s < last.

    counts: int64 fixed point [pair_ids + 1, 1 or 2]; means: float32 [pair_ids + 1, 2]; variances: two float64
    [types + 1], 1 / N of each source type and of each target type; candidates: float64 [n], concentrations;
    slopes: int64 [2, n], of both directions, in units of 1 / SLOPE_SCALE.
    """
    final = counts.shape[1] - 1
    forward, reverse = variances
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            if counts[k, 0] > COUNT_SCALE and means[k, 0] > 0:
                _subtract_explained(counts[k, 0], means[k, 0], forward[s], candidates, slopes[0])
            if counts[k, final] > COUNT_SCALE and means[k, 1] > 0:
                variance = reverse[np.uint32(columns[k])]
                _subtract_explained(counts[k, final], means[k, 1], variance, candidates, slopes[1])
