"""Normalising expected counts into the two lexical tables."""

import numpy as np

from aligner.kernels.policy import kernel


@kernel
def uniform(first, last, row_offsets, columns, forward, reverse, table):
    """table[k] = (forward[s], reverse[columns[k]]) of the rows first <= s < last."""
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            table[k, 0] = forward[s]
            table[k, 1] = reverse[np.uint32(columns[k])]


@kernel
def select(first, last, renumber, table, selected):
    """selected[renumber[k]] = table[k], of the pair_ids first <= k < last that have a new number but 0."""
    for k in range(first, last):
        pair_id = renumber[k]
        if pair_id > 0:
            selected[pair_id, 0] = table[k, 0]
            selected[pair_id, 1] = table[k, 1]


@kernel
def totals(first, last, counts, row_offsets, columns, forward, reverse):
    """Add up both directions' rows, over the source types first <= s < last: fixed-point totals, in place.

    counts: int64 [pair_ids + 1, 1 or 2]; with one column both directions share it. forward: int64 [source
    types + 1], over each type's targets; reverse: int64 [target types + 1], over each type's sources.
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        total = 0
        for k in range(row_offsets[s], row_offsets[s + 1]):
            total += counts[k, 0]
            reverse[np.uint32(columns[k])] += counts[k, final]
        forward[s] = total


@kernel
def normalise(first, last, counts, row_offsets, columns, forward, reverse, floor, before, table):
    """table[k] = (t(f|e), t(e|f)) where first <= s < last: counts over totals, at least ``floor``.

    forward, reverse: float64, one over each row's total, or 0 for a row without any count, which keeps what
    it had before: it has no evidence to change it. before, table: float32 [pair_ids + 1, 2]; table may have the
    memory where counts begin, of which it takes half as much as two columns, or as much as one.
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        share = forward[s]
        for k in range(row_offsets[s], row_offsets[s + 1]):
            other = reverse[np.uint32(columns[k])]
            there = counts[k, 0] * share
            back = counts[k, final] * other
            table[k, 0] = max(there, floor) if share > 0.0 else before[k, 0]
            table[k, 1] = max(back, floor) if other > 0.0 else before[k, 1]
