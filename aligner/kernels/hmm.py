"""Forward-backward and Viterbi of the HMM alignment model, linear in the cells.

The model generates an emitted sentence of length J from a conditioning sentence of length I (Vogel, Ney &
Tillmann 1996; Liang, Taskar & Klein 2006). The chain's state is the last non-NULL position: NULL emits
without moving it, and state "none" holds until the first link. A transition's probability depends on the jump
through eleven buckets and on a normaliser of the position left, so summing over the I predecessors is a 9-tap
convolution plus one prefix and one suffix sum: O(I) per emitted word.

    S_j[i] = e_j[i] * sum_k S_{j-1}[k] d(i|k)  +  p0 null_j S_{j-1}[i],        S_0 = "none"

Rows are scaled to sum to one; the backward rows carry the same scales, so that S_j . B_j = 1 for every j.
"""

import math

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed import to_fixed
from aligner.kernels.simd import deinterleave, interleave, lanes16, load, splat, store, width_of

# Pairs with more cells go alone: sixteen of them side by side would need too much memory.
_LARGE = 1 << 16


@kernel
def _transitions(length, jumps, p0, power, stay, up, down, first, last):
    """Fill the per-position factors of one sentence length; all but ``last`` include 1 - p0.

    stay[i]: (1 - p0) / Z_i, the factor of every inner jump from i; up[i], down[i]: probability of one
    particular target in the outer buckets; first[i]: of entering at i; last[i]: of leaving from i.
    """
    z_first = normalisers(jumps[0])[0]
    z_inside = normalisers(jumps[1])
    z_last = normalisers(jumps[2])[0]
    move = 1.0 - p0
    outer = max(length - 4, 1)
    reach = min(length, 5)
    for i in range(length):
        stay[i] = move / z_inside[min(i + 1, 6), min(length - 1 - i, 5)]
        up[i] = jumps[1, 10] * stay[i] / max(length - 5 - i, 1)
        down[i] = jumps[1, 0] * stay[i] / max(i - 4, 1)
        entering = min(i + 1, 5)
        first[i] = move * jumps[0, entering + 5] / z_first[reach] / (outer if entering == 5 else 1)
        leaving = min(length - i, 5)
        last[i] = jumps[2, leaving + 5] / z_last[reach] / (outer if leaving == 5 else 1)
    if power != 1.0:
        for i in range(length):
            stay[i] = stay[i] ** power
            up[i] = up[i] ** power
            down[i] = down[i] ** power
            first[i] = first[i] ** power
            last[i] = last[i] ** power


@kernel
def _lane_factors(lane, lanes, length, jumps, p0, power, stay, up, down, first, last):
    """Write one sentence length's ``_transitions`` into its lane of the group's arrays, [position, lane]."""
    z_first = normalisers(jumps[0])[0]
    z_inside = normalisers(jumps[1])
    z_last = normalisers(jumps[2])[0]
    move = 1.0 - p0
    reach = min(length, 5)
    entering = move / z_first[reach]
    leaving = 1.0 / z_last[reach]
    outer = 1.0 / max(length - 4, 1)
    for i in range(length):
        k = i * lanes + lane
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
        stay[k], up[k], down[k], first[k], last[k] = at, rising, falling, entry, exit


