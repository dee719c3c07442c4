"""Changes by word pair: how many links between two words are new, and how many are gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aligner.serve.lesson import Changes
from aligner.view.records import Words

_EXAMPLES = 3
_OTHER = 0.1  # the least share of the changes that another word pair is named for

Pair = tuple[str, str]
"""A source word and a target word."""

Cell = tuple[int, int, int]
"""A line, from 0, and the positions of a source word and a target word."""


@dataclass(frozen=True)
class PairChange:
    """The changes of the links between two words.

    Attributes
    ----------
    cells
        The cells of new links, and the cells of links that are gone.
    others
        The word pairs whose links are gone where these are new, and the word pairs whose links are new where
        these are gone. Such links share a word of the line.
    written
        The words as the text writes them.
    lines
        The numbers of the lines with these links, from 0, in the order of the changes.
    """

    cells: tuple[list[Cell], list[Cell]] = field(default_factory=lambda: ([], []))
    others: tuple[Counter[Pair], Counter[Pair]] = field(default_factory=lambda: (Counter(), Counter()))
    written: Counter[Pair] = field(default_factory=Counter)
    lines: list[int] = field(default_factory=list)

    def before(self) -> dict[Cell, bool]:
        """Return the cells as they were: True for a link."""
        return dict.fromkeys(self.cells[0], False) | dict.fromkeys(self.cells[1], True)

    def record(self, changes: Mapping[Pair, PairChange]) -> dict[str, Any]:
        """Return the change as plain data, with some lines, from 1, and the most frequent others."""
        counts = [*map(len, self.cells)]
        others = [
            [(*changes[pair].title, n) for pair, n in own.most_common(1) if n >= _OTHER * count]
            for own, count in zip(self.others, counts, strict=True)
        ]
        source, target = self.title
        words = {"source": source, "target": target}
        examples = [line + 1 for line in self.lines[:_EXAMPLES]]
        return words | {"counts": counts, "others": others, "lines": len(self.lines), "examples": examples}

    @property
    def title(self) -> Pair:
        """The words as the text writes them most often."""
        return self.written.most_common(1)[0][0]


def changes_by_pair(changes: Changes, words: tuple[Words, Words]) -> dict[Pair, PairChange]:
    """Return the changes of each word pair, by its words in lower case, the pair with most changes first."""
    found: dict[Pair, PairChange] = defaultdict(PairChange)
    for n in changes.order.tolist():
        parts = [[(n, *link) for link in links[n]] for links in (changes.new, changes.gone)]
        for part, cells in enumerate(parts):
            for cell in cells:
                own = found[pair_of(cell, words)]
                own.cells[part].append(cell)
                own.written[written_pair(cell, words)] += 1
                own.lines.extend([n] if own.lines[-1:] != [n] else [])
                _, i, j = cell
                own.others[part].update(
                    pair_of(other, words) for other in parts[1 - part] if other[1] == i or other[2] == j
                )
    return dict(sorted(found.items(), key=lambda item: (-sum(map(len, item[1].cells)), item[0])))


def written_pair(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell."""
    n, i, j = cell
    return words[0][n][i], words[1][n][j]


def pair_of(cell: Cell, words: tuple[Words, Words]) -> Pair:
    """Return the words of a cell in lower case."""
    source, target = written_pair(cell, words)
    return source.lower(), target.lower()
