"""The curve of precision and recall over thresholds of the probability of a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aligner.links.alignments import Alignments
from aligner.links.evaluation import Score, score
from aligner.links.gold import Gold
from aligner.links.link_sets import reaching

THRESHOLDS = tuple(k / 20 for k in range(1, 20))
"""The thresholds of curves and of tuning: 0.05 to 0.95 in steps of 0.05."""


class CurvePoint(NamedTuple):
    """A threshold, and the score of the links whose probability reaches it."""

    threshold: float
    score: Score

    def figures(self, alpha: float = 0.5) -> dict[str, float]:
        """Return the threshold and the figures of the score by name (see ``Score.figures``)."""
        return {"threshold": self.threshold} | self.score.figures(alpha)


def distinct_thresholds(links: Alignments) -> tuple[float, ...]:
    """Return the thresholds of ``THRESHOLDS`` from the greatest one on that all links reach.

    Lower thresholds bring no further links, as below the threshold of decoding.
    """
    if links.probabilities is None or not len(links.probabilities):
        return THRESHOLDS
    reached_by_all = int(np.sum(np.array(THRESHOLDS, np.float32) <= links.probabilities.min()))
    return THRESHOLDS[max(reached_by_all - 1, 0) :]


def compute_curve(
    links: Alignments, gold: Gold, thresholds: Sequence[float] = THRESHOLDS
) -> tuple[CurvePoint, ...]:
    """Score the links that reach each threshold.

    Parameters
    ----------
    links
        Links with probabilities. Thresholds below the threshold of decoding bring no further links.
    gold
        Sure and possible links of the same sentence pairs.
    thresholds
        Probabilities. A link that equals a threshold reaches it.

    Returns
    -------
    tuple of CurvePoint
        A point for each threshold, in order.

    Raises
    ------
    DataError
        If the links have no probabilities, or if the numbers of sentence pairs differ.
    """
    return tuple(CurvePoint(threshold, score(reaching(links, threshold), gold)) for threshold in thresholds)
