"""Posteriors and expected jumps of the HMM alignment model for a block, sixteen sentence pairs side by side.

A recursion along a sentence does not vectorise. The recursions of sixteen sentence pairs do, one in each
vector lane (see ``intrinsics``).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.constants import BUCKETS, GENERAL_SETS, LANES
from aligner.kernels.counts import jump_to_fixed
from aligner.kernels.distortion import null_probability, set_of, use_index
from aligner.kernels.hmm.group import (
    FROM_LANES,
    MARGIN,
    TO_LANES,
    Factors,
    fill_factors,
    fill_jumps,
    lanes_to_runs,
    move_cells,
    new_factors,
    new_group,
    new_pairs,
    pad,
    runs_to_lanes,
    set_factors,
    set_weights,
    shares_of_targets,
    to_power,
)
from aligner.kernels.hmm.recursions import backward, forward
from aligner.kernels.intrinsics import lanes16, load, splat, store, where_live, width_of
from aligner.kernels.loops import greatest, least
from aligner.kernels.policy import helper, kernel


@helper
def _sum_lanes(values, first, lanes):
    """Return the sum of values[first : first + lanes] in fixed point."""
    total = 0
    for k in range(first, first + lanes):
        total += jump_to_fixed(values[k])
    return total


@helper
def _count_at(i, width, chosen, entered, left, last, counts):
    """Add one position's expected first links, jumps away and last links, in fixed point, to the counts.

    i: the position from 0; width: the length of the sentence, I; chosen: the set of the jumps away.
    """
    counts[0, 5 + min(i + 1, 5)] += entered
    counts[0, use_index(0, width)] += entered
    counts[chosen, use_index(i + 1, width)] += left
    counts[2, 5 + min(width - i, 5)] += last
    counts[2, use_index(0, width)] += last


@helper
def count_shared_jumps(like, widths, group, counts):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point counts.

    widths: int64, I of the pairs of the group.
    """
    lanes = width_of(like)
    for bucket in range(BUCKETS):
        counts[1, bucket] += _sum_lanes(group.inside, bucket * lanes, lanes)
    # Positions that fall into the same buckets in all lanes are counted together. Empty lanes hold 0.
    narrowest = least(widths)
    common = narrowest if narrowest == greatest(widths) else max(narrowest - 5, 0)
    for i in range(common):
        k = i * lanes
        entered = _sum_lanes(group.entered, k, lanes)
        left = _sum_lanes(group.left, k, lanes)
        last = _sum_lanes(group.last, k, lanes)
        _count_at(i, narrowest, 1, entered, left, last, counts)
    for lane in range(len(widths)):
        for i in range(common, widths[lane]):
            k = i * lanes + lane
            entered = jump_to_fixed(group.entered[k])
            left = jump_to_fixed(group.left[k])
            last = jump_to_fixed(group.last[k])
            _count_at(i, widths[lane], 1, entered, left, last, counts)


@helper
def count_jumps_of_words(like, pairs, width, words, group, counts):
    """Add every lane's expected jumps and uses of normalisers to the counts of its words' own sets.

    width: the largest I of the group; words: int32, the conditioning words of all pairs of the block.
    """
    lanes = width_of(like)
    rows = np.empty(lanes * LANES, np.float32)  # the jumps from one position, by lane and bucket
    for i in range(width):
        for lane in range(lanes):
            pairs.row[lane] = lane * LANES
            pairs.row_width[lane] = BUCKETS if i < pairs.widths[lane] else 0
        inside = group.inside[(i + MARGIN) * BUCKETS * lanes :]
        lanes_to_runs(lanes, inside, pairs.row, pairs.row_width, BUCKETS, rows)
        for lane in range(lanes):
            if i < pairs.widths[lane]:
                chosen = set_of(words[pairs.words[lane] + i], len(counts))
                for bucket in range(BUCKETS):
                    counts[chosen, bucket] += jump_to_fixed(rows[lane * LANES + bucket])
                k = i * lanes + lane
                entered = jump_to_fixed(group.entered[k])
                left = jump_to_fixed(group.left[k])
                last = jump_to_fixed(group.last[k])
                _count_at(i, pairs.widths[lane], chosen, entered, left, last, counts)


class LengthFactors(NamedTuple):
    """The factors that depend on I only, by I.

    factors: the distortion factors of all lengths, one after the other; starts: int64 [longest + 1], where
    the factors of each length begin, or -1; null_weight: float32 [longest + 1], p0 raised to the power, the
    factor of an emitted word without a link; empty: float32 [longest + 1], the factor of a sentence without
    links.
    """

    factors: Factors
    starts: NDArray
    null_weight: NDArray
    empty: NDArray


