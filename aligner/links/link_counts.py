"""Counts of links that agree with gold, for each sentence pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner.arrays import Int64s
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import check_lengths, occurs_in

_PAIRS_AT_ONCE = 1 << 13
"""The number of pairs whose links are compared at a time, to bound memory."""


class LinkCounts(NamedTuple):
    """The counts of every sentence pair that scores are computed from, each int64 [n].

    A is the set of links, S the sure and P the possible links of the gold.
    """

    links: Int64s  # |A|
    sure: Int64s  # |S|
    possible: Int64s  # |P|
    sure_hits: Int64s  # |A & S|
    possible_hits: Int64s  # |A & P|


def count_links(alignments: Alignments, gold: Gold) -> LinkCounts:
    """Count the links of every sentence pair; DataError if the gold has another number of pairs."""
    check_lengths(alignments, gold.sure, "the links and the gold")
    operands = alignments, gold.sure, gold.possible
    sizes = [np.diff(links.offsets) for links in operands]
    hits = np.zeros((2, len(alignments)), np.int64)
    for first in range(0, len(alignments), _PAIRS_AT_ONCE):
        part, *others = (links[first : first + _PAIRS_AT_ONCE] for links in operands)
        for own, links in zip(hits, others, strict=True):
            own[first : first + len(part)] = np.bincount(
                part.pair[occurs_in(part, links)], minlength=len(part)
            )
    return LinkCounts(*sizes, *hits)
