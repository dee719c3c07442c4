"""Posteriors and expected jumps of the HMM alignment model for a block, sixteen sentence pairs side by side.

A recursion along a sentence does not vectorise; those of several pairs do, one in each lane (``Group``).
"""

import math

import numpy as np

from aligner.kernels.arrays import greatest, least
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed_point import jump_to_fixed
from aligner.kernels.hmm_backward import backward
from aligner.kernels.hmm_forward import forward
from aligner.kernels.hmm_group import fill_factors, new_factors, new_group, pad
from aligner.kernels.hmm_lanes import move, narrow, new_pairs, set_factors, widen
from aligner.kernels.policy import helper, kernel
from aligner.kernels.simd import lanes16, load, splat, store, where_live, width_of


@helper
def _factors_by_length(members, conditioning, jumps, fixed_p0, power):
    """What depends on the length of a conditioning sentence alone, of every length that occurs.

    The factors; where each length's begin, int64 [longest + 1]; the factor of an emitted word without a link,
    and the one of a sentence without any, float32 [longest + 1] each.
    """
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
    factors = new_factors(size)
    z_first = normalisers(jumps[0])
    z_inside = normalisers(jumps[1])
    z_last = normalisers(jumps[2])
    for length in range(len(starts)):
        if starts[length] >= 0:
            p0 = null_probability(fixed_p0, length)
            fill_factors(factors, starts[length], length, jumps, z_first, z_inside, z_last, p0, power)
            null_weight[length] = p0**power
            empty[length] = (1.0 / length) ** power
    return factors, starts, null_weight, empty


@helper
def _log_sums(like, height, group, products, logs):
    """Each lane's log of the sum over all alignments: logs, float64 [lanes]; products: working memory."""
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
    """Where each pair's cells and its emitted words begin, int64 [pairs] each."""
    cells = np.zeros(len(emitted), np.int64)
    tokens = np.zeros(len(emitted), np.int64)
    for n in range(1, len(emitted)):
        cells[n] = cells[n - 1] + conditioning[n - 1] * emitted[n - 1]
        tokens[n] = tokens[n - 1] + emitted[n - 1]
    return cells, tokens


@helper
def _infer_groups(
    like,
    members,
    emit,
    null,
    conditioning,
    emitted,
    jumps,
    fixed_p0,
    power,
    log_likelihood,
    statistics,
):
    """Run some pairs through forward-backward, as many at a time as ``like`` has lanes."""
    lanes = width_of(like)
    f4 = np.float32
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
    cells, tokens = _offsets(conditioning, emitted)
    # Numbers are moved sixteen at a time, the last of them perhaps beyond the longest run.
    positions = (widest + 16) * lanes
    group = new_group(lanes, widest + 16, tallest + 16, largest + 16)
    known, known_starts, known_null, known_empty = _factors_by_length(
        members, conditioning, jumps, fixed_p0, power
    )
    factors = new_factors(positions)
    taps = np.empty(9, f4)
    for d in range(9):
        taps[d] = jumps[1, d + 1] ** power
    pairs = new_pairs(lanes)
    ones = np.ones(tallest + 16, f4)
    none_before = np.zeros(lanes, np.int64)
    null_weight = np.zeros(lanes, f4)
    products = np.empty(lanes)
    logs = np.empty(lanes)
    for start in range(0, len(members), lanes):
        side_by_side = members[start : start + lanes]
        pairs.widths[:] = 0
        pairs.heights[:] = 0
        pairs.sizes[:] = 0
        group.empty[:] = 1.0
        for lane in range(len(side_by_side)):
            n = side_by_side[lane]
            pairs.widths[lane] = conditioning[n]
            pairs.heights[lane] = emitted[n]
            pairs.sizes[lane] = conditioning[n] * emitted[n]
            pairs.cells[lane] = cells[n]
            pairs.words[lane] = tokens[n]
            pairs.factors[lane] = known_starts[conditioning[n]]
            null_weight[lane] = known_null[conditioning[n]]
            group.empty[lane] = known_empty[conditioning[n]]
        width = greatest(pairs.widths)
        height = greatest(pairs.heights)
        set_factors(like, known, pairs, width, factors)
        widen(lanes, null, pairs.words, pairs.heights, height, group.skip)
        widen(lanes, ones, none_before, pairs.heights, height, group.live)
        p0 = load(like, null_weight, 0)
        one = splat(like, np.float32(1.0))
        for k in range(0, height * lanes, lanes):
            store(group.skip, k, where_live(load(like, group.live, k), p0 * load(like, group.skip, k), one))
        move(lanes, True, pairs, width, height, emit, group.links)
        pad(like, group, width)
        forward(like, width, height, taps, factors, group)
        backward(like, width, height, taps, factors, group)
        move(lanes, False, pairs, width, height, emit, group.links)
        narrow(lanes, group.unaligned, pairs.words, pairs.heights, height, null)
        _log_sums(like, height, group, products, logs)
        for lane in range(len(side_by_side)):
            log_likelihood[side_by_side[lane]] = logs[lane]
        _count(like, pairs.widths[: len(side_by_side)], group, statistics)


