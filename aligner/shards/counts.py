"""The expected counts of some shards, of the word pairs that occur in them: the sum of an iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts, Criterion, DistortionCounts
from aligner.models import ModelPair
from aligner.shards.pairs import unite

_NONE = np.empty(0, np.bool_)


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """Expected counts of some word pairs.

    Attributes
    ----------
    pair_ids
        uint32 [n], the pair_ids of the whole text, ascending.
    counts
        The counts; links: int64 [n, columns].
    used
        bool [n], True for the word pairs of cells that pruning keeps; empty in other iterations.
    """

    kind = "counts"

    pair_ids: NDArray[np.uint32]
    counts: Counts
    used: NDArray[np.bool_]

    @classmethod
    def of(
        cls, pair_ids: NDArray[np.uint32], counts: Counts, used: NDArray[np.bool_] | None = None
    ) -> ShardCounts:
        """Return the counts of a shard.

        pair_ids: uint32 [n]; counts: over the index of the shard, whose pair_ids are 1 to n; used: bool
        [n + 1], or None. Word pairs without any count are left out.
        """
        links, own_used = counts.links[1:], _NONE if used is None else used[1:]
        counted = links.any(axis=1)
        if len(own_used):
            counted |= own_used
            own_used = own_used[counted]
        if not counted.all():
            pair_ids, links = pair_ids[counted], links[counted]
        return cls(pair_ids, replace(counts, links=links), own_used)

    @classmethod
    def none(cls, criterion: Criterion, model: ModelPair) -> ShardCounts:
        """Return the counts of a shard without usable pairs."""
        counts = criterion.empty_counts(model)
        return cls(np.empty(0, np.uint32), replace(counts, links=counts.links[:0]), _NONE)

    def plus(self, other: ShardCounts) -> ShardCounts:
        """Return the counts of both parts."""
        rows = [(np.array([0, len(part.pair_ids)]), part.pair_ids) for part in (self, other)]
        offsets, pair_ids = unite(rows[0], rows[1])
        links = np.zeros((len(pair_ids), self.counts.links.shape[1]), np.int64)
        used = np.zeros(len(pair_ids) if len(self.used) or len(other.used) else 0, np.bool_)
        for part, (own_offsets, own) in zip((self, other), rows, strict=True):
            places = np.empty(len(own), np.uint32)
            kernels.merged_rows.find_places(0, pair_ids, offsets, own_offsets, own, places)
            kernels.merged_rows.add_rows(places, part.counts.links, links)
            if len(part.used):
                used[places] |= part.used
        counts = _without_links(self.counts) + _without_links(other.counts)
        return ShardCounts(pair_ids, replace(counts, links=links), used)

    def add_to(self, total: Counts) -> Counts:
        """Add these counts to counts of all word pairs, int64 [pair_ids + 1, columns], and return them."""
        kernels.merged_rows.add_rows(self.pair_ids, self.counts.links, total.links)
        others = _without_links(total)
        others += _without_links(self.counts)
        return replace(others, links=total.links)

    def values(self) -> dict[str, Any]:
        """Return the plain data of the part, for its file."""
        return {"pairs": self.counts.pairs}

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        counts = self.counts
        return {
            "pair_ids": self.pair_ids,
            **_packed(counts.links),
            "null_forward": counts.null_forward,
            "null_reverse": counts.null_reverse,
            "forward": counts.distortion.forward,
            "reverse": counts.distortion.reverse,
            "measures": counts.measures,
            "used": self.used,
        }

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> ShardCounts:
        """Return the part with these values and arrays."""
        counts = Counts(
            _unpacked(arrays),
            arrays["null_forward"],
            arrays["null_reverse"],
            DistortionCounts(arrays["forward"], arrays["reverse"]),
            arrays["measures"],
            values["pairs"],
        )
        return cls(arrays["pair_ids"], counts, arrays["used"])


def _without_links(counts: Counts) -> Counts:
    """Return all counts but those of links."""
    return replace(counts, links=counts.links[:0])


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
