"""The co-occurring word pairs of a bitext, and blocks of sentence pairs with the slots of their cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.kernels import cells as cell_kernels
from aligner.kernels import pairs as kernels
from aligner.kernels import rows as row_kernels
from aligner.parallel import many, over, runs_of
from aligner.sentences import offsets_of

MAX_SLOTS = 1 << 32
"""How many slots, slot 0 among them, have a number in 32 bits."""

_AT_ONCE = 1 << 22
"""About how many word pairs a thread collects before it sorts them; more if there are more words."""

_CELLS_BETWEEN = 48
"""As many cells of an occurrence are gone through in the time that it takes to get there."""

_MOST_PARTS = 64
"""Into how many parts at most a text is cut whose words are sorted: each has an array like a vocabulary."""


class Part(NamedTuple):
    """A run of pairs, first <= n < last, and its places: of type s from begins[s] to before ends[s]."""

    run: tuple[int, int]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class Occurrences(NamedTuple):
    """Inverted index of one side of a text: where each of its words is.

    starts: int64 [types + 2]; the tokens of type s have the places from starts[s] to before starts[s + 1], in
    the order of the text; the last type is the unknown word. pair, position: int32 [tokens], by place. runs:
    of pairs; ends: int64 [runs, types + 1], before which place of each type the run ends.
    """

    starts: NDArray[np.int64]
    pair: NDArray[np.int32]
    position: NDArray[np.int32]
    runs: list[tuple[int, int]]
    ends: NDArray[np.int64]

    @classmethod
    def of_source(cls, bitext: Bitext, threads: int = 1) -> Occurrences:
        """Those of a text's source words, in as many runs, that take about as long to go through."""
        work = bitext.sizes + _CELLS_BETWEEN * bitext.source.lengths
        runs = runs_of(offsets_of(work), min(threads, _MOST_PARTS))
        return cls.of(bitext.source.tokens, bitext.source.offsets, len(bitext.source_vocabulary), runs)

    @classmethod
    def of(
        cls,
        tokens: NDArray[np.int32],
        offsets: NDArray[np.int64],
        types: int,
        runs: list[tuple[int, int]],
    ) -> Occurrences:
        """By counting sort: a thread for each run of pairs counts its words, and then knows their places."""
        threads = len(runs)
        places = np.zeros((len(runs), types + 1), np.int64)

        def count(n: int) -> None:
            begin, end = offsets[list(runs[n])]
            kernels.count_types(tokens[begin:end], places[n])

        over(range(len(runs)), count, threads)
        starts = np.empty(types + 2, np.int64)
        kernels.to_places(places, starts)
        pair, position = np.empty(len(tokens), np.int32), np.empty(len(tokens), np.int32)

        def sort(n: int) -> None:
            kernels.sort_occurrences(*runs[n], tokens, offsets, places[n], pair, position)

        over(range(len(runs)), sort, threads)
        return cls(starts, pair, position, runs, places)

    def parts(self) -> list[Part]:
        """The runs of pairs with their places."""
        begins = [self.starts[:-1], *self.ends]
        return [Part(*part) for part in zip(self.runs, begins[:-1], self.ends, strict=True)]


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

    @classmethod
    def of(cls, bitext: Bitext, threads: int = 1, occurrences: Occurrences | None = None) -> PairIndex:
        """Index what occurs together in a text; occurrences: those of its source words, if at hand.

        Linear in the cells: each source type visits the target sides of the pairs it occurs in, stamping
        target types. Source types are dealt to threads in runs; the result does not depend on how.
        """
        occurrences = occurrences or Occurrences.of_source(bitext, threads)
        sizes, rows = _rows(bitext, occurrences, threads)
        row_offsets = np.ones(len(sizes) + 2, np.int64)
        row_offsets[1:-1] += np.cumsum(sizes)
        row_offsets[-1] = row_offsets[-2]
        if row_offsets[-1] > MAX_SLOTS:
            raise DataError(
                f"found {row_offsets[-1] - 1:,} different word pairs; expected at most {MAX_SLOTS - 1:,};"
                f" train on fewer pairs, or set a lower data.max_length"
            )
        columns = np.empty(row_offsets[-1], np.int32)
        columns[0] = -1
        begins = np.cumsum([1, *map(len, rows)]).tolist()

        def copy(n: int) -> None:
            columns[begins[n] : begins[n + 1]] = rows[n]

        over(range(len(rows)), copy, threads)
        return cls(row_offsets, columns, len(bitext.target_vocabulary))

    @cached_property
    def column_sizes(self) -> NDArray[np.int64]:
        """How many source types occur with each target type, int64 [target types + 1]; counted once."""
        sizes = np.zeros(self.target_types + 1, np.int64)
        kernels.count_types(self.columns[1:], sizes)
        return sizes

    def rows(self) -> NDArray[np.int32]:
        """The source type of each slot, int32 [slots + 1]; slot 0's is the unknown word."""
        sizes = np.diff(self.row_offsets)
        types = np.arange(len(sizes), dtype=np.int32)
        return np.concatenate([np.array([self.source_types], np.int32), np.repeat(types, sizes)])

    def find(self, block: Block) -> Block:
        """The block with the slots of its cells looked up; unseen pairs get slot 0."""
        slots = np.empty(block.cells, np.uint32)
        self.find_into(block, slots)
        return block.with_slots(slots)

    def find_into(self, block: Block, slots: NDArray[np.uint32]) -> None:
        """Write the slots of a block's cells into an array; a word's row is spread out once for them all."""
        everything = [(0, len(block))]
        starts, pair, position, *_ = Occurrences.of(
            block.source, offsets_of(block.source_lengths), self.source_types, everything
        )
        kernels.find_slots(
            starts,
            pair,
            position,
            block.target,
            offsets_of(block.target_lengths),
            offsets_of(block.sizes),
            self.row_offsets,
            self.columns,
            self.target_types,
            slots,
        )

    def select(self, keep: NDArray[np.bool_], threads: int = 1) -> tuple[PairIndex, NDArray[np.uint32]]:
        """The index of the slots with keep[slot], bool [slots + 1]; and slot -> new slot, 0 if dropped."""
        runs = runs_of(self.row_offsets, 4 * threads)
        sizes = np.zeros(len(self.row_offsets) - 1, np.int64)
        over(runs, lambda run: row_kernels.count_kept(*run, self.row_offsets, keep, sizes), threads)
        row_offsets = 1 + offsets_of(sizes)
        columns = np.empty(row_offsets[-1], np.int32)
        columns[0] = self.columns[0]
        renumber = np.zeros(len(keep), np.uint32)

        def copy(run: tuple[int, int]) -> None:
            row_kernels.select(*run, self.row_offsets, keep, self.columns, row_offsets, columns, renumber)

        over(runs, copy, threads)
        return PairIndex(row_offsets, columns, self.target_types), renumber


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

    @cached_property
    def cells(self) -> int:
        """Number of cells."""
        return int(self.sizes.sum())

    def with_slots(self, slots: NDArray[np.uint32], kept: Kept | None = None) -> Block:
        """The same block with these slots, of all cells or of those that are kept."""
        return replace(self, slots=slots, kept=kept)

    def gather(
        self, table: NDArray[np.float32], forward: NDArray[np.float32], reverse: NDArray[np.float32]
    ) -> None:
        """Look up every cell: forward [J, I] per pair gets table[slot, 0], reverse [I, J] table[slot, 1]."""
        lengths = self.source_lengths, self.target_lengths
        if self.kept is None:
            cell_kernels.gather(self.slots, table, *lengths, forward, reverse)
        else:
            cell_kernels.gather_sparse(self.slots, *self.kept, table, *lengths, forward, reverse)

    def to_add(
        self, links: NDArray[np.float32]
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """What ``counting.add_links`` adds of links, float32 [slots, columns]."""
        if self.kept is None:
            return self.slots, links, self.source, np.repeat(self.target_lengths, self.source_lengths)
        return self.slots, links, self.source, self.kept.runs.astype(np.int32)

    def source_major(self, forward: NDArray[np.float32]) -> NDArray[np.float32]:
        """Forward cells, [J, I] per pair, in the order of reverse ones, [I, J]."""
        out = np.empty_like(forward)
        cell_kernels.transpose(forward, self.source_lengths, self.target_lengths, out)
        return out

    # What follows combines both directions' cells, source-major, of those that have slots.

    def multiply(
        self, forward: NDArray[np.float32], reverse: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Both directions' cells multiplied, float32 [slots], and their sums, float64 [pairs]."""
        lengths, sums = (self.source_lengths, self.target_lengths), np.empty(len(self))
        if self.kept is None:
            out = np.empty_like(reverse)
            cell_kernels.multiply(forward, reverse, *lengths, out, sums)
        else:
            out = np.empty(len(self.slots), np.float32)
            cell_kernels.multiply_kept(*self.kept, forward, reverse, *lengths, out, sums)
        return out, sums

    def average(self, forward: NDArray[np.float32], reverse: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mean of both directions' cells, float32 [slots]."""
        out, half = np.empty_like(reverse), np.float32(0.5)
        cell_kernels.add(forward, reverse, half, half, self.source_lengths, self.target_lengths, out)
        return self.that_have_slots(out[:, None])[:, 0]

    def side_by_side(self, *cells: NDArray[np.float32]) -> NDArray[np.float32]:
        """Forward and reverse cells, by turns, as columns: float32 [slots, columns]."""
        out = np.empty((len(cells[0]), len(cells)), np.float32)
        cell_kernels.side_by_side(cells, self.source_lengths, self.target_lengths, out)
        return self.that_have_slots(out)

    def that_have_slots(self, cells: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of all cells, float32 [cells, columns], source-major, those that have slots."""
        if self.kept is None:
            return cells
        kept = np.empty((len(self.slots), cells.shape[1]), np.float32)
        cell_kernels.select_kept(*self.kept, cells, self.source_lengths, self.target_lengths, kept)
        return kept

    def keep(self, links: NDArray[np.float32], threshold: float) -> Block:
        """The block without the slots of cells whose links are all below ``threshold``."""
        if self.kept is not None:
            raise ValueError("cells are dropped only once")
        count = cell_kernels.count_kept(links, threshold)
        runs, columns = np.empty(len(self.source), np.uint16), np.empty(count + 1, np.uint16)
        slots = np.empty(count + 1, np.uint32)
        lengths = self.source_lengths, self.target_lengths
        cell_kernels.keep(self.slots, links, threshold, *lengths, runs, columns, slots)
        return replace(self, slots=slots[:count], kept=Kept(runs, columns[:count]))


class Kept(NamedTuple):
    """Which cells of a block have slots: how many per source token, and their target positions, uint16."""

    runs: NDArray[np.uint16]
    columns: NDArray[np.uint16]


def _rows(
    bitext: Bitext, occurrences: Occurrences, threads: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int32]]]:
    """How many target types occur with each source type, int64 [source types], and which, piece by piece.

    Target types ascend within each source type.
    """
    target, target_types = bitext.target, len(bitext.target_vocabulary)
    starts, pair, *_ = occurrences
    sizes = np.zeros(len(bitext.source_vocabulary), np.int64)
    text = starts, pair, target.tokens, target.offsets, target_types

    runs = runs_of(starts[:-1], many(threads))
    # A fourth of the cells is a guess. A row has room if all words have: to sort a piece takes time for each.
    room = min(int(bitext.sizes.sum()) // (4 * len(runs)), _AT_ONCE) + 2 * target_types

    def collect(run: tuple[int, int]) -> list[NDArray[np.int32]]:
        first, last = run
        stamp = np.full(target_types + 1, -1, np.int32)
        pieces = []
        while first < last:
            columns, begin = np.empty(room, np.int32), first
            first, used = kernels.collect_rows(first, last, *text, stamp, sizes, columns)
            columns.resize(used, refcheck=False)  # the rest is given back
            kernels.sort_rows(sizes[begin:first], columns, target_types)
            pieces.append(columns)
        return pieces

    return sizes, list(chain.from_iterable(over(runs, collect, threads)))
