"""The family of priors: each is a source of pseudo-counts, which every M-step adds to the expected counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeAlias

from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.extensions import load_extensions
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.sums import Summing, without_sums
from aligner.models import ModelPair
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Stage
from aligner.registry import Registry
from aligner.text.facts import TextFacts


class PseudoCountSource(ABC):
    """A prior of training, in the word ids of a text.

    To add one, derive from this class, and register a function that makes it in ``PRIORS``.

    Attributes
    ----------
    columns
        Columns of the pseudo-counts of all word pairs: 1 if the directions share them, 2 if not, 0 if only
        some word pairs have pseudo-counts.
    needs_table
        False if it does not read the lexical tables under which the counts were computed.
    """

    columns: ClassVar[int] = 0
    needs_table: ClassVar[bool] = True

    @abstractmethod
    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> Summing[PseudoCounts]:
        """Compute the pseudo-counts for an M-step (see ``lexicon.sums``).

        Parameters
        ----------
        pair
            The models under which the counts were computed.
        counts
            The expected counts of the text alone. They are not changed.
        stage
            The settings of the stage.
        """

    def needs_counts(self, stage: Stage) -> bool:
        """Return False if pseudo-counts are of some word pairs and do not depend on the expected counts."""
        return True

    def report(self, index: CooccurrenceIndex) -> Summing[dict[str, int]]:
        """Return figures for the model file, such as unused entries; by default none."""
        return without_sums({})

    def vocabulary_bytes(self, stages: Sequence[Stage]) -> int:
        """Return about how many bytes the prior takes for the words of the text; by default 0."""
        return 0

    def lasting_bytes(self, index: CooccurrenceIndex, stages: Sequence[Stage]) -> int:
        """Return about how many bytes the prior takes for word pairs during the whole run; by default 0."""
        return 0

    def mstep_bytes(self, pair_ids: int, stage: Stage) -> int:
        """Return about how many bytes its pseudo-counts take in an M-step; by default 0."""
        return 0


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
) -> Summing[PseudoCounts]:
    """Compute the sum of the pseudo-counts of several priors."""
    total = PseudoCounts.none()
    for prior in priors:
        total = total.joined_with((yield from prior.pseudo_counts(pair, counts, stage)))
    return total
