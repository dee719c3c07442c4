"""The content of a page: sentence pairs as words, with links, gold and a second system's links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import check_positions
from aligner.messages import counted
from aligner.models.trained import TrainedModel

MOST_LINES = 200_000
"""The largest number of sentence pairs on a page. Browsers become slow with larger pages."""


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a page.

    Parameters
    ----------
    source, target
        The words of each sentence pair.
    links
        The links, perhaps with probabilities and scores.
    gold
        Sure and possible links of the same sentence pairs, or None.
    second
        The links of a second system, or None.
    model
        The model whose translations the page shows, or None.
    names
        The name of each part ("links", "source", ...), for headings and messages.
    first
        The line number of the first sentence pair.
    opening
        The threshold at which the page opens, or None for the threshold of the model.

    Raises
    ------
    DataError
        If the parts have different numbers of sentence pairs, or if a link has a position outside its
        sentence pair.
    ConfigError
        If there are more than ``MOST_LINES`` sentence pairs.
    """

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    links: Alignments
    gold: Gold | None = None
    second: Alignments | None = None
    model: TrainedModel | None = None
    names: dict[str, str] = field(default_factory=dict)
    first: int = 1
    opening: float | None = None

    def __post_init__(self) -> None:
        if len(self) > MOST_LINES:
            raise ConfigError(
                f"found {len(self):,} lines; expected at most {MOST_LINES:,} on a page; choose some, such as"
                f" --lines 1-{MOST_LINES}"
            )
        if len(self.source) != len(self.target):
            raise DataError(
                f"found {counted(len(self.source), 'source line')} and"
                f" {counted(len(self.target), 'target line')}; expected equally many"
            )
        for part, links in self.link_sets().items():
            name = self.names.get(part, part)
            check_lines(name, len(links), len(self))
            lengths = self.lengths(0), self.lengths(1)
            check_positions(links, lengths, f"{name}:", self.first)

    def __len__(self) -> int:
        return len(self.source)

    def link_sets(self) -> dict[str, Alignments]:
        """Return the links of each part that has some, by the name of the part."""
        gold = None if self.gold is None else self.gold.possible
        parts = {"links": self.links, "second": self.second, "gold": gold}
        return {name: links for name, links in parts.items() if links is not None}

    @property
    def threshold(self) -> float:
        """The threshold at which the page opens, in hundredths. Without a model, it keeps all links."""
        if self.links.probabilities is None:
            return 0.0
        if self.opening is not None:
            return round(self.opening, 2)
        return 0.0 if self.model is None else round(Decoder.of(self.model).threshold, 2)

    def lengths(self, side: int) -> NDArray[np.int64]:
        """Return the number of words of each line of a side, 0 for source and 1 for target, int64 [n]."""
        return np.array([len(words) for words in (self.source, self.target)[side]], np.int64)


def check_lines(name: str, found: int, expected: int) -> None:
    """Raise DataError unless a part has as many lines as the text."""
    if found != expected:
        raise DataError(
            f"{name}: found {counted(found, 'line')}; expected {expected:,}, one for each line of the text;"
            f" does it belong to this text?"
        )
