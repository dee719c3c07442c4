"""The training loop: stage after stage, E-step and M-step, one record for each iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter

from aligner.lexicon.block_sources import SearchedBlocks
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.table import Lexicon
from aligner.models.trained import TrainedModel
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.training.checkpoint import Checkpoints
from aligner.training.estep import EStep
from aligner.training.estep_choice import choose_estep
from aligner.training.evidence import Evidence
from aligner.training.memory_plan import Plan, plan
from aligner.training.prior import Prior
from aligner.training.restarts import best_start, figure_of_merit
from aligner.training.run import Run, initial_model
from aligner.training.step import Step
from aligner.training.stepwise import updates_of
from aligner.training.task import Options, Task


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
    options = Options(threads, progress, max_memory, announce, checkpoints)
    task = Task.of(bitext, recipe, evidence or Evidence(), options, prior, init)
    if checkpoints is not None:
        checkpoints.begin(bitext, recipe, task.facts, [other.identity for other in task.priors])
    run = resume(task) or start(task)
    for stage_number in range(run.stage_number, len(recipe.stages) + 1):
        yield from train_stage(run.enter(stage_number))


def train_stage(run: Run) -> Iterator[Step]:
    """Run the remaining iterations of the current stage."""
    for _ in run.iterations():
        for part in run.parts():  # the whole text, or one mini-batch after another
            counts = run.estep(part)
            counts += run.pseudo_counts(counts)
            run.mstep(counts)
            del counts  # as large as two lexicons
        run.prune()
        yield run.step()


def start(task: Task) -> Run:
    """Begin a run: index the co-occurring word pairs, and choose the start of the first stage."""
    stage, threads, bitext = task.recipe.stages[0], task.options.threads, task.usable_blocks.bitext
    occurrences = Occurrences.of_source(bitext, threads)
    index = CooccurrenceIndex.of(bitext, threads, occurrences)
    if task.init is not None:
        index = task.init.extend(index)
    source = task.usable_blocks.searched(index, _plan(task, index).cells_at_once)
    estep = choose_estep(stage, task.facts, source, threads, occurrences)
    report = task.bitext.report.to_dict() | task.facts.report(index) | task.known_tokens

    def final_figure(lexicon: Lexicon) -> float:
        trial = replace(task, options=replace(task.options, checkpoints=None))
        run = first_run(trial, source, lexicon, report, estep)
        *_, measures = map(attrgetter("measures"), train_stage(run.enter(1)))  # frees each step's model
        return figure_of_merit(stage.criterion, measures)

    lexicon = Lexicon.uniform(index, threads)
    if task.init is not None:
        lexicon = task.init.start(lexicon)
    lexicon = best_start(lexicon, stage.restarts, final_figure)
    return first_run(task, source, lexicon, report, estep)


def first_run(
    task: Task, source: SearchedBlocks, lexicon: Lexicon, report: dict[str, int], estep: EStep
) -> Run:
    """Return a run whose first stage starts from a lexicon."""
    model = initial_model(task.recipe.stages[0], lexicon, source, task.init_pair)
    return Run(task, source, model, report, current_estep=estep)


def resume(task: Task) -> Run | None:
    """Return the run that a checkpoint holds, or None if there is none to resume."""
    checkpoints = task.options.checkpoints
    saved = checkpoints.read_progress(task.usable_blocks, task.recipe) if checkpoints else None
    if saved is None:
        return None
    model = saved.model.pair
    planned = _plan(task, model.lexicon.index)
    source = task.usable_blocks.searched(model.lexicon.index, planned.cells_at_once, saved.kept)
    run = Run(
        task,
        source,
        model,
        report=saved.model.corpus,
        history=saved.model.history,
        stage_number=saved.stage,
        iteration=saved.iteration,
    )
    run.updates = updates_of(run.stage)
    run.state, run.updates.running = saved.remembered
    return run


def _plan(task: Task, index: CooccurrenceIndex) -> Plan:
    """Plan the memory of the run, and announce the plan."""
    options = task.options
    planned = plan(
        task.bitext,
        task.usable_blocks,
        len(index),
        task.recipe.stages,
        options.threads,
        options.max_memory,
        task.facts,
        task.count_cognates(index),
        task.priors,
    )
    if options.announce is not None:
        options.announce(planned)
    return planned
