"""The expected counts of some shards: the sums of an iteration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts
from aligner.shards.pairs import unite
from aligner.storage.checks import require
from aligner.storage.codec import require_like

_NONE = np.empty(0, np.bool_)


@dataclass(frozen=True, eq=False)
class ExpectedLinks:
    """Expected links of word pairs of one slice that occur in some shards.

    Attributes
    ----------
    pair_ids
        uint32 [n], the pair_ids in the slice, ascending.
    links
        int64 fixed point [n, columns].
    used
        bool [n], True for the word pairs of cells that pruning keeps; empty in other iterations.
    """

    pair_ids: NDArray[np.uint32]
    links: NDArray[np.int64]
    used: NDArray[np.bool_]

    @classmethod
    def of(
        cls, pair_ids: NDArray[np.uint32], links: NDArray[np.int64], used: NDArray[np.bool_] | None = None
    ) -> ExpectedLinks:
        """Return the counts of the word pairs that have a count or a kept cell.

        used: None unless the iteration prunes.
        """
        counted, own_used = reduce(or_, links.T) != 0, _NONE  # links.any(axis=1) takes 3 times as long
        if used is not None:
            counted |= used
            own_used = used[counted]
        if not counted.all():
            pair_ids, links = pair_ids[counted], links[counted]
        return cls(pair_ids, links, own_used)

    def __add__(self, other: ExpectedLinks) -> ExpectedLinks:
        """Return the counts of both parts."""
        rows = [(np.array([0, len(part.pair_ids)]), part.pair_ids) for part in (self, other)]
        offsets, pair_ids = unite(rows[0], rows[1])
        links = np.zeros((len(pair_ids), self.links.shape[1]), np.int64)
        used = np.zeros(len(pair_ids) if len(self.used) or len(other.used) else 0, np.bool_)
        for part, (own_offsets, own) in zip((self, other), rows, strict=True):
            indices = np.empty(len(own), np.uint32)
            kernels.index.find_indices(0, pair_ids, offsets, own_offsets, own, indices)
            kernels.counts.add_to_rows(indices, part.links, links)
            if len(part.used):
                used[indices] |= part.used
        return ExpectedLinks(pair_ids, links, used)

    def add_to(self, links: NDArray[np.int64], used: NDArray[np.bool_]) -> None:
        """Add these counts, in place, to the counts of all word pairs of the slice.

        links: int64 [pair_ids + 1, columns]; used: bool [pair_ids + 1]. Raises DamagedError if these are
        counts of other word pairs.
        """
        fits = self.pair_ids.max(initial=0) < len(links) and self.links.shape[1] == links.shape[1]
        require(fits, "it has counts of other word pairs")
        kernels.counts.add_to_rows(self.pair_ids, self.links, links)
        if len(self.used):
            used[self.pair_ids] |= self.used

    def to_parts(self) -> dict[str, NDArray]:
        """Return the arrays of these counts in files: the links by their lower and their upper halves.

        Most counts are below 1, so that only some upper halves are not 0, and are stored.
        """
        halves = self.links.astype("<i8", copy=False).view("<u4").reshape(-1, 2)
        large = np.flatnonzero(halves[:, 1])
        return {
            "pair_ids": self.pair_ids,
            "links": halves[:, 0].reshape(self.links.shape),
            "large": large,
            "upper": halves[large, 1].astype(np.int32),
            "used": self.used,
        }

    @classmethod
    def from_parts(
        cls,
        pair_ids: NDArray[np.uint32],
        lower: NDArray[np.uint32],
        large: NDArray[np.int64],
        upper: NDArray[np.int32],
        used: NDArray[np.bool_],
    ) -> ExpectedLinks:
        """Return the counts of ``to_parts``; raise DamagedError if these are no counts."""
        kinds = [array.dtype.name for array in (pair_ids, lower, large, upper, used)]
        require(kinds == ["uint32", "uint32", "int64", "int32", "bool"], f"it has counts of {kinds}")
        require(lower.ndim == 2 and lower.shape[0] == len(pair_ids), "it has counts of other word pairs")
        ascending = (pair_ids[1:] > pair_ids[:-1]).all() and pair_ids[:1].all()
        require(ascending and len(used) in (0, len(pair_ids)), "it has word pairs out of order")
        fits = len(large) == len(upper) and (large[1:] > large[:-1]).all() and upper.min(initial=0) >= 0
        require(
            fits and large.min(initial=0) >= 0 and large.max(initial=-1) < lower.size, "it has other counts"
        )
        links = lower.astype(np.int64)
        links.reshape(-1)[large] += upper.astype(np.int64) << 32
        return cls(pair_ids, links, used)


def without_links(counts: Counts) -> Counts:
    """Return the counts that concern the whole lexicon: of NULL and of jumps, and the measures."""
    return replace(counts, links=counts.links[:0], kept=None)


def require_common(counts: Counts, example: Counts) -> None:
    """Raise DamagedError unless counts without links have the shapes of an example, and none is negative."""
    require_like(counts, without_links(example), "counts")
    own = counts.null_forward, counts.null_reverse, *counts.distortion
    require(min(array.min(initial=0) for array in own) >= 0, "it has negative counts")
    require(counts.pairs >= 0, "it has counts of no pairs")
