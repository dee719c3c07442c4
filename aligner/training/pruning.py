"""Pruning: cells that the second iteration of a stage found to be no links are dropped for good.

Training spends most of its time on random access to the lexicon, and most of these accesses are for cells
that never become links. Pruning drops a cell if all of its expected link counts are below a threshold: its
potential is the least lexical probability from then on, and it adds to no count.

The counts that decide are the criterion's; under agreement, F R. The
link counts of the deciding iteration lose at most the threshold for each dropped cell. This bounds neither
later iterations nor a single direction: one direction may be sure of a link that the other one rules out.

The second iteration decides because the first one of a stage still uses the model of the stage before. After
it, few cells are undecided.
"""

from __future__ import annotations

import numpy as np

from aligner import kernels
from aligner.criteria import BlockPosteriors
from aligner.lexicon.block_sources import SearchedBlocks
from aligner.lexicon.blocks import Block, KeptBits


class Pruner:
    """Filter of an E-step: it keeps the cells with a posterior of at least ``threshold``, block by block.

    Attributes
    ----------
    threshold
        The least posterior of a kept cell.
    kept_cells
        The kept cells.
    kept_pairs
        bool [pair_ids + 1], True for the word pairs of kept cells.
    """

    def __init__(self, threshold: float, source: SearchedBlocks) -> None:
        self.threshold = threshold
        self.kept_cells = KeptBits.none(*source.lengths)
        self.kept_pairs = np.zeros(len(source.index) + 1, np.bool_)

    def __call__(self, block: Block, posteriors: BlockPosteriors) -> tuple[Block, BlockPosteriors]:
        """Return the block with the kept cells only, and their posteriors.

        Several threads may call this for different blocks, in any order.
        """
        self.kept_cells.keep(block, posteriors.links, self.threshold)
        kept = self.kept_cells.select(block)
        kernels.cells.set_pairs(kept.pair_ids, self.kept_pairs)
        return kept, posteriors._replace(links=kept.select_kept(posteriors.links))
