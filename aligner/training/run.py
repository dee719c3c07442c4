"""The state of a training run, and what one iteration does with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion, check_compatible
from aligner.criteria.counts import MEASURE_SCALE, PseudoCounts
from aligner.criteria.mstep import MStep
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, ModelPair
from aligner.models.trained import Model
from aligner.recipe.config import PRUNING_ITERATION, Recipe, Stage
from aligner.system.threads import check_threads
from aligner.text.bitext import Bitext
from aligner.training.checkpoint import Checkpoints, Progress
from aligner.training.cognates import Cognates
from aligner.training.estep import BlockEStep, EStep
from aligner.training.estep_choice import choose_estep
from aligner.training.evidence import Evidence, KnownFacts
from aligner.training.memory_plan import Plan
from aligner.training.pruning import Pruner
from aligner.training.schedule import inferences_of, mstep_of
from aligner.training.step import Step
from aligner.training.stepwise import Batch, updates_of
from aligner.training.usable import usable_pairs


@dataclass(frozen=True)
class Options:
    """How training runs; no result depends on these (see ``training.loop.train``)."""

    threads: int = 1
    progress: Callable[[int], None] | None = None
    max_memory: int | str | None = None
    announce: Callable[[Plan], None] | None = None
    checkpoints: Checkpoints | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What is trained: the text, the recipe and the evidence. It does not change during a run.

    text: the usable pairs of the bitext in the order of training.
    """

    bitext: Bitext
    recipe: Recipe
    options: Options
    text: BlockSource
    facts: KnownFacts
    cognates: Cognates

    @classmethod
    def of(cls, bitext: Bitext, recipe: Recipe, evidence: Evidence, options: Options) -> Task:
        """Check that text, recipe and evidence go together, and select the pairs to train on.

        Raises ConfigError or DataError as ``train`` does.
        """
        check_threads(options.threads)
        for stage in recipe.stages:
            check_compatible(stage.criterion, evidence.kinds)
        for name, value in vars(recipe.data).items():
            if getattr(bitext, name) != value:
                raise ConfigError(
                    f"the text was read with {name}={getattr(bitext, name)}, the recipe says {value};"
                    " read it as the recipe says: read_bitext(..., **vars(recipe.data))"
                )
        numbers = usable_pairs(bitext, recipe)
        text = BlockSource.of(bitext.select(numbers, options.threads))
        facts = evidence.about(bitext, numbers, recipe.data.lowercase)
        return cls(bitext, recipe, options, text, facts, Cognates(bitext, options.threads))

    @property
    def last_stage(self) -> int:
        """The number of the last stage with an iteration."""
        return max(n for n, stage in enumerate(self.recipe.stages, start=1) if stage.iterations)


@dataclass(eq=False)
class Run:
    """The state of a training run between iterations.

    Only the run holds the model and the blocks that an iteration replaces, since each of them is as large as
    the lexicon.

    Attributes
    ----------
    task
        What is trained.
    source
        The blocks that the next E-step reads.
    model
        The current model pair.
    report
        Figures on the text and the evidence, for the model file.
    history
        One record for each iteration so far.
    number, iteration
        The current stage, from 1, and how many of its iterations are done.
    state
        The state of the criterion.
    updates
        When the model is updated within an iteration.
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
    _pruner: Pruner | None = None
    _measures: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    _begun: float = 0.0

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
    def threads(self) -> int:
        """The number of threads."""
        return self.task.options.threads

    def enter(self, number: int) -> Run:
        """Begin a stage, or go on with it if some of its iterations are done; return this run."""
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
            self._pruner = Pruner(self.stage.prune) if prunes else None
            self._measures = np.zeros(len(self.criterion.measures), np.int64)
            self._begun = time.perf_counter()
            yield self.iteration

    def parts(self) -> list[Span]:
        """Return the spans of pairs after each of which the iteration updates the model."""
        return self.updates.parts(len(self.source.bitext))

    def estep(self, part: Span) -> Counts:
        """Return the expected counts of a part of the text under the current model."""
        assert self._estep is not None, "enter a stage first"
        inference = inferences_of(self.stage)[self.iteration - 1]
        counts = self._estep(
            self.criterion,
            inference(self.task.facts.restrict(self.model)),
            self.state,
            part=part,
            keep=self._pruner.keep if self._pruner else None,
            progress=self.task.options.progress,
        )
        self._measures += counts.measures
        return self.updates.take(counts, len(self.source.bitext))

    def pseudo_counts(self) -> PseudoCounts:
        """Return the counts that evidence and spelling add to the expected ones."""
        index = self.model.lexicon.index
        dictionary = self.task.facts.pseudo_counts(index)
        return dictionary.joined_with(self.task.cognates.pseudo_counts(index, self.stage.cognates))

    def update(self, model: ModelPair, state: Any) -> None:
        """Replace the model and the state of the criterion."""
        self.model, self.state = model, state

    def prune(self) -> None:
        """Drop the cells that this iteration has found to be no links, if it is the one that prunes."""
        if self._pruner is not None:
            self.source, self.model = self._pruner.prune(self.source, self.model, self.threads)
            self.state = self.criterion.state_after_pruning(self.state)
            self._estep, self._pruner = BlockEStep(self.source, self.threads), None

    def step(self) -> Step:
        """Record the iteration, and offer it as a checkpoint."""
        seconds = time.perf_counter() - self._begun
        values = (self._measures / MEASURE_SCALE).tolist()
        measures = dict(zip(self.criterion.measures, values, strict=True))
        notes = inferences_of(self.stage)[self.iteration - 1].notes()
        self.history += ({"stage": self.number, "iteration": self.iteration, **measures, **notes},)
        task, bitext = self.task, self.source.bitext
        vocabularies = task.bitext.source_vocabulary, task.bitext.target_vocabulary
        model = Model(*vocabularies, self.model, task.recipe.to_dict(), self.report, self.history)
        last = (self.number, self.iteration) == (task.last_stage, self.stage.iterations)
        if task.options.checkpoints and not last:
            remembered = self.state, self.updates.running
            progress = Progress(self.number, self.iteration, model, self.source, remembered)
            task.options.checkpoints.offer(progress)
        tokens = len(bitext.source.tokens), len(bitext.target.tokens)
        return Step(
            self.number, self.iteration, self.stage, model, measures, len(bitext), *tokens, seconds, last
        )


def initial_model(stage: Stage, before: ModelPair | Lexicon, source: BlockSource) -> ModelPair:
    """Return a stage's first model: the lexicon so far, with distortions of the stage's kind.

    Distortions are uniform, unless the stage before had the same kind.
    """
    kind = DISTORTIONS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        return before
    lengths = [side.lengths.astype(np.int32) for side in (source.bitext.source, source.bitext.target)]
    lexicon = before.lexicon if isinstance(before, ModelPair) else before
    source_lengths, target_lengths = lengths
    return ModelPair(
        lexicon,
        kind.initial(source_lengths, target_lengths, stage.p0),
        kind.initial(target_lengths, source_lengths, stage.p0),
    )