@kernel
def _forward_backward(
    like, width, height, taps, stay, up, down, first, last, empty, skip, live, links,
    arrived, state, departing, arriving, below, backward, mass, scale, none, null, ending, inside, left_behind, entered,
):
    """Forward-backward of one group of sentence pairs, one per lane; all arrays float32, lanes innermost.

    width, height: the group's largest I and J. links: [height, width] potentials, 0 outside a lane's own I
    and J, replaced by posteriors. skip: [height], p0 null_j, 1 beyond a lane's J; live: [height], 1 within
    it, else 0. The rows beyond a lane's J leave its chain exactly as it was. Outputs: mass [height], the row
    sums whose product times ``ending`` is the sum over all alignments; null [height], P(NULL); inside [11],
    expected jumps; left_behind, entered [width]: expected departures from and first arrivals at each
    position.
    """
    lanes = width_of(like)
    row = width * lanes
    zero = splat(like, np.float32(0.0))
    one = splat(like, np.float32(1.0))
    c0 = splat(like, taps[0])
    c1 = splat(like, taps[1])
    c2 = splat(like, taps[2])
    c3 = splat(like, taps[3])
    c4 = splat(like, taps[4])
    c5 = splat(like, taps[5])
    c6 = splat(like, taps[6])
    c7 = splat(like, taps[7])
    c8 = splat(like, taps[8])
    # Four zeros on either side, so that a jump past the sentence's end reads nothing.
    for i in range(4):
        store(departing, i * lanes, zero)
        store(departing, (width + 4 + i) * lanes, zero)
        store(arriving, i * lanes, zero)
        store(arriving, (width + 4 + i) * lanes, zero)
    for i in range(5):
        store(below, i * lanes, zero)

    # Forward. ``state`` rows are unscaled: each is brought to sum one, by ``scale``, when it is next read.
    total = zero
    for i in range(0, row, lanes):
        x = load(like, first, i) * load(like, links, i)
        store(arrived, i, x)
        store(state, i, x)
        total = total + x
    still = load(like, skip, 0)
    total = total + still
    shrink = one / total
    store(mass, 0, total)
    store(scale, 0, shrink)
    store(none, 0, one)
    store(none, lanes, still * shrink)
    for j in range(1, height):
        here = j * row
        before = here - row
        stayed = load(like, skip, j * lanes)
        stay_null = stayed * shrink
        entering = load(like, none, j * lanes)
        running = zero
        for i in range(0, row, lanes):
            x = load(like, state, before + i) * shrink
            store(departing, i + 4 * lanes, x * load(like, stay, i))
            running = running + x * load(like, up, i)
            store(below, i + 5 * lanes, running)
        above = zero
        total = zero
        i = row - lanes
        u1 = load(like, departing, i + lanes)
        u2 = load(like, departing, i + 2 * lanes)
        u3 = load(like, departing, i + 3 * lanes)
        u4 = load(like, departing, i + 4 * lanes)
        u5, u6, u7, u8 = zero, zero, zero, zero
        while i >= 0:
            u0 = load(like, departing, i)
            if i + 5 * lanes < row:
                far = load(like, state, before + i + 5 * lanes) * shrink
                above = above + far * load(like, down, i + 5 * lanes)
            x = c8 * u0 + c7 * u1 + c6 * u2 + c5 * u3 + c4 * u4 + c3 * u5 + c2 * u6 + c1 * u7 + c0 * u8
            x = x + load(like, below, i) + above + entering * load(like, first, i)
            x = x * load(like, links, here + i)
            store(arrived, here + i, x)
            x = x + stay_null * load(like, state, before + i)
            store(state, here + i, x)
            total = total + x
            u8, u7, u6, u5, u4, u3, u2, u1 = u7, u6, u5, u4, u3, u2, u1, u0
            i -= lanes
        still = entering * stayed
        total = total + still
        active = load(like, live, j * lanes)
        shrink = active * (one / total) + (one - active)
        store(mass, j * lanes, total)
        store(scale, j * lanes, shrink)
        store(none, (j + 1) * lanes, still * shrink)

    end = (height - 1) * row
    total = load(like, none, height * lanes) * load(like, empty, 0)
    for i in range(0, row, lanes):
        total = total + load(like, state, end + i) * shrink * load(like, last, i)
    store(ending, 0, total)
    finish = one / total
    for i in range(0, row, lanes):
        store(backward, i, load(like, last, i) * finish)
        store(left_behind, i, zero)
        store(entered, i, zero)
    backward_none = load(like, empty, 0) * finish

    # Backward: posteriors and expected jumps. ``backward`` rows carry the forward scales.
    n0, n1, n2, n3, n4, n5, n6, n7, n8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
    rose, fell = zero, zero
    j = height - 1
    while j > 0:
        here = j * row
        before = here - row
        shrink = load(like, scale, j * lanes)
        shrink_before = load(like, scale, (j - 1) * lanes)
        stay_null = load(like, skip, j * lanes) * shrink
        entering = load(like, none, j * lanes)
        running = zero
        stayed = zero
        came_in = zero
        for i in range(0, row, lanes):
            b = load(like, backward, i)
            stayed = stayed + load(like, state, before + i) * b
            b = b * shrink
            x = load(like, links, here + i) * b
            store(links, here + i, load(like, arrived, here + i) * b)
            store(arriving, i + 4 * lanes, x)
            came_in = came_in + load(like, first, i) * x
            store(entered, i, load(like, entered, i) + entering * x)
            running = running + x
            store(below, i + 5 * lanes, running)
        above = zero
        i = row - lanes
        w1 = load(like, arriving, i + lanes)
        w2 = load(like, arriving, i + 2 * lanes)
        w3 = load(like, arriving, i + 3 * lanes)
        w4 = load(like, arriving, i + 4 * lanes)
        w5, w6, w7, w8 = zero, zero, zero, zero
        while i >= 0:
            w0 = load(like, arriving, i)
            if i + 5 * lanes < row:
                above = above + load(like, arriving, i + 9 * lanes)
            at = load(like, stay, i)
            inner = c0 * w0 + c1 * w1 + c2 * w2 + c3 * w3 + c4 * w4 + c5 * w5 + c6 * w6 + c7 * w7 + c8 * w8
            rising = load(like, up, i) * above
            falling = load(like, down, i) * load(like, below, i)
            onward = inner * at + rising + falling
            x = load(like, state, before + i) * shrink_before
            rose = rose + x * rising
            fell = fell + x * falling
            store(left_behind, i, load(like, left_behind, i) + x * onward)
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
            store(backward, i, onward + stay_null * load(like, backward, i))
            w8, w7, w6, w5, w4, w3, w2, w1 = w7, w6, w5, w4, w3, w2, w1, w0
            i -= lanes
        store(null, j * lanes, stay_null * (stayed * shrink_before + entering * backward_none))
        backward_none = came_in + stay_null * backward_none
        j -= 1
    shrink = load(like, scale, 0)
    for i in range(0, row, lanes):
        b = load(like, backward, i) * shrink
        store(entered, i, load(like, entered, i) + load(like, links, i) * b)
        store(links, i, load(like, arrived, i) * b)
    store(null, 0, load(like, skip, 0) * shrink * backward_none)
    store(inside, 0, fell)
    store(inside, lanes, c0 * n0)
    store(inside, 2 * lanes, c1 * n1)
    store(inside, 3 * lanes, c2 * n2)
    store(inside, 4 * lanes, c3 * n3)
    store(inside, 5 * lanes, c4 * n4)
    store(inside, 6 * lanes, c5 * n5)
    store(inside, 7 * lanes, c6 * n6)
    store(inside, 8 * lanes, c7 * n7)
    store(inside, 9 * lanes, c8 * n8)
    store(inside, 10 * lanes, rose)


