"""Working memory of the HMM's recursions: distortion factors, and the arrays of a group of sentence pairs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.policy import helper
from aligner.kernels.simd import splat, store, width_of


class Factors(NamedTuple):
    """Distortion factors by position, float32 [width, lanes], 0 beyond a lane's own I.

    All but ``last`` include the factor 1 - p0. stay[i]: (1 - p0) / Z_i, the factor of every inner jump from
    i; up[i], down[i]: the probability of one particular target in an outer bucket; first[i]: of the first
    link at i; last[i]: of the last link at i.
    """

    stay: NDArray
    up: NDArray
    down: NDArray
    first: NDArray
    last: NDArray


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
    [11], jumps by bucket.

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
def new_factors(size):
    """Return a new ``Factors`` of arrays of this size."""
    f4 = np.float32
    return Factors(
        np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4)
    )


@helper
def fill_factors(factors, start, length, jumps, z_first, z_inside, z_last, p0, power):
    """Set the factors of sentences of one length at ``start`` and after it.

    jumps: float64 [3, 11]; z_first, z_inside, z_last: the ``normalisers`` of the three sets; power: exponent
    of all factors.
    """
    linked = 1.0 - p0
    reach = min(length, 5)
    entering = linked / z_first[0, reach]
    leaving = 1.0 / z_last[0, reach]
    outer = 1.0 / max(length - 4, 1)
    for i in range(length):
        k = start + i
        stay = linked / z_inside[min(i + 1, 6), min(length - 1 - i, 5)]
        up = jumps[1, 10] * stay / max(length - 5 - i, 1)
        down = jumps[1, 0] * stay / max(i - 4, 1)
        first = jumps[0, 5 + min(i + 1, 5)] * entering * (outer if i >= 4 else 1.0)
        last = jumps[2, 5 + min(length - i, 5)] * leaving * (outer if length - i >= 5 else 1.0)
        if power == 2.0:
            stay, up, down = stay * stay, up * up, down * down
            first, last = first * first, last * last
        elif power != 1.0:
            stay, up, down = stay**power, up**power, down**power
            first, last = first**power, last**power
        factors.stay[k] = stay
        factors.up[k] = up
        factors.down[k] = down
        factors.first[k] = first
        factors.last[k] = last


@helper
def new_group(lanes, width, height, cells):
    """Return a new ``Group`` with room for this many positions, emitted words and cells in each lane."""
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
        inside=np.empty(11 * lanes, f4),
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


@helper
def splat_taps(like, taps):
    """Return the factor of each of the nine inner buckets in every lane; taps: float32 [9]."""
    return (
        splat(like, taps[0]),
        splat(like, taps[1]),
        splat(like, taps[2]),
        splat(like, taps[3]),
        splat(like, taps[4]),
        splat(like, taps[5]),
        splat(like, taps[6]),
        splat(like, taps[7]),
        splat(like, taps[8]),
    )
