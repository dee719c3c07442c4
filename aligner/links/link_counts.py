"""Counts of links that agree with gold, for each sentence pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import check_lengths, occurs_in


class LinkCounts(NamedTuple):
    """The counts of every sentence pair that scores are computed from, each int64 [n].

    A is the set of links, S the sure and P the possible links of the gold.
    """

    links: NDArray[np.int64]  # |A|
    sure: NDArray[np.int64]  # |S|
    possible: NDArray[np.int64]  # |P|
    sure_hits: NDArray[np.int64]  # |A & S|
    possible_hits: NDArray[np.int64]  # |A & P|


def count_links(alignments: Alignments, gold: Gold) -> LinkCounts:
    """Count the links of every sentence pair; DataError if the gold has another number of pairs."""
    check_lengths(alignments, gold.sure, "the links and the gold")
    n = len(alignments)
    masks = [occurs_in(alignments, links) for links in (gold.sure, gold.possible)]
    hits = [np.bincount(alignments.pair[mask], minlength=n) for mask in masks]
    sizes = [np.diff(links.offsets) for links in (alignments, gold.sure, gold.possible)]
    return LinkCounts(*sizes, *hits)
