"""The model pair: both directional models, which are trained together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import Lexicon
from aligner.models.alignment_model import AlignmentModel
from aligner.models.cells import DirectionalCells


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Both directional models, p(target, a | source) and p(source, b | target).

    They share one lexicon. Criteria infer through the methods of the pair, so that a variant of inference can
    override them (see ``models.variants``).

    Attributes
    ----------
    lexicon
        The lexical tables of both directions.
    forward, reverse
        The distortion of each direction.
    """

    lexicon: Lexicon
    forward: AlignmentModel
    reverse: AlignmentModel

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        """Return the lexical potentials of a block, forward and reverse, in new arrays.

        Inference may overwrite the arrays.
        """
        lexicon = self.lexicon
        forward = DirectionalCells(
            np.empty(block.cells, np.float32),
            np.empty(len(block.target), np.float32),
            block.source_lengths,
            block.target_lengths,
            block.source,
        )
        reverse = DirectionalCells(
            np.empty(block.cells, np.float32),
            np.empty(len(block.source), np.float32),
            block.target_lengths,
            block.source_lengths,
            block.target,
        )
        block.gather(lexicon.table, forward.links, reverse.links)
        kernels.cells.gather_words(block.target, lexicon.null_forward, forward.null)
        kernels.cells.gather_words(block.source, lexicon.null_reverse, reverse.null)
        return forward, reverse

    def forward_posteriors(
        self, cells: DirectionalCells, counts: NDArray[np.int64] | None, power: float = 1.0
    ) -> NDArray[np.float64]:
        """Turn forward potentials into posteriors, in place (see ``AlignmentModel.posteriors``)."""
        return self.forward.posteriors(cells, counts, power)

    def reverse_posteriors(
        self, cells: DirectionalCells, counts: NDArray[np.int64] | None, power: float = 1.0
    ) -> NDArray[np.float64]:
        """Turn reverse potentials into posteriors, in place (see ``AlignmentModel.posteriors``)."""
        return self.reverse.posteriors(cells, counts, power)
