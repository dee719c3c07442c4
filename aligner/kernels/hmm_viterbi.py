"""The best alignment under the HMM, linear in the cells."""

import numpy as np

from aligner.kernels.distortion import normalisers, null_probability
from aligner.kernels.hmm_group import fill_factors, new_factors
from aligner.kernels.policy import kernel


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
    factors = new_factors(widest)
    z_first = normalisers(jumps[0])
    z_inside = normalisers(jumps[1])
    z_last = normalisers(jumps[2])
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
        fill_factors(factors, 0, width, jumps, z_first, z_inside, z_last, p0, 1.0)
        best[:width] = 0.0
        best[width] = 1.0
        for j in range(height):
            e = emit[cell + j * width : cell + (j + 1) * width]
            for i in range(width):
                arrive[i] = best[width] * factors.first[i]
                origin[i] = width
            if j > 0:
                for i in range(width):
                    for k in range(max(i - 4, 0), min(i + 5, width)):
                        value = best[k] * factors.stay[k] * jumps[1, i - k + 5]
                        if value > arrive[i]:
                            arrive[i] = value
                            origin[i] = k
                running = 0.0
                at = 0
                for i in range(5, width):
                    if best[i - 5] * factors.up[i - 5] > running:
                        running = best[i - 5] * factors.up[i - 5]
                        at = i - 5
                    if running > arrive[i]:
                        arrive[i] = running
                        origin[i] = at
                running = 0.0
                for i in range(width - 6, -1, -1):
                    if best[i + 5] * factors.down[i + 5] > running:
                        running = best[i + 5] * factors.down[i + 5]
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
            if best[i] * factors.last[i] > value:
                value = best[i] * factors.last[i]
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
