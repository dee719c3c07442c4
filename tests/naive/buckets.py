"""The eleven jump buckets: alignments, reach classes, normalisers and position weights."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

Alignment = tuple[int, ...]
Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]
Posterior = dict[Alignment, float]

REACH = 5  # offsets at or beyond this share the outer bucket
BUCKETS = 2 * REACH + 1
LEFTS = REACH + 2  # reach classes on the left, 0..6
RIGHTS = REACH + 1  # reach classes on the right, 0..5


def alignments(I: int, J: int) -> Iterator[Alignment]:
    """Yield all (I+1)^J alignments of J emitted words to NULL (0) or one of I conditioning words (1..I)."""
    return itertools.product(range(I + 1), repeat=J)


def default_p0(I: int) -> float:
    """Return the length-dependent NULL probability 1/(I+1) (Liang, Taskar & Klein 2006, section 2)."""
    return 1 / (I + 1)


def bucket(offset: int) -> int:
    """Return the bucket 0..10 of an offset: clip(offset, -5, 5) + 5."""
    return max(-REACH, min(REACH, offset)) + REACH


def centre(j: int, I: int, J: int) -> int:
    """Return floor(j I / J + 1/2), the point of the diagonal at j = 1..J, by integer arithmetic; 0..I."""
    return (2 * j * I + J) // (2 * J)


def reach_class(origin: int, I: int) -> tuple[int, int]:
    """Return (left, right), which determines the normaliser at `origin` in 0..I.

    Positions 1..I lie at offsets 1-origin .. I-origin: `origin` of them at offsets 0, -1, ..., and I - origin
    at offsets 1, 2, .... After the sixth on the left and the fifth on the right they repeat the outer bucket.
    """
    return min(origin, REACH + 1), min(I - origin, REACH)


@functools.cache
def reachable(left: int, right: int) -> frozenset[int]:
    """Return the buckets within a reach class, by listing the positions of the shortest sentence in it."""
    origin, I = left, left + right
    return frozenset(bucket(i - origin) for i in range(1, I + 1))


def normaliser(c: Vector, left: int, right: int) -> float:
    """Return Z(c) of a reach class: the sum of c over its reachable buckets."""
    return sum(c[b] for b in sorted(reachable(left, right)))


def position_weights(c: Vector, origin: int, I: int) -> list[float]:
    """Return d(i | origin) for i = 1..I: c_b / n_b / Z, where b = bucket(i - origin) has n_b positions.

    The weights sum to 1, or are all 0 if every reachable c is 0. n_b can exceed 1 in an outer bucket only.
    """
    buckets = [bucket(i - origin) for i in range(1, I + 1)]
    Z = sum(c[b] for b in set(buckets))
    if Z == 0:
        return [0.0] * I
    return [c[b] / buckets.count(b) / Z for b in buckets]


def last_weights(c: Vector, I: int) -> list[float]:
    """Return the distribution of the last linked position i = 1..I: offset I+1-i, normalised over i."""
    return position_weights(c, 0, I)[::-1]
