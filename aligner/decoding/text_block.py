"""Blocks of a text as decoders see them: sentence pairs, with the model pair that aligns them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from aligner.decoding.guesses import FormGuesses, OovGuesses
from aligner.lexicon.block_sources import BLOCK_CELLS, SEARCH_CELLS, BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext


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


def text_blocks(model: TrainedModel, text: Bitext, block_cells: int = BLOCK_CELLS) -> Iterator[TextBlock]:
    """Yield the blocks of a text without empty sides. A block is valid until the next one is requested."""
    source = BlockSource.of(text).searched(model.pair.lexicon.index, SEARCH_CELLS)
    spans = list(source.spans(block_cells))
    for span, block in zip(spans, source.blocks(spans), strict=True):
        yield TextBlock(model, block, text.slice(*span))
