"""The index of co-occurring word pairs: building it, and finding the slots of a text's cells in it.

A *slot* numbers one (source type, target type) pair that occurs together in some sentence pair. Slots are
ordered by source type, then target type, and count from 1; slot 0 stands for every pair never seen together.
"""

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.simd import prefetch

# Occurrences of a word are scattered over the corpus: each is fetched this many before it is needed.
_AHEAD = 12


@kernel
def occurrences(source, source_offsets, source_types):
    """Inverted index of the source side.

    Returns starts, int64 [types + 1], and for every occurrence, grouped by type in corpus order, its pair
    (int32) and position (int32). Unknown tokens (id >= types) have none.
    """
    starts = np.zeros(source_types + 1, np.int64)
    for k in range(len(source)):
        if source[k] < source_types:
            starts[source[k] + 1] += 1
    for s in range(source_types):
        starts[s + 1] += starts[s]
    cursor = starts[:-1].copy()
    pair = np.empty(starts[source_types], np.int32)
    position = np.empty(starts[source_types], np.int32)
    for n in range(len(source_offsets) - 1):
        begin = source_offsets[n]
        for k in range(begin, source_offsets[n + 1]):
            s = source[k]
            if s < source_types:
                pair[cursor[s]] = n
                position[cursor[s]] = k - begin
                cursor[s] += 1
    return starts, pair, position


@kernel
def count_row_pairs(first, last, starts, pair, target, target_offsets, target_types, sizes):
    """sizes[s] = number of distinct target types that occur with source type s, for first <= s < last."""
    stamp = np.full(target_types + 1, -1, np.int32)
    final = len(pair) - 1
    for s in range(first, last):
        size = 0
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            prefetch(target, target_offsets[pair[min(o + _AHEAD, final)]])
            words = target[target_offsets[n] : target_offsets[n + 1]]
            for t in words:
                if stamp[t] != s:
                    stamp[t] = s
                    if t < target_types:
                        size += 1
        sizes[s] = size


@kernel
def fill_rows(
    first,
    last,
    starts,
    pair,
    position,
    target,
    target_offsets,
    target_types,
    cell_offsets,
    row_offsets,
    columns,
    slots,
):
    """Write the sorted rows of source types first <= s < last into columns, and the slot of all their cells.

    columns: int32 [slots + 1]; slots: uint32 [cells], source-major per pair.
    """
    stamp = np.full(target_types + 1, -1, np.int32)
    slot_of = np.zeros(target_types + 1, np.uint32)
    final = len(pair) - 1
    for s in range(first, last):
        begin = row_offsets[s]
        cursor = begin
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            prefetch(target, target_offsets[pair[min(o + _AHEAD, final)]])
            words = target[target_offsets[n] : target_offsets[n + 1]]
            for t in words:
                if stamp[t] != s:
                    stamp[t] = s
                    if t < target_types:
                        columns[cursor] = t
                        cursor += 1
        row = columns[begin:cursor]
        row.sort()
        for k in range(len(row)):
            slot_of[row[k]] = begin + k
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            coming = min(o + _AHEAD, final)
            m = pair[coming]
            size = target_offsets[m + 1] - target_offsets[m]
            prefetch(target, target_offsets[m])
            prefetch(slots, cell_offsets[m] + position[coming] * size)
            low = target_offsets[n]
            height = target_offsets[n + 1] - low
            start = cell_offsets[n] + position[o] * height
            words = target[low : low + height]
            out = slots[start : start + height]
            for k in range(height):
                out[k] = slot_of[words[k]]


@kernel
def find_slots(
    source, source_lengths, target, target_lengths, order, row_offsets, columns, target_types, slots
):
    """Set slots (uint32 [cells], source-major) of any text's cells; 0 where a pair was never seen together.

    order: int64 [source tokens], sorting the source tokens: a type's row is spread out once, in ``where``,
    for all the cells of all its occurrences; unless it is much longer than they are many, when each is
    searched for.
    """
    starts = np.empty(len(source), np.int64)
    pair = np.empty(len(source), np.int32)
    target_starts = np.empty(len(source_lengths), np.int64)
    token = 0
    cell = 0
    word = 0
    for n in range(len(source_lengths)):
        target_starts[n] = word
        for _ in range(source_lengths[n]):
            starts[token] = cell
            pair[token] = n
            cell += target_lengths[n]
            token += 1
        word += target_lengths[n]
    where = np.zeros(target_types + 1, np.uint32)
    first = 0
    while first < len(order):
        s = source[order[first]]
        last = first
        cells = 0
        while last < len(order) and source[order[last]] == s:
            cells += target_lengths[pair[order[last]]]
            last += 1
        begin = row_offsets[s]
        row = columns[begin : row_offsets[s + 1]]
        spread = len(row) < 8 * cells
        if spread:
            for k in range(len(row)):
                where[row[k]] = begin + k
        for o in range(first, last):
            token = order[o]
            n = pair[token]
            height = target_lengths[n]
            words = target[target_starts[n] : target_starts[n] + height]
            out = slots[starts[token] : starts[token] + height]
            if spread:
                for j in range(height):
                    out[j] = where[words[j]]
            else:
                for j in range(height):
                    k = np.searchsorted(row, words[j])
                    out[j] = begin + k if k < len(row) and row[k] == words[j] else 0
        if spread:
            for k in range(len(row)):
                where[row[k]] = 0
        first = last
