"""The task of a training run: what its updates need besides the counts. It does not change during the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models.variants import CellSet
from aligner.priors import PseudoCountSource
from aligner.priors.model_prior import ModelPrior
from aligner.text.facts import TextFacts
from aligner.text.sentences import EncodedPairs


@dataclass(frozen=True, eq=False)
class Task:
    """The constant inputs of a training run.

    Attributes
    ----------
    facts
        Facts about the text.
    priors
        The sources of pseudo-counts by name.
    threads
        Number of threads. No result depends on it.
    blocks
        Blocks of the pairs that are trained on, in the order of training, without pair_ids; of no pairs if
        shards have them.
    cells
        Known and forbidden cells of these pairs, or None if no links are known.
    """

    facts: TextFacts
    priors: Mapping[str, PseudoCountSource]
    threads: int = 1
    blocks: BlockSource = field(default_factory=lambda: BlockSource.of(EncodedPairs.none()))
    cells: CellSet | None = None

    @property
    def init(self) -> ModelPrior | None:
        """The model from which training goes on, as a prior; or None."""
        prior = self.priors.get("init")
        return prior if isinstance(prior, ModelPrior) else None

    @property
    def is_restricted(self) -> bool:
        """True if some link is known or forbidden."""
        return self.cells is not None and len(self.cells.known) > 0

    def report(self, index: CooccurrenceIndex) -> dict[str, int]:
        """Compute the figures for the model file: of the text, the priors and the known links."""
        report = dict(self.facts.report)
        for prior in self.priors.values():
            report |= prior.report(index)
        if self.cells is not None:
            report |= self.cells.report()
        return report | self.facts.known_tokens
