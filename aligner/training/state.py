"""The state of training between two iterations, as an immutable value, and the update of this state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts
from aligner.criteria.counts import MEASURE_SCALE
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.sums import Summing
from aligner.lexicon.table import Lexicon
from aligner.models import ModelPair
from aligner.models.pair import DIRECTIONS
from aligner.models.trained import TrainedModel, WordLinks
from aligner.models.variants import Inference
from aligner.priors.source import add_pseudo_counts
from aligner.recipe.config import PRUNING_ITERATION, Recipe, Stage
from aligner.text.facts import TextFacts
from aligner.training.first_models import first_model
from aligner.training.stepwise import blended
from aligner.training.task import Task


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of training before an iteration.

    Attributes
    ----------
    recipe
        The recipe.
    pair
        The model pair under which the next iteration counts. If the lexicon is divided into slices, it has
        the rows of one slice or of none.
    report
        Figures about the text and what is known besides it, for the model file.
    stage_number
        The number of the stage, from 1.
    iteration
        The number of iterations of this stage that are completed.
    criterion_state
        The state of the criterion.
    running
        The state of stepwise EM: the next k, and the running counts; or None.
    history
        One record for each completed iteration.
    links
        The links of each word in the last M-step, as in ``TrainedModel``; None before.
    """

    recipe: Recipe
    pair: ModelPair
    report: dict[str, int]
    stage_number: int = 1
    iteration: int = 0
    criterion_state: Any = None
    running: tuple[int, Counts] | None = None
    history: tuple[dict[str, Any], ...] = ()
    links: WordLinks | None = None

    @property
    def stage(self) -> Stage:
        """The settings of the current stage."""
        return self.recipe.stages[self.stage_number - 1]

    @property
    def done(self) -> bool:
        """True if no iteration is left."""
        return self._left == 0

    @property
    def is_last(self) -> bool:
        """True if the next iteration is the last one."""
        return self._left == 1

    @property
    def _left(self) -> int:
        """The number of iterations that are left."""
        later = self.recipe.stages[self.stage_number :]
        return self.stage.iterations - self.iteration + sum(stage.iterations for stage in later)

    @property
    def inference(self) -> Inference:
        """The inference of the next iteration."""
        return self.stage.inferences[self.iteration]

    @property
    def prunes(self) -> bool:
        """True if the next iteration decides which cells are kept."""
        return self.stage.prunes and self.iteration + 1 == PRUNING_ITERATION

    @property
    def is_pruned(self) -> bool:
        """True once cells have been dropped."""
        return self.recipe.is_pruned_after(self.stage_number, self.iteration)

    def trained(self, facts: TextFacts) -> TrainedModel:
        """Return the model with the vocabularies of its text."""
        return TrainedModel(
            *facts.vocabularies, self.pair, self.recipe.to_dict(), self.report, self.history, links=self.links
        )


_UNIT = 1 << 16
"""The unit of sums of counts over slices, which could exceed 63 bits otherwise."""


class Update(NamedTuple):
    """The update of a state from the counts of a part of the text.

    Attributes
    ----------
    state
        The state with the new model, before its iteration is completed.
    measures
        int64 [names], the measures of the counts.
    notes
        Figures for the record of the iteration.
    kept
        bool [pair_ids + 1], the word pairs that pruning keeps, or None.
    """

    state: TrainingState
    measures: NDArray[np.int64]
    notes: Mapping[str, Any]
    kept: NDArray[np.bool_] | None


def first_lexicon(task: Task, index: CooccurrenceIndex) -> Summing[tuple[Lexicon, dict[str, int]]]:
    """Compute the lexicon before the first iteration, and the figures for the model file."""
    lexicon = yield from Lexicon.uniform(index, task.threads)
    report = yield from task.report(index)
    if task.init is not None:
        lexicon = yield from task.init.start(lexicon)
    return lexicon, report


def first_state(task: Task, recipe: Recipe, lexicon: Lexicon, report: dict[str, int]) -> TrainingState:
    """Return the state before the first iteration, from a lexicon."""
    pair = first_model(recipe.stages[0], lexicon, task.facts, task.init_pair)
    return _begun(TrainingState(recipe, pair, report), task)


def entered(state: TrainingState, task: Task) -> TrainingState:
    """Return the state in the stage of its next iteration, with this stage's first model."""
    while state.iteration == state.stage.iterations and not state.done:
        stage = state.recipe.stages[state.stage_number]
        pair = first_model(stage, state.pair, task.facts, task.init_pair)
        later = replace(state, pair=pair, stage_number=state.stage_number + 1, iteration=0, running=None)
        state = _begun(later, task)
    return state


def _begun(state: TrainingState, task: Task) -> TrainingState:
    """Return a state that enters its stage with the initial state of the stage's criterion."""
    return replace(state, criterion_state=state.stage.criterion.initial_state(task.blocks, state.pair))


def updated(state: TrainingState, counts: Counts, task: Task) -> Summing[Update]:
    """Compute the next model from the counts of a part of the text: pseudo-counts, then the M-step.

    counts: expected counts, which are changed.
    """
    stage, measures, kept = state.stage, counts.measures, counts.kept
    running, counts = blended(stage, state.running, counts, task.facts.pairs)
    pseudo_counts = yield from add_pseudo_counts(task.priors.values(), state.pair, counts, stage)
    counts += pseudo_counts
    notes = pseudo_counts.notes
    links = (yield from _links_of_words(state, counts, task)) if state.is_last else None
    del pseudo_counts
    pair, criterion_state = yield from stage.criterion.mstep(
        state.pair, counts, state.criterion_state, stage.mstep, task.threads
    )
    after = replace(state, pair=pair, criterion_state=criterion_state, running=running, links=links)
    return Update(after, measures, notes, kept)


def _links_of_words(state: TrainingState, counts: Counts, task: Task) -> Summing[WordLinks | None]:
    """Sum the links of each word, expected or known by priors; None for counts of another kind."""
    if counts.links.shape[1] > len(DIRECTIONS):
        return None
    of_slice, target = yield from state.pair.lexicon.totals(counts.links, task.threads)
    source = (yield np.rint(of_slice / _UNIT).astype(np.int64)) * float(_UNIT)
    totals = source[:-1] / COUNT_SCALE, target[:-1] / COUNT_SCALE
    return totals[0].astype(np.float32), totals[1].astype(np.float32)


def pruned(state: TrainingState, kept: NDArray[np.bool_] | None, task: Task) -> TrainingState:
    """Return the state with the kept word pairs, and those of a model to go on from; None keeps all."""
    if kept is None:
        return state
    if task.init is not None:
        kept = kept | (task.init.pair_ids(state.pair.lexicon.index) > 0)
    lexicon, _ = state.pair.lexicon.select(kept, task.threads)
    pair = replace(state.pair, lexicon=lexicon)
    own = state.stage.criterion.state_after_pruning(state.criterion_state, pair)
    return replace(state, pair=pair, criterion_state=own)


def completed(
    state: TrainingState, measures: NDArray[np.int64], notes: Mapping[str, Any]
) -> tuple[TrainingState, dict[str, float]]:
    """Return the state after an iteration with its record, and the measures by name.

    measures: int64 [names], of all parts of the text, in units of 1 / ``MEASURE_SCALE``.
    """
    numbers = {"stage": state.stage_number, "iteration": state.iteration + 1}
    named = dict(zip(state.stage.criterion.measures, (measures / MEASURE_SCALE).tolist(), strict=True))
    record = numbers | named | dict(state.inference.notes()) | dict(notes)
    return replace(state, iteration=state.iteration + 1, history=(*state.history, record)), named
