"""Posteriors and expected jumps of the HMM alignment model for a block, several sentence pairs side by side.

A recursion along a sentence does not vectorise. The recursions of several sentence pairs do, one in each
vector lane (see ``intrinsics``).
"""

import math

import numpy as np

from aligner.kernels.constants import BUCKETS, GENERAL_SETS
from aligner.kernels.counts import jump_to_fixed
from aligner.kernels.distortion import null_probability, set_of, use_index
from aligner.kernels.hmm.group import (
    CELL,
    COUNT,
    FACTOR,
    FACTORS,
    HEIGHT,
    MARGIN,
    PAIR_FIELDS,
    SIZE,
    START,
    TOKEN,
    WIDTH,
    WORD,
    fill_factors,
    fill_jumps,
    new_group,
    pad,
    set_factors,
    set_runs,
    set_weights,
    shares_of_targets,
    to_power,
)
from aligner.kernels.hmm.recursions import backward, forward
from aligner.kernels.intrinsics import LANES, deinterleave, interleave, vector, width_of
from aligner.kernels.policy import helper, kernel, part


@helper
def _sum_lanes(values, first, lanes):
    """Return the sum of values[first : first + lanes] in fixed point."""
    total = 0
    for k in range(first, first + lanes):
        total += jump_to_fixed(values[k])
    return total


@helper
def _count_at(i, width, chosen, entered, left, ended, counts):
    """Add one position's expected first links, jumps away and last links, in fixed point, to the counts.

    i: the position from 0; width: the length of the sentence, I; chosen: the set of the jumps away.
    """
    whole = use_index(0, width)
    counts[0, 5 + min(i + 1, 5)] += entered
    counts[0, whole] += entered
    counts[chosen, use_index(i + 1, width)] += left
    counts[2, 5 + min(width - i, 5)] += ended
    counts[2, whole] += ended


