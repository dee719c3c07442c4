"""A bitext cut into blocks of cells, with or without slots, and after cells were dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.corpus import Bitext
from aligner.pairs import SEARCH_CELLS, Block, PairIndex, offsets_of
from aligner.slots import Slots

BLOCK_CELLS = 1 << 20
"""Most cells of one block: more put pairs of like size together, fewer keep 16 bytes a cell in the cache."""

_LEAST_BLOCK_CELLS = 1 << 16

_NO_SLOTS = np.empty(0, np.uint32)


@dataclass(frozen=True, eq=False)
class CellText:
    """A bitext and where each pair's cells begin, offsets: int64 [pairs + 1]. Its blocks have no slots."""

    bitext: Bitext
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, bitext: Bitext) -> CellText:
        """Number the bitext's cells."""
        return CellText(bitext, offsets_of(bitext.sizes))

    @property
    def cells(self) -> int:
        """Number of cells in the whole text."""
        return int(self.offsets[-1])

    def spans(
        self, block_cells: int | None = None, threads: int = 1, within: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Consecutive (start, stop) pair ranges of at most block_cells cells, at least one pair each.

        Without block_cells, of a size that gives every thread a few blocks; no result depends on it. They
        cover the pairs start <= n < stop that ``within`` says, by default all.
        """
        start, end = within or (0, len(self.bitext))
        if block_cells is None:
            cells = int(self.offsets[end] - self.offsets[start])
            block_cells = min(max(cells // (4 * threads), _LEAST_BLOCK_CELLS), BLOCK_CELLS)
        while start < end:
            limit = self.offsets[start] + block_cells
            stop = max(start + 1, int(np.searchsorted(self.offsets, limit, side="right")) - 1)
            stop = min(stop, end)
            yield start, stop
            start = stop

    def block(self, start: int, stop: int) -> Block:
        """The pairs start <= n < stop."""
        source, target = self.bitext.source, self.bitext.target
        s, t = source.offsets[start : stop + 1], target.offsets[start : stop + 1]
        return Block(
            source.tokens[s[0] : s[-1]],
            np.diff(s).astype(np.int32),
            target.tokens[t[0] : t[-1]],
            np.diff(t).astype(np.int32),
            _NO_SLOTS,
            start,
        )


@dataclass(frozen=True, eq=False)
class IndexedText(CellText):
    """A text whose blocks have the slots of all their cells, from where they are kept."""

    slots: Slots

    @classmethod
    def index(cls, text: CellText, pairs: PairIndex, slots: Slots, threads: int = 1) -> IndexedText:
        """Look up the slots of all cells once, and keep them in ``slots``."""
        indexed = cls(text.bitext, text.offsets, slots)

        def find(span: tuple[int, int]) -> None:
            slots.write(int(text.offsets[span[0]]), pairs.find(text.block(*span)).slots)

        pending: deque[Future[None]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for span in text.spans(min(SEARCH_CELLS, max(text.cells // threads, 1))):
                pending.append(pool.submit(find, span))
                if len(pending) > threads:
                    pending.popleft().result()
            for future in pending:
                future.result()
        return indexed

    def block(self, start: int, stop: int) -> Block:
        """The pairs start <= n < stop, with slots."""
        first, last = self.offsets[[start, stop]].tolist()
        return super().block(start, stop).with_slots(self.slots.read(first, last))


@dataclass(frozen=True, eq=False)
class PrunedText(CellText):
    """A text of which only some cells have slots; its blocks, by their first pair and in order, are given."""

    blocks: Mapping[int, Block]

    def spans(
        self, block_cells: int | None = None, threads: int = 1, within: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """The pairs start <= n < stop of each block that begins within, whatever its size."""
        start, end = within or (0, len(self.bitext))
        return ((n, n + len(block)) for n, block in self.blocks.items() if start <= n < end)

    def block(self, start: int, stop: int) -> Block:
        """The block of these pairs, one of the spans."""
        return self.blocks[start]
