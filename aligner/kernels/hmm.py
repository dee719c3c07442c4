"""Forward-backward and Viterbi of the HMM alignment model, linear in the cells.

The model generates an emitted sentence of length J from a conditioning sentence of length I (Vogel, Ney &
Tillmann 1996; Liang, Taskar & Klein 2006). The chain's state is the last non-NULL position: NULL emits without
moving it, and state "none" holds until the first link. A transition's probability depends on the jump through
eleven buckets and on a normaliser of the position left, so summing over the I predecessors is a 9-tap
convolution plus one prefix and one suffix sum: O(I) per emitted word.

    S_j[i] = e_j[i] * sum_k S_{j-1}[k] d(i|k)  +  p0 null_j S_{j-1}[i],        S_0 = "none"

Rows are scaled to sum to one; the backward rows carry the same scales, so that S_j . B_j = 1 for every j.
"""

import math

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.fixed import to_fixed


@kernel
def _transitions(length, jumps, p0, power, stay, up, down, first, last):  # type: ignore[no-untyped-def]
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
def _outer_sums(from_left, from_right, below, above, length):  # type: ignore[no-untyped-def]
    """below[i] = sum of from_left[: i - 4]; above[i] = sum of from_right[i + 5 :].

    Two independent running sums in one loop, so that their latencies overlap.
    """
    left = np.float32(0.0)
    right = np.float32(0.0)
    for i in range(length - 5):
        left += from_left[i]
        below[i + 5] = left
        k = length - 1 - i
        right += from_right[k]
        above[k - 5] = right


