"""The state of a training run: the model so far, and the position in the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aligner.arrays import Bools
from aligner.criteria import Counts
from aligner.criteria.counts import MEASURE_SCALE
from aligner.criteria.mstep import DEFAULT, keep_uncounted
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import Span
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import MODELS, ModelPair
from aligner.models.pair import DIRECTIONS
from aligner.models.start import links_by_start
from aligner.models.trained import TrainedModel, WordLinks
from aligner.models.variants import BestOnly, annealed
from aligner.priors.source import add_pseudo_counts
from aligner.recipe.config import PRUNING_ITERATION, Recipe, Stage
from aligner.text.facts import TextFacts
from aligner.training.stepwise import Running, blended, parts_of
from aligner.training.task import Task

_LINK_UNIT = float(1 << 16)
"""The unit of the links of source words in a model file, in the unit of counts."""

MOST_WORDS = 65_536
"""The most words of a language that have jumps of their own. Their counts take 28 MB in each thread."""


@dataclass(eq=False)
class TrainingState:
    """The state of training between two iterations. Each iteration changes it; its models are immutable.

    An iteration is::

        state.enter()
        for part in state.parts:
            state.update(count(state, part))
        state.complete()

    Attributes
    ----------
    task
        The constant inputs of the run.
    recipe
        The recipe.
    pair
        The model pair under which the next iteration counts.
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
    kept_cells
        The cells that pruning kept, or None before pruning. Counting sets them.
    """

    task: Task
    recipe: Recipe
    pair: ModelPair
    report: dict[str, int]
    stage_number: int = 1
    iteration: int = 0
    criterion_state: Any = None
    running: Running | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    links: WordLinks | None = None
    kept_cells: KeptBits | None = None
    _counted: list[tuple[Any, ...]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def first(cls, task: Task, recipe: Recipe, lexicon: Lexicon, report: dict[str, int]) -> TrainingState:
        """Return the state before the first iteration."""
        state = cls(task, recipe, first_pair(recipe.stages[0], lexicon, task), report)
        state._begin_stage()
        return state

    @property
    def stage(self) -> Stage:
        """The settings of the current stage."""
        return self.recipe.stages[self.stage_number - 1]

    @property
    def done(self) -> bool:
        """True if no iteration is left."""
        return self._left == 0

    @property
    def ends_training(self) -> bool:
        """True if no iteration is left, and no model of pieces is to follow."""
        return self.done and self.recipe.pieces is None

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
    def inverse_temperature(self) -> float:
        """The inverse temperature of the next iteration."""
        return self.stage.inverse_temperature(self.iteration)

    @property
    def prunes(self) -> bool:
        """True if the next iteration decides which cells are kept."""
        return self.stage.prunes and self.iteration + 1 == PRUNING_ITERATION

    @property
    def is_pruned(self) -> bool:
        """True once cells have been dropped."""
        return self.recipe.is_pruned_after(self.stage_number, self.iteration)

    @property
    def trained(self) -> TrainedModel:
        """The model with the vocabularies of its text."""
        config, history, facts = self.recipe.to_dict(), tuple(self.history), self.task.facts
        learned = links_by_start(self.recipe.start) if self.recipe.start else None
        trained = *facts.vocabularies, self.pair, config, self.report, history, learned
        return TrainedModel(*trained, links=self.links, edges=facts.edges)

    def enter(self) -> None:
        """Enter the stage of the next iteration, with this stage's first model."""
        while self.iteration == self.stage.iterations and not self.done:
            self.stage_number, self.iteration, self.running = self.stage_number + 1, 0, None
            self.pair = first_pair(self.stage, self.pair, self.task)
            self._begin_stage()

    def _begin_stage(self) -> None:
        """Take the initial state of the stage's criterion."""
        self.criterion_state = self.stage.criterion.initial_state(self.task.blocks, self.pair)

    @property
    def parts(self) -> list[Span]:
        """The parts of the text in the next iteration. The model is updated after each."""
        return parts_of(self.stage, self.running, self.task.facts.pairs)

    def inferring_pair(self) -> ModelPair:
        """Return the model pair to count with: ``pair``, or its variant if the stage is annealed or hard EM.

        Annealed EM infers with another lexical table: that of ``pair`` is freed.
        """
        if self.stage.hard:
            return BestOnly.of(self.pair)
        found = annealed(self.pair, self.inverse_temperature, self.task.threads)
        if found is not self.pair:
            self._free_table()
        return found

    def _free_table(self) -> None:
        """Free the lexical table, unless the M-step may need it."""
        if not (self.stage.hard or self.stage.criterion.has_own_mstep):
            self.pair = replace(self.pair, lexicon=self.pair.lexicon.without_table())

    def update(self, counts: Counts) -> None:
        """Take the model of the expected counts of a part: add pseudo-counts, and maximise.

        The counts are changed, and the lexical table is freed before another one is made.
        """
        stage, task = self.stage, self.task
        self.running, counts = blended(stage, self.running, counts, task.facts.pairs)
        self._free_table()
        pseudo_counts = add_pseudo_counts(task.priors.values(), self.pair, counts, stage)
        counts += pseudo_counts
        self.note(counts, pseudo_counts.notes)
        del pseudo_counts
        if self.is_last:
            self.links = _links_of_words(self.pair.lexicon.index, counts, task.threads)
        before = self.pair.lexicon
        self.pair, self.criterion_state = stage.criterion.mstep(
            self.pair, counts, self.criterion_state, stage.mstep, task.threads
        )
        if stage.hard and stage.update == DEFAULT and not stage.criterion.has_own_mstep:
            lexicon = keep_uncounted(before, self.pair.lexicon, counts)
            self.pair = replace(self.pair, lexicon=lexicon)

    def note(self, counts: Counts, notes: Mapping[str, Any]) -> None:
        """Note the measures and the kept word pairs of a part, and figures for the iteration's record."""
        self._counted.append((counts.measures, counts.kept_pairs, notes))

    def complete(self) -> None:
        """Complete an iteration: drop the word pairs that were not kept, and add a record to the history."""
        measures, kept, notes = zip(*self._counted, strict=True)
        self._counted.clear()
        if kept[-1] is not None:
            self._prune(kept[-1])
        sums = np.sum(measures, axis=0) / MEASURE_SCALE
        named = dict(zip(self.stage.criterion.measures, sums.tolist(), strict=True))
        numbers = {"stage": self.stage_number, "iteration": self.iteration + 1}
        annealing = {"inverse_temperature": self.inverse_temperature} if self.stage.anneal_from < 1.0 else {}
        self.history.append(numbers | named | annealing | dict(notes[-1]))
        self.iteration += 1

    def _prune(self, kept: Bools) -> None:
        """Keep some word pairs, bool [pair_ids + 1], and those of a model to go on from."""
        init = self.task.init
        if init is not None:
            kept = kept | (init.pair_ids(self.pair.lexicon.index) > 0)
        self.pair = replace(self.pair, lexicon=self.pair.lexicon.select(kept))
        self.criterion_state = self.stage.criterion.state_after_pruning(self.criterion_state, self.pair)


