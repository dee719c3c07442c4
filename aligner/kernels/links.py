"""Link methods: competitive thresholding, and attachment of words without links.

Competitive thresholding (after DeNero & Klein 2007) chooses a cell if it can stand beside the best cell of
its row and beside the best cell of its column. Beside the best cell of a row can stand every cell whose
posterior reaches the threshold, if one of these holds:

* all cells between it and the best one reach the threshold, too;
* it is at most ``NEAR`` positions from the best one and does not repeat the word of the best one. Of several
  copies of a word, only one is translated by this row's word.

The best cell itself must reach the threshold.

Attachment gives a source word i without links the link (i, j) that its own direction prefers, the j of the
greatest R_ij, if R_ij reaches the threshold and target word j is linked to source word i - 1 or i + 1. The
same holds for target words and F_ij. So an article joins the noun that generates it, although the noun, which
generates one word at a time, prefers another.

Of equal cells, the first is the best.

Slow twins: ``tests.naive.competitive.competitive_links`` and ``tests.naive.attaching.attached_links``.
"""

import numpy as np

from aligner.kernels.policy import kernel, part

_OF_ROW = 1
_OF_COLUMN = 2
CHOSEN = _OF_ROW | _OF_COLUMN
"""The mark of a chosen cell."""

NEAR = 4
"""The greatest distance of a word's links from its best link, if not contiguous: the inner jump buckets."""


@kernel
def compete(posteriors, source, target, source_lengths, target_lengths, threshold, marks):
    """Mark the chosen cells with ``CHOSEN``.

    posteriors: int32 [cells], source-major, the bits of float32 posteriors; threshold: the bits of a float32.
    Floats that are not negative are in the order of their bits, and only the maximum of integers vectorises.
    source, target: int32 [tokens], words; marks: uint8 [cells], zeros, set.
    """
    widest = 0
    for n in range(len(target_lengths)):
        widest = max(widest, np.int64(target_lengths[n]))
    best = np.empty(widest, np.int32)
    best_row = np.empty(widest, np.int32)
    cell = 0
    source_token = 0
    target_token = 0
    for n in range(len(source_lengths)):
        rows = np.int64(source_lengths[n])
        columns = np.int64(target_lengths[n])
        source_words = source[source_token : source_token + rows]
        target_words = target[target_token : target_token + columns]
        source_token += rows
        target_token += columns
        if rows == 0:
            continue
        best[:columns] = np.int32(-1)
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
                _mark_line(posteriors, cell + i * columns, 1, top, target_words, threshold, _OF_ROW, marks)
        for j in range(columns):
            if best[j] >= threshold:
                top = np.int64(best_row[j])
                _mark_line(posteriors, cell + j, columns, top, source_words, threshold, _OF_COLUMN, marks)
        cell += rows * columns


@part
def _mark_line(posteriors, first, step, top, words, threshold, mark, marks):
    """Mark the cells of a row or a column that can stand beside its best cell.

    Cell k of the line is posteriors[first + k * step], and its word is words[k]. top: the best cell.
    """
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


@kernel
def attach(linked, forward, reverse, source_lengths, target_lengths, threshold, chosen, combined):
    """Add the links of words without links to ``chosen``, with their own direction's posteriors.

    linked: bool [cells], source-major, the links so far; forward: float32 posteriors, [J, I] for each pair;
    reverse: float32 posteriors, [I, J] for each pair; threshold: float32; chosen: bool [cells], source-major;
    combined: float32 [cells], source-major.
    """
    cell = 0
    for n in range(len(source_lengths)):
        rows = np.int64(source_lengths[n])
        columns = np.int64(target_lengths[n])
        end = cell + rows * columns
        for i in range(rows):
            row = cell + i * columns
            if columns > 0 and not linked[row : row + columns].any():
                k = row + reverse[row : row + columns].argmax()
                touches = (i > 0 and linked[k - columns]) or (i + 1 < rows and linked[k + columns])
                if touches and reverse[k] >= threshold:
                    chosen[k] = True
                    combined[k] = reverse[k]
        for j in range(columns):
            if rows > 0 and not linked[cell + j : end : columns].any():
                row = cell + j * rows
                i = forward[row : row + rows].argmax()
                k = cell + i * columns + j
                touches = (j > 0 and linked[k - 1]) or (j + 1 < columns and linked[k + 1])
                if touches and forward[row + i] >= threshold:
                    chosen[k] = True
                    combined[k] = forward[row + i]
        cell = end
