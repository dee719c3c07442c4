"""One side of a text: sentences, their vocabulary, and the spelling of out-of-vocabulary words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Int32s, Int64s, Integers, offsets_of
from aligner.errors import DataError
from aligner.text.lookup import AS_IT_IS, Lookup
from aligner.text.marks import letters_in
from aligner.text.prefixes import JOINER
from aligner.text.rows import Indices, Rows
from aligner.text.sentences import Sentences, WordSizes
from aligner.text.splits import Splits
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import NumberedText, WordTable


@dataclass(frozen=True, eq=False)
class OovWords(Rows[np.int32]):
    """The spelling of the out-of-vocabulary tokens of one side of a text.

    A row has the indices into ``words`` of the out-of-vocabulary tokens of a sentence, in their order, int32.

    Attributes
    ----------
    words
        The different out-of-vocabulary words.
    """

    words: Sequence[str]


@dataclass(frozen=True, eq=False, repr=False)
class TextSide(Sentences):
    """One side of a text: its sentences, and what belongs to them.

    Attributes
    ----------
    vocabulary
        The words by id. An out-of-vocabulary word has the id ``len(vocabulary)``.
    oov
        The spelling of out-of-vocabulary words, or None if there are none or their spelling was not kept.
    word_sizes
        The number of tokens of each word, 0 for an ignored one; None if every word is one token.
    """

    vocabulary: Vocabulary
    oov: OovWords | None = None
    word_sizes: WordSizes | None = None

    @classmethod
    def of(
        cls, tokens: Int32s, lengths: Int64s, vocabulary: Vocabulary, oov_words: Sequence[str]
    ) -> TextSide:
        """Return the side with these tokens, where out-of-vocabulary word k has the id len(vocabulary) + k.

        tokens: int32 [N], changed in place; lengths: int64 [n], the words of each sentence.
        """
        offsets, types = offsets_of(lengths), len(vocabulary)
        if not oov_words:
            return cls(tokens, offsets, vocabulary)
        positions = np.flatnonzero(tokens >= types)
        indices = tokens[positions] - np.int32(types)
        tokens[positions] = types
        oov = OovWords(indices, np.searchsorted(positions, offsets), oov_words)
        return cls(tokens, offsets, vocabulary, oov)

    @classmethod
    def encode(cls, text: NumberedText, vocabulary: Vocabulary, lookup: Lookup) -> TextSide:
        """Encode numbered text, whose tokens are changed in place, in a vocabulary, split as its words."""
        words, numbers = text.table.keys(lookup)
        if vocabulary.splits:
            side = cls._encode_parts(text, words, numbers, vocabulary)
        else:
            ids, oov_words = _ids_of(words, vocabulary)
            kernels.words.renumber(text.tokens, ids[numbers], text.tokens)
            side = cls.of(text.tokens, text.lengths, vocabulary, oov_words)
        if text.word_sizes is None:
            return side
        sizes = text.word_sizes.values.copy()
        sizes[sizes > 0] = 1 if side.word_sizes is None else side.word_sizes.values
        return replace(side, word_sizes=Rows(sizes, text.word_sizes.offsets))

    @classmethod
    def _encode_parts(
        cls, text: NumberedText, words: WordTable, numbers: Int32s, vocabulary: Vocabulary
    ) -> TextSide:
        """Encode the parts of words; numbers: the number among ``words`` of each word of the text, int32."""
        split = WordTable.of_lines(" ".join(vocabulary.splits.split(word)) for word in words.words())
        ids, oov_words = _ids_of(split.table, vocabulary)
        kernels.words.renumber(text.tokens, numbers, text.tokens)
        whole = Sentences(text.tokens, offsets_of(text.lengths))
        sentences, sizes = whole.spelled(Rows(ids[split.tokens], offsets_of(split.lengths)))
        return replace(cls.of(sentences.tokens, sentences.lengths, vocabulary, oov_words), word_sizes=sizes)

    @property
    def word_lengths(self) -> Int64s:
        """The number of words of each sentence, and of ignored tokens, int64 [n]."""
        return (self.word_sizes or self).lengths

    @property
    def counted_lengths(self) -> Int64s:
        """The number of words of each sentence, without ignored tokens, int64 [n]."""
        if self.word_sizes is None:
            return self.lengths
        ignored = np.flatnonzero(self.word_sizes.values == 0)
        return self.word_lengths - np.diff(np.searchsorted(ignored, self.word_sizes.offsets))

    @property
    def token_ids_with_oov(self) -> Int32s:
        """Token ids, int32 [N], as for ``of``. They are copied if there are out-of-vocabulary words."""
        if self.oov is None or not len(self.oov.values):
            return self.tokens
        token_ids = self.tokens.copy()
        token_ids[self.is_oov] += self.oov.values
        return token_ids

    @property
    def with_oov(self) -> Sentences:
        """The sentences with ``token_ids_with_oov``."""
        return Sentences(self.token_ids_with_oov, self.offsets)

    @property
    def is_oov(self) -> Bools:
        """Mask of the out-of-vocabulary tokens, bool [N]."""
        return self.tokens == len(self.vocabulary)

    @property
    def may_link(self) -> Bools:
        """Mask of the tokens that may have links, bool [N]: not of marks that are split off words."""
        if self.word_sizes is None or self.vocabulary.splits.marks is None:
            return np.ones(len(self.tokens), np.bool_)
        found = self.vocabulary.has_letters[self.tokens]
        if self.oov is not None:
            found[self.is_oov] = letters_in(self.oov.words)[self.oov.values]
        return found | (np.repeat(self.word_sizes.values, self.word_sizes.values) == 1)

    def sentences_with_oov(self) -> Bools:
        """Return the mask of the sentences that have out-of-vocabulary words, bool [n]."""
        return np.diff(offsets_of(self.is_oov.view(np.int8))[self.offsets]) > 0

    def words(self, token_ids: Int32s) -> list[str]:
        """Return the words of token ids, which are as for ``of``; "" for a word without spelling."""
        types, known_words = len(self.vocabulary), self.vocabulary.words
        oov_words = [""] if self.oov is None else self.oov.words
        return [known_words[k] if k < types else oov_words[k - types] for k in token_ids.tolist()]

    def encoded_in(self, vocabulary: Vocabulary) -> TextSide:
        """Return the side encoded in another vocabulary; DataError if spelling is needed but was not kept."""
        words, is_split = self.vocabulary.words, bool(self.vocabulary.splits)
        if is_split and self.vocabulary.splits != vocabulary.splits:
            return self.encode(self.in_words(), vocabulary, AS_IT_IS)
        if words == vocabulary.words and (is_split or not vocabulary.splits):
            return replace(self, vocabulary=vocabulary)
        tokens = self.token_ids_with_oov
        if self.oov is not None:
            words = [*words, *self.oov.words]
        if tokens.max(initial=-1) >= len(words):
            raise DataError(
                "found out-of-vocabulary words without their spelling; expected the spelling of all words,"
                " since the text is to be encoded in another vocabulary; read the text anew"
            )
        # Tokens are renumbered in place, and may still be the array of this side.
        sizes = None if is_split else self.word_sizes
        text = NumberedText(WordTable.of_words(words), tokens.copy(), self.lengths, sizes)
        side = self.encode(text, replace(vocabulary, splits=Splits()) if is_split else vocabulary, AS_IT_IS)
        return replace(side, vocabulary=vocabulary, word_sizes=side.word_sizes or self.word_sizes)

    def joined_with(self, other: TextSide) -> TextSide:
        """Append the sentences of a side in the same vocabulary, which has no out-of-vocabulary words."""
        none = np.empty(0, np.int32), np.zeros(len(other) + 1, np.int64)
        joined, sizes = Sentences.concatenate([self.sentences, other.sentences]), self.word_sizes
        return replace(
            self,
            values=joined.values,
            offsets=joined.offsets,
            oov=self.oov and OovWords.concatenate([self.oov, OovWords(*none, ())]),
            word_sizes=None if sizes is None else Rows.concatenate([sizes, other.word_sizes or Rows(*none)]),
        )

    def in_words(self) -> NumberedText:
        """Return the words whose parts these are, with numbers. All parts must have a spelling."""
        assert self.word_sizes is not None
        tokens = self.words(self.token_ids_with_oov)
        joiner = JOINER if JOINER in self.vocabulary.splits.prefixes else ""
        spans = pairwise(offsets_of(self.word_sizes.values).tolist())
        words = WordTable.of_lines(joiner.join(tokens[begin:end]) for begin, end in spans)
        is_word = np.minimum(self.word_sizes.values, 1)
        sizes = None if is_word.all() else replace(self.word_sizes, values=is_word)
        return NumberedText(words.table, words.tokens, self.counted_lengths, sizes)

    def tokens_of_words(self, pair: Int64s, position: Integers) -> tuple[Int64s, Int64s]:
        """Return the positions of the first tokens of words, and the numbers of their tokens, int64 each."""
        sizes = self.word_sizes or Rows(np.ones(len(self.tokens), np.int32), self.offsets)
        ends, first = offsets_of(sizes.values), sizes.offsets[pair]
        word = first + position
        return ends[word] - ends[first], sizes.values[word].astype(np.int64)

    def word_positions(self) -> Int64s:
        """Return the position in its sentence of the word of each token, int64 [N]."""
        words = self.word_sizes or self
        positions = np.arange(len(words.values)) - np.repeat(words.offsets[:-1], words.lengths)
        return positions if self.word_sizes is None else np.repeat(positions, self.word_sizes.values)

    @property
    def sentences(self) -> Sentences:
        """The sentences alone."""
        return Sentences(self.tokens, self.offsets)

    def slice(self, first: int, stop: int) -> TextSide:
        """Return sentences first to stop - 1. Tokens are views."""
        return self._with_rows(super().slice(first, stop), lambda rows: rows.slice(first, stop))

    def select(self, indices: Indices, threads: int = 1) -> TextSide:
        """Copy the sentences with these numbers, in this order, or the sentences where a mask is true."""
        return self._with_rows(super().select(indices, threads), lambda rows: rows.select(indices, threads))

    def _with_rows(self, chosen: TextSide, choose: Callable[[Any], Any]) -> TextSide:
        """Return chosen sentences with what belongs to them."""
        if chosen is self:
            return self
        sizes = self.word_sizes and choose(self.word_sizes)
        return replace(chosen, oov=self.oov and choose(self.oov), word_sizes=sizes)


def _ids_of(words: WordTable, vocabulary: Vocabulary) -> tuple[Int32s, list[str]]:
    """Return the id of each word of a table, int32 [words], as for ``TextSide.of``, and the missing words."""
    ids = vocabulary.find(words)
    missing = np.flatnonzero(ids == len(vocabulary))
    ids[missing] += np.arange(len(missing), dtype=np.int32)
    spelling = words.words() if len(missing) else []
    return ids, [spelling[k] for k in missing.tolist()]
