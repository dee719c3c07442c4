"""Unions of compressed rows whose columns ascend, and the indices of one in another.

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
        for index in range(union_offsets[n], union_offsets[n + 1]):
            union[index], k, m = _next(k, offsets[n + 1], columns, m, others_offsets[n + 1], others)


@kernel
def find_indices(begin, piece, all_offsets, offsets, columns, indices):
    """Set indices[k] to the index of columns[k] in all rows, if it is in a piece of them.

    begin: the index of piece[0]; all_offsets: int64 [rows + 1], of all rows; offsets, columns: the rows to
    find; indices: uint32, the other entries are not changed.
    """
    end = begin + len(piece)
    first = max(np.searchsorted(all_offsets, begin, side="right") - 1, 0)
    for n in range(first, len(offsets) - 1):
        index, last = max(all_offsets[n], begin), min(all_offsets[n + 1], end)
        if index >= end:
            break
        for k in range(offsets[n], offsets[n + 1]):
            while index < last and piece[index - begin] < columns[k]:
                index += 1
            if index < last and piece[index - begin] == columns[k]:
                indices[k] = index


@kernel
def add_rows(indices, values, sums):
    """Add values[k] to sums[indices[k]], int64 [n, columns]."""
    for k in range(len(indices)):
        index = np.int64(indices[k])
        for c in range(values.shape[1]):
            sums[index, c] += values[k, c]


@kernel
def take_rows(begin, piece, indices, rows):
    """Set rows[k] to the row at indices[k] of a table, if it is in a piece of the table.

    begin: the index of piece[0], float32 [n, 2]; indices: uint32, ascending; rows: float32 [indices, 2].
    """
    first, last = np.searchsorted(indices, begin), np.searchsorted(indices, begin + len(piece))
    for k in range(first, last):
        index = np.int64(indices[k]) - begin
        rows[k, 0] = piece[index, 0]
        rows[k, 1] = piece[index, 1]
