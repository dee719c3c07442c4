"""Growth of links: from the links of both directions towards those of either, pair by pair.

A link of either joins the result if it covers a source or a target word without a link of the result. Two
orders are in use:

* ``grow``, of the Moses program symal: the links of the result are visited by target, then by source, while
  the neighbours of each join it; one that joins behind the visited link is visited, too, one before it in the
  next pass;
* ``grow_in_passes``, of atools of fast_align: the other links are visited by source, then by target, and each
  joins that has a neighbour in the result, in passes until none does.

Slow twins: ``naive`` in tests/links/test_symmetrize.py, ``naive_grow_diag`` in tests/compat/test_atools.py.
"""

import numpy as np
from numpy import int64

from aligner.kernels.policy import helper, kernel

_FIRST, _SECOND, _BOTH = 1, 2, 3
"""The marks of links of the first direction, of the second one, and of both."""


@kernel
def grow(offsets, source, target, marks, steps, least, chosen):
    """Set chosen[k] to True for each link of the result, in the order of symal.

    offsets: int64 [pairs + 1]; source, target: int32 [links], sorted; marks: uint8 [links]; steps: int64
    [n, 2], from a link to its neighbours; least: how many words a link covers that joins at the end, 0 if
    none does; chosen: bool [links], set.
    """
    words = _most(source, target)
    covered = np.zeros((2, words), int64)
    begins = np.zeros(words + 1, int64)
    order = np.empty(len(source), int64)
    rows = np.empty(len(source), np.int32)
    columns = np.empty(len(source), np.int32)
    own_marks = np.empty(len(source), np.uint8)
    found = np.empty(len(source), np.bool_)
    queue = np.empty(len(source), int64)
    for n in range(len(offsets) - 1):
        first, end = offsets[n], offsets[n + 1]
        if first == end:
            continue
        _sort_by_target(target, first, end, begins, order)
        for k in range(first, end):
            rows[k], columns[k], own_marks[k] = target[order[k]], source[order[k]], marks[order[k]]
        _begin(rows, columns, own_marks, first, end, n, covered, begins, found)
        grown = True
        while grown:
            grown = False
            size = 0
            for k in range(first, end):
                if found[k]:
                    queue[size] = k
                    size += 1
            visited = 0
            while visited < size:
                at = queue[visited]
                for s in range(len(steps)):
                    k = _find(
                        columns, begins, rows[end - 1], rows[at] + steps[s, 1], columns[at] + steps[s, 0]
                    )
                    if k < 0 or found[k] or not _covers(rows, columns, k, n, covered):
                        continue
                    _choose(rows, columns, k, n, covered, found)
                    place = size
                    while place > 0 and queue[place - 1] > k:
                        queue[place] = queue[place - 1]
                        place -= 1
                    queue[place] = k
                    size += 1
                    visited += place <= visited
                    grown = True
                visited += 1
        _finish(rows, columns, own_marks, first, end, n, least, covered, found)
        for k in range(first, end):
            chosen[order[k]] = found[k]


@kernel
def grow_in_passes(offsets, source, target, marks, steps, least, chosen):
    """Set chosen[k] to True for each link of the result, in the order of atools; arguments as of ``grow``."""
    words = _most(source, target)
    covered = np.zeros((2, words), int64)
    begins = np.zeros(words + 1, int64)
    for n in range(len(offsets) - 1):
        first, end = offsets[n], offsets[n + 1]
        if first == end:
            continue
        _begin(source, target, marks, first, end, n, covered, begins, chosen)
        grown = True
        while grown:
            grown = False
            for k in range(first, end):
                if chosen[k] or not _covers(source, target, k, n, covered):
                    continue
                for s in range(len(steps)):
                    i, j = source[k] + steps[s, 0], target[k] + steps[s, 1]
                    near = _find(target, begins, source[end - 1], i, j)
                    if near >= 0 and chosen[near]:
                        _choose(source, target, k, n, covered, chosen)
                        grown = True
                        break
        _finish(source, target, marks, first, end, n, least, covered, chosen)


@helper
def _most(source, target):
    """Return one more than the greatest position."""
    words = int64(1)
    for k in range(len(source)):
        words = max(words, int64(max(source[k], target[k])) + 1)
    return words


@helper
def _sort_by_target(target, first, end, begins, order):
    """Set order[first:end] to the numbers of the links first <= k < end, by target, then as they stand."""
    last = int64(0)
    for k in range(first, end):
        last = max(last, int64(target[k]))
    begins[: last + 2] = 0
    for k in range(first, end):
        begins[target[k] + 1] += 1
    for j in range(last):
        begins[j + 1] += begins[j]
    for k in range(first, end):
        order[first + begins[target[k]]] = k
        begins[target[k]] += 1


@helper
def _begin(rows, columns, marks, first, end, n, covered, begins, chosen):
    """Choose the links of both directions, and set begins[row] to the first link of each row or a later one.

    covered[0, row] and covered[1, column] are n + 1 where a link of the result covers them.
    """
    row = int64(0)
    for k in range(first, end):
        while row <= rows[k]:
            begins[row] = k
            row += 1
        chosen[k] = marks[k] == _BOTH
        if chosen[k]:
            covered[0, rows[k]] = n + 1
            covered[1, columns[k]] = n + 1
    begins[row] = end


@helper
def _find(columns, begins, last, row, column):
    """Return the number of the link in a row and a column, or -1; last: the last row of the pair."""
    if row < 0 or row > last:
        return int64(-1)
    for k in range(begins[row], begins[row + 1]):
        if columns[k] == column:
            return k
    return int64(-1)


@helper
def _covers(rows, columns, k, n, covered):
    """Return how many of its row and its column a link would cover: 0, 1 or 2."""
    return (covered[0, rows[k]] != n + 1) + (covered[1, columns[k]] != n + 1)


@helper
def _choose(rows, columns, k, n, covered, chosen):
    """Add a link to the result."""
    chosen[k] = True
    covered[0, rows[k]] = n + 1
    covered[1, columns[k]] = n + 1


@helper
def _finish(rows, columns, marks, first, end, n, least, covered, chosen):
    """Add links of the first, then of the second, that cover at least ``least``; none if that is 0."""
    for mark in (_FIRST, _SECOND):
        for k in range(first, end):
            if marks[k] == mark and 0 < least <= _covers(rows, columns, k, n, covered):
                _choose(rows, columns, k, n, covered, chosen)
