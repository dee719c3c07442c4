"""Alignment error rate, precision, recall and F of links against gold.

A is a set of links, S the sure and P the possible links of the gold, S inside P (Och & Ney 2003):

    precision = |A & P| / |A|      recall = |A & S| / |S|      AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

All counts are sums over the corpus, not means of sentences. A ratio of nothing to nothing is 1. No links
against no sure links therefore have AER 0, and precision, recall and F 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments, check_lengths, occurs_in
from aligner.links.gold import Gold
from aligner.links.significance import bootstrap_aer, randomisation_test


class LinkCounts(NamedTuple):
    """What scores are made of, per sentence pair; each int64 [n]."""

    links: NDArray[np.int64]  # |A|
    sure: NDArray[np.int64]  # |S|
    possible: NDArray[np.int64]  # |P|
    sure_hits: NDArray[np.int64]  # |A & S|
    possible_hits: NDArray[np.int64]  # |A & P|


@dataclass(frozen=True)
class Score:
    """The figures of a corpus, from its summed counts."""

    sentences: int
    links: int
    sure: int
    possible: int
    sure_hits: int
    possible_hits: int

    @classmethod
    def from_counts(cls, counts: LinkCounts) -> Score:
        """The score of the summed counts."""
        return cls(counts.links.size, *(int(count.sum()) for count in counts))

    @property
    def aer(self) -> float:
        """Alignment error rate, 1 - (|A & S| + |A & P|) / (|A| + |S|) (Och & Ney 2003)."""
        return 1 - _ratio(self.sure_hits + self.possible_hits, self.links + self.sure)

    @property
    def precision(self) -> float:
        """|A & P| / |A|."""
        return _ratio(self.possible_hits, self.links)

    @property
    def recall(self) -> float:
        """|A & S| / |S|."""
        return _ratio(self.sure_hits, self.sure)

    def f(self, alpha: float) -> float:
        """F_alpha, 1 / (alpha / precision + (1 - alpha) / recall) (Fraser & Marcu 2007); 0 if either is 0.

        ConfigError unless 0 < alpha < 1.
        """
        if not 0 < alpha < 1:
            raise ConfigError(f"alpha = {alpha}: expected a weight of precision above 0 and below 1")
        if not self.precision or not self.recall:
            return 0.0
        return 1 / (alpha / self.precision + (1 - alpha) / self.recall)

    @property
    def f1(self) -> float:
        """The balanced F, with alpha = 0.5."""
        return self.f(0.5)

    def figures(self, alpha: float = 0.5) -> dict[str, float]:
        """Ratios, among them F_alpha, and counts by name, the ratios in 0..1."""
        ratios = {name: getattr(self, name) for name in ("aer", "precision", "recall", "f1")}
        return ratios | {"f_alpha": self.f(alpha)} | vars(self)


def count_links(alignments: Alignments, gold: Gold) -> LinkCounts:
    """The counts of every sentence pair; DataError if there are not equally many of them."""
    check_lengths(alignments, gold.sure, "the links and the gold")
    n = len(alignments)
    found = [occurs_in(alignments, links) for links in (gold.sure, gold.possible)]
    hits = [np.bincount(alignments.pair[mask], minlength=n) for mask in found]
    sizes = [np.diff(links.offsets) for links in (alignments, gold.sure, gold.possible)]
    return LinkCounts(*sizes, *hits)


def score(alignments: Alignments, gold: Gold) -> Score:
    """The figures of the alignments of a corpus; DataError if the gold has other sentence pairs."""
    return Score.from_counts(count_links(alignments, gold))


def compare(
    named: Sequence[tuple[str, Alignments]], gold: Gold, *, alpha: float = 0.5, **sampling: Any
) -> list[dict[str, Any]]:
    """The name and figures of each of several alignments of a text, in order: see ``Score.figures``.

    With ``sampling``, keywords of both ``bootstrap_aer`` and ``randomisation_test``, an interval of the AER,
    and p of its difference from the first one's.
    """
    every = [count_links(links, gold) for _, links in named]
    rows: list[dict[str, Any]] = []
    for (name, _), counts in zip(named, every, strict=True):
        rows.append({"name": name} | Score.from_counts(counts).figures(alpha))
        if sampling:
            rows[-1]["interval"] = bootstrap_aer(counts, **sampling)
            rows[-1]["p"] = randomisation_test(every[0], counts, **sampling)
    return rows


def signature(gold: Gold, options: Mapping[str, object] | None = None) -> str:
    """Everything besides the links that determines the figures, `name:value` joined by `|`.

    `options` are those of F, of an interval or a test: alpha, samples, seed.
    """
    reading = gold.reading
    entries: dict[str, object] = {
        "sentences": len(gold),
        "sure": gold.sure.source.size,
        "possible": gold.possible.source.size,
        "gold": reading.format,
        "base": int(reading.one_based),
        "reversed": "yes" if reading.reversed else "no",
        "null": f"{reading.null_links} dropped",
        "unlinked": int(np.count_nonzero(np.diff(gold.possible.offsets) == 0)),
    }
    entries |= options or {}
    entries["version"] = __version__
    return "|".join(f"{name}:{value}" for name, value in entries.items())


def _ratio(part: int, whole: int) -> float:
    """Part of whole; nothing of nothing is all of it."""
    return part / whole if whole else 1.0
