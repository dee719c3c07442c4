"""The index of co-occurring word pairs: building it, and finding the slots of a text's cells in it.

A *slot* numbers one (source type, target type) pair that occurs together in some sentence pair. Slots are
ordered by source type, then target type, and count from 1; slot 0 stands for every pair never seen together.
"""

import numpy as np

from aligner.kernels._jit import kernel


@kernel
def token_starts(lengths):  # type: ignore[no-untyped-def]
    """Exclusive running sum of lengths, int64 [n + 1]."""
    starts = np.empty(len(lengths) + 1, np.int64)
    starts[0] = 0
    for n in range(len(lengths)):
        starts[n + 1] = starts[n] + lengths[n]
    return starts


@kernel
def occurrences(source, source_offsets, source_types):  # type: ignore[no-untyped-def]
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
def count_row_pairs(first, last, starts, pair, target, target_offsets, target_types, sizes):  # type: ignore[no-untyped-def]
    """sizes[s] = number of distinct target types that occur with source type s, for first <= s < last."""
    stamp = np.full(target_types + 1, -1, np.int32)
    for s in range(first, last):
        size = 0
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            for k in range(target_offsets[n], target_offsets[n + 1]):
                t = target[k]
                if stamp[t] != s:
                    stamp[t] = s
                    if t < target_types:
                        size += 1
        sizes[s] = size


@kernel
def fill_rows(  # type: ignore[no-untyped-def]
    first, last, starts, pair, position, target, target_offsets, target_types, cell_offsets, row_offsets, columns, slots
):
    """Write the sorted rows of source types first <= s < last into columns, and the slot of all their cells.

    columns: int32 [slots + 1]; slots: uint32 [cells], source-major per pair.
    """
    stamp = np.full(target_types + 1, -1, np.int32)
    slot_of = np.zeros(target_types + 1, np.uint32)
    for s in range(first, last):
        begin = row_offsets[s]
        cursor = begin
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            for k in range(target_offsets[n], target_offsets[n + 1]):
                t = target[k]
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
            low = target_offsets[n]
            height = target_offsets[n + 1] - low
            start = cell_offsets[n] + position[o] * height
            words = target[low : low + height]
            out = slots[start : start + height]
            for k in range(height):
                out[k] = slot_of[words[k]]


@kernel
def find_slots(source, source_lengths, target, target_lengths, row_offsets, columns, slots):  # type: ignore[no-untyped-def]
    """Set slots (uint32 [cells], source-major) of any text's cells; 0 where a pair was never seen together."""
    i0 = 0
    j0 = 0
    cell = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        words = target[j0 : j0 + height]
        order = np.argsort(words)
        for i in range(i0, i0 + source_lengths[n]):
            low = row_offsets[source[i]]
            end = row_offsets[source[i] + 1]
            out = slots[cell : cell + height]
            for k in range(height):
                t = words[order[k]]
                # Targets come in ascending order, so the search never looks back: gallop, then bisect.
                step = 1
                high = low
                while high < end and columns[high] < t:
                    low = high + 1
                    high += step
                    step *= 2
                if high > end:
                    high = end
                while low < high:
                    middle = (low + high) >> 1
                    if columns[middle] < t:
                        low = middle + 1
                    else:
                        high = middle
                out[order[k]] = low if low < end and columns[low] == t else 0
            cell += height
        i0 += source_lengths[n]
        j0 += height
