"""A bitext cut into blocks of cells: without slots, with them at hand or looked up, or with those of some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import local

import numpy as np
from numpy.typing import NDArray

from aligner.blocks import Block
from aligner.corpus import Bitext
from aligner.kernels.constants import LANES
from aligner.pairs import PairIndex
from aligner.parallel import over
from aligner.sentences import offsets_of

BLOCK_CELLS = 1 << 18
"""Cells of one block: with more, 16 bytes a cell leave the cache; with fewer, calls take their time."""

_LARGE_BLOCK_CELLS = 1 << 20
"""The same for many threads, only one of which can prepare a block at a time, or a text of many blocks."""

_FEW_THREADS = 8
_FEW_BLOCKS = 1 << 14
_LEAST_BLOCK_CELLS = 1 << 16

SEARCH_CELLS = 15 << 19
"""The fewest cells to look slots up of at a time, unless there are fewer: they take 30 MiB."""

_NO_SLOTS = np.empty(0, np.uint32)


def most_block_cells(threads: int) -> int:
    """Cells of one block, at most, where so many threads prepare blocks."""
    return BLOCK_CELLS if threads <= _FEW_THREADS else _LARGE_BLOCK_CELLS


def search_cells(cells: int, threads: int) -> int:
    """How many cells of a text it is fastest to look slots up of at a time.

    A word's row is spread out each time, and rows are long in long texts; but every thread must come for more
    several times, for one not to wait for another.
    """
    return min(max(cells // (8 * threads), SEARCH_CELLS), 4 * SEARCH_CELLS)


@dataclass(frozen=True, eq=False)
class CellText:
    """A bitext and where each pair's cells begin, offsets: int64 [pairs + 1]. Its blocks have no slots."""

    bitext: Bitext
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, bitext: Bitext) -> CellText:
        """Number the bitext's cells."""
        return CellText(bitext, offsets_of(bitext.sizes))

    def without_slots(self) -> CellText:
        """The text alone."""
        return CellText(self.bitext, self.offsets)

    def indexed(self, pairs: PairIndex, threads: int = 1) -> IndexedText:
        """The text with the slots of all its cells."""
        return IndexedText(self.bitext, self.offsets, pairs, threads)

    def searched(self, pairs: PairIndex, at_once: int) -> SearchedText:
        """The text with the slots of so many cells at a time."""
        return SearchedText(self.bitext, self.offsets, pairs, at_once)

    @property
    def cells(self) -> int:
        """Number of cells in the whole text."""
        return int(self.offsets[-1])

    def prepare(self) -> None:
        """Do what is to be done once, before several threads ask for blocks."""
        _ = self._lengths

    def block_cells(self, threads: int) -> int:
        """Cells of one block: such that each of several threads has a few."""
        few = self.cells <= _FEW_BLOCKS * BLOCK_CELLS
        most = most_block_cells(threads) if few else _LARGE_BLOCK_CELLS
        share = self.cells // (4 * threads)
        return most if threads == 1 else min(max(share, _LEAST_BLOCK_CELLS), most)

    def stretch(self, threads: int) -> int:
        """How many blocks after another each of several threads had best ask for."""
        return 1

    def searches(self, start: int, stop: int) -> bool:
        """Whether to ask for these pairs costs the thread the slots of the blocks that it has got before."""
        return False

    def spans(
        self, block_cells: int | None = None, threads: int = 1, within: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Consecutive (start, stop) pair ranges of at most block_cells cells, at least one pair each.

        Without block_cells, of the size for so many threads; no result depends on it. They cover the pairs
        start <= n < stop that ``within`` says, by default all. Each has a multiple of the pairs that go side
        by side, lest lanes stay empty, but for the last, and those that have room for fewer.
        """
        start, end = within or (0, len(self.bitext))
        block_cells = block_cells or self.block_cells(threads)
        while start < end:
            limit = self.offsets[start] + block_cells
            stop = max(start + 1, int(np.searchsorted(self.offsets, limit, side="right")) - 1)
            stop = min(stop, end)
            if stop < end and stop - start > LANES:
                stop -= (stop - start) % LANES
            yield start, stop
            start = stop

    def block(self, start: int, stop: int, until: int | None = None) -> Block:
        """The pairs start <= n < stop, for a thread that goes on from there, at most until another one."""
        return self._block(start, stop, _NO_SLOTS)

    @cached_property
    def _lengths(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        source, target = self.bitext.source.lengths, self.bitext.target.lengths
        return source.astype(np.int32), target.astype(np.int32)

    def _block(self, start: int, stop: int, slots: NDArray[np.uint32]) -> Block:
        """The pairs start <= n < stop, with slots."""
        (source, source_lengths), (target, target_lengths) = (
            (side.tokens[side.offsets[start] : side.offsets[stop]], lengths[start:stop])
            for side, lengths in zip((self.bitext.source, self.bitext.target), self._lengths, strict=True)
        )
        return Block(source, source_lengths, target, target_lengths, slots, start)


@dataclass(frozen=True, eq=False)
class IndexedText(CellText):
    """A text that has all its slots looked up when the first is asked for, and then in memory."""

    pairs: PairIndex
    threads: int = 1

    @cached_property
    def slots(self) -> NDArray[np.uint32]:
        """The slots of all cells, uint32 [cells]."""
        slots = np.empty(self.cells, np.uint32)

        def find(span: tuple[int, int]) -> None:
            first, last = self.offsets[list(span)]
            self.pairs.find_into(self._block(*span, _NO_SLOTS), slots[first:last])

        size = min(search_cells(self.cells, self.threads), -(-self.cells // self.threads))
        over(self.spans(size), find, self.threads)
        return slots

    def prepare(self) -> None:
        """Look up the slots, too."""
        super().prepare()
        _ = self.slots

    def block(self, start: int, stop: int, until: int | None = None) -> Block:
        """The pairs start <= n < stop, with slots."""
        return self._block(start, stop, self.slots[self.offsets[start] : self.offsets[stop]])


@dataclass(frozen=True, eq=False)
class SearchedText(CellText):
    """A text that has slots looked up again whenever a block is asked for: as fast if large, and small.

    A thread that asks for one block after another has those of ``at_once`` cells looked up at a time, or of
    fewer if it says that it will not go on.
    """

    pairs: PairIndex
    at_once: int
    _found: local = field(default_factory=local)

    def stretch(self, threads: int) -> int:
        """Those that are looked up at once."""
        return max(1, self.at_once // self.block_cells(threads))

    def searches(self, start: int, stop: int) -> bool:
        """Whether to ask for these pairs costs the thread the slots of the blocks that it has got before."""
        begin, end, _ = vars(self._found).get("run", (0, 0, _NO_SLOTS))
        return not begin <= start < stop <= end

    def block(self, start: int, stop: int, until: int | None = None) -> Block:
        """The pairs start <= n < stop, with slots, which last until the thread ``searches`` for others."""
        searches = self.searches(start, stop)
        begin, end, slots = vars(self._found).pop("run", (0, 0, _NO_SLOTS))
        if searches:
            coming = start, len(self.bitext) if until is None else until
            begin, end = next(super().spans(self.at_once, within=coming))
            end = max(end, stop)
            cells = int(self.offsets[end] - self.offsets[begin])
            if len(slots) < cells:
                del slots
                slots = np.empty(max(cells, min(self.at_once, self.cells)), np.uint32)
            self.pairs.find_into(self._block(begin, end, _NO_SLOTS), slots[:cells])
        self._found.run = begin, end, slots
        first = self.offsets[begin]
        return self._block(start, stop, slots[self.offsets[start] - first : self.offsets[stop] - first])


@dataclass(frozen=True, eq=False)
class PrunedText(CellText):
    """A text of which only some cells have slots; its blocks, by their first pair and in order, are given."""

    blocks: Mapping[int, Block]

    def prepare(self) -> None:
        """Nothing is to be done."""

    def spans(
        self, block_cells: int | None = None, threads: int = 1, within: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """The pairs start <= n < stop of each block that begins within, whatever its size."""
        start, end = within or (0, len(self.bitext))
        return ((n, n + len(block)) for n, block in self.blocks.items() if start <= n < end)

    def block(self, start: int, stop: int, until: int | None = None) -> Block:
        """The block of these pairs, one of the spans."""
        return self.blocks[start]
