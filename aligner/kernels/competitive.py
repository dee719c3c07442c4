"""Competitive thresholding of posteriors (DeNero & Klein 2007)."""

import numpy as np

from aligner.kernels._jit import kernel

_OF_ROW = 1
_OF_COLUMN = 2
CHOSEN = _OF_ROW | _OF_COLUMN


@kernel
def compete(posteriors, source_lengths, target_lengths, threshold, marks):
    """Mark as ``CHOSEN`` the cells that hang together with the best of their row, and of their column.

    That is, of at least the threshold like all between them and the best, the first of equals: no word is
    linked to places far apart, as a frequent word is when several copies of it compete. posteriors: [I, J]
    per pair, like the threshold as int32: float32 numbers that are not negative are in order as their bits
    are, and only integers' maxima vectorise. marks: uint8 [cells], zeros, filled.
    """
    widest = 0
    for n in range(len(target_lengths)):
        widest = max(widest, target_lengths[n])
    best = np.empty(widest, np.int32)
    best_row = np.empty(widest, np.int32)
    cell = 0
    for n in range(len(source_lengths)):
        rows = source_lengths[n]
        columns = target_lengths[n]
        if rows == 0:
            continue
        best[:columns] = -1
        for i in range(rows):
            row = posteriors[cell + i * columns : cell + (i + 1) * columns]
            highest = np.int32(-1)
            for j in range(columns):
                highest = max(highest, row[j])
                best_row[j] = np.int32(i) if row[j] > best[j] else best_row[j]
                best[j] = max(best[j], row[j])
            if highest >= threshold:
                top = 0
                while row[top] != highest:
                    top += 1
                out = marks[cell + i * columns : cell + (i + 1) * columns]
                j = top
                while j >= 0 and row[j] >= threshold:
                    out[j] |= _OF_ROW
                    j -= 1
                j = top + 1
                while j < columns and row[j] >= threshold:
                    out[j] |= _OF_ROW
                    j += 1
        for j in range(columns):
            i = best_row[j]
            while i >= 0 and posteriors[cell + i * columns + j] >= threshold:
                marks[cell + i * columns + j] |= _OF_COLUMN
                i -= 1
            i = best_row[j] + 1
            while i < rows and posteriors[cell + i * columns + j] >= threshold:
                marks[cell + i * columns + j] |= _OF_COLUMN
                i += 1
        cell += rows * columns
