"""The first E-step of a recipe that begins, as most do, with plain EM of Model 1 from uniform tables.

With t(f|e) the same for all f, a source word's posterior is the same for every target word of its sentence:
one of them is inferred, and counts are collected word by word, in the same pass over the text in which slots
are looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.celltext import SEARCH_CELLS, CellText, IndexedText
from aligner.config import StageConfig
from aligner.evidence import KnownFacts
from aligner.expectation import MEASURE_SCALE
from aligner.kernels import counting
from aligner.kernels import opening as kernels
from aligner.kernels.cells import gather_words
from aligner.lexicon import uniform_shares
from aligner.models import IBM1, Cells, Distortion, ModelPair
from aligner.objectives import Counts, Independent, Objective, Statistics
from aligner.pairs import Occurrences
from aligner.parallel import many, over, runs_of
from aligner.sentences import Sentences
from aligner.variants import Inference


def opens(stage: StageConfig, facts: KnownFacts) -> bool:
    """Whether a recipe whose first stage this is begins so."""
    plain = (Inference(), Independent(), IBM1.name, 1, None)
    return bool(stage.iterations) and plain == (
        stage.inferences()[0],
        stage.criterion,
        stage.model,
        stage.restarts,
        facts.cells,
    )


def open_text(
    objective: Objective,
    model: ModelPair,
    text: CellText,
    state: Any = None,
    *,
    threads: int = 1,
    part: tuple[int, int] | None = None,
    progress: Callable[[int], None] | None = None,
    watch: None = None,
    occurrences: Occurrences | None = None,
) -> Counts:
    """What ``accumulate`` gives of a whole text, bit for bit, if it ``opens``; measures up to rounding.

    An ``IndexedText`` gets its slots. occurrences: those of the text's source words, if at hand.
    """
    source, target = text.bitext.source, text.bitext.target
    lexicon, pairs = model.lexicon, model.lexicon.pairs
    statistics = Statistics(model.forward.statistics(), model.reverse.statistics())
    source_shares, target_shares = uniform_shares(pairs)
    forward, log_forward = _infer(source, target, source_shares, lexicon.null_forward, model.forward, threads)
    reverse, log_reverse = _infer(target, source, target_shares, lexicon.null_reverse, model.reverse, threads)
    links = np.zeros((len(pairs) + 1, 2), np.int64)
    slots = text.slots if isinstance(text, IndexedText) else np.empty(0, np.uint32)
    occurrences = occurrences or Occurrences.of_source(text.bitext, threads)

    def count(run: tuple[int, int]) -> None:
        kernels.count_links(
            *run,
            *occurrences,
            source.offsets,
            target.tokens,
            target.offsets,
            text.offsets,
            pairs.row_offsets,
            pairs.columns,
            pairs.target_types,
            forward.links,
            reverse.links,
            slots,
            links,
        )

    over(runs_of(occurrences.starts[:-1], many(threads)), count, threads)

    def count_null(of: tuple[Sentences, NDArray[np.float32], NDArray[np.float32]]) -> NDArray[np.int64]:
        return _count_words(text, *of)

    null_forward, null_reverse = over(
        ((target, forward.null, lexicon.null_forward), (source, reverse.null, lexicon.null_reverse)),
        count_null,
        threads,
    )
    measures = np.rint(np.stack([log_forward, log_reverse]) * MEASURE_SCALE).astype(np.int64).sum(axis=1)
    if progress is not None:
        progress(len(text.bitext))
    return Counts(links, null_forward, null_reverse, statistics, measures, len(text.bitext))


def _infer(
    conditioning: Sentences,
    emitted: Sentences,
    shares: NDArray[np.float32],
    null: NDArray[np.float32],
    distortion: Distortion,
    threads: int,
) -> tuple[Cells, NDArray[np.float64]]:
    """The posteriors of one emitted word of each pair, any; the log-likelihood of all, float64 [pairs]."""
    lengths, offsets = conditioning.lengths.astype(np.int32), conditioning.offsets
    links = np.empty(len(conditioning.tokens), np.float32)
    cells = Cells(links, np.full(len(lengths), null[0]), lengths, np.ones(len(lengths), np.int32))

    def infer(run: tuple[int, int]) -> NDArray[np.float64]:
        pairs, tokens = slice(*run), slice(*offsets[list(run)])
        gather_words(conditioning.tokens[tokens], shares, links[tokens])
        part = Cells(links[tokens], cells.null[pairs], lengths[pairs], cells.emitted[pairs])
        return distortion.posteriors(part, distortion.statistics())

    one_word = np.concatenate(over(runs_of(offsets, 8 * threads), infer, threads))
    return cells, one_word * emitted.lengths


def _count_words(
    text: CellText, side: Sentences, posteriors: NDArray[np.float32], null: NDArray[np.float32]
) -> NDArray[np.int64]:
    """The counts, shaped like ``null``, of a side's words that all have the posterior of their pair."""
    counts = np.zeros(len(null), np.int64)
    nobody_else = np.zeros(len(null), np.int32), np.zeros((1, 8), np.int64)
    for start, stop in text.spans(SEARCH_CELLS):
        words = side.slice(start, stop)
        of_words = np.repeat(posteriors[start:stop], words.lengths)
        counting.add_words(words.tokens, of_words, *nobody_else, 0, True, np.zeros(1, np.bool_), counts)
    return counts
