"""Posteriors and best alignment of IBM Model 2, with diagonal buckets or Brown's full table.

Each emitted word chooses its position independently, with prior weights w_j[i]: P(a_j = i) is proportional to
w_j[i] e_j[i]. The weights are computed from the buckets, or read from the table.

Slow twin, by enumeration: ``model2`` and ``model2_table`` of ``tests.naive.directional``.
"""

import math

import numpy as np

from aligner.kernels.constants import LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.counts import count_to_fixed, jump_to_fixed
from aligner.kernels.distortion import null_probability, set_normalisers, use_index
from aligner.kernels.ibm1 import multiply_scaled
from aligner.kernels.policy import helper, kernel


@helper
def centre(j, width, height):
    """Return round(j I / J), halves up, for j = 1..J: the diagonal's position for emitted word j, 0..I."""
    return (2 * j * width + height) // (2 * height)


@helper
def _set_bucket_weights(weights, origin, width, jumps, z, linked):
    """Set the weights of one emitted word: (1 - p0) c(i - origin) / Z, for positions i counted from 1.

    The positions in an outer bucket share its mass. weights: float32 [I]; jumps: float64 [11], c; z: the
    ``set_normalisers``; linked: 1 - p0.
    """
    factor = linked / z[min(origin, 6), min(width - origin, 5)]
    low = max(origin - 5, 0)
    high = min(origin + 4, width)
    if low > 0:
        share = np.float32(jumps[0] * factor / low)
        for i in range(low):
            weights[i] = share
    for i in range(low, high):
        weights[i] = np.float32(jumps[i + 1 - origin + 5] * factor)
    if high < width:
        share = np.float32(jumps[10] * factor / (width - high))
        for i in range(high, width):
            weights[i] = share


@helper
def _raise_to_power(weights, power):
    """Raise each weight to a power, in place."""
    # A general power costs more than the rest of inference.
    if power == 2.0:
        for i in range(len(weights)):
            weights[i] *= weights[i]
    elif power != 1.0:
        for i in range(len(weights)):
            weights[i] = weights[i] ** power


@helper
def _normalise_row(e, unaligned, weights):
    """Replace one emitted word's potentials, float32 [I], by posteriors; return the word's total mass.

    unaligned: the mass of NULL.
    """
    total = np.float32(0.0)
    for i in range(len(e)):
        e[i] *= weights[i]
        total += e[i]
    mass = total + unaligned
    factor = np.float32(1.0 / mass)
    for i in range(len(e)):
        e[i] *= factor
    return mass


@helper
def _longest(conditioning):
    """Return the length of the longest conditioning sentence, at least 1."""
    longest = 1
    for n in range(len(conditioning)):
        longest = max(longest, conditioning[n])
    return longest


@kernel
def posteriors(emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, counts):
    """Replace potentials by posteriors, in place, with diagonal buckets; shapes as in ``hmm.posteriors``.

    jumps: float64 [11]; counts: int64 [11 + 42], added to: expected jumps by bucket, then expected uses of
    each normaliser, in the unit of jumps.
    """
    z = np.empty((LEFT_REACHES, RIGHT_REACHES))
    set_normalisers(jumps, z)
    weights = np.empty(_longest(conditioning), np.float32)
    sums = np.empty(11)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0:
            log_likelihood[n] = 0.0
            token += height
            continue
        p0 = null_probability(fixed_p0, width)
        linked = 1.0 - p0
        p0 = p0**power
        product = 1.0
        logs = 0.0
        sums[:] = 0.0
        for j in range(height):
            origin = centre(j + 1, width, height)
            row = weights[:width]
            _set_bucket_weights(row, origin, width, jumps, z, linked)
            _raise_to_power(row, power)
            e = emit[cell : cell + width]
            unaligned = p0 * null[token]
            mass = _normalise_row(e, unaligned, row)
            null[token] = unaligned / mass
            product, logs = multiply_scaled(product, mass, logs)
            low = max(origin - 5, 0)
            high = min(origin + 4, width)
            used = np.float64(0.0)
            outer = np.float32(0.0)
            for i in range(low):
                outer += e[i]
            sums[0] += outer
            used += outer
            for i in range(low, high):
                sums[i + 6 - origin] += e[i]
                used += e[i]
            outer = np.float32(0.0)
            for i in range(high, width):
                outer += e[i]
            sums[10] += outer
            used += outer
            counts[use_index(origin, width)] += jump_to_fixed(used)
            cell += width
            token += 1
        for bucket in range(11):
            counts[bucket] += jump_to_fixed(sums[bucket])
        log_likelihood[n] = logs + math.log(product)


