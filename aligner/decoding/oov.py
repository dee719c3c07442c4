"""Guesses at the translations of out-of-vocabulary words.

An out-of-vocabulary word has a small lexical probability with every word, so it is linked to words that
nothing else in the sentence explains. With words of the other side that are spelled alike, such as names and
numbers, its lexical probability is larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.decoding.text_side import TextSide
from aligner.kernels.structs import SpelledTokens
from aligner.lexicon.blocks import Block
from aligner.lexicon.spelling import LEAST_PERCENT, Spelling
from aligner.models import DirectionalCells, ModelPair
from aligner.models.variants import Variant
from aligner.text.bitext import Bitext

OOV_PROBABILITY = 3e-11
"""The lexical probability of any word given an out-of-vocabulary word.

It is above ``FLOOR``, the probability of known words that never occurred together.
"""

SPELLING_PROBABILITIES = np.array([0.0, 1e-5, 0.1], np.float32)
"""The lexical probability, in both directions, of an out-of-vocabulary word and a word of the other side.

The index is the similarity of the two words: different, spelled alike, or equal (see ``kernels.spelling``).
The entry for different words is not used.
"""


@dataclass(frozen=True, eq=False)
class OovGuesses(Variant):
    """A model pair for one block, with guessed potentials for out-of-vocabulary words.

    Attributes
    ----------
    source_indices, target_indices
        int32 [tokens], the index of each token's word in ``spelling``, or -1 if the word is not compared.
    spelling
        The words to compare.
    """

    source_indices: NDArray[np.int32]
    target_indices: NDArray[np.int32]
    spelling: Spelling

    @classmethod
    def for_text(cls, model: ModelPair, bitext: Bitext) -> ModelPair:
        """Return the model pair for a block that holds this text; ``model`` itself if all words are known.

        The text is in the vocabularies of the model.
        """
        source, target = TextSide.both(bitext)
        if not (source.is_oov.any() or target.is_oov.any()):
            return model
        source_words, source_indices = _words_to_compare(source, target.sentences_with_oov())
        target_words, target_indices = _words_to_compare(target, source.sentences_with_oov())
        return cls.of(model, source_indices, target_indices, Spelling.of(source_words, target_words))

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        index, (source_words, target_words, shared_letters) = self.lexicon.index, self.spelling
        kernels.spelling.guess(
            SpelledTokens(
                block.source, block.source_lengths, index.source_types, self.source_indices, source_words
            ),
            SpelledTokens(
                block.target, block.target_lengths, index.target_types, self.target_indices, target_words
            ),
            shared_letters,
            LEAST_PERCENT,
            np.float32(OOV_PROBABILITY),
            SPELLING_PROBABILITIES,
            forward.links,
            reverse.links,
        )
        return forward, reverse


def _words_to_compare(
    side: TextSide, other_has_oov: NDArray[np.bool_]
) -> tuple[list[str], NDArray[np.int32]]:
    """Return the words to compare, and each token's index among them, int32 [tokens], or -1.

    They are the out-of-vocabulary words, and all words of sentences whose other side has out-of-vocabulary
    words. other_has_oov: bool [sentences].
    """
    compared = side.is_oov | np.repeat(other_has_oov, side.sentences.lengths)
    indices = np.full(len(side.token_ids), -1, np.int32)
    different, indices[compared] = np.unique(side.token_ids[compared], return_inverse=True)
    return side.words(different), indices
