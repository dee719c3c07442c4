"""Changes: the links that a new model adds and removes, line by line, the heaviest line first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.links.alignments import Alignments
from aligner.links.link_sets import occurs_in, select
from aligner.messages import counted


@dataclass(frozen=True, eq=False)
class Changes:
    """The difference between two alignments of a text.

    Attributes
    ----------
    both
        The links of both.
    gone, new
        The links of the first alone, and of the second alone.
    order
        The numbers of the lines that differ, from 0, the heaviest first. The weight of a line is the sum of
        the probabilities of its changed links.
    """

    both: Alignments
    gone: Alignments
    new: Alignments
    order: NDArray[np.int64]

    @classmethod
    def between(cls, before: Alignments, after: Alignments) -> Changes:
        """Return the changes from one alignment to another."""
        remain = occurs_in(after, before)
        gone, new = select(before, ~occurs_in(before, after)), select(after, ~remain)
        weights = sum(np.bincount(links.pair, _weights(links), len(links)) for links in (gone, new))
        order = np.argsort(-weights, kind="stable")
        return cls(select(after, remain), gone, new, order[: np.count_nonzero(weights)])

    def describe(self) -> str:
        """Return how much changes, for messages."""
        links = self.gone.source.size + self.new.source.size
        return f"{counted(links, 'link')} changed in {counted(len(self.order), 'line')}"

    def records(self, first: int, count: int) -> list[dict[str, Any]]:
        """Return lines from a place of the order on, as plain data, with their links [i, j, probability]."""
        parts = {"both": self.both, "gone": self.gone, "new": self.new}
        return [
            {"line": n + 1} | {name: _cells(links, n) for name, links in parts.items()}
            for n in self.order[first : first + count].tolist()
        ]


def _weights(links: Alignments) -> NDArray[np.float64]:
    """Return the probability of each link, 1 if it has none."""
    if links.probabilities is None:
        return np.ones(links.source.size)
    return np.maximum(links.probabilities.astype(np.float64), 1e-6)


def _cells(links: Alignments, n: int) -> list[tuple[int, int, float]]:
    """Return the links of a line, each with its probability."""
    run = slice(links.offsets[n], links.offsets[n + 1])
    values = repeat(1.0) if links.probabilities is None else links.probabilities[run].tolist()
    return [(i, j, round(p, 4)) for (i, j), p in zip(links[n], values, strict=False)]
