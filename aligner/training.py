"""The training loop: stage after stage, E-step and M-step, one record per iteration."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.by_word import e_step
from aligner.celltext import CellText, PrunedText
from aligner.checkpoint import Checkpoints, Progress
from aligner.cognates import Cognates
from aligner.config import Config, StageConfig, require_admitted
from aligner.corpus import Bitext
from aligner.encoding import longest
from aligner.errors import ConfigError, DataError
from aligner.evidence import Evidence, KnownFacts
from aligner.expectation import MEASURE_SCALE, EStep, require_countable
from aligner.lexicon import Lexicon
from aligner.memory import Plan, plan
from aligner.model import Model
from aligner.models import DISTORTIONS, ModelPair
from aligner.models.grouping import like_sizes_together
from aligner.objectives import Objective
from aligner.pairs import Occurrences, PairIndex
from aligner.parallel import check_threads
from aligner.pruning import PRUNED_AFTER, Pruner
from aligner.restarts import best_start


@dataclass(frozen=True, eq=False)
class Step:
    """One iteration: the model after it, and what its E-step measured of the model before it.

    stage and iteration count from 1; measures: sums over the training text, in nats; seconds: wall time;
    last: whether training ends with it.
    """

    stage: int
    iteration: int
    config: StageConfig
    model: Model
    measures: dict[str, float]
    pairs: int
    source_tokens: int
    target_tokens: int
    seconds: float
    last: bool

    @property
    def forward_perplexity(self) -> float | None:
        """exp of minus the forward log-likelihood per target token; None if it is not measured."""
        return _perplexity(self.measures.get("forward_log_likelihood"), self.target_tokens)

    @property
    def reverse_perplexity(self) -> float | None:
        """exp of minus the reverse log-likelihood per source token; None if it is not measured."""
        return _perplexity(self.measures.get("reverse_log_likelihood"), self.source_tokens)


def _perplexity(log_likelihood: float | None, tokens: int) -> float | None:
    return None if log_likelihood is None else math.exp(-log_likelihood / tokens)


def train(
    bitext: Bitext,
    config: Config,
    *,
    evidence: Evidence | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    max_memory: int | str | None = None,
    announce: Callable[[Plan], None] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Iterator[Step]:
    """Train by the recipe, yielding after every iteration; the last step holds the trained model.

    Pairs with an empty side, or one longer than the recipe's max_length, take no part. ``progress`` is told
    the number of pairs as they are done. ``evidence``: see there; what it says of other pairs is not looked
    at. Within ``max_memory``, bytes or a size such as "2.5G", by default most of the machine's, the
    fastest plan is taken, and ``announce`` is told it before training begins. With ``checkpoints``, training
    may go on from one, to the same bits; steps are then those that remain. The result depends on none of
    these, nor on ``threads``. Who lets go of a step before the next saves the memory of its model meanwhile.
    DataError if no pair is usable, if evidence or checkpoint do not fit the text, or if there is too little
    memory; ConfigError if the text was not read as the recipe says, or if the evidence has no meaning with a
    criterion.
    """
    evidence = evidence or Evidence()
    _check(bitext, config, evidence, threads)
    numbers = usable_pairs(bitext, config)
    require_countable(bitext)
    text = CellText.of(bitext.select(numbers, threads))
    facts = evidence.about(bitext, numbers, config.data.lowercase)
    cognates = Cognates(bitext, threads)
    iterate = partial(_iterations, facts=facts, cognates=cognates, threads=threads, progress=progress)

    def plan_for(pairs: PairIndex) -> Plan:
        planned = plan(bitext, text, len(pairs), config.stages, threads, max_memory, facts)
        if announce is not None:
            announce(planned)
        return planned

    def begin() -> _Beginning:
        done = checkpoints.begin(bitext, config, facts, text) if checkpoints else None
        if done:
            return _resumed(done, text, plan_for, threads)
        return _anew(bitext, config.stages[0], text, facts, plan_for, iterate, threads)

    # Nothing but ``standing`` holds what iterations replace: each piece is as large as the lexicon.
    standing, first, after, remembered, infer = begin()
    final = max(number for number, stage in enumerate(config.stages, start=1) if stage.iterations)
    words, settings = (bitext.source_vocabulary, bitext.target_vocabulary), config.to_dict()
    tokens = len(text.bitext.source.tokens), len(text.bitext.target.tokens)

    def step(number: int, stage: StageConfig, now: _Iteration) -> Step:
        record = {"stage": number, "iteration": now.number, **now.measures, **now.notes}
        standing.history = (*standing.history, record)
        model = Model(*words, standing.pair, settings, standing.corpus, standing.history)
        last = (number, now.number) == (final, stage.iterations)
        if checkpoints and not last:
            checkpoints.offer(Progress(number, now.number, model, standing.cells, now.remembered))
        return Step(number, now.number, stage, model, now.measures, len(numbers), *tokens, now.seconds, last)

    for number, stage in enumerate(config.stages[first - 1 :], start=first):
        standing.pair = _enter(stage, standing.pair, standing.cells)
        infer = infer or e_step(stage, facts, standing.cells, threads)
        iterations = iterate(stage, standing, infer, after, remembered)
        infer, after, remembered = None, 0, None
        yield from map(partial(step, number, stage), iterations)


def _check(bitext: Bitext, config: Config, evidence: Evidence, threads: int) -> None:
    """Raise ConfigError for what does not go together."""
    check_threads(threads)
    for stage in config.stages:
        require_admitted(stage.criterion, evidence.kinds)
    for name, value in vars(config.data).items():
        if getattr(bitext, name) != value:
            raise ConfigError(
                f"the text was read with {name}={getattr(bitext, name)}, the recipe says {value};"
                " read it as the recipe says: read_bitext(..., **vars(config.data))"
            )


def usable_pairs(bitext: Bitext, config: Config) -> NDArray[np.int64]:
    """The numbers of the pairs that a recipe trains on, in the order that it goes through them.

    Counts are exact sums: unless mini-batches are cut from the text, its order is free, and pairs of like
    size, side by side, are inferred faster. DataError if no pair is usable.
    """
    numbers = np.flatnonzero(bitext.trainable(config.data.max_length))
    if not len(numbers):
        raise DataError(
            f"no usable sentence pair among {len(bitext)}: every pair has an empty side or one of more than"
            f" {longest(config.data.max_length):,} tokens (see data.max_length)"
        )
    if any(stage.batch_pairs for stage in config.stages):
        return numbers
    return numbers[like_sizes_together(bitext.source.lengths[numbers], bitext.target.lengths[numbers])]


@dataclass
class _Standing:
    """Where training stands: the model pair, the text to learn from next, and what is to be said of both.

    corpus: the report of the text and of evidence; history: of each iteration so far.
    """

    pair: ModelPair
    cells: CellText
    corpus: dict[str, int]
    history: tuple[dict[str, Any], ...] = ()


class _Beginning(NamedTuple):
    """Where training begins: after an iteration of a stage, from 1, or none; its E-step, if at hand."""

    standing: _Standing
    stage: int = 1
    after: int = 0
    remembered: Any = None
    infer: EStep | None = None


class _Iteration(NamedTuple):
    """An iteration's number, and what is to be said of it; remembered: what the next one has to know."""

    number: int
    measures: dict[str, float]
    notes: Mapping[str, float]
    remembered: tuple[Any, Any]
    seconds: float


