"""The constraints of Graca, Ganchev & Taskar (2007, section 4.1) as families for ``projection``.

The inferences of gradient steps count no jumps, since only the final q is counted.
"""

from __future__ import annotations

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s, offsets_of
from aligner.criteria.projection import ExponentialFamily, FamilyCells
from aligner.models import DirectionalCells, ModelPair
from aligner.models.cells import CellPair


class FertilityFamily(ExponentialFamily):
    """One direction under substochastic constraints: sum_j q(a_j = i) <= 1 for each conditioning word i.

    The feature f_i is the fertility of word i, which is the number of its links. The multiplier of a word
    scales the potentials of its links by exp(-l_i). NULL is not constrained.
    """

    bound = 1.0
    equal = False
    first_step = 1.0

    def __init__(self, pair: ModelPair, direction: int, potentials: DirectionalCells) -> None:
        self._model, self._direction, self._potentials = pair, direction, potentials
        self.sizes = potentials.conditioning.astype(np.int64)
        self.cell_offsets = offsets_of(self.sizes * potentials.emitted)
        self._word_offsets = offsets_of(self.sizes)
        self._emitted_offsets = offsets_of(potentials.emitted.astype(np.int64))

    def tilt(self, pairs: Int64s, multipliers: Float32s) -> FamilyCells:
        cells = _empty_cells(self._potentials, pairs, self._word_offsets)
        lengths = cells.conditioning, cells.emitted
        kernels.projection.tilt_columns(
            pairs, self.cell_offsets, self._potentials.links, np.exp(-multipliers), *lengths, cells.links
        )
        kernels.projection.take(pairs, self._emitted_offsets, self._potentials.null, cells.null)
        return (cells,)

    def infer(self, cells: FamilyCells) -> Float64s:
        return self._model.posteriors(self._direction, cells[0])[None]

    def expectations(self, posteriors: FamilyCells) -> Float32s:
        (cells,) = posteriors
        fertilities = np.empty(cells.conditioning.sum(dtype=np.int64), np.float32)
        kernels.projection.sum_columns(cells.links, cells.conditioning, cells.emitted, fertilities)
        return fertilities


class AgreementFamily(ExponentialFamily):
    """Both directions under agreement constraints: q_fwd(a_j = i) = q_rev(b_i = j) for each link.

    The feature f_ij is -1 for a link of the forward alignment and 1 for a link of the reverse alignment, so
    E[f] = R - F. The multiplier of a cell scales its forward potential by exp(l_ij) and its reverse potential
    by exp(-l_ij). Multipliers and expectations are source-major.

    Without slack, the dual's second derivative by one multiplier is minus the sum of two variances, which is
    at most 1/2 in absolute value. The first step is the inverse of 1/2.
    """

    bound = 0.0
    equal = True
    first_step = 2.0

    def __init__(self, pair: ModelPair, potentials: CellPair) -> None:
        self._model = pair
        self._forward, self._reverse = forward, _ = potentials
        self.sizes = forward.conditioning.astype(np.int64) * forward.emitted
        self.cell_offsets = offsets_of(self.sizes)
        self._source_offsets = offsets_of(forward.conditioning.astype(np.int64))
        self._target_offsets = offsets_of(forward.emitted.astype(np.int64))

    def tilt(self, pairs: Int64s, multipliers: Float32s) -> FamilyCells:
        forward = _empty_cells(self._forward, pairs, self._source_offsets)
        reverse = _empty_cells(self._reverse, pairs, self._target_offsets)
        kernels.projection.tilt_links(
            pairs,
            self.cell_offsets,
            self._forward.links,
            self._reverse.links,
            np.exp(multipliers),
            forward.conditioning,
            forward.emitted,
            forward.links,
            reverse.links,
        )
        kernels.projection.take(pairs, self._target_offsets, self._forward.null, forward.null)
        kernels.projection.take(pairs, self._source_offsets, self._reverse.null, reverse.null)
        return forward, reverse

    def infer(self, cells: FamilyCells) -> Float64s:
        return self._model.infer(cells)

    def expectations(self, posteriors: FamilyCells) -> Float32s:
        forward, reverse = posteriors
        difference = np.empty_like(reverse.links)
        kernels.cells.transpose(forward.links, forward.conditioning, forward.emitted, difference)
        return np.subtract(reverse.links, difference, out=difference)


def _empty_cells(like: DirectionalCells, pairs: Int64s, word_offsets: Int64s) -> DirectionalCells:
    """Return uninitialised cells with the shapes and the conditioning words of some pairs of a block.

    word_offsets: int64 [pairs of the block + 1], where the conditioning words of each pair begin.
    """
    if len(pairs) == len(like.emitted):
        return like.without_values()
    conditioning, emitted = like.conditioning[pairs], like.emitted[pairs]
    cells, tokens = int(conditioning.astype(np.int64) @ emitted), emitted.sum(dtype=np.int64)
    words = np.empty(conditioning.sum(dtype=np.int64), np.int32)
    kernels.projection.take(pairs, word_offsets, like.words, words)
    return DirectionalCells.empty(conditioning, emitted, words, cells, tokens)
