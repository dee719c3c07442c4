"""Working memory of the HMM's recursions: distortion factors, and a group of sentence pairs side by side."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.policy import helper
from aligner.kernels.simd import splat, store, width_of


class Factors(NamedTuple):
    """Distortion factors by position, float32 [width, lanes]; all but ``last`` hold 1 - p0.

    They are 0 beyond a lane's own I. stay[i]: (1 - p0) / Z_i, the factor of every inner jump from i; up[i],
    down[i]: probability of one particular target in the outer buckets; first[i]: of entering at i; last[i]:
    of leaving from i.
    """

    stay: NDArray
    up: NDArray
    down: NDArray
    first: NDArray
    last: NDArray


class Group(NamedTuple):
    """Working memory of sentence pairs that are inferred side by side; float32, lanes innermost.

    links: [height, width], potentials, then posteriors. skip: [height], p0 null_j, and 1 beyond a lane's own
    J; live: [height], 1 within it, else 0. empty: [1], the factor of a sentence without links. arrived,
    state: [height, width], unscaled forward mass that arrives at a position, and that is at it. mass, scale:
    [height], a row's sum, and what brings it to one; both 1 beyond. none: [height + 1], mass without a link
    so far. ending: [1], the last row's sum. unaligned: [height], P(NULL). entered, left_behind, settled:
    [width], expected first links, jumps away, and last links. inside: [11], expected jumps. backward:
    [width]; moving: [width + 9] and below: [width + 5], rows in the making.
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
    left_behind: NDArray
    settled: NDArray
    inside: NDArray
    backward: NDArray
    moving: NDArray
    below: NDArray


@helper
def new_factors(size):
    """Room for so many of each factor."""
    f4 = np.float32
    return Factors(
        np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4)
    )


@helper
def fill_factors(factors, start, length, jumps, z_first, z_inside, z_last, p0, power):
    """Write one sentence length's factors, from ``start``.

    jumps: float64 [3, 11]; z_*: what ``normalisers`` gives for each of the three sets.
    """
    move = 1.0 - p0
    reach = min(length, 5)
    entering = move / z_first[0, reach]
    leaving = 1.0 / z_last[0, reach]
    outer = 1.0 / max(length - 4, 1)
    for i in range(length):
        k = start + i
        at = move / z_inside[min(i + 1, 6), min(length - 1 - i, 5)]
        rising = jumps[1, 10] * at / max(length - 5 - i, 1)
        falling = jumps[1, 0] * at / max(i - 4, 1)
        entry = jumps[0, 5 + min(i + 1, 5)] * entering * (outer if i >= 4 else 1.0)
        exit = jumps[2, 5 + min(length - i, 5)] * leaving * (outer if length - i >= 5 else 1.0)
        if power == 2.0:
            at, rising, falling = at * at, rising * rising, falling * falling
            entry, exit = entry * entry, exit * exit
        elif power != 1.0:
            at, rising, falling = at**power, rising**power, falling**power
            entry, exit = entry**power, exit**power
        factors.stay[k] = at
        factors.up[k] = rising
        factors.down[k] = falling
        factors.first[k] = entry
        factors.last[k] = exit


@helper
def new_group(lanes, width, height, cells):
    """Room for groups of at most so many positions, words and cells a lane."""
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
        left_behind=np.empty(positions, f4),
        settled=np.empty(positions, f4),
        inside=np.empty(11 * lanes, f4),
        backward=np.empty(positions, f4),
        moving=np.empty(positions + 9 * lanes, f4),
        below=np.empty(positions + 5 * lanes, f4),
    )


@helper
def pad(like, group, width):
    """Zeros on either side of a row of moving mass, so that a jump past the sentence's end reads nothing."""
    lanes = width_of(like)
    zero = splat(like, np.float32(0.0))
    for i in range(4):
        store(group.moving, i * lanes, zero)
    for i in range(5):
        store(group.moving, (width + 4 + i) * lanes, zero)
        store(group.below, i * lanes, zero)


@helper
def splat_taps(like, taps):
    """Each of the nine inner buckets' factors in every lane."""
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