@part
def count_shared_jumps(like, widths, memory, at, counts):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point counts.

    widths: int64, I of the pairs of the group.
    """
    lanes = width_of(like)
    for bucket in range(BUCKETS):
        counts[1, bucket] += _sum_lanes(memory, at.inside + bucket * lanes, lanes)
    # Positions that fall into the same buckets in all lanes are counted together. Empty lanes hold 0.
    narrowest, widest = widths.min(), widths.max()
    common = narrowest if narrowest == widest else narrowest - 5
    for i in range(widest):
        together = lanes if i < common else 1
        for lane in range(1 if i < common else len(widths)):
            if i < widths[lane]:
                k = i * lanes + lane
                entered = _sum_lanes(memory, at.entered + k, together)
                left = _sum_lanes(memory, at.left + k, together)
                ended = _sum_lanes(memory, at.ended + k, together)
                _count_at(i, widths[lane], 1, entered, left, ended, counts)


@part
def count_jumps_of_words(like, pairs, width, words, memory, at, counts):
    """Add every lane's expected jumps and uses of normalisers to the counts of its words' own sets.

    width: the largest I of the group; words: int32, the conditioning words of all pairs of the block. The
    group's cells are overwritten.
    """
    lanes = width_of(like)
    # The jumps from one position, by lane and bucket. Room for whole vectors spares masks.
    room = -(-BUCKETS // LANES) * LANES
    rows = at.links
    for lane in range(lanes):
        pairs[START, lane] = rows + lane * room
        pairs[COUNT, lane] = room
    for i in range(width):
        inside = at.inside + (i + MARGIN) * BUCKETS * lanes
        deinterleave(like, memory, inside, memory, pairs[START], pairs[COUNT], room)
        for lane in range(lanes):
            if i < pairs[WIDTH, lane]:
                chosen = set_of(words[pairs[WORD, lane] + i], len(counts))
                for bucket in range(BUCKETS):
                    counts[chosen, bucket] += jump_to_fixed(memory[rows + lane * room + bucket])
                k = i * lanes + lane
                entered = jump_to_fixed(memory[at.entered + k])
                left = jump_to_fixed(memory[at.left + k])
                ended = jump_to_fixed(memory[at.ended + k])
                _count_at(i, pairs[WIDTH, lane], chosen, entered, left, ended, counts)


@part
def _factors_by_length(members, conditioning, sets, fixed_p0, power):
    """Return the factors that depend on I only, for every I of the members.

    Returns two arrays. The first, float32, holds for each I its ``FACTORS`` [5, I], then p0 raised to the
    power, which is the factor of an emitted word without a link, then the factor of a sentence without links.
    The second, int64 [longest + 1], holds where the factors of each I begin, or -1.
    """
    longest = 0
    for n in members:
        longest = max(longest, np.int64(conditioning[n]))
    starts = np.empty(longest + 1, np.int64)
    for length in range(longest + 1):
        starts[length] = -1
    size = 0
    for n in members:
        length = np.int64(conditioning[n])
        if starts[length] < 0:
            starts[length] = size
            size += FACTORS * length + 2
    factors = np.empty(size, np.float32)
    for length in range(longest + 1):
        start = starts[length]
        if start >= 0:
            p0 = null_probability(fixed_p0, length)
            fill_factors(factors, start, length, length, sets, p0, power)
            factors[start + FACTORS * length] = p0**power
            factors[start + FACTORS * length + 1] = (1.0 / length) ** power
    return factors, starts


@helper
def _log_sums(like, numbers, height, memory, at, log_likelihood):
    """Set the log of the sum over all alignments of each pair of a group, whose ``numbers`` are int64."""
    lanes = width_of(like)
    for lane in range(len(numbers)):
        product = np.float64(memory[at.ending + lane])
        log = 0.0
        for j in range(height):
            product *= memory[at.mass + j * lanes + lane]
            if not 1e-200 < product < 1e200:
                log += math.log(product)
                product = 1.0
        log_likelihood[numbers[lane]] = log + math.log(product)


@helper
def _offsets(conditioning, emitted):
    """Return the first cell, emitted token and conditioning token of each pair, int64 [pairs, 3]."""
    firsts = np.empty((len(emitted), 3), np.int64)
    cell = 0
    token = 0
    word = 0
    for n in range(len(emitted)):
        firsts[n, 0] = cell
        firsts[n, 1] = token
        firsts[n, 2] = word
        cell += np.int64(conditioning[n]) * emitted[n]
        token += emitted[n]
        word += conditioning[n]
    return firsts


@helper
def _largest_sizes(members, conditioning, emitted, lanes):
    """Return the largest I, the largest J and the largest number of cells of any group, at least 1 each."""
    widest = 1
    tallest = 1
    largest = 1
    width = 0
    height = 0
    for k in range(len(members)):
        if k % lanes == 0:
            width = 0
            height = 0
        width = max(width, np.int64(conditioning[members[k]]))
        height = max(height, np.int64(emitted[members[k]]))
        widest = max(widest, width)
        tallest = max(tallest, height)
        largest = max(largest, width * height)
    return widest, tallest, largest


@helper
def _set_pairs(numbers, conditioning, emitted, firsts, starts, pairs):
    """Set the table of a group's pairs; lanes without a pair are empty.

    numbers: int64, the group's pairs; firsts: the result of ``_offsets``; starts: where the factors of each I
    begin.
    """
    for row in range(len(pairs)):
        for lane in range(len(numbers), pairs.shape[1]):
            pairs[row, lane] = 0
    for lane in range(len(numbers)):
        n = numbers[lane]
        pairs[WIDTH, lane] = conditioning[n]
        pairs[HEIGHT, lane] = emitted[n]
        pairs[SIZE, lane] = conditioning[n] * emitted[n]
        pairs[CELL, lane] = firsts[n, 0]
        pairs[TOKEN, lane] = firsts[n, 1]
        pairs[WORD, lane] = firsts[n, 2]
        pairs[FACTOR, lane] = starts[conditioning[n]]


@helper
def _set_skip(like, null, factors, pairs, height, memory, at):
    """Set ``skip``, ``live`` and ``empty`` of a group; factors: see ``_factors_by_length``."""
    lanes = width_of(like)
    interleave(like, null, pairs[TOKEN], pairs[HEIGHT], height, memory, at.skip)
    for lane in range(lanes):
        width = pairs[WIDTH, lane]
        k = pairs[FACTOR, lane] + FACTORS * width
        weight = factors[k] if width > 0 else np.float32(0.0)
        memory[at.empty + lane] = factors[k + 1] if width > 0 else np.float32(1.0)
        for j in range(height):
            k = j * lanes + lane
            live = j < pairs[HEIGHT, lane]
            memory[at.live + k] = 1.0 if live else 0.0
            memory[at.skip + k] = weight * memory[at.skip + k] if live else np.float32(1.0)


@part
def _enter(like, pairs, width, height, emit, null, factors, memory, at):
    """Move a group's potentials and factors to lanes; see ``_factors_by_length`` for the factors.

    width, height: the largest I and J of the group. Cells beyond a pair's own become 0.
    """
    lanes = width_of(like)
    set_factors(like, factors, pairs, width, memory, at)
    _set_skip(like, null, factors, pairs, height, memory, at)
    single = pairs[WIDTH].min() == width  # then the cells of each pair are a single run
    length = width * height if single else width
    for j in range(1 if single else height):
        set_runs(pairs, single, j)
        links = at.links + j * width * lanes
        interleave(like, emit, pairs[START], pairs[COUNT], length, memory, links)
    pad(like, width, memory, at)


@part
def _set_jumps_of_words(like, pairs, width, words, sets, shares, fixed_p0, power, memory, at):
    """Set the weights and the factors of jumps from each position by its word; shares: by ``power``."""
    lanes = width_of(like)
    set_weights(like, pairs, width, words, sets.weights, memory, at)
    for lane in range(lanes):
        own = words[pairs[WORD, lane] : pairs[WORD, lane] + pairs[WIDTH, lane]]
        linked = to_power(1.0 - null_probability(fixed_p0, len(own)), power)
        fill_jumps(lanes, lane, own, sets.scales, shares, linked, memory, at)


@part
def _leave(like, numbers, pairs, width, height, emit, null, log_likelihood, memory, at):
    """Move a group's posteriors to the block, and set the log-likelihood of its pairs."""
    lanes = width_of(like)
    single = pairs[WIDTH].min() == width  # then the cells of each pair are a single run
    length = width * height if single else width
    for j in range(1 if single else height):
        set_runs(pairs, single, j)
        deinterleave(like, memory, at.links + j * width * lanes, emit, pairs[START], pairs[COUNT], length)
    deinterleave(like, memory, at.unaligned, null, pairs[TOKEN], pairs[HEIGHT], height)
    _log_sums(like, numbers, height, memory, at, log_likelihood)


