"""Vocabularies, and sentences of word ids: one side of a text."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.encoding import look_up
from aligner.errors import DataError, ModelError
from aligner.parallel import over, runs_of
from aligner.words import EncodedText, WordTable

#: Numbers of sentences, or a mask with one truth value for each sentence.
Indices = Sequence[int] | NDArray[np.integer] | NDArray[np.bool_]


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


@dataclass(frozen=True, eq=False)
class UnknownWords:
    """How the words without an id of their own are spelled.

    words: different ones; sentences: for each sentence, which of them its unknown tokens are, in their order.
    """

    words: Sequence[str]
    sentences: Sentences

    @classmethod
    def split(
        cls, tokens: NDArray[np.int32], words: Sequence[str], lengths: NDArray[np.int64], known: int
    ) -> tuple[Sentences, UnknownWords | None]:
        """Of tokens that are known + k, make words[k], and such tokens known in place; None if no words."""
        sentences = Sentences(tokens, offsets_of(lengths))
        if not words:
            return sentences, None
        places = np.flatnonzero(tokens >= known)
        numbers = tokens[places] - np.int32(known)
        tokens[places] = known
        return sentences, cls(words, Sentences(numbers, np.searchsorted(places, sentences.offsets)))


def told_apart(tokens: NDArray[np.int32], unknown: UnknownWords | None, known: int) -> NDArray[np.int32]:
    """Tokens, copied if there are unknown words, among which word k of these is known + k."""
    if unknown is None:
        return tokens
    apart = tokens.copy()
    apart[tokens == known] += unknown.sentences.tokens
    return apart


def recoded(
    sentences: Sentences, unknown: UnknownWords | None, own: Vocabulary, vocabulary: Vocabulary
) -> tuple[Sentences, UnknownWords | None]:
    """One side of a text, which is in its own vocabulary, in another one."""
    if own.words == vocabulary.words:
        return sentences, unknown
    tokens, words = told_apart(sentences.tokens, unknown, len(own)), own.words
    if unknown is not None:
        words = [*words, *unknown.words]
    if tokens.max(initial=-1) >= len(words):
        raise DataError(
            "found unknown words without their spelling in a text of another vocabulary; expected all words;"
            " read the text anew"
        )
    lengths = sentences.lengths
    text = EncodedText(_table_of(words), tokens, lengths)
    return UnknownWords.split(*look_up(text, vocabulary.table, False), lengths, len(vocabulary))


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
