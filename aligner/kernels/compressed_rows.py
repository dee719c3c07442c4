"""Compressed rows, row n in values[offsets[n] : offsets[n + 1]]: some of them, in any order."""

import numpy as np

from aligner.kernels.memory import prefetch
from aligner.kernels.policy import kernel

# Rows are scattered over memory: the beginning of each is fetched so many rows before it is needed.
_AHEAD = 16


@kernel
def gather(first, last, starts, values, offsets, gathered):
    """Set the rows first <= n < last of gathered, int32, to what values, int32, have from starts[n] on."""
    for n in range(first, last):
        prefetch(values, np.int64(starts[min(n + _AHEAD, last - 1)]))
        size = offsets[n + 1] - offsets[n]
        row = values[starts[n] : starts[n] + size]
        out = gathered[offsets[n] : offsets[n + 1]]
        for k in range(size):
            out[k] = row[k]


@kernel
def count_kept(first, last, offsets, keep, sizes):
    """sizes[n] = how many of the entries of row n, keep: bool, are kept, first <= n < last."""
    for n in range(first, last):
        kept = 0
        for chosen in keep[offsets[n] : offsets[n + 1]]:
            kept += chosen
        sizes[n] = kept


@kernel
def select(first, last, offsets, keep, columns, selected_offsets, selected_columns, renumber):
    """Copy the entries of rows first <= n < last that are kept; renumber[k]: where entry k is then, or 0."""
    for n in range(first, last):
        number = selected_offsets[n]
        for k in range(offsets[n], offsets[n + 1]):
            renumber[k] = 0
            if keep[k]:
                selected_columns[number] = columns[k]
                renumber[k] = number
                number += 1
