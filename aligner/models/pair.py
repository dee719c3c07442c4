"""The two directional models that are trained together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import Lexicon
from aligner.models.base import DirectionalCells, Distortion


@dataclass(frozen=True, eq=False)
class ModelPair:
    """p(target, a | source) and p(source, b | target): one lexicon, one distortion each."""

    lexicon: Lexicon
    forward: Distortion
    reverse: Distortion

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        """Both directions' lexical potentials of a block, fresh arrays that inference may overwrite."""
        lexicon = self.lexicon
        forward = DirectionalCells(
            np.empty(block.cells, np.float32),
            np.empty(len(block.target), np.float32),
            block.source_lengths,
            block.target_lengths,
        )
        reverse = DirectionalCells(
            np.empty(block.cells, np.float32),
            np.empty(len(block.source), np.float32),
            block.target_lengths,
            block.source_lengths,
        )
        block.gather(lexicon.table, forward.links, reverse.links)
        kernels.cells.gather_words(block.target, lexicon.null_forward, forward.null)
        kernels.cells.gather_words(block.source, lexicon.null_reverse, reverse.null)
        return forward, reverse

    def forward_posteriors(
        self, cells: DirectionalCells, statistics: NDArray[np.int64], power: float = 1.0
    ) -> NDArray[np.float64]:
        """The forward distortion's ``posteriors``; criteria infer through the pair, not around it."""
        return self.forward.posteriors(cells, statistics, power)

    def reverse_posteriors(
        self, cells: DirectionalCells, statistics: NDArray[np.int64], power: float = 1.0
    ) -> NDArray[np.float64]:
        """The reverse distortion's ``posteriors``."""
        return self.reverse.posteriors(cells, statistics, power)
