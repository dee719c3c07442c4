"""Groups of sentence pairs that go through the HMM side by side, one in each vector lane.

A group holds the working memory of the recursions. The data of its pairs are moved to lanes and back.
"""

from typing import NamedTuple

import numpy as np

from aligner.kernels.constants import BUCKETS
from aligner.kernels.distortion import set_of
from aligner.kernels.intrinsics import interleave, splat, store, width_of
from aligner.kernels.policy import helper

MARGIN = 4
"""Positions before and after a sentence from which inner jumps reach into it."""

FACTORS = 5
"""Distortion factors of a position, one after another in this order: stay, up, down, first, last."""


class Group(NamedTuple):
    """The arrays of sentence pairs that go through the HMM side by side, as offsets into one float32 array.

    A kernel passes the array, ``memory``, and the offsets, because each array of its own would make every
    call longer to compile. Lanes are innermost.

    Own positions and own words are those within the I and the J of a lane's pair.

    =========  ===============  =================================================================
    name       shape            meaning
    =========  ===============  =================================================================
    Distortion factors by position; all but ``last`` include 1 - p0; 0 beyond the own positions
    ---------------------------------------------------------------------------------------------
    stay       [width]          (1 - p0) / Z_i, the factor of every inner jump from i
    up, down   [width] each     probability of one particular target in an outer bucket, from i
    first      [width]          probability of the first link at i
    last       [width]          probability of the last link at i
    weights    [width + 8, 11]  weights of jumps from each position, with ``MARGIN`` positions on
                                either side; [11] if all words share one set of jumps
    Inputs and outputs
    ---------------------------------------------------------------------------------------------
    links      [height, width]  potentials, then posteriors
    skip       [height]         p0 null_j; 1 beyond the own words
    live       [height]         1 for the own words, else 0
    empty      [1]              factor of a sentence without links
    unaligned  [height]         P(a_j = NULL)
    Forward pass
    ---------------------------------------------------------------------------------------------
    arrived    [height, width]  unscaled mass of links to position i
    state      [height, width]  unscaled mass whose last link is at i
    mass       [height]         sum of a row; 1 beyond the own words
    scale      [height]         inverse of ``mass``
    none       [height + 1]     mass without any link so far
    ending     [1]              sum of the last row
    Expected counts
    ---------------------------------------------------------------------------------------------
    entered    [width]          first links at i
    left       [width]          jumps away from i
    ended      [width]          last links at i
    inside     [22]             jumps by bucket, then those of one row; [width + 8, 11] if words
                                have sets of jumps of their own
    Rows in progress
    ---------------------------------------------------------------------------------------------
    backward   [width]          the row of the backward pass
    moving     [width + 9]      a row for inner jumps, with ``MARGIN`` positions on either side
    below      [width + 5]      sums of a row up to each position, for an outer bucket
    =========  ===============  =================================================================
    """

    stay: int
    up: int
    down: int
    first: int
    last: int
    entered: int
    left: int
    ended: int
    backward: int
    moving: int
    below: int
    skip: int
    live: int
    mass: int
    scale: int
    unaligned: int
    none: int
    ending: int
    empty: int
    weights: int
    inside: int
    links: int
    arrived: int
    state: int


@helper
def new_group(lanes, width, height, cells, jumps):
    """Return working memory and its ``Group``, with room for this many positions, words and cells in a lane.

    jumps: the number of counts of jumps by bucket in each lane, 22 or more. All weights are 1.
    """
    positions = width * lanes
    rows = height * lanes
    moving = 9 * positions
    below = moving + positions + 9 * lanes
    skip = below + positions + 5 * lanes
    none = skip + 5 * rows
    ending = none + rows + lanes
    weights = ending + 2 * lanes
    inside = weights + jumps * lanes
    links = inside + jumps * lanes
    arrived = links + cells * lanes
    state = arrived + cells * lanes
    memory = np.empty(state + cells * lanes, np.float32)
    for k in range(weights, inside):
        memory[k] = 1.0
    at = Group(
        stay=0,
        up=positions,
        down=2 * positions,
        first=3 * positions,
        last=4 * positions,
        entered=5 * positions,
        left=6 * positions,
        ended=7 * positions,
        backward=8 * positions,
        moving=moving,
        below=below,
        skip=skip,
        live=skip + rows,
        mass=skip + 2 * rows,
        scale=skip + 3 * rows,
        unaligned=skip + 4 * rows,
        none=none,
        ending=ending,
        empty=ending + lanes,
        weights=weights,
        inside=inside,
        links=links,
        arrived=arrived,
        state=state,
    )
    return memory, at


