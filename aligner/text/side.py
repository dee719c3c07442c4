"""One side of a text: sentences, their vocabulary, and the spelling of out-of-vocabulary words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.errors import DataError
from aligner.text.oov_words import OovWords
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import NumberedText, WordTable


class TextSide(NamedTuple):
    """One side of a text. Out-of-vocabulary tokens have the id ``len(vocabulary)``.

    oov: the spelling of these tokens, or None if there are none or their spelling was not kept.
    """

    sentences: Sentences
    vocabulary: Vocabulary
    oov: OovWords | None

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
    def encode(cls, text: NumberedText, vocabulary: Vocabulary, lowercase: bool) -> TextSide:
        """Encode numbered text, whose tokens are changed in place, in a vocabulary."""
        words, numbers = text.table.lowered() if lowercase else (text.table, None)
        found = vocabulary.find(words)
        missing = np.flatnonzero(found == len(vocabulary))
        found[missing] += np.arange(len(missing), dtype=np.int32)
        ids = found if numbers is None else found[numbers]
        kernels.words.renumber(text.tokens, ids, text.tokens)
        spelling = words.words() if len(missing) else []
        return cls.of(text.tokens, text.lengths, vocabulary, [spelling[k] for k in missing.tolist()])

    @property
    def token_ids_with_oov(self) -> NDArray[np.int32]:
        """Token ids, int32 [N], as for ``of``. They are copied if there are out-of-vocabulary words."""
        tokens = self.sentences.tokens
        if self.oov is None:
            return tokens
        token_ids = tokens.copy()
        token_ids[tokens == len(self.vocabulary)] += self.oov.sentences.tokens
        return token_ids

    @property
    def is_oov(self) -> NDArray[np.bool_]:
        """Mask of the out-of-vocabulary tokens, bool [N]."""
        return self.sentences.tokens == len(self.vocabulary)

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
        words = self.vocabulary.words
        if words == vocabulary.words:
            return self._replace(vocabulary=vocabulary)
        tokens = self.token_ids_with_oov
        if self.oov is not None:
            words = [*words, *self.oov.words]
        if tokens.max(initial=-1) >= len(words):
            raise DataError(
                "found out-of-vocabulary words without their spelling; expected the spelling of all words,"
                " since the text is to be encoded in another vocabulary; read the text anew"
            )
        # Tokens are renumbered in place, and may still be those of this side.
        text = NumberedText(WordTable.of_words(words), tokens.copy(), self.sentences.lengths)
        return self.encode(text, vocabulary, lowercase=False)

    def map(self, choose: Callable[[Sentences], Sentences]) -> TextSide:
        """Return the side whose sentences, and their out-of-vocabulary words, went through a function."""
        oov = self.oov and OovWords(self.oov.words, choose(self.oov.sentences))
        return TextSide(choose(self.sentences), self.vocabulary, oov)
