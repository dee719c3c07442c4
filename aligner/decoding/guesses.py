"""Guesses at the translations of new words: by their spelling, and by their other forms.

An out-of-vocabulary word has a small lexical probability with every word, so it is linked to words that
nothing else in the sentence explains. With words of the other side that are spelled alike, such as names and
numbers, its lexical probability is larger.

A sentence pair with an out-of-vocabulary word is new text: some of its other words never occurred together in
training, either. The word-form prior of training (see ``priors.word_forms``) tells how words with the same
first letters translate. A guess by forms is a small share of that, so that a translation that was seen
explains a word better. Only models that were trained with the prior make such guesses. Sentence pairs without
out-of-vocabulary words are aligned without them: these pairs may be training text, where words that have no
probability were seen together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Int32s, offsets_of
from aligner.kernels.structs import ClassedTokens, ClassPairs, SpelledTokens, TokenRows
from aligner.lexicon.blocks import Block
from aligner.lexicon.prefix_classes import BACK_OFF, PrefixClasses
from aligner.lexicon.spelling import LEAST_PERCENT, Spelling
from aligner.models import DirectionalCells, ModelPair
from aligner.models.trained import TrainedModel
from aligner.models.variants import Variant
from aligner.text.bitext import Bitext
from aligner.text.side import TextSide

OOV_PROBABILITY = 3e-11
"""The lexical probability of any word given an out-of-vocabulary word.

It is above ``FLOOR``, the probability of known words that never occurred together.
"""

SPELLING_PROBABILITIES = np.array([0.0, 1e-5, 0.1], np.float32)
"""The lexical probability, in both directions, of an out-of-vocabulary word and a word of the other side.

The index is the similarity of the two words: different, spelled alike, or equal (see ``kernels.spelling``).
The entry for different words is not used.
"""

STRENGTH = 1e-4
"""The factor of a guess. With 1e-5 or 1e-3, AER differs by at most 0.9 percentage points."""


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

    source_indices: Int32s
    target_indices: Int32s
    spelling: Spelling

    @classmethod
    def for_text(cls, pair: ModelPair, bitext: Bitext) -> ModelPair:
        """Return the model pair for a block that holds this text; ``pair`` itself if all words are known.

        The text is in the vocabularies of the model.
        """
        source, target = bitext.sides
        if not (source.is_oov.any() or target.is_oov.any()):
            return pair
        source_words, source_indices = _words_to_compare(source, target.sentences_with_oov())
        target_words, target_indices = _words_to_compare(target, source.sentences_with_oov())
        return cls.of(pair, source_indices, target_indices, Spelling.of(source_words, target_words))

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        index, (source_words, target_words, shared_letters) = self.lexicon.index, self.spelling
        source = block.source, block.source_lengths, index.source_types, self.source_indices, source_words
        target = block.target, block.target_lengths, index.target_types, self.target_indices, target_words
        sides = SpelledTokens(*source), SpelledTokens(*target)
        probabilities = np.float32(OOV_PROBABILITY), SPELLING_PROBABILITIES
        links = forward.links, reverse.links
        kernels.spelling.guess(*sides, shared_letters, LEAST_PERCENT, *probabilities, *links)
        return forward, reverse


def _words_to_compare(side: TextSide, other_has_oov: Bools) -> tuple[list[str], Int32s]:
    """Return the words to compare, and each token's index among them, int32 [tokens], or -1.

    They are the out-of-vocabulary words, and all words of sentences whose other side has out-of-vocabulary
    words. other_has_oov: bool [sentences].
    """
    compared = side.is_oov | np.repeat(other_has_oov, side.lengths)
    indices = np.full(len(compared), -1, np.int32)
    different, indices[compared] = np.unique(side.token_ids_with_oov[compared], return_inverse=True)
    return side.words(different), indices


@dataclass(frozen=True, eq=False)
class FormGuesses(Variant):
    """A model pair for one block, whose potentials are raised by guesses.

    Attributes
    ----------
    pairs
        The counts of pairs of classes by level, from few letters to more.
    source, target
        The tokens of the block by level.
    chosen
        bool [pairs], the sentence pairs with an out-of-vocabulary word.
    """

    pairs: list[ClassPairs]
    source: list[ClassedTokens]
    target: list[ClassedTokens]
    chosen: Bools

    @classmethod
    def for_text(cls, pair: ModelPair, model: TrainedModel, bitext: Bitext) -> ModelPair:
        """Return the model pair for a block that holds this text; ``pair`` itself if there are no guesses.

        pair: the parameters of the model, or a variant of them. The text is in the vocabularies of the model.
        """
        if not model.knows_word_forms:
            return pair
        source, target = bitext.sides
        chosen = source.sentences_with_oov() | target.sentences_with_oov()
        if not chosen.any():
            return pair
        levels = model.class_counts
        source_tokens = _classed(source, [level.source for level in levels])
        target_tokens = _classed(target, [level.target for level in levels])
        return cls.of(pair, [level.pairs for level in levels], source_tokens, target_tokens, chosen)

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        means = np.zeros((2, block.cells))
        lengths = source_lengths, target_lengths = block.lengths
        sizes = np.repeat(target_lengths, source_lengths)
        rows = TokenRows(
            offsets_of(sizes)[:-1], np.repeat(offsets_of(target_lengths)[:-1], source_lengths), sizes
        )
        chosen = np.flatnonzero(np.repeat(self.chosen, block.source_lengths))
        for n, (source, target, pairs) in enumerate(zip(self.source, self.target, self.pairs, strict=True)):
            by_class = chosen[np.argsort(source.classes[chosen], kind="stable")]
            kernels.word_forms.back_off_cells(n == 0, by_class, rows, source, target, pairs, BACK_OFF, *means)
        links = forward.links, reverse.links
        kernels.word_forms.raise_potentials(self.chosen, *lengths, STRENGTH, *means, *links)
        return forward, reverse


def _classed(side: TextSide, levels: list[PrefixClasses]) -> list[ClassedTokens]:
    """Return the tokens of a side with their classes. A new word counts as if it had occurred once."""
    different, numbers = np.unique(side.token_ids_with_oov, return_inverse=True)
    known = different[: np.searchsorted(different, len(side.vocabulary))]
    new_words = side.words(different[len(known) :])
    uses = np.ones(len(different))
    uses[: len(known)] = side.vocabulary.counts[known]
    tokens = []
    for level in levels:
        classes = np.concatenate([level.classes[known], level.find(new_words)])
        shares = uses / np.maximum(np.append(level.occurrences, 1.0), 1.0)[classes]
        tokens.append(ClassedTokens(classes[numbers], shares[numbers]))
    return tokens
