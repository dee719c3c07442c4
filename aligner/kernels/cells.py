"""Operations on cells: gather potentials, combine the two directions' posteriors, scatter expected counts."""

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.fixed import to_fixed


@kernel
def gather(slots, table, source_lengths, target_lengths, forward, reverse):  # type: ignore[no-untyped-def]
    """Look up both directions' lexical potentials of a block in one pass.

    slots: uint32 [cells], source-major; table: float32 [slots + 1, 2]. forward: float32, [J, I] per pair, gets
    table[:, 0]; reverse: float32, [I, J] per pair, gets table[:, 1].
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            k = slots[cell + i * height : cell + (i + 1) * height]
            r = reverse[cell + i * height : cell + (i + 1) * height]
            for j in range(height):
                entry = table[k[j]]
                f[j * width + i] = entry[0]
                r[j] = entry[1]
        cell += size


@kernel
def gather_words(tokens, table, out):  # type: ignore[no-untyped-def]
    """out[k] = table[tokens[k]]: the NULL potentials of a block's words."""
    for k in range(len(tokens)):
        out[k] = table[tokens[k]]


@kernel
def transpose(forward, source_lengths, target_lengths, out):  # type: ignore[no-untyped-def]
    """Copy target-major cells (float32, [J, I] per pair) to source-major order ([I, J] per pair)."""
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            row = out[cell + i * height : cell + (i + 1) * height]
            for j in range(height):
                row[j] = f[j * width + i]
        cell += size


@kernel
def scatter(slots, links, source, source_lengths, target_lengths, owners, me, counts):  # type: ignore[no-untyped-def]
    """Add a block's posteriors to the counts of the word pairs whose source type this worker owns.

    links: float32 [cells, columns]; counts: int64 fixed point [slots + 1, columns]; owners: int32 [types + 1].
    Ownership makes plain additions safe: no two workers ever touch the same row.
    """
    columns = counts.shape[1]
    cell = 0
    token = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        for _ in range(source_lengths[n]):
            if owners[source[token]] == me:
                k = slots[cell : cell + height]
                q = links[cell : cell + height]
                if columns == 1:
                    for j in range(height):
                        counts[k[j], 0] += to_fixed(q[j, 0])
                else:
                    for j in range(height):
                        for c in range(columns):
                            counts[k[j], c] += to_fixed(q[j, c])
            cell += height
            token += 1


@kernel
def scatter_words(tokens, posteriors, owners, me, counts):  # type: ignore[no-untyped-def]
    """Add NULL posteriors to the counts of the words this worker owns; counts: int64 fixed point [types + 1]."""
    for k in range(len(tokens)):
        if owners[tokens[k]] == me:
            counts[tokens[k]] += to_fixed(posteriors[k])
