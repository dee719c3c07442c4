"""IBM Model 1 (Brown et al. 1993): posteriors and best alignments of a block, and expected counts of a text.

The counts of a text are collected by source word instead of by sentence. A posterior of Model 1 is a lexical
probability times a factor of the emitted word's occurrence j:

    P(a_j = i) = t(f_j | e_i) m_j,    m_j = d / (d sum_i t(f_j | e_i) + p0 t(f_j | NULL)),    d = (1 - p0) / I

One pass over the text computes the factors, and a second pass adds the posteriors to the counts. Both passes
take one source type after the other, with all its occurrences, while its row of the lexicon is in the cache.
No cell is stored and no pair_id is looked up.

factors: a tuple of the factors of t(f | e), float32 [target tokens], and of t(e | f), float32 [source
tokens].

Slow twin, by enumeration: ``tests.naive.directional.model1``.
"""

import math

import numpy as np

from aligner.kernels.counts import count_to_fixed
from aligner.kernels.distortion import null_probability
from aligner.kernels.index import prefetch_coming, prefetch_run
from aligner.kernels.intrinsics import add_atomically, prefetch
from aligner.kernels.loops import count_below
from aligner.kernels.policy import helper, kernel, part

# A double of this size has as many binary places as fixed point, so adding it rounds a count to them. It is
# faster than a conversion to an integer.
_ROUNDER = 1.5 * 2.0**52 / 2.0**32
_ROUNDER_BITS = np.float64(_ROUNDER).view(np.int64)


@helper
def multiply_scaled(product, mass, logs):
    """Return (product * mass, logs), where a product near the range of a double is moved into ``logs``."""
    product *= mass
    if product < 1e-200 or product > 1e200:
        return 1.0, logs + math.log(product)
    return product, logs


@kernel
def posteriors(emit, null, conditioning, emitted, fixed_p0, power, log_likelihood):
    """Replace potentials by posteriors, in place; shapes as in ``hmm.posteriors``.

    P(a_j = i) is proportional to e_j[i] ((1 - p0) / I)^power, and P(a_j = NULL) to null_j p0^power.
    """
    f4 = np.float32
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        if width == 0:
            log_likelihood[n] = 0.0
            token += emitted[n]
            continue
        p0 = null_probability(fixed_p0, width)
        share = f4(((1.0 - p0) / width) ** power)
        p0 = p0**power
        product = 1.0
        logs = 0.0
        for _ in range(emitted[n]):
            e = emit[cell : cell + width]
            cell += width
            total = f4(0.0)
            for i in range(width):
                total += e[i]
            unaligned = p0 * null[token]
            mass = share * total + unaligned
            factor = f4(share / mass)
            for i in range(width):
                e[i] *= factor
            null[token] = unaligned / mass
            token += 1
            product, logs = multiply_scaled(product, mass, logs)
        log_likelihood[n] = logs + math.log(product)


@kernel
def viterbi(emit, null, conditioning, emitted, fixed_p0, alignment):
    """Set alignment, int32, [J] for each pair, to the best conditioning position from 0, or to -1 for NULL.

    Ties go to NULL, then to the lowest position.
    """
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        p0 = null_probability(fixed_p0, width)
        share = (1.0 - p0) / max(width, 1)
        for _ in range(emitted[n]):
            e = emit[cell : cell + width]
            best = p0 * null[token]
            alignment[token] = -1
            for i in range(width):
                if share * e[i] > best:
                    best = share * e[i]
                    alignment[token] = i
            cell += width
            token += 1


@part
def _prefetch(o, occurrences, source_offsets, target, factors):
    """Prefetch the words and factors of an occurrence after occurrence ``o``."""
    coming, n, begin, end = prefetch_coming(o, occurrences.pair, source_offsets, target)
    prefetch_run(factors[0], begin, end)
    prefetch(factors[1], source_offsets[n] + occurrences.position[coming])


