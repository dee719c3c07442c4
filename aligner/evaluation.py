"""Alignments against gold: alignment error rate, precision, recall, F, and how far to trust a difference.

A is a set of links, S the sure and P the possible links of the gold, S inside P (Och & Ney 2003):

    precision = |A & P| / |A|      recall = |A & S| / |S|      AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

All counts are sums over the corpus, never means of sentences. A ratio of nothing to nothing is 1: nothing
was asked, so nothing is wrong. Hence no links against no sure links has AER 0, precision, recall and F 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import ConfigError, DataError
from aligner.gold import Gold
from aligner.links import Alignments, check_lengths, occurs_in

#: A gold that is read another way and then scores better by this much AER was read the wrong way.
SUSPICIOUS_GAIN = 0.20


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


def check_gold(gold: Gold, name: str, sentences: int | None = None) -> None:
    """Raise DataError if the gold, by this name, has no link, or is not of so many sentences."""
    if not gold.possible.source.size:
        raise DataError(f"{name}: found no gold links; expected some to score by; is it the right file?")
    if sentences is not None and len(gold) != sentences:
        raise DataError(
            f"{name}: found {len(gold)} sentences; expected {sentences}, by --sentences, which says how many"
            f" the gold is of; leave it out, or cut the gold"
        )


def first_sentences(alignments: Alignments, sentences: int | None, name: str) -> Alignments:
    """The links of so many sentences, or of all; DataError if there are fewer."""
    if sentences is not None and len(alignments) < sentences:
        raise DataError(
            f"{name}: found {len(alignments)} lines; expected at least {sentences}, by --sentences"
        )
    return alignments[:sentences]


def check_sentences(alignments: Alignments, gold: Gold, names: str) -> None:
    """Raise DataError, with advice, if links and gold, by these names, are not of equally many sentences."""
    lines, last = len(alignments), len(gold)
    advice = ""
    if lines > last:
        advice = f"; to score the first {last} alone, say --sentences {last}"
        if gold.reading.format == "wa":
            advice += f"; if there are just no gold links after sentence {last}, say --sentences {lines}"
    check_lengths(alignments, gold.sure, names, advice)


class Suspicion(NamedTuple):
    """Another reading of a gold that scores much better: its AER, what it takes, and how to read it so."""

    aer: float
    claim: str
    remedy: str


def suspect(alignments: Alignments, gold: Gold) -> Suspicion | None:
    """Whether the gold seems to have been read with the wrong base or direction.

    That is, if another reading that the positions permit has an AER better by more than SUSPICIOUS_GAIN.
    """
    aer = score(alignments, gold).aer
    if aer <= SUSPICIOUS_GAIN:
        return None
    shifts = {0: ("", "")}
    if not gold.reading.one_based and _lowest(gold.possible) > 0:
        shifts[-1] = "it counts from 1", "read it with one_based (--one-based)"
    if _lowest(alignments) > 0:
        shifts[+1] = "the links count from 1", "make them count from 0"
    elif gold.reading.format == "wa":
        shifts[+1] = "it counts positions from 0", "wa counts from 1, so add 1 to each"
    elif gold.reading.one_based:
        shifts[+1] = "it counts from 0", "read it without one_based (--one-based)"
    flag = "without" if gold.reading.reversed else "with"
    exchanges = {
        False: ("", ""),
        True: ("it has target before source", f"read it {flag} reversed (--reversed)"),
    }
    readings = [(shift, exchange) for shift in shifts for exchange in exchanges]
    others = [score(alignments, _reread(gold, *reading)).aer for reading in readings]
    best = min(others)
    if aer - best <= SUSPICIOUS_GAIN:
        return None
    shift, exchange = readings[others.index(best)]
    texts = zip(shifts[shift], exchanges[exchange], strict=True)
    return Suspicion(best, *(" and ".join(filter(None, parts)) for parts in texts))


def check_reading(alignments: Alignments, gold: Gold, name: str = "the links") -> None:
    """Raise DataError, with advice, if the gold seems to have been read in a wrong way: see ``suspect``."""
    found = suspect(alignments, gold)
    if found:
        raise DataError(
            f"{name}: AER is {score(alignments, gold).aer:.1%} with the gold as it was read, but"
            f" {found.aer:.1%} if {found.claim}: {found.remedy}; if it was read as it should be, use --force"
        )


def bootstrap_aer(
    counts: LinkCounts, *, samples: int = 1000, level: float = 0.95, seed: int = 1
) -> tuple[float, float]:
    """The percentile interval of the AER at a confidence level, from sentence pairs drawn with replacement.

    Efron & Tibshirani 1993, section 13.3. DataError if there are no sentence pairs.
    """
    terms = _aer_terms(counts)
    if not len(terms):
        raise DataError("there are no sentence pairs to draw from, and so no interval")
    n = len(terms)
    random = np.random.default_rng(seed)
    drawn = np.stack([terms[random.integers(n, size=n)].sum(axis=0) for _ in range(samples)])
    low, high = np.quantile(_aer(drawn), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def randomisation_test(first: LinkCounts, second: LinkCounts, *, samples: int = 1000, seed: int = 1) -> float:
    """The probability p that two alignments of one text differ in AER by as much as they do, by chance.

    Approximate randomisation: exchange the two at sentence pairs drawn with probability 1/2; p is
    (1 + the number of samples with at least the observed difference) / (1 + samples) (Noreen 1989; Riezler &
    Maxwell 2005). DataError if the two were not counted against the same gold.
    """
    if not (np.array_equal(first.sure, second.sure) and np.array_equal(first.possible, second.possible)):
        raise DataError("the two alignments were not counted against the same gold")
    ours, theirs = _aer_terms(first), _aer_terms(second)
    change = theirs - ours
    random = np.random.default_rng(seed)
    moved = np.stack([change[random.random(len(change)) < 0.5].sum(axis=0) for _ in range(samples)])
    observed = np.abs(_aer(ours.sum(axis=0)) - _aer(theirs.sum(axis=0)))
    sampled = np.abs(_aer(ours.sum(axis=0) + moved) - _aer(theirs.sum(axis=0) - moved))
    at_least = np.count_nonzero(sampled >= observed - 1e-12)  # equal differences may be rounded differently
    return (1 + at_least) / (1 + samples)


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


def _aer_terms(counts: LinkCounts) -> NDArray[np.int64]:
    """|A & S| + |A & P| and |A| + |S| of every sentence pair [n, 2], which is all that AER needs."""
    return np.stack([counts.sure_hits + counts.possible_hits, counts.links + counts.sure], axis=1)


def _aer(terms: NDArray[np.int64]) -> NDArray[np.float64]:
    """AER of summed terms [..., 2]."""
    hits, links = terms[..., 0], terms[..., 1]
    return np.where(links > 0, 1 - hits / np.maximum(links, 1), 0.0)


def _lowest(alignments: Alignments) -> int:
    """The lowest position of any link, 0 if there are no links."""
    if not alignments.source.size:
        return 0
    return int(min(alignments.source.min(), alignments.target.min()))


def _reread(gold: Gold, shift: int, exchange: bool) -> Gold:
    """The gold with its positions shifted and, on demand, source and target exchanged."""

    def reread(links: Alignments) -> Alignments:
        shifted = Alignments(links.offsets, links.source + shift, links.target + shift)
        return shifted.reversed() if exchange else shifted

    return Gold(reread(gold.sure), reread(gold.possible))
