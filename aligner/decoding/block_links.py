"""Links of one block: from chosen cells, and from the most probable alignments of both directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.lexicon.blocks import Block
from aligner.links.alignments import Alignments
from aligner.models import DirectionalCells, ModelPair


def links_of_cells(
    block: Block, cells: NDArray[np.int64], probabilities: NDArray[np.float32] | None = None
) -> Alignments:
    """Return cells of a block as links.

    cells: int64 [links], their numbers among the source-major cells of the block, ascending.
    """
    first_cells = offsets_of(block.sizes)
    offsets = np.searchsorted(cells, first_cells)
    pair = np.repeat(np.arange(len(block)), np.diff(offsets))
    source, target = np.divmod(cells - first_cells[pair], block.target_lengths[pair])
    return Alignments.unchecked(offsets, source.astype(np.int32), target.astype(np.int32), probabilities)


def viterbi_links(
    model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
) -> tuple[Alignments, Alignments]:
    """Return the most probable alignment of each direction, given both directions' potentials."""
    forward, reverse = (
        _conditioning_links(own.viterbi(cells), cells.emitted)
        for own, cells in zip(model.directions, potentials, strict=True)
    )
    return forward, reverse.reversed()


def _conditioning_links(alignment: NDArray[np.int32], emitted: NDArray[np.int32]) -> Alignments:
    """Return the links (conditioning position, emitted position) of an alignment.

    alignment: int32 [emitted tokens], the conditioning position, or below 0 for NULL; emitted: int32 [pairs],
    lengths.
    """
    pair = np.repeat(np.arange(len(emitted)), emitted)
    position = np.arange(len(pair)) - offsets_of(emitted)[pair]
    linked = alignment >= 0
    return Alignments.from_links(len(emitted), pair[linked], alignment[linked], position[linked])
