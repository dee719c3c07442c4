"""Changes by word pair: how many links between two words are new, and how many are gone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from aligner.serve.lesson import Changes
from aligner.view.records import Words

_EXAMPLES = 3


@dataclass(frozen=True)
class PairChange:
    """The changes of the links between two words.

    Attributes
    ----------
    source, target
        The words, in lower case.
    counts
        The numbers of new links and of links that are gone.
    lines
        The numbers of the lines with these links, from 0, in the order of the changes.
    """

    source: str
    target: str
    counts: tuple[int, int]
    lines: list[int]

    def record(self) -> dict[str, Any]:
        """Return the change as plain data, with the numbers of some lines, from 1."""
        words = {"source": self.source, "target": self.target}
        examples = [line + 1 for line in self.lines[:_EXAMPLES]]
        return words | {"counts": self.counts, "lines": len(self.lines), "examples": examples}


def changes_by_pair(changes: Changes, source: Words, target: Words) -> list[PairChange]:
    """Return the changes of each word pair of a text, the pair with most changed links first."""
    found: dict[tuple[str, str], list[list[int]]] = defaultdict(lambda: [[], []])
    for part, links in enumerate((changes.new, changes.gone)):
        for n, i, j in zip(*(own.tolist() for own in (links.pair, links.source, links.target)), strict=True):
            found[source[n][i].lower(), target[n][j].lower()][part].append(n)
    rank = {n: place for place, n in enumerate(changes.order.tolist())}
    pairs = [
        PairChange(*words, (len(new), len(gone)), sorted({*new, *gone}, key=rank.__getitem__))
        for words, (new, gone) in found.items()
    ]
    return sorted(pairs, key=lambda pair: (-sum(pair.counts), pair.source, pair.target))
