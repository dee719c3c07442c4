"""Addition of the HMM's expected jumps to fixed-point counts (see ``hmm.posteriors`` for their layout)."""

import numpy as np

from aligner.kernels.arrays import greatest, least
from aligner.kernels.constants import BUCKETS, LANES
from aligner.kernels.distortion import set_of, use_index
from aligner.kernels.fixed_point import jump_to_fixed
from aligner.kernels.hmm_group import MARGIN
from aligner.kernels.hmm_lanes import lanes_to_runs
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
    counts[0, use_index(0, width)] += entered
    counts[chosen, use_index(i + 1, width)] += left
    counts[2, 5 + min(width - i, 5)] += last
    counts[2, use_index(0, width)] += last


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
def count_jumps_of_words(like, pairs, width, words, group, counts):
    """Add every lane's expected jumps and uses of normalisers to the counts of its words' own sets.

    width: the largest I of the group; words: int32, the conditioning words of all pairs of the block.
    """
    lanes = width_of(like)
    rows = np.empty(lanes * LANES, np.float32)  # the jumps from one position, by lane and bucket
    for i in range(width):
        for lane in range(lanes):
            pairs.row[lane] = lane * LANES
            pairs.row_width[lane] = BUCKETS if i < pairs.widths[lane] else 0
        inside = group.inside[(i + MARGIN) * BUCKETS * lanes :]
        lanes_to_runs(lanes, inside, pairs.row, pairs.row_width, BUCKETS, rows)
        for lane in range(lanes):
            if i < pairs.widths[lane]:
                chosen = set_of(words[pairs.words[lane] + i], len(counts))
                for bucket in range(BUCKETS):
                    counts[chosen, bucket] += jump_to_fixed(rows[lane * LANES + bucket])
                k = i * lanes + lane
                entered = jump_to_fixed(group.entered[k])
                left = jump_to_fixed(group.left[k])
                last = jump_to_fixed(group.last[k])
                _count_at(i, pairs.widths[lane], chosen, entered, left, last, counts)
