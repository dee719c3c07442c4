"""The update of a run's state from the sum over all shards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.table import Lexicon
from aligner.models import ModelPair
from aligner.shards.counts import ShardCounts
from aligner.shards.pairs import WordPairs
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, State, Totals
from aligner.shards.text import text_of_shapes
from aligner.shards.words import Words
from aligner.text.bitext import Bitext
from aligner.text.sentences import Sentences
from aligner.training.cognates import Cognates
from aligner.training.evidence import KnownFacts
from aligner.training.loop import train_stage
from aligner.training.pruning import Pruner
from aligner.training.run import Run, initial_model
from aligner.training.step import Step
from aligner.training.task import Options, Task
from aligner.training.usable import check_tokens, check_usable, check_word_counts
from aligner.training.word_forms import WordForms


class Total:
    """The sum over all shards in one round, and the update from it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._words: Words | None = None
        self._pairs: WordPairs | None = None
        self._counts: Counts | None = None
        self._used = np.empty(0, np.bool_)

    def add(self, part: Words | WordPairs | ShardCounts) -> None:
        """Add the counts of some shards, in any order."""
        if isinstance(part, Words):
            self._words = part if self._words is None else self._words.plus(part)
        elif isinstance(part, WordPairs):
            self._pairs = part if self._pairs is None else self._pairs.plus(part)
        else:
            self._add_counts(part)

    def update(self, threads: int = 1) -> tuple[State, Step | None]:
        """Return the state of the next round and, after an iteration, the record of it."""
        if self._words is not None:
            return _from_words(self._state, self._words), None
        if self._pairs is not None:
            return _from_pairs(self._state, self._pairs, threads), None
        assert self._counts is not None, "add the parts of all shards first"
        return _from_counts(self._state, self._counts, self._used, threads)

    def _add_counts(self, part: ShardCounts) -> None:
        """Add expected counts to counts of all word pairs."""
        if self._counts is None:
            assert self._state.model is not None, "the model comes first"
            self._counts = self._state.stage.criterion.empty_counts(self._state.model)
            self._used = np.zeros(len(self._counts.links), np.bool_)
        self._counts = part.add_to(self._counts)
        if len(part.used):
            self._used[part.pair_ids] |= part.used


def _from_words(state: State, words: Words) -> State:
    """Return the state after round 0, which has vocabularies."""
    check_usable(words.report["trainable"], words.report["lines"], state.recipe)
    check_tokens(words.report["source_tokens"], words.report["target_tokens"])
    vocabularies = words.source.vocabulary(), words.target.vocabulary()
    check_word_counts(*vocabularies)
    source, target = (int(vocabulary.counts.sum()) for vocabulary in vocabularies)
    totals = Totals(words.report, words.report["trainable"], source, target)
    return replace(state, round=PAIRS_ROUND, totals=totals, vocabularies=vocabularies)


def _from_pairs(state: State, pairs: WordPairs, threads: int) -> State:
    """Return the state after round 1, which has a uniform lexicon."""
    begun = replace(state, round=FIRST_ITERATION, report=state.totals.report, shapes=pairs.shapes)
    return _enter(begun, Lexicon.uniform(pairs.index, threads), 0)


def _from_counts(state: State, counts: Counts, used: NDArray[np.bool_], threads: int) -> tuple[State, Step]:
    """Return the state after an iteration, and the record of it.

    counts: of all shards; used: bool [pair_ids + 1], the word pairs that pruning keeps, if it does.
    """
    stage, totals = state.step[0], state.totals
    run = _run_without_text(state, _Sum(counts, used), threads)
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
    shapes = BlockSource.of(text_of_shapes(state.shapes, state.vocabularies))
    model: ModelPair | Lexicon = before
    for settings in state.recipe.stages[stage : state.step[0]]:
        model = initial_model(settings, model, shapes)
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


def _run_without_text(state: State, estep: _Sum, threads: int) -> Run:
    """Return the run of a state, which takes its counts from an E-step, so that it needs no text."""
    assert state.vocabularies is not None, "words come first"
    assert state.model is not None, "word pairs come first"
    nothing = Sentences(np.empty(0, np.int32), np.zeros(1, np.int64))
    data = state.recipe.data
    bitext = Bitext(nothing, nothing, *state.vocabularies, **vars(data))
    task = Task(
        bitext,
        state.recipe,
        Options(threads),
        BlockSource.of(bitext),
        KnownFacts(),
        Cognates(bitext, threads),
        WordForms(bitext, threads),
    )
    stage, iteration = state.step
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
