"""Posteriors and expected jumps of the HMM alignment model for a block, sixteen sentence pairs side by side.

A recursion along a sentence does not vectorise; those of several pairs do, one in each lane (``Group``).
"""

import math

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed import to_fixed
from aligner.kernels.hmm_recursions import backward, fill_factors, forward, new_factors, new_group, pad
from aligner.kernels.simd import deinterleave, interleave, lanes16, load, splat, store, width_of

LARGE = 1 << 16
"""Pairs with more cells go alone: sixteen of them side by side would need too much memory."""


@kernel
def _factors_by_length(members, conditioning, jumps, fixed_p0, power):
    """The factors of every length that occurs, and where each length's begin: int64 [longest + 1]."""
    starts = np.full(conditioning[members].max() + 1, -1, np.int64)
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
    return factors, starts


@kernel
def _widen(lanes, runs, starts, counts, length, out):
    """Bring one run of numbers for each lane side by side: [length, lanes], 0 beyond a lane's own count."""
    if lanes == 1:
        out[: counts[0]] = runs[starts[0] : starts[0] + counts[0]]
        return
    places = starts.copy()
    left = counts.copy()
    for k in range(0, length, 16):
        interleave(runs, places, left, out, k * 16)
        places += 16
        left -= 16


@kernel
def _narrow(lanes, wide, starts, counts, length, runs):
    """The inverse of ``_widen``."""
    if lanes == 1:
        runs[starts[0] : starts[0] + counts[0]] = wide[: counts[0]]
        return
    places = starts.copy()
    left = counts.copy()
    for k in range(0, length, 16):
        deinterleave(wide, k * 16, runs, places, left)
        places += 16
        left -= 16


@kernel
def _move(lanes, inwards, starts, widths, heights, width, height, emit, links):
    """Copy a group's cells from [J, I] per pair to [height, width, lanes], 0 beyond a pair's own, or back.

    starts, widths, heights: int64 [lanes], each pair's first cell, I and J.
    """
    if widths.min() == width:
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


@kernel
def _offsets(conditioning, emitted):
    """Where each pair's cells and its emitted words begin, int64 [pairs] each."""
    cells = np.zeros(len(emitted), np.int64)
    tokens = np.zeros(len(emitted), np.int64)
    for n in range(1, len(emitted)):
        cells[n] = cells[n - 1] + conditioning[n - 1] * emitted[n - 1]
        tokens[n] = tokens[n - 1] + emitted[n - 1]
    return cells, tokens


@kernel
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
        side_by_side = members[start : start + lanes]
        width = conditioning[side_by_side].max()
        height = emitted[side_by_side].max()
        widest = max(widest, width)
        tallest = max(tallest, height)
        largest = max(largest, width * height)
    cells, tokens = _offsets(conditioning, emitted)
    # Numbers are moved sixteen at a time, the last of them perhaps beyond the longest run.
    positions = (widest + 16) * lanes
    group = new_group(lanes, widest + 16, tallest + 16, largest + 16)
    known, known_starts = _factors_by_length(members, conditioning, jumps, fixed_p0, power)
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
            null_weight[lane] = null_probability(fixed_p0, conditioning[n]) ** power
            group.empty[lane] = (1.0 / conditioning[n]) ** power
        width = widths.max()
        height = heights.max()
        _widen(lanes, known.stay, first_factors, widths, width, factors.stay)
        _widen(lanes, known.up, first_factors, widths, width, factors.up)
        _widen(lanes, known.down, first_factors, widths, width, factors.down)
        _widen(lanes, known.first, first_factors, widths, width, factors.first)
        _widen(lanes, known.last, first_factors, widths, width, factors.last)
        _widen(lanes, null, first_words, heights, height, group.skip)
        p0 = load(like, null_weight, 0)
        one = splat(like, np.float32(1.0))
        for j in range(height):
            k = j * lanes
            for lane in range(lanes):
                group.live[k + lane] = 1.0 if j < heights[lane] else 0.0
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
            product = 1.0
            total_log = 0.0
            for j in range(heights[lane]):
                product *= group.mass[j * lanes + lane]
                if product < 1e-200 or product > 1e200:
                    total_log += math.log(product)
                    product = 1.0
            log_likelihood[n] = total_log + math.log(product) + math.log(group.ending[lane])
        _count(lanes, widths[: len(side_by_side)], group, statistics)


@kernel
def _expected_at(position, lanes, first, last, group):
    """What the lanes first <= lane < last expect of a position: first links, jumps away and last links."""
    entered, left, settled = 0, 0, 0
    for k in range(position * lanes + first, position * lanes + last):
        entered += to_fixed(group.entered[k])
        left += to_fixed(group.left_behind[k])
        settled += to_fixed(group.settled[k])
    return entered, left, settled


@kernel
def _count(lanes, widths, group, statistics):
    """Add every lane's expected jumps and uses of normalisers to the fixed-point statistics."""
    members = len(widths)
    for bucket in range(11):
        for k in range(bucket * lanes, bucket * lanes + members):
            statistics[1, bucket] += to_fixed(group.inside[k])
    # Lanes of one width are counted together.
    together = members if widths.min() == widths.max() else 1
    for lane in range(0, members, together):
        width = widths[lane]
        for i in range(width):
            entered, left, settled = _expected_at(i, lanes, lane, lane + together, group)
            statistics[0, 5 + min(i + 1, 5)] += entered
            statistics[0, 11 + min(width, 5)] += entered
            statistics[1, 11 + 6 * min(i + 1, 6) + min(width - 1 - i, 5)] += left
            statistics[2, 5 + min(width - i, 5)] += settled
            statistics[2, 11 + min(width, 5)] += settled


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
    int64 fixed point [3, 11 + 42]: expected jumps by bucket, then expected uses of each normaliser by reach
    (7 x 6), for entering, inside and leaving.
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
