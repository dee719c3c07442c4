"""The update of a run's state, with the rows of one slice, from sums over all shards.

An iteration is that of ``train``, but its E-step returns the sum over all shards.
"""

from __future__ import annotations

import math
from collections import ChainMap
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import AddUp, Lexicon
from aligner.models import ModelPair
from aligner.recipe.config import Recipe
from aligner.shards.pairs import LengthPairs
from aligner.shards.shard import text_of_lengths
from aligner.shards.slices import slices_of
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, State, Totals
from aligner.shards.words import Words
from aligner.text.bitext import Bitext
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.training.cognates import Cognates
from aligner.training.loop import train_stage
from aligner.training.model_prior import ModelPrior
from aligner.training.prior import Prior, extended, report_known
from aligner.training.pruning import Pruner
from aligner.training.run import Run, initial_model
from aligner.training.step import Step
from aligner.training.task import Options, Task
from aligner.training.usable import check_tokens, check_usable, check_word_counts
from aligner.training.word_forms import WordForms


def after_words(state: State, words: Words) -> State:
    """Return the state after round 0, which has vocabularies."""
    check_usable(words.report["trainable"], words.report["lines"], state.recipe)
    check_tokens(words.report["source_tokens"], words.report["target_tokens"])
    vocabularies = words.source.vocabulary(), words.target.vocabulary()
    source, target = (int(vocabulary.counts.sum()) for vocabulary in vocabularies)
    text, models = _text_of_words(vocabularies, state.recipe), state.given.models
    known_tokens = [report_known(name, model, text) for name, model in models.items()]
    if state.given.init is not None:
        text = extended(text, state.given.init)
        vocabularies = text.source_vocabulary, text.target_vocabulary
    check_word_counts(*vocabularies)
    return replace(
        state,
        round=PAIRS_ROUND,
        totals=Totals(words.report, words.report["trainable"], source, target, dict(ChainMap(*known_tokens))),
        vocabularies=vocabularies,
        slice_of_word=slices_of(vocabularies[0], state.slices),
    )


def after_pairs(
    state: State,
    lengths: LengthPairs,
    index: CooccurrenceIndex,
    words: NDArray[np.bool_],
    add_up: AddUp,
    task: Task,
) -> State:
    """Return the state after round 1, which has the first lexicon.

    index: the word pairs of the slice; words: bool [source types], its words; add_up: see ``Lexicon``; task:
    from ``task_of``.
    """
    if task.init is not None:
        index = task.init.extend(index, words)
    lexicon = Lexicon.uniform(index, task.options.threads, add_up)
    report = state.totals.report | task.facts.report(index, add_up) | task.known_tokens
    if task.init is not None:
        lexicon = task.init.start(lexicon)
    begun = replace(state, round=FIRST_ITERATION, report=report, length_pairs=lengths.pairs)
    return _enter(begun, lexicon, 0)


def after_counts(state: State, counts: Counts, used: NDArray[np.bool_], task: Task) -> tuple[State, Step]:
    """Return the state after an iteration, and the record of it.

    counts: of all shards, with the links of the slice; used: bool [pair_ids + 1], the word pairs that pruning
    keeps, if it does; task: from ``task_of``.
    """
    stage, totals = state.stage_and_iteration[0], state.totals
    run = _run_of(state, _Sum(counts, used), task)
    step = next(train_stage(run.enter(stage)))
    after = replace(
        state,
        round=state.round + 1,
        model=run.model,
        history=run.history,
        remembered=run.state,
        pruned=state.pruned or run.source.kept is not None,
    )
    step = replace(
        step, pairs=totals.pairs, source_tokens=totals.source_tokens, target_tokens=totals.target_tokens
    )
    return after if after.done else _enter(after, run.model, stage), step


def _enter(state: State, before: ModelPair | Lexicon, stage: int) -> State:
    """Return the state with the first model of the next iteration's stage.

    stage: the number of the stage of ``before``, from 1; 0 for a lexicon.
    """
    assert state.vocabularies is not None, "words come first"
    blocks = BlockSource.of(text_of_lengths(state.length_pairs, state.vocabularies))
    model: ModelPair | Lexicon = before
    init = state.given.init
    for settings in state.recipe.stages[stage : state.stage_and_iteration[0]]:
        model = initial_model(settings, model, blocks, None if init is None else init.pair)
    assert isinstance(model, ModelPair), "the first stage makes a model"
    return replace(state, model=model)


class _Sum:
    """An E-step whose counts are known: the sum over all shards."""

    def __init__(self, total: Counts, used: NDArray[np.bool_]) -> None:
        self._total, self._used = total, used

    def __call__(self, criterion: Criterion, model: ModelPair, state: Any = None, **options: Any) -> Counts:
        pruner = options.get("block_filter")
        if isinstance(pruner, Pruner):
            pruner.used |= self._used
        return self._total


def _text_of_words(vocabularies: tuple[Vocabulary, Vocabulary], recipe: Recipe) -> Bitext:
    """Return a text of which only the words are known."""
    nothing = Sentences(np.empty(0, np.int32), np.zeros(1, np.int64))
    return Bitext(nothing, nothing, *vocabularies, **vars(recipe.data))


def task_of(state: State, threads: int = 1) -> Task:
    """Return the task of a run, without its sentences. It is the same for all rounds after round 0."""
    assert state.vocabularies is not None, "words come first"
    bitext, given, totals = _text_of_words(state.vocabularies, state.recipe), state.given, state.totals

    def prior_of(prior: Prior) -> ModelPrior:
        tokens = totals.source_tokens, totals.target_tokens
        return ModelPrior(prior, (bitext.source_vocabulary, bitext.target_vocabulary), tokens, threads)

    return Task(
        bitext,
        state.recipe,
        Options(threads),
        BlockSource.of(bitext),
        given.evidence.about(bitext, np.empty(0, np.int64)),
        Cognates(bitext, threads),
        WordForms(bitext, threads),
        None if given.prior is None else prior_of(given.prior),
        None if given.init is None else prior_of(Prior(given.init, math.inf)),
        totals.known_tokens,
    )


def _run_of(state: State, estep: _Sum, task: Task) -> Run:
    """Return the run at the iteration of a state. It needs no text: ``estep`` knows the counts."""
    assert state.model is not None, "word pairs come first"
    stage, iteration = state.stage_and_iteration
    return Run(
        task,
        task.usable_blocks.searched(state.model.lexicon.index, 1),
        state.model,
        state.report,
        state.history,
        stage,
        iteration - 1,
        state.remembered,
        current_estep=estep,
    )
