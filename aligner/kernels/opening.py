"""Expected counts where all words of a sentence have the same posteriors: collected word by word."""

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.fixed import to_fixed
from aligner.kernels.pairs import AHEAD, fetch, fetch_occurrence
from aligner.kernels.simd import prefetch


@inlined
def _fetch_posteriors(o, pair, position, source_offsets, target_offsets, forward, reverse):
    """Start fetching what a later occurrence than this adds."""
    final = len(pair) - 1
    prefetch(source_offsets, np.int64(pair[min(o + 2 * AHEAD, final)]))
    coming = min(o + AHEAD, final)
    m = np.int64(pair[coming])
    prefetch(forward, source_offsets[m] + position[coming])
    fetch(reverse, target_offsets[m], target_offsets[m + 1])


@kernel
def count_links(
    first,
    last,
    starts,
    pair,
    position,
    source_offsets,
    target,
    target_offsets,
    cell_offsets,
    row_offsets,
    columns,
    target_types,
    forward,
    reverse,
    slots,
    counts,
):
    """Set the counts, int64 fixed point [slots + 1, 2], of the source types first <= s < last.

    starts, pair, position: the text's ``Occurrences``. forward: float32 [source tokens], P(a_j = i) whatever
    j; reverse: float32 [target tokens], P(a_i = j) whatever i. slots: as in ``find_slots``, set by the way,
    or empty.
    """
    where = np.zeros(target_types, np.uint32)
    sums = np.zeros((target_types, 2), np.int64)
    for s in range(first, last):
        begin = row_offsets[s]
        row = columns[begin : row_offsets[s + 1]]
        for k in range(len(row)):
            where[row[k]] = begin + k
        for o in range(starts[s], starts[s + 1]):
            fetch_occurrence(o, pair, position, target, target_offsets, cell_offsets, slots)
            _fetch_posteriors(o, pair, position, source_offsets, target_offsets, forward, reverse)
            n = pair[o]
            f = to_fixed(forward[source_offsets[n] + position[o]])
            words = target[target_offsets[n] : target_offsets[n + 1]]
            r = reverse[target_offsets[n] : target_offsets[n + 1]]
            for j in range(len(words)):
                entry = sums[words[j]]
                entry[0] += f
                entry[1] += to_fixed(r[j])
            if len(slots) > 0:
                start = cell_offsets[n] + position[o] * len(words)
                out = slots[start : start + len(words)]
                for j in range(len(words)):
                    out[j] = where[words[j]]
        for k in range(len(row)):
            entry = sums[row[k]]
            counts[begin + k, 0] = entry[0]
            counts[begin + k, 1] = entry[1]
            entry[0] = 0
            entry[1] = 0