def _anew(
    bitext: Bitext,
    stage: StageConfig,
    text: CellText,
    facts: KnownFacts,
    plan_for: Callable[[PairIndex], Plan],
    iterate: Callable[[StageConfig, _Standing, EStep], Iterator[_Iteration]],
    threads: int,
) -> _Beginning:
    """The beginning of the first stage; iterate: does a stage."""
    occurrences = Occurrences.of_source(text.bitext, threads)
    index = PairIndex.of(text.bitext, threads, occurrences)
    cells = _planned(text, index, plan_for(index), threads)
    infer = e_step(stage, facts, cells, threads, occurrences)
    del occurrences
    corpus = bitext.report.to_dict() | facts.report(index)

    def standing_at(start: Lexicon) -> _Standing:
        return _Standing(_enter(stage, start, cells), cells, corpus)

    def outcome(start: Lexicon) -> float:
        *_, last = iterate(stage, standing_at(start), infer)
        return _objective(stage.criterion, last.measures)

    start = best_start(Lexicon.uniform(index, threads), stage.restarts, outcome)
    return _Beginning(standing_at(start), infer=infer)


def _resumed(
    done: Progress, text: CellText, plan_for: Callable[[PairIndex], Plan], threads: int
) -> _Beginning:
    """Where a checkpoint says that training stood."""
    pair, cells = done.model.parameters, done.text
    index = pair.lexicon.pairs
    planned = plan_for(index)
    if not isinstance(cells, PrunedText):
        cells = _planned(text, index, planned, threads)
    standing = _Standing(pair, cells, done.model.corpus, done.model.history)
    return _Beginning(standing, done.stage, done.iteration, done.remembered)