@kernel
def _move(lanes, inwards, members, cells, conditioning, emitted, width, height, emit, links):
    """Copy a group's cells from [J, I] per pair to [height, width, lanes], 0 beyond a pair's own, or back."""
    if lanes == 1:
        n = members[0]
        for k in range(cells[n + 1] - cells[n]):
            if inwards:
                links[k] = emit[cells[n] + k]
            else:
                emit[cells[n] + k] = links[k]
        return
    places = np.zeros(16, np.int64)
    counts = np.zeros(16, np.int64)
    for j in range(height):
        for i in range(0, width, 16):
            for lane in range(len(members)):
                n = members[lane]
                places[lane] = cells[n] + j * conditioning[n] + i
                counts[lane] = conditioning[n] - i if j < emitted[n] else 0
            at = (j * width + i) * 16
            if inwards:
                interleave(emit, places, counts, links, at)
            else:
                deinterleave(links, at, emit, places, counts)


@kernel
def _infer_groups(
    like, order, cells, tokens, emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, statistics
):
    """Run the pairs in ``order`` through forward-backward, as many at a time as ``like`` has lanes."""
    lanes = width_of(like)
    f4 = np.float32
    widest = 1
    tallest = 1
    largest = 1
    for start in range(0, len(order), lanes):
        width = 1
        height = 1
        for n in order[start : start + lanes]:
            width = max(width, conditioning[n])
            height = max(height, emitted[n])
        widest = max(widest, width)
        tallest = max(tallest, height)
        largest = max(largest, width * height)
    stay = np.empty(widest * lanes, f4)
    up = np.empty(widest * lanes, f4)
    down = np.empty(widest * lanes, f4)
    first = np.empty(widest * lanes, f4)
    last = np.empty(widest * lanes, f4)
    backward = np.empty(widest * lanes, f4)
    left_behind = np.empty(widest * lanes, f4)
    entered = np.empty(widest * lanes, f4)
    below = np.empty((widest + 5) * lanes, f4)
    departing = np.empty((widest + 8) * lanes, f4)
    arriving = np.empty((widest + 8) * lanes, f4)
    skip = np.empty(tallest * lanes, f4)
    live = np.empty(tallest * lanes, f4)
    mass = np.empty(tallest * lanes, f4)
    scale = np.empty(tallest * lanes, f4)
    unaligned = np.empty(tallest * lanes, f4)
    none = np.empty((tallest + 1) * lanes, f4)
    # Moving cells in and out goes sixteen positions at a time, the last of them perhaps beyond the group's
    # width.
    links = np.empty((largest + 16) * lanes, f4)
    arrived = np.empty(largest * lanes, f4)
    state = np.empty(largest * lanes, f4)
    empty = np.empty(lanes, f4)
    ending = np.empty(lanes, f4)
    inside = np.empty(11 * lanes, f4)
    taps = np.empty(9, f4)
    for d in range(9):
        taps[d] = jumps[1, d + 1] ** power
    for start in range(0, len(order), lanes):
        members = order[start : start + lanes]
        width = 1
        height = 1
        for n in members:
            width = max(width, conditioning[n])
            height = max(height, emitted[n])
        stay[: width * lanes] = 0.0
        up[: width * lanes] = 0.0
        down[: width * lanes] = 0.0
        first[: width * lanes] = 0.0
        last[: width * lanes] = 0.0
        skip[: height * lanes] = 1.0
        live[: height * lanes] = 0.0
        empty[:] = 1.0
        for lane in range(len(members)):
            n = members[lane]
            own_width = conditioning[n]
            p0 = null_probability(fixed_p0, own_width)
            _lane_factors(lane, lanes, own_width, jumps, p0, power, stay, up, down, first, last)
            p0 = p0**power
            empty[lane] = (1.0 / own_width) ** power
            x = null[tokens[n] : tokens[n + 1]]
            for j in range(len(x)):
                skip[j * lanes + lane] = p0 * x[j]
                live[j * lanes + lane] = 1.0
        _move(lanes, True, members, cells, conditioning, emitted, width, height, emit, links)
        _forward_backward(
            like, width, height, taps, stay, up, down, first, last, empty, skip, live, links,
            arrived, state, departing, arriving, below, backward, mass, scale, none, unaligned, ending, inside,
            left_behind, entered,
        )
        _move(lanes, False, members, cells, conditioning, emitted, width, height, emit, links)
        for lane in range(len(members)):
            n = members[lane]
            own_width = conditioning[n]
            own_height = emitted[n]
            x = null[tokens[n] : tokens[n + 1]]
            product = 1.0
            total_log = 0.0
            for j in range(own_height):
                x[j] = unaligned[j * lanes + lane]
                product *= mass[j * lanes + lane]
                if product < 1e-200 or product > 1e200:
                    total_log += math.log(product)
                    product = 1.0
            log_likelihood[n] = total_log + math.log(product) + math.log(ending[lane])
            for bucket in range(11):
                statistics[1, bucket] += to_fixed(inside[bucket * lanes + lane])
            reach = min(own_width, 5)
            final = (height - 1) * width
            for i in range(own_width):
                k = i * lanes + lane
                used = to_fixed(left_behind[k])
                statistics[1, 11 + 6 * min(i + 1, 6) + min(own_width - 1 - i, 5)] += used
                fixed = to_fixed(entered[k] * first[k])
                statistics[0, 5 + min(i + 1, 5)] += fixed
                statistics[0, 11 + reach] += fixed
                settled = state[final * lanes + k] * scale[(height - 1) * lanes + lane]
                fixed = to_fixed(settled * f4(last[k] / ending[lane]))
                statistics[2, 5 + min(own_width - i, 5)] += fixed
                statistics[2, 11 + reach] += fixed


