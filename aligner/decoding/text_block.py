"""Blocks of a text as decoders see them: sentence pairs, with the model pair that aligns them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.decoding.guesses import FormGuesses, OovGuesses
from aligner.kernels.structs import WordsInPieces
from aligner.lexicon.block_sources import BLOCK_CELLS, SEARCH_CELLS, BlockSource
from aligner.lexicon.blocks import Block
from aligner.links.alignments import MAX_POSITION
from aligner.models import ModelPair
from aligner.models.hmm import order_by_size
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.piece_text import PieceText
from aligner.text.sentences import Sentences

MAX_CELLS = 1 << 25
"""The largest number of cells of a pair (5,800 x 5,800 tokens). A larger pair gets an empty alignment.

Inference needs 40 bytes a cell, and 60 bytes under constraints.
"""

NEW_WORDS = 1.4
"""Factor of the weight of pieces in links of out-of-vocabulary words, where the larger posterior is taken.

With 1.2, 1.6 and 1.8, AER of new text is higher by 0.3, 0.1 and 0.1 % on the mean of 15 dev sets.
"""


@dataclass(frozen=True, eq=False)
class TextBlock:
    """A block of a text, in the vocabularies of a model.

    Attributes
    ----------
    model
        The model.
    block
        The sentence pairs without empty sides, with the pair_ids of all cells.
    text
        The same sentence pairs.
    """

    model: TrainedModel
    block: Block
    text: Bitext

    @cached_property
    def pair(self) -> ModelPair:
        """The model pair, with guesses for out-of-vocabulary words."""
        pair = OovGuesses.for_text(self.model.pair, self.text)
        return FormGuesses.for_text(pair, self.model, self.text)

    def in_pieces(self) -> Iterator[PieceBlock]:
        """Yield blocks of the same sentence pairs as pieces, without pairs that are too large as pieces.

        Each is valid until the next one is requested. There are none if the model has no pieces.
        """
        pieces = self.model.pieces
        if pieces is None:
            return
        text = PieceText.of(self.text, pieces.source, pieces.target)
        numbers = np.flatnonzero(~is_oversized(text.text))
        lengths = text.text.source.lengths[numbers], text.text.target.lengths[numbers]
        numbers = numbers[order_by_size(*lengths)]
        text, first_cells = text.select(numbers), offsets_of(self.block.sizes)[numbers]
        words = self.text.select(numbers)
        source_types, target_types = len(words.source_vocabulary), len(words.target_vocabulary)
        for block in text_blocks(pieces.model, text.text):
            span = block.block.start, block.block.start + len(block.block)
            source = _words_in_pieces(text.source.slice(*span), words.source.slice(*span), source_types)
            target = _words_in_pieces(text.target.slice(*span), words.target.slice(*span), target_types)
            yield PieceBlock(block, source, target, first_cells[slice(*span)], np.float32(pieces.weight))


def _words_in_pieces(counts: Sentences, words: Sentences, types: int) -> WordsInPieces:
    """Return one side's words; counts: the number of pieces of each; types: the size of the vocabulary."""
    return WordsInPieces(counts.tokens, words.tokens == types, counts.offsets)


class PieceBlock(NamedTuple):
    """A block of sentence pairs as pieces.

    Attributes
    ----------
    text
        The block, in the vocabularies of pieces.
    source, target
        The words of each side, with their numbers of pieces.
    first_cells
        int64 [pairs], where the cells of each pair begin in the block of words.
    weight
        The weight of the pieces.
    """

    text: TextBlock
    source: WordsInPieces
    target: WordsInPieces
    first_cells: NDArray[np.int64]
    weight: np.float32

    def mix(self, pieces: Sequence[NDArray[np.float32]], words: Sequence[NDArray[np.float32]]) -> None:
        """Mix posteriors of pieces, forward and reverse, into the posteriors of words."""
        sides = self.target, self.source
        for own, of_words, rows, columns in zip(pieces, words, sides, sides[::-1], strict=True):
            weights = self.weight, np.float32(NEW_WORDS)
            kernels.cells.mix_pieces(own, self.first_cells, rows, columns, *weights, of_words)


def text_blocks(model: TrainedModel, text: Bitext, block_cells: int = BLOCK_CELLS) -> Iterator[TextBlock]:
    """Yield the blocks of a text without empty sides. A block is valid until the next one is requested."""
    source = BlockSource.of(text).searched(model.pair.lexicon.index, SEARCH_CELLS)
    spans = list(source.spans(block_cells))
    for span, block in zip(spans, source.blocks(spans), strict=True):
        yield TextBlock(model, block, text.slice(*span))


def alignable(bitext: Bitext) -> NDArray[np.int64]:
    """Return the numbers of the pairs that have cells and are not too large to align, ascending."""
    return np.flatnonzero((bitext.sizes > 0) & ~is_oversized(bitext))


def is_oversized(bitext: Bitext) -> NDArray[np.bool_]:
    """Return the mask of pairs that are too large to align, bool [pairs]: by cells or by positions."""
    sizes = bitext.sizes
    longest = np.maximum(bitext.source.lengths, bitext.target.lengths)
    return (sizes > MAX_CELLS) | ((sizes > 0) & (longest > MAX_POSITION + 1))
