"""The co-occurrence index: which word pairs occur together, and their pair_ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.errors import DataError
from aligner.kernels.structs import IndexRows, Side
from aligner.lexicon.blocks import Block
from aligner.lexicon.occurrences import Occurrences, side_of
from aligner.system.threads import many, over, runs_of
from aligner.text.bitext import Bitext
from aligner.text.sentences import offsets_of

MAX_PAIR_IDS = 1 << 32
"""How many pair_ids, pair_id 0 among them, have a number in 32 bits."""


_AT_ONCE = 1 << 22
"""About how many word pairs a thread collects before it sorts them; more if there are more words."""


@dataclass(frozen=True, eq=False)
class CooccurrenceIndex:
    """Which (source type, target type) pairs occur together: one compressed row of pair_ids per source type.

    row_offsets: int64 [source types + 2]; source type s owns the pair_ids from row_offsets[s] to before
    row_offsets[s + 1]; the last row, of the unknown word, is empty. columns: int32 [pair_ids + 1], the pair_id's
    target type, ascending within a row. Slot 0 stands for every pair that is not in the index, so pair_ids count
    from 1.
    """

    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    target_types: int

    @property
    def source_types(self) -> int:
        """Number of known source types."""
        return len(self.row_offsets) - 2

    def __len__(self) -> int:
        """Number of indexed pairs."""
        return len(self.columns) - 1

    @classmethod
    def of(
        cls, bitext: Bitext, threads: int = 1, occurrences: Occurrences | None = None
    ) -> CooccurrenceIndex:
        """Index what occurs together in a text; occurrences: those of its source words, if at hand.

        Linear in the cells: each source type visits the target sides of the pairs it occurs in, stamping
        target types. Source types are dealt to threads in runs; the result does not depend on how.
        """
        occurrences = occurrences or Occurrences.of_source(bitext, threads)
        sizes, rows = _rows(bitext, occurrences, threads)
        row_offsets = np.ones(len(sizes) + 2, np.int64)
        row_offsets[1:-1] += np.cumsum(sizes)
        row_offsets[-1] = row_offsets[-2]
        if row_offsets[-1] > MAX_PAIR_IDS:
            raise DataError(
                f"found {row_offsets[-1] - 1:,} different word pairs; expected at most {MAX_PAIR_IDS - 1:,};"
                f" train on fewer pairs, or set a lower data.max_length"
            )
        columns = np.empty(row_offsets[-1], np.int32)
        columns[0] = -1
        begins = np.cumsum([1, *map(len, rows)]).tolist()

        def copy(n: int) -> None:
            columns[begins[n] : begins[n + 1]] = rows[n]

        over(range(len(rows)), copy, threads)
        return cls(row_offsets, columns, len(bitext.target_vocabulary))

    @cached_property
    def column_sizes(self) -> NDArray[np.int64]:
        """How many source types occur with each target type, int64 [target types + 1]; counted once."""
        sizes = np.zeros(self.target_types + 1, np.int64)
        kernels.cooccurrence.count_types(self.columns[1:], sizes)
        return sizes

    def rows(self) -> NDArray[np.int32]:
        """The source type of each pair_id, int32 [pair_ids + 1]; pair_id 0's is the unknown word."""
        sizes = np.diff(self.row_offsets)
        types = np.arange(len(sizes), dtype=np.int32)
        return np.concatenate([np.array([self.source_types], np.int32), np.repeat(types, sizes)])

    def find(self, block: Block) -> Block:
        """The block with the pair_ids of its cells looked up; unseen pairs get pair_id 0."""
        pair_ids = np.empty(block.cells, np.uint32)
        self.find_into(block, pair_ids)
        return block.with_pair_ids(pair_ids)

    def find_into(self, block: Block, pair_ids: NDArray[np.uint32]) -> None:
        """Write the pair_ids of a block's cells into an array; a word's row is spread out once for them all."""
        source, target = (
            Side(tokens, offsets_of(lengths))
            for tokens, lengths in (
                (block.source, block.source_lengths),
                (block.target, block.target_lengths),
            )
        )
        places = Occurrences.of(source, self.source_types, [(0, len(block))]).lists
        kernels.cooccurrence.find_pair_ids(
            places, target, offsets_of(block.sizes), self.for_kernels(), pair_ids
        )

    def for_kernels(self) -> IndexRows:
        """The index as kernels take it."""
        return IndexRows(self.row_offsets, self.columns, self.target_types)

    def select(
        self, keep: NDArray[np.bool_], threads: int = 1
    ) -> tuple[CooccurrenceIndex, NDArray[np.uint32]]:
        """The index of the pair_ids with keep[pair_id], bool [pair_ids + 1]; and pair_id -> new pair_id, 0 if dropped."""
        runs = runs_of(self.row_offsets, 4 * threads)
        sizes = np.zeros(len(self.row_offsets) - 1, np.int64)
        over(
            runs, lambda run: kernels.compressed_rows.count_kept(*run, self.row_offsets, keep, sizes), threads
        )
        row_offsets = 1 + offsets_of(sizes)
        columns = np.empty(row_offsets[-1], np.int32)
        columns[0] = self.columns[0]
        renumber = np.zeros(len(keep), np.uint32)

        def copy(run: tuple[int, int]) -> None:
            kernels.compressed_rows.select(
                *run, self.row_offsets, keep, self.columns, row_offsets, columns, renumber
            )

        over(runs, copy, threads)
        return CooccurrenceIndex(row_offsets, columns, self.target_types), renumber


def _rows(
    bitext: Bitext, occurrences: Occurrences, threads: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int32]]]:
    """How many target types occur with each source type, int64 [source types], and which, piece by piece.

    Target types ascend within each source type.
    """
    target_types = len(bitext.target_vocabulary)
    sizes = np.zeros(len(bitext.source_vocabulary), np.int64)
    text = occurrences.lists, side_of(bitext.target), target_types

    runs = runs_of(occurrences.lists.starts[:-1], many(threads))
    # A fourth of the cells is a guess. A row has room if all words have: to sort a piece takes time for each.
    room = min(int(bitext.sizes.sum()) // (4 * len(runs)), _AT_ONCE) + 2 * target_types

    def collect(run: tuple[int, int]) -> list[NDArray[np.int32]]:
        first, last = run
        stamp = np.full(target_types + 1, -1, np.int32)
        pieces = []
        while first < last:
            columns, begin = np.empty(room, np.int32), first
            first, used = kernels.cooccurrence.collect_rows(first, last, *text, stamp, sizes, columns)
            columns.resize(used, refcheck=False)  # the rest is given back
            kernels.cooccurrence.sort_rows(sizes[begin:first], columns, target_types)
            pieces.append(columns)
        return pieces

    return sizes, list(chain.from_iterable(over(runs, collect, threads)))
