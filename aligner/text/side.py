"""One side of a text: sentences, their vocabulary, and the spelling of out-of-vocabulary words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.errors import DataError
from aligner.text.lookup import AS_IT_IS, Lookup
from aligner.text.marks import letters_in
from aligner.text.oov_words import OovWords
from aligner.text.prefixes import JOINER
from aligner.text.sentences import Sentences
from aligner.text.splits import Splits
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import NumberedText, WordTable


class TextSide(NamedTuple):
    """One side of a text. Out-of-vocabulary tokens have the id ``len(vocabulary)``.

    oov: the spelling of these tokens, or None if there are none or their spelling was not kept; parts: if
    words were split, or tokens ignored, the number of tokens of each word, 0 if it is ignored, as
    the "ids" of sentences, or else None.
    """

    sentences: Sentences
    vocabulary: Vocabulary
    oov: OovWords | None = None
    parts: Sentences | None = None

    @classmethod
    def of(
        cls,
        tokens: NDArray[np.int32],
        lengths: NDArray[np.int64],
        vocabulary: Vocabulary,
        oov_words: Sequence[str],
    ) -> TextSide:
        """Return the side with these tokens, where out-of-vocabulary word k has the id len(vocabulary) + k.

        tokens: int32 [N], changed in place; lengths: int64 [n], the words of each sentence.
        """
        sentences, types = Sentences(tokens, offsets_of(lengths)), len(vocabulary)
        if not oov_words:
            return cls(sentences, vocabulary, None)
        positions = np.flatnonzero(tokens >= types)
        indices = tokens[positions] - np.int32(types)
        tokens[positions] = types
        offsets = np.searchsorted(positions, sentences.offsets)
        return cls(sentences, vocabulary, OovWords(oov_words, Sentences(indices, offsets)))

    @classmethod
    def encode(cls, text: NumberedText, vocabulary: Vocabulary, lookup: Lookup) -> TextSide:
        """Encode numbered text, whose tokens are changed in place, in a vocabulary, split as its words."""
        words, numbers = text.table.forms(lookup)
        if vocabulary.splits:
            side = cls._encode_parts(text, words, numbers, vocabulary)
        else:
            ids, oov_words = _ids_of(words, vocabulary)
            kernels.words.renumber(text.tokens, ids[numbers], text.tokens)
            side = cls.of(text.tokens, text.lengths, vocabulary, oov_words)
        if text.parts is None:
            return side
        parts = text.parts.tokens.copy()
        parts[parts > 0] = 1 if side.parts is None else side.parts.tokens
        return side._replace(parts=Sentences(parts, text.parts.offsets))

    @classmethod
    def _encode_parts(
        cls, text: NumberedText, words: WordTable, numbers: NDArray[np.int32], vocabulary: Vocabulary
    ) -> TextSide:
        """Encode the parts of words; numbers: the number among ``words`` of each word of the text, int32."""
        split = WordTable.of_lines(" ".join(vocabulary.splits.parts(word)) for word in words.words())
        ids, oov_words = _ids_of(split.table, vocabulary)
        kernels.words.renumber(text.tokens, numbers, text.tokens)
        whole = Sentences(text.tokens, offsets_of(text.lengths))
        sentences, parts = whole.spelled(offsets_of(split.lengths), ids[split.tokens])
        return cls.of(sentences.tokens, sentences.lengths, vocabulary, oov_words)._replace(parts=parts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence, and of ignored tokens, int64 [n]."""
        return (self.parts or self.sentences).lengths

    @property
    def counted_lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence, without ignored tokens, int64 [n]."""
        if self.parts is None:
            return self.lengths
        ignored = np.flatnonzero(self.parts.tokens == 0)
        return self.lengths - np.diff(np.searchsorted(ignored, self.parts.offsets))

    @property
    def token_ids_with_oov(self) -> NDArray[np.int32]:
        """Token ids, int32 [N], as for ``of``. They are copied if there are out-of-vocabulary words."""
        tokens = self.sentences.tokens
        if self.oov is None or not len(self.oov.sentences.tokens):
            return tokens
        token_ids = tokens.copy()
        token_ids[tokens == len(self.vocabulary)] += self.oov.sentences.tokens
        return token_ids

    @property
    def is_oov(self) -> NDArray[np.bool_]:
        """Mask of the out-of-vocabulary tokens, bool [N]."""
        return self.sentences.tokens == len(self.vocabulary)

    @property
    def may_link(self) -> NDArray[np.bool_]:
        """Mask of the tokens that may have links, bool [N]: not of marks that are split off words."""
        tokens = self.sentences.tokens
        if self.parts is None or self.vocabulary.splits.marks is None:
            return np.ones(len(tokens), np.bool_)
        found = self.vocabulary.has_letters[tokens]
        if self.oov is not None:
            found[self.is_oov] = letters_in(self.oov.words)[self.oov.sentences.tokens]
        return found | (np.repeat(self.parts.tokens, self.parts.tokens) == 1)

    def sentences_with_oov(self) -> NDArray[np.bool_]:
        """Return the mask of the sentences that have out-of-vocabulary words, bool [n]."""
        return np.diff(offsets_of(self.is_oov.view(np.int8))[self.sentences.offsets]) > 0

    def words(self, token_ids: NDArray[np.int32]) -> list[str]:
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
            return self._replace(vocabulary=vocabulary)
        tokens = self.token_ids_with_oov
        if self.oov is not None:
            words = [*words, *self.oov.words]
        if tokens.max(initial=-1) >= len(words):
            raise DataError(
                "found out-of-vocabulary words without their spelling; expected the spelling of all words,"
                " since the text is to be encoded in another vocabulary; read the text anew"
            )
        # Tokens are renumbered in place, and may still be the array of this side.
        parts = None if is_split else self.parts
        text = NumberedText(WordTable.of_words(words), tokens.copy(), self.sentences.lengths, parts)
        side = self.encode(text, replace(vocabulary, splits=Splits()) if is_split else vocabulary, AS_IT_IS)
        return side._replace(vocabulary=vocabulary, parts=side.parts or self.parts)

    def joined_with(self, other: TextSide) -> TextSide:
        """Append the sentences of a side in the same vocabulary, which has no out-of-vocabulary words."""
        none = Sentences(np.empty(0, np.int32), np.zeros(len(other.sentences) + 1, np.int64))
        return self._replace(
            sentences=Sentences.concatenate([self.sentences, other.sentences]),
            oov=self.oov and replace(self.oov, sentences=Sentences.concatenate([self.oov.sentences, none])),
            parts=None if self.parts is None else Sentences.concatenate([self.parts, other.parts or none]),
        )

    def in_words(self) -> NumberedText:
        """Return the words whose parts these are, with numbers. All parts must have a spelling."""
        assert self.parts is not None
        tokens = self.words(self.token_ids_with_oov)
        mark = JOINER if JOINER in self.vocabulary.splits.prefixes else ""
        spans = pairwise(offsets_of(self.parts.tokens).tolist())
        words = WordTable.of_lines(mark.join(tokens[begin:end]) for begin, end in spans)
        is_word = np.minimum(self.parts.tokens, 1)
        parts = None if is_word.all() else replace(self.parts, tokens=is_word)
        return NumberedText(words.table, words.tokens, self.counted_lengths, parts)

    def word_positions(self) -> NDArray[np.int64]:
        """Return the position in its sentence of the word of each token, int64 [N]."""
        words = self.parts or self.sentences
        positions = np.arange(len(words.tokens)) - np.repeat(words.offsets[:-1], words.lengths)
        return positions if self.parts is None else np.repeat(positions, self.parts.tokens)

    def map(self, choose: Callable[[Sentences], Sentences]) -> TextSide:
        """Return the side whose sentences, with all that belongs to them, went through a function."""
        oov = self.oov and OovWords(self.oov.words, choose(self.oov.sentences))
        return TextSide(choose(self.sentences), self.vocabulary, oov, self.parts and choose(self.parts))


def _ids_of(words: WordTable, vocabulary: Vocabulary) -> tuple[NDArray[np.int32], list[str]]:
    """Return the id of each word of a table, int32 [words], as for ``TextSide.of``, and the missing words."""
    ids = vocabulary.find(words)
    missing = np.flatnonzero(ids == len(vocabulary))
    ids[missing] += np.arange(len(missing), dtype=np.int32)
    spelling = words.words() if len(missing) else []
    return ids, [spelling[k] for k in missing.tolist()]
