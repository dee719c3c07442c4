"""The E-step of Model 1 alone, which needs no cells: expected counts are collected by source word.

Every other E-step spends most of its time on looking up lexical probabilities cell by cell and on adding
posteriors to counts. This E-step does both for one source word after another, whose row stays in the cache.
An iteration takes half as long.

Where nothing else needs the counts of all word pairs, they are never in memory together: the counts of a
source word become its row of the new tables at once, in place of its old row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import inverse
from aligner.criteria import Counts, Criterion, DistortionCounts, Independent
from aligner.criteria.counts import MEASURE_SCALE, PseudoCounts
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.occurrences import Occurrences, SpanOccurrences, side_of
from aligner.lexicon.table import FLOOR
from aligner.models import MODELS, ModelPair
from aligner.recipe.config import Stage
from aligner.system.threads import part_count, run_all, split_decreasing, split_evenly, split_rows
from aligner.text.bitext import SentencePairs
from aligner.text.sentences import Sentences
from aligner.training.estep import BlockFilter, ProgressCallback

_KERNEL_CALLS = 8
"""Kernel calls into which a thread cuts its work. Ctrl-C takes effect between them."""

_NO_TABLE = np.empty((0, 2), np.float32)
_NO_SHARES = np.empty(0, np.float32), np.empty(0, np.float32)


def is_model1_alone(stage: Stage, restricted: bool) -> bool:
    """Return True if a stage learns from each direction's plain Model 1 posteriors over the whole text."""
    return (
        MODELS[stage.model].is_uniform
        and type(stage.criterion) is Independent
        and not (stage.hard or stage.anneal_from < 1.0 or stage.prune or stage.batch_pairs)
        and not restricted
    )


@dataclass(frozen=True, eq=False)
class Model1EStep:
    """The E-step of Model 1 by each direction's own posteriors, over a whole text without empty sentences.

    Its counts equal the counts of ``BlockEStep`` up to rounding.

    Attributes
    ----------
    source
        The text.
    occurrences
        The occurrences of the text's source words.
    threads
        Number of threads.
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
        block_filter: BlockFilter | None = None,
        progress: ProgressCallback | None = None,
    ) -> Counts:
        """Return the expected counts of the whole text.

        ``progress`` receives half of the pairs after each of the two passes over the text.
        """
        pairs = len(self.source)
        if part not in (None, (0, pairs)) or block_filter is not None:
            raise ValueError("found a part or a filter; this E-step counts all cells of the whole text")
        passes, counts = self._infer(model, progress)
        links = np.zeros((len(model.lexicon.index) + 1, 2), np.int64)
        ranges = _split_by_type(self.occurrences.lists.starts, self.threads)
        run_all(ranges, lambda own: passes.count(own, links), self.threads)
        if progress is not None:
            progress(pairs - pairs // 2)
        return replace(counts, links=links)

    def maximise(
        self, model: ModelPair, added: PseudoCounts, progress: ProgressCallback | None = None
    ) -> tuple[ModelPair, Counts]:
        """Return the model of maximum likelihood, and the expected counts of the text but for its links.

        The new lexical tables are written over the tables of ``model``. added: pseudo-counts of some word
        pairs.
        """
        passes, counts = self._infer(model, progress)
        lexicon, threads = model.lexicon, self.threads
        order = np.argsort(added.pair_ids, kind="stable")
        pseudo_counts = added.pair_ids[order], added.amounts[order]
        runs = split_rows(self.occurrences.lists.starts[:-1], part_count(threads))
        totals = run_all(runs, lambda types: passes.learn(types, pseudo_counts, lexicon.table), threads)
        shares = inverse(np.sum(totals, axis=0).view(np.uint64).astype(float))
        rows = lexicon.index.row_offsets, lexicon.index.columns

        def divide(types: Span) -> None:
            kernels.ibm1.divide_columns(*types, *rows, shares, FLOOR, lexicon.table)

        run_all(split_rows(lexicon.index.row_offsets, 4 * threads), divide, threads)
        lexicon.table[0] = FLOOR
        if progress is not None:
            progress(counts.pairs - counts.pairs // 2)
        null = counts.null_forward, counts.null_reverse
        learned = lexicon.with_tables(lexicon.table, *lexicon.null_rows(*null))
        return ModelPair(learned, model.forward, model.reverse), counts

    def _infer(self, model: ModelPair, progress: ProgressCallback | None) -> tuple[_Passes, Counts]:
        """Compute the factors of all tokens; return them, and the counts of the text but for its links."""
        passes, pairs = _Passes.over(self.source.bitext, self.occurrences, model), len(self.source)
        sums = zip(*run_all(self.occurrences.by_span(), passes.infer, self.threads), strict=True)
        null_forward, null_reverse, measures = (np.sum(arrays, axis=0) for arrays in sums)
        if progress is not None:
            progress(pairs // 2)
        distortion = DistortionCounts(*(own.new_counts() for own in model.directions))
        no_links = np.empty((0, 2), np.int64)
        return passes, Counts(no_links, null_forward, null_reverse, distortion, measures, pairs)


class _Direction(NamedTuple):
    """One direction of Model 1 over a text.

    Attributes
    ----------
    conditioning, emitted
        The two sides of the text.
    null
        float32 [emitted types + 1], probabilities given NULL.
    p0
        Probability of NULL, or -1 for 1 / (I + 1).
    factors
        float32 [emitted tokens], sums of lexical probabilities over a sentence, then the factors m_j (see
        ``kernels.ibm1``).
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

    def add_shares(self, numbers: NDArray[np.int64], shares: NDArray[np.float32]) -> None:
        """Add the lexical probabilities of a uniform table to the sums of some pairs."""
        text = side_of(self.conditioning), shares, self.emitted.offsets
        kernels.ibm1.add_shares(numbers, *text, self.factors)

    def sums_to_factors(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], np.int64]:
        """Turn the sums of some pairs into factors; return their NULL counts and log-likelihood."""
        counts, log_likelihood = np.zeros(len(self.null), np.int64), np.empty(len(numbers))
        kernels.ibm1.sums_to_factors(
            numbers,
            self.conditioning.offsets,
            side_of(self.emitted),
            self.null,
            self.p0,
            self.factors,
            counts,
            log_likelihood,
        )
        return counts, np.rint(log_likelihood * MEASURE_SCALE).astype(np.int64).sum()


