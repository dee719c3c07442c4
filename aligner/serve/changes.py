"""Changes: the difference between two alignments of a text, by line and by word pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from aligner.arrays import Float64s
from aligner.links.alignments import Alignments
from aligner.links.link_sets import occurs_in, select
from aligner.messages import counted
from aligner.serve.word_pairs import Cell, Pair, as_written, by_words, pair_of
from aligner.view.records import Words

_EXAMPLES = 3
_OTHER = 0.1  # the least share of the changes that another word pair is named for


class Changes:
    """The difference between two alignments of a text.

    Parameters
    ----------
    before, after
        The alignments.
    words
        The words of both sides.

    Attributes
    ----------
    lines
        The numbers of the lines that differ, from 0, the heaviest first. The weight of a line is the sum of
        the probabilities of its changed links.
    pairs
        Words in lower case -> their changed cells, in the order of the lines: True for a link that is gone,
        False for a new one. The pair with most changes comes first.
    """

    def __init__(self, before: Alignments, after: Alignments, words: tuple[Words, Words]) -> None:
        remain = occurs_in(after, before)
        gone, new = select(before, ~occurs_in(before, after)), select(after, ~remain)
        self._words, self._parts = words, {"both": select(after, remain), "gone": gone, "new": new}
        weights = sum(np.bincount(links.pair, _weights(links), len(links)) for links in (gone, new))
        order = np.argsort(-weights, kind="stable")
        self.lines: list[int] = order[: np.count_nonzero(weights)].tolist()
        cells = (((n, i, j), links is gone) for n in self.lines for links in (new, gone) for i, j in links[n])
        self.pairs = by_words(cells, words)

    def describe(self) -> str:
        """Return how much changes, for messages."""
        links = sum(map(len, self.pairs.values()))
        return f"{counted(links, 'link')} would change in {counted(len(self.lines), 'line')}"

    def line_records(self, first: int, count: int, pair: int | None = None) -> list[dict[str, Any]]:
        """Return lines as plain data, with their links [i, j, probability]; pair: the place of their pair."""
        lines = self.lines if pair is None else _lines([*self.pairs.values()][pair])
        shown, parts = lines[first : first + count], self._parts.items()
        return [{"line": n + 1} | {name: _cells(links[n : n + 1]) for name, links in parts} for n in shown]

    def pair_record(self, pair: Pair) -> dict[str, Any]:
        """Return the changes of a word pair as plain data, with some lines, from 1.

        "others" has the word pair that most often loses links where this one has new ones, and the word pair
        that gets links where this one loses some, with counts. Such links share a word of the line.
        """
        cells = self.pairs[pair]
        lines = _lines(cells)
        new, gone = ([cell for cell, was_link in cells.items() if was_link == part] for part in (False, True))
        source, target = as_written(cells, self._words)
        return {
            "source": source,
            "target": target,
            "counts": [len(new), len(gone)],
            "others": [self._other(new, "gone"), self._other(gone, "new")],
            "lines": len(lines),
            "examples": [line + 1 for line in lines[:_EXAMPLES]],
        }

    def _other(self, cells: list[Cell], part: str) -> list[tuple[str, str, int]]:
        """Return the word pair of most changes of a part that share a word with cells, and their number."""
        links = self._parts[part]
        beside = ((n, k, m) for n, i, j in cells for k, m in links[n] if k == i or m == j)
        found = Counter(pair_of(cell, self._words) for cell in beside).most_common(1)
        most = [(pair, n) for pair, n in found if n >= _OTHER * len(cells)]
        return [(*as_written(self.pairs[pair], self._words), n) for pair, n in most]


def _lines(cells: Iterable[Cell]) -> list[int]:
    """Return the lines of cells, each once."""
    return [*dict.fromkeys(n for n, _, _ in cells)]


def _weights(links: Alignments) -> Float64s:
    """Return the probability of each link, 1 if it has none."""
    if links.probabilities is None:
        return np.ones(links.source.size)
    return np.maximum(links.probabilities.astype(np.float64), 1e-6)


def _cells(line: Alignments) -> list[tuple[int, int, float]]:
    """Return the links of a line, each with its probability."""
    return [(i, j, round(p, 4)) for (i, j), p in zip(line[0], _weights(line).tolist(), strict=True)]
