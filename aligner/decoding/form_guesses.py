"""Guesses at the translations of new words, and of words that are new together, by their other forms.

A sentence pair with an out-of-vocabulary word is new text: some of its words never occurred together in
training. The word-form prior of training (see ``training.word_forms``) tells how words with the same first
letters translate. A guess is a small share of that, so that a translation that was seen explains a word
better.

Only models that were trained with the prior guess. Sentence pairs without out-of-vocabulary words are aligned
without guesses, since they may be training text, where words that have no probability were seen together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.decoding.text_side import TextSide
from aligner.kernels.structs import ClassedTokens, ClassPairs
from aligner.lexicon.blocks import Block
from aligner.lexicon.prefix_classes import BACK_OFF, PrefixClasses
from aligner.models import DirectionalCells, ModelPair
from aligner.models.trained import TrainedModel
from aligner.models.variants import Variant
from aligner.text.bitext import Bitext

STRENGTH = 1e-4
"""The factor of a guess. With 1e-5 or 1e-3, AER differs by at most 0.9 percentage points."""


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
    chosen: NDArray[np.bool_]

    @classmethod
    def for_text(cls, pair: ModelPair, model: TrainedModel, bitext: Bitext) -> ModelPair:
        """Return the model pair for a block that holds this text; ``pair`` itself if there are no guesses.

        pair: the parameters of the model, or a variant of them. The text is in the vocabularies of the model.
        """
        if not model.knows_word_forms:
            return pair
        source, target = TextSide.both(bitext)
        chosen = source.sentences_with_oov() | target.sentences_with_oov()
        if not chosen.any():
            return pair
        levels = model.class_counts
        classed = (
            _classed(source, [level.source for level in levels]),
            _classed(target, [level.target for level in levels]),
        )
        return cls.of(pair, [level.pairs for level in levels], *classed, chosen)

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        means = np.zeros((2, block.cells))
        for n, level in enumerate(zip(self.source, self.target, self.pairs, strict=True)):
            kernels.word_forms.back_off_cells(n == 0, self.chosen, *level, BACK_OFF, *means)
        lengths = block.source_lengths, block.target_lengths
        links = forward.links, reverse.links
        kernels.word_forms.raise_potentials(self.chosen, *lengths, STRENGTH, *means, *links)
        return forward, reverse


def _classed(side: TextSide, levels: list[PrefixClasses]) -> list[ClassedTokens]:
    """Return the tokens of a side with their classes. A new word counts as if it had occurred once."""
    different, numbers = np.unique(side.token_ids, return_inverse=True)
    known = different[: np.searchsorted(different, len(side.vocabulary))]
    new_words = side.words(different[len(known) :])
    uses = np.ones(len(different))
    uses[: len(known)] = side.vocabulary.counts[known]
    lengths = side.sentences.lengths.astype(np.int32)
    tokens = []
    for level in levels:
        classes = np.concatenate([level.classes[known], level.find(new_words)])
        shares = uses / np.maximum(np.append(level.occurrences, 1.0), 1.0)[classes]
        tokens.append(ClassedTokens(lengths, classes[numbers], shares[numbers]))
    return tokens
