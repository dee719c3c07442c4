"""Word pairs: cells of a text by their words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from aligner.view.records import Words

Pair = tuple[str, str]
"""A source word and a target word."""

Cell = tuple[int, int, int]
"""A line, from 0, and the positions of a source word and a target word."""


def by_words(cells: Iterable[tuple[Cell, bool]], words: tuple[Words, Words]) -> dict[Pair, dict[Cell, bool]]:
    """Return cells, each with a value, by their words in lower case, the pair with most cells first."""
    found: dict[Pair, dict[Cell, bool]] = defaultdict(dict)
    for cell, value in cells:
        found[pair_of(cell, words)][cell] = value
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def pair_of(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell in lower case."""
    source, target = _written(cell, words)
    return source.lower(), target.lower()


def as_written(cells: Iterable[Cell], words: tuple[Words, Words]) -> Pair:
    """Return the words of cells of one pair as the text writes them most often."""
    return Counter(_written(cell, words) for cell in cells).most_common(1)[0][0]


def _written(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell."""
    n, i, j = cell
    return words[0][n][i], words[1][n][j]
