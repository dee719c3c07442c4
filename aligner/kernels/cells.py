"""Operations on cells: look up lexical potentials, restrict them, combine both directions, keep some cells.

Forward cells are [J, I] for each pair, reverse cells [I, J]. *Kept cells* are listed by source token:
``runs``, [source tokens], holds the number of kept cells of each token, and ``columns``, [kept], their
target positions, both uint16, or int32 for long sentences.
"""

import numpy as np

from aligner.kernels.intrinsics import prefetch
from aligner.kernels.policy import helper, kernel

# Rows of the lexicon are prefetched this many cells before they are needed.
_AHEAD = 96


@kernel
def gather(pair_ids, table, source_lengths, target_lengths, forward, reverse):
    """Look up both directions' lexical potentials of a block in one pass.

    pair_ids: uint32 [cells], source-major; table: float32 [pair_ids + 1, 2]; forward: float32, set to
    table[:, 0]; reverse: float32, set to table[:, 1].
    """
    cell = 0
    end = len(pair_ids) - 1
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            k = pair_ids[cell + i * height : cell + (i + 1) * height]
            r = reverse[cell + i * height : cell + (i + 1) * height]
            ahead = cell + i * height + _AHEAD
            for j in range(height):
                prefetch(table, np.int64(pair_ids[min(ahead + j, end)]))
                entry = table[k[j]]
                f[j * width + i] = entry[0]
                r[j] = entry[1]
        cell += size


@kernel
def gather_kept(pair_ids, runs, columns, table, source_lengths, target_lengths, forward, reverse):
    """Look up the potentials of the kept cells, uint32 [kept]; all other cells get row 0 of the table."""
    cell = 0
    token = 0
    kept = 0
    final = len(pair_ids) - 1
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        r = reverse[cell : cell + size]
        f[:] = table[0, 0]
        r[:] = table[0, 1]
        for i in range(width):
            end = kept + np.int64(runs[token])
            for k in range(kept, end):
                prefetch(table, np.int64(pair_ids[min(k + _AHEAD, final)]))
                j = columns[k]
                entry = table[pair_ids[k]]
                f[j * width + i] = entry[0]
                r[i * height + j] = entry[1]
            kept = end
            token += 1
        cell += size


@kernel
def gather_words(tokens, table, out):
    """Set out[k] to table[tokens[k]]: the NULL potentials of a block's words."""
    for k in range(len(tokens)):
        out[k] = table[tokens[k]]


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


@kernel
def transpose(forward, source_lengths, target_lengths, out):
    """Copy forward cells, [J, I] for each pair, to source-major order, [I, J].

    With the lengths exchanged, this is the inverse.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        f = forward[cell : cell + width * height]
        for i in range(width):
            row = out[cell : cell + height]
            for j in range(height):
                row[j] = f[j * width + i]
            cell += height


@kernel
def multiply(forward, reverse, source_lengths, target_lengths, out, sums):
    """Set out to F R, source-major, float32 [cells], and sums to the sum of each pair, float64 [pairs].

    ``out`` may be the same array as ``reverse``.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        f = forward[cell : cell + width * height]
        total = np.float64(0.0)
        for i in range(width):
            r = reverse[cell : cell + height]
            row = out[cell : cell + height]
            for j in range(height):
                both = f[j * width + i] * r[j]
                row[j] = both
                total += both
            cell += height
        sums[n] = total


@kernel
def multiply_kept(runs, columns, forward, reverse, source_lengths, target_lengths, out, sums):
    """Set out to F R of the kept cells, float32 [kept], and sums to the sum of each pair, float64 [pairs]."""
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        r = reverse[cell : cell + size]
        total = np.float64(0.0)
        for i in range(width):
            end = kept + np.int64(runs[token])
            for k in range(kept, end):
                j = columns[k]
                both = f[j * width + i] * r[i * height + j]
                out[k] = both
                total += both
            kept = end
            token += 1
        sums[n] = total
        cell += size


@kernel
def add_linked(null, emitted, linked):
    """Add half of each pair's expected linked words, which are those not linked to NULL, to ``linked``.

    null: float32, P(a_j = NULL), [J] for each pair; emitted: int32 [pairs], J; linked: float64 [pairs].
    """
    token = 0
    for n in range(len(emitted)):
        unlinked = np.float64(0.0)
        for k in range(token, token + emitted[n]):
            unlinked += null[k]
        linked[n] += 0.5 * (emitted[n] - unlinked)
        token += emitted[n]