@kernel
def add_potentials(first, last, begins, ends, occurrences, source_offsets, target, rows, table, factors):
    """Add t(f_j | e_i) and t(e_i | f_j) of the source types first <= s < last to the factors.

    begins, ends: int64 [types + 1], the occurrences of each type to visit; table: float32 [pair_ids + 1, 2].
    """
    row = np.empty((rows.target_types, 2), np.float32)
    for s in range(first, last):
        if begins[s] == ends[s]:
            continue
        for k in range(rows.offsets[s], rows.offsets[s + 1]):
            t = np.uint32(rows.columns[k])
            row[t, 0] = table[k, 0]
            row[t, 1] = table[k, 1]
        for o in range(begins[s], ends[s]):
            _prefetch(o, occurrences, source_offsets, target, factors)
            n = occurrences.pair[o]
            words = target.tokens[target.offsets[n] : target.offsets[n + 1]]
            sums = factors[0][target.offsets[n] : target.offsets[n + 1]]
            reverse = np.float32(0.0)
            for j in range(len(words)):
                t = np.uint32(words[j])
                sums[j] += row[t, 0]
                reverse += row[t, 1]
            factors[1][source_offsets[n] + occurrences.position[o]] += reverse


@kernel
def add_shares(numbers, conditioning, shares, emitted_offsets, sums):
    """Add the sum over i of shares[e_i] to sums[j], for the pairs with these numbers, int64 [n].

    It equals ``add_potentials`` for a table whose rows are uniform; shares: float32 [types + 1], the
    probability of each entry of a row.
    """
    tokens, offsets = conditioning
    for n in numbers:
        total = np.float32(0.0)
        for k in range(offsets[n], offsets[n + 1]):
            total += shares[tokens[k]]
        for k in range(emitted_offsets[n], emitted_offsets[n + 1]):
            sums[k] += total


@kernel
def sums_to_factors(numbers, conditioning_offsets, emitted, null, fixed_p0, sums, counts, log_likelihood):
    """Replace sums, float32 [emitted tokens], by the factors m_j, for the pairs with these numbers.

    numbers: int64 [n]; null: float32 [types + 1], t(f | NULL). NULL posteriors are added to counts, int64
    fixed point [types + 1]; log_likelihood: float64 [n], set.
    """
    tokens, offsets = emitted
    for m in range(len(numbers)):
        n = numbers[m]
        width = conditioning_offsets[n + 1] - conditioning_offsets[n]
        p0 = null_probability(fixed_p0, width)
        share = (1.0 - p0) / width
        product = 1.0
        logs = 0.0
        for k in range(offsets[n], offsets[n + 1]):
            unaligned = p0 * null[tokens[k]]
            mass = share * sums[k] + unaligned
            sums[k] = share / mass
            counts[tokens[k]] += count_to_fixed(unaligned / mass)
            product, logs = multiply_scaled(product, mass, logs)
        log_likelihood[m] = logs + math.log(product)


@helper
def _rounded(product):
    """Return the fixed-point integer nearest to a float32 below 2**19."""
    return np.float64(np.float64(product) + _ROUNDER).view(np.int64) - _ROUNDER_BITS


@helper
def _add_row(first, last, columns, sums, alone, counts):
    """Add the sums of the word pairs first <= k < last to their counts, and reset these sums to 0.

    alone: False if other threads may be adding to the same counts.
    """
    for k in range(first, last):
        t = np.uint32(columns[k])
        if alone:
            counts[k, 0] += sums[t, 0]
            counts[k, 1] += sums[t, 1]
        elif sums[t, 0] > 0 or sums[t, 1] > 0:
            add_atomically(counts, k, 0, sums[t, 0])
            add_atomically(counts, k, 1, sums[t, 1])
        sums[t, 0] = 0
        sums[t, 1] = 0


@part
def _spread_row(s, rows, table, shares, row):
    """Set row[t] to both probabilities of source type s and each target type t that occurs with it."""
    for k in range(rows.offsets[s], rows.offsets[s + 1]):
        t = np.uint32(rows.columns[k])
        if len(table) > 0:
            row[t, 0] = table[k, 0]
            row[t, 1] = table[k, 1]
        else:
            row[t, 0] = shares[0][s]
            row[t, 1] = shares[1][t]


