"""Counting in memory: the expected counts of a text under the current state of training."""

from __future__ import annotations

from dataclasses import replace

from aligner.criteria import Counts
from aligner.criteria.mstep import DEFAULT
from aligner.lexicon.block_sources import Span, search_cells
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.models.variants import Restricted
from aligner.priors.source import add_pseudo_counts
from aligner.recipe.config import Stage
from aligner.training.estep import BlockEStep, ProgressCallback
from aligner.training.model1_estep import Model1EStep, is_model1_alone
from aligner.training.pruning import Pruner
from aligner.training.state import TrainingState
from aligner.training.task import Task


class Counting:
    """The counting of a text in memory.

    Parameters
    ----------
    progress
        Receives the number of sentence pairs done since its last call.
    """

    def __init__(self, progress: ProgressCallback | None = None) -> None:
        self._progress = progress
        self._occurrences: Occurrences | None = None

    def index(self, task: Task) -> CooccurrenceIndex:
        """Return the index of the word pairs of the text."""
        return CooccurrenceIndex.of(task.blocks.bitext, task.threads, self._find_occurrences(task))

    def __call__(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of a part of the text under a state.

        Sets the kept cells of the state if this iteration prunes, and frees its table if another is needed.
        """
        task, stage = state.task, state.stage
        if is_model1_alone(stage, task.is_restricted) and not state.is_pruned:
            return self._model1(state).counts()
        self._occurrences = None  # frees them: only Model 1 alone uses them
        kept_cells = state.kept_cells if state.is_pruned else None
        cells = search_cells(task.blocks.cells, task.threads)
        source = task.blocks.searched(state.pair.lexicon.index, cells, kept_cells)
        pair = state.inferring_pair()
        if task.cells is not None and task.is_restricted:
            pair = Restricted.of(pair, task.cells)
        pruner = Pruner(stage.prune, source) if state.prunes else None
        counts = BlockEStep(source, task.threads)(
            stage.criterion,
            pair,
            state.criterion_state,
            part=part,
            block_filter=pruner,
            progress=self._progress,
        )
        if pruner is None:
            return counts
        state.kept_cells = pruner.kept_cells
        return replace(counts, kept_pairs=pruner.kept_pairs)

    def learn_by_row(self, state: TrainingState) -> None:
        """Count and update row by row (see ``learns_by_row``)."""
        lexicon = state.pair.lexicon.with_table_to_change(state.task.threads)
        state.pair = pair = replace(state.pair, lexicon=lexicon)
        del lexicon
        nothing = state.stage.criterion.empty_counts(pair)
        added = add_pseudo_counts(state.task.priors.values(), pair, nothing, state.stage)
        state.pair, counts = self._model1(state).maximise(added)
        state.note(counts, added.notes)

    def _model1(self, state: TrainingState) -> Model1EStep:
        """Return the E-step of Model 1 alone."""
        task = state.task
        occurrences = self._find_occurrences(task)
        return Model1EStep(task.blocks.bitext, occurrences, state.pair, task.threads, self._progress)

    def _find_occurrences(self, task: Task) -> Occurrences:
        """Return the occurrences of the source words, which are kept."""
        if self._occurrences is None:
            text = task.blocks
            self._occurrences = Occurrences.of_source(text.bitext, task.threads, text.numbers)
        return self._occurrences


def learns_by_row(stage: Stage, task: Task) -> bool:
    """Return True if the counts of a word may become its row before the next word is counted.

    This halves the memory of counts. The counts of all word pairs are still needed by the last iteration of a
    run, which sums the links of each word, and by iterations after pruning.
    """
    return (
        is_model1_alone(stage, task.is_restricted)
        and stage.update == DEFAULT
        and not stage.criterion.has_own_mstep
        and not any(prior.needs_counts(stage) for prior in task.priors.values())
    )
