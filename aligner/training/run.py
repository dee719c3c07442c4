"""The state of a training run, and the parts of an iteration that change it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion
from aligner.criteria.counts import MEASURE_SCALE, PseudoCounts
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, Span
from aligner.lexicon.table import Lexicon
from aligner.models import MODELS, ModelPair
from aligner.models.trained import TrainedModel
from aligner.models.variants import Inference
from aligner.recipe.config import PRUNING_ITERATION, Stage
from aligner.training.checkpoint import Progress
from aligner.training.estep import EStep
from aligner.training.estep_choice import choose_estep
from aligner.training.pruning import Pruner
from aligner.training.schedule import inferences_of, mstep_of
from aligner.training.step import Step
from aligner.training.stepwise import Batch, updates_of
from aligner.training.task import Task
from aligner.training.word_jumps import frequent_words


@dataclass(eq=False)
class _Iteration:
    """The iteration that is running.

    Attributes
    ----------
    inference
        The inference of its E-steps.
    measures
        int64 [names], sums of the measures so far, in units of 1 / ``MEASURE_SCALE``.
    pruner
        The filter of the E-step, if this iteration decides which cells are kept.
    start
        The time at which the iteration began, in seconds.
    """

    inference: Inference
    measures: NDArray[np.int64]
    pruner: Pruner | None
    start: float = field(default_factory=time.perf_counter)


@dataclass(eq=False)
class Run:
    """The mutable state of a training run.

    Keep no other reference to ``model`` or ``source``: each is as large as the lexicon and must be freed when
    it is replaced.

    Attributes
    ----------
    task
        The text, the recipe, the evidence and the options.
    source
        The blocks that the next E-step reads.
    model
        The current model pair.
    report
        Figures about the text and the evidence, for the model file.
    history
        One record for each completed iteration.
    stage_number
        The number of the current stage, from 1.
    iteration
        The number of iterations of this stage that have begun. The last of them may be running.
    state
        The state of the criterion.
    updates
        Batch or stepwise EM, with the state of the latter.
    current_estep
        The E-step over ``source``; None until a stage is entered, unless it is chosen already.
    """

    task: Task
    source: SearchedBlocks
    model: ModelPair
    report: dict[str, int]
    history: tuple[dict[str, Any], ...] = ()
    stage_number: int = 1
    iteration: int = 0
    state: Any = None
    updates: Batch = field(default_factory=Batch)
    current_estep: EStep | None = None
    _current: _Iteration | None = None

    @property
    def stage(self) -> Stage:
        """The settings of the current stage."""
        return self.task.recipe.stages[self.stage_number - 1]

    @property
    def criterion(self) -> Criterion:
        """The criterion of the current stage."""
        return self.stage.criterion

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.task.options.threads

    def enter(self, stage_number: int) -> Run:
        """Begin a stage, or continue it if some of its iterations are completed; return this run."""
        if stage_number != self.stage_number:
            self.stage_number, self.iteration, self.current_estep = stage_number, 0, None
        self.model = initial_model(self.stage, self.model, self.source, self.task.init_pair)
        if self.current_estep is None:
            self.current_estep = choose_estep(self.stage, self.task.facts, self.source, self.threads)
        if not self.iteration:
            self.state = self.criterion.initial_state(self.source, self.model)
            self.updates = updates_of(self.stage)
        return self

    def iterations(self) -> Iterator[int]:
        """Begin one iteration after another, until the stage is complete."""
        while self.iteration < self.stage.iterations:
            self.iteration += 1
            prunes = self.stage.prunes and self.iteration == PRUNING_ITERATION
            self._current = _Iteration(
                inferences_of(self.stage)[self.iteration - 1],
                np.zeros(len(self.criterion.measures), np.int64),
                self._pruner() if prunes else None,
            )
            yield self.iteration

    def _pruner(self) -> Pruner:
        """Return the filter that drops cells, and keeps the word pairs of a model to go on from."""
        init, index = self.task.init, self.source.index
        return Pruner(self.stage.prune, self.source, None if init is None else init.pair_ids(index) > 0)

    def parts(self) -> list[Span]:
        """Return the parts of the text, after each of which the iteration updates the model."""
        return self.updates.parts(len(self.source.bitext))

    def estep(self, part: Span) -> Counts:
        """Return the expected counts of a part of the text, combined with earlier parts in stepwise EM."""
        assert self.current_estep is not None, "enter a stage first"
        iteration = self._running_iteration
        counts = self.current_estep(
            self.criterion,
            self.task.facts.restrict(iteration.inference(self.model)),
            self.state,
            part=part,
            block_filter=iteration.pruner,
            progress=self.task.options.progress,
        )
        iteration.measures += counts.measures
        return self.updates.take(counts, len(self.source.bitext))

    def pseudo_counts(self, counts: Counts) -> PseudoCounts:
        """Return the pseudo-counts of the dictionary, of cognates, of word forms and of existing models."""
        task, lexicon = self.task, self.model.lexicon
        spelled = task.cognates.pseudo_counts(lexicon.index, self.stage.cognates)
        if self.stage.word_forms:
            spelled = spelled.joined_with(task.word_forms.pseudo_counts(lexicon, counts.links))
        if task.init is not None:  # the model's other word pairs have these pseudo-counts already
            spelled = spelled.of_pairs(np.any(counts.links, axis=1))
        total = task.facts.pseudo_counts(lexicon.index).joined_with(spelled)
        for prior in task.priors:
            total = total.joined_with(prior.pseudo_counts(self.model, counts))
        return total

    def mstep(self, counts: Counts) -> None:
        """Update the model and the state of the criterion from counts, which include the pseudo-counts."""
        self.model, self.state = self.criterion.mstep(
            self.model, counts, self.state, mstep_of(self.stage), self.threads
        )

    def prune(self) -> None:
        """Drop cells for good if the running iteration decides which cells are kept."""
        pruner = self._running_iteration.pruner
        if pruner is None:
            return
        self.source, self.model = pruner.prune(self.model, self.threads)
        self.state = self.criterion.state_after_pruning(self.state, self.source, self.model)
        self.current_estep = choose_estep(self.stage, self.task.facts, self.source, self.threads)

    def step(self) -> Step:
        """Complete the iteration: record it, and offer a checkpoint unless training ends with it."""
        iteration = self._running_iteration
        seconds = time.perf_counter() - iteration.start
        values = (iteration.measures / MEASURE_SCALE).tolist()
        measures = dict(zip(self.criterion.measures, values, strict=True))
        numbers = {"stage": self.stage_number, "iteration": self.iteration}
        task, bitext = self.task, self.source.bitext
        notes: dict[str, Any] = dict(iteration.inference.notes())
        if task.prior is not None and task.prior.weight is None:
            notes["prior_weights"] = task.prior.weights
        self.history += (numbers | measures | notes,)
        self._current = None
        vocabularies = task.bitext.source_vocabulary, task.bitext.target_vocabulary
        model = TrainedModel(*vocabularies, self.model, task.recipe.to_dict(), self.report, self.history)
        last = (self.stage_number, self.iteration) == (task.last_stage, self.stage.iterations)
        if task.options.checkpoints and not last:
            remembered = self.state, self.updates.running
            progress = Progress(self.stage_number, self.iteration, model, self.source.kept, remembered)
            task.options.checkpoints.offer(progress)
        return Step(
            stage=self.stage_number,
            iteration=self.iteration,
            settings=self.stage,
            model=model,
            measures=measures,
            pairs=len(bitext),
            source_tokens=len(bitext.source.tokens),
            target_tokens=len(bitext.target.tokens),
            seconds=seconds,
            last=last,
        )

    @property
    def _running_iteration(self) -> _Iteration:
        """The iteration that is running."""
        assert self._current is not None, "begin an iteration first"
        return self._current


def initial_model(
    stage: Stage, before: ModelPair | Lexicon, source: BlockSource, init: ModelPair | None = None
) -> ModelPair:
    """Return the first model of a stage: the lexicon so far, with distortions of the stage's kind.

    Distortions come from the stage before, if it had the same kind and the same p0; else from ``init``, a
    model to go on from, if it has the same kind; else they are uniform. Frequent words get jumps of their
    own if the stage says so.
    """
    pair = _initial_pair(stage, before, source, init)
    source_words, target_words = frequent_words(stage, source.bitext)
    forward, reverse = pair.forward.with_word_jumps(source_words), pair.reverse.with_word_jumps(target_words)
    if forward is pair.forward and reverse is pair.reverse:
        return pair
    return ModelPair(pair.lexicon, forward, reverse)


def _initial_pair(
    stage: Stage, before: ModelPair | Lexicon, source: BlockSource, init: ModelPair | None
) -> ModelPair:
    """Return the first model of a stage, before words get jumps of their own."""
    kind = MODELS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        return before
    lexicon = before.lexicon if isinstance(before, ModelPair) else before
    source_lengths = source.bitext.source.lengths.astype(np.int32)
    target_lengths = source.bitext.target.lengths.astype(np.int32)
    forward = kind.initial(source_lengths, target_lengths, stage.p0)
    reverse = kind.initial(target_lengths, source_lengths, stage.p0)
    if init is not None and type(init.forward) is kind:
        forward, reverse = forward.continued_from(init.forward), reverse.continued_from(init.reverse)
    return ModelPair(lexicon, forward, reverse)
