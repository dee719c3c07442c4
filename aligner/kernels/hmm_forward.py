"""The forward pass of the HMM alignment model, linear in the cells.

The model generates an emitted sentence of length J from a conditioning sentence of length I (Vogel, Ney &
Tillmann 1996; Liang, Taskar & Klein 2006). The state of the chain is the last non-NULL position. NULL emits
without a change of state, and the state is "none" before the first link. The probability of a transition
depends on the jump, through eleven buckets, and on a normaliser of the position left. The sum over the I
predecessors is therefore a 9-tap convolution plus a prefix sum and a suffix sum: O(I) per emitted word.

    S_j[i] = e_j[i] ( none_{j-1} first[i] + sum_k S_{j-1}[k] d(i|k) )  +  p0 null_j S_{j-1}[i],
    none_j = none_{j-1} p0 null_j,        S_0 = 0,  none_0 = 1

e_j[i] is t(emitted_j | conditioning_i), null_j is t(emitted_j | NULL), d(i|k) is the probability of the jump
from k to i, and first[i] is the probability that the first link is at i.

Each row S_j, none_j included, is scaled to sum to 1. ``state`` stores the row unscaled, with its ``scale``,
and each reader multiplies the two. The backward rows B_j carry the same scales, so that the scaled
S_j . B_j = 1 for every j.
"""

import numpy as np

from aligner.kernels.hmm_group import MARGIN
from aligner.kernels.memory import prefetch
from aligner.kernels.policy import helper
from aligner.kernels.simd import load, splat, store, where_live, width_of


@helper
def forward(like, width, height, stride, factors, group):
    """Run the forward pass of one group: set arrived, state, mass, scale, none and ending.

    stride: the distance of the weights of jumps to neighbouring positions, 0 if all positions share them.

    Rows beyond a lane's own J do not change the lane's chain: its emission potentials are 0, and its skip is
    1.
    """
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    # Rows of ``state`` are unscaled. Each is multiplied by its ``scale`` when it is read for the next row.
    total = zero
    for i in range(0, row, lanes):
        x = load(like, factors.first, i) * load(like, group.links, i)
        store(group.arrived, i, x)
        store(group.state, i, x)
        total = total + x
    skipped = load(like, group.skip, 0)
    total = total + skipped
    scale = one / total
    store(group.mass, 0, total)
    store(group.scale, 0, scale)
    store(group.none, 0, one)
    store(group.none, lanes, skipped * scale)
    for j in range(1, height):
        current = j * row
        previous = current - row
        skip = load(like, group.skip, j * lanes)
        scaled_skip = skip * scale
        entering = load(like, group.none, j * lanes)
        running = zero
        for i in range(0, row, lanes):
            x = load(like, group.state, previous + i)
            store(group.moving, i + 4 * lanes, x * load(like, factors.stay, i))
            running = running + x * load(like, factors.up, i)
            store(group.below, i + 5 * lanes, running)
            # A group may be larger than the first-level cache.
            prefetch(group.arrived, current + i)
            prefetch(group.state, current + i)
        above = zero
        total = zero
        i = row - lanes
        k = (width - 1 + MARGIN) * stride
        u1 = load(like, group.moving, i + lanes)
        u2 = load(like, group.moving, i + 2 * lanes)
        u3 = load(like, group.moving, i + 3 * lanes)
        u4 = load(like, group.moving, i + 4 * lanes)
        u5, u6, u7, u8 = zero, zero, zero, zero
        while i >= 0:
            u0 = load(like, group.moving, i)
            if i + 5 * lanes < row:
                x = load(like, group.state, previous + i + 5 * lanes)
                above = above + x * load(like, factors.down, i + 5 * lanes)
            # The order of the loads decides which of two products the compiler fuses with their sum.
            c8 = load(like, factors.weights, k + 9 * lanes - 4 * stride)
            c7 = load(like, factors.weights, k + 8 * lanes - 3 * stride)
            c6 = load(like, factors.weights, k + 7 * lanes - 2 * stride)
            c5 = load(like, factors.weights, k + 6 * lanes - stride)
            c4 = load(like, factors.weights, k + 5 * lanes)
            c3 = load(like, factors.weights, k + 4 * lanes + stride)
            c2 = load(like, factors.weights, k + 3 * lanes + 2 * stride)
            c1 = load(like, factors.weights, k + 2 * lanes + 3 * stride)
            c0 = load(like, factors.weights, k + lanes + 4 * stride)
            # Three short sums have a lower latency than a single chain of nine additions.
            taps_down = c0 * u8 + c1 * u7 + c2 * u6
            taps_near = c3 * u5 + c4 * u4 + c5 * u3
            taps_up = c6 * u2 + c7 * u1 + c8 * u0
            outer = load(like, group.below, i) + above
            entry = entering * load(like, factors.first, i)
            inner = taps_down + taps_near + taps_up
            x = ((inner + outer) * scale + entry) * load(like, group.links, current + i)
            store(group.arrived, current + i, x)
            x = x + scaled_skip * load(like, group.state, previous + i)
            store(group.state, current + i, x)
            total = total + x
            u8, u7, u6, u5, u4, u3, u2, u1 = u7, u6, u5, u4, u3, u2, u1, u0
            i -= lanes
            k -= stride
        skipped = entering * skip
        total = total + skipped
        total = where_live(load(like, group.live, j * lanes), total, one)
        scale = one / total
        store(group.mass, j * lanes, total)
        store(group.scale, j * lanes, scale)
        store(group.none, (j + 1) * lanes, skipped * scale)

    end = (height - 1) * row
    total = load(like, group.none, height * lanes) * load(like, group.empty, 0)
    for i in range(0, row, lanes):
        total = total + load(like, group.state, end + i) * scale * load(like, factors.last, i)
    store(group.ending, 0, total)
