"""The expected counts of some shards: the sums of an iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts, DistortionCounts
from aligner.shards.pairs import unite

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
        counted, own_used = links.any(axis=1), _NONE
        if used is not None:
            counted |= used
            own_used = used[counted]
        if not counted.all():
            pair_ids, links = pair_ids[counted], links[counted]
        return cls(pair_ids, links, own_used)

    @classmethod
    def none(cls, columns: int) -> ExpectedLinks:
        """Return the counts of no word pair."""
        return cls(np.empty(0, np.uint32), np.empty((0, columns), np.int64), _NONE)

    def plus(self, other: ExpectedLinks) -> ExpectedLinks:
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

        links: int64 [pair_ids + 1, columns]; used: bool [pair_ids + 1].
        """
        kernels.counts.add_to_rows(self.pair_ids, self.links, links)
        if len(self.used):
            used[self.pair_ids] |= self.used

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        return {"pair_ids": self.pair_ids, **_packed(self.links), "used": self.used}

    @classmethod
    def rebuild(cls, arrays: Mapping[str, NDArray]) -> ExpectedLinks:
        """Return the part with these arrays."""
        return cls(arrays["pair_ids"], _unpacked(arrays), arrays["used"])


@dataclass(frozen=True, eq=False)
class CountsWithoutLinks:
    """All expected counts of some shards but links: of NULL and of jumps; and the measures."""

    counts: Counts

    @classmethod
    def of(cls, counts: Counts) -> CountsWithoutLinks:
        """Return the counts without the links."""
        return cls(replace(counts, links=counts.links[:0]))

    def plus(self, other: CountsWithoutLinks) -> CountsWithoutLinks:
        """Return the counts of both parts."""
        return CountsWithoutLinks(self.counts + other.counts)

    def with_links(self, links: NDArray[np.int64]) -> Counts:
        """Return a copy of these counts with links, int64 [pair_ids + 1, columns]."""
        return replace(self.counts.copy(), links=links)

    def values(self) -> dict[str, Any]:
        """Return the plain data of the part, for its file."""
        return {"pairs": self.counts.pairs}

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        counts = self.counts
        return {
            "links": counts.links,
            "null_forward": counts.null_forward,
            "null_reverse": counts.null_reverse,
            "forward": counts.distortion.forward,
            "reverse": counts.distortion.reverse,
            "measures": counts.measures,
        }

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> CountsWithoutLinks:
        """Return the part with these values and arrays."""
        counts = Counts(
            arrays["links"],
            arrays["null_forward"],
            arrays["null_reverse"],
            DistortionCounts(arrays["forward"], arrays["reverse"]),
            arrays["measures"],
            values["pairs"],
        )
        return cls(counts)


def _packed(links: NDArray[np.int64]) -> dict[str, NDArray]:
    """Return counts as arrays for a file: their lower halves, and the upper halves that are not 0.

    Most counts are below 1, so that their upper halves are 0.
    """
    upper = (links >> 32).ravel()
    large = np.flatnonzero(upper)
    return {"links": links.astype(np.uint32), "large": large, "upper": upper[large].astype(np.int32)}


def _unpacked(arrays: Mapping[str, NDArray]) -> NDArray[np.int64]:
    """Return the counts of the arrays of ``_packed``."""
    links = arrays["links"].astype(np.int64)
    links.reshape(-1)[arrays["large"]] += arrays["upper"].astype(np.int64) << 32
    return links
