"""The E-step of Model 1 alone, which needs no cells: expected counts are collected by source word.

Every other E-step spends most of its time on looking up lexical probabilities cell by cell and on adding
posteriors to counts. Here both are done for one source word after another, whose row stays in the cache.
An iteration takes half as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts, Criterion, DistortionCounts
from aligner.criteria.counts import MEASURE_SCALE
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.occurrences import OccurrenceRun, Occurrences, side_of
from aligner.models import ModelPair
from aligner.system.threads import falling_parts_of, many, over, parts_of, runs_of
from aligner.text.sentences import Sentences
from aligner.training.estep import BlockFilter, Progress

_STEPS = 8
"""Calls into which a thread cuts its work: between them it may be interrupted."""

_NO_TABLE = np.empty((0, 2), np.float32)
_NO_SHARES = np.empty(0, np.float32), np.empty(0, np.float32)


@dataclass(frozen=True, eq=False)
class Model1EStep:
    """The E-step of Model 1 by each direction's own posteriors, over a whole text without empty sentences.

    The counts equal those of ``BlockEStep`` up to rounding. occurrences: of the text's source words.
    """

    source: BlockSource
    occurrences: Occurrences
    threads: int = 1

    def __call__(
        self,
        criterion: Criterion,
        model: ModelPair,
        state: Any = None,
        *,
        part: Span | None = None,
        keep: BlockFilter | None = None,
        progress: Progress | None = None,
    ) -> Counts:
        """Return the expected counts of the whole text.

        ``progress`` receives half of the pairs after each of the two passes.
        """
        bitext, lexicon, index = self.source.bitext, model.lexicon, model.lexicon.index
        if part not in (None, (0, len(bitext))) or keep is not None:
            raise ValueError("this E-step counts all cells of the whole text")
        source, target = bitext.source, bitext.target
        forward = _Direction.of(source, target, lexicon.null_forward, model.forward.p0)
        reverse = _Direction.of(target, source, lexicon.null_reverse, model.reverse.p0)
        factors = forward.factors, reverse.factors
        shares, lists = lexicon.uniform_shares, self.occurrences.lists
        text_and_rows = lists, source.offsets, side_of(target), index.for_kernels()

        def infer(run: OccurrenceRun) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
            """Compute the factors of a run of pairs; return NULL counts and log-likelihoods."""
            if shares is None:
                for types in runs_of(lists.starts[:-1], _STEPS):
                    kernels.model1_counts.add_potentials(
                        *types, run.begins, run.ends, *text_and_rows, lexicon.table, factors
                    )
            else:
                forward.add_shares(run.span, shares[0])
                reverse.add_shares(run.span, shares[1])
            null_forward, of_target = forward.sums_to_factors(run.span)
            null_reverse, of_source = reverse.sums_to_factors(run.span)
            return null_forward, null_reverse, np.array([of_target, of_source])

        def count(occurrences: tuple[int, int]) -> None:
            table = lexicon.table if shares is None else _NO_TABLE
            kernels.model1_counts.count_links(
                *occurrences, *text_and_rows, table, shares or _NO_SHARES, factors, links
            )

        sums = zip(*over(self.occurrences.runs(), infer, self.threads), strict=True)
        null_forward, null_reverse, measures = (np.sum(of_runs, axis=0) for of_runs in sums)
        if progress is not None:
            progress(len(bitext) // 2)
        links = np.zeros((len(index) + 1, 2), np.int64)
        over(_parts(lists.starts, self.threads), count, self.threads)
        if progress is not None:
            progress(len(bitext) - len(bitext) // 2)
        distortion = DistortionCounts(model.forward.new_counts(), model.reverse.new_counts())
        return Counts(links, null_forward, null_reverse, distortion, measures, len(bitext))


def _parts(starts: NDArray[np.int64], threads: int) -> Iterator[tuple[int, int]]:
    """Cut occurrences into runs of whole words. Only a word that is longer than a run is cut.

    starts: int64 [types + 2], the first occurrence of each type, and the end.
    """
    size, begin = int(starts[-1]), 0
    least = max(size // many(threads), 1)
    for _, end in parts_of(size, _STEPS) if threads == 1 else falling_parts_of(size, threads, least):
        whole = int(starts[np.searchsorted(starts, end, side="right") - 1])
        yield begin, (begin := whole if whole > begin else end)


class _Direction(NamedTuple):
    """One direction of Model 1 over a text.

    null: float32 [emitted types + 1]; factors: float32 [emitted tokens], sums of lexical probabilities over a
    sentence, then the factors m_j (see ``kernels.model1_counts``).
    """

    conditioning: Sentences
    emitted: Sentences
    null: NDArray[np.float32]
    p0: float
    factors: NDArray[np.float32]

    @classmethod
    def of(
        cls, conditioning: Sentences, emitted: Sentences, null: NDArray[np.float32], p0: float
    ) -> _Direction:
        return cls(conditioning, emitted, null, p0, np.zeros(len(emitted.tokens), np.float32))

    def add_shares(self, span: Span, shares: NDArray[np.float32]) -> None:
        """Add the lexical probabilities of a uniform table to the sums of a run of pairs."""
        kernels.model1_counts.add_shares(
            *span, side_of(self.conditioning), shares, self.emitted.offsets, self.factors
        )

    def sums_to_factors(self, span: Span) -> tuple[NDArray[np.int64], np.int64]:
        """Turn the sums of a run of pairs into factors; return its NULL counts and log-likelihood."""
        counts, log_likelihood = np.zeros(len(self.null), np.int64), np.empty(span[1] - span[0])
        kernels.model1_counts.sums_to_factors(
            *span,
            self.conditioning.offsets,
            side_of(self.emitted),
            self.null,
            self.p0,
            self.factors,
            counts,
            log_likelihood,
        )
        return counts, np.rint(log_likelihood * MEASURE_SCALE).astype(np.int64).sum()
