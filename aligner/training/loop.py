"""The training loop of a text in memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from aligner import kernels
from aligner.arguments import check_call
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models.trained import TrainedModel
from aligner.models.variants import CellSet
from aligner.priors.dictionary_text import with_dictionary
from aligner.priors.evidence import Evidence
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import priors_of
from aligner.recipe.config import Recipe
from aligner.recipe.load import load_recipe
from aligner.system.resources import return_freed_memory
from aligner.system.threads import check_threads, run_all
from aligner.text.bitext import Bitext
from aligner.text.edges import Edges, count_edges
from aligner.text.facts import TextFacts
from aligner.text.pairs_like import PairsLike
from aligner.training.checkpoint import Checkpoints
from aligner.training.counting import Counting, learns_by_row
from aligner.training.memory import check_peak, expected_peak, expected_peak_of_pieces
from aligner.training.piece_task import joined_step, piece_encoders, text_of_pieces
from aligner.training.restarts import best_start, figure_of_merit
from aligner.training.state import TrainingState
from aligner.training.step import Step
from aligner.training.task import Task
from aligner.training.usable import check_usable, usable_pairs


class TrainSettings(TypedDict, total=False):
    """Settings of ``train`` by name, besides the text, the recipe and the progress."""

    evidence: Evidence | None
    prior: Prior | TrainedModel | None
    init: TrainedModel | None
    threads: int
    max_memory: int | str | None
    announce: Callable[[int], object] | None
    checkpoints: Checkpoints | None


def train(
    bitext: Bitext | PairsLike,
    recipe: Recipe | str | Path = "default",
    *,
    evidence: Evidence | None = None,
    prior: Prior | TrainedModel | None = None,
    init: TrainedModel | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    max_memory: int | str | None = None,
    announce: Callable[[int], object] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Iterator[Step]:
    """Train by a recipe and yield a step after every iteration. The last step has the trained model.

    The result does not depend on ``threads``, ``progress``, ``max_memory``, ``announce`` or ``checkpoints``.
    Drop each step before requesting the next to free its model.

    Parameters
    ----------
    bitext
        The text, read as the recipe says: ``read_bitext(..., **vars(recipe.data))``; or sentence pairs, as
        for ``Bitext.from_text``. Pairs with an empty side, or with a side longer than the recipe's
        ``max_length``, are not trained on.
    recipe
        The stages of training: a recipe, or its name or TOML file, as for ``load_recipe``.
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
        Receives the expected peak of memory in bytes, before training begins.
    checkpoints
        Where to save progress, and where to resume from. A resumed run yields only the remaining steps.

    Yields
    ------
    Step
        The record of one iteration.

    Raises
    ------
    DataError
        When the first step is requested: if these are no sentence pairs, if none is usable, if evidence, a
        model or the checkpoint do not fit the text, or if there is not enough memory.
    ConfigError
        When the first step is requested: if there is no such recipe, if the text was not read as it says, or
        a model's text was read in another way, if a criterion refuses the evidence or the model, or if
        ``threads`` or ``max_memory`` is no valid number or size.
    """
    recipe = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    bitext = bitext if isinstance(bitext, Bitext) else Bitext.from_text(bitext, **vars(recipe.data))
    prior = Prior(prior) if isinstance(prior, TrainedModel) else prior
    knowledge = Knowledge(evidence or Evidence(), prior, init)
    if checkpoints is not None:
        checkpoints.begin(bitext, recipe, knowledge)
    bitext, knowledge, report = with_dictionary(bitext, knowledge)
    words = task_of(bitext, recipe, knowledge, threads, report)
    peak = check_peak(expected_peak(words, recipe), words, max_memory)
    if recipe.pieces is not None:
        encoders = piece_encoders(words, recipe, knowledge)
        of_pieces = expected_peak_of_pieces(words, encoders, recipe, knowledge)
        peak = max(peak, check_peak(of_pieces, words, max_memory))
    if announce is not None:
        announce(peak)
    model = yield from _train(words, recipe, progress, checkpoints)
    if recipe.pieces is None:
        return
    bitext, knowledge = text_of_pieces(words, encoders, recipe, knowledge)
    pieces = task_of(bitext, recipe.of_pieces, knowledge, threads)
    del bitext, knowledge, prior, evidence, init, words
    steps = _train(pieces, recipe.of_pieces, progress, checkpoints and checkpoints.of_pieces())
    yield from map(partial(joined_step, model, encoders, recipe), steps)


def fit(
    text: Bitext | PairsLike,
    recipe: Recipe | str | Path = "default",
    *,
    progress: Callable[[int], object] | bool = False,
    **settings: Unpack[TrainSettings],
) -> TrainedModel:
    """Train by a recipe, as ``train`` does, and return the trained model.

    Parameters
    ----------
    text, recipe, settings
        As for ``train``.
    progress
        True to draw a bar on stderr; or as for ``train``.

    Returns
    -------
    TrainedModel
        The model of the last step.

    Raises
    ------
    DataError, ConfigError
        As for ``train``.
    """
    report = None if isinstance(progress, bool) else progress
    check_call(train, text, recipe, progress=report, **settings)
    bar: Any = None
    if progress is True:
        from tqdm import tqdm

        recipe = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
        text = text if isinstance(text, Bitext) else Bitext.from_text(text, **vars(recipe.data))
        total = recipe.passes * text.report.trainable
        bar = tqdm(desc="training", total=total, unit=" pairs", unit_scale=True)
        report = bar.update
    with bar or nullcontext():
        for step in train(text, recipe, progress=report, **settings):
            if bar is not None:
                bar.set_description(f"{step.settings.model} {step.iteration}/{step.settings.iterations}")
            if step.last:
                model = step.model
            del step  # frees its model while the next one is computed
    return model


def _train(
    task: Task,
    recipe: Recipe,
    progress: Callable[[int], object] | None,
    checkpoints: Checkpoints | None,
) -> Generator[Step, None, TrainedModel]:
    """Train the model of words, or of pieces: yield its steps, and return it."""
    count, state = Counting(progress), checkpoints and checkpoints.read(task, recipe)
    state = state or start(task, recipe, count)
    yield from iterate(state, count, checkpoints)
    return state.trained


def start(task: Task, recipe: Recipe, count: Counting) -> TrainingState:
    """Begin a run: index the co-occurring word pairs, and choose the start of the first stage."""
    lexicon, report = first_lexicon(task, count.index(task))
    stage = recipe.stages[0]

    def final_figure(lexicon: Lexicon) -> float:
        alone = replace(recipe, stages=(replace(stage, restarts=1),))
        trial = TrainingState.first(task, alone, lexicon, report)
        *_, measures = (step.measures for step in iterate(trial, count))
        return figure_of_merit(stage.criterion, measures)

    lexicon = best_start(lexicon, stage.restarts, final_figure)
    return TrainingState.first(task, recipe, lexicon, report)


def first_lexicon(task: Task, index: CooccurrenceIndex) -> tuple[Lexicon, dict[str, int]]:
    """Return the lexicon before the first iteration, and the figures for the model file.

    index: the word pairs of the text; those of a model to go on from are added.
    """
    if task.init is not None:
        index = task.init.extend(index)
    lexicon = Lexicon.uniform(index, task.threads)
    report = task.report(index)
    return (lexicon if task.init is None else task.init.start(lexicon)), report


def iterate(state: TrainingState, count: Counting, checkpoints: Checkpoints | None = None) -> Iterator[Step]:
    """Train on from a state, which changes: yield the record of each remaining iteration.

    count: returns the expected counts of a part of the text under a state, and may change the state.
    Nothing but the yielded steps keeps the model of an earlier iteration alive.
    """
    while not state.done:
        begin = kernels.policy.working_time()
        return_freed_memory()
        state.enter()
        if learns_by_row(state.stage, state.task) and not (state.is_last or state.is_pruned):
            count.learn_by_row(state)
        else:
            for part in state.parts:
                state.update(count(state, part))
        state.complete()
        seconds = kernels.policy.working_time() - begin
        if checkpoints is not None and not state.ends_training:
            checkpoints.offer(state)
        yield Step.of(state, seconds)


def task_of(
    bitext: Bitext,
    recipe: Recipe,
    knowledge: Knowledge,
    threads: int = 1,
    report: dict[str, int] | None = None,
) -> Task:
    """Return the task of a text: check that text, recipe and knowledge go together, and select the pairs.

    report: figures about the text, if it has the pairs of a dictionary (see ``priors.dictionary_text``).
    Raises ConfigError or DataError as ``train`` does.
    """
    check_threads(threads)
    knowledge.check(recipe)
    _check_reading(bitext, recipe)
    facts = TextFacts.of(bitext, vars(recipe.data))
    facts = replace(facts, report=report or facts.report)
    facts = knowledge.about(knowledge.split(facts, recipe.split))
    bitext = bitext.encoded_in(*facts.vocabularies)
    check_usable(facts.report["trainable"], facts.report["lines"], recipe)
    numbers = usable_pairs(bitext, recipe)
    blocks = BlockSource.of(bitext, numbers)
    facts = facts.with_usable(*blocks.lengths)
    chosen = bitext.trainable(recipe.data.max_length)
    source, target = run_all(bitext.sides, lambda side: Edges.of(count_edges(side, chosen)), threads)
    facts = replace(facts, edges=(source, target))
    links = knowledge.evidence.links
    cells = None if links is None else CellSet.of(links, bitext, numbers)
    return Task(facts, priors_of(facts, knowledge, threads), threads, blocks, cells)


def _check_reading(bitext: Bitext, recipe: Recipe) -> None:
    """Raise ConfigError if the text was read with other settings than the recipe's.

    Its vocabularies and its report would then not fit the pairs that are trained on.
    """
    for name, expected in vars(recipe.data).items():
        found = getattr(bitext.lookup, name, bitext.max_length)
        if found != expected:
            raise ConfigError(
                f"the text was read with {name}={found}; expected {expected}, as in the recipe; read it by"
                f" read_bitext(..., **vars(recipe.data))"
            )
