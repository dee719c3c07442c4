"""Blocks of sentence pairs, with the pair_ids of all cells or of the cells that pruning kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int32s, Int64s, Integers, UInt8s, offsets_of, position_type


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive sentence pairs in flat arrays.

    The cells of a pair with I source and J target words are an I x J matrix. *Source-major* cells are [I, J]
    for each pair, the order of the reverse direction; forward cells are [J, I].

    Attributes
    ----------
    source, target
        int32 [source tokens] and [target tokens], the word ids of all pairs.
    source_lengths, target_lengths
        int32 [pairs].
    pair_ids
        uint32 [cells], source-major, or [kept cells] if ``kept_cells`` is set. It may be empty where no
        lexical probability is looked up.
    start
        Number of the first pair in the text.
    kept_cells
        The cells that have a pair_id, or None if all have one.
    """

    source: Int32s
    source_lengths: Int32s
    target: Int32s
    target_lengths: Int32s
    pair_ids: NDArray[np.uint32]
    start: int = 0
    kept_cells: KeptCells | None = None

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.source_lengths)

    @property
    def lengths(self) -> tuple[Int32s, Int32s]:
        """The source and the target lengths."""
        return self.source_lengths, self.target_lengths

    @property
    def sizes(self) -> Int64s:
        """The number of cells of each pair, I * J, int64 [pairs]."""
        return self.source_lengths.astype(np.int64) * self.target_lengths

    @cached_property
    def cells(self) -> int:
        """The number of cells, kept or not."""
        return int(self.sizes.sum())

    def gather(self, table: Float32s, forward: Float32s, reverse: Float32s) -> None:
        """Look up the lexical probabilities of all cells.

        table: float32 [pair_ids + 1, 2]; forward: float32 [cells], [J, I] for each pair, set to
        table[pair_id, 0]; reverse: float32 [cells], [I, J] for each pair, set to table[pair_id, 1]. Cells
        that are not kept get row 0.
        """
        if self.kept_cells is None:
            kernels.cells.gather(self.pair_ids, table, *self.lengths, forward, reverse)
        else:
            kept = self.pair_ids, *self.kept_cells
            kernels.cells.gather_kept(*kept, table, *self.lengths, forward, reverse)

    def source_major(self, forward: Float32s) -> Float32s:
        """Return forward cells, float32 [cells], in source-major order."""
        out = np.empty_like(forward)
        kernels.cells.transpose(forward, *self.lengths, out)
        return out

    def multiply(self, forward: Float32s, reverse: Float32s) -> tuple[Float32s, Float64s]:
        """Multiply forward and reverse cells, float32 [cells].

        Returns the products of the cells with a pair_id, source-major, float32 [pair_ids], and the sum of the
        products of each pair, float64 [pairs].
        """
        sums = np.empty(len(self))
        if self.kept_cells is None:
            out = np.empty_like(reverse)
            kernels.cells.multiply(forward, reverse, *self.lengths, out, sums)
        else:
            out = np.empty(len(self.pair_ids), np.float32)
            kernels.cells.multiply_kept(*self.kept_cells, forward, reverse, *self.lengths, out, sums)
        return out, sums

    def average(self, forward: Float32s, reverse: Float32s) -> Float32s:
        """Return the mean of forward and reverse cells, source-major, float32 [pair_ids]."""
        mean = self.source_major(forward)
        mean += reverse
        mean *= np.float32(0.5)
        return self.select_kept(mean[:, None])[:, 0]

    def side_by_side(self, *cells: Float32s) -> Float32s:
        """Return forward and reverse cells, which alternate, as columns: float32 [pair_ids, columns]."""
        out = np.empty((len(cells[0]), len(cells)), np.float32)
        kernels.cells.as_columns(cells, *self.lengths, out)
        return self.select_kept(out)

    def select_kept(self, cells: Float32s) -> Float32s:
        """Return the rows of the cells with a pair_id, out of source-major rows, float32 [cells, columns]."""
        if self.kept_cells is None:
            return cells
        kept = np.empty((len(self.pair_ids), cells.shape[1]), np.float32)
        kernels.cells.select_kept(*self.kept_cells, cells, *self.lengths, kept)
        return kept


class KeptCells(NamedTuple):
    """The cells of a block that have a pair_id, by source token.

    runs: [source tokens], the number of kept cells of each token; columns: [kept cells], their target
    positions, ascending for each token. Both are uint16, or int32 for longer sentences.
    """

    runs: Integers
    columns: Integers


@dataclass(frozen=True, eq=False)
class KeptBits:
    """One bit for each cell of a text: 1 if the cell is kept.

    The bits of a source token begin with a new byte, so threads that write to different pairs share no byte.

    Attributes
    ----------
    bits
        uint8 [bytes]. Target position j of a source token is bit j % 8 of the token's byte j // 8.
    offsets
        Where the bytes of each pair begin, int64 [pairs + 1].
    """

    bits: UInt8s
    offsets: Int64s

    @classmethod
    def none(cls, source_lengths: Int64s, target_lengths: Int64s) -> KeptBits:
        """Return the bits of pairs of these lengths, int64 [pairs], of which no cell is kept."""
        offsets = offsets_of(source_lengths * ((target_lengths + 7) >> 3))
        return cls(np.zeros(offsets[-1], np.uint8), offsets)

    def keep(self, block: Block, links: Float32s, threshold: float) -> None:
        """Keep the cells of a block that reach ``threshold`` in some column of ``links``.

        links: float32 [cells, columns], source-major.
        """
        kernels.cells.set_bits(links, threshold, *block.lengths, self._of(block))

    def select(self, block: Block) -> Block:
        """Return a block, which has the pair_ids of all cells, with its kept cells only."""
        position = position_type(block.target_lengths)
        runs, columns = np.empty(len(block.source), position), np.empty(block.cells + 1, position)
        pair_ids = np.empty(block.cells + 1, np.uint32)
        text = block.pair_ids, self._of(block), *block.lengths
        count = kernels.cells.list_kept(*text, runs, columns, pair_ids)
        return replace(block, pair_ids=pair_ids[:count], kept_cells=KeptCells(runs, columns[:count]))

    def _of(self, block: Block) -> UInt8s:
        """Return a view of the bits of a block."""
        return self.bits[self.offsets[block.start] : self.offsets[block.start + len(block)]]
