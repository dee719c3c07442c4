"""Addition of the HMM's expected jumps to fixed-point counts (see ``hmm.posteriors`` for their layout)."""

from aligner.kernels.arrays import greatest, least
from aligner.kernels.constants import BUCKETS
from aligner.kernels.distortion import set_of
from aligner.kernels.fixed_point import jump_to_fixed
from aligner.kernels.hmm_group import MARGIN
from aligner.kernels.policy import helper
from aligner.kernels.simd import width_of


@helper
def _sum_lanes(values, first, lanes):
    """Return the sum of values[first : first + lanes] in fixed point."""
    total = 0
    for k in range(first, first + lanes):
        total += jump_to_fixed(values[k])
    return total


@helper
def _count_at(i, width, chosen, entered, left, last, counts):
    """Add one position's expected first links, jumps away and last links, in fixed point, to the counts.

    i: the position from 0; width: the length of the sentence, I; chosen: the set of the jumps away.
    """
    counts[0, 5 + min(i + 1, 5)] += entered
    counts[0, 11 + min(width, 5)] += entered
    counts[chosen, 11 + 6 * min(i + 1, 6) + min(width - 1 - i, 5)] += left
    counts[2, 5 + min(width - i, 5)] += last
    counts[2, 11 + min(width, 5)] += last


@helper
def count_shared_jumps(like, widths, group, counts):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point counts.

    widths: int64, I of the pairs of the group.
    """
    lanes = width_of(like)
    for bucket in range(BUCKETS):
        counts[1, bucket] += _sum_lanes(group.inside, bucket * lanes, lanes)
    # Positions that fall into the same buckets in all lanes are counted together. Empty lanes hold 0.
    narrowest = least(widths)
    common = narrowest if narrowest == greatest(widths) else max(narrowest - 5, 0)
    for i in range(common):
        k = i * lanes
        entered = _sum_lanes(group.entered, k, lanes)
        left = _sum_lanes(group.left, k, lanes)
        last = _sum_lanes(group.last, k, lanes)
        _count_at(i, narrowest, 1, entered, left, last, counts)
    for lane in range(len(widths)):
        for i in range(common, widths[lane]):
            k = i * lanes + lane
            entered = jump_to_fixed(group.entered[k])
            left = jump_to_fixed(group.left[k])
            last = jump_to_fixed(group.last[k])
            _count_at(i, widths[lane], 1, entered, left, last, counts)


@helper
def count_jumps_of_words(like, words, lane, group, counts):
    """Add one lane's expected jumps and uses of normalisers to the counts of its words' own sets.

    words: int32 [I], the conditioning words.
    """
    lanes = width_of(like)
    width = len(words)
    for i in range(width):
        chosen = set_of(words[i], len(counts))
        k = i * lanes + lane
        for bucket in range(BUCKETS):
            counts[chosen, bucket] += jump_to_fixed(
                group.inside[((i + MARGIN) * BUCKETS + bucket) * lanes + lane]
            )
        entered = jump_to_fixed(group.entered[k])
        left = jump_to_fixed(group.left[k])
        last = jump_to_fixed(group.last[k])
        _count_at(i, width, chosen, entered, left, last, counts)