@helper
def _factors_by_length(members, conditioning, sets, fixed_p0, power):
    """Return the ``LengthFactors`` for every I of the members."""
    longest = 0
    for n in members:
        longest = max(longest, conditioning[n])
    starts = np.full(longest + 1, -1, np.int64)
    null_weight = np.empty(longest + 1, np.float32)
    empty = np.empty(longest + 1, np.float32)
    size = 0
    for n in members:
        if starts[conditioning[n]] < 0:
            starts[conditioning[n]] = size
            size += conditioning[n]
    factors = new_factors(size, 0)
    for length in range(len(starts)):
        if starts[length] >= 0:
            p0 = null_probability(fixed_p0, length)
            fill_factors(factors, starts[length], length, sets, p0, power)
            null_weight[length] = p0**power
            empty[length] = (1.0 / length) ** power
    return LengthFactors(factors, starts, null_weight, empty)


@helper
def _log_sums(like, height, group, products, logs):
    """Set logs, float64 [lanes], to the log of each lane's sum over all alignments.

    products: float64 [lanes], working memory.
    """
    lanes = width_of(like)
    for lane in range(lanes):
        products[lane] = group.ending[lane]
        logs[lane] = 0.0
    for j in range(height):
        extreme = False
        for lane in range(lanes):
            products[lane] *= group.mass[j * lanes + lane]
            extreme |= (products[lane] <= 1e-200) | (products[lane] >= 1e200)
        if extreme:
            for lane in range(lanes):
                if not 1e-200 < products[lane] < 1e200:
                    logs[lane] += math.log(products[lane])
                    products[lane] = 1.0
    for lane in range(lanes):
        logs[lane] += math.log(products[lane])


@helper
def _offsets(conditioning, emitted):
    """Return the first cell, emitted token and conditioning token of each pair, int64 [pairs] each."""
    cells = np.zeros(len(emitted), np.int64)
    tokens = np.zeros(len(emitted), np.int64)
    words = np.zeros(len(emitted), np.int64)
    for n in range(1, len(emitted)):
        cells[n] = cells[n - 1] + conditioning[n - 1] * emitted[n - 1]
        tokens[n] = tokens[n - 1] + emitted[n - 1]
        words[n] = words[n - 1] + conditioning[n - 1]
    return cells, tokens, words


@helper
def _largest_sizes(members, conditioning, emitted, lanes):
    """Return the largest I, the largest J and the largest number of cells of any group, at least 1 each."""
    widest = 1
    tallest = 1
    largest = 1
    for start in range(0, len(members), lanes):
        width = 0
        height = 0
        for n in members[start : start + lanes]:
            width = max(width, conditioning[n])
            height = max(height, emitted[n])
        widest = max(widest, width)
        tallest = max(tallest, height)
        largest = max(largest, width * height)
    return widest, tallest, largest


@helper
def _set_pairs(numbers, conditioning, emitted, firsts, by_length, pairs, group, null_weight):
    """Set the ``Pairs`` of a group and its factors that depend on I only; lanes without a pair are empty.

    numbers: int64, the group's pairs; firsts: the result of ``_offsets``; by_length: ``LengthFactors``.
    """
    pairs.widths[:] = 0
    pairs.heights[:] = 0
    pairs.sizes[:] = 0
    group.empty[:] = 1.0
    for lane in range(len(numbers)):
        n = numbers[lane]
        pairs.widths[lane] = conditioning[n]
        pairs.heights[lane] = emitted[n]
        pairs.sizes[lane] = conditioning[n] * emitted[n]
        pairs.cells[lane] = firsts[0][n]
        pairs.tokens[lane] = firsts[1][n]
        pairs.words[lane] = firsts[2][n]
        pairs.factors[lane] = by_length.starts[conditioning[n]]
        null_weight[lane] = by_length.null_weight[conditioning[n]]
        group.empty[lane] = by_length.empty[conditioning[n]]


@helper
def _set_skip(like, null, pairs, height, null_weight, ones, zeros, group):
    """Set ``skip`` and ``live`` of a group; null_weight: float32 [lanes], p0 raised to the power."""
    lanes = width_of(like)
    runs_to_lanes(lanes, null, pairs.tokens, pairs.heights, height, group.skip)
    runs_to_lanes(lanes, ones, zeros, pairs.heights, height, group.live)
    weight = load(like, null_weight, 0)
    one = splat(like, np.float32(1.0))
    for k in range(0, height * lanes, lanes):
        store(group.skip, k, where_live(load(like, group.live, k), weight * load(like, group.skip, k), one))


