"""Expected jump counts and the distortion M-step."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.naive.buckets import (
    BUCKETS,
    LEFTS,
    RIGHTS,
    Alignment,
    Matrix,
    Vector,
    bucket,
    centre,
    normaliser,
    reach_class,
    reachable,
)


class JumpCounts(NamedTuple):
    """The sufficient statistics of one set of buckets.

    N[b] (11): expected jumps in bucket b. M[left][right] (7 x 6): expected uses of each class's normaliser.
    """

    N: list[float]
    M: list[list[float]]


def no_jumps() -> JumpCounts:
    """Return counts of 0."""
    return JumpCounts([0.0] * BUCKETS, [[0.0] * RIGHTS for _ in range(LEFTS)])


def _count(counts: JumpCounts, offset: int, reach: tuple[int, int], p: float) -> None:
    left, right = reach
    counts.N[bucket(offset)] += p
    counts.M[left][right] += p


def model2_statistics(q: Mapping[Alignment, float], I: int, J: int) -> JumpCounts:
    """Return the expected bucket counts of bucketed Model 2 under q."""
    counts = no_jumps()
    for a, p in q.items():
        for j, i in enumerate(a, start=1):
            if i > 0:
                origin = centre(j, I, J)
                _count(counts, i - origin, reach_class(origin, I), p)
    return counts


def hmm_statistics(q: Mapping[Alignment, float], I: int) -> dict[str, JumpCounts]:
    """Return the expected bucket counts of the HMM under q, for "first", "inside" and "last"."""
    counts = {name: no_jumps() for name in ("first", "inside", "last")}
    for a, p in q.items():
        at = 0
        for i in a:
            if i > 0:
                _count(counts["first" if at == 0 else "inside"], i - at, reach_class(at, I), p)
                at = i
        if at > 0:
            _count(counts["last"], I + 1 - at, reach_class(0, I), p)
    return counts


def _classes(M: Matrix) -> Iterator[tuple[int, int, float]]:
    for left, right in itertools.product(range(LEFTS), range(RIGHTS)):
        if M[left][right] > 0:
            yield left, right, M[left][right]


def hmm_statistics_by_position(q: Mapping[Alignment, float], I: int) -> list[JumpCounts]:
    """Return the expected bucket counts of the HMM's jumps from each position under q."""
    counts = [no_jumps() for _ in range(I)]
    for a, p in q.items():
        at = 0
        for i in a:
            if at > 0 and i > 0:
                _count(counts[at - 1], i - at, reach_class(at, I), p)
            at = i or at
    return counts


def mstep_objective(c: Vector, N: Vector, M: Matrix) -> float:
    """Return sum_b N_b log c_b - sum_(left,right) M log Z(c), the objective of the distortion M-step."""
    gain = math.fsum(n * math.log(x) if x > 0 else -math.inf for n, x in zip(N, c, strict=True) if n > 0)
    return gain - math.fsum(uses * math.log(normaliser(c, left, right)) for left, right, uses in _classes(M))


def mstep_round(c: Vector, N: Vector, M: Matrix) -> list[float]:
    """Run a minorise-maximise round: c_b <- N_b / sum_(left,right) M r_b / Z(c), scaled to sum to 1.

    r_b = 1 if the class reaches b. A bucket that no class reaches has no evidence and keeps its share.
    """
    shares = [(reachable(*reach), uses / normaliser(c, *reach)) for *reach, uses in _classes(M)]
    new = []
    for b in range(BUCKETS):
        slope = math.fsum(share for reached, share in shares if b in reached)
        new.append(N[b] / slope if slope > 0 else c[b])
    scale = math.fsum(new)
    return [x / scale for x in new]


def mstep(c: Vector, N: Vector, M: Matrix, rounds: int = 2000) -> list[float]:
    """Return the maximiser of `mstep_objective`, by a large number of rounds from c."""
    for _ in range(rounds):
        c = mstep_round(c, N, M)
    return list(c)
