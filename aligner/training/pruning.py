"""Pruning: cells that the second iteration of a stage found to be no links are dropped for good.

Training spends most of its time on random access to the lexicon, and most of these accesses are for cells
that never become links. Pruning drops a cell if all of its expected link counts are below a threshold: its
potential is the least lexical probability from then on, and it adds to no count.

The counts that decide are the criterion's; under agreement, a product of both directions' posteriors. The
link counts of the deciding iteration lose at most the threshold for each dropped cell. This bounds neither
later iterations nor a single direction: one direction may be sure of a link that the other one rules out.

The second iteration decides because the first one of a stage still uses the model of the stage before. After
it, few cells are undecided.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aligner import kernels
from aligner.criteria import BlockPosteriors
from aligner.lexicon.block_sources import BlockSource, PrunedBlocks
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.system.threads import run_all

BYTES_KEPT = 6.2
"""Bytes of a kept cell: its pair_id and its position."""

SHARE_KEPT = 0.18
"""Share of cells that are kept if both directions must agree on a link. Otherwise perhaps all are kept."""


class Pruner:
    """Filter of an E-step: it keeps the cells with a posterior of at least ``threshold``, block by block."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._blocks: dict[int, Block] = {}

    def keep(self, block: Block, posteriors: BlockPosteriors) -> tuple[Block, BlockPosteriors]:
        """Return the block with the kept cells only, and their posteriors.

        Several threads may call this for different blocks, in any order.
        """
        kept = block.keep(posteriors.links, self.threshold)
        self._blocks[block.start] = kept
        return kept, posteriors._replace(links=kept.select_kept(posteriors.links))

    def prune(
        self, source: BlockSource, model: ModelPair, threads: int = 1
    ) -> tuple[PrunedBlocks, ModelPair]:
        """Return blocks of the kept cells, and the model with the word pairs of these cells."""
        blocks = {start: self._blocks[start] for start in sorted(self._blocks)}
        self._blocks.clear()
        used = np.zeros(len(model.lexicon.index) + 1, np.bool_)
        run_all(blocks.values(), lambda block: kernels.cells.mark(block.pair_ids, used), threads)
        lexicon, renumber = model.lexicon.select(used, threads)
        run_all(blocks.values(), lambda block: kernels.cells.renumber(block.pair_ids, renumber), threads)
        return PrunedBlocks(source.bitext, source.offsets, blocks), replace(model, lexicon=lexicon)
