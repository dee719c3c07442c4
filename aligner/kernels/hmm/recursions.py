"""The forward and the backward pass of the HMM alignment model, linear in the cells (see ``kernels.hmm``).

Each row S_j, none_j included, is scaled to sum to 1. ``state`` stores the row unscaled, with its ``scale``,
and each reader multiplies the two. The backward rows B_j carry the same scales, so that the scaled
S_j . B_j = 1 for every j.
"""

import numpy as np

from aligner.kernels.constants import BUCKETS
from aligner.kernels.hmm.group import MARGIN
from aligner.kernels.intrinsics import load, prefetch, splat, store, where_live, width_of
from aligner.kernels.policy import helper, part


@part
def forward(like, width, height, stride, memory, at):
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
        x = load(like, memory, at.first + i) * load(like, memory, at.links + i)
        store(memory, at.arrived + i, x)
        store(memory, at.state + i, x)
        total = total + x
    skipped = load(like, memory, at.skip)
    total = total + skipped
    scale = one / total
    store(memory, at.mass, total)
    store(memory, at.scale, scale)
    store(memory, at.none, one)
    store(memory, at.none + lanes, skipped * scale)
    for j in range(1, height):
        current = j * row
        previous = current - row
        skip = load(like, memory, at.skip + j * lanes)
        scaled_skip = skip * scale
        entering = load(like, memory, at.none + j * lanes)
        running = zero
        for i in range(0, row, lanes):
            x = load(like, memory, at.state + previous + i)
            store(memory, at.moving + i + 4 * lanes, x * load(like, memory, at.stay + i))
            running = running + x * load(like, memory, at.up + i)
            store(memory, at.below + i + 5 * lanes, running)
            # A group may be larger than the first-level cache.
            prefetch(memory, at.arrived + current + i)
            prefetch(memory, at.state + current + i)
        above = zero
        total = zero
        i = row - lanes
        k = (width - 1 + MARGIN) * stride
        u1 = load(like, memory, at.moving + i + lanes)
        u2 = load(like, memory, at.moving + i + 2 * lanes)
        u3 = load(like, memory, at.moving + i + 3 * lanes)
        u4 = load(like, memory, at.moving + i + 4 * lanes)
        u5, u6, u7, u8 = zero, zero, zero, zero
        while i >= 0:
            u0 = load(like, memory, at.moving + i)
            if i + 5 * lanes < row:
                x = load(like, memory, at.state + previous + i + 5 * lanes)
                above = above + x * load(like, memory, at.down + i + 5 * lanes)
            # The order of the loads decides which of two products the compiler fuses with their sum.
            c8 = load(like, memory, at.weights + k + 9 * lanes - 4 * stride)
            c7 = load(like, memory, at.weights + k + 8 * lanes - 3 * stride)
            c6 = load(like, memory, at.weights + k + 7 * lanes - 2 * stride)
            c5 = load(like, memory, at.weights + k + 6 * lanes - stride)
            c4 = load(like, memory, at.weights + k + 5 * lanes)
            c3 = load(like, memory, at.weights + k + 4 * lanes + stride)
            c2 = load(like, memory, at.weights + k + 3 * lanes + 2 * stride)
            c1 = load(like, memory, at.weights + k + 2 * lanes + 3 * stride)
            c0 = load(like, memory, at.weights + k + lanes + 4 * stride)
            # Three short sums have a lower latency than a single chain of nine additions.
            taps_down = c0 * u8 + c1 * u7 + c2 * u6
            taps_near = c3 * u5 + c4 * u4 + c5 * u3
            taps_up = c6 * u2 + c7 * u1 + c8 * u0
            outer = load(like, memory, at.below + i) + above
            entry = entering * load(like, memory, at.first + i)
            inner = taps_down + taps_near + taps_up
            x = ((inner + outer) * scale + entry) * load(like, memory, at.links + current + i)
            store(memory, at.arrived + current + i, x)
            x = x + scaled_skip * load(like, memory, at.state + previous + i)
            store(memory, at.state + current + i, x)
            total = total + x
            u8, u7, u6, u5, u4, u3, u2, u1 = u7, u6, u5, u4, u3, u2, u1, u0
            i -= lanes
            k -= stride
        skipped = entering * skip
        total = total + skipped
        total = where_live(load(like, memory, at.live + j * lanes), total, one)
        scale = one / total
        store(memory, at.mass + j * lanes, total)
        store(memory, at.scale + j * lanes, scale)
        store(memory, at.none + (j + 1) * lanes, skipped * scale)

    end = (height - 1) * row
    total = load(like, memory, at.none + height * lanes) * load(like, memory, at.empty)
    for i in range(0, row, lanes):
        total = total + load(like, memory, at.state + end + i) * scale * load(like, memory, at.last + i)
    store(memory, at.ending, total)


@helper
def _add_product(array, index, x, y):
    """Add x * y to array[index : index + lanes]."""
    store(array, index, load(x, array, index) + x * y)


