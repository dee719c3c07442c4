"""Significance of differences in alignment error rate: intervals and tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.evaluation import LinkCounts


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


def _aer_terms(counts: LinkCounts) -> NDArray[np.int64]:
    """|A & S| + |A & P| and |A| + |S| of every sentence pair [n, 2], which is all that AER needs."""
    return np.stack([counts.sure_hits + counts.possible_hits, counts.links + counts.sure], axis=1)


def _aer(terms: NDArray[np.int64]) -> NDArray[np.float64]:
    """AER of summed terms [..., 2]."""
    hits, links = terms[..., 0], terms[..., 1]
    return np.where(links > 0, 1 - hits / np.maximum(links, 1), 0.0)
