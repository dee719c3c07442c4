"""Word forms: how the other forms of two words translate each other.

Words are dealt into classes on both sides, by more and more of their first letters, l = 1, 2, ... Let
c(e, f) be the expected count of a word pair, C(a, b) the sum over all word pairs of two classes, C(a) the sum
over all b, and n the frequency of a word or of a class. With e in class a and f in class b, and p_0 = 0,

    p_l(f | e) = ((C(a, b) - c(e, f)) n(f) / n(b) + w p_l-1(f | e)) / (C(a) - c(e, f) + w),

which leaves the count of the pair itself out. The prior mean m(f | e) is the last p, normalised over the
words that the index pairs with e. The other direction is likewise.

For words that never occurred together, there is no c(e, f), and the counts C are as in
``lexicon.prefix_classes``. Classes of more letters are parts of classes of fewer, so p_l is 0 where p_l-1 is.
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
    joint = np.zeros((len(target.totals), 2), np.int64)
    for a in range(first, last):
        types = source.members[source.offsets[a] : source.offsets[a + 1]]
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                b = np.uint32(target.classes[np.uint32(columns[k])])
                joint[b, 0] += counts[k, 0]
                joint[b, 1] += counts[k, final]
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                t = np.uint32(columns[k])
                b = np.uint32(target.classes[t])
                means[k, 0] = _back_off(
                    joint[b, 0], source.totals[a], counts[k, 0], target.shares[t], weight, means[k, 0]
                )
                means[k, 1] = _back_off(
                    joint[b, 1], target.totals[b], counts[k, final], source.shares[s], weight, means[k, 1]
                )
        for s in types:
            for k in range(row_offsets[s], row_offsets[s + 1]):
                b = np.uint32(target.classes[np.uint32(columns[k])])
                joint[b, 0] = 0
                joint[b, 1] = 0


@kernel
def back_off_cells(is_first, chosen, rows, source, target, pairs, weight, forward, reverse):
    """Replace p_l-1 by p_l in the cells of the chosen source tokens.

    is_first: True if l = 1; chosen: int64, tokens of equal classes together; rows: ``TokenRows``; source,
    target: ``ClassedTokens`` of level l; pairs: ``ClassPairs`` of level l; weight: w; forward, reverse:
    float64 [cells], source-major. The row of a source class is spread out over ``joint`` for all its tokens.
    """
    joint = np.zeros(len(pairs.target_totals))
    previous = -1
    for i in chosen:
        a = source.classes[i]
        if a != previous:
            if previous >= 0:
                for k in range(pairs.offsets[previous], pairs.offsets[previous + 1]):
                    joint[pairs.columns[k]] = 0.0
            if a >= 0:
                for k in range(pairs.offsets[a], pairs.offsets[a + 1]):
                    joint[pairs.columns[k]] = pairs.counts[k]
            previous = a
        total = pairs.source_totals[a] if a >= 0 else 0.0
        first_target = rows.targets[i]
        for j in range(first_target, first_target + rows.sizes[i]):
            k = rows.cells[i] + j - first_target
            if not is_first and forward[k] == 0.0:
                continue
            b = target.classes[j]
            other_total = pairs.target_totals[b] if b >= 0 else 0.0
            count = joint[b] if b >= 0 else 0.0
            forward[k] = (count * target.shares[j] + weight * forward[k]) / (total + weight)
            reverse[k] = (count * source.shares[i] + weight * reverse[k]) / (other_total + weight)


@kernel
def raise_potentials(
    chosen, source_lengths, target_lengths, strength, forward, reverse, links, reverse_links
):
    """Raise the potentials of the chosen pairs to at least strength sqrt(p(f | e) p(e | f)).

    chosen: bool [pairs]; forward, reverse: float64 [cells], source-major, the last p_l; links, reverse_links:
    float32 [cells], potentials, [J, I] and [I, J] for each pair.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        for i in range(width if chosen[n] else 0):
            for j in range(height):
                k = cell + i * height + j
                guess = np.float32(strength * math.sqrt(forward[k] * reverse[k]))
                links[cell + j * width + i] = max(links[cell + j * width + i], guess)
                reverse_links[k] = max(reverse_links[k], guess)
        cell += width * height
