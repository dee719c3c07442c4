"""Growth of links: from the links of both directions towards those of either, pair by pair.

The cells of a pair are the links of either direction, sorted by row, then by column. A cell joins the result
if it covers a row or a column without a cell of the result. Two orders are in use:

* ``grow``, of the Moses program symal: the cells of the result are visited in order, while the neighbours of
  each join it; one that joins behind the visited cell is visited, too, one before it in the next pass;
* ``grow_in_passes``, of atools of fast_align: the other cells are visited in order, and each joins that has a
  neighbour in the result, in passes until none does.

Slow twins: ``naive`` in tests/links/test_symmetrize.py, ``naive_grow_diag`` in tests/compat/test_atools.py.
"""

import numpy as np
from numpy import int64

from aligner.kernels.policy import helper, kernel

FIRST, SECOND = 1, 2
"""The marks of the cells of the first and of the second direction; cells of both have both."""


@helper
def _find(rows, columns, first, end, row, column):
    """Return the number of a cell among the cells first <= k < end, or -1."""
    low, high = first, end
    while low < high:
        middle = (low + high) >> 1
        if rows[middle] < row or (rows[middle] == row and columns[middle] < column):
            low = middle + 1
        else:
            high = middle
    return low if low < end and rows[low] == row and columns[low] == column else int64(-1)


@helper
def _begin(rows, columns, marks, first, end, n, covered, chosen):
    """Choose the cells of both directions; covered[0, row] and covered[1, column] are n + 1 where covered."""
    for k in range(first, end):
        chosen[k] = marks[k] == FIRST | SECOND
        if chosen[k]:
            covered[0, rows[k]] = n + 1
            covered[1, columns[k]] = n + 1


@helper
def _covers(rows, columns, k, n, covered):
    """Return how many of its row and its column a cell would cover: 0, 1 or 2."""
    return (covered[0, rows[k]] != n + 1) + (covered[1, columns[k]] != n + 1)


@helper
def _choose(rows, columns, k, n, covered, chosen):
    """Add a cell to the result."""
    chosen[k] = True
    covered[0, rows[k]] = n + 1
    covered[1, columns[k]] = n + 1


@helper
def _finish(rows, columns, marks, first, end, n, least, covered, chosen):
    """Add cells of the first, then of the second, that cover at least ``least``; none if that is 0."""
    for mark in (FIRST, SECOND):
        for k in range(first, end):
            if 0 < least <= _covers(rows, columns, k, n, covered) and marks[k] == mark:
                _choose(rows, columns, k, n, covered, chosen)


@kernel
def grow(offsets, rows, columns, marks, steps, least, chosen):
    """Set chosen[k] to True for each cell of the result, in the order of symal.

    offsets: int64 [pairs + 1]; rows, columns: int32 [cells]; marks: uint8 [cells], ``FIRST``, ``SECOND`` or
    both; steps: int64 [n, 2], from a cell to its neighbours; least: how many rows and columns a cell covers
    that joins at the end, 0 if none does; chosen: bool [cells], set.
    """
    covered = np.zeros((2, 1 + max(rows.max(), columns.max()) if len(rows) else 1), int64)
    most = int64(0)
    for n in range(len(offsets) - 1):
        most = max(most, offsets[n + 1] - offsets[n])
    queue = np.empty(most, int64)
    for n in range(len(offsets) - 1):
        first, end = offsets[n], offsets[n + 1]
        _begin(rows, columns, marks, first, end, n, covered, chosen)
        grown = True
        while grown:
            grown = False
            size = 0
            for k in range(first, end):
                if chosen[k]:
                    queue[size] = k
                    size += 1
            visited = 0
            while visited < size:
                at = queue[visited]
                for s in range(len(steps)):
                    k = _find(rows, columns, first, end, rows[at] + steps[s, 0], columns[at] + steps[s, 1])
                    if k < 0 or chosen[k] or not _covers(rows, columns, k, n, covered):
                        continue
                    _choose(rows, columns, k, n, covered, chosen)
                    place = size
                    while place > 0 and queue[place - 1] > k:
                        queue[place] = queue[place - 1]
                        place -= 1
                    queue[place] = k
                    size += 1
                    visited += place <= visited
                    grown = True
                visited += 1
        _finish(rows, columns, marks, first, end, n, least, covered, chosen)


@kernel
def grow_in_passes(offsets, rows, columns, marks, steps, least, chosen):
    """Set chosen[k] to True for each cell of the result, in the order of atools; arguments as of ``grow``."""
    covered = np.zeros((2, 1 + max(rows.max(), columns.max()) if len(rows) else 1), int64)
    for n in range(len(offsets) - 1):
        first, end = offsets[n], offsets[n + 1]
        _begin(rows, columns, marks, first, end, n, covered, chosen)
        grown = True
        while grown:
            grown = False
            for k in range(first, end):
                if chosen[k] or not _covers(rows, columns, k, n, covered):
                    continue
                for s in range(len(steps)):
                    near = _find(rows, columns, first, end, rows[k] + steps[s, 0], columns[k] + steps[s, 1])
                    if near >= 0 and chosen[near]:
                        _choose(rows, columns, k, n, covered, chosen)
                        grown = True
                        break
        _finish(rows, columns, marks, first, end, n, least, covered, chosen)
