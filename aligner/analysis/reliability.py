"""Reliability: whether links of probability p are right in a share p of cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import occurs_in, reaching

BINS = 10
"""The number of equal ranges of probability."""


def measure_reliability(links: Alignments, gold: Gold) -> dict[str, Any]:
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
    dict
        Plain data. "error" is the expected calibration error: the mean distance of probability and share of
        right links over ten ranges of probability, weighted by their links; 0 if there are no links. "bins"
        has for each range: "low" and "high", its ends, the number of "links", their mean "probability" and
        the share of "right" ones, both 0 if there are no links.

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
    rows = zip(counts.tolist(), means.tolist(), shares.tolist(), strict=True)
    bins = [
        {"low": k / BINS, "high": (k + 1) / BINS, "links": links, "probability": mean, "right": share}
        for k, (links, mean, share) in enumerate(rows)
    ]
    return {"error": float(np.abs(means - shares) @ counts) / max(len(right), 1), "bins": bins}
