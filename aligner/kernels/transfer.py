"""Transfer between the co-occurrence indices of two texts, whose words have different ids.

``sources``, int32 [source types + 1], holds the other id of each source type; ``targets``, int32 [other
target types + 1], the own id of each other target type. It is -1 for a word that is missing.

Kernels that take ``first`` and ``last`` work on these source types only, so that threads can share the work.
"""

import numpy as np

from aligner.kernels.policy import kernel


@kernel
def find_pairs(first, last, sources, targets, other, own, found):
    """Set found[k], uint32 [pair_ids + 1], to the other index's pair_id of word pair k, or to 0.

    other, own: ``IndexRows``. Each row of the other index is spread out over ``where``. Entries of earlier
    rows remain there; they are out of the range of the current row.
    """
    where = np.zeros(own.target_types + 1, np.uint32)
    for s in range(first, last):
        if sources[s] < 0:
            continue
        begin, end = other.offsets[sources[s]], other.offsets[sources[s] + 1]
        for k in range(begin, end):
            t = targets[np.uint32(other.columns[k])]
            if t >= 0:
                where[t] = k
        for k in range(own.offsets[s], own.offsets[s + 1]):
            pair_id = np.int64(where[np.uint32(own.columns[k])])
            if begin <= pair_id < end:
                found[k] = pair_id


@kernel
def join_rows(sources, targets, other, own, sizes, columns):
    """Collect the target types of each source type in either index, unsorted; return their number.

    other, own: ``IndexRows``; sizes: int64 [source types], set; columns: int32 [pair_ids of both], set.
    """
    stamp = np.full(own.target_types + 1, -1, np.int64)
    used = 0
    for s in range(len(sizes)):
        begin = used
        for k in range(own.offsets[s], own.offsets[s + 1]):
            t = np.uint32(own.columns[k])
            stamp[t] = s
            columns[used] = t
            used += 1
        if sources[s] >= 0:
            for k in range(other.offsets[sources[s]], other.offsets[sources[s] + 1]):
                t = targets[np.uint32(other.columns[k])]
                if t >= 0 and stamp[t] != s:
                    columns[used] = t
                    used += 1
        sizes[s] = used - begin
    return used


@kernel
def gather_probabilities(first, last, row_offsets, found, table, floor, means):
    """Set means[k] to table[found[k]], and to 0 where found[k] is 0 or the value is not above ``floor``.

    found: uint32 [pair_ids + 1]; table: float32 [other pair_ids + 1, 2]; means: float32 [pair_ids + 1, 2].
    """
    for k in range(row_offsets[first], row_offsets[last]):
        for direction in range(2):
            value = table[found[k], direction]
            means[k, direction] = value if found[k] > 0 and value > floor else np.float32(0.0)
