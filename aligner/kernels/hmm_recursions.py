"""Forward-backward of the HMM alignment model, linear in the cells.

The model generates an emitted sentence of length J from a conditioning sentence of length I (Vogel, Ney &
Tillmann 1996; Liang, Taskar & Klein 2006). The chain's state is the last non-NULL position: NULL emits
without moving it, and state "none" holds until the first link. A transition's probability depends on the jump
through eleven buckets and on a normaliser of the position left, so summing over the I predecessors is a 9-tap
convolution plus one prefix and one suffix sum: O(I) per emitted word.

    S_j[i] = e_j[i] * sum_k S_{j-1}[k] d(i|k)  +  p0 null_j S_{j-1}[i],        S_0 = "none"

Rows are scaled to sum to one; the backward rows carry the same scales, so that S_j . B_j = 1 for every j.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels._jit import inlined
from aligner.kernels.simd import load, prefetch, splat, store, width_of, within


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


@inlined
def new_factors(size):
    """Room for so many of each factor."""
    f4 = np.float32
    return Factors(
        np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4), np.empty(size, f4)
    )


@inlined
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


@inlined
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


@inlined
def pad(like, group, width):
    """Zeros on either side of a row of moving mass, so that a jump past the sentence's end reads nothing."""
    lanes = width_of(like)
    zero = splat(like, np.float32(0.0))
    for i in range(4):
        store(group.moving, i * lanes, zero)
    for i in range(5):
        store(group.moving, (width + 4 + i) * lanes, zero)
        store(group.below, i * lanes, zero)


@inlined
def _splat_all(like, taps):
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


@inlined
def forward(like, width, height, taps, factors, group):
    """Forward pass of one group: arrived, state, mass, scale, none and ending.

    The rows beyond a lane's own J leave its chain exactly as it was.
    """
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = _splat_all(like, taps)
    # ``state`` rows are unscaled: each is brought to sum one, by ``scale``, when it is next read.
    total = zero
    for i in range(0, row, lanes):
        x = load(like, factors.first, i) * load(like, group.links, i)
        store(group.arrived, i, x)
        store(group.state, i, x)
        total = total + x
    still = load(like, group.skip, 0)
    total = total + still
    shrink = one / total
    store(group.mass, 0, total)
    store(group.scale, 0, shrink)
    store(group.none, 0, one)
    store(group.none, lanes, still * shrink)
    for j in range(1, height):
        here = j * row
        before = here - row
        stayed = load(like, group.skip, j * lanes)
        stay_null = stayed * shrink
        entering = load(like, group.none, j * lanes)
        running = zero
        for i in range(0, row, lanes):
            x = load(like, group.state, before + i)
            store(group.moving, i + 4 * lanes, x * load(like, factors.stay, i))
            running = running + x * load(like, factors.up, i)
            store(group.below, i + 5 * lanes, running)
            # A group may be larger than the first-level cache: what comes next is fetched, here and below.
            prefetch(group.arrived, here + i)
            prefetch(group.state, here + i)
        above = zero
        total = zero
        i = row - lanes
        u1 = load(like, group.moving, i + lanes)
        u2 = load(like, group.moving, i + 2 * lanes)
        u3 = load(like, group.moving, i + 3 * lanes)
        u4 = load(like, group.moving, i + 4 * lanes)
        u5, u6, u7, u8 = zero, zero, zero, zero
        while i >= 0:
            u0 = load(like, group.moving, i)
            if i + 5 * lanes < row:
                x = load(like, group.state, before + i + 5 * lanes)
                above = above + x * load(like, factors.down, i + 5 * lanes)
            # Short sums, added in the end: one of all would be waited for.
            down = c0 * u8 + c1 * u7 + c2 * u6
            near = c3 * u5 + c4 * u4 + c5 * u3
            up = c6 * u2 + c7 * u1 + c8 * u0
            far = load(like, group.below, i) + above
            entry = entering * load(like, factors.first, i)
            x = ((down + near + up + far) * shrink + entry) * load(like, group.links, here + i)
            store(group.arrived, here + i, x)
            x = x + stay_null * load(like, group.state, before + i)
            store(group.state, here + i, x)
            total = total + x
            u8, u7, u6, u5, u4, u3, u2, u1 = u7, u6, u5, u4, u3, u2, u1, u0
            i -= lanes
        still = entering * stayed
        total = total + still
        total = within(load(like, group.live, j * lanes), total, one)
        shrink = one / total
        store(group.mass, j * lanes, total)
        store(group.scale, j * lanes, shrink)
        store(group.none, (j + 1) * lanes, still * shrink)

    end = (height - 1) * row
    total = load(like, group.none, height * lanes) * load(like, group.empty, 0)
    for i in range(0, row, lanes):
        total = total + load(like, group.state, end + i) * shrink * load(like, factors.last, i)
    store(group.ending, 0, total)


