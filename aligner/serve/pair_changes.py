"""Changes by word pair: how many links between two words are new, and how many are gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from aligner.serve.lesson import Changes
from aligner.view.records import Words

_EXAMPLES = 3
_OTHER = 0.1  # the least share of the changes that another word pair is named for

Pair = tuple[str, str]
"""A source word and a target word."""

Cell = tuple[int, int, int]
"""A line, from 0, and the positions of a source word and a target word."""


class PairChanges:
    """The changes of a text by word pair.

    Parameters
    ----------
    changes
        The changes.
    words
        The words of both sides.

    Attributes
    ----------
    before
        Words in lower case -> their changed cells, in the order of the changes: True for a link that is gone,
        False for a new one. The pair with most changes comes first.
    """

    def __init__(self, changes: Changes, words: tuple[Words, Words]) -> None:
        self._words, self._parts = words, (changes.new, changes.gone)
        found: dict[Pair, dict[Cell, bool]] = defaultdict(dict)
        for n in changes.order.tolist():
            for links, was_link in zip(self._parts, (False, True), strict=True):
                for i, j in links[n]:
                    found[pair_of((n, i, j), words)][n, i, j] = was_link
        self.before = dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))

    def lines(self, place: int) -> list[int]:
        """Return the numbers of the lines in which the links of the word pair at a place change, from 0."""
        return _lines([*self.before.values()][place])

    def record(self, pair: Pair) -> dict[str, Any]:
        """Return the changes of a word pair as plain data, with some lines, from 1.

        "others" has the word pair that most often loses links where this one has new ones, and the word pair
        that gets links where this one loses some, with counts. Such links share a word of the line.
        """
        cells = self.before[pair]
        lines = _lines(cells)
        parts = [[cell for cell, was_link in cells.items() if was_link == part] for part in (False, True)]
        source, target = self._written(pair)
        return {
            "source": source,
            "target": target,
            "counts": [*map(len, parts)],
            "others": [self._other(own, not part) for part, own in enumerate(parts)],
            "lines": len(lines),
            "examples": [line + 1 for line in lines[:_EXAMPLES]],
        }

    def _other(self, cells: list[Cell], part: bool) -> list[tuple[str, str, int]]:
        """Return the word pair of most changes of a part that share a word with cells, and their number."""
        found = Counter(
            pair_of((n, k, m), self._words)
            for n, i, j in cells
            for k, m in self._parts[part][n]
            if k == i or m == j
        )
        return [(*self._written(pair), n) for pair, n in found.most_common(1) if n >= _OTHER * len(cells)]

    def _written(self, pair: Pair) -> Pair:
        """Return the words of a pair as the text writes them most often."""
        return Counter(written_pair(cell, self._words) for cell in self.before[pair]).most_common(1)[0][0]


def _lines(cells: Iterable[Cell]) -> list[int]:
    """Return the lines of cells, each once."""
    return [*dict.fromkeys(n for n, _, _ in cells)]


def written_pair(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell."""
    n, i, j = cell
    return words[0][n][i], words[1][n][j]


def pair_of(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell in lower case."""
    source, target = written_pair(cell, words)
    return source.lower(), target.lower()