@kernel
def posteriors(emit, null, conditioning, emitted, order, jumps, fixed_p0, power, log_likelihood, statistics):
    """Replace potentials by posteriors, in place; add expected jump statistics.

    emit: float32, [J, I] per pair: t(emitted_j | conditioning_i); on return P(a_j = i). null: float32, [J]:
    t(emitted_j | NULL); on return P(a_j = NULL). order: int64 [pairs], the order in which pairs are put into
    groups: like sizes together waste no lanes; it changes no result. jumps: float64 [3, 11], entering,
    inside, leaving. power: exponent of the distortion factors, p0 included. log_likelihood: float64 [pairs],
    set to the log of the sum over all alignments. statistics: int64 fixed point [3, 11 + 42]: expected jumps
    by bucket, then expected uses of each normaliser by reach (7 x 6), for entering, inside and leaving.
    """
    pairs = len(emitted)
    cells = np.empty(pairs + 1, np.int64)
    tokens = np.empty(pairs + 1, np.int64)
    cells[0] = 0
    tokens[0] = 0
    small = np.empty(pairs, np.int64)
    large = np.empty(pairs, np.int64)
    smalls = 0
    larges = 0
    for n in range(pairs):
        cells[n + 1] = cells[n] + conditioning[n] * emitted[n]
        tokens[n + 1] = tokens[n] + emitted[n]
        log_likelihood[n] = 0.0
    for n in order:
        size = cells[n + 1] - cells[n]
        if size > _LARGE:
            large[larges] = n
            larges += 1
        elif size > 0:
            small[smalls] = n
            smalls += 1
    _infer_groups(
        lanes16(), small[:smalls], cells, tokens, emit, null, conditioning, emitted, jumps, fixed_p0, power,
        log_likelihood, statistics,
    )
    if larges > 0:
        _infer_groups(
            np.float32(0.0), large[:larges], cells, tokens, emit, null, conditioning, emitted, jumps, fixed_p0, power,
            log_likelihood, statistics,
        )


