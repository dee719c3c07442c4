"""The training loop: stage after stage, E-step and M-step, one record per iteration."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner.config import Config, StageConfig
from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.expectation import MEASURE_SCALE, accumulate
from aligner.lexicon import Lexicon
from aligner.model import Model
from aligner.models import DISTORTIONS, ModelPair
from aligner.pairs import CellText, index_pairs
from aligner.pruning import Pruner


@dataclass(frozen=True, eq=False)
class Step:
    """One iteration: the model after it, and what its E-step measured of the model before it.

    stage and iteration count from 1; measures: sums over the training text, in nats; seconds: wall time.
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
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Step]:
    """Train by the recipe, yielding after every iteration; the last step holds the trained model.

    Pairs with an empty side, or one longer than the recipe's max_length, take no part. ``progress`` is told
    the number of pairs as they are done. The result does not depend on ``threads``. DataError if no pair is
    usable.
    """
    usable = bitext.trainable(config.data.max_length)
    if not usable.any():
        raise DataError(
            f"no usable sentence pair among {len(bitext)}: every pair has an empty side or one of more than"
            f" {config.data.max_length} tokens (see data.max_length)"
        )
    text = bitext if usable.all() else bitext.select(usable.nonzero()[0])
    index, cells = index_pairs(text, threads)
    pair: ModelPair | None = None
    model = None
    for number, stage in enumerate(config.stages, start=1):
        pair = _enter(stage, pair or Lexicon.uniform(index), cells)
        state = stage.criterion.begin(pair, cells)
        for iteration in range(1, stage.iterations + 1):
            begun = time.perf_counter()
            pruner = Pruner(stage.prune) if stage.prune and cells.kept is None else None
            watch = pruner.watch if pruner else None
            counts = accumulate(
                stage.criterion, pair, cells, state, threads=threads, progress=progress, watch=watch
            )
            pair, state = stage.criterion.update(pair, counts, state)
            if pruner:
                cells, pair = pruner.prune(cells, pair)
                state = stage.criterion.begin(pair, cells)
            measures = {
                name: value / MEASURE_SCALE
                for name, value in zip(stage.criterion.measures, counts.measures.tolist(), strict=True)
            }
            record: dict[str, Any] = {"stage": number, "iteration": iteration, **measures}
            model = Model(
                bitext.source_vocabulary,
                bitext.target_vocabulary,
                pair,
                config.to_dict(),
                bitext.report.to_dict(),
                (*model.history, record) if model else (record,),
            )
            yield Step(
                number,
                iteration,
                stage,
                model,
                measures,
                len(text),
                len(text.source.tokens),
                len(text.target.tokens),
                time.perf_counter() - begun,
            )


def _enter(stage: StageConfig, before: ModelPair | Lexicon, cells: CellText) -> ModelPair:
    """A stage's start: the lexicon so far, and distortions, uniform unless the stage before had the kind."""
    kind = DISTORTIONS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        return before
    source, target = (side.lengths.astype(np.int32) for side in (cells.bitext.source, cells.bitext.target))
    lexicon = before.lexicon if isinstance(before, ModelPair) else before
    return ModelPair(lexicon, kind.initial(source, target, stage.p0), kind.initial(target, source, stage.p0))
