"""Restriction of inference to some alignments: the potentials of all others are set to 0."""

import numpy as np

from aligner.kernels.policy import helper, kernel


@kernel
def keep_alignment(alignment, conditioning, emitted, links, null):
    """Set every potential to 0 except those of one alignment.

    alignment: int32, [J] for each pair, a position from 0, or -1 for NULL; links: float32, [J, I] for each
    pair; null: float32, [J] for each pair.
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
def _keep_marked(cells, null, width, height, rows):
    """Keep only the marked cells, which are negative, of each row j with rows[j], and make them positive.

    cells: float32 [height * width]; null: float32 [height], set to 0 for these rows; rows: bool [height].
    """
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
    """Set to 0 the potentials of forbidden cells, and of cells that compete with a known link for a word.

    first: the number of the block's first pair; offsets: int64 [pairs of the text + 1]; source, target: int32
    [links], positions from 0; known: bool [links], False for a forbidden link; forward: float32, [J, I] for
    each pair; reverse: float32, [I, J]; forward_null, reverse_null: float32, [J] and [I]. No link may be both
    known and forbidden: its words would be left without any potential.
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
            target_known = np.zeros(height, np.bool_)
            source_known = np.zeros(width, np.bool_)
            for k in range(begin, end):
                i = source[k]
                j = target[k]
                if known[k]:
                    # Potentials are positive, so the sign can mark a known link.
                    f[j * width + i] = -f[j * width + i]
                    r[i * height + j] = -r[i * height + j]
                    target_known[j] = True
                    source_known[i] = True
                else:
                    f[j * width + i] = 0.0
                    r[i * height + j] = 0.0
            _keep_marked(f, forward_null[target_token : target_token + height], width, height, target_known)
            _keep_marked(r, reverse_null[source_token : source_token + width], height, width, source_known)
        cell += width * height
        source_token += width
        target_token += height
