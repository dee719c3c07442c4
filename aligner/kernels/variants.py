"""Leaving only some alignments possible: potentials of all others become zero before inference."""

import numpy as np

from aligner.kernels.policy import helper, kernel


@kernel
def keep_alignment(alignment, conditioning, emitted, links, null):
    """Zero every potential but those of one alignment.

    alignment: int32 [J] per pair, a position from 0, or -1 for NULL; links: float32, [J, I] per pair; null:
    float32, [J] per pair.
    """
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        for _ in range(emitted[n]):
            row = links[cell : cell + width]
            chosen = alignment[token]
            for i in range(width):
                if i != chosen:
                    row[i] = 0.0
            if chosen >= 0:
                null[token] = 0.0
            cell += width
            token += 1


@helper
def _narrow(cells, null, width, height, rows):
    """Where rows[j], only the marked cells of row j (negative ones) stay; the marks are taken off."""
    for j in range(height):
        if not rows[j]:
            continue
        row = cells[j * width : (j + 1) * width]
        for i in range(width):
            row[i] = max(-row[i], np.float32(0.0))
        null[j] = 0.0


@kernel
def restrict(
    first,
    offsets,
    source,
    target,
    known,
    source_lengths,
    target_lengths,
    forward,
    forward_null,
    reverse,
    reverse_null,
):
    """Zero the forbidden cells of a block, and whatever competes with a known one for a word.

    first: the block's first pair; offsets: int64 [pairs of the text + 1], source, target: int32 [links] from
    0, known: bool [links], else forbidden. forward: float32, [J, I] per pair, reverse: [I, J]. A cell that
    is both must not be there: a word would be left without any potential.
    """
    cell = 0
    source_token = 0
    target_token = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        begin = offsets[first + n]
        end = offsets[first + n + 1]
        if end > begin:
            f = forward[cell : cell + width * height]
            r = reverse[cell : cell + width * height]
            target_rows = np.zeros(height, np.bool_)
            source_rows = np.zeros(width, np.bool_)
            for k in range(begin, end):
                i = source[k]
                j = target[k]
                if known[k]:
                    # Potentials are positive, so a sign is free to be a mark.
                    f[j * width + i] = -f[j * width + i]
                    r[i * height + j] = -r[i * height + j]
                    target_rows[j] = True
                    source_rows[i] = True
                else:
                    f[j * width + i] = 0.0
                    r[i * height + j] = 0.0
            _narrow(f, forward_null[target_token : target_token + height], width, height, target_rows)
            _narrow(r, reverse_null[source_token : source_token + width], height, width, source_rows)
        cell += width * height
        source_token += width
        target_token += height