def _planned(text: CellText, pairs: PairIndex, planned: Plan, threads: int) -> CellText:
    """The text as planned."""
    return text.indexed(pairs, threads) if planned.indexed else text.searched(pairs, planned.at_once)


def _iterations(
    stage: StageConfig,
    standing: _Standing,
    infer: EStep,
    after: int = 0,
    remembered: tuple[Any, Any] | None = None,
    *,
    facts: KnownFacts,
    cognates: Cognates,
    threads: int,
    progress: Callable[[int], None] | None,
) -> Iterator[_Iteration]:
    """One stage of training, from where it stands.

    infer: its E-step. ``after`` some iterations, what was remembered is needed.
    """
    criterion = stage.criterion
    pairs = len(standing.cells.bitext)
    stepping = stage.stepping()
    state, stepping.running = remembered or (criterion.begin(standing.cells), None)
    for number, inference in enumerate(stage.inferences()[after:], start=after + 1):
        begun = time.perf_counter()
        pruner = Pruner(stage.prune) if stage.prunes and number == PRUNED_AFTER else None
        measures = np.zeros(len(criterion.measures), np.int64)
        for part in stepping.parts(pairs):
            counts = infer(
                criterion,
                inference(facts.restrict(standing.pair)),
                standing.cells,
                state,
                part=part,
                threads=threads,
                progress=progress,
                prune=pruner.drop if pruner else None,
            )
            measures += counts.measures
            counts = stepping.take(counts, pairs)
            facts.observe(counts, standing.pair.lexicon.pairs)
            cognates.observe(counts, standing.pair.lexicon.pairs, stage.cognates)
            standing.pair, state = criterion.update(standing.pair, counts, state, stage.rule, threads)
        del counts
        if pruner:
            standing.cells = standing.cells.without_slots()
            standing.cells, standing.pair = pruner.prune(standing.cells, standing.pair, threads)
            state = criterion.pruned(state)
            del pruner
        values = zip(criterion.measures, (measures / MEASURE_SCALE).tolist(), strict=True)
        running = state, stepping.running
        yield _Iteration(number, dict(values), inference.notes(), running, time.perf_counter() - begun)


def _objective(criterion: Objective, measures: dict[str, float]) -> float:
    """What starts are compared by: the criterion's objective, both log-likelihoods, or its first measure."""
    if criterion.objective is None and set(Objective.measures) <= set(measures):
        return sum(measures[name] for name in Objective.measures)
    return measures[criterion.objective or criterion.measures[0]]


def _enter(stage: StageConfig, before: ModelPair | Lexicon, cells: CellText) -> ModelPair:
    """A stage's start: the lexicon so far, and distortions, uniform unless the stage before had the kind."""
    kind = DISTORTIONS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        return before
    source, target = (side.lengths.astype(np.int32) for side in (cells.bitext.source, cells.bitext.target))
    lexicon = before.lexicon if isinstance(before, ModelPair) else before
    return ModelPair(lexicon, kind.initial(source, target, stage.p0), kind.initial(target, source, stage.p0))
