"""Posteriors and expected jumps of the HMM alignment model for a block, sixteen sentence pairs side by side.

A recursion along a sentence does not vectorise; those of several pairs do, one in each lane (``Group``).
"""

import math

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.arrays import copy, greatest, least
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed import jump_to_fixed
from aligner.kernels.hmm_recursions import backward, fill_factors, forward, new_factors, new_group, pad
from aligner.kernels.simd import deinterleave, fixed_sum, interleave, lanes16, load, splat, store, width_of

LARGE = 1 << 16
"""Pairs with more cells go alone: sixteen of them side by side would need too much memory."""


@inlined
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


@inlined
def _widen(lanes, runs, starts, counts, length, out):
    """Bring one run of numbers for each lane side by side: [length, lanes], 0 beyond a lane's own count."""
    if lanes == 1:
        copy(runs[starts[0] : starts[0] + counts[0]], out)
        return
    places = starts.copy()
    left = counts.copy()
    for k in range(0, length, 16):
        interleave(runs, places, left, out, k * 16)
        places += 16
        left -= 16


@inlined
def _narrow(lanes, wide, starts, counts, length, runs):
    """The inverse of ``_widen``."""
    if lanes == 1:
        copy(wide[: counts[0]], runs[starts[0] :])
        return
    places = starts.copy()
    left = counts.copy()
    for k in range(0, length, 16):
        deinterleave(wide, k * 16, runs, places, left)
        places += 16
        left -= 16


@inlined
def _move(lanes, inwards, starts, widths, heights, width, height, emit, links):
    """Copy a group's cells from [J, I] per pair to [height, width, lanes], 0 beyond a pair's own, or back.

    starts, widths, heights: int64 [lanes], each pair's first cell, I and J.
    """
    if least(widths) == width:
        if inwards:
            _widen(lanes, emit, starts, widths * heights, width * height, links)
        else:
            _narrow(lanes, links, starts, widths * heights, width * height, emit)
        return
    rows = starts.copy()
    places = np.empty(16, np.int64)
    counts = np.empty(16, np.int64)
    for j in range(height):
        for i in range(0, width, 16):
            for lane in range(16):
                places[lane] = rows[lane] + i
                counts[lane] = widths[lane] - i if j < heights[lane] else 0
            at = (j * width + i) * 16
            if inwards:
                interleave(emit, places, counts, links, at)
            else:
                deinterleave(links, at, emit, places, counts)
        rows += widths


@inlined
def _set_factors(like, known, starts, widths, width, factors):
    """Bring each lane's factors side by side, of those ``known`` from its start."""
    lanes = width_of(like)
    if least(widths) == width:
        start = starts[0]
        for i in range(width):
            k = i * lanes
            store(factors.stay, k, splat(like, known.stay[start + i]))
            store(factors.up, k, splat(like, known.up[start + i]))
            store(factors.down, k, splat(like, known.down[start + i]))
            store(factors.first, k, splat(like, known.first[start + i]))
            store(factors.last, k, splat(like, known.last[start + i]))
    else:
        _widen(lanes, known.stay, starts, widths, width, factors.stay)
        _widen(lanes, known.up, starts, widths, width, factors.up)
        _widen(lanes, known.down, starts, widths, width, factors.down)
        _widen(lanes, known.first, starts, widths, width, factors.first)
        _widen(lanes, known.last, starts, widths, width, factors.last)


@inlined
def _offsets(conditioning, emitted):
    """Where each pair's cells and its emitted words begin, int64 [pairs] each."""
    cells = np.zeros(len(emitted), np.int64)
    tokens = np.zeros(len(emitted), np.int64)
    for n in range(1, len(emitted)):
        cells[n] = cells[n - 1] + conditioning[n - 1] * emitted[n - 1]
        tokens[n] = tokens[n - 1] + emitted[n - 1]
    return cells, tokens


@inlined
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
    first_cells = np.zeros(lanes, np.int64)
    first_words = np.zeros(lanes, np.int64)
    first_factors = np.zeros(lanes, np.int64)
    widths = np.zeros(lanes, np.int64)
    heights = np.zeros(lanes, np.int64)
    null_weight = np.zeros(lanes, f4)
    for start in range(0, len(members), lanes):
        side_by_side = members[start : start + lanes]
        widths[:] = 0
        heights[:] = 0
        group.empty[:] = 1.0
        for lane in range(len(side_by_side)):
            n = side_by_side[lane]
            widths[lane] = conditioning[n]
            heights[lane] = emitted[n]
            first_cells[lane] = cells[n]
            first_words[lane] = tokens[n]
            first_factors[lane] = known_starts[conditioning[n]]
            null_weight[lane] = known_null[conditioning[n]]
            group.empty[lane] = known_empty[conditioning[n]]
        width = greatest(widths)
        height = greatest(heights)
        _set_factors(like, known, first_factors, widths, width, factors)
        _widen(lanes, null, first_words, heights, height, group.skip)
        p0 = load(like, null_weight, 0)
        one = splat(like, np.float32(1.0))
        for j in range(height):
            k = j * lanes
            live_row = group.live[k : k + lanes]
            for lane in range(lanes):
                live_row[lane] = 1.0 if j < heights[lane] else 0.0
            live = load(like, group.live, k)
            store(group.skip, k, p0 * load(like, group.skip, k) + (one - live))
        _move(lanes, True, first_cells, widths, heights, width, height, emit, group.links)
        pad(like, group, width)
        forward(like, width, height, taps, factors, group)
        backward(like, width, height, taps, factors, group)
        _move(lanes, False, first_cells, widths, heights, width, height, emit, group.links)
        _narrow(lanes, group.unaligned, first_words, heights, height, null)
        for lane in range(len(side_by_side)):
            n = side_by_side[lane]
            product = np.float64(group.ending[lane])
            total_log = 0.0
            for j in range(heights[lane]):
                product *= group.mass[j * lanes + lane]
                if product < 1e-200 or product > 1e200:
                    total_log += math.log(product)
                    product = 1.0
            log_likelihood[n] = total_log + math.log(product)
        _count(like, widths[: len(side_by_side)], group, statistics)


@inlined
def _count_at(i, width, entered, left, settled, statistics):
    """Count what is expected of position i of so many: first links, jumps away and last links."""
    statistics[0, 5 + min(i + 1, 5)] += entered
    statistics[0, 11 + min(width, 5)] += entered
    statistics[1, 11 + 6 * min(i + 1, 6) + min(width - 1 - i, 5)] += left
    statistics[2, 5 + min(width - i, 5)] += settled
    statistics[2, 11 + min(width, 5)] += settled


@inlined
def _count(like, widths, group, statistics):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point statistics."""
    lanes = width_of(like)
    for bucket in range(11):
        statistics[1, bucket] += fixed_sum(like, group.inside, bucket * lanes)
    # Positions that are in the same buckets in all lanes are counted together. Lanes without a pair have 0.
    narrowest = least(widths)
    alike = narrowest if narrowest == greatest(widths) else max(narrowest - 5, 0)
    for i in range(alike):
        k = i * lanes
        entered = fixed_sum(like, group.entered, k)
        left = fixed_sum(like, group.left_behind, k)
        settled = fixed_sum(like, group.settled, k)
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
def posteriors_alone(*arguments):
    """``posteriors`` one pair at a time, of any size; apart, compiled only for who has such a pair."""
    _infer_groups(np.float32(0.0), *arguments)