@part
def _count_row(begin, end, occurrences, source_offsets, target, row, factors, sums):
    """Add the posteriors of the occurrences begin <= o < end of a word to sums, int64 [types, 2]."""
    for o in range(begin, end):
        _prefetch(o, occurrences, source_offsets, target, factors)
        n = occurrences.pair[o]
        words = target.tokens[target.offsets[n] : target.offsets[n + 1]]
        forward = factors[0][target.offsets[n] : target.offsets[n + 1]]
        reverse = factors[1][source_offsets[n] + occurrences.position[o]]
        for j in range(len(words)):
            t = np.uint32(words[j])
            sums[t, 0] += _rounded(row[t, 0] * forward[j])
            sums[t, 1] += _rounded(row[t, 1] * reverse)


@kernel
def count_links(first, last, occurrences, source_offsets, target, rows, table, shares, factors, counts):
    """Add the posteriors of the occurrences first <= o < last to counts, int64 fixed point [pair_ids + 1, 2].

    table: float32 [pair_ids + 1, 2], or empty if its rows are uniform; then shares is a tuple of the
    probability of each entry of a row, float32 [source types + 1] and [target types + 1]. Other threads may
    count other occurrences of the same word at the same time.
    """
    row = np.empty((rows.target_types, 2), np.float32)
    sums = np.zeros((rows.target_types, 2), np.int64)
    starts = occurrences.starts
    s = count_below(starts, first + 1) - 1
    begin = first
    while begin < last:
        end = min(starts[s + 1], last)
        _spread_row(s, rows, table, shares, row)
        _count_row(begin, end, occurrences, source_offsets, target, row, factors, sums)
        alone = begin == starts[s] and end == starts[s + 1]
        _add_row(rows.offsets[s], rows.offsets[s + 1], rows.columns, sums, alone, counts)
        begin = end
        s += 1


@kernel
def learn_rows(
    first,
    last,
    occurrences,
    source_offsets,
    target,
    rows,
    table,
    shares,
    factors,
    added,
    floor,
    totals,
    learned,
):
    """Set the rows of the source types first <= s < last to new forward probabilities and reverse counts.

    Reverse counts are rounded to float32. ``divide_columns`` turns them into probabilities.

    table, shares: as in ``count_links``; added: a tuple of pair_ids, int64 [n], ascending, and of their
    pseudo-counts, int64 fixed point; floor: the least probability; totals: int64 [target types + 1], the
    exact sums of reverse counts, added to; learned: float32 [pair_ids + 1, 2], which may be ``table``.
    """
    row = np.empty((rows.target_types, 2), np.float32)
    sums = np.zeros((rows.target_types, 2), np.int64)
    starts = occurrences.starts
    pair_ids, amounts = added
    p = count_below(pair_ids, rows.offsets[first])
    for s in range(first, last):
        begin = rows.offsets[s]
        end = rows.offsets[s + 1]
        _spread_row(s, rows, table, shares, row)
        _count_row(starts[s], starts[s + 1], occurrences, source_offsets, target, row, factors, sums)
        while p < len(pair_ids) and pair_ids[p] < end:
            t = np.uint32(rows.columns[pair_ids[p]])
            sums[t, 0] += amounts[p]
            sums[t, 1] += amounts[p]
            p += 1
        total = np.uint64(0)  # the sign bit is a digit
        for k in range(begin, end):
            total += np.uint64(sums[np.uint32(rows.columns[k]), 0])
        share = 1.0 / np.float64(total) if total > 0 else 0.0
        for k in range(begin, end):
            t = np.uint32(rows.columns[k])
            learned[k, 0] = max(sums[t, 0] * share, floor)
            learned[k, 1] = np.float32(sums[t, 1])
            totals[t] += sums[t, 1]
            sums[t, 0] = 0
            sums[t, 1] = 0


@kernel
def divide_columns(first, last, row_offsets, columns, shares, floor, table):
    """Turn the reverse counts of ``learn_rows`` into probabilities, for the source types first <= s < last.

    shares: float64 [target types + 1], the inverse of each total, or 0 for no count.
    """
    for k in range(row_offsets[first], row_offsets[last]):
        table[k, 1] = max(table[k, 1] * shares[np.uint32(columns[k])], floor)