def _links_of_words(index: CooccurrenceIndex, counts: Counts, threads: int) -> WordLinks | None:
    """Sum the links of each word, expected or known by priors; None for counts of another kind."""
    if counts.links.shape[1] > len(DIRECTIONS):
        return None
    source, target = index.totals(counts.links, threads)
    source = np.rint(source / _LINK_UNIT) * _LINK_UNIT
    totals = source[:-1] / COUNT_SCALE, target[:-1] / COUNT_SCALE
    return totals[0].astype(np.float32), totals[1].astype(np.float32)


def first_pair(stage: Stage, before: ModelPair | Lexicon, task: Task) -> ModelPair:
    """Return the first models of a stage: the lexicon so far, with directional models of the stage's kind.

    These come from the stage before, if it had the same kind and the same p0; else from the model to go on
    from, if it has the same kind; else they are uniform. Frequent words get jumps of their own if the stage
    says so.
    """
    kind = MODELS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        lexicon, (forward, reverse) = before.lexicon, before.directions
    else:
        lexicon = before.lexicon if isinstance(before, ModelPair) else before
        source_lengths, target_lengths = (lengths.astype(np.int32) for lengths in task.facts.lengths)
        forward = kind.initial(source_lengths, target_lengths, stage.p0)
        reverse = kind.initial(target_lengths, source_lengths, stage.p0)
        if task.init is not None and type(task.init.model.pair.forward) is kind:
            init = task.init.model.pair
            forward, reverse = forward.continued_from(init.forward), reverse.continued_from(init.reverse)
    source_words, target_words = words_with_jumps(stage, task.facts)
    return ModelPair(lexicon, forward.with_word_jumps(source_words), reverse.with_word_jumps(target_words))


def words_with_jumps(stage: Stage, facts: TextFacts) -> tuple[int | None, int | None]:
    """Return how many source words and target words have jumps of their own in a stage.

    These are the words with the lowest ids, since the most frequent words come first. None: the stage has no
    jumps of words.
    """
    if not stage.word_jumps:
        return None, None
    source, target = (
        min(int(np.count_nonzero(vocabulary.counts >= stage.word_jumps)), MOST_WORDS)
        for vocabulary in facts.vocabularies
    )
    return source, target
