"""Evaluation of links against gold: alignment error rate (AER), precision, recall and F.

A is the set of links, S the sure and P the possible links of the gold, S inside P (Och & Ney 2003):

    precision = |A & P| / |A|      recall = |A & S| / |S|      AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

All counts are sums over the corpus. A ratio of 0 to 0 is 1. If there are no links and no sure links, AER is
therefore 0, and precision, recall and F are 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner._version import __version__
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.significance import bootstrap_aer, randomisation_test
from aligner.messages import counted


@dataclass(frozen=True)
class Score:
    """The score of a corpus, from counts summed over its sentence pairs.

    Attributes
    ----------
    sentences
        Number of sentence pairs.
    links, sure, possible
        Number of links ``|A|``, sure links ``|S|`` and possible links ``|P|``.
    sure_hits, possible_hits
        Number of links that are sure, ``|A & S|``, or possible, ``|A & P|``.
    aer, precision, recall, f1
        Ratios in 0..1.
    """

    sentences: int
    links: int
    sure: int
    possible: int
    sure_hits: int
    possible_hits: int

    @classmethod
    def from_counts(cls, counts: LinkCounts) -> Score:
        """Construct from the counts of each sentence pair."""
        return cls(counts.links.size, *(int(count.sum()) for count in counts))

    @property
    def aer(self) -> float:
        """Alignment error rate, ``1 - (|A & S| + |A & P|) / (|A| + |S|)`` (Och & Ney 2003)."""
        return 1 - _ratio(self.sure_hits + self.possible_hits, self.links + self.sure)

    @property
    def precision(self) -> float:
        """Precision, ``|A & P| / |A|``."""
        return _ratio(self.possible_hits, self.links)

    @property
    def recall(self) -> float:
        """Recall, ``|A & S| / |S|``."""
        return _ratio(self.sure_hits, self.sure)

    def f(self, alpha: float) -> float:
        """Return F_alpha = 1 / (alpha / precision + (1 - alpha) / recall); 0 if precision or recall is 0.

        Parameters
        ----------
        alpha
            Weight of precision, above 0 and below 1.

        Raises
        ------
        ConfigError
            If alpha is out of this range.

        References
        ----------
        A. Fraser and D. Marcu, 2007: Measuring word alignment quality for statistical machine translation.
        """
        if not 0 < alpha < 1:
            raise ConfigError(f"alpha = {alpha}: expected a weight of precision above 0 and below 1")
        if not self.precision or not self.recall:
            return 0.0
        return 1 / (alpha / self.precision + (1 - alpha) / self.recall)

    @property
    def f1(self) -> float:
        """F with alpha = 0.5, the harmonic mean of precision and recall."""
        return self.f(0.5)

    def figures(self, alpha: float = 0.5) -> dict[str, float]:
        """Return ratios in 0..1, among them F_alpha, and counts, by name."""
        return self._ratios() | {"f_alpha": self.f(alpha)} | vars(self)

    def __repr__(self) -> str:
        ratios = ", ".join(f"{name}={value:.4f}" for name, value in self._ratios().items())
        return f"Score({ratios}, {counted(self.sentences, 'pair')})"

    def _ratios(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in ("aer", "precision", "recall", "f1")}


def score(alignments: Alignments, gold: Gold) -> Score:
    """Score the alignments of a corpus against gold.

    Parameters
    ----------
    alignments
        The links to score.
    gold
        Sure and possible links of the same sentence pairs.

    Returns
    -------
    Score
        AER, precision, recall and F of the corpus.

    Raises
    ------
    DataError
        If the gold has another number of sentence pairs.
    """
    return Score.from_counts(count_links(alignments, gold))


def compare(
    named: Sequence[tuple[str, Alignments]], gold: Gold, *, alpha: float = 0.5, **sampling: Any
) -> list[dict[str, Any]]:
    """Return the name and the figures of several alignments of one text, in order (see ``Score.figures``).

    ``sampling``: the keywords ``samples`` and ``seed`` of ``bootstrap_aer`` and ``randomisation_test``. With
    them, each row also has "interval", the interval of its AER, and "p", the p-value of the difference
    between its AER and the AER of the first alignments.
    """
    all_counts = [count_links(alignments, gold) for _, alignments in named]
    rows: list[dict[str, Any]] = []
    for (name, _), counts in zip(named, all_counts, strict=True):
        row: dict[str, Any] = {"name": name} | Score.from_counts(counts).figures(alpha)
        if sampling:
            row["interval"] = bootstrap_aer(counts, **sampling)
            row["p"] = randomisation_test(all_counts[0], counts, **sampling)
        rows.append(row)
    return rows


def signature(gold: Gold, options: Mapping[str, object] | None = None) -> str:
    """Return everything besides the links that determines a score, as `name:value` joined by `|`.

    ``options``: further entries, such as alpha, samples and seed. Entries about the gold that are usual are
    left out: positions from 0, source before target, no link to NULL, and links in every sentence.
    """
    reading = gold.reading
    entries: dict[str, object] = {
        "sentences": len(gold),
        "sure": gold.sure.source.size,
        "possible": gold.possible.source.size,
        "gold": reading.format,
    }
    unusual = {
        "base": int(reading.one_based),
        "reversed": "yes" if reading.reversed else "",
        "null": f"{reading.null_links} dropped" if reading.null_links else "",
        "unlinked": int(np.count_nonzero(np.diff(gold.possible.offsets) == 0)),
    }
    entries |= {name: value for name, value in unusual.items() if value} | dict(options or {})
    entries["version"] = __version__
    return "|".join(f"{name}:{value}" for name, value in entries.items())


def _ratio(part: int, whole: int) -> float:
    """Return part / whole, and 1 for 0 / 0."""
    return part / whole if whole else 1.0
