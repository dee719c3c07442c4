"""Links of one sentence pair, by source word, and the best run of target words for a source span."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain, pairwise, repeat
from typing import NamedTuple

from aligner.links.alignments import Link
from aligner.links.linked_pairs import LinkedPair

Range = tuple[int, int]
"""Words from a first position to an end, which is exclusive."""


class Run(NamedTuple):
    """Target words start to end - 1. weight: of links into a span, less the weight of other links."""

    weight: float
    start: int
    end: int


class WordLinks:
    """The links of a sentence pair with their weights. Source is the annotated side.

    Parameters
    ----------
    pair
        The links, in any order. Of equal links, the most probable one is kept.
    target_length
        The number of target words.
    source_length
        The number of source words, or None if it is unknown.
    """

    def __init__(self, pair: LinkedPair, target_length: int, source_length: int | None = None) -> None:
        self.source_length = source_length
        self.target_length = target_length
        weights: dict[Link, float] = {}
        for link, weight in zip(pair.links, pair.probabilities or repeat(1.0), strict=False):
            weights[link] = max(weights.get(link, 0.0), weight)
        self._of_word: dict[int, list[tuple[int, float]]] = {}
        totals = [0.0] * target_length
        for (i, j), weight in sorted(weights.items()):
            self._of_word.setdefault(i, []).append((j, weight))
            totals[j] += weight
        self._totals = totals
        self._sums = [0.0, *accumulate(totals)]

    def of_word(self, i: int) -> list[tuple[int, float]]:
        """Return the target words linked to a source word, in order, with the weights of the links."""
        return self._of_word.get(i, [])

    def best_run(self, span: Range, limits: Iterable[Range]) -> Run | None:
        """Return the heaviest run for a source span inside one of the limits; None without a link there.

        Of equal runs, the longest is returned, and of these the first.
        """
        into: dict[int, float] = {}
        for i, linked_words in self._of_word.items():
            for j, weight in linked_words if span[0] <= i < span[1] else ():
                into[j] = into.get(j, 0.0) + weight
        linked = sorted(into)
        inside = ([j for j in linked if first <= j < end] for first, end in limits)
        runs = chain.from_iterable(self._runs(words, into) for words in inside)
        return max(runs, key=lambda run: (run.weight, run.end - run.start, -run.start), default=None)

    def _runs(self, linked: list[int], into: dict[int, float]) -> Iterable[Run]:
        """Yield, for each linked word, the heaviest run that ends with it (Kadane's algorithm)."""
        start, weight = 0, -1.0
        for previous, j in pairwise([-1, *linked]):
            weight -= self._sums[j] - self._sums[previous + 1]
            if weight < 0:
                start, weight = j, 0.0
            weight += 2 * into[j] - self._totals[j]
            yield Run(weight, start, j + 1)
