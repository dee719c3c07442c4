"""The family of priors: each is a source of pseudo-counts, which every M-step adds to the expected counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TypeAlias

from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.extensions import load_extensions
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models import ModelPair
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Stage
from aligner.registry import Registry
from aligner.text.facts import TextFacts


class PseudoCountSource(ABC):
    """A prior of training, in the word ids of a text.

    To add one, derive from this class, and register a function that makes it in ``PRIORS``.
    """

    @abstractmethod
    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        """Compute the pseudo-counts for an M-step.

        Parameters
        ----------
        pair
            The models under which the counts were computed. The lexical table may be freed already.
        counts
            The expected counts of the text alone. They are not changed.
        stage
            The settings of the stage.
        """

    def needs_counts(self, stage: Stage) -> bool:
        """Return False if Model 1 may learn row by row, without counts of all word pairs.

        Then pseudo-counts have ``pair_ids`` and ``amounts`` alone, and do not depend on the expected counts.
        """
        return True

    def report(self, index: CooccurrenceIndex) -> dict[str, int]:
        """Return figures for the model file, such as unused entries; by default none."""
        return {}


PriorMaker: TypeAlias = Callable[[TextFacts, Knowledge, int], PseudoCountSource | None]
"""Return the prior of a text, given what is known besides it and the number of threads; or None."""

PRIORS: Registry[PriorMaker] = Registry("prior")
"""Every prior by name, in the order in which pseudo-counts are added."""


def prior_names() -> list[str]:
    """Return the names of all priors, sorted. A run goes on with the priors that it began with."""
    load_extensions()
    return sorted(PRIORS)


def priors_of(facts: TextFacts, knowledge: Knowledge, threads: int) -> dict[str, PseudoCountSource]:
    """Return the priors of a text by name."""
    load_extensions()
    made = {name: make(facts, knowledge, threads) for name, make in PRIORS.items()}
    return {name: prior for name, prior in made.items() if prior is not None}


def add_pseudo_counts(
    priors: Iterable[PseudoCountSource], pair: ModelPair, counts: Counts, stage: Stage
) -> PseudoCounts:
    """Compute the sum of the pseudo-counts of several priors."""
    total = PseudoCounts()
    for prior in priors:
        total = total.joined_with(prior.pseudo_counts(pair, counts, stage))
    return total
