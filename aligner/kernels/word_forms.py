"""The word-form prior: how the other forms of two words translate each other.

Words are dealt into classes on both sides, such as words with the same first letters. c(e, f) is the expected
count of a word pair, and C(a, b) the sum over all word pairs of two classes. The estimates for (e, f), with e
in class a and f in class b, leave the count of the pair itself out:

    t(b | a) = (C(a, b) - c(e, f)) / (sum_b' C(a, b') - c(e, f)),      t(a | b) likewise

The score of the pair is sqrt( t(b | a) p(f | b) t(a | b) p(e | a) ), with p by the frequencies of the words.
A pair without other forms that co-occur has score 0.
"""

import math

import numpy as np

from aligner.kernels.policy import helper, kernel


@helper
def _leave_one_out(joint, total, own):
    """Return (joint - own) / (total - own), or 0 if no other count is left; all int64 fixed point."""
    return (joint - own) / (total - own) if joint > own else 0.0


@kernel
def add_scores(first, last, source, target, row_offsets, columns, counts, scores):
    """Add the scores of the word pairs of the source classes first <= a < last, for one kind of classes.

    source, target: ``WordClasses``; counts: int64 fixed point [pair_ids + 1, 1 or 2], one column for both
    directions or a column for each; scores: float32 [pair_ids + 1].
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
                if forward[b] > counts[k, 0]:
                    score = _leave_one_out(forward[b], source.totals[a], counts[k, 0])
                    score *= _leave_one_out(reverse[b], target.totals[b], counts[k, final])
                    scores[k] += math.sqrt(score * source.shares[s] * target.shares[t])
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                b = np.uint32(target.classes[np.uint32(columns[k])])
                forward[b] = 0
                reverse[b] = 0