@kernel
def viterbi(emit, null, conditioning, emitted, jumps, fixed_p0, alignment):
    """Set alignment (int32, [J] per pair) to the best conditioning position from 0, or -1 for NULL.

    Max-product over the same chain; rows are scaled by their maximum. Linear in the cells too: the best
    predecessor beyond the inner jumps is a running maximum. Ties go to NULL.
    """
    widest = 1
    largest = 1
    for n in range(len(emitted)):
        widest = max(widest, conditioning[n])
        largest = max(largest, emitted[n] * (conditioning[n] + 1))
    f4 = np.float32
    stay = np.empty(widest, f4)
    up = np.empty(widest, f4)
    down = np.empty(widest, f4)
    first = np.empty(widest, f4)
    last = np.empty(widest, f4)
    best = np.empty(widest + 1)
    arrive = np.empty(widest)
    origin = np.empty(widest, np.int32)
    # back[j, i]: the state before j if j was emitted by arriving at i, or -1 if by NULL; state I is "none".
    back = np.empty(largest, np.int32)
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0:
            alignment[token : token + height] = -1
            token += height
            continue
        p0 = null_probability(fixed_p0, width)
        _transitions(width, jumps, p0, 1.0, stay, up, down, first, last)
        best[:width] = 0.0
        best[width] = 1.0
        for j in range(height):
            e = emit[cell + j * width : cell + (j + 1) * width]
            for i in range(width):
                arrive[i] = best[width] * first[i]
                origin[i] = width
            if j > 0:
                for i in range(width):
                    for k in range(max(i - 4, 0), min(i + 5, width)):
                        value = best[k] * stay[k] * jumps[1, i - k + 5]
                        if value > arrive[i]:
                            arrive[i] = value
                            origin[i] = k
                running = 0.0
                at = 0
                for i in range(5, width):
                    if best[i - 5] * up[i - 5] > running:
                        running = best[i - 5] * up[i - 5]
                        at = i - 5
                    if running > arrive[i]:
                        arrive[i] = running
                        origin[i] = at
                running = 0.0
                for i in range(width - 6, -1, -1):
                    if best[i + 5] * down[i + 5] > running:
                        running = best[i + 5] * down[i + 5]
                        at = i + 5
                    if running > arrive[i]:
                        arrive[i] = running
                        origin[i] = at
            skip = p0 * null[token + j]
            row = back[j * (width + 1) : (j + 1) * (width + 1)]
            row[width] = -1
            top = best[width] * skip
            best[width] = top
            for i in range(width):
                value = arrive[i] * e[i]
                row[i] = origin[i]
                if best[i] * skip >= value:
                    value = best[i] * skip
                    row[i] = -1
                best[i] = value
                top = max(top, value)
            for i in range(width + 1):
                best[i] /= top
        state = width
        value = best[width] / width
        for i in range(width):
            if best[i] * last[i] > value:
                value = best[i] * last[i]
                state = i
        for j in range(height - 1, -1, -1):
            before = back[j * (width + 1) + state]
            if before < 0:
                alignment[token + j] = -1
            else:
                alignment[token + j] = state
                state = before
        cell += width * height
        token += height
