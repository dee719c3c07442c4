"""Blocks of sentence pairs, with the pair_ids of all their cells or of some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels


@dataclass(frozen=True, eq=False)
class Block:
    """A run of sentence pairs, flat: tokens int32, lengths int32 [pairs], pair_ids uint32 [cells] source-major.

    start: the number of its first pair in the text it is a part of. kept: which cells the pair_ids are of, if
    not of all.
    """

    source: NDArray[np.int32]
    source_lengths: NDArray[np.int32]
    target: NDArray[np.int32]
    target_lengths: NDArray[np.int32]
    pair_ids: NDArray[np.uint32]
    start: int = 0
    kept_cells: KeptCells | None = None

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.source_lengths)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """DirectionalCells of each pair, I J, int64 [pairs]."""
        return self.source_lengths.astype(np.int64) * self.target_lengths

    @cached_property
    def cells(self) -> int:
        """Number of cells."""
        return int(self.sizes.sum())

    def with_pair_ids(self, pair_ids: NDArray[np.uint32], kept_cells: KeptCells | None = None) -> Block:
        """The same block with these pair_ids, of all cells or of those that are kept."""
        return replace(self, pair_ids=pair_ids, kept_cells=kept_cells)

    def gather(
        self, table: NDArray[np.float32], forward: NDArray[np.float32], reverse: NDArray[np.float32]
    ) -> None:
        """Look up every cell: forward [J, I] per pair gets table[pair_id, 0], reverse [I, J] table[pair_id, 1]."""
        lengths = self.source_lengths, self.target_lengths
        if self.kept_cells is None:
            kernels.cells.gather(self.pair_ids, table, *lengths, forward, reverse)
        else:
            kernels.cells.gather_kept(self.pair_ids, *self.kept_cells, table, *lengths, forward, reverse)

    def source_major(self, forward: NDArray[np.float32]) -> NDArray[np.float32]:
        """Forward cells, [J, I] per pair, in the order of reverse ones, [I, J]."""
        out = np.empty_like(forward)
        kernels.cells.transpose(forward, self.source_lengths, self.target_lengths, out)
        return out

    # What follows combines both directions' cells, source-major, of those that have pair_ids.

    def multiply(
        self, forward: NDArray[np.float32], reverse: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Both directions' cells multiplied, float32 [pair_ids], and their sums, float64 [pairs]."""
        lengths, sums = (self.source_lengths, self.target_lengths), np.empty(len(self))
        if self.kept_cells is None:
            out = np.empty_like(reverse)
            kernels.cells.multiply(forward, reverse, *lengths, out, sums)
        else:
            out = np.empty(len(self.pair_ids), np.float32)
            kernels.cells.multiply_kept(*self.kept_cells, forward, reverse, *lengths, out, sums)
        return out, sums

    def average(self, forward: NDArray[np.float32], reverse: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mean of both directions' cells, float32 [pair_ids]."""
        out, half = np.empty_like(reverse), np.float32(0.5)
        kernels.cells.add(forward, reverse, half, half, self.source_lengths, self.target_lengths, out)
        return self.of_kept_cells(out[:, None])[:, 0]

    def side_by_side(self, *cells: NDArray[np.float32]) -> NDArray[np.float32]:
        """Forward and reverse cells, by turns, as columns: float32 [pair_ids, columns]."""
        out = np.empty((len(cells[0]), len(cells)), np.float32)
        kernels.cells.as_columns(cells, self.source_lengths, self.target_lengths, out)
        return self.of_kept_cells(out)

    def of_kept_cells(self, cells: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of all cells, float32 [cells, columns], source-major, those that have pair_ids."""
        if self.kept_cells is None:
            return cells
        kept = np.empty((len(self.pair_ids), cells.shape[1]), np.float32)
        kernels.cells.select_kept(*self.kept_cells, cells, self.source_lengths, self.target_lengths, kept)
        return kept

    def keep(self, links: NDArray[np.float32], threshold: float) -> Block:
        """The block without the pair_ids of cells whose links are all below ``threshold``."""
        if self.kept_cells is not None:
            raise ValueError("cells are dropped only once")
        count = kernels.cells.count_kept(links, threshold)
        runs, columns = np.empty(len(self.source), np.uint16), np.empty(count + 1, np.uint16)
        pair_ids = np.empty(count + 1, np.uint32)
        lengths = self.source_lengths, self.target_lengths
        kernels.cells.keep(self.pair_ids, links, threshold, *lengths, runs, columns, pair_ids)
        return replace(self, pair_ids=pair_ids[:count], kept_cells=KeptCells(runs, columns[:count]))


class KeptCells(NamedTuple):
    """Which cells of a block have pair_ids: how many per source token, and their target positions, uint16."""

    runs: NDArray[np.uint16]
    columns: NDArray[np.uint16]
