"""Features of candidate cells: what trees learn links from.

A *candidate* is a cell that some posterior reaches, or that is beside a likely link. Only candidates have
features. Features tell of the cell, of its neighbours and rivals, of positions, of both words over the
training text, and of their spelling; none names a word, so nothing depends on the language.

F and R are the posteriors of both directions as decoding uses them, F0 and R0 without its constraint, and
A = (F + R) / 2. ``models.learned_links.FEATURES`` names the features in the order of their columns. Trees
look at the order of values alone, so no logarithm is taken.

Slow twin: ``tests.naive.features.features``.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel
from aligner.kernels.spelling import add_letters, common_letters, letters_of, remove_letters

LEAST = np.float32(0.03)
"""A cell is a candidate if one of F, R, F0 and R0 reaches this."""

LIKELY = np.float32(0.4)
"""A cell is a candidate if A of the cell above, below, left or right reaches this.

These cells have no posterior of their own, but hold a fifth of the links where gold links phrases. The cells
across the corners would be half as many again, and gain nothing.
"""

LEAST_POSTERIOR = np.float32(1e-4)
"""Smaller posteriors count as this: differences between them tell nothing."""

MISSING = np.float32(-100.0)
"""The value of a feature that has no meaning for a cell. No other value is as small."""

_LEAST_MASS = np.float32(0.3)
"""The centroid of the links of a word is missing if their posteriors sum to less than this."""

_FARTHEST = np.float32(50.0)


@kernel
def mark(forward, reverse, plain_forward, plain_reverse, source_lengths, target_lengths, marks):
    """Set marks[cell] to 1 for each candidate, and return the number of candidates.

    forward, plain_forward: float32 posteriors F and F0, [J, I] for each pair; reverse, plain_reverse: R and
    R0, [I, J]; marks: uint8 [cells], source-major, zeros.
    """
    cell = 0
    count = 0
    for n in range(len(source_lengths)):
        rows = np.int64(source_lengths[n])
        columns = np.int64(target_lengths[n])
        end = cell + rows * columns
        f = forward[cell:end].reshape(columns, rows)
        r = reverse[cell:end].reshape(rows, columns)
        f0 = plain_forward[cell:end].reshape(columns, rows)
        r0 = plain_reverse[cell:end].reshape(rows, columns)
        marked = marks[cell:end].reshape(rows, columns)
        for i in range(rows):
            for j in range(columns):
                if max(max(f[j, i], r[i, j]), max(f0[j, i], r0[i, j])) >= LEAST:
                    marked[i, j] = 1
                    if np.float32(0.5) * (f[j, i] + r[i, j]) >= LIKELY:
                        marked[max(i - 1, 0), j] = 1
                        marked[min(i + 1, rows - 1), j] = 1
                        marked[i, max(j - 1, 0)] = 1
                        marked[i, min(j + 1, columns - 1)] = 1
        for k in range(cell, end):
            count += marks[k]
        cell = end
    return count


@kernel
def compute(posteriors, lexical, source, target, shared, marks, features):
    """Set the features of the candidates of a block, all but the last.

    posteriors: F, R, F0, R0, and lexical: t(f|e), t(e|f), float32 [cells], the first of each two [J, I] for
    each pair; source, target: ``FeatureTokens``; shared: the number of letters that both languages have;
    marks: uint8 [cells], 1 for candidates; features: float32 [candidates, features].
    """
    bit_sets = np.zeros(shared + 3, np.uint64)
    cell = 0
    first_i = 0
    first_j = 0
    row = 0
    for n in range(len(source.lengths)):
        rows = np.int64(source.lengths[n])
        columns = np.int64(target.lengths[n])
        end = cell + rows * columns
        f = posteriors[0][cell:end].reshape(columns, rows)
        r = posteriors[1][cell:end].reshape(rows, columns)
        f0 = posteriors[2][cell:end].reshape(columns, rows)
        r0 = posteriors[3][cell:end].reshape(rows, columns)
        t = lexical[0][cell:end].reshape(columns, rows)
        u = lexical[1][cell:end].reshape(rows, columns)
        marked = marks[cell:end].reshape(rows, columns)
        a = np.zeros((rows + 4, columns + 4), np.float32)
        by_target = np.zeros((columns + 4, rows + 4), np.float32)
        both = np.zeros((rows + 4, columns + 4), np.float32)
        for i in range(rows):
            for j in range(columns):
                a[i + 2, j + 2] = np.float32(0.5) * (f[j, i] + r[i, j])
                by_target[j + 2, i + 2] = a[i + 2, j + 2]
                both[i + 2, j + 2] = f[j, i] * r[i, j]
        by_row = _summarise(by_target, columns, rows)
        by_column = _summarise(a, rows, columns)
        null_target = np.empty(columns, np.float32)
        for j in range(columns):
            null_target[j] = np.float32(1.0) - f[j].sum()
        for i in range(rows):
            null_source = np.float32(1.0) - r[i].sum()
            e = first_i + i
            word = letters_of(source.words, source.numbers[e])
            spelled = False
            for j in range(columns):
                if marked[i, j] == 0:
                    continue
                if not spelled:
                    add_letters(word, bit_sets)
                    spelled = True
                x = features[row]
                row += 1
                here = a[i + 2, j + 2]
                x[0] = max(f[j, i], LEAST_POSTERIOR)
                x[1] = max(r[i, j], LEAST_POSTERIOR)
                x[2] = max(f0[j, i], LEAST_POSTERIOR)
                x[3] = max(r0[i, j], LEAST_POSTERIOR)
                x[4] = max(here, LEAST_POSTERIOR)
                x[5] = both[i + 2, j + 2]
                x[6] = f0[j, i] * r0[i, j]
                x[7] = np.float32(0.5) * (f0[j, i] + r0[i, j])
                x[8] = null_target[j]
                x[9] = null_source
                k = 10
                for m in range(9):
                    if m != 4:
                        x[k] = a[i + 1 + m // 3, j + 1 + m % 3]
                        x[k + 10] = both[i + 1 + m // 3, j + 1 + m % 3]
                        k += 1
                x[18] = a[i, j]
                x[19] = a[i + 4, j + 4]
                x[28] = by_row[1, i] if here == by_row[0, i] else by_row[0, i]
                x[29] = by_column[1, j] if here == by_column[0, j] else by_column[0, j]
                x[30] = by_row[2, i] - here
                x[31] = by_column[2, j] - here
                x[32] = _distance(j, by_row, i - 1, rows)
                x[33] = _distance(j, by_row, i + 1, rows)
                x[34] = _distance(i, by_column, j - 1, columns)
                x[35] = _distance(i, by_column, j + 1, columns)
                x[36] = np.float32((i + 0.5) / rows - (j + 0.5) / columns)
                x[37] = abs(x[36])
                x[38] = rows
                x[39] = columns
                x[40] = np.float32(rows / columns)
                x[41] = t[j, i]
                x[42] = u[i, j]
                w = first_j + j
                count_e = source.counts[e]
                count_f = target.counts[w]
                links = np.float32(0.5) * (t[j, i] * source.links[e] + u[i, j] * target.links[w])
                x[43] = links / count_e if count_e > 0 else MISSING
                x[44] = links / count_f if count_f > 0 else MISSING
                x[45] = count_e
                x[46] = count_f
                x[47] = (count_e + np.float32(1.0)) / (count_f + np.float32(1.0))
                x[48] = source.links[e] / max(count_e, np.float32(1.0))
                x[49] = target.links[w] / max(count_f, np.float32(1.0))
                other = letters_of(target.words, target.numbers[w])
                longest = max(max(len(word), len(other)), 1)
                x[50] = np.float32(common_letters(len(word), bit_sets, other)) / longest
                x[51] = np.float32(_common_prefix(word, other)) / longest
                x[52] = source.kinds[e]
                x[53] = target.kinds[w]
                x[54] = len(word)
                x[55] = len(other)
                x[56] = source.repetitions[e]
                x[57] = target.repetitions[w]
            if spelled:
                remove_letters(word, bit_sets)
        cell = end
        first_i += rows
        first_j += columns


@helper
def _summarise(a, lines, words):
    """Return the greatest, the second, the sum and the centroid of A of each word, float32 [4, words].

    a: float32 [lines + 4, words + 4], A of each word in a column, with two rows and columns of zeros around.
    The centroid is ``MISSING`` if the sum is less than ``_LEAST_MASS``.
    """
    found = np.zeros((4, words), np.float32)
    best, second, total, centroid = found[0], found[1], found[2], found[3]
    mean = np.zeros(words)
    for k in range(lines):
        values = a[k + 2]
        for w in range(words):  # side by side, which vectorises: features take 15 % less time
            value = values[w + 2]
            second[w] = max(second[w], min(best[w], value))
            best[w] = max(best[w], value)
            total[w] += value
            mean[w] += value * k
    for w in range(words):
        centroid[w] = mean[w] / total[w] if total[w] >= _LEAST_MASS else MISSING
    return found


@helper
def _distance(position, summary, k, words):
    """Return how far a position is from the centroid of word k, clipped; ``MISSING`` if there is none."""
    if k < 0 or k >= words or summary[3, k] == MISSING:
        return MISSING
    return min(max(np.float32(position) - summary[3, k], -_FARTHEST), _FARTHEST)


@helper
def _common_prefix(word, other):
    """Return the number of first letters that two words have in common."""
    k = 0
    while k < len(word) and k < len(other) and word[k] == other[k]:
        k += 1
    return k
