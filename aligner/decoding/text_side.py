"""One side of a text that is decoded, with its out-of-vocabulary words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.text.bitext import Bitext
from aligner.text.oov_words import OovWords
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TextSide:
    """One side of a text, in the vocabulary of a model.

    token_ids: int32 [tokens], in which different out-of-vocabulary words differ.
    """

    sentences: Sentences
    token_ids: NDArray[np.int32]
    vocabulary: Vocabulary
    oov: OovWords | None

    @classmethod
    def both(cls, bitext: Bitext) -> tuple[TextSide, TextSide]:
        """Return the source and the target side of a text."""
        source_ids, target_ids = bitext.token_ids_with_oov
        return (
            cls(bitext.source, source_ids, bitext.source_vocabulary, bitext.source_oov),
            cls(bitext.target, target_ids, bitext.target_vocabulary, bitext.target_oov),
        )

    @property
    def is_oov(self) -> NDArray[np.bool_]:
        """Mask of the out-of-vocabulary tokens, bool [tokens]."""
        return self.sentences.tokens == len(self.vocabulary)

    def sentences_with_oov(self) -> NDArray[np.bool_]:
        """Return the mask of the sentences that have out-of-vocabulary words, bool [sentences]."""
        return np.diff(offsets_of(self.is_oov.view(np.int8))[self.sentences.offsets]) > 0

    def words(self, ids: NDArray[np.int32]) -> list[str]:
        """Return the words of token ids, which may be of out-of-vocabulary words."""
        types, known_words = len(self.vocabulary), self.vocabulary.words
        # A text that was not read by this program may have out-of-vocabulary words without spelling.
        oov_words: Sequence[str] = self.oov.words if self.oov is not None else [""]
        return [known_words[k] if k < types else oov_words[k - types] for k in ids.tolist()]
