"""Model 1's expected counts, collected word by word rather than sentence by sentence.

A posterior of Model 1 is a lexical probability times a factor of the emitted word's occurrence, j:

    P(a_j = i) = t(f_j | e_i) m_j,    m_j = d / (d sum_i t(f_j | e_i) + p0 t(f_j | NULL)),    d = (1 - p0) / I

So the factors are found in one pass over the text, and posteriors added to counts in another: no cell is
stored, no slot looked up. Both passes go through the source types one after the other, and each through all
its occurrences, while its row of the lexicon is in the cache.

factors: those of t(f | e), float32 [target tokens], and those of t(e | f), float32 [source tokens].
"""

import math

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.distortion import null_probability
from aligner.kernels.fixed import to_fixed
from aligner.kernels.logs import times
from aligner.kernels.pairs import fetch, fetch_coming
from aligner.kernels.simd import add_products, add_shared, prefetch


@inlined
def _fetch(o, places, source_offsets, target, factors):
    """Start fetching what a later occurrence than this needs."""
    coming, n, begin, end = fetch_coming(o, places.pair, source_offsets, target)
    fetch(factors[0], begin, end)
    prefetch(factors[1], source_offsets[n] + places.position[coming])


@kernel
def add_potentials(first, last, begins, ends, places, source_offsets, target, rows, table, factors):
    """Add t(f_j | e_i) and t(e_i | f_j) to what is to be factors of f_j and e_i, of some pairs.

    Those of the source types first <= s < last; begins, ends: int64 [types + 1], which of their places are in
    these pairs. table: float32 [slots + 1, 2].
    """
    row = np.empty((rows.target_types, 2), np.float32)
    for s in range(first, last):
        if begins[s] == ends[s]:
            continue
        for k in range(rows.offsets[s], rows.offsets[s + 1]):
            row[rows.columns[k], 0] = table[k, 0]
            row[rows.columns[k], 1] = table[k, 1]
        for o in range(begins[s], ends[s]):
            _fetch(o, places, source_offsets, target, factors)
            n = places.pair[o]
            words = target.tokens[target.offsets[n] : target.offsets[n + 1]]
            sums = factors[0][target.offsets[n] : target.offsets[n + 1]]
            back = np.float32(0.0)
            for j in range(len(words)):
                sums[j] += row[words[j], 0]
                back += row[words[j], 1]
            factors[1][source_offsets[n] + places.position[o]] += back


@kernel
def add_shares(first, last, conditioning, shares, emitted_offsets, sums):
    """Add the sum over i of shares[e_i], float32 [types + 1], to sums[j], of the pairs first <= n < last.

    What ``add_potentials`` adds of a table whose rows are uniform.
    """
    tokens, offsets = conditioning
    for n in range(first, last):
        total = np.float32(0.0)
        for k in range(offsets[n], offsets[n + 1]):
            total += shares[tokens[k]]
        for k in range(emitted_offsets[n], emitted_offsets[n + 1]):
            sums[k] += total


@kernel
def to_factors(first, last, conditioning_offsets, emitted, null, fixed_p0, sums, counts, log_likelihood):
    """Replace sums, float32 [emitted tokens], by the factors m_j, of the pairs first <= n < last.

    null: float32 [types + 1], t(f | NULL). Adds the NULL posteriors to counts, int64 fixed point
    [types + 1]; sets log_likelihood, float64 [last - first].
    """
    tokens, offsets = emitted
    for n in range(first, last):
        width = conditioning_offsets[n + 1] - conditioning_offsets[n]
        p0 = null_probability(fixed_p0, width)
        share = (1.0 - p0) / width
        product = 1.0
        logs = 0.0
        for k in range(offsets[n], offsets[n + 1]):
            unaligned = p0 * null[tokens[k]]
            mass = share * sums[k] + unaligned
            sums[k] = share / mass
            counts[tokens[k]] += to_fixed(unaligned / mass)
            product, logs = times(product, mass, logs)
        log_likelihood[n - first] = logs + math.log(product)


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
def count_links(first, last, places, source_offsets, target, rows, table, shares, factors, counts):
    """Add posteriors to counts, int64 fixed point [slots + 1, 2], of source words' places, first <= o < last.

    table: float32 [slots + 1, 2]; or empty, if its rows are uniform, and shares are what each has, float32
    [source types + 1] and [target types + 1]. Others may have some of a word's places at the same time.
    """
    row = np.empty((rows.target_types, 2), np.float32)
    sums = np.zeros((rows.target_types, 2), np.int64)
    starts = places.starts
    s = np.searchsorted(starts, first, side="right") - 1
    begin = first
    while begin < last:
        end = min(starts[s + 1], last)
        for k in range(rows.offsets[s], rows.offsets[s + 1]):
            t = rows.columns[k]
            if len(table) > 0:
                row[t, 0] = table[k, 0]
                row[t, 1] = table[k, 1]
            else:
                row[t, 0] = shares[0][s]
                row[t, 1] = shares[1][t]
        for o in range(begin, end):
            _fetch(o, places, source_offsets, target, factors)
            n = places.pair[o]
            words = target.tokens[target.offsets[n] : target.offsets[n + 1]]
            there = factors[0][target.offsets[n] : target.offsets[n + 1]]
            back = factors[1][source_offsets[n] + places.position[o]]
            for j in range(len(words)):
                add_products(sums, np.int64(words[j]), row, there[j], back)
        alone = begin == starts[s] and end == starts[s + 1]
        _add_row(rows.offsets[s], rows.offsets[s + 1], rows.columns, sums, alone, counts)
        begin = end
        s += 1
