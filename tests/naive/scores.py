"""The objective of reconstruction, and the alignment error rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.naive.directional import Directional, total

Links = set[tuple[int, int]]


def mre_objective(model: Directional) -> float:
    """Return log sum_z P(z|y) P(x|z,y)^2 - log P(x|y), P(z|y) the distortion (Cheng, Liu & Xu 2017)."""
    return math.log(total(model, power_lex=2.0)) - math.log(total(model))


def aer(answer: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links]) -> float:
    """Return 1 - (|A∩S| + |A∩P|) / (|A| + |S|) over the whole corpus, P taken to contain S (Och & Ney 2003).

    It is 0 if there are neither links nor sure links.
    """
    hits = asked = 0
    for A, S, P in zip(answer, sure, possible, strict=True):
        hits += len(A & S) + len(A & (P | S))
        asked += len(A) + len(S)
    return 1 - hits / asked if asked else 0.0
