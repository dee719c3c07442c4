"""Attachment of words without links to links that they touch.

A source word i without links takes the link (i, j) that its own direction prefers, the j of the greatest
R_ij, if R_ij reaches the threshold and target word j is linked to source word i - 1 or i + 1. The same holds
for target words and F_ij. So an article joins the noun that generates it, although the noun, which generates
one word at a time, prefers another. Of equal posteriors, the first is the greatest.
"""

import numpy as np

from aligner.kernels.policy import kernel


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
        links = linked[cell:end].reshape(rows, columns)
        generates_target = forward[cell:end].reshape(columns, rows)
        generates_source = reverse[cell:end].reshape(rows, columns)
        for i in range(rows):
            if columns > 0 and not links[i].any():
                j = np.argmax(generates_source[i])
                touches = (i > 0 and links[i - 1, j]) or (i + 1 < rows and links[i + 1, j])
                if touches and generates_source[i, j] >= threshold:
                    chosen[cell + i * columns + j] = True
                    combined[cell + i * columns + j] = generates_source[i, j]
        for j in range(columns):
            if rows > 0 and not links[:, j].any():
                i = np.argmax(generates_target[j])
                touches = (j > 0 and links[i, j - 1]) or (j + 1 < columns and links[i, j + 1])
                if touches and generates_target[j, i] >= threshold:
                    chosen[cell + i * columns + j] = True
                    combined[cell + i * columns + j] = generates_target[j, i]
        cell = end
