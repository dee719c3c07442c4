"""Sentences of word ids: one side of a text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from aligner import kernels
from aligner.arrays import Int32s, Int64s, Integers
from aligner.errors import DataError
from aligner.messages import counted
from aligner.text.rows import Rows

WordSizes: TypeAlias = Rows[np.int32]
"""The number of tokens of each word of sentences."""


@dataclass(frozen=True, eq=False)
class Sentences(Rows[np.int32]):
    """Sentences as rows of word ids, int32."""

    values: Int32s

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self), 'sentence')}, {counted(len(self.tokens), 'token')})"
        )

    @property
    def tokens(self) -> Int32s:
        """The word ids of all sentences, int32 [N]."""
        return self.values

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

    def count(self, types: int) -> tuple[Int64s, Int32s]:
        """Return the number of occurrences of each word, [types], and the words in order of appearance."""
        counts, appearing = np.zeros(types, np.int64), np.empty(types, np.int32)
        chosen = np.ones(len(self), np.bool_)
        return counts, appearing[: kernels.words.count(self.tokens, self.lengths, chosen, counts, appearing)]

    def spelled(self, parts: Rows[np.int32]) -> tuple[Sentences, WordSizes]:
        """Return the sentences with the row parts[k] in place of each word k.

        Returns also the number of parts of each word. No array besides these is as long as the text: this may
        be the peak of memory of a training.
        """
        counts, ends = np.empty_like(self.tokens), np.empty_like(self.offsets)
        kernels.words.renumber(self.tokens, parts.lengths.astype(np.int32), counts)
        tokens = np.empty(counts.sum(dtype=np.int64), np.int32)
        kernels.words.spell(self.tokens, self.offsets, parts.offsets, parts.values, tokens, ends)
        return Sentences(tokens, ends), Rows(counts, self.offsets)


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
    def sizes(self) -> Int64s:
        """The number of cells of each pair, the product of its lengths, int64 [n]."""
        return self.source.lengths * self.target.lengths

    def select(self, numbers: Integers, threads: int = 1) -> EncodedPairs:
        """Return the pairs with these numbers, in this order."""
        source, target = (side.select(numbers, threads) for side in (self.source, self.target))
        return replace(self, source=source, target=target)
