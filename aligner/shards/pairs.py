"""The word pairs that occur together in some shards, and their sentence lengths: the sums of round 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.shards.limits import check_word_pairs
from aligner.shards.slices import SliceRows
from aligner.storage.checks import require
from aligner.system.threads import run_all, split_rows

MOST_LENGTH = 65_535
"""The largest length of a sentence that is trained on."""


@dataclass(frozen=True, eq=False)
class LengthPairs:
    """The different pairs of sentence lengths, I * 2**32 + J, int64 [n], ascending."""

    pairs: NDArray[np.int64]

    def check_structure(self) -> None:
        """Raise DamagedError unless these are pairs of lengths."""
        source, target = self.pairs >> 32, self.pairs & 0xFFFFFFFF
        lengths = np.concatenate([source, target])
        in_range = lengths.min(initial=1) > 0 and lengths.max(initial=1) <= MOST_LENGTH
        require(in_range and (self.pairs[1:] > self.pairs[:-1]).all(), "it has lengths out of order or range")

    def __add__(self, other: LengthPairs) -> LengthPairs:
        """Return the length pairs of both parts."""
        return LengthPairs(np.union1d(self.pairs, other.pairs))


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Word pairs of one slice, in the word ids of the whole text, in rows of source types.

    words: int32 [rows], source types, ascending; sizes: int64 [rows]; columns: int32 [word pairs], target
    types, ascending in each row.
    """

    words: NDArray[np.int32]
    sizes: NDArray[np.int64]
    columns: NDArray[np.int32]

    def check_structure(self) -> None:
        """Raise DamagedError unless these are rows of word pairs."""
        words, sizes, columns = self.words, self.sizes, self.columns
        require(len(words) == len(sizes) and (words[1:] > words[:-1]).all(), "it has rows out of order")
        fits = sizes.min(initial=1) > 0 and sizes.max(initial=0) <= len(columns) == sizes.sum()
        require(fits and words.min(initial=0) >= 0, "it has rows of other sizes")
        begins = np.zeros(len(columns) + 1, np.bool_)
        begins[offsets_of(sizes)] = True
        in_order = begins[1:-1] | (columns[1:] > columns[:-1])
        require(in_order.all() and columns.min(initial=0) >= 0, "it has word pairs out of order")

    @classmethod
    def of(cls, index: CooccurrenceIndex, rows: SliceRows) -> WordPairs:
        """Return the word pairs of a shard in one slice."""
        return cls(rows.words, rows.sizes, index.columns[rows.pair_ids])

    @classmethod
    def none(cls) -> WordPairs:
        """Return no word pair."""
        return cls(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32))

    def __add__(self, other: WordPairs) -> WordPairs:
        """Return the word pairs of both parts."""
        if not len(self.columns):
            return other
        words = np.union1d(self.words, other.words)
        rows, others = ((part._offsets(words), part.columns) for part in (self, other))
        offsets, columns = unite(rows, others)
        return WordPairs(words, np.diff(offsets), columns)

    def index(self, source_types: int, target_types: int) -> CooccurrenceIndex:
        """Return the index of these word pairs; raise DamagedError if they are of other words."""
        known = self.words.max(initial=-1) < source_types and self.columns.max(initial=-1) < target_types
        require(known, "it has word pairs of other words")
        row_offsets = 1 + self._offsets(np.arange(source_types + 1, dtype=np.int32))
        return CooccurrenceIndex(row_offsets, np.append(np.int32(-1), self.columns), target_types)

    def _offsets(self, words: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return where the row of each word begins, and where the last one ends, int64 [words + 1].

        words: ascending, with all words of this part.
        """
        sizes = np.zeros(len(words), np.int64)
        sizes[np.searchsorted(words, self.words)] = self.sizes
        return offsets_of(sizes)


def unite(
    rows: tuple[NDArray[np.int64], NDArray], others: tuple[NDArray[np.int64], NDArray]
) -> tuple[NDArray[np.int64], NDArray]:
    """Return the unions, row by row, of two sets of compressed rows whose columns ascend.

    rows, others: (offsets, columns), with the same number of rows.
    """
    runs = split_rows(rows[0], 8)
    sizes = np.zeros(len(rows[0]) - 1, np.int64)
    run_all(runs, lambda run: kernels.index.count_union(*run, *rows, *others, sizes), 1)
    offsets = offsets_of(sizes)
    check_word_pairs(1 + int(offsets[-1]))
    columns = np.empty(offsets[-1], rows[1].dtype)
    run_all(runs, lambda run: kernels.index.unite(*run, *rows, *others, offsets, columns), 1)
    return offsets, columns
