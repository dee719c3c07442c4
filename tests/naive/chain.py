"""The HMM on pairs that are too long to enumerate."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import math
import operator

from tests.naive.buckets import Matrix, Vector, last_weights, position_weights


def hmm_chain(
    emit: Matrix, null: Vector, p0: float, first: Vector, inside: Vector, last: Vector
) -> tuple[list[list[float]], list[float], float]:
    """Return link and NULL posteriors of `hmm`, and the log of its total, for pairs too long to enumerate.

    This is forward-backward over the states 0, no link so far, and 1..I, the last linked position, with all
    (I+1) I transitions: O(I^2 J). Each row of forward mass is scaled to sum to 1.
    """
    I, J = len(emit[0]), len(emit)
    weights = [position_weights(first, 0, I)] + [position_weights(inside, i, I) for i in range(1, I + 1)]
    moves = [[(1 - p0) * weight for weight in row] for row in weights]
    arriving = list(zip(*moves, strict=True))
    state = [1.0] + [0.0] * I
    before, linked, scales = [], [], []
    for potentials, stay in zip(emit, null, strict=True):
        moved = [
            e * math.fsum(map(operator.mul, state, to)) for e, to in zip(potentials, arriving, strict=True)
        ]
        reached = [m + p0 * stay * s for m, s in zip([0.0, *moved], state, strict=True)]
        scale = math.fsum(reached)
        before.append(state)
        linked.append([m / scale for m in moved])
        scales.append(scale)
        state = [mass / scale for mass in reached]
    ends = [1 / I, *last_weights(last, I)]
    ending = math.fsum(map(operator.mul, state, ends))
    after = [end / ending for end in ends]
    links, nulls = [], []
    for j in reversed(range(J)):
        stay = p0 * null[j] / scales[j]
        links.insert(0, [m * b for m, b in zip(linked[j], after[1:], strict=True)])
        nulls.insert(0, stay * math.fsum(map(operator.mul, before[j], after)))
        onward = [e / scales[j] * b for e, b in zip(emit[j], after[1:], strict=True)]
        after = [
            math.fsum(map(operator.mul, row, onward)) + stay * b for row, b in zip(moves, after, strict=True)
        ]
    return links, nulls, math.fsum(map(math.log, scales)) + math.log(ending)
