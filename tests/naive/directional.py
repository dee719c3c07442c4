"""Directional models, and sums and maxima over their alignments."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.naive.buckets import (
    Alignment,
    Matrix,
    Posterior,
    Vector,
    alignments,
    centre,
    last_weights,
    position_weights,
)


class Directional(NamedTuple):
    """A directional model of one pair: emit J x I, null J, and the distortion factor of an alignment."""

    emit: Matrix
    null: Vector
    distortion: Callable[[Alignment], float]


def size(model: Directional) -> tuple[int, int]:
    """Return (I, J) of the pair. J must be at least 1, because I is read off `emit`."""
    return len(model.emit[0]), len(model.emit)


def model1(emit: Matrix, null: Vector, p0: float) -> Directional:
    """Return Model 1 (Brown et al. 1993): NULL p0, each position (1 - p0) / I."""
    I = len(emit[0])

    def distortion(a: Alignment) -> float:
        return math.prod(p0 if i == 0 else (1 - p0) / I for i in a)

    return Directional(emit, null, distortion)


def model2_table(emit: Matrix, null: Vector, p0: float, table: Matrix) -> Directional:
    """Return Model 2 with the full table (Brown et al. 1993): (1 - p0) p, p = table[j-1][i-1]."""

    def distortion(a: Alignment) -> float:
        return math.prod(p0 if i == 0 else (1 - p0) * row[i - 1] for i, row in zip(a, table, strict=True))

    return Directional(emit, null, distortion)


def model2(emit: Matrix, null: Vector, p0: float, c: Vector) -> Directional:
    """Return Model 2 in eleven buckets around the diagonal (Liang et al. 2006, section 2)."""
    I, J = len(emit[0]), len(emit)
    return model2_table(emit, null, p0, [position_weights(c, centre(j, I, J), I) for j in range(1, J + 1)])


def hmm(emit: Matrix, null: Vector, p0: float, first: Vector, inside: Vector, last: Vector) -> Directional:
    """Return the HMM (Vogel et al. 1996; Liang et al. 2006, section 2).

    Jumps start at the last linked position. `first` enters the sentence (from position 0), `inside` jumps
    within it, and `last` leaves it from the last linked position. Without links, it is left with 1/I.
    """
    return hmm_by_position(emit, null, p0, first, [inside] * len(emit[0]), last)


def hmm_by_position(
    emit: Matrix, null: Vector, p0: float, first: Vector, inside: Matrix, last: Vector
) -> Directional:
    """Return the HMM whose jumps from each position have buckets of their own (He 2007): `inside`, I x 11."""
    I = len(emit[0])
    entering = position_weights(first, 0, I)
    jumping = [position_weights(inside[origin - 1], origin, I) for origin in range(1, I + 1)]
    leaving = last_weights(last, I)

    def distortion(a: Alignment) -> float:
        value, at = 1.0, 0
        for i in a:
            if i == 0:
                value *= p0  # NULL does not move the chain
            else:
                value *= (1 - p0) * (entering if at == 0 else jumping[at - 1])[i - 1]
                at = i
        return value * (1 / I if at == 0 else leaving[at - 1])

    return Directional(emit, null, distortion)


def joint(model: Directional, a: Alignment, *, power_lex: float = 1.0, power_dist: float = 1.0) -> float:
    """Return p(emitted, a | conditioning) = lexical(a)^power_lex * distortion(a)^power_dist."""
    lexical = math.prod(
        null if i == 0 else row[i - 1] for i, row, null in zip(a, model.emit, model.null, strict=True)
    )
    return float(lexical**power_lex * model.distortion(a) ** power_dist)


def total(model: Directional, **power: float) -> float:
    """Return sum_a joint(a), the likelihood of the emitted side."""
    return math.fsum(joint(model, a, **power) for a in alignments(*size(model)))


def posterior(model: Directional, **power: float) -> Posterior:
    """Return p(a | pair) for every alignment."""
    Z = total(model, **power)
    return {a: joint(model, a, **power) / Z for a in alignments(*size(model))}


def marginals(q: Mapping[Alignment, float], I: int, J: int) -> tuple[list[list[float]], list[float]]:
    """Return q(a_j = i) as J x I, and q(a_j = NULL) as J, of a distribution q over alignments."""
    links = [[math.fsum(p for a, p in q.items() if a[j] == i) for i in range(1, I + 1)] for j in range(J)]
    nulls = [math.fsum(p for a, p in q.items() if a[j] == 0) for j in range(J)]
    return links, nulls


def link_posteriors(model: Directional, **power: float) -> tuple[list[list[float]], list[float]]:
    """Return p(a_j = i | pair) as J x I and p(a_j = NULL | pair) as J."""
    return marginals(posterior(model, **power), *size(model))


def viterbi(model: Directional, **power: float) -> tuple[set[Alignment], float]:
    """Return all alignments with the highest joint (up to rounding, 1e-12 relative), and that joint.

    With power_lex=2 this is the decision rule of Cheng, Liu & Xu 2017, eq. (7).
    """
    scores = {a: joint(model, a, **power) for a in alignments(*size(model))}
    best = max(scores.values())
    return {a for a, score in scores.items() if score >= best * (1 - 1e-12)}, best


def tilted(model: Directional, factors: Matrix) -> Directional:
    """Return the model with every lexical potential multiplied by factors[j][i]; NULL is not changed."""
    emit = [[e * f for e, f in zip(*rows, strict=True)] for rows in zip(model.emit, factors, strict=True)]
    return model._replace(emit=emit)
