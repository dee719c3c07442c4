"""The two lexical tables, float32 [pair_ids + 1, 2]: factors by row, M-steps of expected counts.

Kernels that take ``first`` and ``last`` work on this range only, so that threads can share the work.
"""

import math

import numpy as np

from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.loops import count_below
from aligner.kernels.policy import helper, kernel


@kernel
def scale_rows(first, last, row_offsets, columns, forward, reverse, table):
    """Multiply table[k] by (forward[s], reverse[columns[k]]), for the source types first <= s < last.

    forward, reverse: float64 by type.
    """
    for s in range(first, last):
        for k in range(row_offsets[s], row_offsets[s + 1]):
            table[k, 0] *= forward[s]
            table[k, 1] *= reverse[np.uint32(columns[k])]


@kernel
def take_rows(begin, chunk, indices, rows):
    """Set rows[k] to the row at indices[k] of a table, if it is in a chunk of the table.

    begin: the index of chunk[0], float32 [n, 2]; indices: uint32, ascending; rows: float32 [indices, 2].
    """
    first, last = count_below(indices, begin), count_below(indices, begin + len(chunk))
    for k in range(first, last):
        index = np.int64(indices[k]) - begin
        rows[k, 0] = chunk[index, 0]
        rows[k, 1] = chunk[index, 1]


@kernel
def add_totals(first, last, row_offsets, columns, counts, forward, reverse):
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
def add_column_sizes(first, last, row_offsets, columns, sizes):
    """Count the source types first <= s < last that occur with each target type; sizes: int64, added to."""
    for k in range(row_offsets[first], row_offsets[last]):
        sizes[np.uint32(columns[k])] += 1


@kernel
def normalise(first, last, row_offsets, columns, counts, forward, reverse, floor, table):
    """Set table[k] to (t(f|e), t(e|f)), for the source types first <= s < last: counts over totals.

    forward, reverse: float64, the inverse of each row's total, or 0 for no count. No value is below
    ``floor``. table: float32 [pair_ids + 1, 2]. Reverse counts are rounded to float32, as in
    ``ibm1.learn_rows``, which must give the same.
    """
    final = counts.shape[1] - 1
    for s in range(first, last):
        share = forward[s]
        for k in range(row_offsets[s], row_offsets[s + 1]):
            reverse_share = reverse[np.uint32(columns[k])]
            table[k, 0] = max(counts[k, 0] * share, floor)
            table[k, 1] = max(np.float64(np.float32(counts[k, final])) * reverse_share, floor)


@helper
def digamma(x):
    """Return the derivative of log Gamma at x > 0, with a relative error of about 1e-12.

    psi(x) = psi(x + 1) - 1 / x up to x >= 8, then the asymptotic series log x - 1 / (2 x) - sum_k B_2k /
    (2 k x^2k) (Abramowitz & Stegun 1964, eq. 6.3.5 and 6.3.18).
    """
    below = 0.0
    while x < 8.0:
        below += 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = 1.0 / 240.0 - square * (1.0 / 132.0 - square * (691.0 / 32760.0 - square / 12.0))
    series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * series)))
    return math.log(x) - 0.5 / x - series - below


@kernel
def expected_row(counts, total, alpha, entries, floor, row):
    """Set row[k] to exp(psi(c_k + alpha) - psi(total + alpha entries)), at least ``floor``.

    counts: int64 fixed point [n], c; total: float, their sum in occurrences; entries: the size of the
    multinomial; row: float32 [n].
    """
    whole = digamma(total + alpha * entries)
    for k in range(len(counts)):
        row[k] = max(math.exp(digamma(counts[k] / COUNT_SCALE + alpha) - whole), floor)


@kernel
def expected_table(
    counts, row_offsets, columns, forward_totals, reverse_totals, column_sizes, alpha, floor, table
):
    """Set every row of both directions' tables as ``expected_row`` does; pair_id 0 is not changed.

    counts: int64 fixed point [pair_ids + 1, 1 or 2]; row_offsets: int64 [source types + 2]; columns: int32
    [pair_ids + 1]; forward_totals, reverse_totals: float64 [source types + 1] and [target types + 1], the
    sums of each row's counts, in the same unit; column_sizes: int64 [target types + 1], the pair_ids of each
    column; table: float32 [pair_ids + 1, 2].
    """
    last = counts.shape[1] - 1
    reverse = np.empty(len(column_sizes))
    for t in range(len(column_sizes)):
        reverse[t] = digamma(reverse_totals[t] / COUNT_SCALE + alpha * max(column_sizes[t], 1))
    for s in range(len(row_offsets) - 1):
        size = row_offsets[s + 1] - row_offsets[s]
        forward = digamma(forward_totals[s] / COUNT_SCALE + alpha * max(size, 1))
        for k in range(row_offsets[s], row_offsets[s + 1]):
            count = digamma(counts[k, 0] / COUNT_SCALE + alpha)
            table[k, 0] = max(math.exp(count - forward), floor)
            if last:
                count = digamma(counts[k, last] / COUNT_SCALE + alpha)
            table[k, 1] = max(math.exp(count - reverse[columns[k]]), floor)
