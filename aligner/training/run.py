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
from aligner.criteria.mstep import MStep
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, ModelPair
from aligner.models.trained import Model
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


@dataclass(eq=False)
class _Iteration:
    """The iteration that is running.

    Attributes
    ----------
    measures
        int64 [names], sums of the measures so far, in units of 1 / ``MEASURE_SCALE``.
    pruner
        The filter of the E-step, if this iteration decides which cells are kept.
    start
        The time at which the iteration began, in seconds.
    """

    measures: NDArray[np.int64]
    pruner: Pruner | None
    start: float = field(default_factory=time.perf_counter)


@dataclass(eq=False)
class Run:
    """The state of a training run between iterations.

    Only the run refers to the model and to the blocks that an iteration replaces, since each of them is as
    large as the lexicon.

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
    number, iteration
        The current stage, from 1, and how many of its iterations are completed, or running.
    state
        The state of the criterion.
    updates
        Batch or stepwise EM, with the state of the latter.
    """

    task: Task
    source: BlockSource
    model: ModelPair
    report: dict[str, int]
    history: tuple[dict[str, Any], ...] = ()
    number: int = 1
    iteration: int = 0
    state: Any = None
    updates: Batch = field(default_factory=Batch)
    _estep: EStep | None = None
    _current: _Iteration | None = None

    @property
    def stage(self) -> Stage:
        """The settings of the current stage."""
        return self.task.recipe.stages[self.number - 1]

    @property
    def criterion(self) -> Criterion:
        """The criterion of the current stage."""
        return self.stage.criterion

    @property
    def rule(self) -> MStep:
        """The M-step of the lexical tables in the current stage."""
        return mstep_of(self.stage)

    @property
    def inference(self) -> Inference:
        """The inference of the running iteration."""
        return inferences_of(self.stage)[self.iteration - 1]

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.task.options.threads

    def enter(self, number: int) -> Run:
        """Begin a stage, or continue it if some of its iterations are completed; return this run."""
        if number != self.number:
            self.number, self.iteration, self._estep = number, 0, None
        self.model = initial_model(self.stage, self.model, self.source)
        if self._estep is None:
            self._estep = choose_estep(self.stage, self.task.facts, self.source, self.threads)
        if not self.iteration:
            self.state = self.criterion.initial_state(self.source)
            self.updates = updates_of(self.stage)
        return self

    def iterations(self) -> Iterator[int]:
        """Begin one iteration after another, until the stage is complete."""
        while self.iteration < self.stage.iterations:
            self.iteration += 1
            prunes = self.stage.prunes and self.iteration == PRUNING_ITERATION
            measures = np.zeros(len(self.criterion.measures), np.int64)
            self._current = _Iteration(measures, Pruner(self.stage.prune) if prunes else None)
            yield self.iteration

    def parts(self) -> list[Span]:
        """Return the spans of pairs after each of which the iteration updates the model.

        Pruned blocks cannot be cut, and an E-step reads the blocks that begin in its span. Spans in which no
        block begins are left out.
        """
        parts = self.updates.parts(len(self.source.bitext))
        return [part for part in parts if next(self.source.spans(1, part), None) is not None]

    def estep(self, part: Span) -> Counts:
        """Return the expected counts of a part of the text, combined with earlier parts in stepwise EM."""
        assert self._estep is not None, "enter a stage first"
        assert self._current is not None, "begin an iteration first"
        pruner = self._current.pruner
        counts = self._estep(
            self.criterion,
            self.inference(self.task.facts.restrict(self.model)),
            self.state,
            part=part,
            keep=pruner.keep if pruner else None,
            progress=self.task.options.progress,
        )
        self._current.measures += counts.measures
        return self.updates.take(counts, len(self.source.bitext))

    def pseudo_counts(self) -> PseudoCounts:
        """Return the counts that a dictionary and cognates add to the expected counts."""
        index = self.model.lexicon.index
        dictionary = self.task.facts.pseudo_counts(index)
        return dictionary.joined_with(self.task.cognates.pseudo_counts(index, self.stage.cognates))

    def update(self, model: ModelPair, state: Any) -> None:
        """Replace the model and the state of the criterion."""
        self.model, self.state = model, state

    def prune(self) -> None:
        """Drop cells for good if the running iteration decides which cells are kept."""
        pruner = self._current.pruner if self._current else None
        if pruner is None:
            return
        self.source, self.model = pruner.prune(self.source, self.model, self.threads)
        self.state = self.criterion.state_after_pruning(self.state)
        self._estep = choose_estep(self.stage, self.task.facts, self.source, self.threads)

    def step(self) -> Step:
        """Complete the iteration: record it, and offer it as a checkpoint unless it is the last one."""
        assert self._current is not None, "begin an iteration first"
        seconds = time.perf_counter() - self._current.start
        values = (self._current.measures / MEASURE_SCALE).tolist()
        measures = dict(zip(self.criterion.measures, values, strict=True))
        record = {"stage": self.number, "iteration": self.iteration, **measures, **self.inference.notes()}
        self.history += (record,)
        self._current = None
        task, bitext = self.task, self.source.bitext
        vocabularies = task.bitext.source_vocabulary, task.bitext.target_vocabulary
        model = Model(*vocabularies, self.model, task.recipe.to_dict(), self.report, self.history)
        last = (self.number, self.iteration) == (task.last_stage, self.stage.iterations)
        if task.options.checkpoints and not last:
            remembered = self.state, self.updates.running
            progress = Progress(self.number, self.iteration, model, self.source, remembered)
            task.options.checkpoints.offer(progress)
        return Step(
            self.number,
            self.iteration,
            self.stage,
            model,
            measures,
            len(bitext),
            len(bitext.source.tokens),
            len(bitext.target.tokens),
            seconds,
            last,
        )


def initial_model(stage: Stage, before: ModelPair | Lexicon, source: BlockSource) -> ModelPair:
    """Return the first model of a stage: the lexicon so far, with distortions of the stage's kind.

    Distortions are uniform, unless the stage before had the same kind and the same p0.
    """
    kind = DISTORTIONS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        return before
    lexicon = before.lexicon if isinstance(before, ModelPair) else before
    source_lengths = source.bitext.source.lengths.astype(np.int32)
    target_lengths = source.bitext.target.lengths.astype(np.int32)
    return ModelPair(
        lexicon,
        kind.initial(source_lengths, target_lengths, stage.p0),
        kind.initial(target_lengths, source_lengths, stage.p0),
    )