@kernel
def posteriors_full(
    emit, null, conditioning, emitted, table, starts, fixed_p0, power, log_likelihood, counts
):
    """Replace potentials by posteriors, in place, with Brown's full table p(i | j, I, J).

    table: float32, flat, [J, I] for each shape (I, J); starts: int64 [pairs], the start of the pair's shape
    in the table, or -1 if the table lacks it, and then the weights are uniform. counts: int64 fixed point,
    shaped like the table, added to.
    """
    uniform = np.empty(_longest(conditioning), np.float32)
    weights = np.empty(_longest(conditioning), np.float32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0:
            log_likelihood[n] = 0.0
            token += height
            continue
        p0 = null_probability(fixed_p0, width)
        linked = 1.0 - p0
        p0 = p0**power
        product = 1.0
        logs = 0.0
        uniform[:width] = 1.0 / width
        for j in range(height):
            start = starts[n] + j * width
            row = table[start : start + width] if starts[n] >= 0 else uniform[:width]
            for i in range(width):
                weights[i] = np.float32(linked * row[i])
            _raise_to_power(weights[:width], power)
            e = emit[cell : cell + width]
            unaligned = p0 * null[token]
            mass = _normalise_row(e, unaligned, weights[:width])
            null[token] = unaligned / mass
            product, logs = multiply_scaled(product, mass, logs)
            if starts[n] >= 0:
                row_counts = counts[start : start + width]
                for i in range(width):
                    row_counts[i] += count_to_fixed(e[i])
            cell += width
            token += 1
        log_likelihood[n] = logs + math.log(product)


@helper
def _best_position(e, weights, unaligned):
    """Return the best position from 0, or -1 for NULL; ties go to NULL, then to the lowest position."""
    best = unaligned
    position = -1
    for i in range(len(e)):
        value = weights[i] * e[i]
        if value > best:
            best = value
            position = i
    return position


@kernel
def viterbi(emit, null, conditioning, emitted, jumps, fixed_p0, alignment):
    """Set alignment, int32, [J] for each pair, to the best position from 0, or to -1 for NULL."""
    z = np.empty((LEFT_REACHES, RIGHT_REACHES))
    set_normalisers(jumps, z)
    weights = np.empty(_longest(conditioning), np.float32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0:
            alignment[token : token + height] = -1
            token += height
            continue
        p0 = null_probability(fixed_p0, width)
        for j in range(height):
            _set_bucket_weights(weights[:width], centre(j + 1, width, height), width, jumps, z, 1.0 - p0)
            alignment[token] = _best_position(emit[cell : cell + width], weights[:width], p0 * null[token])
            cell += width
            token += 1


@kernel
def viterbi_full(emit, null, conditioning, emitted, table, starts, fixed_p0, alignment):
    """Set alignment as ``viterbi`` does, with Brown's full table (see ``posteriors_full``)."""
    weights = np.empty(_longest(conditioning), np.float32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        p0 = null_probability(fixed_p0, width)
        for j in range(emitted[n]):
            row = weights[:width]
            if starts[n] >= 0:
                start = starts[n] + j * width
                for i in range(width):
                    row[i] = np.float32((1.0 - p0) * table[start + i])
            else:
                row[:] = (1.0 - p0) / max(width, 1)
            alignment[token] = _best_position(emit[cell : cell + width], row, p0 * null[token])
            cell += width
            token += 1
