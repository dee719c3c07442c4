"""The two lexical tables, t(f|e) and t(e|f), over one index of word pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.pairs import PairIndex
from aligner.parallel import over, over_in_turn, parts_of, runs_of

FLOOR = 1e-12
"""The least lexical probability, and the one of a pair never seen together or an unknown word.

Small enough that it changes no estimate, large enough that a product of two with a jump stays a normal
float32: no sentence ever has probability zero.
"""

_MOST_ADDING = 16
"""How many threads at most add up the target side's totals."""

_FEW_SLOTS = 1 << 18
"""So many are normalised by one thread: others would begin when it is done."""

_LARGE = 32 << 20
"""Bytes: of smaller arrays, glibc keeps what is freed, and can do more with one than with half of one."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Both directions' translation probabilities, float32.

    table: [slots + 1, 2], t(target | source) and t(source | target) of each slot, FLOOR in row 0;
    null_forward: [target types + 1], t(target | NULL); null_reverse: [source types + 1], t(source | NULL);
    their last entries, of the unknown word, are FLOOR.
    """

    pairs: PairIndex
    table: NDArray[np.float32]
    null_forward: NDArray[np.float32]
    null_reverse: NDArray[np.float32]

    @staticmethod
    def uniform(pairs: PairIndex, threads: int = 1) -> Lexicon:
        """Uniform over the words that occur together with the conditioning word (Brown et al. 1993)."""
        return _Uniform(pairs, threads)

    @property
    def shares(self) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """If rows are uniform, what each word's has in it: float32 [source types + 1], [target types + 1]."""
        return None

    def maximise(
        self,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        """The maximum-likelihood tables of fixed-point expected counts.

        links: int64 [slots + 1, 1 or 2] (one column serves both directions), used up: the new table takes the
        place of one column; two that are large become one, in place. null_*: int64, shaped like this
        lexicon's. A conditioning word without any count keeps its row.
        """
        pairs = self.pairs
        totals = self.totals(links, threads)
        forward, reverse = (_inverse(total) for total in totals)
        halve = links.shape[1] == 2 and links.nbytes >= _LARGE and links.flags.owndata
        in_place = links.shape[1] == 1 or halve
        room = links.reshape(-1)[: len(links)] if in_place else np.empty(len(links), np.int64)
        table = room.view(np.float32).reshape(-1, 2)
        table[0] = FLOOR
        # The unknown word, the last, has no row.
        before = table if all(total[:-1].all() for total in totals) else self.table

        def normalise(run: tuple[int, int]) -> None:
            counts = links, pairs.row_offsets, pairs.columns
            kernels.lexicon_table.normalise(*run, *counts, forward, reverse, FLOOR, before, table)

        rows = pairs.row_offsets
        over_in_turn(_halving(rows, threads) if halve else [runs_of(rows, 4 * threads)], normalise, threads)
        if halve:  # the other half is given back
            links.resize((len(links), 1), refcheck=False)
            table = links.view(np.float32)
        return Lexicon(
            pairs,
            table,
            _normalised_row(null_forward, self.null_forward),
            _normalised_row(null_reverse, self.null_reverse),
        )

    def totals(
        self, links: NDArray[np.int64], threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of fixed-point counts, [slots + 1, 1 or 2]: float64 [source types + 1] and [target types + 1].

        Sums are exact before they are rounded to these.
        """
        pairs = self.pairs
        forward = np.zeros(pairs.source_types + 1, np.int64)

        def add_up(run: tuple[int, int]) -> NDArray[np.int64]:
            reverse = np.zeros(pairs.target_types + 1, np.int64)
            kernels.lexicon_table.totals(*run, links, pairs.row_offsets, pairs.columns, forward, reverse)
            return reverse

        # Each has an array of its own, as large as a vocabulary.
        runs = runs_of(pairs.row_offsets, min(threads, _MOST_ADDING))
        reverse = np.sum(over(runs, add_up, threads), axis=0, dtype=np.int64)
        # A word of many translations may explain more than it occurs: sums may use the sign for a number.
        return forward.view(np.uint64).astype(float), reverse.view(np.uint64).astype(float)

    def select(self, keep: NDArray[np.bool_], threads: int = 1) -> tuple[Lexicon, NDArray[np.uint32]]:
        """The lexicon of the slots with keep[slot], bool [slots + 1]; and slot -> new slot, 0 if dropped."""
        pairs, renumber = self.pairs.select(keep, threads)
        table = np.empty((len(pairs) + 1, 2), np.float32)
        table[0] = self.table[0]

        def copy(run: tuple[int, int]) -> None:
            kernels.lexicon_table.select(*run, renumber, self.table, table)

        over(parts_of(len(renumber), 4 * threads), copy, threads)
        return Lexicon(pairs, table, self.null_forward, self.null_reverse), renumber

    def rows(self, direction: int) -> NDArray[np.int32]:
        """The conditioning word of each pair, int32 [slots]: its source if forward (0), else its target."""
        return self.pairs.rows()[1:] if direction == 0 else self.pairs.columns[1:]

    def compact(self) -> Lexicon:
        """Without the pairs that are no more probable than an unseen one in either direction: lossless."""
        # Said as "not at most", what is not a number is kept, for ``save`` to find.
        least = np.float32(FLOOR)
        return self.select(~((self.table[:, 0] <= least) & (self.table[:, 1] <= least)))[0]


class _Uniform(Lexicon):
    """A lexicon whose table is made when it is asked for: mostly, who asks for ``shares`` does not."""

    _threads: int

    def __init__(self, pairs: PairIndex, threads: int) -> None:
        null_forward, null_reverse = _uniform_row(pairs.target_types), _uniform_row(pairs.source_types)
        vars(self).update(pairs=pairs, null_forward=null_forward, null_reverse=null_reverse, _threads=threads)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        widths, heights = np.diff(self.pairs.row_offsets), self.pairs.column_sizes
        return _inverse(widths).astype(np.float32), _inverse(heights).astype(np.float32)

    @cached_property
    def table(self) -> NDArray[np.float32]:
        pairs = self.pairs
        table = np.empty((len(pairs) + 1, 2), np.float32)
        table[0] = FLOOR
        forward, reverse = self.shares

        def fill(run: tuple[int, int]) -> None:
            kernels.lexicon_table.uniform(*run, pairs.row_offsets, pairs.columns, forward, reverse, table)

        over(runs_of(pairs.row_offsets, 4 * self._threads), fill, self._threads)
        return table


def _halving(row_offsets: NDArray[np.int64], threads: int) -> Iterator[list[tuple[int, int]]]:
    """Runs of rows that take half the room afterwards, from the start on: those of a list after those before.

    What becomes of a list's lies where lists before it were if it ends before twice its beginning, or else it
    is one run, which is done from its first slot to its last.
    """
    first, end = 0, len(row_offsets) - 1
    while first < end:
        limit = max(2 * row_offsets[first], _FEW_SLOTS if threads > 1 else row_offsets[-1])
        last = max(int(np.searchsorted(row_offsets, limit, side="right")) - 1, first + 1)
        parts = 4 * threads if 2 * row_offsets[first] == limit else 1
        yield [(first + a, first + b) for a, b in runs_of(row_offsets[first : last + 1], parts)]
        first = last


def _uniform_row(types: int) -> NDArray[np.float32]:
    row = np.full(types + 1, 1.0 / max(types, 1), np.float32)
    row[-1] = FLOOR
    return row


def _inverse(totals: NDArray[Any]) -> NDArray[np.float64]:
    """One over each, or 0 where there is nothing."""
    return np.divide(1.0, totals, out=np.zeros(len(totals)), where=totals > 0)


def _normalised_row(counts: NDArray[np.int64], before: NDArray[np.float32]) -> NDArray[np.float32]:
    total = counts.sum(dtype=np.float64)  # of all tokens, perhaps: more than 64 bits of fixed point hold
    if total <= 0:
        return before
    row = np.maximum(counts / total, FLOOR).astype(np.float32)
    row[-1] = FLOOR
    return row
