"""Selections from compressed rows. Row n is values[offsets[n] : offsets[n + 1]].

Each kernel works on the rows first <= n < last, so that threads can share the work.
"""

import numpy as np

from aligner.kernels.memory import prefetch
from aligner.kernels.policy import kernel

# Rows are scattered over memory: the beginning of each is prefetched this many rows before it is needed.
_AHEAD = 16


@kernel
def gather(first, last, starts, values, offsets, gathered):
    """Copy the row that begins at values[starts[n]] to row n of ``gathered``.

    starts: int64 [rows]; values: int32; offsets: int64 [rows + 1], of ``gathered``; gathered: int32, set.
    """
    for n in range(first, last):
        prefetch(values, np.int64(starts[min(n + _AHEAD, last - 1)]))
        size = offsets[n + 1] - offsets[n]
        row = values[starts[n] : starts[n] + size]
        out = gathered[offsets[n] : offsets[n + 1]]
        for k in range(size):
            out[k] = row[k]


@kernel
def count_kept(first, last, offsets, keep, sizes):
    """Set sizes[n] to the number of entries of row n that are kept; keep: bool [entries]."""
    for n in range(first, last):
        kept = 0
        for chosen in keep[offsets[n] : offsets[n + 1]]:
            kept += chosen
        sizes[n] = kept


@kernel
def select(first, last, offsets, keep, columns, selected_offsets, selected_columns, renumber):
    """Copy the entries that are kept to ``selected_columns``.

    offsets, selected_offsets: int64 [rows + 1]; keep: bool [entries]; columns, selected_columns: int32.
    renumber[k] is set to the new index of entry k, or to 0 if the entry is dropped.
    """
    for n in range(first, last):
        index = selected_offsets[n]
        for k in range(offsets[n], offsets[n + 1]):
            renumber[k] = 0
            if keep[k]:
                selected_columns[index] = columns[k]
                renumber[k] = index
                index += 1
