"""Expected counts of a text: what an E-step returns and an M-step turns into parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order, too."""


class DistortionCounts(NamedTuple):
    """Expected counts of the forward and the reverse distortion, int64 fixed point.

    Inference adds to them in place. A criterion of several passes has them stacked along a first axis.
    """

    forward: NDArray[np.int64]
    reverse: NDArray[np.int64]


class PseudoCounts(NamedTuple):
    """Counts to add to word pairs, for both directions: to some of them, or to all.

    pair_ids: int64 [n], in which an id may occur several times; amounts: int64 fixed point [n]; everywhere:
    float32 [pair_ids + 1], counts of all word pairs, or None.
    """

    pair_ids: NDArray[np.int64]
    amounts: NDArray[np.int64]
    everywhere: NDArray[np.float32] | None = None

    @classmethod
    def none(cls) -> PseudoCounts:
        """Return pseudo-counts of no word pair."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    def joined_with(self, other: PseudoCounts) -> PseudoCounts:
        """Return both pseudo-counts. Only one of them may be of all word pairs."""
        if self.everywhere is not None and other.everywhere is not None:
            raise ValueError("found two pseudo-counts of all word pairs; expected one at most")
        everywhere = other.everywhere if self.everywhere is None else self.everywhere
        if not len(self.pair_ids) or not len(other.pair_ids):  # often, and the other may be large
            return (self if len(self.pair_ids) else other)._replace(everywhere=everywhere)
        pair_ids = np.concatenate([self.pair_ids, other.pair_ids])
        return PseudoCounts(pair_ids, np.concatenate([self.amounts, other.amounts]), everywhere)


@dataclass(frozen=True, eq=False)
class Counts:
    """Expected counts of a text, 64-bit fixed point.

    Adding counts is exact, associative and commutative. The same ``Counts``, summed over blocks, threads,
    shards or machines, give the same model bytes.

    Attributes
    ----------
    links
        int64 [pair_ids + 1, columns].
    null_forward, null_reverse
        int64 [target types + 1] and [source types + 1]; with several passes, a first axis of that length.
    distortion
        Counts of both distortions; with several passes, a first axis of that length.
    measures
        int64 [names], in units of 1 / ``MEASURE_SCALE``.
    pairs
        Number of sentence pairs counted.
    """

    links: NDArray[np.int64]
    null_forward: NDArray[np.int64]
    null_reverse: NDArray[np.int64]
    distortion: DistortionCounts
    measures: NDArray[np.int64]
    pairs: int

    def __add__(self, other: Counts | PseudoCounts) -> Counts:
        """Return the sum with the counts of another text over the same index, or with pseudo-counts."""
        return replace(
            self,
            links=self.links.copy(),
            null_forward=self.null_forward.copy(),
            null_reverse=self.null_reverse.copy(),
            distortion=DistortionCounts(*(counts.copy() for counts in self.distortion)),
            measures=self.measures.copy(),
        ).__iadd__(other)

    def __iadd__(self, other: Counts | PseudoCounts) -> Counts:
        """Add to these counts in place, and return them."""
        if isinstance(other, PseudoCounts):
            if len(other.pair_ids):
                kernels.counting.add_to_rows(other.pair_ids, other.amounts, self.links)
            if other.everywhere is not None:
                kernels.counting.add_to_all(other.everywhere, self.links)
            return self
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
