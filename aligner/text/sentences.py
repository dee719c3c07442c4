"""Sentences of word ids: one side of a text."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.errors import DataError
from aligner.messages import counted
from aligner.system.threads import run_all, split_rows

Indices = Sequence[int] | NDArray[np.integer] | NDArray[np.bool_]
"""Numbers of sentences, or a mask with one truth value for each sentence."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences as compressed rows: the word ids of sentence k are tokens[offsets[k]:offsets[k + 1]].

    Attributes
    ----------
    tokens
        Word ids of all sentences, int32 [N].
    offsets
        Beginnings of the sentences and the end of the last, int64 [n + 1], from 0 to N, not decreasing.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Sentences({counted(len(self), 'sentence')}, {counted(len(self.tokens), 'token')})"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: SupportsIndex) -> NDArray[np.int32]:
        """Return sentence k as a view; a negative k counts from the end."""
        k = range(len(self))[operator.index(k)]  # raises IndexError
        return self.tokens[self.offsets[k] : self.offsets[k + 1]]

    def check(self, types: int) -> None:
        """Raise DataError unless these are sentences of word ids from 0 to ``types``, as kernels expect."""
        tokens, offsets = self.tokens, self.offsets
        fits = tokens.dtype == np.int32 and offsets.dtype == np.int64 and tokens.ndim == offsets.ndim == 1
        if not fits or not len(offsets) or offsets[0] != 0 or offsets[-1] != len(tokens):
            raise DataError(
                f"found {tokens.dtype} tokens {list(tokens.shape)} with {offsets.dtype} offsets; expected"
                f" int32 tokens, and int64 offsets from 0 to their number; use read_bitext or from_text"
            )
        if (offsets[1:] < offsets[:-1]).any() or (
            len(tokens) and not 0 <= tokens.min() <= tokens.max() <= types
        ):
            raise DataError(
                f"found offsets that decrease, or word ids outside 0 to {types}; expected the ids of the"
                f" vocabulary; use read_bitext or from_text"
            )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence, int64 [n]."""
        return self.offsets[1:] - self.offsets[:-1]

    @classmethod
    def concatenate(cls, texts: Sequence[Sentences]) -> Sentences:
        """Return the sentences of all texts, of which there is at least one."""
        offsets = offsets_of(np.concatenate([text.lengths for text in texts]))
        return cls(np.concatenate([text.tokens for text in texts]), offsets)

    def slice(self, first: int, stop: int) -> Sentences:
        """Return sentences first to stop - 1, as a view."""
        if stop - first == len(self):
            return self
        offsets = self.offsets[first : stop + 1]
        return Sentences(self.tokens[offsets[0] : offsets[-1]], offsets - offsets[0])

    def select(self, indices: Indices, threads: int = 1) -> Sentences:
        """Copy the sentences with these numbers, in this order, or the sentences where a mask is true."""
        numbers = np.arange(len(self))[indices]
        if len(numbers) == len(self) == 1:
            return self
        starts = self.offsets[numbers]
        offsets = offsets_of(self.offsets[numbers + 1] - starts)
        return Sentences(gather_rows(self.tokens, starts, offsets, threads), offsets)

    def count(self, types: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the number of occurrences of each word, [types], and the words in order of appearance."""
        counts, appearing = np.zeros(types, np.int64), np.empty(types, np.int32)
        chosen = np.ones(len(self), np.bool_)
        return counts, appearing[: kernels.words.count(self.tokens, self.lengths, chosen, counts, appearing)]

    def spelled(self, offsets: NDArray[np.int64], parts: NDArray[np.int32]) -> tuple[Sentences, Sentences]:
        """Return the sentences with parts[offsets[k] : offsets[k + 1]] in place of each word k.

        Returns also the number of parts of each word, as the "ids" of sentences. No array besides these is as
        long as the text: this may be the peak of memory of a training.
        """
        counts, ends = np.empty_like(self.tokens), np.empty_like(self.offsets)
        kernels.words.renumber(self.tokens, np.diff(offsets).astype(np.int32), counts)
        tokens = np.empty(counts.sum(dtype=np.int64), np.int32)
        kernels.words.spell(self.tokens, self.offsets, offsets, parts, tokens, ends)
        return Sentences(tokens, ends), Sentences(counts, self.offsets)


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Sentence pairs in the word ids of a larger text, whose vocabularies are elsewhere."""

    source: Sentences
    target: Sentences
    source_types: int
    target_types: int

    @classmethod
    def none(cls) -> EncodedPairs:
        """Return no pairs of no words."""
        nothing = Sentences(np.empty(0, np.int32), np.zeros(1, np.int64))
        return cls(nothing, nothing, 0, 0)

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.source)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cells of each pair, the product of its lengths, int64 [n]."""
        return self.source.lengths * self.target.lengths

    def select(self, numbers: NDArray[np.integer], threads: int = 1) -> EncodedPairs:
        """Return the pairs with these numbers, in this order."""
        source, target = (side.select(numbers, threads) for side in (self.source, self.target))
        return replace(self, source=source, target=target)


def gather_rows(
    values: NDArray[np.int32], starts: NDArray[np.int64], offsets: NDArray[np.int64], threads: int = 1
) -> NDArray[np.int32]:
    """Copy rows of values: row n begins at values[starts[n]], and goes to offsets[n] up to offsets[n + 1].

    starts: int64 [rows]; offsets: int64 [rows + 1]. Returns int32 [offsets[-1]].
    """
    out = np.empty(offsets[-1], np.int32)

    def copy(run: tuple[int, int]) -> None:
        kernels.loops.gather_rows(*run, starts, values, offsets, out)

    run_all(split_rows(offsets, 4 * threads if threads > 1 else 1), copy, threads)
    return out
