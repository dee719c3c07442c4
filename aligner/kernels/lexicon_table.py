"""The two lexical tables: initialisation, selection, and normalisation of expected counts.

Kernels that take ``first`` and ``last`` work on this range only, so that threads can share the work.
"""

import numpy as np

from aligner.kernels.policy import kernel


@kernel
def fill_uniform(first, last, row_offsets, columns, forward, reverse, table):
    """Set table[k] to (forward[s], reverse[columns[k]]), for the source types first <= s < last."""
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            table[k, 0] = forward[s]
            table[k, 1] = reverse[np.uint32(columns[k])]


@kernel
def select(first, last, renumber, table, selected):
    """Set selected[renumber[k]] to table[k], for the pair_ids first <= k < last whose new number is not 0."""
    for k in range(first, last):
        pair_id = renumber[k]
        if pair_id > 0:
            selected[pair_id, 0] = table[k, 0]
            selected[pair_id, 1] = table[k, 1]


@kernel
def add_totals(first, last, counts, row_offsets, columns, forward, reverse):
    """Sum the counts of each row of both directions' tables, for the source types first <= s < last.

    counts: int64 fixed point [pair_ids + 1, 1 or 2]; with one column, both directions share it. forward:
    int64 [source types + 1], set to the sum over each type's targets; reverse: int64 [target types + 1], the
    sum over each type's sources, added to.
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        total = 0
        for k in range(row_offsets[s], row_offsets[s + 1]):
            total += counts[k, 0]
            reverse[np.uint32(columns[k])] += counts[k, final]
        forward[s] = total


@kernel
def normalise(first, last, counts, row_offsets, columns, forward, reverse, floor, previous, table):
    """Set table[k] to (t(f|e), t(e|f)), for the source types first <= s < last: counts over totals.

    forward, reverse: float64, the inverse of each row's total. A row without any count has 0 there and keeps
    its values in ``previous``. No other value is below ``floor``. previous, table: float32 [pair_ids + 1, 2].
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        share = forward[s]
        for k in range(row_offsets[s], row_offsets[s + 1]):
            reverse_share = reverse[np.uint32(columns[k])]
            forward_value = counts[k, 0] * share
            reverse_value = counts[k, final] * reverse_share
            table[k, 0] = max(forward_value, floor) if share > 0.0 else previous[k, 0]
            table[k, 1] = max(reverse_value, floor) if reverse_share > 0.0 else previous[k, 1]