@part
def backward(like, width, height, stride, counted, memory, at):
    """Run the backward pass of one group: set links, unaligned, entered, left, last and inside.

    Rows carry the scales of the forward pass. stride: as in ``forward``; counted: False if ``inside`` is not
    needed.
    """
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    finish = one / load(like, memory, at.ending)
    end = (height - 1) * row
    scale = load(like, memory, at.scale + (height - 1) * lanes)
    for i in range(0, row, lanes):
        b = load(like, memory, at.last + i) * finish
        store(memory, at.backward + i, b)
        store(memory, at.left + i, zero)
        store(memory, at.entered + i, zero)
        # Scaled first: beyond a lane's own J, the state is already scaled, and both must round the same way.
        store(memory, at.ended + i, load(like, memory, at.state + end + i) * scale * b)
    backward_none = load(like, memory, at.empty) * finish

    jumps = (width + MARGIN) * stride if stride else BUCKETS * lanes
    # A float32 sum over all cells of a pair of 1,000 words would lose 1 per mille: sum rows, then their sums.
    of_row = at.inside if stride else at.inside + jumps
    for k in range(0, jumps, lanes):
        store(memory, at.inside + k, zero)
        store(memory, of_row + k, zero)
    j = height - 1
    while j > 0:
        current = j * row
        previous = current - row
        scale = load(like, memory, at.scale + j * lanes)
        previous_scale = load(like, memory, at.scale + (j - 1) * lanes)
        scaled_skip = load(like, memory, at.skip + j * lanes) * scale
        entering = load(like, memory, at.none + j * lanes)
        running = zero
        stayed = zero
        arriving = zero
        for i in range(0, row, lanes):
            b = load(like, memory, at.backward + i)
            stayed = stayed + load(like, memory, at.state + previous + i) * b
            b = b * scale
            x = load(like, memory, at.links + current + i) * b
            store(memory, at.links + current + i, load(like, memory, at.arrived + current + i) * b)
            store(memory, at.moving + i + 4 * lanes, x)
            arriving = arriving + load(like, memory, at.first + i) * x
            store(memory, at.entered + i, load(like, memory, at.entered + i) + entering * x)
            running = running + x
            store(memory, at.below + i + 5 * lanes, running)
        above = zero
        i = row - lanes
        k = (width - 1 + MARGIN) * stride
        w1 = load(like, memory, at.moving + i + lanes)
        w2 = load(like, memory, at.moving + i + 2 * lanes)
        w3 = load(like, memory, at.moving + i + 3 * lanes)
        w4 = load(like, memory, at.moving + i + 4 * lanes)
        w5, w6, w7, w8 = zero, zero, zero, zero
        while i >= 0:
            w0 = load(like, memory, at.moving + i)
            prefetch(memory, at.links + previous + i)
            prefetch(memory, at.arrived + previous + i)
            above = above + load(like, memory, at.moving + i + 9 * lanes)
            stay = load(like, memory, at.stay + i)
            c0 = load(like, memory, at.weights + k + lanes)
            c1 = load(like, memory, at.weights + k + 2 * lanes)
            c2 = load(like, memory, at.weights + k + 3 * lanes)
            c3 = load(like, memory, at.weights + k + 4 * lanes)
            c4 = load(like, memory, at.weights + k + 5 * lanes)
            c5 = load(like, memory, at.weights + k + 6 * lanes)
            c6 = load(like, memory, at.weights + k + 7 * lanes)
            c7 = load(like, memory, at.weights + k + 8 * lanes)
            c8 = load(like, memory, at.weights + k + 9 * lanes)
            taps_up = c8 * w8 + c7 * w7 + c6 * w6
            taps_near = c5 * w5 + c4 * w4 + c3 * w3
            taps_down = c2 * w2 + c1 * w1 + c0 * w0
            inner = taps_up + taps_near + taps_down
            rising = load(like, memory, at.up + i) * above
            falling = load(like, memory, at.down + i) * load(like, memory, at.below + i)
            onward = inner * stay + rising + falling
            x = load(like, memory, at.state + previous + i) * previous_scale
            store(memory, at.left + i, load(like, memory, at.left + i) + x * onward)
            if counted:
                _add_product(memory, of_row + k, x, falling)
                _add_product(memory, of_row + k + 10 * lanes, x, rising)
                x = x * stay
                _add_product(memory, of_row + k + lanes, x, w0)
                _add_product(memory, of_row + k + 2 * lanes, x, w1)
                _add_product(memory, of_row + k + 3 * lanes, x, w2)
                _add_product(memory, of_row + k + 4 * lanes, x, w3)
                _add_product(memory, of_row + k + 5 * lanes, x, w4)
                _add_product(memory, of_row + k + 6 * lanes, x, w5)
                _add_product(memory, of_row + k + 7 * lanes, x, w6)
                _add_product(memory, of_row + k + 8 * lanes, x, w7)
                _add_product(memory, of_row + k + 9 * lanes, x, w8)
            store(memory, at.backward + i, onward + scaled_skip * load(like, memory, at.backward + i))
            w8, w7, w6, w5, w4, w3, w2, w1 = w7, w6, w5, w4, w3, w2, w1, w0
            i -= lanes
            k -= stride
        if counted and not stride:
            for k in range(0, jumps, lanes):
                store(
                    memory, at.inside + k, load(like, memory, at.inside + k) + load(like, memory, of_row + k)
                )
                store(memory, of_row + k, zero)
        store(
            memory,
            at.unaligned + j * lanes,
            scaled_skip * (stayed * previous_scale + entering * backward_none),
        )
        backward_none = arriving + scaled_skip * backward_none
        j -= 1
    scale = load(like, memory, at.scale)
    for i in range(0, row, lanes):
        b = load(like, memory, at.backward + i) * scale
        x = load(like, memory, at.entered + i) + load(like, memory, at.links + i) * b
        store(memory, at.entered + i, load(like, memory, at.first + i) * x)
        store(memory, at.links + i, load(like, memory, at.arrived + i) * b)
    store(memory, at.unaligned, load(like, memory, at.skip) * scale * backward_none)
    for first in range(0, jumps, BUCKETS * lanes):
        for k in range(first + lanes, first + (BUCKETS - 1) * lanes, lanes):  # the nine inner buckets
            store(
                memory, at.inside + k, load(like, memory, at.weights + k) * load(like, memory, at.inside + k)
            )
