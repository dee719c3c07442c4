"""The choice of a start, a number of trees and a threshold, by cross-validation over corrected lines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.decoding.learned import to_probabilities
from aligner.learning.boosting import Boosting
from aligner.learning.lines import CorrectedLines
from aligner.learning.start import WEIGHT
from aligner.links.link_counts import LinkCounts
from aligner.links.significance import aer, aer_terms
from aligner.models.learned import prior_logits
from aligner.models.trees import Trees

START_WEIGHTS = (0.0, WEIGHT, 1.0)
"""Weights of the start that are tried: logit(A) alone, the mixture that is good without corrections, and the
start alone, which is good where gold links phrases."""

OWN_BOOSTING = Boosting(trees=40, leaves=8, depth=4)
"""The settings of the trees that are added to the start."""

TREES = (0, 10, 20, 40)
"""Numbers of own trees that are tried."""

THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
"""Thresholds that are tried."""

PULL = 0.003
"""The AER that a choice must gain for each unit that it is away from the preferred one.

Few lines cannot tell dozens of choices apart. Without the pull, 10 corrected lines gain 3.9 % on the mean of
13 texts, with it 4.9 %; with 50 lines, 11.3 % and 11.7 %.
"""

MOST_FOLDS = 5


class Choice(NamedTuple):
    """A way to learn: the weight of the start, the number of own trees, and the threshold."""

    start_weight: float
    trees: int
    threshold: float

    @property
    def prior_weight(self) -> float:
        """The weight of logit(A)."""
        return round(1 - self.start_weight, 6)

    def distance(self, preferred: Choice) -> float:
        """Return how far the choice is from another one, in units of ``PULL``."""
        trees = abs(log2((self.trees + 5) / (preferred.trees + 5))) / 2
        threshold = abs(self.threshold - preferred.threshold) / 0.1
        return (self.start_weight != preferred.start_weight) + trees + threshold


def base_logits(lines: CorrectedLines, start: Trees | None, choice: Choice) -> NDArray[np.float64]:
    """Return the logits that own trees are added to, float64 [candidates]."""
    logits = choice.prior_weight * prior_logits(lines.candidates.features)
    if start is not None:
        start.times(choice.start_weight).add_to(logits, lines.candidates.features)
    return logits


def cross_validate(lines: CorrectedLines, start: Trees | None) -> tuple[Choice, LinkCounts]:
    """Cross-validate every choice over at least two corrected lines.

    Returns the best choice, and the counts of every line by trees of other lines, where the choice, too, is
    made by other lines.
    """
    count = len(lines)
    folds = min(MOST_FOLDS, count)
    fold = np.random.default_rng(1).permutation(count) % folds
    weights = (0.0,) if start is None else START_WEIGHTS
    counts: dict[Choice, LinkCounts] = {}
    for weight in weights:
        base = base_logits(lines, start, Choice(weight, 0, 0.5))
        held_out = {trees: base.copy() for trees in TREES}
        for k in range(folds):
            own = train_own(lines, base, fold != k)
            mask = lines.lines(fold == k)
            for trees, logits in held_out.items():
                values = logits[mask]
                own.first(trees).add_to(values, lines.candidates.features[mask])
                logits[mask] = values
        for trees, threshold in product(TREES, THRESHOLDS):
            linked = to_probabilities(held_out[trees]) >= np.float32(threshold)
            counts[Choice(weight, trees, threshold)] = lines.count(linked)
    preferred = Choice(0.0 if start is None else WEIGHT, 40 if count >= 10 else 10, 0.45)
    chosen = best(counts, preferred, np.ones(count, np.bool_))
    by_others = [best(counts, preferred, fold != k) for k in range(folds)]
    stacked = np.array([counts[choice] for choice in by_others])  # [folds, counts, lines]
    return chosen, LinkCounts(*stacked[fold, :, np.arange(count)].T)


def best(counts: Mapping[Choice, LinkCounts], preferred: Choice, chosen: NDArray[np.bool_]) -> Choice:
    """Return the choice with the lowest AER on chosen lines, bool [lines], with the pull to the preferred."""

    def cost(choice: Choice) -> float:
        terms = aer_terms(counts[choice])[chosen].sum(axis=0)
        return float(aer(terms)) + PULL * choice.distance(preferred)

    return min(counts, key=cost)


def train_own(lines: CorrectedLines, base: NDArray[np.float64], chosen: NDArray[np.bool_]) -> Trees:
    """Return the trees of chosen lines, bool [lines], to be added to the base logits."""
    mask = lines.lines(chosen) & lines.teaches
    return OWN_BOOSTING.train(lines.candidates.features[mask], lines.is_link[mask], base[mask])
