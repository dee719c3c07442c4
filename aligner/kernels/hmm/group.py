"""Groups of sentence pairs that go through the HMM side by side, one in each vector lane.

A group holds the working memory of the recursions. The data of its pairs are moved to lanes and back.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.constants import BUCKETS, LANES
from aligner.kernels.distortion import set_of
from aligner.kernels.intrinsics import deinterleave, interleave, splat, store, width_of
from aligner.kernels.loops import copy, least
from aligner.kernels.policy import helper

MARGIN = 4
"""Positions before and after a sentence from which inner jumps reach into it."""

TO_LANES, FROM_LANES = True, False
"""The directions of ``move_cells``."""


class Factors(NamedTuple):
    """Distortion factors by position, float32 [width, lanes], 0 beyond a lane's own I.

    All but ``last`` include the factor 1 - p0. stay[i]: (1 - p0) / Z_i, the factor of every inner jump from
    i; up[i], down[i]: the probability of one particular target in an outer bucket; first[i]: of the first
    link at i; last[i]: of the last link at i.

    weights: the weights of the buckets of jumps from each position, [width + 8, 11, lanes] with ``MARGIN``
    positions before and after the sentence, or [11, lanes] if all words share one set of jumps.
    """

    stay: NDArray
    up: NDArray
    down: NDArray
    first: NDArray
    last: NDArray
    weights: NDArray


class Group(NamedTuple):
    """The arrays of sentence pairs that go through the HMM side by side: float32, lanes innermost.

    Inputs and outputs: links [height, width], potentials, then posteriors; skip [height], p0 null_j, and 1
    beyond a lane's own J; live [height], 1 within a lane's own J, else 0; empty [1], the factor of a sentence
    without links; unaligned [height], P(a_j = NULL).

    Forward pass: arrived [height, width], the unscaled mass of links to position i; state [height, width],
    the unscaled mass whose last link is at i; mass, scale [height], the sum of a row and its inverse, both 1
    beyond a lane's own J; none [height + 1], the mass without any link so far; ending [1], the sum of the
    last row.

    Expected counts: entered, left, last [width], first links at i, jumps away from i, last links at i; inside
    [11], jumps by bucket, or [width + 8, 11] if words have sets of jumps of their own.

    Rows in progress: backward [width], moving [width + 9], below [width + 5].
    """

    links: NDArray
    skip: NDArray
    live: NDArray
    empty: NDArray
    arrived: NDArray
    state: NDArray
    mass: NDArray
    scale: NDArray
    none: NDArray
    ending: NDArray
    unaligned: NDArray
    entered: NDArray
    left: NDArray
    last: NDArray
    inside: NDArray
    backward: NDArray
    moving: NDArray
    below: NDArray


@helper
def new_factors(size, weights):
    """Return new ``Factors``; size: of the arrays by position; weights: of the weights of jumps, all 1."""
    f4 = np.float32
    return Factors(
        np.empty(size, f4),
        np.empty(size, f4),
        np.empty(size, f4),
        np.empty(size, f4),
        np.empty(size, f4),
        np.ones(weights, f4),
    )


@helper
def fill_factors(factors, start, length, sets, p0, power):
    """Set the factors of sentences of one length at ``start`` and after it, but for weights of jumps.

    sets: ``JumpSets``, of which the first three are used; power: exponent of all factors.
    """
    jumps, masses = sets.jumps, sets.masses
    linked = 1.0 - p0
    reach = min(length, 5)
    entering = linked / masses[0, 0, reach]
    leaving = 1.0 / masses[2, 0, reach]
    outer = 1.0 / max(length - 4, 1)
    for i in range(length):
        k = start + i
        stay = linked / masses[1, min(i + 1, 6), min(length - 1 - i, 5)]
        up = jumps[1, 10] * stay / max(length - 5 - i, 1)
        down = jumps[1, 0] * stay / max(i - 4, 1)
        first = jumps[0, 5 + min(i + 1, 5)] * entering * (outer if i >= 4 else 1.0)
        last = jumps[2, 5 + min(length - i, 5)] * leaving * (outer if length - i >= 5 else 1.0)
        factors.stay[k] = to_power(stay, power)
        factors.up[k] = to_power(up, power)
        factors.down[k] = to_power(down, power)
        factors.first[k] = to_power(first, power)
        factors.last[k] = to_power(last, power)


@helper
def to_power(value, power):
    """Return value ** power, without a call of ``pow`` for the powers 1 and 2."""
    if power == 1.0:
        return value
    return value * value if power == 2.0 else value**power


@helper
def shares_of_targets(most, power):
    """Return (1 / n) ** power for n = 0 to ``most``, float64 [most + 1]; 1 for n = 0."""
    shares = np.ones(most + 1)
    for n in range(2, most + 1):
        shares[n] = to_power(1.0 / n, power)
    return shares


@helper
def fill_jumps(lanes, lane, words, scales, shares, linked, factors):
    """Set ``stay``, ``up`` and ``down`` of one lane by its conditioning words, int32 [I], and their weights.

    scales: float64 [sets, 7, 6], see ``JumpSets``; shares: see ``shares_of_targets``; linked: 1 - p0 raised
    to the power.
    """
    length = len(words)
    for i in range(length):
        k = i * lanes + lane
        at = (i + MARGIN) * BUCKETS * lanes + lane
        left, right = min(i + 1, 6), min(length - 1 - i, 5)
        # The buckets of a set sum to 1. Most positions reach all, and need no look-up.
        scale = 1.0 if left + right == BUCKETS else scales[set_of(words[i], len(scales)), left, right]
        stay = linked / scale
        factors.stay[k] = stay
        factors.up[k] = factors.weights[at + (BUCKETS - 1) * lanes] * stay * shares[max(length - 5 - i, 0)]
        factors.down[k] = factors.weights[at] * stay * shares[max(i - 4, 0)]


@helper
def new_group(lanes, width, height, cells, jumps):
    """Return a new ``Group`` with room for this many positions, emitted words and cells in each lane.

    jumps: the number of counts of jumps by bucket in each lane, 11 or more.
    """
    f4 = np.float32
    rows = height * lanes
    positions = width * lanes
    return Group(
        links=np.empty(cells * lanes, f4),
        skip=np.empty(rows, f4),
        live=np.empty(rows, f4),
        empty=np.empty(lanes, f4),
        arrived=np.empty(cells * lanes, f4),
        state=np.empty(cells * lanes, f4),
        mass=np.empty(rows, f4),
        scale=np.empty(rows, f4),
        none=np.empty(rows + lanes, f4),
        ending=np.empty(lanes, f4),
        unaligned=np.empty(rows, f4),
        entered=np.empty(positions, f4),
        left=np.empty(positions, f4),
        last=np.empty(positions, f4),
        inside=np.empty(jumps * lanes, f4),
        backward=np.empty(positions, f4),
        moving=np.empty(positions + 9 * lanes, f4),
        below=np.empty(positions + 5 * lanes, f4),
    )


@helper
def pad(like, group, width):
    """Set the margins of ``moving`` and ``below`` to 0: jumps from outside the sentence add nothing."""
    lanes = width_of(like)
    zero = splat(like, np.float32(0.0))
    for i in range(4):
        store(group.moving, i * lanes, zero)
    for i in range(5):
        store(group.moving, (width + 4 + i) * lanes, zero)
        store(group.below, i * lanes, zero)


class Pairs(NamedTuple):
    """The pairs of a group, one for each lane. All arrays are int64 [lanes], 0 for a lane without a pair.

    widths, heights, sizes: I, J and I J. cells, tokens, words: the first cell, the first emitted token and
    the first conditioning token of each pair in the block's arrays. factors: the index of the first factor
    for the pair's I. row, row_width: working memory, the first cell of a row and the row's length.
    """

    widths: NDArray
    heights: NDArray
    sizes: NDArray
    cells: NDArray
    tokens: NDArray
    words: NDArray
    factors: NDArray
    row: NDArray
    row_width: NDArray


@helper
def new_pairs(lanes):
    """Return a new ``Pairs`` for this number of lanes."""
    i8 = np.int64
    return Pairs(
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
    )


@helper
def runs_to_lanes(lanes, runs, starts, counts, length, out):
    """Copy one run of numbers for each lane to out, [length, lanes], with 0 beyond the lane's own count.

    Run l is runs[starts[l] : starts[l] + counts[l]].
    """
    if lanes == 1:
        copy(runs[starts[0] : starts[0] + counts[0]], out)
        return
    interleave(runs, starts, counts, length, out, 0)


@helper
def lanes_to_runs(lanes, values, starts, counts, length, runs):
    """Undo ``runs_to_lanes``: copy values, [length, lanes], to the runs."""
    if lanes == 1:
        copy(values[: counts[0]], runs[starts[0] :])
        return
    deinterleave(values, 0, runs, starts, counts, length)


@helper
def move_cells(lanes, direction, pairs, width, height, emit, links):
    """Copy a group's cells between emit, [J, I] for each pair, and links, [height, width, lanes].

    direction: TO_LANES copies emit to links, where cells beyond a pair's own become 0; FROM_LANES copies
    links to emit. width, height: the largest I and J of the group.
    """
    if least(pairs.widths) == width:
        # Where all pairs have the same I, as a single pair has, the cells of each are a single run.
        if direction == TO_LANES:
            runs_to_lanes(lanes, emit, pairs.cells, pairs.sizes, width * height, links)
        else:
            lanes_to_runs(lanes, links, pairs.cells, pairs.sizes, width * height, emit)
        return
    copy(pairs.cells, pairs.row)
    for j in range(height):
        for lane in range(LANES):
            pairs.row_width[lane] = pairs.widths[lane] if j < pairs.heights[lane] else 0
        first = j * width * LANES
        if direction == TO_LANES:
            interleave(emit, pairs.row, pairs.row_width, width, links, first)
        else:
            deinterleave(links, first, emit, pairs.row, pairs.row_width, width)
        for lane in range(LANES):
            pairs.row[lane] += pairs.widths[lane]


@helper
def set_weights(lanes, pairs, width, words, weights, factors):
    """Set the weights of the jumps from each position, by its conditioning word.

    words: int32, [I] for each pair of the block; weights: float32 [sets, 11].
    """
    flat = weights.ravel()
    for i in range(width):
        for lane in range(lanes):
            inside = i < pairs.widths[lane]
            pairs.row_width[lane] = BUCKETS if inside else 0
            if inside:
                pairs.row[lane] = set_of(words[pairs.words[lane] + i], len(weights)) * BUCKETS
        out = factors.weights[(i + MARGIN) * BUCKETS * lanes :]
        runs_to_lanes(lanes, flat, pairs.row, pairs.row_width, BUCKETS, out)


@helper
def set_factors(like, by_length, pairs, width, factors):
    """Set each lane's ``Factors``, [width, lanes], from those of all lengths, but for weights of jumps."""
    lanes = width_of(like)
    starts = pairs.factors
    widths = pairs.widths
    if least(widths) == width:
        start = starts[0]
        for i in range(width):
            k = i * lanes
            store(factors.stay, k, splat(like, by_length.stay[start + i]))
            store(factors.up, k, splat(like, by_length.up[start + i]))
            store(factors.down, k, splat(like, by_length.down[start + i]))
            store(factors.first, k, splat(like, by_length.first[start + i]))
            store(factors.last, k, splat(like, by_length.last[start + i]))
    else:
        runs_to_lanes(lanes, by_length.stay, starts, widths, width, factors.stay)
        runs_to_lanes(lanes, by_length.up, starts, widths, width, factors.up)
        runs_to_lanes(lanes, by_length.down, starts, widths, width, factors.down)
        runs_to_lanes(lanes, by_length.first, starts, widths, width, factors.first)
        runs_to_lanes(lanes, by_length.last, starts, widths, width, factors.last)