@inlined
def backward(like, width, height, taps, factors, group):
    """Backward pass of one group, which carries the forward scales: posteriors and expected jumps."""
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = _splat_all(like, taps)
    finish = one / load(like, group.ending, 0)
    end = (height - 1) * row
    shrink = load(like, group.scale, (height - 1) * lanes)
    for i in range(0, row, lanes):
        b = load(like, factors.last, i) * finish
        store(group.backward, i, b)
        store(group.left_behind, i, zero)
        store(group.entered, i, zero)
        # Scaled before all else: beyond the lane's own J the state is scaled already, and must round alike.
        store(group.settled, i, load(like, group.state, end + i) * shrink * b)
    backward_none = load(like, group.empty, 0) * finish

    n0, n1, n2, n3, n4, n5, n6, n7, n8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
    rose, fell = zero, zero
    j = height - 1
    while j > 0:
        here = j * row
        before = here - row
        shrink = load(like, group.scale, j * lanes)
        shrink_before = load(like, group.scale, (j - 1) * lanes)
        stay_null = load(like, group.skip, j * lanes) * shrink
        entering = load(like, group.none, j * lanes)
        running = zero
        stayed = zero
        came_in = zero
        for i in range(0, row, lanes):
            b = load(like, group.backward, i)
            stayed = stayed + load(like, group.state, before + i) * b
            b = b * shrink
            x = load(like, group.links, here + i) * b
            store(group.links, here + i, load(like, group.arrived, here + i) * b)
            store(group.moving, i + 4 * lanes, x)
            came_in = came_in + load(like, factors.first, i) * x
            store(group.entered, i, load(like, group.entered, i) + entering * x)
            running = running + x
            store(group.below, i + 5 * lanes, running)
        above = zero
        i = row - lanes
        w1 = load(like, group.moving, i + lanes)
        w2 = load(like, group.moving, i + 2 * lanes)
        w3 = load(like, group.moving, i + 3 * lanes)
        w4 = load(like, group.moving, i + 4 * lanes)
        w5, w6, w7, w8 = zero, zero, zero, zero
        while i >= 0:
            w0 = load(like, group.moving, i)
            prefetch(group.links, before + i)
            prefetch(group.arrived, before + i)
            above = above + load(like, group.moving, i + 9 * lanes)
            at = load(like, factors.stay, i)
            up = c8 * w8 + c7 * w7 + c6 * w6
            near = c5 * w5 + c4 * w4 + c3 * w3
            down = c2 * w2 + c1 * w1 + c0 * w0
            inner = up + near + down
            rising = load(like, factors.up, i) * above
            falling = load(like, factors.down, i) * load(like, group.below, i)
            onward = inner * at + rising + falling
            x = load(like, group.state, before + i) * shrink_before
            rose = rose + x * rising
            fell = fell + x * falling
            store(group.left_behind, i, load(like, group.left_behind, i) + x * onward)
            x = x * at
            n0 = n0 + x * w0
            n1 = n1 + x * w1
            n2 = n2 + x * w2
            n3 = n3 + x * w3
            n4 = n4 + x * w4
            n5 = n5 + x * w5
            n6 = n6 + x * w6
            n7 = n7 + x * w7
            n8 = n8 + x * w8
            store(group.backward, i, onward + stay_null * load(like, group.backward, i))
            w8, w7, w6, w5, w4, w3, w2, w1 = w7, w6, w5, w4, w3, w2, w1, w0
            i -= lanes
        store(group.unaligned, j * lanes, stay_null * (stayed * shrink_before + entering * backward_none))
        backward_none = came_in + stay_null * backward_none
        j -= 1
    shrink = load(like, group.scale, 0)
    for i in range(0, row, lanes):
        b = load(like, group.backward, i) * shrink
        x = load(like, group.entered, i) + load(like, group.links, i) * b
        store(group.entered, i, load(like, factors.first, i) * x)
        store(group.links, i, load(like, group.arrived, i) * b)
    store(group.unaligned, 0, load(like, group.skip, 0) * shrink * backward_none)
    store(group.inside, 0, fell)
    store(group.inside, lanes, c0 * n0)
    store(group.inside, 2 * lanes, c1 * n1)
    store(group.inside, 3 * lanes, c2 * n2)
    store(group.inside, 4 * lanes, c3 * n3)
    store(group.inside, 5 * lanes, c4 * n4)
    store(group.inside, 6 * lanes, c5 * n5)
    store(group.inside, 7 * lanes, c6 * n6)
    store(group.inside, 8 * lanes, c7 * n7)
    store(group.inside, 9 * lanes, c8 * n8)
    store(group.inside, 10 * lanes, rose)
