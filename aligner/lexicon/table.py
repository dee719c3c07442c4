"""The two lexical tables, t(f|e) and t(e|f), over one index of word pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.system.threads import over, parts_of, runs_of

FLOOR = 1e-12
"""The least lexical probability, and the one of a pair never seen together or an unknown word.

Small enough that it changes no estimate, large enough that a product of two with a jump stays a normal
float32: no sentence ever has probability zero.
"""

_MOST_ADDING = 16
"""Threads that add up the totals of target types, at most: each has an array as large as the vocabulary."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The translation probabilities of both directions over one co-occurrence index, float32.

    table: [pair_ids + 1, 2], t(target | source) and t(source | target) of each pair_id, FLOOR in row 0;
    null_forward: [target types + 1], t(target | NULL); null_reverse: [source types + 1], t(source | NULL). The
    last entries of the NULL rows, of out-of-vocabulary words, are FLOOR. uniform_shares: if all rows are
    uniform, the probability of each entry in the row of a word, [source types + 1] and [target types + 1].
    """

    index: CooccurrenceIndex
    table: NDArray[np.float32]
    null_forward: NDArray[np.float32]
    null_reverse: NDArray[np.float32]
    uniform_shares: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    @classmethod
    def uniform(cls, index: CooccurrenceIndex, threads: int = 1) -> Lexicon:
        """Return tables that are uniform over the words that co-occur with a word (Brown et al. 1993)."""
        widths, heights = np.diff(index.row_offsets), index.column_sizes
        forward, reverse = (_inverse(sizes).astype(np.float32) for sizes in (widths, heights))
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = FLOOR

        def fill(run: tuple[int, int]) -> None:
            rows = index.row_offsets, index.columns
            kernels.lexicon_table.uniform(*run, *rows, forward, reverse, table)

        over(runs_of(index.row_offsets, 4 * threads), fill, threads)
        null = _uniform_row(index.target_types), _uniform_row(index.source_types)
        return cls(index, table, *null, uniform_shares=(forward, reverse))

    def mstep(
        self,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        """Return the maximum-likelihood tables of fixed-point expected counts.

        links: int64 [pair_ids + 1, 1 or 2]; one column serves both directions. null_*: int64, of the shapes of
        this lexicon's. A conditioning word without any count keeps its row.
        """
        index = self.index
        forward, reverse = (_inverse(total) for total in self.totals(links, threads))
        table = np.empty((len(links), 2), np.float32)
        table[0] = FLOOR

        def normalise(run: tuple[int, int]) -> None:
            counts = links, index.row_offsets, index.columns
            kernels.lexicon_table.normalise(*run, *counts, forward, reverse, FLOOR, self.table, table)

        over(runs_of(index.row_offsets, 4 * threads), normalise, threads)
        return Lexicon(
            index,
            table,
            _normalised_row(null_forward, self.null_forward),
            _normalised_row(null_reverse, self.null_reverse),
        )

    def totals(
        self, links: NDArray[np.int64], threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of fixed-point counts, [pair_ids + 1, 1 or 2]: float64 [source types + 1] and [target types + 1].

        Sums are exact before they are rounded to these.
        """
        index = self.index
        forward = np.zeros(index.source_types + 1, np.int64)

        def add_up(run: tuple[int, int]) -> NDArray[np.int64]:
            reverse = np.zeros(index.target_types + 1, np.int64)
            kernels.lexicon_table.totals(*run, links, index.row_offsets, index.columns, forward, reverse)
            return reverse

        # Each has an array of its own, as large as a vocabulary.
        runs = runs_of(index.row_offsets, min(threads, _MOST_ADDING))
        reverse = np.sum(over(runs, add_up, threads), axis=0, dtype=np.int64)
        # A word of many translations may explain more than it occurs: sums may use the sign for a number.
        return forward.view(np.uint64).astype(float), reverse.view(np.uint64).astype(float)

    def select(self, keep: NDArray[np.bool_], threads: int = 1) -> tuple[Lexicon, NDArray[np.uint32]]:
        """The lexicon of the pair_ids with keep[pair_id], bool [pair_ids + 1]; and pair_id -> new pair_id, 0 if dropped."""
        index, renumber = self.index.select(keep, threads)
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = self.table[0]

        def copy(run: tuple[int, int]) -> None:
            kernels.lexicon_table.select(*run, renumber, self.table, table)

        over(parts_of(len(renumber), 4 * threads), copy, threads)
        return Lexicon(index, table, self.null_forward, self.null_reverse), renumber

    def rows(self, direction: int) -> NDArray[np.int32]:
        """The conditioning word of each pair, int32 [pair_ids]: its source if forward (0), else its target."""
        return self.index.rows()[1:] if direction == 0 else self.index.columns[1:]

    def compact(self) -> Lexicon:
        """Without the pairs that are no more probable than an unseen one in either direction: lossless."""
        # Said as "not at most", what is not a number is kept, for ``save`` to find.
        least = np.float32(FLOOR)
        return self.select(~((self.table[:, 0] <= least) & (self.table[:, 1] <= least)))[0]


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
