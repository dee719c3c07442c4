"""The model pair: both directional models, which are trained together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import Lexicon
from aligner.models.alignment_model import AlignmentModel
from aligner.models.cells import DirectionalCells

DIRECTIONS = "forward", "reverse"
"""forward: target words given a source word, t(f|e); reverse: source words given a target word, t(e|f)."""


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Both directional models, p(target, a | source) and p(source, b | target).

    They share one lexicon. A direction is a number: 0 is forward, 1 is reverse. Criteria infer through the
    methods of the pair, so that a variant of inference can override them (see ``models.variants``).

    Attributes
    ----------
    lexicon
        The lexical tables of both directions.
    forward, reverse
        The model of each direction.
    """

    lexicon: Lexicon
    forward: AlignmentModel
    reverse: AlignmentModel

    @property
    def directions(self) -> tuple[AlignmentModel, AlignmentModel]:
        """The forward and the reverse model."""
        return self.forward, self.reverse

    def plain(self, release: bool = False) -> ModelPair:
        """Return the pair itself, or the pair of which it is a variant; release: True to free its table."""
        return replace(self, lexicon=self.lexicon.without_table()) if release else self

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

    def posteriors(
        self,
        direction: int,
        cells: DirectionalCells,
        counts: NDArray[np.int64] | None = None,
        power: float = 1.0,
    ) -> NDArray[np.float64]:
        """Turn a direction's potentials into posteriors, in place (see ``AlignmentModel.posteriors``)."""
        return self.directions[direction].posteriors(cells, counts, power)

    def infer(
        self,
        cells: Sequence[DirectionalCells],
        counts: Sequence[NDArray[np.int64]] | None = None,
        power: float = 1.0,
    ) -> NDArray[np.float64]:
        """Turn the potentials of both directions into posteriors, in place.

        cells, counts: forward and reverse, as for ``posteriors``. Returns float64 [2, pairs].
        """
        return np.stack(
            [
                self.posteriors(direction, own, None if counts is None else counts[direction], power)
                for direction, own in enumerate(cells)
            ]
        )