@helper
def _sum_lanes(values, first, lanes):
    """Return the sum of values[first : first + lanes] in fixed point."""
    total = 0
    for k in range(first, first + lanes):
        total += jump_to_fixed(values[k])
    return total


@helper
def _count_at(i, width, entered, left, settled, statistics):
    """Count what is expected of position i of so many: first links, jumps away and last links."""
    statistics[0, 5 + min(i + 1, 5)] += entered
    statistics[0, 11 + min(width, 5)] += entered
    statistics[1, 11 + 6 * min(i + 1, 6) + min(width - 1 - i, 5)] += left
    statistics[2, 5 + min(width - i, 5)] += settled
    statistics[2, 11 + min(width, 5)] += settled


@helper
def _count(like, widths, group, statistics):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point statistics."""
    lanes = width_of(like)
    for bucket in range(11):
        statistics[1, bucket] += _sum_lanes(group.inside, bucket * lanes, lanes)
    # Positions that are in the same buckets in all lanes are counted together. Lanes without a pair have 0.
    narrowest = least(widths)
    alike = narrowest if narrowest == greatest(widths) else max(narrowest - 5, 0)
    for i in range(alike):
        k = i * lanes
        entered = _sum_lanes(group.entered, k, lanes)
        left = _sum_lanes(group.left_behind, k, lanes)
        settled = _sum_lanes(group.settled, k, lanes)
        _count_at(i, narrowest, entered, left, settled, statistics)
    for lane in range(len(widths)):
        for i in range(alike, widths[lane]):
            k = i * lanes + lane
            entered = jump_to_fixed(group.entered[k])
            left = jump_to_fixed(group.left_behind[k])
            settled = jump_to_fixed(group.settled[k])
            _count_at(i, widths[lane], entered, left, settled, statistics)


@kernel
def posteriors(
    members, emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, statistics
):
    """Replace the members' potentials by posteriors, in place; add their expected jump statistics.

    members: int64, the numbers of the pairs to infer, none empty nor ``LARGE``; sixteen go side by side, and
    like sizes together waste no lanes. emit: float32, [J, I] per pair: t(emitted_j | conditioning_i); on
    return P(a_j = i). null: float32, [J]: t(emitted_j | NULL); on return P(a_j = NULL). jumps: float64
    [3, 11], entering, inside, leaving. power: exponent of the distortion factors, p0 included.
    log_likelihood: float64 [pairs], the members' set to the log of the sum over all alignments. statistics:
    int64 [3, 11 + 42], in the unit of jumps (see ``fixed``): expected jumps by bucket, then expected uses of
    each normaliser by reach (7 x 6), for entering, inside and leaving.
    """
    _infer_groups(
        lanes16(),
        members,
        emit,
        null,
        conditioning,
        emitted,
        jumps,
        fixed_p0,
        power,
        log_likelihood,
        statistics,
    )


@kernel
def posteriors_alone(
    members, emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, statistics
):
    """Compute ``posteriors`` one pair at a time, for pairs of any size.

    It is a kernel of its own, so that it is compiled only if a text has such a pair.
    """
    _infer_groups(
        np.float32(0.0),
        members,
        emit,
        null,
        conditioning,
        emitted,
        jumps,
        fixed_p0,
        power,
        log_likelihood,
        statistics,
    )
