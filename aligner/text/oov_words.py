"""Out-of-vocabulary words of a text and how they are spelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.text.ingest import look_up
from aligner.text.sentences import Sentences, offsets_of
from aligner.text.vocabulary import Vocabulary, _table_of
from aligner.text.word_table import EncodedText


@dataclass(frozen=True, eq=False)
class OovWords:
    """How the words without an id of their own are spelled.

    words: different ones; sentences: for each sentence, which of them its unknown tokens are, in their order.
    """

    words: Sequence[str]
    sentences: Sentences

    @classmethod
    def split(
        cls, tokens: NDArray[np.int32], words: Sequence[str], lengths: NDArray[np.int64], known: int
    ) -> tuple[Sentences, OovWords | None]:
        """Of tokens that are known + k, make words[k], and such tokens known in place; None if no words."""
        sentences = Sentences(tokens, offsets_of(lengths))
        if not words:
            return sentences, None
        places = np.flatnonzero(tokens >= known)
        numbers = tokens[places] - np.int32(known)
        tokens[places] = known
        return sentences, cls(words, Sentences(numbers, np.searchsorted(places, sentences.offsets)))


def token_ids_with_oov(tokens: NDArray[np.int32], unknown: OovWords | None, known: int) -> NDArray[np.int32]:
    """Tokens, copied if there are unknown words, among which word k of these is known + k."""
    if unknown is None:
        return tokens
    apart = tokens.copy()
    apart[tokens == known] += unknown.sentences.tokens
    return apart


def recoded(
    sentences: Sentences, unknown: OovWords | None, own: Vocabulary, vocabulary: Vocabulary
) -> tuple[Sentences, OovWords | None]:
    """One side of a text, which is in its own vocabulary, in another one."""
    if own.words == vocabulary.words:
        return sentences, unknown
    tokens, words = token_ids_with_oov(sentences.tokens, unknown, len(own)), own.words
    if unknown is not None:
        words = [*words, *unknown.words]
    if tokens.max(initial=-1) >= len(words):
        raise DataError(
            "found unknown words without their spelling in a text of another vocabulary; expected all words;"
            " read the text anew"
        )
    lengths = sentences.lengths
    text = EncodedText(_table_of(words), tokens, lengths)
    return OovWords.split(*look_up(text, vocabulary.table, False), lengths, len(vocabulary))
