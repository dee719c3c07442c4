"""The index of co-occurring word pairs: building it, and finding the slots of a text's cells in it.

A *slot* numbers one (source type, target type) pair that occurs together in some sentence pair. Slots are
ordered by source type, then target type, and count from 1; slot 0 stands for every pair never seen together.
"""

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.simd import prefetch

# Occurrences of a word are scattered over the corpus: each is fetched this many before it is needed.
AHEAD = 12

# A row at most so many times longer than the cells it is looked up for is spread out.
_FEW = 48


@kernel
def count_types(words, counts):
    """Add 1 to counts, int64, of every word."""
    for word in words:
        counts[word] += 1


@kernel
def to_places(counts, starts):
    """Replace the counts of each type in each part of a text, int64 [parts, types], by its first place there.

    Sorted by type, then part. starts: int64 [types + 1], filled: each type's first place of all.
    """
    place = 0
    for s in range(counts.shape[1]):
        starts[s] = place
        for part in range(len(counts)):
            size = counts[part, s]
            counts[part, s] = place
            place += size
    starts[counts.shape[1]] = place


@kernel
def sort_occurrences(first, last, source, source_offsets, cursor, pair, position):
    """Write the pair, and the position in it, of every token of the pairs first <= n < last.

    cursor: int64 [types + 1], where the next token of each type goes.
    """
    for n in range(first, last):
        begin = source_offsets[n]
        for k in range(begin, source_offsets[n + 1]):
            s = source[k]
            pair[cursor[s]] = n
            position[cursor[s]] = k - begin
            cursor[s] += 1


@inlined
def fetch(array, begin, end):
    """Start fetching array[begin:end], all lines of it, of 32-bit entries."""
    for k in range(begin, end, 16):
        prefetch(array, np.int64(k))


@kernel
def collect_rows(first, last, starts, pair, target, target_offsets, target_types, stamp, sizes, columns):
    """List the target types that occur with each source type from ``first``, in order of appearance.

    columns: int32, with room for those of one at least; stamp: int32 [types + 1], target types seen with an
    earlier source type at most; sizes[s] is set. Returns the source type that it stopped at, ``last`` or one
    that columns may have no room for, and how many of columns are filled then.
    """
    final = len(pair) - 1
    used = 0
    for s in range(first, last):
        if len(columns) - used < target_types:
            return s, used
        begin = used
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            prefetch(target_offsets, np.int64(pair[min(o + 2 * AHEAD, final)]))
            m = pair[min(o + AHEAD, final)]
            fetch(target, target_offsets[m], target_offsets[m + 1])
            words = target[target_offsets[n] : target_offsets[n + 1]]
            for t in words:
                if stamp[t] != s:
                    stamp[t] = s
                    if t < target_types:
                        columns[used] = t
                        used += 1
        sizes[s] = used - begin
    return last, used


@kernel
def sort_rows(sizes, columns, target_types):
    """Sort each row of columns, of these sizes: into the columns' own rows, and back, both in order."""
    starts = np.zeros(target_types + 1, np.int64)
    for k in range(len(columns)):
        starts[columns[k] + 1] += 1
    for t in range(target_types):
        starts[t + 1] += starts[t]
    cursor = starts[:-1].copy()
    place = np.zeros(len(sizes), np.int64)
    sources = np.empty(len(columns), np.int32)
    end = 0
    for s in range(len(sizes)):
        place[s] = end
        end += sizes[s]
        for k in range(place[s], end):
            t = columns[k]
            sources[cursor[t]] = s
            cursor[t] += 1
    for t in range(target_types):
        for k in range(starts[t], starts[t + 1]):
            s = sources[k]
            columns[place[s]] = t
            place[s] += 1


@inlined
def fetch_coming(o, pair, offsets, target, target_offsets):
    """Start fetching a later occurrence's target words, and where those of a still later one are.

    offsets: int64 [pairs + 1], where something else of a pair begins. Returns the later occurrence's place,
    its pair, and where its target words begin and end.
    """
    final = len(pair) - 1
    m = np.int64(pair[min(o + 2 * AHEAD, final)])
    prefetch(offsets, m)
    prefetch(target_offsets, m)
    coming = min(o + AHEAD, final)
    m = np.int64(pair[coming])
    begin = target_offsets[m]
    end = target_offsets[m + 1]
    fetch(target, begin, end)
    return coming, m, begin, end


@inlined
def _fetch_slots(o, pair, position, cell_offsets, target, target_offsets, slots):
    """Start fetching what a later occurrence than this reads and writes."""
    coming, n, begin, end = fetch_coming(o, pair, cell_offsets, target, target_offsets)
    size = end - begin
    place = cell_offsets[n] + position[coming] * size
    fetch(slots, place, place + size)


@kernel
def find_slots(
    starts, pair, position, target, target_offsets, cell_offsets, row_offsets, columns, target_types, slots
):
    """Set slots, uint32 [cells], source-major, of a text's cells; 0 where a pair was never seen together.

    starts, pair, position: the text's ``Occurrences``; target_offsets, cell_offsets: int64 [pairs + 1]. A
    type's row is spread out once, in ``where``, for all the cells of all its occurrences; unless it is much
    longer than they are many, when each is searched for. What is left there of other rows is told by its
    numbers.
    """
    where = np.zeros(target_types + 1, np.uint32)
    for s in range(len(starts) - 1):
        first = starts[s]
        last = starts[s + 1]
        begin = row_offsets[s]
        row = columns[begin : row_offsets[s + 1]]
        lowest = np.uint32(begin)
        size = np.uint32(len(row))
        cells = 0
        for o in range(first, last):
            cells += target_offsets[pair[o] + 1] - target_offsets[pair[o]]
            if len(row) < _FEW * cells:
                break
        spread = len(row) < _FEW * cells
        if spread:
            for k in range(len(row)):
                where[row[k]] = begin + k
        for o in range(first, last):
            n = pair[o]
            _fetch_slots(o, pair, position, cell_offsets, target, target_offsets, slots)
            low = target_offsets[n]
            height = target_offsets[n + 1] - low
            start = cell_offsets[n] + position[o] * height
            words = target[low : low + height]
            out = slots[start : start + height]
            if spread:
                for j in range(height):
                    slot = where[words[j]]
                    out[j] = slot if np.uint32(slot - lowest) < size else np.uint32(0)
            else:
                for j in range(height):
                    k = np.searchsorted(row, words[j])
                    out[j] = begin + k if k < len(row) and row[k] == words[j] else 0