@dataclass(frozen=True, eq=False)
class _Passes:
    """The two passes of an E-step: the factors of all tokens, then the link counts.

    Attributes
    ----------
    forward, reverse
        The two directions.
    table
        float32 [pair_ids + 1, 2], the lexical table; empty if all rows are uniform.
    shares
        If all rows are uniform, the probabilities of their entries (see ``Lexicon.uniform_shares``).
    text_and_rows
        Occurrences, source offsets, target side and index, as kernels take them.
    types
        int64 [source types + 1], the first occurrence of each source type.
    """

    forward: _Direction
    reverse: _Direction
    table: NDArray[np.float32]
    shares: tuple[NDArray[np.float32], NDArray[np.float32]] | None
    text_and_rows: tuple[Any, ...]
    types: NDArray[np.int64]

    @classmethod
    def over(cls, bitext: SentencePairs, occurrences: Occurrences, model: ModelPair) -> _Passes:
        lexicon, source, target = model.lexicon, bitext.source, bitext.target
        lists = occurrences.lists
        return cls(
            _Direction.of(source, target, lexicon.null_forward, model.forward.p0),
            _Direction.of(target, source, lexicon.null_reverse, model.reverse.p0),
            lexicon.table if lexicon.uniform_shares is None else _NO_TABLE,
            lexicon.uniform_shares,
            (lists, source.offsets, side_of(target), lexicon.index.for_kernels()),
            lists.starts[:-1],
        )

    @property
    def factors(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The factors of the target and of the source tokens."""
        return self.forward.factors, self.reverse.factors

    def infer(
        self, occurrences: SpanOccurrences
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Compute the factors of a span.

        Returns int64 NULL counts [target types + 1] and [source types + 1], and int64 measures [2].
        """
        numbers, begins, ends = occurrences
        if self.shares is None:
            for types in split_rows(self.types, _KERNEL_CALLS):
                kernels.ibm1.add_potentials(
                    *types, begins, ends, *self.text_and_rows, self.table, self.factors
                )
        else:
            self.forward.add_shares(numbers, self.shares[0])
            self.reverse.add_shares(numbers, self.shares[1])
        null_forward, forward_log_likelihood = self.forward.sums_to_factors(numbers)
        null_reverse, reverse_log_likelihood = self.reverse.sums_to_factors(numbers)
        return null_forward, null_reverse, np.array([forward_log_likelihood, reverse_log_likelihood])

    def count(self, occurrences: tuple[int, int], links: NDArray[np.int64]) -> None:
        """Add the link posteriors of a range of occurrences to the counts, int64 [pair_ids + 1, 2]."""
        kernels.ibm1.count_links(
            *occurrences, *self.text_and_rows, self.table, self.shares or _NO_SHARES, self.factors, links
        )

    def learn(
        self,
        types: tuple[int, int],
        added: tuple[NDArray[np.int64], NDArray[np.int64]],
        table: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """Write the rows of a range of source types (see ``kernels.ibm1.learn_rows``).

        Returns their share of the reverse totals, int64 [target types + 1].
        """
        totals = np.zeros(len(self.forward.null), np.int64)
        lexicon = self.table, self.shares or _NO_SHARES
        kernels.ibm1.learn_rows(
            *types, *self.text_and_rows, *lexicon, self.factors, added, FLOOR, totals, table
        )
        return totals


def _split_by_type(starts: NDArray[np.int64], threads: int) -> Iterator[tuple[int, int]]:
    """Split occurrences into ranges of whole types. Only a type that is longer than a range is split.

    starts: int64 [types + 2], the first occurrence of each type, and the end.
    """
    size, begin = int(starts[-1]), 0
    least = max(size // part_count(threads), 1)
    ranges = split_evenly(size, _KERNEL_CALLS) if threads == 1 else split_decreasing(size, threads, least)
    for _, end in ranges:
        start_of_type = int(starts[np.searchsorted(starts, end, side="right") - 1])
        stop = start_of_type if start_of_type > begin else end
        yield begin, stop
        begin = stop
