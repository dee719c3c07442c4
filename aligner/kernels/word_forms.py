"""The word-form prior: how the other forms of two words translate each other.

Words are dealt into classes on both sides, by more and more of their first letters, l = 1, 2, ... Let
c(e, f) be the expected count of a word pair, C(a, b) the sum over all word pairs of two classes, C(a) the sum
over all b, and n the frequency of a word or of a class. With e in class a and f in class b, and p_0 = 0,

    p_l(f | e) = ((C(a, b) - c(e, f)) n(f) / n(b) + w p_l-1(f | e)) / (C(a) - c(e, f) + w),

which leaves the count of the pair itself out. The prior mean m(f | e) is the last p, normalised over the
words that the index pairs with e. The other direction is likewise.
"""

import math

import numpy as np

from aligner.kernels.policy import helper, kernel


@helper
def _back_off(joint, total, own, share, weight, coarser):
    """Return p_l from p_l-1, ``coarser``; joint, total, own: int64 fixed point; weight: in the same units."""
    return ((joint - own) * share + weight * coarser) / (total - own + weight)


@kernel
def back_off(first, last, source, target, row_offsets, columns, counts, weight, means):
    """Replace p_l-1 by p_l in ``means``, for the word pairs of the source classes first <= a < last.

    source, target: ``WordClasses``; counts: int64 fixed point [pair_ids + 1, 1 or 2], one column for both
    directions or a column for each; weight: w in units of the counts; means: float32 [pair_ids + 1, 2].
    """
    final = counts.shape[1] - 1
    forward = np.zeros(len(target.totals), np.int64)
    reverse = np.zeros(len(target.totals), np.int64)
    for a in range(first, last):
        types = source.members[source.offsets[a] : source.offsets[a + 1]]
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                b = np.uint32(target.classes[np.uint32(columns[k])])
                forward[b] += counts[k, 0]
                reverse[b] += counts[k, final]
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                t = np.uint32(columns[k])
                b = np.uint32(target.classes[t])
                if forward[b] > counts[k, 0] or means[k, 0] > 0:
                    means[k, 0] = _back_off(
                        forward[b], source.totals[a], counts[k, 0], target.shares[t], weight, means[k, 0]
                    )
                if reverse[b] > counts[k, final] or means[k, 1] > 0:
                    means[k, 1] = _back_off(
                        reverse[b], target.totals[b], counts[k, final], source.shares[s], weight, means[k, 1]
                    )
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                b = np.uint32(target.classes[np.uint32(columns[k])])
                forward[b] = 0
                reverse[b] = 0


@kernel
def geometric_means(first, last, row_offsets, means, concentration, scores):
    """Set the score of each pair to the geometric mean of its means, times a concentration.

    means: float32 [pair_ids + 1, 2], normalised; first, last: source types; scores: float32 [pair_ids + 1].
    """
    for k in range(row_offsets[first], row_offsets[last]):
        scores[k] = concentration * math.sqrt(np.float64(means[k, 0]) * means[k, 1])
