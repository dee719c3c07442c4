"""The index of co-occurring word pairs: building it, and finding the slots of a text's cells in it.

A *slot* numbers one (source type, target type) pair that occurs together in some sentence pair. Slots are
ordered by source type, then target type, and count from 1; slot 0 stands for every pair never seen together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.simd import prefetch

# Occurrences of a word are scattered over the corpus: each is fetched this many before it is needed.
AHEAD = 12

# A row at most so many times longer than the cells it is looked up for is spread out.
_FEW = 48


class Side(NamedTuple):
    """One side of a text: the words of sentence n are tokens[offsets[n]:offsets[n + 1]]."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Places(NamedTuple):
    """Where words are, type after type, of each in the order of the text: pair, and position in it.

    starts: int64 [types + 2]; type s has the places from starts[s] to before starts[s + 1]. pair, position:
    int32 [tokens], by place.
    """

    starts: NDArray[np.int64]
    pair: NDArray[np.int32]
    position: NDArray[np.int32]


class Rows(NamedTuple):
    """The index: source type s has the slots from offsets[s] to before offsets[s + 1], int64 [types + 2].

    columns: int32 [slots + 1], the slot's target type, of which there are so many.
    """

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    target_types: int


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
def sort_occurrences(first, last, source, cursor, pair, position):
    """Write the pair, and the position in it, of every token of the pairs first <= n < last.

    cursor: int64 [types + 1], where the next token of each type goes.
    """
    tokens, offsets = source
    for n in range(first, last):
        begin = offsets[n]
        for k in range(begin, offsets[n + 1]):
            s = tokens[k]
            pair[cursor[s]] = n
            position[cursor[s]] = k - begin
            cursor[s] += 1


@inlined
def fetch(array, begin, end):
    """Start fetching array[begin:end], all lines of it, of 32-bit entries."""
    for k in range(begin, end, 16):
        prefetch(array, np.int64(k))


@kernel
def collect_rows(first, last, places, target, target_types, stamp, sizes, columns):
    """List the target types that occur with each source type from ``first``, in order of appearance.

    columns: int32, with room for those of one at least; stamp: int32 [types + 1], target types seen with an
    earlier source type at most; sizes[s] is set. Returns the source type that it stopped at, ``last`` or one
    that columns may have no room for, and how many of columns are filled then.
    """
    starts, pair, _ = places
    tokens, offsets = target
    final = len(pair) - 1
    used = 0
    for s in range(first, last):
        if len(columns) - used < target_types:
            return s, used
        begin = used
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            prefetch(offsets, np.int64(pair[min(o + 2 * AHEAD, final)]))
            m = pair[min(o + AHEAD, final)]
            fetch(tokens, offsets[m], offsets[m + 1])
            for t in tokens[offsets[n] : offsets[n + 1]]:
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
def fetch_coming(o, pair, offsets, target):
    """Start fetching a later occurrence's target words, and where those of a still later one are.

    offsets: int64 [pairs + 1], where something else of a pair begins. Returns the later occurrence's place,
    its pair, and where its target words begin and end.
    """
    final = len(pair) - 1
    m = np.int64(pair[min(o + 2 * AHEAD, final)])
    prefetch(offsets, m)
    prefetch(target.offsets, m)
    coming = min(o + AHEAD, final)
    m = np.int64(pair[coming])
    begin = target.offsets[m]
    end = target.offsets[m + 1]
    fetch(target.tokens, begin, end)
    return coming, m, begin, end


@inlined
def _fetch_slots(o, places, cell_offsets, target, slots):
    """Start fetching what a later occurrence than this reads and writes."""
    coming, n, begin, end = fetch_coming(o, places.pair, cell_offsets, target)
    size = end - begin
    place = cell_offsets[n] + places.position[coming] * size
    fetch(slots, place, place + size)


@kernel
def find_slots(places, target, cell_offsets, rows, slots):
    """Set slots, uint32 [cells], source-major, of a text's cells; 0 where a pair was never seen together.

    cell_offsets: int64 [pairs + 1]. A type's row is spread out once, in ``where``, for all the cells of all
    its occurrences; unless it is much longer than they are many, when each is searched for. What is left
    there of other rows is told by its numbers.
    """
    starts, pair, position = places
    where = np.zeros(rows.target_types + 1, np.uint32)
    for s in range(len(starts) - 1):
        first = starts[s]
        last = starts[s + 1]
        begin = rows.offsets[s]
        row = rows.columns[begin : rows.offsets[s + 1]]
        lowest = np.uint32(begin)
        size = np.uint32(len(row))
        cells = 0
        for o in range(first, last):
            cells += target.offsets[pair[o] + 1] - target.offsets[pair[o]]
            if len(row) < _FEW * cells:
                break
        spread = len(row) < _FEW * cells
        if spread:
            for k in range(len(row)):
                where[row[k]] = begin + k
        for o in range(first, last):
            n = pair[o]
            _fetch_slots(o, places, cell_offsets, target, slots)
            low = target.offsets[n]
            height = target.offsets[n + 1] - low
            start = cell_offsets[n] + position[o] * height
            words = target.tokens[low : low + height]
            out = slots[start : start + height]
            if spread:
                for j in range(height):
                    slot = where[words[j]]
                    out[j] = slot if np.uint32(slot - lowest) < size else np.uint32(0)
            else:
                for j in range(height):
                    k = np.searchsorted(row, words[j])
                    out[j] = begin + k if k < len(row) and row[k] == words[j] else 0
