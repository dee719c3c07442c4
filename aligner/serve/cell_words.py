"""Words of cells: cells of a text by one of their words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from aligner.view.records import Words

Word = tuple[int, str]
"""A side, 0 for the source, and a word of it."""

Pair = tuple[str, str]
"""A source word and a target word."""

Cell = tuple[int, int, int]
"""A line, from 0, and the positions of a source word and a target word."""


def by_word(cells: Iterable[Cell], words: tuple[Words, Words]) -> dict[Word, list[Cell]]:
    """Return cells by that of their words, in lower case, which more cells have; most cells first."""
    pairs = {cell: [*enumerate(text.lower() for text in words_of(cell, words))] for cell in cells}
    counts = Counter(word for pair in pairs.values() for word in pair)
    found: dict[Word, list[Cell]] = defaultdict(list)
    for cell, pair in pairs.items():
        found[max(pair, key=lambda word: (counts[word], word))].append(cell)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def words_of(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell."""
    n, i, j = cell
    return words[0][n][i], words[1][n][j]
