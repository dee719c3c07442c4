"""The word pairs that occur together in some shards: the sum of round 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.shards.limits import check_word_pairs
from aligner.system.threads import run_all, split_rows
from aligner.text.bitext import Bitext
from aligner.text.sentences import offsets_of


@dataclass(frozen=True, eq=False)
class WordPairs:
    """The co-occurrence index of some shards, in the word ids of the whole text.

    shapes: int64 [shapes], the different pairs of sentence lengths, I * 2**32 + J, ascending.
    """

    kind = "pairs"

    index: CooccurrenceIndex
    shapes: NDArray[np.int64]

    @classmethod
    def of(cls, usable: Bitext, index: CooccurrenceIndex) -> WordPairs:
        """Return the word pairs of a shard. usable: its usable pairs, in the word ids of the whole text."""
        shapes = np.unique(usable.source.lengths << 32 | usable.target.lengths)
        return cls(index, shapes)

    def plus(self, other: WordPairs) -> WordPairs:
        """Return the word pairs of both parts."""
        index, others = self.index, other.index
        offsets, columns = unite(
            (index.row_offsets, index.columns), (others.row_offsets, others.columns), first=1
        )
        columns[0] = -1
        return WordPairs(
            CooccurrenceIndex(offsets, columns, index.target_types),
            np.union1d(self.shapes, other.shapes),
        )

    def values(self) -> dict[str, Any]:
        """Return the plain data of the part, for its file."""
        return {"target_types": self.index.target_types}

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        return {
            "row_offsets": self.index.row_offsets,
            "columns": self.index.columns,
            "shapes": self.shapes,
        }

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> WordPairs:
        """Return the part with these values and arrays."""
        index = CooccurrenceIndex(arrays["row_offsets"], arrays["columns"], values["target_types"])
        return cls(index, arrays["shapes"])


def unite(
    rows: tuple[NDArray[np.int64], NDArray], others: tuple[NDArray[np.int64], NDArray], first: int = 0
) -> tuple[NDArray[np.int64], NDArray]:
    """Return the union of two compressed rows, (offsets, columns), whose columns ascend in each row.

    first: the place of the first column.
    """
    runs = split_rows(rows[0], 8)
    sizes = np.zeros(len(rows[0]) - 1, np.int64)
    run_all(runs, lambda run: kernels.merged_rows.count_union(*run, *rows, *others, sizes), 1)
    offsets = first + offsets_of(sizes)
    check_word_pairs(int(offsets[-1]))
    columns = np.empty(offsets[-1], rows[1].dtype)
    run_all(runs, lambda run: kernels.merged_rows.unite(*run, *rows, *others, offsets, columns), 1)
    return offsets, columns
