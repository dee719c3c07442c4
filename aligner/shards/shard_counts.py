"""The expected counts of a shard in an iteration, as its file has them."""

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
from aligner.training.state import TrainingState


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """Expected counts of a shard.

    Attributes
    ----------
    pair_ids
        uint32 [n], the pair_ids in the run of the word pairs that have a count or a kept cell, ascending.
    counts
        The counts. Their links are int64 [n, columns], and ``kept_pairs`` is bool [n], or None.
    """

    pair_ids: NDArray[np.uint32]
    counts: Counts

    def check_structure(self) -> None:
        """Raise DamagedError unless these are counts of word pairs."""
        pair_ids, counts = self.pair_ids, self.counts
        require((pair_ids[1:] > pair_ids[:-1]).all() and pair_ids[:1].all(), "it has word pairs out of order")
        own = counts.links, counts.null_forward, counts.null_reverse, *counts.distortion
        require(min(array.min(initial=0) for array in own) >= 0, "it has negative counts")
        require(counts.pairs >= 0, "it has counts of no pairs")

    @classmethod
    def of(cls, counts: Counts, pair_ids: NDArray[np.uint32]) -> ShardCounts:
        """Return counts over the word pairs of a shard; pair_ids: uint32 [n], their pair_ids in the run."""
        links, kept_pairs = counts.links[1:], counts.kept_pairs
        some = reduce(or_, links.T) != 0  # links.any(axis=1) takes 3 times as long
        if kept_pairs is not None:
            some |= kept_pairs[1:]
            kept_pairs = kept_pairs[1:][some]
        return cls(pair_ids[some], replace(counts, links=links[some], kept_pairs=kept_pairs))

    def add_to(self, total: Counts, threads: int = 1) -> Counts:
        """Add these counts, in place, to counts over the word pairs of the run; return the sum.

        Raises DamagedError if these are counts of other word pairs or of another kind.
        """
        pair_ids, counts, size = self.pair_ids, self.counts, len(self.pair_ids)
        require(pair_ids.max(initial=0) < len(total.links), "it has counts of other word pairs")
        kept_pairs = None if total.kept_pairs is None else total.kept_pairs[:size]
        require_like(counts, replace(total, links=total.links[:size], kept_pairs=kept_pairs), "counts")

        def add(run: tuple[int, int]) -> None:
            kernels.counts.add_to_rows(pair_ids[slice(*run)], counts.links[slice(*run)], total.links)

        run_all(split_evenly(size, 4 * threads), add, threads)
        if total.kept_pairs is not None and counts.kept_pairs is not None:
            total.kept_pairs[pair_ids] |= counts.kept_pairs
        others = replace(total, links=total.links[:0])
        others += replace(counts, links=counts.links[:0])
        return replace(others, links=total.links)


def no_counts(training: TrainingState) -> Counts:
    """Return counts of no sentence pair in the next iteration."""
    counts = training.stage.criterion.empty_counts(training.pair)
    return replace(counts, kept_pairs=np.zeros(len(counts.links), np.bool_) if training.prunes else None)
