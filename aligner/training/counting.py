"""Counting in memory: the expected counts of a text under the current state of training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts
from aligner.criteria.mstep import DEFAULT
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, Span, search_cells
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
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

    def counts(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of a part of the text, after ``state.infer``. They may be changed."""
        source, pair = self._source(state), state.pair
        if self._is_model1_alone(state):
            return self._model1(source)(state.stage.criterion, pair, part=part, progress=self.progress)
        self.occurrences = None
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

    def learns_by_row(self, state: TrainingState, task: Task) -> bool:
        """Return True if the counts of a word may become its row before the next word is counted.

        This takes half of the memory of counts. The last iteration of a run needs the counts of all word
        pairs, for the links of each word.
        """
        return learns_by_row(state.stage, task) and not (state.is_last or state.is_pruned)

    def learn_by_row(self, state: TrainingState, task: Task) -> tuple[NDArray[np.int64], Mapping[str, Any]]:
        """Count the whole text and update the state, row by row.

        Returns the measures and figures for the record of the iteration, as ``counts`` and
        ``TrainingState.update`` do.
        """
        lexicon = state.pair.lexicon
        own = (np.copy if lexicon.uniform_shares is None else np.empty_like)(lexicon.table)
        state.pair = pair = replace(state.pair, lexicon=replace(lexicon, table=own))
        del lexicon
        nothing = state.stage.criterion.empty_counts(pair)
        added = add_pseudo_counts(task.priors.values(), pair, nothing, state.stage)
        state.pair, counts = self._model1(self._source(state)).maximise(pair, added, self.progress)
        return counts.measures, added.notes

    def _source(self, state: TrainingState) -> SearchedBlocks:
        """Return the blocks of the text, with the word pairs of the state."""
        cells, kept = search_cells(self.blocks.cells, self.threads), self.kept if state.is_pruned else None
        return self.blocks.searched(state.pair.lexicon.index, cells, kept)

    def _is_model1_alone(self, state: TrainingState) -> bool:
        """Return True if ``Model1EStep``, which is faster, gives the counts of the next iteration."""
        return is_model1_alone(state.stage, self.cells is not None) and not state.is_pruned

    def _model1(self, source: SearchedBlocks) -> Model1EStep:
        """Return the E-step of Model 1 alone."""
        threads = self.threads
        if self.occurrences is None:
            self.occurrences = Occurrences.of_source(source.bitext, threads, source.numbers)
        return Model1EStep(source, self.occurrences, threads)

    @classmethod
    def of(cls, task: Task, **options: Any) -> Counting:
        """Return the counting of the text of a task; options: other attributes."""
        return cls(task.blocks, task.threads, task.cells if task.is_restricted else None, **options)

    def index(self) -> CooccurrenceIndex:
        """Return the index of the word pairs of the text."""
        text = self.blocks.bitext
        self.occurrences = Occurrences.of_source(text, self.threads, self.blocks.numbers)
        return CooccurrenceIndex.of(text, self.threads, self.occurrences)


def learns_by_row(stage: Stage, task: Task) -> bool:
    """Return True if iterations of a stage may learn row by row (see ``Counting.learns_by_row``)."""
    return (
        is_model1_alone(stage, task.is_restricted)
        and stage.update == DEFAULT
        and not stage.criterion.has_own_mstep
        and not any(prior.needs_counts(stage) for prior in task.priors.values())
    )
