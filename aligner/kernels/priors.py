"""Prior means of word pairs, float32 [pair_ids + 1, 2], m(f | e) and m(e | f), and their concentration.

The concentration maximises a leave-one-out likelihood, of which ``add_slopes`` and ``subtract_pairs`` compute
the slope (see ``priors.concentration``). Kernels that take ``first`` and ``last`` work on the source types
first <= s < last, so that threads can share the work.
"""

import math

import numpy as np

from aligner.kernels.constants import COUNT_SCALE, MEAN_SCALE, SLOPE_SCALE
from aligner.kernels.policy import helper, kernel


@kernel
def gather_probabilities(first, last, row_offsets, found, table, floor, means):
    """Set means[k] to table[found[k]], and to 0 where found[k] is 0 or the value is not above ``floor``.

    found: uint32 [pair_ids + 1]; table: float32 [other pair_ids + 1, 2]; means: float32 [pair_ids + 1, 2].
    """
    for k in range(row_offsets[first], row_offsets[last]):
        for direction in range(2):
            value = table[found[k], direction]
            means[k, direction] = value if found[k] > 0 and value > floor else np.float32(0.0)


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
def geometric_means(first, last, row_offsets, concentration, means):
    """Replace means[k, 0] by the geometric mean of means[k], times a concentration.

    means: float32 [pair_ids + 1, 2], normalised; first, last: source types.
    """
    for k in range(row_offsets[first], row_offsets[last]):
        means[k, 0] = concentration * math.sqrt(np.float64(means[k, 0]) * means[k, 1])


@helper
def _explained(count, mean, variance, concentration):
    """Return g(c, m) of a count above 1, in fixed point; variance: 1 / N, or 0."""
    damping = 1.0 / (1.0 + concentration * variance)
    others = count - 1.0
    return int(damping * count * others / (others + concentration * damping * mean) * SLOPE_SCALE + 0.5)


@kernel
def add_slopes(counts, means, variances, candidates, slopes):
    """Add g(c, m) of each count to the slope at each concentration.

    counts, means, variances: float64 [n]; candidates: float64 [m], concentrations; slopes: int64 [m], in
    units of 1 / SLOPE_SCALE.
    """
    for k in range(len(counts)):
        if counts[k] > 1.0:
            for n in range(len(candidates)):
                slopes[n] += _explained(counts[k], means[k], variances[k], candidates[n])


@helper
def _subtract(count, mean, variance, candidates, slopes):
    """Subtract g(c, m) of a count, int64 fixed point, from the slope at each concentration."""
    for n in range(len(candidates)):
        slopes[n] -= _explained(count / COUNT_SCALE, mean, variance, candidates[n])


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
                _subtract(counts[k, 0], means[k, 0], forward[s], candidates, slopes[0])
            if counts[k, final] > COUNT_SCALE and means[k, 1] > 0:
                variance = reverse[np.uint32(columns[k])]
                _subtract(counts[k, final], means[k, 1], variance, candidates, slopes[1])
