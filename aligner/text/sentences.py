"""Sentences of word ids: one side of a text."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.system.threads import over, runs_of

#: Numbers of sentences, or a mask with one truth value for each sentence.
Indices = Sequence[int] | NDArray[np.integer] | NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sentences:
    """n sentences as compressed rows: the word ids of sentence k are tokens[offsets[k]:offsets[k + 1]].

    tokens int32 [N]; offsets int64 [n + 1], from 0 to N, never falling.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: SupportsIndex) -> NDArray[np.int32]:
        """Return sentence k as a view, counting from the end if k < 0; IndexError if there is none."""
        k = range(len(self))[operator.index(k)]
        return self.tokens[self.offsets[k] : self.offsets[k + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence, int64 [n]."""
        return np.diff(self.offsets)

    def slice(self, first: int, stop: int) -> Sentences:
        """Return sentences first to stop - 1, whose tokens are a view."""
        offsets = self.offsets[first : stop + 1]
        return Sentences(self.tokens[offsets[0] : offsets[-1]], offsets - offsets[0])

    def select(self, indices: Indices, threads: int = 1) -> Sentences:
        """Return copies of the sentences with these numbers, in this order, or where a mask is true."""
        chosen = np.arange(len(self))[indices]
        starts = self.offsets[chosen]
        offsets = offsets_of(self.offsets[chosen + 1] - starts)
        return Sentences(gathered(self.tokens, starts, offsets, threads), offsets)


def gathered(
    values: NDArray[np.int32], starts: NDArray[np.int64], offsets: NDArray[np.int64], threads: int = 1
) -> NDArray[np.int32]:
    """Return rows, one after another as offsets [n + 1] say, of what values have from starts [n] on."""
    out = np.empty(offsets[-1], np.int32)

    def copy(run: tuple[int, int]) -> None:
        kernels.compressed_rows.gather(*run, starts, values, offsets, out)

    over(runs_of(offsets, 4 * threads), copy, threads)
    return out


def offsets_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where runs of these lengths [n], one after another, begin and end: int64 [n + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
