"""Prior means of word pairs, float32 [pair_ids + 1, 2]: m(f | e) and m(e | f), and their rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s
from aligner.kernels.constants import COUNT_SCALE, MEAN_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex


class PriorRows(NamedTuple):
    """The rows of both tables, of source types and of target types: float64 [types + 1] each.

    totals: n(e); shares: s(e), the sum of the prior means of a row.
    """

    totals: list[Float64s]
    shares: list[Float64s]

    @classmethod
    def of(cls, index: CooccurrenceIndex, links: Int64s, means: Float32s, threads: int) -> PriorRows:
        """Sum the prior means, and the counts of the pairs that have one.

        links: int64 fixed point [pair_ids + 1, 1 or 2]; means: float32 [pair_ids + 1, 2].
        """
        forward = np.zeros((index.source_types + 1, 2), np.int64)
        shape, added = (index.target_types + 1, 2), (links, means, forward)
        reverse = index.sum_rows(kernels.priors.add_rows, *added, shape=shape, threads=threads)
        sums = forward, reverse
        return cls([n[:, 1] / COUNT_SCALE for n in sums], [s[:, 0] / MEAN_SCALE for s in sums])

    def normalised(self) -> PriorRows:
        """Return the rows of the same means, divided by their sums."""
        return PriorRows(self.totals, [(shares > 0).astype(float) for shares in self.shares])
