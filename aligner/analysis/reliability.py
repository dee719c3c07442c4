"""Reliability: whether links of probability p are right in a share p of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import occurs_in, reaching

BINS = 10
"""The number of equal ranges of probability."""


class ReliabilityBin(NamedTuple):
    """Links in a range of probability: its ends, their number, mean probability and share of right ones.

    The mean and the share are 0 if there are no links.
    """

    low: float
    high: float
    links: int
    probability: float
    right: float


@dataclass(frozen=True)
class Reliability:
    """The reliability of the probabilities of links.

    Attributes
    ----------
    bins
        The links by their probability.
    error
        The expected calibration error: the mean distance of probability and share of right links over the
        bins, weighted by their links. 0 if there are no links.
    """

    bins: tuple[ReliabilityBin, ...]
    error: float


def measure_reliability(links: Alignments, gold: Gold) -> Reliability:
    """Measure how reliable the probabilities of links are.

    A link is right if it is sure, and wrong if it is not even possible. Other possible links are left out.

    Parameters
    ----------
    links
        Links with probabilities. Links below the threshold of decoding are not seen: decode with a low one.
    gold
        Sure and possible links of the same sentence pairs.

    Returns
    -------
    Reliability
        The links in ten ranges of probability, and the expected calibration error.

    Raises
    ------
    DataError
        If the links have no probabilities, or if the numbers of sentence pairs differ.

    References
    ----------
    M. P. Naeini, G. F. Cooper, M. Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian
    binning. AAAI.
    """
    links = reaching(links, 0.0)
    assert links.probabilities is not None
    right = occurs_in(links, gold.sure)
    judged = right | ~occurs_in(links, gold.possible)
    right, probabilities = right[judged], links.probabilities[judged].astype(np.float64)
    of_link = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(of_link, minlength=BINS)
    sums = (np.bincount(of_link, values, BINS) for values in (probabilities, right))
    means, shares = (values / np.maximum(counts, 1) for values in sums)
    bins = tuple(
        ReliabilityBin(k / BINS, (k + 1) / BINS, *row)
        for k, row in enumerate(zip(counts.tolist(), means.tolist(), shares.tolist(), strict=True))
    )
    error = float(np.abs(means - shares) @ counts) / max(len(right), 1)
    return Reliability(bins, error)
