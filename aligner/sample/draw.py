"""Random choices that are the same on every platform and in every version of Python.

All randomness comes from ``random.Random(int).random()``, whose sequence Python promises to keep. It is used
only in comparisons, products and running sums of doubles.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Draw:
    """A source of random choices that depend on the seed alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def below(self, n: int) -> int:
        """Return one of the numbers 0 to n - 1, each with the same probability."""
        return int(self._random() * n)

    def one_of(self, items: Sequence[_T]) -> _T:
        """Return one of the items, each with the same probability."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[_T], running_sums: Sequence[float]) -> _T:
        """Return one of the items; ``running_sums``: the sums of the weights up to each item."""
        return items[bisect_right(running_sums, self._random() * running_sums[-1], hi=len(items) - 1)]
