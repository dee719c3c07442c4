"""The cells of a text that pruning kept, as one bit for each cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.lexicon.blocks import Block
from aligner.text.bitext import Bitext


@dataclass(frozen=True, eq=False)
class KeptBits:
    """One bit for each cell of a text: 1 if the cell is kept.

    The bits of a source token begin with a new byte, so threads that write to different pairs share no byte.

    Attributes
    ----------
    bits
        uint8 [bytes]. Target position j of a source token is bit j % 8 of the token's byte j // 8.
    offsets
        Where the bytes of each pair begin, int64 [pairs + 1].
    """

    bits: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def none(cls, bitext: Bitext) -> KeptBits:
        """Return the bits of a text of which no cell is kept."""
        offsets = offsets_of(bytes_of_bits(bitext))
        return cls(np.zeros(offsets[-1], np.uint8), offsets)

    def mark(self, block: Block, links: NDArray[np.float32], threshold: float) -> None:
        """Keep the cells of a block that reach ``threshold`` in some column of ``links``.

        links: float32 [cells, columns], source-major.
        """
        lengths = block.source_lengths, block.target_lengths
        kernels.cells.mark_kept(links, threshold, *lengths, self._of(block))

    def select(self, block: Block) -> Block:
        """Return a block, which has the pair_ids of all cells, with its kept cells only."""
        return block.keep(self._of(block))

    def _of(self, block: Block) -> NDArray[np.uint8]:
        """Return a view of the bits of a block."""
        return self.bits[self.offsets[block.start] : self.offsets[block.start + len(block)]]


def bytes_of_bits(bitext: Bitext) -> NDArray[np.int64]:
    """Return the number of bytes for the bits of each pair of a text, int64 [pairs]."""
    return bitext.source.lengths * ((bitext.target.lengths + 7) >> 3)
