"""Model 1's expected counts, collected word by word rather than sentence by sentence.

A posterior of Model 1 is a lexical probability times a factor of the emitted word's occurrence, j:

    P(a_j = i) = t(f_j | e_i) m_j,    m_j = d / (d sum_i t(f_j | e_i) + p0 t(f_j | NULL)),    d = (1 - p0) / I

So the factors are found in one pass over the text, and posteriors added to counts in another: no cell is
stored, no slot looked up. Both passes go through the source types one after the other, and each through all
its occurrences, while its row of the lexicon is in the cache.

Of a type's occurrences (``Occurrences``), pair and position: int32 [tokens], are those from begins[s] to
before ends[s], int64 [types + 1].
"""

import math

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.distortion import null_probability
from aligner.kernels.fixed import to_fixed
from aligner.kernels.pairs import fetch, fetch_coming
from aligner.kernels.simd import add_products, add_shared, prefetch


@inlined
def _fetch(o, pair, position, source_offsets, target, target_offsets, forward, reverse):
    """Start fetching what a later occurrence than this needs."""
    coming, n, begin, end = fetch_coming(o, pair, source_offsets, target, target_offsets)
    fetch(forward, begin, end)
    prefetch(reverse, source_offsets[n] + position[coming])


@kernel
def add_potentials(
    first,
    last,
    begins,
    ends,
    pair,
    position,
    source_offsets,
    target,
    target_offsets,
    row_offsets,
    columns,
    target_types,
    table,
    forward,
    reverse,
):
    """Add t(f_j | e_i) to forward[j] and t(e_i | f_j) to reverse[i], of the source types first <= s < last.

    forward: float32 [target tokens]; reverse: float32 [source tokens]; table: float32 [slots + 1, 2].
    """
    row = np.empty((target_types, 2), np.float32)
    for s in range(first, last):
        if begins[s] == ends[s]:
            continue
        for k in range(row_offsets[s], row_offsets[s + 1]):
            row[columns[k], 0] = table[k, 0]
            row[columns[k], 1] = table[k, 1]
        for o in range(begins[s], ends[s]):
            _fetch(o, pair, position, source_offsets, target, target_offsets, forward, reverse)
            n = pair[o]
            words = target[target_offsets[n] : target_offsets[n + 1]]
            sums = forward[target_offsets[n] : target_offsets[n + 1]]
            back = np.float32(0.0)
            for j in range(len(words)):
                sums[j] += row[words[j], 0]
                back += row[words[j], 1]
            reverse[source_offsets[n] + position[o]] += back


@kernel
def add_shares(first, last, conditioning, offsets, shares, emitted_offsets, sums):
    """Add the sum over i of shares[e_i], float32 [types + 1], to sums[j], of the pairs first <= n < last.

    What ``add_potentials`` adds of a table whose rows are uniform.
    """
    for n in range(first, last):
        total = np.float32(0.0)
        for k in range(offsets[n], offsets[n + 1]):
            total += shares[conditioning[k]]
        for k in range(emitted_offsets[n], emitted_offsets[n + 1]):
            sums[k] += total


@kernel
def to_factors(first, last, offsets, emitted_offsets, emitted, null, fixed_p0, sums, counts, log_likelihood):
    """Replace sums, float32 [emitted tokens], by the factors m_j, of the pairs first <= n < last.

    null: float32 [types + 1], t(f | NULL). Adds the NULL posteriors to counts, int64 fixed point
    [types + 1]; sets log_likelihood, float64 [last - first].
    """
    for n in range(first, last):
        width = offsets[n + 1] - offsets[n]
        p0 = null_probability(fixed_p0, width)
        share = (1.0 - p0) / width
        product = 1.0
        total = 0.0
        for k in range(emitted_offsets[n], emitted_offsets[n + 1]):
            unaligned = p0 * null[emitted[k]]
            mass = share * sums[k] + unaligned
            sums[k] = share / mass
            counts[emitted[k]] += to_fixed(unaligned / mass)
            product *= mass
            if product < 1e-200 or product > 1e200:
                total += math.log(product)
                product = 1.0
        log_likelihood[n - first] = total + math.log(product)


@inlined
def _add_row(first, last, columns, sums, alone, counts):
    """Add what the word pairs of some slots have in sums to their counts; sums of nothing remain.

    alone: whether nobody else may be adding to the same counts.
    """
    for k in range(first, last):
        t = columns[k]
        if alone:
            counts[k, 0] += sums[t, 0]
            counts[k, 1] += sums[t, 1]
        elif sums[t, 0] > 0 or sums[t, 1] > 0:
            add_shared(counts, k, 0, sums[t, 0])
            add_shared(counts, k, 1, sums[t, 1])
        sums[t, 0] = 0
        sums[t, 1] = 0


@kernel
def count_links(
    first,
    last,
    starts,
    pair,
    position,
    source_offsets,
    target,
    target_offsets,
    row_offsets,
    columns,
    target_types,
    table,
    source_shares,
    target_shares,
    forward,
    reverse,
    counts,
):
    """Add posteriors to counts, int64 fixed point [slots + 1, 2], of source words' places, first <= o < last.

    starts: int64 [types + 2], each type's first place. table: as in ``add_potentials``; or empty, if its rows
    are uniform, which shares are of. forward: float32 [target tokens], the factors of t(f | e); reverse:
    float32 [source tokens], those of t(e | f). Others may have some of a word's places at the same time.
    """
    row = np.empty((target_types, 2), np.float32)
    sums = np.zeros((target_types, 2), np.int64)
    s = np.searchsorted(starts, first, side="right") - 1
    begin = first
    while begin < last:
        end = min(starts[s + 1], last)
        for k in range(row_offsets[s], row_offsets[s + 1]):
            t = columns[k]
            if len(table) > 0:
                row[t, 0] = table[k, 0]
                row[t, 1] = table[k, 1]
            else:
                row[t, 0] = source_shares[s]
                row[t, 1] = target_shares[t]
        for o in range(begin, end):
            _fetch(o, pair, position, source_offsets, target, target_offsets, forward, reverse)
            n = pair[o]
            words = target[target_offsets[n] : target_offsets[n + 1]]
            there = forward[target_offsets[n] : target_offsets[n + 1]]
            back = reverse[source_offsets[n] + position[o]]
            for j in range(len(words)):
                add_products(sums, np.int64(words[j]), row, there[j], back)
        alone = begin == starts[s] and end == starts[s + 1]
        _add_row(row_offsets[s], row_offsets[s + 1], columns, sums, alone, counts)
        begin = end
        s += 1
