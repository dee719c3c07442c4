"""The index of co-occurring word pairs: how it is built, selected and united, and how pair_ids are looked up.

A *pair_id* numbers a (source type, target type) pair that occurs together in some sentence pair. The ids are
ordered by source type, then target type, and count from 1. Id 0 stands for all pairs that never occur
together.

The word pairs of one source type are a row: row s is columns[offsets[s] : offsets[s + 1]]. Kernels that take
``first`` and ``last`` work on the rows first <= s < last, so that threads can share the work.

Two texts have different word ids. ``sources``, int32 [source types + 1], then holds the other id of each
source type; ``targets``, int32 [other target types + 1], the own id of each other target type. It is -1 for a
word that is missing.
"""

import numpy as np

from aligner.kernels.intrinsics import prefetch
from aligner.kernels.loops import copy, count_below
from aligner.kernels.policy import helper, kernel, part

# Occurrences of a word are scattered over the text: each is prefetched this many before it is needed.
_AHEAD = 12

# A row that is at most this many times longer than the cells to look up is spread out, not searched.
_SPREAD_LIMIT = 48


@kernel
def count_words(numbers, source, counts):
    """Add 1 to counts[word], int64, for every word of the pairs with these numbers, int64 [n]."""
    tokens, offsets = source
    for n in numbers:
        for k in range(offsets[n], offsets[n + 1]):
            counts[tokens[k]] += 1


@kernel
def sort_occurrences(numbers, source, cursor, pair, position):
    """Write the pair and the position of every token of the pairs with these numbers, int64 [n].

    cursor: int64 [types + 1], the index at which the next token of each type is written.
    """
    tokens, offsets = source
    for n in numbers:
        begin = offsets[n]
        for k in range(begin, offsets[n + 1]):
            s = tokens[k]
            pair[cursor[s]] = n
            position[cursor[s]] = k - begin
            cursor[s] += 1


@part
def prefetch_run(array, begin, end):
    """Prefetch array[begin:end], of 32-bit entries."""
    for k in range(begin, end, 16):
        prefetch(array, np.int64(k))


@kernel
def collect_rows(first, last, occurrences, target, target_types, stamp, sizes, columns):
    """List the target types that occur with each source type from ``first`` on, in order of appearance.

    columns: int32, with room for ``target_types`` entries at least; stamp: int32 [types + 1], the last source
    type that each target type was seen with; sizes[s]: set to the length of the row. Returns ``last``,
    or the source type for which ``columns`` may have no room, and the number of columns used.
    """
    starts, pair, _ = occurrences
    tokens, offsets = target
    final = len(pair) - 1
    used = 0
    for s in range(first, last):
        if len(columns) - used < target_types:
            return s, used
        begin = used
        for o in range(starts[s], starts[s + 1]):
            n = pair[o]
            prefetch(offsets, np.int64(pair[min(o + 2 * _AHEAD, final)]))
            m = pair[min(o + _AHEAD, final)]
            prefetch_run(tokens, offsets[m], offsets[m + 1])
            for word in tokens[offsets[n] : offsets[n + 1]]:
                t = np.uint32(word)
                if stamp[t] != s:
                    stamp[t] = s
                    if t < target_types:
                        columns[used] = t
                        used += 1
        sizes[s] = used - begin
    return last, used


@kernel
def sort_rows(sizes, columns, target_types):
    """Sort each row of columns, of these sizes, by two counting sorts: by column, then back by row."""
    starts = np.zeros(target_types + 1, np.int64)
    for k in range(len(columns)):
        starts[np.uint32(columns[k]) + 1] += 1
    for t in range(target_types):
        starts[t + 1] += starts[t]
    cursor = np.empty(target_types + 1, np.int64)
    copy(starts, cursor)
    cursor_of_row = np.empty(len(sizes), np.int64)
    sources = np.empty(len(columns), np.int32)
    end = 0
    for s in range(len(sizes)):
        cursor_of_row[s] = end
        end += sizes[s]
        for k in range(cursor_of_row[s], end):
            t = np.uint32(columns[k])
            sources[cursor[t]] = s
            cursor[t] += 1
    for t in range(target_types):
        for k in range(starts[t], starts[t + 1]):
            s = np.uint32(sources[k])
            columns[cursor_of_row[s]] = t
            cursor_of_row[s] += 1


