"""Vocabularies: the words of one language and their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError, ModelError
from aligner.text.word_table import WordTable


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The V words of one language, the most frequent first, words of equal count in order of appearance.

    words: V different words, word k with id k; counts int64 [V]: how often each occurs in the trainable text.
    Every other word has the id V == len(vocabulary).
    """

    words: list[str]
    counts: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self):,} words"

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word; made on first use, so that loading a model stays quick."""
        return dict(zip(self.words, range(len(self)), strict=True))

    def to_bytes(self) -> bytes:
        r"""Return the words as UTF-8, joined by "\n"; DataError if one holds a lone surrogate."""
        try:
            return "\n".join(self.words).encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                f"found {error.object[error.start : error.end]!a} in a word; expected valid Unicode; decode "
                f"the text strictly when reading it"
            ) from error

    @classmethod
    def from_bytes(cls, data: bytes, counts: NDArray[np.int64]) -> Vocabulary:
        """Make the vocabulary whose `to_bytes` is data; ModelError if the two do not belong together."""
        try:
            words = data.decode("utf-8").split("\n") if data else []
        except UnicodeDecodeError as error:
            raise ModelError(
                f"found a vocabulary that is not UTF-8 ({error}); train the model anew"
            ) from error
        if len(words) != len(counts):
            raise ModelError(f"found {len(words)} words and {len(counts)} counts; train the model anew")
        return cls(words, np.asarray(counts, np.int64))

    @cached_property
    def table(self) -> WordTable:
        """The words by id, for `corpus.encode`; made on first use."""
        return _table_of(self.words)


def _table_of(words: Sequence[str]) -> WordTable:
    """Different words, numbered as they come."""
    text = "".join(f"{word}\n" for word in words).encode("utf-8", "surrogatepass")
    return WordTable.of_text(text, len(words)).table
