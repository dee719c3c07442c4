"""The word pairs that occur together in some shards, and their sentence lengths: the sums of round 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.shards.limits import check_word_pairs
from aligner.shards.slices import SliceRows
from aligner.system.threads import run_all, split_rows
from aligner.text.bitext import Bitext


@dataclass(frozen=True, eq=False)
class LengthPairs:
    """The different pairs of sentence lengths, I * 2**32 + J, int64 [n], ascending."""

    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, usable: Bitext) -> LengthPairs:
        """Return the length pairs of the usable pairs of a shard."""
        return cls(np.unique(usable.source.lengths << 32 | usable.target.lengths))

    def plus(self, other: LengthPairs) -> LengthPairs:
        """Return the length pairs of both parts."""
        return LengthPairs(np.union1d(self.pairs, other.pairs))

    def values(self) -> dict[str, Any]:
        """Return the plain data of the part, for its file."""
        return {}

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        return {"length_pairs": self.pairs}

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> LengthPairs:
        """Return the part with these values and arrays."""
        return cls(arrays["length_pairs"])


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Word pairs of one slice, in the word ids of the whole text, in rows of source types.

    words: int32 [rows], source types, ascending; sizes: int64 [rows]; columns: int32 [word pairs], target
    types, ascending in each row.
    """

    words: NDArray[np.int32]
    sizes: NDArray[np.int64]
    columns: NDArray[np.int32]

    @classmethod
    def of(cls, index: CooccurrenceIndex, rows: SliceRows) -> WordPairs:
        """Return the word pairs of a shard in one slice."""
        return cls(rows.words, rows.sizes, index.columns[rows.pair_ids])

    @classmethod
    def none(cls) -> WordPairs:
        """Return no word pair."""
        return cls(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32))

    def plus(self, other: WordPairs) -> WordPairs:
        """Return the word pairs of both parts."""
        words = np.union1d(self.words, other.words)
        rows, others = ((part._offsets(words), part.columns) for part in (self, other))
        offsets, columns = unite(rows, others)
        return WordPairs(words, np.diff(offsets), columns)

    def index(self, source_types: int, target_types: int) -> CooccurrenceIndex:
        """Return the index of these word pairs."""
        row_offsets = 1 + self._offsets(np.arange(source_types + 1, dtype=np.int32))
        return CooccurrenceIndex(row_offsets, np.append(np.int32(-1), self.columns), target_types)

    def _offsets(self, words: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return where the row of each word begins, and where the last one ends, int64 [words + 1].

        words: ascending, with all words of this part.
        """
        sizes = np.zeros(len(words), np.int64)
        sizes[np.searchsorted(words, self.words)] = self.sizes
        return offsets_of(sizes)

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        return {"words": self.words, "sizes": self.sizes, "columns": self.columns}

    @classmethod
    def rebuild(cls, arrays: Mapping[str, NDArray]) -> WordPairs:
        """Return the part with these arrays."""
        return cls(arrays["words"], arrays["sizes"], arrays["columns"])


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
