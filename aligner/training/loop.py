"""The training loop: the only driver, of texts in memory and of the single iterations of runs by shards."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aligner import kernels
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.sums import alone
from aligner.lexicon.table import Lexicon
from aligner.models.trained import TrainedModel
from aligner.priors.evidence import Evidence
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.priors.known_links import cell_set
from aligner.priors.source import priors_of
from aligner.recipe.config import Recipe
from aligner.system.resources import return_freed_memory
from aligner.system.threads import check_threads
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts
from aligner.training.checkpoint import Checkpoints
from aligner.training.counting import Counting, LocalCounting
from aligner.training.memory_plan import Plan, plan
from aligner.training.pieces import PieceTask
from aligner.training.restarts import best_start, figure_of_merit
from aligner.training.state import TrainingState, completed, entered, first_lexicon, first_state, pruned
from aligner.training.step import Step
from aligner.training.stepwise import parts_of
from aligner.training.task import Task
from aligner.training.usable import usable_pairs


def train(
    bitext: Bitext,
    recipe: Recipe,
    *,
    evidence: Evidence | None = None,
    prior: Prior | TrainedModel | None = None,
    init: TrainedModel | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    max_memory: int | str | None = None,
    announce: Callable[[Plan], None] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Iterator[Step]:
    """Train by a recipe and yield a step after every iteration. The last step has the trained model.

    The result does not depend on ``threads``, ``progress``, ``max_memory``, ``announce`` or ``checkpoints``.
    Drop each step before requesting the next to free its model.

    Parameters
    ----------
    bitext
        The text, read as the recipe says: ``read_bitext(..., **vars(recipe.data))``. Pairs with an empty
        side, or with a side longer than the recipe's ``max_length``, are not trained on.
    recipe
        The stages of training.
    evidence
        A dictionary and known links; none by default.
    prior
        An existing model, whose tables and jumps become pseudo-counts of this training. The new model has the
        words of the text only. Its weight is learned from the text, unless a ``Prior`` says it.
    init
        An existing model to go on from. Training begins at its parameters, its text counts as if it were
        trained on again, and the new model has the words and word pairs of both.
    threads
        Number of threads.
    progress
        Receives the number of sentence pairs done since its last call, on the thread that iterates.
    max_memory
        Memory limit in bytes, or a size such as "2.5G". By default 90 % of what the process may use.
    announce
        Receives the plan, with the expected memory, before training begins.
    checkpoints
        Where to save progress, and where to resume from. A resumed run yields only the remaining steps.

    Yields
    ------
    Step
        The record of one iteration.

    Raises
    ------
    DataError
        When the first step is requested: if no pair is usable, if evidence, a model or the checkpoint do not
        fit the text, or if there is not enough memory.
    ConfigError
        When the first step is requested: if the text was not read as the recipe says, or a model's text
        was read in another way, if a criterion refuses the evidence or the model, or if ``threads`` or
        ``max_memory`` is no valid number or size.
    """
    known = Prior(prior) if isinstance(prior, TrainedModel) else prior
    knowledge = Knowledge(evidence or Evidence(), known, init)
    resources = Resources(threads, progress, max_memory, announce)
    if checkpoints is not None:
        checkpoints.begin(bitext, recipe, knowledge)

    def of_words(step: Step) -> Step:
        model = replace(step.model, config=recipe.to_dict())
        return replace(step, model=model, last=step.last and recipe.pieces is None)

    words = yield from _train(bitext, recipe.of_words, knowledge, resources, checkpoints, of_words)
    if recipe.pieces is None:
        return
    pieces = PieceTask.of(words, bitext, recipe, knowledge)
    del words, known, knowledge, prior, evidence, init

    def of_pieces(step: Step) -> Step:
        return replace(step, model=pieces.joined(step.model))

    checkpoints = checkpoints and checkpoints.of_pieces()
    resources = resources._replace(held=pieces.held_bytes(bitext))
    yield from _train(pieces.text, recipe.of_pieces, pieces.knowledge, resources, checkpoints, of_pieces)


class Resources(NamedTuple):
    """Resources of a run, and who is told how it uses them (see ``train``); held: bytes of other models."""

    threads: int
    progress: Callable[[int], None] | None
    max_memory: int | str | None
    announce: Callable[[Plan], None] | None
    held: int = 0


def _train(
    bitext: Bitext,
    recipe: Recipe,
    knowledge: Knowledge,
    resources: Resources,
    checkpoints: Checkpoints | None,
    published: Callable[[Step], Step],
) -> Generator[Step, None, TrainedModel]:
    """Train the model of words, or of pieces: yield its published steps, and return it."""
    threads, progress, max_memory, announce, held = resources
    task = task_of(bitext, recipe, knowledge, threads)
    saved = None if checkpoints is None else checkpoints.read(task, recipe)

    def local_counting(
        index: CooccurrenceIndex, occurrences: Occurrences | None = None, kept: KeptBits | None = None
    ) -> LocalCounting:
        """Return the counting of the text, whose memory is planned and announced."""
        planned = plan(bitext, task, index, recipe.stages, max_memory, held)
        if announce is not None:
            announce(planned)
        return LocalCounting(
            task.blocks,
            planned.cells_at_once,
            threads,
            cells=task.cells if task.is_restricted else None,
            kept=kept,
            occurrences=occurrences,
            progress=progress,
        )

    def offered(state: TrainingState, step: Step) -> Step:
        """Offer a checkpoint, unless training ends with this step; return the published step."""
        public = published(step)
        if checkpoints is not None and not public.last:
            checkpoints.offer(state, step.model, counting.kept if state.is_pruned else None)
        return public

    if saved is None:
        state, counting = start(task, recipe, local_counting)
    else:
        state, kept = saved
        counting = local_counting(state.pair.lexicon.index, kept=kept)
    model = state.trained(task.facts) if state.done else None
    steps = iterate(state, counting, task)
    del state, saved  # each iteration frees the model before it
    for state_and_step in steps:
        if state_and_step[0].done:
            model = state_and_step[1].model
        yield offered(*state_and_step)
        del state_and_step
    assert model is not None
    return model


def iterate(state: TrainingState, counting: Counting, task: Task) -> Iterator[tuple[TrainingState, Step]]:
    """Train on from a state: yield the state and the record after each remaining iteration.

    Nothing but the yielded values keeps the model of an earlier iteration alive.
    """
    while not state.done:
        begin = kernels.policy.working_time()
        return_freed_memory()
        state = entered(state, task)
        measures, kept = np.zeros(len(state.stage.criterion.measures), np.int64), None
        notes: Mapping[str, Any] = {}
        for part in parts_of(state.stage, state.running, task.facts.pairs):
            # Each of these states replaces the one before, so that its tables are freed.
            state = counting.prepared(state, task)
            update = counting.updated_by_row(state, task)
            if update is None:
                counts = counting.expected_counts(state, part)
                state = counting.counted(state, counts, task)
                update = counting.update(state, counts, task)
                del counts
            state, of_part, notes, kept = update
            del update
            measures += of_part
        state, named = completed(pruned(state, kept, task), measures, notes)
        yield state, _step(state, named, task, kernels.policy.working_time() - begin)


def _step(state: TrainingState, measures: dict[str, float], task: Task, seconds: float) -> Step:
    """Return the record of the iteration that has led to a state."""
    return Step(
        stage=state.stage_number,
        iteration=state.iteration,
        settings=state.stage,
        model=state.trained(task.facts),
        measures=measures,
        pairs=task.facts.pairs,
        source_tokens=task.facts.source_tokens,
        target_tokens=task.facts.target_tokens,
        seconds=seconds,
        last=state.done,
    )


def start(
    task: Task,
    recipe: Recipe,
    local_counting: Callable[[CooccurrenceIndex, Occurrences], LocalCounting],
) -> tuple[TrainingState, LocalCounting]:
    """Begin a run: index the co-occurring word pairs, and choose the start of the first stage."""
    stage, threads, text = recipe.stages[0], task.threads, task.blocks.bitext
    occurrences = Occurrences.of_source(text, threads, task.blocks.numbers)
    index = CooccurrenceIndex.of(text, threads, occurrences)
    if task.init is not None:
        index = task.init.extend(index)
    counting = local_counting(index, occurrences)
    del occurrences
    lexicon, report = alone(first_lexicon(task, index))

    def final_figure(lexicon: Lexicon) -> float:
        trial = first_state(task, replace(recipe, stages=(replace(stage, restarts=1),)), lexicon, report)
        *_, measures = (step.measures for _, step in iterate(trial, counting, task))
        return figure_of_merit(stage.criterion, measures)

    lexicon = best_start(lexicon, stage.restarts, final_figure)
    return first_state(task, recipe, lexicon, report), counting


def task_of(bitext: Bitext, recipe: Recipe, knowledge: Knowledge, threads: int = 1) -> Task:
    """Return the task of a text: check that text, recipe and knowledge go together, and select the pairs.

    Raises ConfigError or DataError as ``train`` does.
    """
    check_threads(threads)
    knowledge.check(recipe)
    _check_reading(bitext, recipe)
    facts = knowledge.about(TextFacts.of(bitext, vars(recipe.data)))
    bitext = bitext.encoded_in(*facts.vocabularies)
    numbers = usable_pairs(bitext, recipe)
    blocks = BlockSource.of(bitext, numbers)
    facts = facts.with_usable(*blocks.lengths)
    links = knowledge.evidence.links
    cells = None if links is None else cell_set(links, bitext, numbers)
    return Task(facts, priors_of(facts, knowledge, threads), threads, blocks, cells)


def _check_reading(bitext: Bitext, recipe: Recipe) -> None:
    """Raise ConfigError if the text was read with other settings than the recipe's.

    Its vocabularies and its report would then not fit the pairs that are trained on.
    """
    for name, expected in vars(recipe.data).items():
        found = getattr(bitext, name)
        if found != expected:
            raise ConfigError(
                f"the text was read with {name}={found}; expected {expected}, as in the recipe; read it by"
                f" read_bitext(..., **vars(recipe.data))"
            )
