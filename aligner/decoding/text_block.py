"""Blocks of a text as decoders see them: sentence pairs, with the model pair that aligns them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aligner.arrays import Bools, Int64s
from aligner.decoding.guesses import FormGuesses, OovGuesses
from aligner.lexicon.block_sources import BLOCK_CELLS, SEARCH_CELLS, BlockSource
from aligner.lexicon.blocks import Block
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.models import ModelPair
from aligner.models.hmm import order_by_size
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

MAX_CELLS = 1 << 25
"""The largest number of cells of a pair (5,800 x 5,800 tokens). A larger pair gets an empty alignment.

Inference needs 40 bytes a cell, and 60 bytes under constraints.
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
    bitext
        The same sentence pairs.
    """

    model: TrainedModel
    block: Block
    bitext: Bitext

    @cached_property
    def pair(self) -> ModelPair:
        """The model pair, with guesses for out-of-vocabulary words."""
        pair = OovGuesses.for_text(self.model.pair, self.bitext)
        return FormGuesses.for_text(pair, self.model, self.bitext)


def tokens_of_links(links: Alignments, text: Bitext) -> tuple[Int64s, Int64s]:
    """Return the source and the target token of each link, numbered in the whole text, int64 [L] each."""
    source, target = text.source.offsets[links.pair], text.target.offsets[links.pair]
    return source + links.source, target + links.target


def text_blocks(model: TrainedModel, text: Bitext) -> Iterator[TextBlock]:
    """Yield the blocks of a text without empty sides. A block is valid until the next one is requested."""
    source = BlockSource.of(text).searched(model.pair.lexicon.index, SEARCH_CELLS)
    spans = list(source.spans(BLOCK_CELLS))
    for span, block in zip(spans, source.blocks(spans), strict=True):
        yield TextBlock(model, block, text.slice(*span))


def sorted_blocks(model: TrainedModel, text: Bitext, numbers: Int64s) -> tuple[Int64s, Iterator[TextBlock]]:
    """Return the numbers of pairs in an order in which similar sizes are together, and their blocks."""
    numbers = numbers[order_by_size(text.source.lengths[numbers], text.target.lengths[numbers])]
    return numbers, text_blocks(model, text.select(numbers))


def alignable(bitext: Bitext) -> Int64s:
    """Return the numbers of the pairs that have cells and are not too large to align, ascending."""
    return np.flatnonzero((bitext.sizes > 0) & ~is_oversized(bitext))


def is_oversized(bitext: Bitext) -> Bools:
    """Return the mask of pairs that are too large to align, bool [pairs]: by cells or by positions."""
    sizes = bitext.sizes
    longest = np.maximum(bitext.source.lengths, bitext.target.lengths)
    return (sizes > MAX_CELLS) | ((sizes > 0) & (longest > MAX_POSITION + 1))
