"""The co-occurring word pairs of a bitext, and the blocks of sentence pairs that inference runs over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels import cells as cell_kernels
from aligner.kernels import pairs as kernels

if TYPE_CHECKING:
    from aligner.corpus import Bitext

BLOCK_CELLS = 1 << 20
"""Most cells of one block: more put pairs of like size together, fewer keep 16 bytes a cell in the cache."""

_LEAST_BLOCK_CELLS = 1 << 16

MAX_TOKENS = (1 << 16) - 1
"""The longest sentence that can be trained on: positions of kept cells are stored in 16 bits."""


@dataclass(frozen=True, eq=False)
class PairIndex:
    """Which (source type, target type) pairs occur together: one compressed row of slots per source type.

    row_offsets: int64 [source types + 2]; source type s owns the slots from row_offsets[s] to before
    row_offsets[s + 1]; the last row, of the unknown word, is empty. columns: int32 [slots + 1], the slot's
    target type, ascending within a row. Slot 0 stands for every pair that is not in the index, so slots count
    from 1.
    """

    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    target_types: int

    @property
    def source_types(self) -> int:
        """Number of known source types."""
        return len(self.row_offsets) - 2

    def __len__(self) -> int:
        """Number of indexed pairs."""
        return len(self.columns) - 1

    def rows(self) -> NDArray[np.int32]:
        """The source type of each slot, int32 [slots + 1]; slot 0's is the unknown word."""
        sizes = np.diff(self.row_offsets)
        types = np.arange(len(sizes), dtype=np.int32)
        return np.concatenate([np.array([self.source_types], np.int32), np.repeat(types, sizes)])

    def find(self, block: Block) -> Block:
        """The block with the slots of its cells looked up; unseen pairs get slot 0."""
        slots = np.empty(block.cells, np.uint32)
        kernels.find_slots(
            block.source,
            block.source_lengths,
            block.target,
            block.target_lengths,
            np.argsort(block.source, kind="stable"),
            self.row_offsets,
            self.columns,
            self.target_types,
            slots,
        )
        return block.with_slots(slots)

    def select(self, keep: NDArray[np.bool_]) -> tuple[PairIndex, NDArray[np.uint32]]:
        """The index of the slots with keep[slot], bool [slots + 1]; and slot -> new slot, 0 if dropped."""
        keep = keep.copy()
        keep[0] = True
        running = np.cumsum(keep, dtype=np.int64)
        renumber = np.where(keep, running - 1, 0).astype(np.uint32)
        row_offsets = running[self.row_offsets - 1]
        return PairIndex(row_offsets, self.columns[keep], self.target_types), renumber


