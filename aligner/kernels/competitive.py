"""Competitive thresholding of posteriors (after DeNero & Klein 2007)."""

import numpy as np

from aligner.kernels.policy import helper, kernel

_OF_ROW = 1
_OF_COLUMN = 2
CHOSEN = _OF_ROW | _OF_COLUMN

NEAR = 4
"""How far a word's links may be from its best, with none between: as far as jumps are told apart."""


@kernel
def compete(posteriors, source, target, source_lengths, target_lengths, threshold, marks):
    """Mark as ``CHOSEN`` the cells that may be beside the best of their row, and of their column.

    That is, of at least the threshold, and either like all between them and the best, the first of equals; or
    ``NEAR`` it, and not of the same word again: of several copies of a word, only one is translated here.
    posteriors: [I, J] per pair, like the threshold as int32: float32 numbers that are not negative are in
    order as their bits are, and only integers' maxima vectorise. marks: uint8 [cells], zeros, filled.
    """
    widest = 0
    for n in range(len(target_lengths)):
        widest = max(widest, target_lengths[n])
    best = np.empty(widest, np.int32)
    best_row = np.empty(widest, np.int32)
    cell = 0
    left = 0
    right = 0
    for n in range(len(source_lengths)):
        rows = source_lengths[n]
        columns = target_lengths[n]
        words = source[left : left + rows]
        others = target[right : right + columns]
        left += rows
        right += columns
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
                _mark(posteriors, cell + i * columns, 1, top, others, threshold, _OF_ROW, marks)
        for j in range(columns):
            if best[j] >= threshold:
                _mark(posteriors, cell + j, columns, best_row[j], words, threshold, _OF_COLUMN, marks)
        cell += rows * columns


@helper
def _mark(posteriors, first, step, top, words, threshold, mark, marks):
    """Mark what may be beside the best, the one at ``top``, of a row or a column: of a cell a word."""
    k = top
    while k >= 0 and posteriors[first + k * step] >= threshold:
        marks[first + k * step] |= mark
        k -= 1
    k = top + 1
    while k < len(words) and posteriors[first + k * step] >= threshold:
        marks[first + k * step] |= mark
        k += 1
    for k in range(max(top - NEAR, 0), min(top + NEAR + 1, len(words))):
        if posteriors[first + k * step] >= threshold and words[k] != words[top]:
            marks[first + k * step] |= mark
