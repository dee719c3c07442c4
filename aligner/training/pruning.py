"""Dropping the cells that a stage's second iteration found to be no link, so that the rest of it is cheap.

Random access to the lexicon is what training time goes into, and most of it is spent on cells that will never
be links. A cell whose every expected link count stays below a threshold is not looked up again in training:
its potential is the floor from then on, and it adds to no count. Judged is what the criterion counts, for
agreement the product of both directions' posteriors: the link counts of the iteration that judges lose at
most the threshold times the cells dropped. It is no bound on what comes later, nor on a single direction,
which may believe in a link that the other rules out. The first iteration of a stage still judges by what the
stage before believed; by the second, few cells are left in doubt.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aligner import kernels
from aligner.criteria import BlockPosteriors
from aligner.lexicon.block_sources import BlockSource, PrunedBlocks
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.system.threads import over

BYTES_KEPT = 6.2
"""What a cell that is kept takes, and its share of what says which."""

SHARE_KEPT = 0.18
"""How many of the cells are, where both directions must believe in a link; else perhaps all."""


class Pruner:
    """Keeps, of an E-step, block by block, the cells with a posterior of at least ``threshold``."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._kept: dict[int, Block] = {}

    def keep(self, block: Block, expectation: BlockPosteriors) -> tuple[Block, BlockPosteriors]:
        """A block of the cells that are kept, and what is expected of these.

        Blocks come in any order, from any thread.
        """
        kept = block.keep(expectation.links, self.threshold)
        self._kept[block.start] = kept
        return kept, expectation._replace(links=kept.of_kept_cells(expectation.links))

    def prune(
        self, source: BlockSource, model: ModelPair, threads: int = 1
    ) -> tuple[PrunedBlocks, ModelPair]:
        """The text with the cells kept, and the model with the word pairs they are cells of."""
        blocks = {start: self._kept[start] for start in sorted(self._kept)}
        self._kept.clear()
        used = np.zeros(len(model.lexicon.index) + 1, np.bool_)
        over(blocks.values(), lambda block: kernels.cells.mark(block.pair_ids, used), threads)
        lexicon, renumber = model.lexicon.select(used, threads)
        over(blocks.values(), lambda block: kernels.cells.renumber(block.pair_ids, renumber), threads)
        return PrunedBlocks(source.bitext, source.offsets, blocks), replace(model, lexicon=lexicon)
