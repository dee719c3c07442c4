"""The best alignment under the HMM, linear in the cells (see ``kernels.hmm`` for the model).

The best predecessor of a position is found as the sum over predecessors is in ``recursions``: nine inner
jumps are compared, and the best predecessor in an outer bucket is a running maximum from either end.

Slow twin, by enumeration: ``tests.naive.directional.viterbi``.
"""

import numpy as np

from aligner.kernels.constants import BUCKETS
from aligner.kernels.distortion import null_probability, set_of
from aligner.kernels.hmm.group import MARGIN, fill_factors, fill_jumps, new_group, shares_of_targets
from aligner.kernels.loops import copy
from aligner.kernels.policy import helper, kernel


@helper
def _set_first(width, best, memory, at, arrived, origin):
    """Set arrived[i] to the probability of the first link at i, and origin[i] to the state "none", I."""
    for i in range(width):
        arrived[i] = best[width] * memory[at.first + i]
        origin[i] = width


@helper
def _improve_by_jumps(width, best, memory, at, arrived, origin):
    """Raise arrived[i] to the value by the best predecessor of i, and set origin[i] to this predecessor.

    best: float64 [I + 1], the best probability of each state; arrived: float64 [I]; origin: int32 [I].
    """
    for i in range(width):
        for k in range(max(i - 4, 0), min(i + 5, width)):
            value = best[k] * memory[at.stay + k] * memory[at.weights + (k + MARGIN) * BUCKETS + i - k + 5]
            if value > arrived[i]:
                arrived[i] = value
                origin[i] = k
    highest = 0.0
    highest_origin = 0
    for i in range(5, width):
        if best[i - 5] * memory[at.up + i - 5] > highest:
            highest = best[i - 5] * memory[at.up + i - 5]
            highest_origin = i - 5
        if highest > arrived[i]:
            arrived[i] = highest
            origin[i] = highest_origin
    highest = 0.0
    for i in range(width - 6, -1, -1):
        if best[i + 5] * memory[at.down + i + 5] > highest:
            highest = best[i + 5] * memory[at.down + i + 5]
            highest_origin = i + 5
        if highest > arrived[i]:
            arrived[i] = highest
            origin[i] = highest_origin


@helper
def _emit(width, e, skip, arrived, origin, best, row):
    """Advance ``best`` by one emitted word, scaled to a maximum of 1, and write its row of back pointers.

    e: float32 [I], potentials; skip: the factor of a NULL link.
    """
    row[width] = -1
    top = best[width] * skip
    best[width] = top
    for i in range(width):
        value = arrived[i] * e[i]
        row[i] = origin[i]
        if best[i] * skip >= value:
            value = best[i] * skip
            row[i] = -1
        best[i] = value
        top = max(top, value)
    for i in range(width + 1):
        best[i] /= top


@helper
def _best_last_state(width, best, memory, at):
    """Return the last state of the best alignment: the position of its last link, or I if there is none."""
    state = width
    value = best[width] / width
    for i in range(width):
        if best[i] * memory[at.last + i] > value:
            value = best[i] * memory[at.last + i]
            state = i
    return state


@helper
def _trace_back(width, height, state, back, alignment):
    """Set alignment, int32 [J], from the back pointers, int32 [J, I + 1], flat."""
    for j in range(height - 1, -1, -1):
        previous = back[j * (width + 1) + state]
        if previous < 0:
            alignment[j] = -1
        else:
            alignment[j] = state
            state = previous


@kernel
def viterbi(emit, null, conditioning, emitted, words, sets, fixed_p0, alignment):
    """Set alignment, int32, [J] for each pair, to the best conditioning position from 0, or to -1 for NULL.

    Other arguments are as in ``hmm.posteriors``. Ties go to NULL.
    """
    widest = 1
    largest = 1
    for n in range(len(emitted)):
        widest = max(widest, conditioning[n])
        largest = max(largest, emitted[n] * (conditioning[n] + 1))
    memory, at = new_group(1, widest, 1, 1, (widest + 2 * MARGIN) * BUCKETS)
    shares = shares_of_targets(widest, 1.0)
    best = np.empty(widest + 1)
    arrived = np.empty(widest)
    origin = np.empty(widest, np.int32)
    # back[j, i] is the state before j if j is linked to i, or -1 if j is a NULL link. State I means "none".
    back = np.empty(largest, np.int32)
    cell = 0
    token = 0
    word = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        height = emitted[n]
        if width == 0:
            alignment[token : token + height] = -1
            token += height
            continue
        p0 = null_probability(fixed_p0, width)
        fill_factors(memory, at.stay, widest, width, sets, p0, 1.0)
        own = words[word : word + width]
        for i in range(width):
            first = at.weights + (i + MARGIN) * BUCKETS
            weights = sets.weights[set_of(own[i], len(sets.weights))]
            copy(weights, memory[first : first + BUCKETS])
        fill_jumps(1, 0, own, sets.scales, shares, 1.0 - p0, memory, at)
        best[:width] = 0.0
        best[width] = 1.0
        for j in range(height):
            _set_first(width, best, memory, at, arrived, origin)
            if j > 0:
                _improve_by_jumps(width, best, memory, at, arrived, origin)
            e = emit[cell + j * width : cell + (j + 1) * width]
            row = back[j * (width + 1) : (j + 1) * (width + 1)]
            _emit(width, e, p0 * null[token + j], arrived, origin, best, row)
        state = _best_last_state(width, best, memory, at)
        _trace_back(width, height, state, back, alignment[token : token + height])
        cell += width * height
        token += height
        word += width
