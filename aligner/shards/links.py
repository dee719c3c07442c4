"""The expected links of a shard in an iteration, as its file has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts
from aligner.storage.checks import require
from aligner.storage.codec import require_like
from aligner.system.threads import run_all, split_evenly

_NONE = np.empty(0, np.bool_)


@dataclass(frozen=True, eq=False)
class ExpectedLinks:
    """Expected links of the word pairs of a shard, by halves of 32 bits.

    Most counts are below 1, so that only some upper halves are not 0, and are kept.

    Attributes
    ----------
    pair_ids
        uint32 [n], the pair_ids of the run, ascending.
    lower
        uint32 [n, columns], the lower halves of the counts, which are int64 fixed point.
    large, upper
        int64 [m] and int32 [m], the upper halves that are not 0: their indices in the flat array, and values.
    used
        bool [n], True for the word pairs of cells that pruning keeps; empty in other iterations.
    """

    pair_ids: NDArray[np.uint32]
    lower: NDArray[np.uint32]
    large: NDArray[np.int64]
    upper: NDArray[np.int32]
    used: NDArray[np.bool_]

    def check_structure(self) -> None:
        """Raise DamagedError unless these are counts of word pairs."""
        pair_ids, large, upper = self.pair_ids, self.large, self.upper
        require(
            self.lower.ndim == 2 and len(self.lower) == len(pair_ids), "it has counts of other word pairs"
        )
        ascending = (pair_ids[1:] > pair_ids[:-1]).all() and pair_ids[:1].all()
        require(ascending and len(self.used) in (0, len(pair_ids)), "it has word pairs out of order")
        fits = len(large) == len(upper) and (large[1:] > large[:-1]).all() and upper.min(initial=0) >= 0
        in_range = large.min(initial=0) >= 0 and large.max(initial=-1) < self.lower.size
        require(fits and in_range, "it has other counts")

    @classmethod
    def of(
        cls, pair_ids: NDArray[np.uint32], links: NDArray[np.int64], used: NDArray[np.bool_] | None = None
    ) -> ExpectedLinks:
        """Return the counts of the word pairs that have a count or a kept cell.

        links: int64 fixed point [n, columns]; used: None unless the iteration prunes.
        """
        counted, own_used = reduce(or_, links.T) != 0, _NONE  # links.any(axis=1) takes 3 times as long
        if used is not None:
            counted |= used
            own_used = used[counted]
        if not counted.all():
            pair_ids, links = pair_ids[counted], links[counted]
        halves = links.astype("<i8", copy=False).view("<u4").reshape(-1, 2)
        large = np.flatnonzero(halves[:, 1])
        lower = np.ascontiguousarray(halves[:, 0]).reshape(links.shape)
        return cls(pair_ids, lower, large, halves[large, 1].astype(np.int32), own_used)

    def add_to(self, links: NDArray[np.int64], used: NDArray[np.bool_], threads: int = 1) -> None:
        """Add these counts, in place, to the counts of all word pairs of the run.

        links: int64 [pair_ids + 1, columns]; used: bool [pair_ids + 1]. Raises DamagedError if these are
        counts of other word pairs.
        """
        pair_ids, lower = self.pair_ids, self.lower
        fits = pair_ids.max(initial=0) < len(links) and lower.shape[1] == links.shape[1]
        require(fits, "it has counts of other word pairs")

        def add(run: tuple[int, int]) -> None:
            kernels.counts.add_to_rows(pair_ids[slice(*run)], lower[slice(*run)], links)

        run_all(split_evenly(len(pair_ids), 4 * threads), add, threads)
        row, column = np.divmod(self.large, links.shape[1])
        links[pair_ids[row], column] += self.upper.astype(np.int64) << 32
        if len(self.used):
            used[pair_ids] |= self.used


def without_links(counts: Counts) -> Counts:
    """Return the other counts: of NULL and of jumps, and the measures."""
    return replace(counts, links=counts.links[:0], kept=None)


def require_others(counts: Counts, example: Counts) -> None:
    """Raise DamagedError unless counts without links have the shapes of an example, and none is negative."""
    require_like(counts, without_links(example), "counts")
    own = counts.null_forward, counts.null_reverse, *counts.distortion
    require(min(array.min(initial=0) for array in own) >= 0, "it has negative counts")
    require(counts.pairs >= 0, "it has counts of no pairs")