@helper
def fill_factors(out, start, room, length, sets, p0, power):
    """Set the five ``FACTORS`` of sentences of one length, but for weights of jumps.

    out: float32; factor n of position i is at start + n room + i. sets: ``JumpSets``, of which the first
    three are used; power: exponent of all factors.
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
        out[k] = to_power(stay, power)
        out[k + room] = to_power(up, power)
        out[k + 2 * room] = to_power(down, power)
        out[k + 3 * room] = to_power(first, power)
        out[k + 4 * room] = to_power(last, power)


@helper
def to_power(value, power):
    """Return value ** power, without a call of ``pow`` for the powers 1 and 2."""
    if power == 1.0:
        return value
    return value * value if power == 2.0 else value**power


@helper
def shares_of_targets(most, power):
    """Return (1 / n) ** power for n = 0 to ``most``, float64 [most + 1]; 1 for n = 0."""
    shares = np.empty(most + 1, np.float64)
    for n in range(most + 1):
        shares[n] = to_power(1.0 / max(n, 1), power)
    return shares


@helper
def fill_jumps(lanes, lane, words, scales, shares, linked, memory, at):
    """Set the factors of jumps from each position of one lane by its conditioning words, int32 [I].

    The weights of these jumps are set. scales: float64 [sets, 7, 6], see ``JumpSets``; shares: see
    ``shares_of_targets``; linked: 1 - p0 raised to the power.
    """
    length = len(words)
    for i in range(length):
        k = i * lanes + lane
        first = at.weights + (i + MARGIN) * BUCKETS * lanes + lane
        left, right = min(i + 1, 6), min(length - 1 - i, 5)
        # The buckets of a set sum to 1. Most positions reach all, and need no look-up.
        scale = 1.0 if left + right == BUCKETS else scales[set_of(words[i], len(scales)), left, right]
        stay = linked / scale
        memory[at.stay + k] = stay
        memory[at.up + k] = memory[first + (BUCKETS - 1) * lanes] * stay * shares[max(length - 5 - i, 0)]
        memory[at.down + k] = memory[first] * stay * shares[max(i - 4, 0)]


@helper
def pad(like, width, memory, at):
    """Set the margins of ``moving`` and ``below`` to 0: jumps from outside the sentence add nothing."""
    lanes = width_of(like)
    zero = splat(like, np.float32(0.0))
    for i in range(0, 5 * lanes, lanes):
        store(memory, at.moving + (width + 4) * lanes + i, zero)
        store(memory, at.below + i, zero)
    for i in range(0, 4 * lanes, lanes):
        store(memory, at.moving + i, zero)


WIDTH, HEIGHT, SIZE, CELL, TOKEN, WORD, FACTOR, START, COUNT = range(9)
PAIR_FIELDS = 9
"""Rows of a table of a group's pairs, int64 [9, lanes]; a lane without a pair has zeros.

I, J, I J; the first cell, emitted token and conditioning token of each pair in the block's arrays; the index
of the first factor for the pair's I. The last two are working memory, the runs that are moved to lanes.
"""


@helper
def set_runs(pairs, single, j):
    """Set the runs of each pair's cells: all of them if ``single``, else row j of [J, I]."""
    for lane in range(pairs.shape[1]):
        width = pairs[WIDTH, lane]
        pairs[START, lane] = pairs[CELL, lane] + j * width
        pairs[COUNT, lane] = width if j < pairs[HEIGHT, lane] else 0
        if single:
            pairs[COUNT, lane] = pairs[SIZE, lane]


@helper
def set_weights(like, pairs, width, words, weights, memory, at):
    """Set the weights of the jumps from each position, by its conditioning word.

    words: int32, [I] for each pair of the block; weights: float32 [sets, 11].
    """
    lanes = width_of(like)
    flat = weights.ravel()
    widths, firsts, starts, counts = pairs[WIDTH], pairs[WORD], pairs[START], pairs[COUNT]
    for i in range(width):
        for lane in range(lanes):
            inside = i < widths[lane]
            counts[lane] = BUCKETS if inside else 0
            if inside:
                starts[lane] = set_of(words[firsts[lane] + i], len(weights)) * BUCKETS
        first = at.weights + (i + MARGIN) * BUCKETS * lanes
        interleave(like, flat, starts, counts, BUCKETS, memory, first)


@helper
def set_factors(like, by_length, pairs, width, memory, at):
    """Set each lane's factors from those by length, but for weights of jumps; see ``_factors_by_length``."""
    lanes = width_of(like)
    single = pairs[WIDTH].min() == width  # then the factors of all pairs are the same
    for factor in range(FACTORS):
        first = at.stay + factor * (at.up - at.stay)
        for lane in range(lanes):
            pairs[START, lane] = pairs[FACTOR, lane] + factor * pairs[WIDTH, lane]
        if single:
            start = pairs[START, 0]
            for i in range(width):
                store(memory, first + i * lanes, splat(like, by_length[start + i]))
        else:
            interleave(like, by_length, pairs[START], pairs[WIDTH], width, memory, first)
