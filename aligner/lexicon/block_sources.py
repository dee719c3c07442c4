"""Sources of blocks: a text cut into blocks without pair_ids, with pair_ids looked up, or pruned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.constants import LANES
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.text.bitext import Bitext
from aligner.text.sentences import offsets_of

BLOCK_CELLS = 1 << 18
"""The cells of one block: at 16 bytes a cell it fits into the L2 cache, and kernel calls cost little."""

LARGE_BLOCK_CELLS = 1 << 20
"""The cells of one block with more than 8 threads, because only one thread at a time can prepare a block."""

_FEW_THREADS = 8
_LEAST_BLOCK_CELLS = 1 << 16

SEARCH_CELLS = 15 << 19
"""The least number of cells whose pair_ids are looked up at a time: 30 MiB of ids for each thread."""

_NO_IDS = np.empty(0, np.uint32)

Span: TypeAlias = tuple[int, int]
"""A run of sentence pairs: start <= n < stop."""


def most_block_cells(threads: int) -> int:
    """Return the largest number of cells of one block."""
    return BLOCK_CELLS if threads <= _FEW_THREADS else LARGE_BLOCK_CELLS


def search_cells(cells: int, threads: int) -> int:
    """Return the number of cells to look up at a time, for a text with this many cells.

    Every look-up spreads out the row of each of its words, so few large look-ups are fast. With fewer than 8
    look-ups for each thread, some threads would wait for others at the end.
    """
    return min(max(cells // (8 * threads), SEARCH_CELLS), 4 * SEARCH_CELLS)


@dataclass(frozen=True, eq=False)
class BlockSource:
    """A text cut into blocks. Blocks of this class have no pair_ids.

    offsets: int64 [pairs + 1], the number of cells before each sentence pair.
    """

    bitext: Bitext
    offsets: NDArray[np.int64]

    def __repr__(self) -> str:
        """Return the class and the sizes in one line."""
        return f"{type(self).__name__}({len(self.bitext):,} sentence pairs, {self.cells:,} cells)"

    @classmethod
    def of(cls, bitext: Bitext) -> BlockSource:
        """Return a source for a bitext."""
        return BlockSource(bitext, offsets_of(bitext.sizes))

    def searched(self, index: CooccurrenceIndex, cells_at_once: int) -> SearchedBlocks:
        """Return a source whose blocks have pair_ids, looked up for ``cells_at_once`` cells at a time."""
        return SearchedBlocks(self.bitext, self.offsets, index, cells_at_once)

    @property
    def cells(self) -> int:
        """The number of cells in the text."""
        return int(self.offsets[-1])

    @property
    def cells_per_stretch(self) -> int:
        """The number of cells that a thread should take at a time, if the text has enough."""
        return 0

    def block_cells(self, threads: int) -> int:
        """Return the number of cells of one block, so that each of several threads has a few blocks."""
        most = most_block_cells(threads)
        share = self.cells // (4 * threads)
        return most if threads == 1 else min(max(share, _LEAST_BLOCK_CELLS), most)

    def spans(self, block_cells: int, within: Span | None = None) -> Iterator[Span]:
        """Cut the text into consecutive spans of at most ``block_cells`` cells, and at least one pair each.

        within: the pairs to cover, by default all. No result of training or decoding depends on
        ``block_cells``. The number of pairs in a span is a multiple of the vector lanes where possible.
        """
        start, end = within or (0, len(self.bitext))
        while start < end:
            limit = self.offsets[start] + block_cells
            stop = max(start + 1, int(np.searchsorted(self.offsets, limit, side="right")) - 1)
            stop = min(stop, end)
            if stop < end and stop - start > LANES:
                stop -= (stop - start) % LANES
            yield start, stop
            start = stop

    def blocks(self, spans: Sequence[Span]) -> Iterator[Block]:
        """Yield the blocks of consecutive spans. A block is valid until the next one is requested."""
        return (self.block(span) for span in spans)

    def block(self, span: Span, pair_ids: NDArray[np.uint32] = _NO_IDS) -> Block:
        """Return the block of a span with these pair_ids."""
        start, stop = span
        (source, source_lengths), (target, target_lengths) = (
            (side.tokens[side.offsets[start] : side.offsets[stop]], lengths[start:stop])
            for side, lengths in zip((self.bitext.source, self.bitext.target), self._lengths, strict=True)
        )
        return Block(source, source_lengths, target, target_lengths, pair_ids, start)

    @cached_property
    def _lengths(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        source, target = self.bitext.source.lengths, self.bitext.target.lengths
        return source.astype(np.int32), target.astype(np.int32)


@dataclass(frozen=True, eq=False, repr=False)
class SearchedBlocks(BlockSource):
    """A text cut into blocks whose pair_ids are looked up each time the blocks are requested.

    The ids of ``cells_at_once`` cells are looked up at a time. To look ids up again takes as long as to read
    them from memory, and saves 4 bytes a cell.
    """

    index: CooccurrenceIndex
    cells_at_once: int

    @property
    def cells_per_stretch(self) -> int:
        return self.cells_at_once

    def blocks(self, spans: Sequence[Span]) -> Iterator[Block]:
        pair_ids = _NO_IDS
        for piece in self._pieces(spans):
            start, stop = piece[0][0], piece[-1][1]
            first, last = self.offsets[start], self.offsets[stop]
            if len(pair_ids) < last - first:
                pair_ids = np.empty(last - first, np.uint32)
            self.index.find_into(self.block((start, stop)), pair_ids[: last - first])
            for span in piece:
                begin, end = self.offsets[list(span)] - first
                yield self.block(span, pair_ids[begin:end])

    def _pieces(self, spans: Sequence[Span]) -> Iterator[list[Span]]:
        """Group consecutive spans into pieces of at most ``cells_at_once`` cells, but at least one span."""
        piece: list[Span] = []
        for span in spans:
            if piece and self.offsets[span[1]] - self.offsets[piece[0][0]] > self.cells_at_once:
                yield piece
                piece = []
            piece.append(span)
        if piece:
            yield piece


@dataclass(frozen=True, eq=False, repr=False)
class PrunedBlocks(BlockSource):
    """A text cut into blocks of which only some cells were kept.

    pruned: the block that begins with each sentence pair, in the order of the text.
    """

    pruned: Mapping[int, Block]

    def spans(self, block_cells: int, within: Span | None = None) -> Iterator[Span]:
        """Return the spans of the blocks that begin within a run of pairs; ``block_cells`` is ignored."""
        start, end = within or (0, len(self.bitext))
        return ((n, n + len(block)) for n, block in self.pruned.items() if start <= n < end)

    def blocks(self, spans: Sequence[Span]) -> Iterator[Block]:
        return (self.pruned[start] for start, _ in spans)