@dataclass(frozen=True, eq=False)
class Block:
    """A run of sentence pairs, flat: tokens int32, lengths int32 [pairs], slots uint32 [cells] source-major.

    start: the number of its first pair in the text it is a part of. kept: which cells the slots are of, if
    not of all.
    """

    source: NDArray[np.int32]
    source_lengths: NDArray[np.int32]
    target: NDArray[np.int32]
    target_lengths: NDArray[np.int32]
    slots: NDArray[np.uint32]
    start: int = 0
    kept: Kept | None = None

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.source_lengths)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Cells of each pair, I J, int64 [pairs]."""
        return self.source_lengths.astype(np.int64) * self.target_lengths

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(self.sizes.sum())

    def with_slots(self, slots: NDArray[np.uint32]) -> Block:
        """The same block with these slots."""
        return replace(self, slots=slots)

    def gather(
        self, table: NDArray[np.float32], forward: NDArray[np.float32], reverse: NDArray[np.float32]
    ) -> None:
        """Look up every cell: forward [J, I] per pair gets table[slot, 0], reverse [I, J] table[slot, 1]."""
        lengths = self.source_lengths, self.target_lengths
        if self.kept is None:
            cell_kernels.gather(self.slots, table, *lengths, forward, reverse)
        else:
            cell_kernels.gather_sparse(self.slots, *self.kept, table, *lengths, forward, reverse)

    def scatter(
        self, links: NDArray[np.float32], owners: NDArray[np.int32], me: int, counts: NDArray[np.int64]
    ) -> None:
        """Add links (float32 [cells, columns]) to the counts of the source types that ``me`` owns."""
        words = self.source, self.source_lengths, self.target_lengths
        if self.kept is None:
            cell_kernels.scatter(self.slots, links, *words, owners, me, counts)
        else:
            cell_kernels.scatter_sparse(self.slots, *self.kept, links, *words, owners, me, counts)

    def source_major(self, forward: NDArray[np.float32]) -> NDArray[np.float32]:
        """Forward cells, [J, I] per pair, in the order of reverse ones, [I, J]."""
        out = np.empty_like(forward)
        cell_kernels.transpose(forward, self.source_lengths, self.target_lengths, out)
        return out

    def side_by_side(self, forward: NDArray[np.float32], reverse: NDArray[np.float32]) -> NDArray[np.float32]:
        """Both directions' cells as two columns, source-major: float32 [cells, 2]."""
        out = np.empty((len(reverse), 2), np.float32)
        cell_kernels.side_by_side(forward, reverse, self.source_lengths, self.target_lengths, out)
        return out

    def sum_by_pair(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Sums of cells over each sentence pair, float64 [pairs]; every pair must have a cell."""
        sizes = self.sizes
        return np.add.reduceat(values, np.cumsum(sizes) - sizes, dtype=np.float64)

    def keep(self, links: NDArray[np.float32], threshold: float) -> Block:
        """The block without the slots of cells whose links are all below ``threshold``."""
        if self.kept is not None:
            raise ValueError("cells are dropped only once")
        runs = np.empty(len(self.source), np.uint16)
        columns = np.empty(len(self.slots), np.uint16)
        slots = np.empty(len(self.slots), np.uint32)
        count = cell_kernels.keep(
            self.slots, links, threshold, self.source_lengths, self.target_lengths, runs, columns, slots
        )
        return replace(self, slots=slots[:count].copy(), kept=Kept(runs, columns[:count].copy()))


class Kept(NamedTuple):
    """Which cells of a block have slots: how many per source token, and their target positions, uint16."""

    runs: NDArray[np.uint16]
    columns: NDArray[np.uint16]


_NO_SLOTS = np.empty(0, np.uint32)


@dataclass(frozen=True, eq=False)
class CellText:
    """A bitext cut into blocks of cells.

    offsets: int64 [pairs + 1], first cell of each pair. For an indexed training text, slots: uint32 [cells];
    after ``keep``, the slots are those of the kept cells only, and kept_offsets: int64 [pairs + 1] says where
    each pair's begin.
    """

    bitext: Bitext
    offsets: NDArray[np.int64]
    slots: NDArray[np.uint32] | None = None
    kept: Kept | None = None
    kept_offsets: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, bitext: Bitext) -> CellText:
        """Number the bitext's cells."""
        sizes = bitext.sizes
        offsets = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        return cls(bitext, offsets)

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
        block = Block(
            source.tokens[s[0] : s[-1]],
            np.diff(s).astype(np.int32),
            target.tokens[t[0] : t[-1]],
            np.diff(t).astype(np.int32),
            _NO_SLOTS,
            start,
        )
        if self.slots is None:
            return block
        if self.kept is None or self.kept_offsets is None:
            return block.with_slots(self.slots[self.offsets[start] : self.offsets[stop]])
        own = slice(self.kept_offsets[start], self.kept_offsets[stop])
        kept = Kept(self.kept.runs[s[0] : s[-1]], self.kept.columns[own])
        return replace(block, slots=self.slots[own], kept=kept)

    def keep(self, blocks: Sequence[Block]) -> CellText:
        """The text with the slots that these blocks, all of it in order, have kept."""
        kept = [block.kept for block in blocks if block.kept is not None]
        runs = np.concatenate([part.runs for part in kept])
        by_token = np.zeros(len(runs) + 1, np.int64)
        np.cumsum(runs, out=by_token[1:])
        return CellText(
            self.bitext,
            self.offsets,
            np.concatenate([block.slots for block in blocks]),
            Kept(runs, np.concatenate([part.columns for part in kept])),
            by_token[self.bitext.source.offsets],
        )


def index_pairs(bitext: Bitext, threads: int = 1) -> tuple[PairIndex, CellText]:
    """Index the bitext's co-occurring pairs and give every cell its slot.

    Linear in the cells: each source type visits the target sides of the pairs it occurs in, stamping target
    types. Source types are dealt to threads in runs; the result does not depend on how.
    """
    text = CellText.of(bitext)
    source, target = bitext.source, bitext.target
    source_types, target_types = len(bitext.source_vocabulary), len(bitext.target_vocabulary)
    starts, pair, position = kernels.occurrences(source.tokens, source.offsets, source_types)
    work = np.zeros(source_types + 1, np.int64)
    np.cumsum(np.bincount(_types(source.tokens, source_types), minlength=source_types), out=work[1:])
    runs = threads * 4 if threads > 1 else 1
    edges = np.searchsorted(work, np.linspace(0, work[-1], runs + 1)).astype(np.int64)
    edges[0], edges[-1] = 0, source_types
    sizes = np.zeros(source_types, np.int64)
    with ThreadPoolExecutor(threads) as pool:

        def count(first: int, last: int) -> None:
            kernels.count_row_pairs(
                first, last, starts, pair, target.tokens, target.offsets, target_types, sizes
            )

        list(pool.map(count, edges[:-1], edges[1:]))
        row_offsets = np.ones(source_types + 2, np.int64)
        row_offsets[1:-1] += np.cumsum(sizes)
        row_offsets[-1] = row_offsets[-2]
        columns = np.full(row_offsets[-1], -1, np.int32)
        slots = np.zeros(text.cells, np.uint32)

        def fill(first: int, last: int) -> None:
            kernels.fill_rows(
                first,
                last,
                starts,
                pair,
                position,
                target.tokens,
                target.offsets,
                target_types,
                text.offsets,
                row_offsets,
                columns,
                slots,
            )

        list(pool.map(fill, edges[:-1], edges[1:]))
    return PairIndex(row_offsets, columns, target_types), CellText(bitext, text.offsets, slots)


def _types(tokens: NDArray[np.int32], types: int) -> NDArray[np.int32]:
    """The known tokens."""
    return tokens[tokens < types]
