"""Normalising expected counts into the two lexical tables."""

import numpy as np

from aligner.kernels._jit import kernel


@kernel
def uniform(row_offsets, columns, target_types, table):
    """table[k] = (1 / words in the row, 1 / words in the column) of each pair; row 0 is left alone."""
    heights = np.zeros(target_types + 1, np.int64)
    for k in range(1, len(columns)):
        heights[columns[k]] += 1
    inverse = np.empty(target_types + 1, np.float32)
    for t in range(target_types + 1):
        inverse[t] = 1.0 / heights[t] if heights[t] > 0 else 0.0
    for s in range(len(row_offsets) - 1):
        width = row_offsets[s + 1] - row_offsets[s]
        share = np.float32(1.0 / width) if width > 0 else np.float32(0.0)
        for k in range(row_offsets[s], row_offsets[s + 1]):
            table[k, 0] = share
            table[k, 1] = inverse[columns[k]]


@kernel
def totals(counts, row_offsets, columns, null_forward, null_reverse, target_types):
    """Fixed-point totals of both directions' rows.

    counts: int64 [slots + 1, 1 or 2]; with one column both directions share it. Returns int64 arrays: per
    source type the sum over its targets, per target type the sum over its sources, and the two NULL rows'
    sums.
    """
    sources = len(row_offsets) - 1
    forward = np.zeros(sources, np.int64)
    reverse = np.zeros(target_types + 1, np.int64)
    last = counts.shape[1] - 1
    for s in range(sources):
        total = 0
        for k in range(row_offsets[s], row_offsets[s + 1]):
            total += counts[k, 0]
            reverse[columns[k]] += counts[k, last]
        forward[s] = total
    return forward, reverse, null_forward.sum(), null_reverse.sum()


@kernel
def normalise(counts, row_offsets, columns, forward_totals, reverse_totals, floor, before, table):
    """table[k] = (t(f|e), t(e|f)), each count over its row's total, at least ``floor``.

    A row without any count keeps what it had before: it has no evidence to change it. before, table: float32
    [slots + 1, 2]; row 0 stays what it was.
    """
    last = counts.shape[1] - 1
    inverse = np.zeros(len(reverse_totals))
    for t in range(len(reverse_totals)):
        if reverse_totals[t] > 0:
            inverse[t] = 1.0 / reverse_totals[t]
    table[0] = before[0]
    for s in range(len(row_offsets) - 1):
        forward = 1.0 / forward_totals[s] if forward_totals[s] > 0 else 0.0
        for k in range(row_offsets[s], row_offsets[s + 1]):
            reverse = inverse[columns[k]]
            table[k, 0] = max(counts[k, 0] * forward, floor) if forward > 0.0 else before[k, 0]
            table[k, 1] = max(counts[k, last] * reverse, floor) if reverse > 0.0 else before[k, 1]
