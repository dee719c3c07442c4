"""Counting: where the expected counts of a text come from, and where its updates are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np

from aligner.criteria import Counts
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, Span
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.sums import alone
from aligner.models.variants import CellSet, Restricted
from aligner.priors.source import add_pseudo_counts
from aligner.recipe.config import Stage
from aligner.training.estep import BlockEStep, ProgressCallback
from aligner.training.model1_estep import Model1EStep, is_model1_alone
from aligner.training.pruning import Pruner
from aligner.training.state import TrainingState, Update, updated
from aligner.training.task import Task


class Counting(ABC):
    """The counting of a text, in memory, or in the shards of a folder."""

    def prepared(self, state: TrainingState, task: Task) -> TrainingState:
        """Return the state whose pair is the one to count with, a variant of the model."""
        return state

    def updated_by_row(self, state: TrainingState, task: Task) -> Update | None:
        """Return the update of a prepared state without counts of all word pairs, if the stage allows."""
        return None

    @abstractmethod
    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of a part of the text under a prepared state.

        They are the caller's to change.
        """

    def counted(self, state: TrainingState, counts: Counts, task: Task) -> TrainingState:
        """Return a prepared state with what its update needs of the model, once it has been counted with."""
        return state

    def update(self, state: TrainingState, counts: Counts, task: Task) -> Update:
        """Return the update of a state (see ``state.updated``). Only a whole lexicon needs no sums."""
        computation = updated(state, counts, task)
        del counts  # as large as two lexicons
        return alone(computation)


@dataclass(eq=False)
class LocalCounting(Counting):
    """The counting of a text in memory.

    Attributes
    ----------
    blocks
        The blocks of the text.
    cells_at_once
        Cells whose pair_ids are looked up at a time.
    threads
        Number of threads.
    cells
        Known and forbidden cells, or None if there is none.
    kept
        The cells that pruning kept, or None before pruning.
    occurrences
        The occurrences of the source words, if they are known. The first E-step takes them.
    progress
        Receives the number of sentence pairs done since its last call.
    """

    blocks: BlockSource
    cells_at_once: int
    threads: int = 1
    cells: CellSet | None = None
    kept: KeptBits | None = None
    occurrences: Occurrences | None = None
    progress: ProgressCallback | None = None
    _estep: BlockEStep | Model1EStep | None = field(default=None, init=False)
    _of: tuple[int, CooccurrenceIndex] | None = field(default=None, init=False)

    def prepared(self, state: TrainingState, task: Task) -> TrainingState:
        pair = state.inference(state.pair, self.threads)
        if self._goes_by_row(state, task):
            lexicon = pair.lexicon
            copied = np.copy if lexicon.uniform_shares is None else np.empty_like
            pair = replace(pair, lexicon=replace(lexicon, table=copied(lexicon.table)))
        return replace(state, pair=pair)

    def updated_by_row(self, state: TrainingState, task: Task) -> Update | None:
        if not self._goes_by_row(state, task):
            return None
        stage, pair = state.stage, state.pair
        estep = self._estep_of(state, self.blocks.searched(pair.lexicon.index, self.cells_at_once))
        assert isinstance(estep, Model1EStep)
        nothing = stage.criterion.empty_counts(pair)
        added = alone(add_pseudo_counts(task.priors.values(), pair, nothing, stage))
        pair, counts = estep.maximise(pair, added, self.progress)
        return Update(replace(state, pair=pair), counts.measures, added.notes, None)

    def _goes_by_row(self, state: TrainingState, task: Task) -> bool:
        """Return True if the next iteration needs no counts of all word pairs."""
        return task.goes_by_row(state.stage) and not (state.is_pruned or state.is_last)

    def counted(self, state: TrainingState, counts: Counts, task: Task) -> TrainingState:
        if task.needs_table(state.stage):
            return replace(state, pair=state.pair.parameters)
        has_counts = state.pair.lexicon.has_counts(counts.links, self.threads)
        pair = state.pair.without_table() if has_counts else state.pair.parameters
        if counts.links.shape[1] == 1:  # as large as the next table
            pair = replace(pair, lexicon=replace(pair.lexicon, room=counts.links.view(np.float32)))
        return replace(state, pair=pair)

    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        kept = self.kept if state.is_pruned else None
        source = self.blocks.searched(state.pair.lexicon.index, self.cells_at_once, kept)
        pruner = Pruner(state.stage.prune, source) if state.prunes else None
        pair = state.pair if self.cells is None else Restricted.of(state.pair, self.cells)
        counts = self._estep_of(state, source)(
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

    def _estep_of(self, state: TrainingState, source: SearchedBlocks) -> BlockEStep | Model1EStep:
        """Return the E-step of a state. It is chosen anew only for another stage or another index."""
        number, index = state.stage_number, source.index
        if self._estep is None or self._of is None or self._of[0] != number or self._of[1] is not index:
            self._estep = None  # frees the occurrences
            occurrences, self.occurrences = self.occurrences, None
            restricted = self.cells is not None
            self._estep = choose_estep(state.stage, restricted, source, self.threads, occurrences)
            self._of = number, index
        return self._estep


def choose_estep(
    stage: Stage,
    restricted: bool,
    source: SearchedBlocks,
    threads: int,
    occurrences: Occurrences | None = None,
) -> BlockEStep | Model1EStep:
    """Return the fastest E-step for a stage.

    occurrences: the occurrences of the text's source words; by default, they are found anew.
    """
    if is_model1_alone(stage, restricted) and source.kept is None:
        text = source.bitext, threads, source.numbers
        return Model1EStep(source, occurrences or Occurrences.of_source(*text), threads)
    return BlockEStep(source, threads)
