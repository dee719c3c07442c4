"""Model 1's E-step by itself, which needs no cells: its expected counts are collected word by word.

What every other E-step spends most of its time on, looking up lexical probabilities cell by cell and adding
posteriors to counts, is here done for one source word after the other, whose rows stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.celltext import CellText, PrunedText
from aligner.config import StageConfig
from aligner.evidence import KnownFacts
from aligner.expectation import MEASURE_SCALE, EStep, Prune, accumulate
from aligner.models import IBM1, ModelPair
from aligner.objectives import Counts, Independent, Objective, Statistics
from aligner.pairs import Occurrences, Part, side_of
from aligner.parallel import falling_parts_of, many, over, parts_of, runs_of
from aligner.sentences import Sentences
from aligner.variants import Inference

_STEPS = 8
"""Into how many steps a thread cuts its work: between them it may be interrupted."""

_NO_TABLE = np.empty((0, 2), np.float32)
_NO_SHARES = np.empty(0, np.float32), np.empty(0, np.float32)


def goes_by_word(stage: StageConfig, facts: KnownFacts) -> bool:
    """Whether a stage's E-steps are those of Model 1 alone, each direction by itself, over the whole text."""
    return (
        stage.model == IBM1.name
        and stage.criterion == Independent()
        and all(inference == Inference() for inference in stage.inferences())
        and not stage.prune
        and not stage.batch_pairs
        and facts.cells is None
    )


def e_step(
    stage: StageConfig,
    facts: KnownFacts,
    text: CellText,
    threads: int = 1,
    occurrences: Occurrences | None = None,
) -> EStep:
    """How a stage's expected counts are got; occurrences: those of the text's source words, if at hand."""
    if not goes_by_word(stage, facts) or isinstance(text, PrunedText):
        return accumulate
    return ByWord.of(text, occurrences or Occurrences.of_source(text.bitext, threads))


@dataclass(frozen=True, eq=False)
class ByWord:
    """The E-step of a text, for a stage that ``goes_by_word``.

    occurrences: those of the text's source words; forward, reverse: float32 [target tokens] and [source
    tokens], working memory, which later E-steps use again.
    """

    occurrences: Occurrences
    forward: NDArray[np.float32]
    reverse: NDArray[np.float32]

    @classmethod
    def of(cls, text: CellText, occurrences: Occurrences) -> ByWord:
        """With memory for a text whose source words occur there."""
        sizes = (len(side.tokens) for side in (text.bitext.target, text.bitext.source))
        return cls(occurrences, *(np.empty(size, np.float32) for size in sizes))

    def __call__(
        self,
        objective: Objective,
        model: ModelPair,
        text: CellText,
        state: Any = None,
        *,
        threads: int = 1,
        part: tuple[int, int] | None = None,
        progress: Callable[[int], None] | None = None,
        prune: Prune | None = None,
    ) -> Counts:
        """The counts that ``accumulate`` gives of a whole text, up to rounding.

        Bit-identical for any threads. No sentence may be empty. ``progress`` is told half the pairs after
        each of two passes.
        """
        bitext, lexicon, pairs = text.bitext, model.lexicon, model.lexicon.pairs
        assert part in (None, (0, len(bitext))), "goes_by_word says that there are no mini-batches"
        assert prune is None, "nor anything dropped"
        sides, factors = (bitext.source, bitext.target), (self.forward, self.reverse)
        there = _Direction(*sides, lexicon.null_forward, model.forward.p0, self.forward)
        back = _Direction(*sides[::-1], lexicon.null_reverse, model.reverse.p0, self.reverse)
        shares, places = lexicon.shares, self.occurrences.places
        text_and_rows = places, bitext.source.offsets, side_of(bitext.target), pairs.for_kernels()

        def infer(part: Part) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
            there.clear(part.run)
            back.clear(part.run)
            if shares is None:
                for run in runs_of(places.starts[:-1], _STEPS):
                    kernels.model1_counts.add_potentials(
                        *run, part.begins, part.ends, *text_and_rows, lexicon.table, factors
                    )
            else:
                there.add_shares(part.run, shares[0])
                back.add_shares(part.run, shares[1])
            null_forward, of_target = there.to_factors(part.run)
            null_reverse, of_source = back.to_factors(part.run)
            return null_forward, null_reverse, np.array([of_target, of_source])

        def count(run: tuple[int, int]) -> None:
            table = lexicon.table if shares is None else _NO_TABLE
            kernels.model1_counts.count_links(
                *run, *text_and_rows, table, shares or _NO_SHARES, factors, links
            )

        sums = zip(*over(self.occurrences.parts(), infer, threads), strict=True)
        null_forward, null_reverse, measures = (np.sum(of_parts, axis=0) for of_parts in sums)
        if progress is not None:
            progress(len(bitext) // 2)
        links = np.zeros((len(pairs) + 1, 2), np.int64)
        over(_parts(places.starts, threads), count, threads)
        if progress is not None:
            progress(len(bitext) - len(bitext) // 2)
        statistics = Statistics(model.forward.statistics(), model.reverse.statistics())
        return Counts(links, null_forward, null_reverse, statistics, measures, len(bitext))


def _parts(starts: NDArray[np.int64], threads: int) -> Iterator[tuple[int, int]]:
    """Runs of places: whole words, but for those that are longer than a run.

    starts: int64 [types + 2], each type's first place, and the end.
    """
    size, begin = int(starts[-1]), 0
    least = max(size // many(threads), 1)
    for _, end in parts_of(size, _STEPS) if threads == 1 else falling_parts_of(size, threads, least):
        whole = int(starts[np.searchsorted(starts, end, side="right") - 1])
        yield begin, (begin := whole if whole > begin else end)


class _Direction(NamedTuple):
    """What a direction's words are generated from, and what comes of it.

    null: float32 [emitted types + 1]; sums: float32 [emitted tokens], lexical probabilities added up over a
    sentence, and then factors.
    """

    conditioning: Sentences
    emitted: Sentences
    null: NDArray[np.float32]
    p0: float
    sums: NDArray[np.float32]

    def clear(self, run: tuple[int, int]) -> None:
        """Sums of nothing, for a run of pairs."""
        first, last = self.emitted.offsets[list(run)]
        self.sums[first:last] = 0.0

    def add_shares(self, run: tuple[int, int], shares: NDArray[np.float32]) -> None:
        """Add what a uniform table gives the words of a run of pairs."""
        kernels.model1_counts.add_shares(
            *run, side_of(self.conditioning), shares, self.emitted.offsets, self.sums
        )

    def to_factors(self, run: tuple[int, int]) -> tuple[NDArray[np.int64], np.int64]:
        """Make factors of the sums of a run of pairs; its NULL counts, and its log-likelihood."""
        counts, log_likelihood = np.zeros(len(self.null), np.int64), np.empty(run[1] - run[0])
        words = self.conditioning.offsets, side_of(self.emitted), self.null, self.p0
        kernels.model1_counts.sums_to_factors(*run, *words, self.sums, counts, log_likelihood)
        return counts, np.rint(log_likelihood * MEASURE_SCALE).astype(np.int64).sum()
