"""Words that a model does not know: what they may be translations of.

An unknown word explains what nothing else in its sentence does; and one that is spelled like a word of the
other sentence is taken for its translation, as with names and numbers that training never saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.structs import SpelledTokens
from aligner.lexicon.blocks import Block
from aligner.lexicon.spelling import LEAST_PERCENT, Spelling
from aligner.models import DirectionalCells, ModelPair
from aligner.models.variants import Variant
from aligner.text.bitext import Bitext
from aligner.text.oov_words import OovWords
from aligner.text.sentences import Sentences, offsets_of
from aligner.text.vocabulary import Vocabulary

ANYTHING = 3e-11
"""The lexical probability of any word given an unknown one; of words never seen together it is ``FLOOR``."""

GUESSES = np.array([0.0, 1e-5, 0.1], np.float32)
"""The lexical probabilities, in both directions, of an unknown word and one spelled alike, or equal to it.

By their number in ``kernels.spelling``; of different words there is no guess.
"""


@dataclass(frozen=True, eq=False)
class Guessing(Variant):
    """A pair for one block, whose unknown words it guesses at; the fields are as for ``kernels.spelling``."""

    source_numbers: NDArray[np.int32]
    target_numbers: NDArray[np.int32]
    spelling: Spelling

    @classmethod
    def about(cls, model: ModelPair, bitext: Bitext) -> ModelPair:
        """The pair for a block of just this text, in its vocabularies; the pair itself if all is known."""
        words = bitext.token_ids_with_oov
        source = _Side(bitext.source, words[0], bitext.source_vocabulary, bitext.source_unknown)
        target = _Side(bitext.target, words[1], bitext.target_vocabulary, bitext.target_unknown)
        if not (source.new.any() or target.new.any()):
            return model
        source_words, source_numbers = source.words(target.sentences_with_new())
        target_words, target_numbers = target.words(source.sentences_with_new())
        return cls.of(model, source_numbers, target_numbers, Spelling.of(source_words, target_words))

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        pairs, (source_words, target_words, shared) = self.lexicon.index, self.spelling
        kernels.spelling.guess(
            SpelledTokens(
                block.source, block.source_lengths, pairs.source_types, self.source_numbers, source_words
            ),
            SpelledTokens(
                block.target, block.target_lengths, pairs.target_types, self.target_numbers, target_words
            ),
            shared,
            LEAST_PERCENT,
            np.float32(ANYTHING),
            GUESSES,
            forward.links,
            reverse.links,
        )
        return forward, reverse


class _Side:
    """One side of a text; new: which of its tokens are unknown words, bool [tokens].

    tokens: int32 [tokens], unknown words told apart.
    """

    def __init__(
        self,
        sentences: Sentences,
        tokens: NDArray[np.int32],
        vocabulary: Vocabulary,
        unknown: OovWords | None,
    ) -> None:
        self._sentences, self._tokens, self._vocabulary, self._unknown = (
            sentences,
            tokens,
            vocabulary,
            unknown,
        )
        self.new = sentences.tokens == len(vocabulary)

    def sentences_with_new(self) -> NDArray[np.bool_]:
        """Which have unknown words, bool [sentences]."""
        return np.diff(offsets_of(self.new.view(np.int8))[self._sentences.offsets]) > 0

    def words(self, others: NDArray[np.bool_]) -> tuple[list[str], NDArray[np.int32]]:
        """The words to compare, and each token's number among them, int32 [tokens], -1 if it is not.

        These are the unknown words, and all in sentences where the other side has some, bool [sentences].
        """
        known, tokens = len(self._vocabulary), self._tokens
        # Of a text that was not read here, unknown words may have no spelling.
        unknown: Sequence[str] = self._unknown.words if self._unknown is not None else [""]
        wanted = self.new | np.repeat(others, self._sentences.lengths)
        numbers = np.full(len(tokens), -1, np.int32)
        different, numbers[wanted] = np.unique(tokens[wanted], return_inverse=True)
        every = self._vocabulary.words
        return [every[k] if k < known else unknown[k - known] for k in different.tolist()], numbers
