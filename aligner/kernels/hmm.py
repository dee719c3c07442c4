"""Posteriors and expected jumps of the HMM alignment model for a block, sixteen sentence pairs side by side.

A recursion along a sentence does not vectorise; those of several pairs do, one in each lane (``Group``).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.arrays import copy, greatest, least
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed import jump_to_fixed
from aligner.kernels.hmm_recursions import backward, fill_factors, forward, new_factors, new_group, pad
from aligner.kernels.simd import deinterleave, fixed_sum, interleave, lanes16, load, splat, store, width_of

LARGE = 1 << 16
"""Pairs with more cells go alone: sixteen of them side by side would need too much memory."""


class _Pairs(NamedTuple):
    """The pairs that are side by side: int64 [lanes] each, 0 for a lane without any.

    widths, heights, sizes: I, J and I J. cells, words, factors: where each pair's begin among those of all.
    row, row_width: working memory, where a row of cells begins, and how long it is.
    """

    widths: NDArray
    heights: NDArray
    sizes: NDArray
    cells: NDArray
    words: NDArray
    factors: NDArray
    row: NDArray
    row_width: NDArray


@inlined
def _new_pairs(lanes):
    """Room for so many."""
    i8 = np.int64
    return _Pairs(
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
    )


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
    for k in range(0, length, 16):
        interleave(runs, starts, counts, k, out, k * 16)


@inlined
def _narrow(lanes, wide, starts, counts, length, runs):
    """The inverse of ``_widen``."""
    if lanes == 1:
        copy(wide[: counts[0]], runs[starts[0] :])
        return
    for k in range(0, length, 16):
        deinterleave(wide, k * 16, runs, starts, counts, k)


@inlined
def _move(lanes, inwards, pairs, width, height, emit, links):
    """Copy a group's cells from [J, I] per pair to [height, width, lanes], 0 beyond a pair's own, or back."""
    if least(pairs.widths) == width:
        if inwards:
            _widen(lanes, emit, pairs.cells, pairs.sizes, width * height, links)
        else:
            _narrow(lanes, links, pairs.cells, pairs.sizes, width * height, emit)
        return
    copy(pairs.cells, pairs.row)
    for j in range(height):
        for lane in range(16):
            pairs.row_width[lane] = pairs.widths[lane] if j < pairs.heights[lane] else 0
        for i in range(0, width, 16):
            at = (j * width + i) * 16
            if inwards:
                interleave(emit, pairs.row, pairs.row_width, i, links, at)
            else:
                deinterleave(links, at, emit, pairs.row, pairs.row_width, i)
        for lane in range(16):
            pairs.row[lane] += pairs.widths[lane]


@inlined
def _set_factors(like, known, pairs, width, factors):
    """Bring each lane's factors side by side, of those ``known``."""
    lanes = width_of(like)
    starts = pairs.factors
    widths = pairs.widths
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
def _log_sums(pairs, group, products, logs):
    """Each lane's log of the sum over all alignments: logs, float64 [lanes]; products: working memory."""
    lanes = len(products)
    for lane in range(lanes):
        products[lane] = group.ending[lane]
        logs[lane] = 0.0
    for j in range(greatest(pairs.heights)):
        mass = group.mass[j * lanes : (j + 1) * lanes]
        extreme = False
        for lane in range(lanes):
            product = products[lane] * (mass[lane] if j < pairs.heights[lane] else 1.0)
            products[lane] = product
            extreme |= product < 1e-200 or product > 1e200
        if extreme:
            for lane in range(lanes):
                if products[lane] < 1e-200 or products[lane] > 1e200:
                    logs[lane] += math.log(products[lane])
                    products[lane] = 1.0
    for lane in range(lanes):
        logs[lane] += math.log(products[lane])


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
    pairs = _new_pairs(lanes)
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
        _set_factors(like, known, pairs, width, factors)
        _widen(lanes, null, pairs.words, pairs.heights, height, group.skip)
        p0 = load(like, null_weight, 0)
        one = splat(like, np.float32(1.0))
        for j in range(height):
            k = j * lanes
            live_row = group.live[k : k + lanes]
            for lane in range(lanes):
                live_row[lane] = 1.0 if j < pairs.heights[lane] else 0.0
            live = load(like, group.live, k)
            store(group.skip, k, p0 * load(like, group.skip, k) + (one - live))
        _move(lanes, True, pairs, width, height, emit, group.links)
        pad(like, group, width)
        forward(like, width, height, taps, factors, group)
        backward(like, width, height, taps, factors, group)
        _move(lanes, False, pairs, width, height, emit, group.links)
        _narrow(lanes, group.unaligned, pairs.words, pairs.heights, height, null)
        _log_sums(pairs, group, products, logs)
        for lane in range(len(side_by_side)):
            log_likelihood[side_by_side[lane]] = logs[lane]
        _count(like, pairs.widths[: len(side_by_side)], group, statistics)


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
