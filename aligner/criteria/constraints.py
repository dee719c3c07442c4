"""The constraint sets of Graca, Ganchev & Taskar 2007 (section 4.1), as families for ``projection``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria.projection import Family
from aligner.models import DirectionalCells
from aligner.text.sentences import offsets_of

Infer = Callable[[DirectionalCells], NDArray[np.float64]]
"""Inference of one direction: potentials become posteriors in place; the log of their sum per pair."""


class AtMostOneLink(Family):
    """One direction's substochastic constraints: sum_j q(a_j = i) <= 1 for each conditioning word i.

    A word's multiplier scales its potentials by exp(-l_i). NULL is free.
    """

    bound = 1.0
    equal = False

    def __init__(self, potentials: DirectionalCells, infer: Infer) -> None:
        self._potentials = potentials
        self._infer = infer
        self.sizes = potentials.conditioning.astype(np.int64)
        self._cells = offsets_of(self.sizes * potentials.emitted)
        self._words = offsets_of(potentials.emitted.astype(np.int64))

    def tilt(
        self, pairs: NDArray[np.int64], multipliers: NDArray[np.float32]
    ) -> tuple[DirectionalCells, ...]:
        cells = _empty(self._potentials, pairs)
        lengths = cells.conditioning, cells.emitted
        kernels.constraints.tilt_columns(
            pairs, self._cells, self._potentials.links, np.exp(-multipliers), *lengths, cells.links
        )
        kernels.constraints.take(pairs, self._words, self._potentials.null, cells.null)
        return (cells,)

    def infer(self, cells: tuple[DirectionalCells, ...]) -> NDArray[np.float64]:
        return self._infer(cells[0])[None]

    def expectations(self, posteriors: tuple[DirectionalCells, ...]) -> NDArray[np.float32]:
        (cells,) = posteriors
        out = np.empty(cells.conditioning.sum(dtype=np.int64), np.float32)
        kernels.constraints.column_sums(cells.links, cells.conditioning, cells.emitted, out)
        return out


class SameLinks(Family):
    """Both directions' agreement constraints: E_fwd[z_ij] = E_rev[z_ij] for each link.

    f_ij is -z_ij for the forward alignment and z_ij for the reverse one: a cell's multiplier scales its
    forward potential by exp(l_ij) and its reverse one by exp(-l_ij), and E[f] = R - F. Flat arrays are
    source-major.
    """

    bound = 0.0
    equal = True

    def __init__(
        self, forward: DirectionalCells, reverse: DirectionalCells, infer_forward: Infer, infer_reverse: Infer
    ) -> None:
        self._forward = forward
        self._reverse = reverse
        self._infer_forward = infer_forward
        self._infer_reverse = infer_reverse
        self.sizes = forward.conditioning.astype(np.int64) * forward.emitted
        self._cells = offsets_of(self.sizes)
        self._source_words = offsets_of(forward.conditioning.astype(np.int64))
        self._target_words = offsets_of(forward.emitted.astype(np.int64))

    def tilt(
        self, pairs: NDArray[np.int64], multipliers: NDArray[np.float32]
    ) -> tuple[DirectionalCells, ...]:
        forward, reverse = _empty(self._forward, pairs), _empty(self._reverse, pairs)
        kernels.constraints.tilt_links(
            pairs,
            self._cells,
            self._forward.links,
            self._reverse.links,
            np.exp(multipliers),
            forward.conditioning,
            forward.emitted,
            forward.links,
            reverse.links,
        )
        kernels.constraints.take(pairs, self._target_words, self._forward.null, forward.null)
        kernels.constraints.take(pairs, self._source_words, self._reverse.null, reverse.null)
        return forward, reverse

    def infer(self, cells: tuple[DirectionalCells, ...]) -> NDArray[np.float64]:
        forward, reverse = cells
        return np.stack([self._infer_forward(forward), self._infer_reverse(reverse)])

    def expectations(self, posteriors: tuple[DirectionalCells, ...]) -> NDArray[np.float32]:
        forward, reverse = posteriors
        out, one = np.empty_like(reverse.links), np.float32(1.0)
        kernels.cells.add(forward.links, reverse.links, -one, one, forward.conditioning, forward.emitted, out)
        return out


def _empty(like: DirectionalCells, pairs: NDArray[np.int64]) -> DirectionalCells:
    """Room for the cells of some pairs of a block."""
    conditioning, emitted = like.conditioning[pairs], like.emitted[pairs]
    links = int(conditioning.astype(np.int64) @ emitted)
    return DirectionalCells(
        np.empty(links, np.float32), np.empty(emitted.sum(dtype=np.int64), np.float32), conditioning, emitted
    )
