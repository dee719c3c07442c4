"""The co-occurrence index: the word pairs that occur together, and their pair_ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from aligner.errors import DataError
from aligner.kernels.structs import IndexRows, Side
from aligner.lexicon.blocks import Block
from aligner.lexicon.occurrences import Occurrences, side_of
from aligner.storage.checks import require, require_rows
from aligner.system.threads import for_rows, part_count, run_all, split_rows
from aligner.text.bitext import SentencePairs

MAX_PAIR_IDS = 1 << 32
"""The number of pair_ids that 32 bits can tell apart, including pair_id 0."""

_MOST_SUMMING = 16
"""The largest number of threads that sum over target types: each has an array as large as the vocabulary."""

_NO_TYPE = np.array([-1], np.int32)
"""The column of pair_id 0."""

_SORTED_AT_ONCE = 1 << 22
"""The number of word pairs that a thread collects before it sorts them, besides two full rows."""


@dataclass(frozen=True, eq=False)
class CooccurrenceIndex:
    """The (source type, target type) pairs that occur together in some sentence pair, in compressed rows.

    Pair_ids count from 1. Pair_id 0 stands for every word pair that is not in the index.

    Attributes
    ----------
    row_offsets
        int64 [source types + 2]. Source type s owns the pair_ids row_offsets[s] <= k < row_offsets[s + 1].
        The last row, of the out-of-vocabulary word, is empty.
    columns
        int32 [pair_ids + 1], the target type of each pair_id, ascending within a row; -1 for pair_id 0.
    target_types
        The number of known target types.
    """

    row_offsets: Int64s
    columns: Int32s
    target_types: int

    def check_structure(self) -> None:
        """Raise DamagedError unless the arrays are an index, as kernels expect."""
        row_offsets, columns = self.row_offsets, self.columns
        require_rows(row_offsets, 1, len(columns), "pairs.row_offsets")
        require(len(row_offsets) > 1, "'pairs.row_offsets' has no row of out-of-vocabulary words")
        require(row_offsets[-2] == row_offsets[-1], "the row of out-of-vocabulary words is not empty")
        # The columns of each row ascend, so its last column is the greatest.
        in_order = np.zeros(len(columns) + 1, np.bool_)
        in_order[row_offsets] = True
        in_order[1:-1] |= columns[1:] > columns[:-1]
        in_range = (
            columns[1:].min(initial=0) >= 0 and (columns[row_offsets[1:] - 1] < self.target_types).all()
        )
        require(columns[0] == -1 and in_order[1:].all(), "'pairs.columns' has target words out of order")
        require(in_range, "'pairs.columns' has target words out of range")

    def __len__(self) -> int:
        """Return the number of word pairs."""
        return len(self.columns) - 1

    @property
    def source_types(self) -> int:
        """The number of known source types."""
        return len(self.row_offsets) - 2

    @classmethod
    def of(
        cls, bitext: SentencePairs, threads: int = 1, occurrences: Occurrences | None = None
    ) -> CooccurrenceIndex:
        """Index the co-occurring word pairs of a text.

        occurrences: of the text's source words, if they are known already. The time is linear in the number
        of cells: for each source type, the target sides of its occurrences are visited, and each target type
        is stamped when it is first seen. Each thread indexes runs of source types. The result is the same for
        any number of threads.
        """
        occurrences = occurrences or Occurrences.of_source(bitext, threads)
        sizes, rows = _collect_rows(bitext, occurrences, threads)
        row_offsets = _row_offsets(sizes)
        return cls(row_offsets, np.concatenate([_NO_TYPE, *rows]), bitext.target_types)

    def column_sizes(self, threads: int = 1) -> Int64s:
        """Return the number of source types that occur with each target type, int64 [target types + 1]."""
        shape = (self.target_types + 1,)
        return self.sum_rows(kernels.tables.add_column_sizes, shape=shape, threads=threads)

    def rows(self) -> Int32s:
        """Return the source type of each pair_id, int32 [pair_ids + 1].

        Pair_id 0 has the out-of-vocabulary word.
        """
        sizes = np.diff(self.row_offsets)
        types = np.arange(len(sizes), dtype=np.int32)
        return np.concatenate([np.array([self.source_types], np.int32), np.repeat(types, sizes)])

    def find(self, block: Block, out: NDArray[np.uint32] | None = None) -> Block:
        """Return a block with the pair_ids of its cells, 0 for word pairs that are not in the index.

        out: uint32 [cells], set to the pair_ids; by default a new array. The row of a source type is spread
        out once for all its occurrences in the block, so few large blocks are faster than many small ones. In
        a block of few cells, each is searched for, which takes no time for the types that do not occur.
        """
        pair_ids = np.empty(block.cells, np.uint32) if out is None else out
        source = Side(block.source, offsets_of(block.source_lengths))
        target = Side(block.target, offsets_of(block.target_lengths))
        if block.cells < self.source_types:
            kernels.index.search_pair_ids(source, target, self.for_kernels(), pair_ids)
        else:
            lists = Occurrences.of(source, self.source_types, [np.arange(len(block))]).lists
            kernels.index.find_pair_ids(lists, target, offsets_of(block.sizes), self.for_kernels(), pair_ids)
        return replace(block, pair_ids=pair_ids)

    def for_kernels(self) -> IndexRows:
        """Return the index as the named tuple that kernels take."""
        return IndexRows(self.row_offsets, self.columns, self.target_types)

    def pair_ids_in(
        self, other: CooccurrenceIndex, sources: Int32s, targets: Int32s, threads: int = 1
    ) -> NDArray[np.uint32]:
        """Return the pair_id that each word pair has in the index of another text, or 0.

        sources: int32 [source types + 1], the other id of each source type, or -1; targets: int32 [other
        target types + 1], the own id of each other target type, or -1. Returns uint32 [pair_ids + 1].
        """
        found = np.zeros(len(self) + 1, np.uint32)

        def find(types: tuple[int, int]) -> None:
            rows = other.for_kernels(), self.for_kernels()
            kernels.index.find_pairs(*types, sources, targets, *rows, found)

        run_all(split_rows(self.row_offsets, 4 * threads), find, threads)
        return found

    def joined_with(self, other: CooccurrenceIndex, sources: Int32s, targets: Int32s) -> CooccurrenceIndex:
        """Return the index of the word pairs of this text or of another one, in the ids of this text.

        sources, targets: as for ``pair_ids_in``.
        """
        sizes = np.zeros(self.source_types, np.int64)
        columns = np.full(1 + len(self) + len(other), -1, np.int32)
        rows = other.for_kernels(), self.for_kernels()
        used = kernels.index.join_rows(sources, targets, *rows, sizes, columns[1:])
        kernels.index.sort_rows(sizes, columns[1 : used + 1], self.target_types)
        return CooccurrenceIndex(_row_offsets(sizes), columns[: used + 1].copy(), self.target_types)

    def for_rows(self, kernel: Callable[..., None], *arguments: Any, threads: int) -> None:
        """Call ``kernel(first, last, row_offsets, columns, *arguments)`` for runs of source types."""
        for_rows(self.row_offsets, threads, kernel, self.row_offsets, self.columns, *arguments)

    def sum_rows(
        self, add: Callable[..., None], *arguments: Any, shape: tuple[int, ...], threads: int
    ) -> Int64s:
        """Return an exact sum over the source types, int64 of this shape.

        add: a kernel, as for ``for_rows``, whose last argument is an array to add to.
        """

        def sum_run(run: tuple[int, int]) -> Int64s:
            own = np.zeros(shape, np.int64)
            add(*run, self.row_offsets, self.columns, *arguments, own)
            return own

        runs = split_rows(self.row_offsets, min(threads, _MOST_SUMMING))
        return np.sum(run_all(runs, sum_run, threads), axis=0, dtype=np.int64)

    def totals(self, links: Int64s, threads: int = 1) -> tuple[Float64s, Float64s]:
        """Sum fixed-point counts, int64 [pair_ids + 1, 1 or 2], over the words that occur with each word.

        Returns float64 [source types + 1] and [target types + 1]. The sums are exact until they are rounded
        to float64.
        """
        forward = np.zeros(self.source_types + 1, np.int64)
        shape = (self.target_types + 1,)
        reverse = self.sum_rows(kernels.tables.add_totals, links, forward, shape=shape, threads=threads)
        # If one word generates several words each time, its sum may exceed 63 bits: the sign bit is a digit.
        return forward.view(np.uint64).astype(float), reverse.view(np.uint64).astype(float)

    def select(self, keep: Bools) -> tuple[CooccurrenceIndex, Int64s]:
        """Select the word pairs with keep[pair_id], bool [pair_ids + 1].

        Returns their index, and the old pair_id of each new one, int64 [pair_ids + 1].
        """
        keep = keep.copy()
        keep[0] = True
        kept = np.flatnonzero(keep)
        row_offsets = np.searchsorted(kept, self.row_offsets)
        return CooccurrenceIndex(row_offsets, self.columns[kept], self.target_types), kept


def _row_offsets(sizes: Int64s) -> Int64s:
    """Return the row offsets of an index whose rows have these sizes; raise DataError for too many pairs."""
    row_offsets = np.ones(len(sizes) + 2, np.int64)
    row_offsets[1:-1] += np.cumsum(sizes)
    row_offsets[-1] = row_offsets[-2]
    if row_offsets[-1] > MAX_PAIR_IDS:
        raise DataError(
            f"found {row_offsets[-1] - 1:,} different word pairs; expected at most {MAX_PAIR_IDS - 1:,};"
            " train on fewer sentence pairs, or set a lower data.max_length"
        )
    return row_offsets


def _collect_rows(
    bitext: SentencePairs, occurrences: Occurrences, threads: int
) -> tuple[Int64s, list[Int32s]]:
    """Collect the target types that occur with each source type, ascending for each source type.

    Returns the size of each source type's row, int64 [source types], and the rows, one after another, in
    chunks of one or more rows.
    """
    target_types = bitext.target_types
    sizes = np.zeros(bitext.source_types, np.int64)
    text = occurrences.lists, side_of(bitext.target), target_types
    runs = split_rows(occurrences.lists.starts[:-1], part_count(threads))
    # The number of word pairs is guessed as a quarter of the cells. Two full rows are added, because a row
    # may hold every target type, and because sorting a chunk takes time for each target type.
    guess = int(bitext.sizes.sum()) // (4 * max(len(runs), 1))
    capacity = min(guess, _SORTED_AT_ONCE) + 2 * target_types

    def collect(run: tuple[int, int]) -> list[Int32s]:
        first, last = run
        stamp = np.full(target_types + 1, -1, np.int32)
        chunks = []
        while first < last:
            columns, begin = np.empty(capacity, np.int32), first
            first, used = kernels.index.collect_rows(first, last, *text, stamp, sizes, columns)
            columns.resize(used, refcheck=False)  # frees the memory that was not used
            kernels.index.sort_rows(sizes[begin:first], columns, target_types)
            chunks.append(columns)
        return chunks

    return sizes, list(chain.from_iterable(run_all(runs, collect, threads)))
