"""Out-of-vocabulary words of a text, and their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.errors import DataError
from aligner.text.ingest import look_up
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import NumberedText, WordTable


@dataclass(frozen=True, eq=False)
class OovWords:
    """The spelling of the out-of-vocabulary tokens of one side of a text.

    Attributes
    ----------
    words
        The different out-of-vocabulary words.
    sentences
        For each sentence, the indices into ``words`` of its out-of-vocabulary tokens, in their order.
    """

    words: Sequence[str]
    sentences: Sentences

    @classmethod
    def split(
        cls, tokens: NDArray[np.int32], words: Sequence[str], lengths: NDArray[np.int64], types: int
    ) -> tuple[Sentences, OovWords | None]:
        """Separate the tokens types + k, of which k is the index of an out-of-vocabulary word.

        Returns the sentences, in which these tokens are set to ``types`` in place, and the words; None if
        there are no such words. tokens: int32 [N]; lengths: int64 [n]; types: the size of the vocabulary.
        """
        sentences = Sentences(tokens, offsets_of(lengths))
        if not words:
            return sentences, None
        positions = np.flatnonzero(tokens >= types)
        indices = tokens[positions] - np.int32(types)
        tokens[positions] = types
        return sentences, cls(words, Sentences(indices, np.searchsorted(positions, sentences.offsets)))


def token_ids_with_oov(tokens: NDArray[np.int32], oov: OovWords | None, types: int) -> NDArray[np.int32]:
    """Return token ids, int32 [N], in which out-of-vocabulary word k has the id types + k.

    This is the inverse of ``OovWords.split``. The tokens are copied if there are such words.
    """
    if oov is None:
        return tokens
    token_ids = tokens.copy()
    token_ids[tokens == types] += oov.sentences.tokens
    return token_ids


def recode(
    sentences: Sentences, oov: OovWords | None, own: Vocabulary, other: Vocabulary
) -> tuple[Sentences, OovWords | None]:
    """Encode one side of a text, given in its own vocabulary, in another vocabulary."""
    if own.words == other.words:
        return sentences, oov
    tokens, words = token_ids_with_oov(sentences.tokens, oov, len(own)), own.words
    if oov is not None:
        words = [*words, *oov.words]
    if tokens.max(initial=-1) >= len(words):
        raise DataError(
            "found out-of-vocabulary words without their spelling; expected the spelling of all words,"
            " since the text is to be encoded in another vocabulary; read the text anew"
        )
    lengths = sentences.lengths
    # look_up renumbers in place, and token_ids_with_oov may have returned the tokens of the caller.
    text = NumberedText(WordTable.of_words(words), tokens.copy(), lengths)
    return OovWords.split(*look_up(text, other.table, False), lengths, len(other))
