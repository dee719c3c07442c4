"""Significance of differences in alignment error rate: bootstrap intervals and randomisation tests."""

from __future__ import annotations

import numpy as np

from aligner.arrays import Float64s, Int64s
from aligner.errors import DataError
from aligner.links.link_counts import LinkCounts


def bootstrap_aer(
    counts: LinkCounts, *, samples: int = 1000, level: float = 0.95, seed: int = 1
) -> tuple[float, float]:
    """Return the percentile interval of the AER from sentence pairs drawn with replacement.

    Parameters
    ----------
    counts
        Counts of each sentence pair.
    samples
        Number of samples to draw, each of as many sentence pairs as there are.
    level
        Confidence level of the interval, between 0 and 1.
    seed
        Seed of the random numbers. The same seed gives the same interval.

    Raises
    ------
    DataError
        If there are no sentence pairs.

    References
    ----------
    B. Efron and R. J. Tibshirani, 1993: An Introduction to the Bootstrap, section 13.3.
    """
    terms = aer_terms(counts)
    if not len(terms):
        raise DataError(
            "found no sentence pairs to draw from; expected at least 1 for an interval of the AER"
        )
    low, high = np.quantile(aer(_sums_of_draws(terms, samples, seed)), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_reduction(first: LinkCounts, second: LinkCounts) -> tuple[float, float, float]:
    """Return by what share the second AER is lower than the first, and its 95 % percentile interval.

    The interval is as for ``bootstrap_aer``. A sample has the same sentence pairs of both alignments.
    The share is 0 if the first AER is.
    """
    terms = np.concatenate([aer_terms(first), aer_terms(second)], axis=1)
    sums = np.concatenate([terms.sum(axis=0, keepdims=True), _sums_of_draws(terms, 1000, 1)])
    before, after = aer(sums[:, :2]), aer(sums[:, 2:])
    shares = np.divide(before - after, before, out=np.zeros_like(before), where=before > 0)
    low, high = np.quantile(shares[1:], [0.025, 0.975])
    return float(shares[0]), float(low), float(high)


def _sums_of_draws(terms: Int64s, samples: int, seed: int) -> Int64s:
    """Return the sums of terms [n, k] of n sentence pairs drawn with replacement, int64 [samples, k]."""
    n, random = len(terms), np.random.default_rng(seed)
    return np.stack([terms[random.integers(n, size=n)].sum(axis=0) for _ in range(samples)])


def randomisation_test(first: LinkCounts, second: LinkCounts, *, samples: int = 1000, seed: int = 1) -> float:
    """Return the p-value of the difference in AER of two alignments of one text.

    Parameters
    ----------
    first, second
        Counts of both alignments against the same gold.
    samples
        Number of random exchanges.
    seed
        Seed of the random numbers. The same seed gives the same p-value.

    Raises
    ------
    DataError
        If the two were not counted against the same gold.

    Notes
    -----
    Approximate randomisation: each sample exchanges the two alignments at sentence pairs drawn with
    probability 1/2. The p-value is (1 + the number of samples with at least the observed difference) /
    (1 + samples).

    References
    ----------
    E. W. Noreen, 1989: Computer-Intensive Methods for Testing Hypotheses.
    S. Riezler and J. T. Maxwell, 2005: On some pitfalls in automatic evaluation and significance testing for
    MT.
    """
    if not (np.array_equal(first.sure, second.sure) and np.array_equal(first.possible, second.possible)):
        raise DataError(
            "found two alignments counted against different gold; expected the same gold for both"
        )
    first_terms, second_terms = aer_terms(first), aer_terms(second)
    change = second_terms - first_terms
    first_sum, second_sum = first_terms.sum(axis=0), second_terms.sum(axis=0)
    random = np.random.default_rng(seed)
    moved = np.stack([change[random.random(len(change)) < 0.5].sum(axis=0) for _ in range(samples)])
    observed = np.abs(aer(first_sum) - aer(second_sum))
    sampled = np.abs(aer(first_sum + moved) - aer(second_sum - moved))
    at_least = np.count_nonzero(sampled >= observed - 1e-12)  # equal differences may be rounded differently
    return (1 + at_least) / (1 + samples)


def aer_terms(counts: LinkCounts) -> Int64s:
    """Return |A & S| + |A & P| and |A| + |S| of every sentence pair, int64 [n, 2]."""
    return np.stack([counts.sure_hits + counts.possible_hits, counts.links + counts.sure], axis=1)


def aer(terms: Int64s) -> Float64s:
    """Return the AER of terms or of sums of terms [..., 2]; 0 without links and sure links."""
    hits, links = terms[..., 0], terms[..., 1]
    return np.where(links > 0, 1 - hits / np.maximum(links, 1), 0.0)