@kernel
def posteriors(emit, null, conditioning, emitted, jumps, fixed_p0, power, log_likelihood, statistics):  # type: ignore[no-untyped-def]
    """Replace potentials by posteriors, in place; add expected jump statistics.

    emit: float32, [J, I] per pair: t(emitted_j | conditioning_i); on return P(a_j = i). null: float32, [J]:
    t(emitted_j | NULL); on return P(a_j = NULL). jumps: float64 [3, 11], entering, inside, leaving. power:
    exponent of the distortion factors, p0 included. log_likelihood: float64 [pairs], set to the log of the sum over all
    alignments. statistics: int64 fixed point [3, 11 + 42]: expected jumps by bucket, then expected uses of each
    normaliser by reach (7 x 6), for entering, inside and leaving.
    """
    widest = 0
    longest = 0
    largest = 0
    for n in range(len(emitted)):
        widest = max(widest, conditioning[n])
        longest = max(longest, emitted[n])
        largest = max(largest, emitted[n] * (conditioning[n] + 5))
    f4 = np.float32
    stay = np.empty(widest, f4)
    up = np.empty(widest, f4)
    down = np.empty(widest, f4)
    first = np.empty(widest, f4)
    last = np.empty(widest, f4)
    from_left = np.empty(widest, f4)
    from_right = np.empty(widest, f4)
    below = np.zeros(widest, f4)
    above = np.zeros(widest, f4)
    backward = np.empty(widest, f4)
    left_behind = np.empty(widest, f4)
    went_up = np.empty(widest, f4)
    went_down = np.empty(widest, f4)
    entered = np.empty(widest, f4)
    arrived = np.empty(largest, f4)
    state = np.empty(largest, f4)
    # Rows of these two are separated by five zeros, so that a jump past the sentence end reads nothing.
    departing = np.zeros(largest + 10, f4)
    arriving = np.zeros(largest + 10, f4)
    scale = np.empty(longest)
    none = np.empty(longest + 1)
    inside = np.empty(11)
    taps = np.empty(9, f4)
    for d in range(9):
        taps[d] = jumps[1, d + 1] ** power
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = (
        taps[0],
        taps[1],
        taps[2],
        taps[3],
        taps[4],
        taps[5],
        taps[6],
        taps[7],
        taps[8],
    )
    prepared = -1
    p0 = 0.0
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0 or height == 0:
            log_likelihood[n] = 0.0
            token += height
            continue
        if width != prepared:
            p0 = null_probability(fixed_p0, width)
            _transitions(width, jumps, p0, power, stay, up, down, first, last)
            p0 = p0**power
            prepared = width
            below[:width] = 0.0
            above[:width] = 0.0
        stride = width + 5
        for j in range(height + 1):
            departing[j * stride : j * stride + 5] = 0.0
            arriving[j * stride : j * stride + 5] = 0.0

        # Forward.
        product = 1.0
        total_log = 0.0
        none[0] = 1.0
        for j in range(height):
            e = emit[cell + j * width : cell + (j + 1) * width]
            a = arrived[j * width : (j + 1) * width]
            s = state[j * width : (j + 1) * width]
            stay_null = f4(p0 * null[token + j])
            entering = f4(none[j])
            total = f4(0.0)
            if j == 0:
                for i in range(width):
                    a[i] = first[i] * e[i]
                    s[i] = a[i]
                    total += s[i]
            else:
                before = state[(j - 1) * width : j * width]
                u = departing[(j - 1) * stride + 1 : (j - 1) * stride + 1 + width + 8]
                core = departing[(j - 1) * stride + 5 : (j - 1) * stride + 5 + width]
                for i in range(width):
                    core[i] = before[i] * stay[i]
                    from_left[i] = before[i] * up[i]
                    from_right[i] = before[i] * down[i]
                _outer_sums(from_left, from_right, below, above, width)
                for i in range(width):
                    inner = (
                        c8 * u[i]
                        + c7 * u[i + 1]
                        + c6 * u[i + 2]
                        + c5 * u[i + 3]
                        + c4 * u[i + 4]
                        + c3 * u[i + 5]
                        + c2 * u[i + 6]
                        + c1 * u[i + 7]
                        + c0 * u[i + 8]
                    )
                    a[i] = (inner + below[i] + above[i] + entering * first[i]) * e[i]
                    s[i] = a[i] + stay_null * before[i]
                    total += s[i]
            still_none = none[j] * p0 * null[token + j]
            mass = total + still_none
            scale[j] = 1.0 / mass
            none[j + 1] = still_none * scale[j]
            shrink = f4(scale[j])
            for i in range(width):
                a[i] *= shrink
                s[i] *= shrink
            product *= mass
            if product < 1e-200 or product > 1e200:
                total_log += math.log(product)
                product = 1.0
        ending = none[height] * (1.0 / width) ** power
        s = state[(height - 1) * width : height * width]
        total = f4(0.0)
        for i in range(width):
            total += s[i] * last[i]
        ending += total
        log_likelihood[n] = total_log + math.log(product) + math.log(ending)

        # Backward, posteriors and counts.
        for i in range(width):
            backward[i] = f4(last[i] / ending)
            left_behind[i] = 0.0
            went_up[i] = 0.0
            went_down[i] = 0.0
            entered[i] = 0.0
            from_left[i] = s[i] * backward[i]
        backward_none = (1.0 / width) ** power / ending
        reach = min(width, 5)
        for i in range(width):
            fixed = to_fixed(from_left[i])
            statistics[2, 5 + min(width - i, 5)] += fixed
            statistics[2, 11 + reach] += fixed
        for j in range(height - 1, -1, -1):
            e = emit[cell + j * width : cell + (j + 1) * width]
            a = arrived[j * width : (j + 1) * width]
            v = arriving[j * stride + 5 : j * stride + 5 + width]
            shrink = f4(scale[j])
            stay_null_scaled = p0 * null[token + j] * scale[j]
            stay_null = f4(stay_null_scaled)
            entering_total = f4(0.0)
            stayed = f4(0.0)
            if j == 0:
                for i in range(width):
                    v[i] = e[i] * backward[i] * shrink
                    e[i] = a[i] * backward[i]
                    entered[i] += v[i]
            else:
                before = state[(j - 1) * width : j * width]
                for i in range(width):
                    v[i] = e[i] * backward[i] * shrink
                    e[i] = a[i] * backward[i]
                    stayed += before[i] * backward[i]
                    entering_total += first[i] * v[i]
                if none[j] > 0.0:
                    entering = f4(none[j])
                    for i in range(width):
                        entered[i] += entering * v[i]
                _outer_sums(v, v, below, above, width)
                w = arriving[j * stride + 1 : j * stride + 1 + width + 8]
                for i in range(width):
                    inner = (
                        c0 * w[i]
                        + c1 * w[i + 1]
                        + c2 * w[i + 2]
                        + c3 * w[i + 3]
                        + c4 * w[i + 4]
                        + c5 * w[i + 5]
                        + c6 * w[i + 6]
                        + c7 * w[i + 7]
                        + c8 * w[i + 8]
                    )
                    onward = inner * stay[i] + up[i] * above[i] + down[i] * below[i]
                    left_behind[i] += before[i] * onward
                    went_up[i] += before[i] * above[i]
                    went_down[i] += before[i] * below[i]
                    backward[i] = onward + stay_null * backward[i]
            null[token + j] = stay_null_scaled * (stayed + none[j] * backward_none)
            backward_none = entering_total + stay_null_scaled * backward_none

        # Expected jumps between inner buckets: one long correlation over all rows at once.
        n0 = f4(0.0)
        n1 = f4(0.0)
        n2 = f4(0.0)
        n3 = f4(0.0)
        n4 = f4(0.0)
        n5 = f4(0.0)
        n6 = f4(0.0)
        n7 = f4(0.0)
        n8 = f4(0.0)
        span = (height - 1) * stride
        if span > 0:
            u = departing[5 : 5 + span]
            w = arriving[1 + stride : 1 + stride + span + 8]
            for k in range(span):
                x = u[k]
                n0 += x * w[k]
                n1 += x * w[k + 1]
                n2 += x * w[k + 2]
                n3 += x * w[k + 3]
                n4 += x * w[k + 4]
                n5 += x * w[k + 5]
                n6 += x * w[k + 6]
                n7 += x * w[k + 7]
                n8 += x * w[k + 8]
        inside[1], inside[2], inside[3] = c0 * n0, c1 * n1, c2 * n2
        inside[4], inside[5], inside[6] = c3 * n3, c4 * n4, c5 * n5
        inside[7], inside[8], inside[9] = c6 * n6, c7 * n7, c8 * n8
        rose = f4(0.0)
        fell = f4(0.0)
        for i in range(width):
            rose += went_up[i] * up[i]
            fell += went_down[i] * down[i]
        inside[0] = fell
        inside[10] = rose
        for bucket in range(11):
            statistics[1, bucket] += to_fixed(inside[bucket])
        for i in range(width):
            used = to_fixed(left_behind[i])
            statistics[1, 11 + 6 * min(i + 1, 6) + min(width - 1 - i, 5)] += used
            fixed = to_fixed(entered[i] * first[i])
            statistics[0, 5 + min(i + 1, 5)] += fixed
            statistics[0, 11 + reach] += fixed
        cell += width * height
        token += height


@kernel
def viterbi(emit, null, conditioning, emitted, jumps, fixed_p0, alignment):  # type: ignore[no-untyped-def]
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
