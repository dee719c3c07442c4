"""The two lexical tables, t(f|e) and t(e|f), over one index of word pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Float32s, Int32s, Int64s, Integers, inverse
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.storage.checks import require_probabilities
from aligner.system.threads import run_all, split_evenly

FLOOR = 1e-12
"""The least lexical probability. Word pairs outside the index and out-of-vocabulary words have it, too.

It is so small that it changes no estimate. It is so large that the product of two such probabilities with the
least jump is a normal float32, so no sentence has probability 0.
"""

_NO_TABLE = np.empty((0, 2), np.float32)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The lexical translation probabilities of both directions over one co-occurrence index.

    Attributes
    ----------
    index
        The word pairs.
    table
        float32 [pair_ids + 1, 2], t(target | source) and t(source | target) of each pair_id. Row 0 is
        ``FLOOR``.
    null_forward, null_reverse
        float32 [target types + 1], t(target | NULL), and [source types + 1], t(source | NULL). The last entry
        of each, of out-of-vocabulary words, is ``FLOOR``.
    uniform_shares
        The probability of every word that occurs with a source type, float32 [source types + 1], and with a
        target type, [target types + 1], if both tables are uniform; else None.
    """

    index: CooccurrenceIndex
    table: Float32s
    null_forward: Float32s
    null_reverse: Float32s
    uniform_shares: tuple[Float32s, Float32s] | None = None

    def check_structure(self) -> None:
        """Raise DamagedError unless all probabilities are from ``FLOOR`` to 1, and the index is one.

        With probability 0, a sentence could be impossible.
        """
        self.index.check_structure()
        self.check_probabilities()

    def check_probabilities(self) -> None:
        """Raise DamagedError unless all probabilities are from ``FLOOR`` to 1."""
        require_probabilities(self.table, "lexicon.table", FLOOR)
        require_probabilities(self.null_forward, "lexicon.null_forward", FLOOR)
        require_probabilities(self.null_reverse, "lexicon.null_reverse", FLOOR)

    @classmethod
    def uniform(cls, index: CooccurrenceIndex, threads: int = 1) -> Lexicon:
        """Return tables that are uniform over the words that co-occur with a word (Brown et al. 1993)."""
        widths, heights = np.diff(index.row_offsets), index.column_sizes(threads)
        forward, reverse = inverse(widths), inverse(heights)
        table = np.ones((len(index) + 1, 2), np.float32)
        table[0] = FLOOR
        index.for_rows(kernels.tables.scale_rows, forward, reverse, table, threads=threads)
        null = _uniform_row(index.target_types), _uniform_row(index.source_types)
        shares = forward.astype(np.float32), reverse.astype(np.float32)
        return cls(index, table, *null, uniform_shares=shares)

    @classmethod
    def of_counts(
        cls,
        index: CooccurrenceIndex,
        links: Int64s,
        null_forward: Int64s,
        null_reverse: Int64s,
        threads: int = 1,
    ) -> Lexicon:
        """Return the maximum-likelihood tables of fixed-point counts: t = max(c / sum c, ``FLOOR``).

        links: int64 [pair_ids + 1, 1 or 2], where one column serves both directions; null_forward: int64
        [target types + 1]; null_reverse: int64 [source types + 1].
        """
        shares = map(inverse, index.totals(links, threads))
        table = np.empty((len(links), 2), np.float32)
        index.for_rows(kernels.tables.normalise, links, *shares, FLOOR, table, threads=threads)
        table[0] = FLOOR
        return cls(index, table, normalised_row(null_forward), normalised_row(null_reverse))

    def with_tables(self, table: Float32s, null_forward: Float32s, null_reverse: Float32s) -> Lexicon:
        """Return a lexicon of other probabilities over the same word pairs."""
        return Lexicon(self.index, table, null_forward, null_reverse)

    def without_table(self) -> Lexicon:
        """Return the lexicon with an empty table, which frees its memory."""
        return self.with_tables(_NO_TABLE, self.null_forward, self.null_reverse)

    def select(self, keep: Bools) -> Lexicon:
        """Select the word pairs with keep[pair_id], bool [pair_ids + 1]."""
        index, kept = self.index.select(keep)
        table = self.table[kept] if len(self.table) else self.table
        return Lexicon(index, table, self.null_forward, self.null_reverse)

    def to_power(self, exponent: float, threads: int = 1) -> Lexicon:
        """Return the lexicon with each probability raised to an exponent. Its rows do not sum to 1."""
        power = np.float32(exponent)
        table = self._filled(lambda out, rows: np.power(rows, power, out=out), threads)
        return Lexicon(self.index, table, self.null_forward**power, self.null_reverse**power)

    def with_table_to_change(self, threads: int = 1) -> Lexicon:
        """Return the lexicon with a copy of its table. The copy of a uniform table has no values."""
        uniform = self.uniform_shares is not None
        table = np.empty_like(self.table) if uniform else self._filled(np.copyto, threads)
        return replace(self, table=table)

    def _filled(self, fill: Callable[[Float32s, Float32s], object], threads: int) -> Float32s:
        """Return a new table, each run of whose rows is set from the same rows of this table."""
        table = np.empty_like(self.table)
        runs = split_evenly(len(table), 4 * threads)
        run_all(runs, lambda run: fill(table[slice(*run)], self.table[slice(*run)]), threads)
        return table

    def rows(self, direction: int) -> Int32s:
        """Return the conditioning word of each word pair, int32 [pair_ids], without pair_id 0.

        direction: 0 for forward, where it is the source type; 1 for reverse, where it is the target type.
        """
        return self.index.rows()[1:] if direction == 0 else self.index.columns[1:]

    def row(self, direction: int, word: int) -> tuple[Integers, Int32s]:
        """Return the pair_ids of one conditioning word, and the word that each has on the other side.

        direction: 0 for forward, where the conditioning word is a source type; 1 for reverse.
        """
        pairs = np.flatnonzero(self.rows(direction) == word)
        return 1 + pairs, self.rows(1 - direction)[pairs]

    def compact(self) -> Lexicon:
        """Return the lexicon without the word pairs whose probability is ``FLOOR`` in both directions.

        Nothing is lost, because a word pair outside the index has this probability.
        """
        least = np.float32(FLOOR)
        droppable = (self.table[:, 0] <= least) & (self.table[:, 1] <= least)
        if not droppable[1:].any():
            return self
        return self.select(~droppable)  # a NaN compares false and is kept, so that ``save`` finds it


def _uniform_row(types: int) -> Float32s:
    """Return a uniform NULL row, float32 [types + 1]."""
    row = np.full(types + 1, 1.0 / max(types, 1), np.float32)
    row[-1] = FLOOR
    return row


def normalised_row(counts: Int64s) -> Float32s:
    """Return the maximum-likelihood NULL row of counts, int64 fixed point [types + 1]."""
    total = counts.sum(dtype=np.float64)  # the counts of all words together may exceed 64 bits
    row = np.maximum(counts / max(total, 1.0), FLOOR).astype(np.float32)
    row[-1] = FLOOR
    return row
