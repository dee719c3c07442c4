"""Counting in memory: the expected counts of a text under the current state of training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aligner.criteria import Counts
from aligner.criteria.mstep import DEFAULT
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, Span, search_cells
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.models import ModelPair
from aligner.models.variants import CellSet, Restricted
from aligner.priors.source import add_pseudo_counts
from aligner.recipe.config import Stage
from aligner.training.estep import BlockEStep, ProgressCallback
from aligner.training.model1_estep import Model1EStep, is_model1_alone
from aligner.training.pruning import Pruner
from aligner.training.state import TrainingState
from aligner.training.task import Task


@dataclass(eq=False)
class Counting:
    """The counting of a text in memory.

    Attributes
    ----------
    blocks
        The pairs to count, in the order of training, without pair_ids.
    threads
        Number of threads.
    cells
        Known and forbidden cells, or None if no link is known or forbidden.
    kept
        The cells that pruning kept, or None before pruning.
    occurrences
        The occurrences of the source words, if they are known. Model 1 alone needs them, and keeps them.
    progress
        Receives the number of sentence pairs done since its last call.
    """

    blocks: BlockSource
    threads: int = 1
    cells: CellSet | None = None
    kept: KeptBits | None = None
    occurrences: Occurrences | None = None
    progress: ProgressCallback | None = None

    @classmethod
    def of(cls, task: Task, **options: Any) -> Counting:
        """Return the counting of the text of a task; options: other attributes."""
        return cls(task.blocks, task.threads, task.cells if task.is_restricted else None, **options)

    def index(self) -> CooccurrenceIndex:
        """Return the index of the word pairs of the text."""
        return CooccurrenceIndex.of(self.blocks.bitext, self.threads, self._find_occurrences())

    def counts(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of a part of the text, as ``TrainingState.learn`` asks for them."""
        if is_model1_alone(state.stage, self.cells is not None) and not state.is_pruned:
            return self._model1(state.pair).counts()
        self.occurrences = None
        source, pair = self._source(state), state.inferring_pair(self.threads)
        if self.cells is not None:
            pair = Restricted.of(pair, self.cells)
        pruner = Pruner(state.stage.prune, source) if state.prunes else None
        counts = BlockEStep(source, self.threads)(
            state.stage.criterion,
            pair,
            state.criterion_state,
            part=part,
            block_filter=pruner,
            progress=self.progress,
        )
        if pruner is None:
            return counts
        self.kept = pruner.kept
        return replace(counts, kept=pruner.used)

    def learn_by_row(self, state: TrainingState, task: Task) -> None:
        """Take the iteration of ``TrainingState.learn`` row by row (see ``learns_by_row``)."""
        lexicon = state.pair.lexicon
        own = (np.copy if lexicon.uniform_shares is None else np.empty_like)(lexicon.table)
        state.pair = pair = replace(state.pair, lexicon=replace(lexicon, table=own))
        del lexicon
        nothing = state.stage.criterion.empty_counts(pair)
        added = add_pseudo_counts(task.priors.values(), pair, nothing, state.stage)
        state.pair, counts = self._model1(pair).maximise(added)
        state.complete(counts.measures, added.notes)

    def _source(self, state: TrainingState) -> SearchedBlocks:
        """Return the blocks of the text, with the word pairs of the state."""
        cells, kept = search_cells(self.blocks.cells, self.threads), self.kept if state.is_pruned else None
        return self.blocks.searched(state.pair.lexicon.index, cells, kept)

    def _model1(self, pair: ModelPair) -> Model1EStep:
        """Return the E-step of Model 1 alone."""
        occurrences = self._find_occurrences()
        return Model1EStep(self.blocks.bitext, occurrences, pair, self.threads, self.progress)

    def _find_occurrences(self) -> Occurrences:
        """Return the occurrences of the source words, which are kept."""
        if self.occurrences is None:
            text = self.blocks
            self.occurrences = Occurrences.of_source(text.bitext, self.threads, text.numbers)
        return self.occurrences


def learns_by_row(stage: Stage, task: Task) -> bool:
    """Return True if the counts of a word may become its row before the next word is counted.

    This takes half of the memory of counts. Only the last iteration of a run needs the counts of all word
    pairs then, for the links of each word, and an iteration after pruning.
    """
    return (
        is_model1_alone(stage, task.is_restricted)
        and stage.update == DEFAULT
        and not stage.criterion.has_own_mstep
        and not any(prior.needs_counts(stage) for prior in task.priors.values())
    )
