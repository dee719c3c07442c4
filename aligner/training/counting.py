"""Counting: where the expected counts of a text come from, and where its updates are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from aligner.criteria import Counts
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, Span
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.sums import alone
from aligner.models.variants import CellSet, Restricted
from aligner.training.estep import EStep, ProgressCallback
from aligner.training.estep_choice import choose_estep
from aligner.training.pruning import Pruner
from aligner.training.state import TrainingState, Update, updated
from aligner.training.task import Task


class Counting(ABC):
    """The counting of a text, in memory, or in the shards of a folder."""

    @abstractmethod
    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of a part of the text under a state. They are the caller's to change."""

    def update(self, state: TrainingState, counts: Counts, task: Task) -> Update:
        """Return the update of a state (see ``state.updated``). Only a whole lexicon needs no sums."""
        computation = updated(state, counts, task)
        del counts  # as large as two lexicons
        return alone(computation)


class LocalCounting(Counting):
    """The counting of a text in memory.

    Attributes
    ----------
    kept
        The cells that pruning kept, or None before pruning.
    """

    def __init__(
        self,
        blocks: BlockSource,
        cells_at_once: int,
        threads: int = 1,
        *,
        cells: CellSet | None = None,
        kept: KeptBits | None = None,
        occurrences: Occurrences | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        """Count the text of some blocks.

        cells_at_once, kept: see ``SearchedBlocks``; cells: known and forbidden cells; occurrences: of the
        source words, if they are known.
        """
        self.kept = kept
        self._blocks, self._cells_at_once, self._threads = blocks, cells_at_once, threads
        self._cells = cells if cells is not None and len(cells.known) else None
        self._occurrences, self._progress = occurrences, progress
        self._estep: EStep | None = None
        self._of: tuple[int, CooccurrenceIndex] | None = None

    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        source = self._source(state)
        pruner = Pruner(state.stage.prune, source) if state.prunes else None
        pair = state.inference(state.pair)
        counts = self._estep_of(state, source)(
            state.stage.criterion,
            pair if self._cells is None else Restricted.of(pair, self._cells),
            state.criterion_state,
            part=part,
            block_filter=pruner,
            progress=self._progress,
        )
        if pruner is None:
            return counts
        self.kept = pruner.kept
        return replace(counts, kept=pruner.used)

    def _source(self, state: TrainingState) -> SearchedBlocks:
        """Return the blocks of the kept cells, with the pair_ids of a state."""
        kept = self.kept if state.is_pruned else None
        return self._blocks.searched(state.pair.lexicon.index, self._cells_at_once, kept)

    def _estep_of(self, state: TrainingState, source: SearchedBlocks) -> EStep:
        """Return the E-step of a state. It is chosen anew only for another stage or another index."""
        number, index = state.stage_number, source.index
        if self._estep is None or self._of is None or self._of[0] != number or self._of[1] is not index:
            self._estep = None  # frees the occurrences
            occurrences, self._occurrences = self._occurrences, None
            restricted = self._cells is not None
            self._estep = choose_estep(state.stage, restricted, source, self._threads, occurrences)
            self._of = number, index
        return self._estep
