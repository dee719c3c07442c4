"""The backward pass of the HMM alignment model (see ``hmm_forward``): posteriors and expected jumps."""

import numpy as np

from aligner.kernels.hmm_group import splat_taps
from aligner.kernels.memory import prefetch
from aligner.kernels.policy import helper
from aligner.kernels.simd import load, splat, store, width_of


@helper
def backward(like, width, height, taps, factors, group):
    """Backward pass of one group, which carries the forward scales: posteriors and expected jumps."""
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = splat_taps(like, taps)
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
