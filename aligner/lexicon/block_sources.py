"""Sources of blocks: a text cut into blocks without pair_ids, or with pair_ids of all or of the kept cells.

Terms of ranges:

span
    Consecutive sentence pairs, start <= n < stop. A block holds the pairs of one span.
part
    The span of an E-step: the whole text, or one mini-batch.
stretch
    The consecutive spans whose blocks a thread takes at a time (see ``training.estep``).
look-up
    The consecutive spans whose pair_ids are found at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Int32s, Int64s, offsets_of
from aligner.kernels.constants import MOST_LANES
from aligner.lexicon.blocks import Block, KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.text.bitext import SentencePairs
from aligner.text.rows import gather_rows
from aligner.text.sentences import Sentences

BLOCK_CELLS = 1 << 20
"""The cells of one block, at most. The steps between kernels hold the GIL once for each block.

Inference is 10 % faster than with 2^18 cells, because more pairs of similar length go side by side.
"""

_LEAST_BLOCK_CELLS = 1 << 16

SEARCH_CELLS = 15 << 19
"""Default number of cells of a look-up: 30 MiB of pair_ids for each thread."""

_NO_IDS = np.empty(0, np.uint32)

Span: TypeAlias = tuple[int, int]
"""Consecutive sentence pairs: start <= n < stop."""


def search_cells(cells: int, threads: int) -> int:
    """Return the number of cells of a look-up, for a text with this many cells.

    Every look-up spreads out the row of each of its words, so few large look-ups are fast. With fewer than 8
    look-ups for each thread, some threads would wait for others at the end.
    """
    return min(max(cells // (8 * threads), SEARCH_CELLS), 2 * SEARCH_CELLS)


@dataclass(frozen=True, eq=False)
class BlockSource:
    """A text cut into blocks. Blocks of this class have no pair_ids.

    Attributes
    ----------
    bitext
        The text.
    numbers
        The numbers of its pairs that are in blocks, in the order of the blocks, int64 [pairs].
    offsets
        The number of cells before each of these pairs, int64 [pairs + 1].
    """

    bitext: SentencePairs
    numbers: Int64s
    offsets: Int64s

    def __len__(self) -> int:
        """Return the number of sentence pairs in blocks."""
        return len(self.numbers)

    @classmethod
    def of(cls, bitext: SentencePairs, numbers: Int64s | None = None) -> BlockSource:
        """Return a source for a bitext; numbers: the pairs in blocks, by default all in order."""
        if numbers is None:
            numbers = np.arange(len(bitext))
        return BlockSource(bitext, numbers, offsets_of(bitext.sizes[numbers]))

    def searched(
        self, index: CooccurrenceIndex, cells_at_once: int, kept_cells: KeptBits | None = None
    ) -> SearchedBlocks:
        """Return a source whose blocks have pair_ids, looked up for ``cells_at_once`` cells at a time."""
        return SearchedBlocks(self.bitext, self.numbers, self.offsets, index, cells_at_once, kept_cells)

    @property
    def lengths(self) -> tuple[Int64s, Int64s]:
        """The source and the target length of each pair, int64 [pairs]."""
        return self.bitext.source.lengths[self.numbers], self.bitext.target.lengths[self.numbers]

    @property
    def cells(self) -> int:
        """The number of cells in the text."""
        return int(self.offsets[-1])

    @property
    def cells_per_stretch(self) -> int:
        """The number of cells of a stretch, if the text has enough; 0 for stretches of one block."""
        return 0

    def block_cells(self, threads: int) -> int:
        """Return the number of cells of one block, so that each of several threads has a few blocks."""
        if threads == 1:
            return BLOCK_CELLS
        return min(max(self.cells // (4 * threads), _LEAST_BLOCK_CELLS), BLOCK_CELLS)

    def spans(self, block_cells: int, part: Span | None = None) -> Iterator[Span]:
        """Cut a part of the text into spans of at most ``block_cells`` cells, and at least one pair each.

        part: by default the whole text. No result of training or decoding depends on
        ``block_cells``. The number of pairs in a span is a multiple of the vector lanes where possible.
        """
        start, end = part or (0, len(self))
        while start < end:
            limit = self.offsets[start] + block_cells
            stop = max(start + 1, int(np.searchsorted(self.offsets, limit, side="right")) - 1)
            stop = min(stop, end)
            if stop < end and stop - start > MOST_LANES:
                stop -= (stop - start) % MOST_LANES
            yield start, stop
            start = stop

    def blocks(self, spans: Sequence[Span]) -> Iterator[Block]:
        """Yield the blocks of consecutive spans. A block is valid until the next one is requested."""
        return self.blocks_of([spans])

    def blocks_of(self, stretches: Iterable[Sequence[Span]]) -> Iterator[Block]:
        """Yield the blocks of one stretch after another. A block is valid until the next one is requested."""
        return (self._block(span) for spans in stretches for span in spans)

    def _block(self, span: Span, pair_ids: NDArray[np.uint32] = _NO_IDS) -> Block:
        """Return the block of a span. Its words are copied from the text."""
        start, stop = span
        sides = (_words(side, self.numbers[start:stop]) for side in (self.bitext.source, self.bitext.target))
        return Block(*next(sides), *next(sides), pair_ids, start)


def _words(side: Sentences, numbers: Int64s) -> tuple[Int32s, Int32s]:
    """Return the words of sentences, one sentence after another, and their lengths."""
    starts = side.offsets[numbers]
    lengths = (side.offsets[numbers + 1] - starts).astype(np.int32)
    return gather_rows(side.tokens, starts, offsets_of(lengths)), lengths


@dataclass(frozen=True, eq=False)
class SearchedBlocks(BlockSource):
    """A text cut into blocks whose pair_ids are looked up each time the blocks are requested.

    To look ids up again costs 3 to 6 % more CPU time for 100,000 pairs, and saves 4 bytes a cell.

    Attributes
    ----------
    index
        The co-occurrence index.
    cells_at_once
        The number of cells of a look-up, at most, unless a single block has more.
    kept_cells
        The cells that have a pair_id after pruning, or None if all have one.
    """

    index: CooccurrenceIndex
    cells_at_once: int
    kept_cells: KeptBits | None = None

    @property
    def cells_per_stretch(self) -> int:
        return self.cells_at_once

    def blocks_of(self, stretches: Iterable[Sequence[Span]]) -> Iterator[Block]:
        # One array for all look-ups: allocators would keep the memory of arrays that come and go.
        pair_ids = np.empty(min(self.cells_at_once, self.cells), np.uint32)
        for lookup in (lookup for spans in stretches for lookup in self._lookups(spans)):
            before = self.offsets[lookup[0][0]]
            cells = self.offsets[lookup[-1][1]] - before
            if len(pair_ids) < cells:
                pair_ids = np.empty(cells, np.uint32)
            found = self.index.find(self._block((lookup[0][0], lookup[-1][1])), pair_ids[:cells])
            for start, stop in lookup:
                own = pair_ids[self.offsets[start] - before : self.offsets[stop] - before]
                block = found if len(lookup) == 1 else self._block((start, stop), own)
                yield block if self.kept_cells is None else self.kept_cells.select(block)

    def _lookups(self, spans: Sequence[Span]) -> Iterator[list[Span]]:
        """Group consecutive spans into look-ups of at most ``cells_at_once`` cells, but at least one span."""
        lookup: list[Span] = []
        for span in spans:
            if lookup and self.offsets[span[1]] - self.offsets[lookup[0][0]] > self.cells_at_once:
                yield lookup
                lookup = []
            lookup.append(span)
        if lookup:
            yield lookup
