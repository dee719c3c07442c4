"""The exact product E-step."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import math

from tests.naive.buckets import Alignment, alignments
from tests.naive.directional import Directional, joint, marginals, size


def reverse_alignment(a: Alignment, I: int) -> Alignment | None:
    """Return the same links read from the other side, or None if a conditioning word has two links."""
    b = [0] * I
    for j, i in enumerate(a, start=1):
        if i > 0:
            if b[i - 1] > 0:
                return None
            b[i - 1] = j
    return tuple(b)


def product_exact(
    forward: Directional, reverse: Directional, **power: float
) -> tuple[list[list[float]], float]:
    """Return links J x I and the log of the sum of the exact product E-step.

    Liang, Klein & Jordan 2008, section 4. The alignments are Z1 ∩ Z2, the link sets in which every word of
    either side has at most one link. The potential of an alignment is forward.joint * reverse.joint, where an
    unlinked word is a NULL link of the model that emits it. `reverse` has emit I x J and null I.
    """
    I, J = size(forward)
    scores = {}
    for a in alignments(I, J):
        b = reverse_alignment(a, I)
        if b is not None:
            scores[a] = joint(forward, a, **power) * joint(reverse, b, **power)
    Z = math.fsum(scores.values())
    links, _ = marginals({a: score / Z for a, score in scores.items()}, I, J)
    return links, math.log(Z)
