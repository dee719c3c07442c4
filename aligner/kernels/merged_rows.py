"""Unions of compressed rows whose columns ascend, and the places of one in another.

Row n is columns[offsets[n] : offsets[n + 1]]. Kernels with ``first`` and ``last`` work on the rows
first <= n < last, so that threads can share the work.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel


@helper
def _next(k, end, columns, m, others_end, others):
    """Return the smaller of columns[k] and others[m], and the indices behind it in both."""
    if k < end and (m >= others_end or columns[k] <= others[m]):
        value = columns[k]
        return value, k + 1, m + (m < others_end and others[m] == value)
    return others[m], k, m + 1


@kernel
def count_union(first, last, offsets, columns, others_offsets, others, sizes):
    """Set sizes[n] to the number of different columns of row n in both; sizes: int64 [rows]."""
    for n in range(first, last):
        k, m, size = offsets[n], others_offsets[n], 0
        while k < offsets[n + 1] or m < others_offsets[n + 1]:
            _, k, m = _next(k, offsets[n + 1], columns, m, others_offsets[n + 1], others)
            size += 1
        sizes[n] = size


@kernel
def unite(first, last, offsets, columns, others_offsets, others, union_offsets, union):
    """Write the different columns of row n in both to row n of ``union``, ascending."""
    for n in range(first, last):
        k, m = offsets[n], others_offsets[n]
        for place in range(union_offsets[n], union_offsets[n + 1]):
            union[place], k, m = _next(k, offsets[n + 1], columns, m, others_offsets[n + 1], others)


@kernel
def find_places(begin, piece, all_offsets, offsets, columns, places):
    """Set places[k] to the place of columns[k] in all rows, if it is in a piece of them.

    begin: the place of piece[0]; all_offsets: int64 [rows + 1], of all rows; offsets, columns: the rows to
    find; places: uint32, the other entries are not changed.
    """
    end = begin + len(piece)
    first = max(np.searchsorted(all_offsets, begin, side="right") - 1, 0)
    for n in range(first, len(offsets) - 1):
        place, last = max(all_offsets[n], begin), min(all_offsets[n + 1], end)
        if place >= end:
            break
        for k in range(offsets[n], offsets[n + 1]):
            while place < last and piece[place - begin] < columns[k]:
                place += 1
            if place < last and piece[place - begin] == columns[k]:
                places[k] = place


@kernel
def add_rows(places, values, sums):
    """Add values[k] to sums[places[k]], int64 [n, columns]."""
    for k in range(len(places)):
        place = np.int64(places[k])
        for c in range(values.shape[1]):
            sums[place, c] += values[k, c]


@kernel
def take_rows(begin, piece, places, rows):
    """Set rows[k] to the row at places[k] of a table, if it is in a piece of the table.

    begin: the place of piece[0], float32 [n, 2]; places: uint32, ascending; rows: float32 [places, 2].
    """
    first, last = np.searchsorted(places, begin), np.searchsorted(places, begin + len(piece))
    for k in range(first, last):
        place = np.int64(places[k]) - begin
        rows[k, 0] = piece[place, 0]
        rows[k, 1] = piece[place, 1]
