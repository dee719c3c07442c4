"""Expected counts of a text: what an E-step returns and an M-step turns into parameters."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from operator import add
from typing import Any, NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Float32s, Int64s

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order, too."""


class DistortionCounts(NamedTuple):
    """Expected counts of the forward and the reverse distortion, int64 fixed point.

    The distortion defines their shape and unit (see ``AlignmentModel.new_counts``). Inference adds to them in
    place.
    """

    forward: Int64s
    reverse: Int64s


class PseudoCounts(NamedTuple):
    """Counts to add before an M-step: to some word pairs, to all of them, to NULL rows and distortions.

    Attributes
    ----------
    pair_ids
        int64 [n], in which an id may occur several times.
    amounts
        int64 fixed point [n], for both directions.
    everywhere
        float32 [pair_ids + 1, columns], counts of all word pairs, or None: one column for both directions, or
        a forward and a reverse column.
    others
        int64, the counts of ``Counts.null_forward``, ``null_reverse`` and both ``distortion``; or empty.
    notes
        Figures for the record of the iteration.
    """

    pair_ids: Int64s = np.empty(0, np.int64)
    amounts: Int64s = np.empty(0, np.int64)
    everywhere: Float32s | None = None
    others: tuple[Int64s, ...] = ()
    notes: Mapping[str, Any] = {}

    def of_counted(self, counts: Counts) -> PseudoCounts:
        """Return the pseudo-counts of the word pairs that have some expected count."""
        chosen = np.any(counts.links, axis=1)
        some = chosen[self.pair_ids]
        everywhere = None if self.everywhere is None else self.everywhere * chosen[:, None]
        return self._replace(pair_ids=self.pair_ids[some], amounts=self.amounts[some], everywhere=everywhere)

    def joined_with(self, other: PseudoCounts) -> PseudoCounts:
        """Return the sum of both pseudo-counts."""
        everywhere = [own.everywhere for own in (self, other) if own.everywhere is not None]
        return PseudoCounts(
            np.concatenate([self.pair_ids, other.pair_ids]),
            np.concatenate([self.amounts, other.amounts]),
            sum(everywhere[1:], everywhere[0]) if everywhere else None,
            tuple(map(add, self.others, other.others)) or self.others or other.others,
            {**self.notes, **other.notes},
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """Expected counts of a text, 64-bit fixed point.

    Adding counts is exact, associative and commutative. The same ``Counts``, summed over blocks, threads,
    shards or machines, give the same model bytes. A criterion with an M-step of its own may have other
    columns of links, columns of NULL, and other arrays for the distortions (see ``Criterion.empty_counts``).

    Attributes
    ----------
    links
        int64 [pair_ids + 1, columns].
    null_forward, null_reverse
        int64 [target types + 1] and [source types + 1].
    distortion
        Counts of both distortions.
    measures
        int64 [names], in units of 1 / ``MEASURE_SCALE``.
    pairs
        Number of sentence pairs counted.
    kept_pairs
        bool [pair_ids + 1], True for the word pairs of cells that are kept, if the iteration prunes; or None.
    """

    links: Int64s
    null_forward: Int64s
    null_reverse: Int64s
    distortion: DistortionCounts
    measures: Int64s
    pairs: int
    kept_pairs: Bools | None = None

    def __add__(self, other: Counts | PseudoCounts) -> Counts:
        """Return the sum with the counts of another text over the same index, or with pseudo-counts."""
        return self.copy().__iadd__(other)

    def copy(self) -> Counts:
        """Return a copy, which may be added to in place."""
        return deepcopy(self)

    def __iadd__(self, other: Counts | PseudoCounts) -> Counts:
        """Add to these counts in place, and return them.

        Pseudo-counts of two columns make two columns of links that both directions shared.
        """
        if isinstance(other, PseudoCounts):
            return self._add_pseudo_counts(other)
        for own, more in (
            (self.links, other.links),
            (self.null_forward, other.null_forward),
            (self.null_reverse, other.null_reverse),
            *zip(self.distortion, other.distortion, strict=True),
            (self.measures, other.measures),
        ):
            if own.shape != more.shape:
                raise ValueError(f"found counts of shapes {own.shape} and {more.shape}; expected the same")
            own += more
        return replace(self, pairs=self.pairs + other.pairs)

    def _add_pseudo_counts(self, other: PseudoCounts) -> Counts:
        """Return the sum with pseudo-counts: in place, unless each direction needs a column of its own."""
        links = self.links
        if other.everywhere is not None and other.everywhere.shape[1] > links.shape[1]:
            links = np.repeat(links, other.everywhere.shape[1], axis=1)
        if len(other.pair_ids):
            kernels.counts.add_to_rows(other.pair_ids, other.amounts[:, None], links)
        if other.everywhere is not None:
            kernels.counts.add_to_all(other.everywhere, links)
        own = self.null_forward, self.null_reverse, *self.distortion
        for counts, more in zip(own, other.others, strict=False):  # there may be no others
            counts += more
        return replace(self, links=links)
