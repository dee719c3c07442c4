"""Posteriors and best alignment of IBM Model 2, with diagonal buckets or Brown's full table.

Both are one zero-order kernel: each emitted word chooses its position with prior weights w_j[i], then
P(a_j = i) is proportional to w_j[i] e_j[i]. What differs is where a row of weights comes from.
"""

import math

import numpy as np

from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed_point import count_to_fixed, jump_to_fixed
from aligner.kernels.policy import helper, kernel
from aligner.kernels.scaled_product import multiply_scaled


@helper
def centre(j, width, height):
    """round(j I / J) for j = 1..J, halves up: the diagonal's position for emitted word j (0 .. I)."""
    return (2 * j * width + height) // (2 * height)


@helper
def _bucket_row(weights, origin, width, jumps, z, move):
    """weights[i] = (1 - p0) c(i - origin) / Z, positions i counted from 1; outer buckets share their mass."""
    factor = move / z[min(origin, 6), min(width - origin, 5)]
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
def _raise(weights, power):
    """Each weight to a power, in place; a general one costs more than all the rest of inference."""
    if power == 2.0:
        for i in range(len(weights)):
            weights[i] *= weights[i]
    elif power != 1.0:
        for i in range(len(weights)):
            weights[i] = weights[i] ** power


@helper
def _zero_order(e, unaligned, weights):
    """Normalise one row in place; return the row's total mass."""
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
def _widest(conditioning):
    """The longest conditioning sentence, at least 1."""
    widest = 1
    for n in range(len(conditioning)):
        widest = max(widest, conditioning[n])
    return widest


@kernel
def posteriors(emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, statistics):
    """Replace potentials by posteriors, in place, with diagonal buckets; shapes as in ``hmm.posteriors``.

    jumps: float64 [11]; statistics: int64 [11 + 42], in the unit of jumps.
    """
    z = normalisers(jumps)
    weights = np.empty(_widest(conditioning), np.float32)
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
        move = 1.0 - p0
        p0 = p0**power
        product = 1.0
        logs = 0.0
        sums[:] = 0.0
        for j in range(height):
            origin = centre(j + 1, width, height)
            row = weights[:width]
            _bucket_row(row, origin, width, jumps, z, move)
            _raise(row, power)
            e = emit[cell : cell + width]
            unaligned = p0 * null[token]
            mass = _zero_order(e, unaligned, row)
            null[token] = unaligned / mass
            product, logs = multiply_scaled(product, mass, logs)
            low = max(origin - 5, 0)
            high = min(origin + 4, width)
            used = 0.0
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
            statistics[11 + 6 * min(origin, 6) + min(width - origin, 5)] += jump_to_fixed(used)
            cell += width
            token += 1
        for bucket in range(11):
            statistics[bucket] += jump_to_fixed(sums[bucket])
        log_likelihood[n] = logs + math.log(product)


@kernel
def posteriors_full(
    emit, null, conditioning, emitted, table, where, fixed_p0, power, log_likelihood, statistics
):
    """The same with Brown's full table p(i | j, I, J).

    table: float32, flat, rows [J, I] per (I, J); where: int64 [pairs], start of the pair's (I, J) in the
    table, or -1 where that shape is unknown: then the weights are uniform. statistics: int64, shaped like
    table.
    """
    uniform = np.empty(_widest(conditioning), np.float32)
    weights = np.empty(_widest(conditioning), np.float32)
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
        move = 1.0 - p0
        p0 = p0**power
        product = 1.0
        logs = 0.0
        uniform[:width] = 1.0 / width
        for j in range(height):
            start = where[n] + j * width
            row = table[start : start + width] if where[n] >= 0 else uniform[:width]
            for i in range(width):
                weights[i] = np.float32(move * row[i])
            _raise(weights[:width], power)
            e = emit[cell : cell + width]
            unaligned = p0 * null[token]
            mass = _zero_order(e, unaligned, weights[:width])
            null[token] = unaligned / mass
            product, logs = multiply_scaled(product, mass, logs)
            if where[n] >= 0:
                counts = statistics[start : start + width]
                for i in range(width):
                    counts[i] += count_to_fixed(e[i])
            cell += width
            token += 1
        log_likelihood[n] = logs + math.log(product)


@helper
def _best(e, weights, unaligned):
    """The best position from 0, or -1 for NULL; ties go to NULL, then to the lowest position."""
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
    """Set alignment (int32, [J] per pair) to the best conditioning position from 0, or -1 for NULL."""
    z = normalisers(jumps)
    weights = np.empty(_widest(conditioning), np.float32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        p0 = null_probability(fixed_p0, width)
        for j in range(emitted[n]):
            _bucket_row(weights[:width], centre(j + 1, width, emitted[n]), width, jumps, z, 1.0 - p0)
            alignment[token] = _best(emit[cell : cell + width], weights[:width], p0 * null[token])
            cell += width
            token += 1


@kernel
def viterbi_full(emit, null, conditioning, emitted, table, where, fixed_p0, alignment):
    """The same with Brown's full table."""
    weights = np.empty(_widest(conditioning), np.float32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        p0 = null_probability(fixed_p0, width)
        for j in range(emitted[n]):
            row = weights[:width]
            if where[n] >= 0:
                start = where[n] + j * width
                for i in range(width):
                    row[i] = np.float32((1.0 - p0) * table[start + i])
            else:
                row[:] = (1.0 - p0) / max(width, 1)
            alignment[token] = _best(emit[cell : cell + width], row, p0 * null[token])
            cell += width
            token += 1