@kernel
def posteriors(
    like, members, emit, null, conditioning, emitted, words, sets, fixed_p0, power, log_likelihood, counts
):
    """Replace the members' potentials by posteriors, in place, and add their expected jumps to the counts.

    like: ``SIDE_BY_SIDE``, or ``ALONE`` for pairs larger than ``LARGE_PAIR``. members: int64, the numbers of
    the pairs to infer, none of them empty. Pairs side by side should have similar sizes. emit: float32,
    [J, I] for each pair of the block, t(emitted_j | conditioning_i), replaced by P(a_j = i). null: float32,
    [J] for each pair, t(emitted_j | NULL), replaced by P(a_j = NULL). conditioning, emitted: int32 [pairs], I
    and J. words: int32, [I] for each pair, the conditioning words. sets: ``JumpSets`` (see
    ``distortion.set_of``). fixed_p0: see ``null_probability``. power: exponent of the distortion factors, p0
    included. log_likelihood: float64 [pairs], set to the log of the sum over all alignments. counts: int64
    [sets, 11 + 42], in the unit of jumps (see ``kernels.counts``): expected jumps by bucket, then expected
    uses of each normaliser by reach (7 x 6). Nothing is counted if it is empty.
    """
    like = vector(like)
    lanes = width_of(like)
    widest, tallest, largest = _largest_sizes(members, conditioning, emitted, lanes)
    firsts = _offsets(conditioning, emitted)
    counted = len(counts) > 0
    by_word = len(sets.jumps) > GENERAL_SETS
    stride = BUCKETS * lanes if by_word else 0
    # ``interleave`` writes a multiple of LANES elements, beyond the end of the longest run.
    weights = BUCKETS * (widest + 2 * MARGIN if by_word else 2) + LANES
    memory, at = new_group(lanes, widest + LANES, tallest + LANES, largest + LANES, weights)
    factors, starts = _factors_by_length(members, conditioning, sets, fixed_p0, power)
    shares = shares_of_targets(widest if by_word else 0, power)
    if not by_word:
        for k in range(BUCKETS * lanes):
            memory[at.weights + k] = sets.weights[1, k // lanes]
    pairs = np.empty((PAIR_FIELDS, lanes), np.int64)
    for start in range(0, len(members), lanes):
        numbers = members[start : start + lanes]
        _set_pairs(numbers, conditioning, emitted, firsts, starts, pairs)
        width = pairs[WIDTH].max()
        height = pairs[HEIGHT].max()
        _enter(like, pairs, width, height, emit, null, factors, memory, at)
        if by_word:
            _set_jumps_of_words(like, pairs, width, words, sets, shares, fixed_p0, power, memory, at)
        forward(like, width, height, stride, memory, at)
        backward(like, width, height, stride, counted, memory, at)
        _leave(like, numbers, pairs, width, height, emit, null, log_likelihood, memory, at)
        if counted and by_word:
            count_jumps_of_words(like, pairs, width, words, memory, at, counts)
        elif counted:
            count_shared_jumps(like, pairs[WIDTH, : len(numbers)], memory, at, counts)