@kernel
def as_columns(cells, source_lengths, target_lengths, out):
    """Set out[:, c] to cells[c], source-major: float32 [cells, columns].

    cells: a tuple of forward and reverse cells by turns.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        for c in range(0, len(cells), 2):
            f = cells[c][cell : cell + size]
            for i in range(width):
                r = cells[c + 1][cell + i * height : cell + (i + 1) * height]
                q = out[cell + i * height : cell + (i + 1) * height]
                for j in range(height):
                    q[j, c] = f[j * width + i]
                    q[j, c + 1] = r[j]
        cell += size


@helper
def _largest(links, k):
    """Return the largest entry of row k; links: float32 [cells, columns]."""
    largest = links[k, 0]
    for c in range(1, links.shape[1]):
        largest = max(largest, links[k, c])
    return largest


@kernel
def set_bits(links, threshold, source_lengths, target_lengths, bits):
    """Set the bits of the cells that reach the threshold in some column (see ``lexicon.blocks``).

    links: float32 [cells, columns], source-major; bits: uint8, all 0 before.
    """
    cell = 0
    begin = 0
    for n in range(len(source_lengths)):
        for _ in range(source_lengths[n]):
            for j in range(target_lengths[n]):
                bits[begin + (j >> 3)] |= np.uint8(_largest(links, cell) >= threshold) << np.uint8(j & 7)
                cell += 1
            begin += (target_lengths[n] + 7) >> 3


@kernel
def list_kept(pair_ids, bits, source_lengths, target_lengths, runs, columns, kept_ids):
    """List the cells whose bit is set in ``runs``, ``columns`` and ``kept_ids``; return their number.

    pair_ids: uint32 [cells], source-major; bits: uint8 (see ``lexicon.blocks``). ``columns`` and
    ``kept_ids`` have room for one more entry than there are cells.
    """
    cell = 0
    begin = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        for _ in range(source_lengths[n]):
            before = kept
            for first in range(0, height, 8):
                byte = bits[begin]
                begin += 1
                if byte:
                    for j in range(first, min(first + 8, height)):
                        # Written first, and kept by moving on: a branch would be mispredicted too often.
                        columns[kept] = j
                        kept_ids[kept] = pair_ids[cell + j]
                        kept += np.int64(byte & 1)  # without compilation, 8 bits would overflow
                        byte >>= 1
            runs[token] = kept - before
            cell += height
            token += 1
    return kept


@kernel
def select_kept(runs, columns, links, source_lengths, target_lengths, out):
    """Set out to the links of the kept cells: float32 [kept, columns]."""
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        for _ in range(source_lengths[n]):
            for k in range(kept, kept + np.int64(runs[token])):
                for c in range(links.shape[1]):
                    out[k, c] = links[cell + columns[k], c]
            kept += np.int64(runs[token])
            cell += height
            token += 1


@kernel
def set_pairs(pair_ids, kept_pairs):
    """Set kept_pairs[pair_id] to True, bool, for every pair_id of a block."""
    for pair_id in pair_ids:
        kept_pairs[pair_id] = True


@kernel
def mix_pieces(pieces, first_cells, row_words, column_words, weight, new_words, cells):
    """Mix the posteriors of pieces into the posteriors of words.

    By pieces, the posterior of a row's word is the mean over its pieces of the sum over the pieces of the
    column's word. Where one of the two words is new, the larger posterior counts.

    pieces: float32, [pieces of the rows, pieces of the columns] for each pair; first_cells: int64 [pairs],
    where the cells of each pair begin in ``cells``; row_words, column_words: ``WordsInPieces``; weight:
    float32, the weight of the pieces; new_words: float32, how many times as much they weigh where a word is
    new; cells: float32, [rows, columns] for each pair.
    """
    piece = 0
    rest = np.float32(1.0) - weight
    of_words = np.empty(len(column_words.counts), np.float32)
    for n in range(len(first_cells)):
        first_row = row_words.offsets[n]
        first_column = column_words.offsets[n]
        rows = row_words.offsets[n + 1] - first_row
        columns = column_words.offsets[n + 1] - first_column
        is_new_column = column_words.are_new[first_column : first_column + columns]
        cell = first_cells[n]
        for r in range(rows):
            is_new_row = row_words.are_new[first_row + r]
            row = cells[cell + r * columns : cell + (r + 1) * columns]
            for c in range(columns):
                of_words[c] = row[c]
                row[c] *= np.float32(0.0) if is_new_row or is_new_column[c] else rest
            share = weight / np.float32(row_words.counts[first_row + r])
            for _ in range(row_words.counts[first_row + r]):
                for c in range(columns):
                    total = np.float32(0.0)
                    for _ in range(column_words.counts[first_column + c]):
                        total += pieces[piece]
                        piece += 1
                    row[c] += share * total
            for c in range(columns):
                if is_new_row or is_new_column[c]:
                    row[c] = max(of_words[c], new_words * row[c])