@helper
def _infer_groups(
    like,
    members,
    emit,
    null,
    conditioning,
    emitted,
    words,
    sets,
    fixed_p0,
    power,
    log_likelihood,
    counts,
):
    """Compute ``posteriors``, with as many pairs side by side as ``like`` has lanes."""
    lanes = width_of(like)
    f4 = np.float32
    widest, tallest, largest = _largest_sizes(members, conditioning, emitted, lanes)
    firsts = _offsets(conditioning, emitted)
    counted = len(counts) > 0
    by_word = len(sets.jumps) > GENERAL_SETS
    stride = BUCKETS * lanes if by_word else 0
    weights = BUCKETS * (widest + 2 * MARGIN if by_word else 1) + LANES
    # ``interleave`` writes a multiple of sixteen elements, beyond the end of the longest run.
    group = new_group(lanes, widest + LANES, tallest + LANES, largest + LANES, weights)
    by_length = _factors_by_length(members, conditioning, sets, fixed_p0, power)
    factors = new_factors((widest + LANES) * lanes, weights * lanes)
    shares = shares_of_targets(widest if by_word else 0, power)
    if not by_word:
        for k in range(BUCKETS * lanes):
            factors.weights[k] = sets.weights[1, k // lanes]
    pairs = new_pairs(lanes)
    ones = np.ones(tallest + LANES, f4)
    zeros = np.zeros(lanes, np.int64)
    null_weight = np.zeros(lanes, f4)
    products = np.empty(lanes)
    logs = np.empty(lanes)
    for start in range(0, len(members), lanes):
        numbers = members[start : start + lanes]
        _set_pairs(numbers, conditioning, emitted, firsts, by_length, pairs, group, null_weight)
        width = greatest(pairs.widths)
        height = greatest(pairs.heights)
        set_factors(like, by_length.factors, pairs, width, factors)
        if by_word:
            set_weights(lanes, pairs, width, words, sets.weights, factors)
            for lane in range(len(numbers)):
                own = words[pairs.words[lane] : pairs.words[lane] + pairs.widths[lane]]
                linked = to_power(1.0 - null_probability(fixed_p0, len(own)), power)
                fill_jumps(lanes, lane, own, sets.scales, shares, linked, factors)
        _set_skip(like, null, pairs, height, null_weight, ones, zeros, group)
        move_cells(lanes, TO_LANES, pairs, width, height, emit, group.links)
        pad(like, group, width)
        forward(like, width, height, stride, factors, group)
        backward(like, width, height, stride, counted, factors, group)
        move_cells(lanes, FROM_LANES, pairs, width, height, emit, group.links)
        lanes_to_runs(lanes, group.unaligned, pairs.tokens, pairs.heights, height, null)
        _log_sums(like, height, group, products, logs)
        for lane in range(len(numbers)):
            log_likelihood[numbers[lane]] = logs[lane]
        if counted and by_word:
            count_jumps_of_words(like, pairs, width, words, group, counts)
        elif counted:
            count_shared_jumps(like, pairs.widths[: len(numbers)], group, counts)


@kernel
def posteriors(
    members, emit, null, conditioning, emitted, words, sets, fixed_p0, power, log_likelihood, counts
):
    """Replace the members' potentials by posteriors, in place, and add their expected jumps to the counts.

    members: int64, the numbers of the pairs to infer, none of them empty or larger than ``LARGE_PAIR``.
    Sixteen go side by side, so neighbours should have similar sizes. emit: float32, [J, I] for each pair of
    the block, t(emitted_j | conditioning_i), replaced by P(a_j = i). null: float32, [J] for each pair,
    t(emitted_j | NULL), replaced by P(a_j = NULL). conditioning, emitted: int32 [pairs], I and J. words:
    int32, [I] for each pair, the conditioning words. sets: ``JumpSets`` (see ``distortion.set_of``).
    fixed_p0: see ``null_probability``. power: exponent of the distortion factors, p0 included.
    log_likelihood: float64 [pairs], set to the log of the sum over all alignments. counts: int64 [sets, 11 +
    42], in the unit of jumps (see ``kernels.counts``): expected jumps by bucket, then expected uses of each
    normaliser by reach (7 x 6). Nothing is counted if it is empty.
    """
    _infer_groups(
        lanes16(),
        members,
        emit,
        null,
        conditioning,
        emitted,
        words,
        sets,
        fixed_p0,
        power,
        log_likelihood,
        counts,
    )


@kernel
def posteriors_alone(
    members, emit, null, conditioning, emitted, words, sets, fixed_p0, power, log_likelihood, counts
):
    """Compute ``posteriors`` one pair at a time, for pairs of any size.

    It is a separate kernel, so that it is compiled only if a text has a large pair.
    """
    _infer_groups(
        np.float32(0.0),
        members,
        emit,
        null,
        conditioning,
        emitted,
        words,
        sets,
        fixed_p0,
        power,
        log_likelihood,
        counts,
    )