@part
def prefetch_coming(o, pair, offsets, target):
    """Prefetch the target words of a later occurrence, and the offsets of a still later one.

    offsets: int64 [pairs + 1], which are prefetched, too. Returns the later occurrence, its pair, and where
    its target words begin and end.
    """
    final = len(pair) - 1
    m = np.int64(pair[min(o + 2 * _AHEAD, final)])
    prefetch(offsets, m)
    prefetch(target.offsets, m)
    coming = min(o + _AHEAD, final)
    m = np.int64(pair[coming])
    begin = target.offsets[m]
    end = target.offsets[m + 1]
    prefetch_run(target.tokens, begin, end)
    return coming, m, begin, end


@part
def _prefetch_ids(o, occurrences, cell_offsets, target, pair_ids):
    """Prefetch the words and pair_ids of an occurrence after occurrence ``o``."""
    coming, n, begin, end = prefetch_coming(o, occurrences.pair, cell_offsets, target)
    size = end - begin
    first = cell_offsets[n] + occurrences.position[coming] * size
    prefetch_run(pair_ids, first, first + size)


@helper
def _search(row, word, begin):
    """Return the pair_id of a target word in a row, whose first pair_id is ``begin``, or 0."""
    k = count_below(row, word)
    return begin + k if k < len(row) and row[k] == word else 0


@kernel
def find_pair_ids(occurrences, target, cell_offsets, rows, pair_ids):
    """Set pair_ids, uint32 [cells], source-major, of a text's cells; 0 where a pair is not in the index.

    cell_offsets: int64 [pairs + 1]. The row of a source type is spread out over ``where``, once for all cells
    of its occurrences. If the row is much longer than these cells, each cell is searched for instead. Entries
    of earlier rows remain in ``where``; they are out of the range of the current row's ids.
    """
    starts, pair, position = occurrences
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
            if len(row) < _SPREAD_LIMIT * cells:
                break
        spread = len(row) < _SPREAD_LIMIT * cells
        if spread:
            for k in range(len(row)):
                where[np.uint32(row[k])] = begin + k
        for o in range(first, last):
            n = pair[o]
            _prefetch_ids(o, occurrences, cell_offsets, target, pair_ids)
            low = target.offsets[n]
            height = target.offsets[n + 1] - low
            start = cell_offsets[n] + position[o] * height
            words = target.tokens[low : low + height]
            out = pair_ids[start : start + height]
            if spread:
                for j in range(height):
                    pair_id = where[np.uint32(words[j])]
                    out[j] = pair_id if np.uint32(pair_id - lowest) < size else np.uint32(0)
            else:
                for j in range(height):
                    out[j] = _search(row, words[j], begin)


@kernel
def search_pair_ids(source, target, rows, pair_ids):
    """Set pair_ids as ``find_pair_ids`` does, by a search for each cell."""
    cell = 0
    for n in range(len(source.offsets) - 1):
        for i in range(source.offsets[n], source.offsets[n + 1]):
            begin = rows.offsets[source.tokens[i]]
            row = rows.columns[begin : rows.offsets[source.tokens[i] + 1]]
            for j in range(target.offsets[n], target.offsets[n + 1]):
                pair_ids[cell] = _search(row, target.tokens[j], begin)
                cell += 1


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
def find_indices(begin, chunk, all_offsets, offsets, columns, indices):
    """Set indices[k] to the index of columns[k] in all rows, if it is in a chunk of them.

    begin: the index of chunk[0]; all_offsets: int64 [rows + 1], of all rows; offsets, columns: the rows to
    find; indices: uint32, the other entries are not changed.
    """
    end = begin + len(chunk)
    first = max(count_below(all_offsets, begin + 1) - 1, 0)
    for n in range(first, len(offsets) - 1):
        index, last = max(all_offsets[n], begin), min(all_offsets[n + 1], end)
        if index >= end:
            break
        for k in range(offsets[n], offsets[n + 1]):
            while index < last and chunk[index - begin] < columns[k]:
                index += 1
            if index < last and chunk[index - begin] == columns[k]:
                indices[k] = index
