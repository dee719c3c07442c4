"""Counts of links that agree with gold, for each sentence pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aligner.arrays import Int64s
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import PAIRS_AT_ONCE, check_lengths, occurs_in


class LinkCounts(NamedTuple):
    """The counts of every sentence pair that scores are computed from, each int64 [n].

    A is the set of links, S the sure and P the possible links of the gold.
    """

    links: Int64s  # |A|
    sure: Int64s  # |S|
    possible: Int64s  # |P|
    sure_hits: Int64s  # |A & S|
    possible_hits: Int64s  # |A & P|


def count_links(
    alignments: Alignments, gold: Gold, reread: Callable[[Alignments], Alignments] | None = None
) -> LinkCounts:
    """Count the links of every sentence pair; DataError if the gold has another number of pairs.

    reread: a function that is called with the gold links of some pairs, and returns as many others.
    """
    check_lengths(alignments, gold.sure, "the links and the gold")
    links, sure, possible = (np.diff(own.offsets) for own in (alignments, gold.sure, gold.possible))
    sure_hits = _hits(alignments, gold.sure, reread)
    is_same = gold.possible is gold.sure
    return LinkCounts(
        links, sure, possible, sure_hits, sure_hits if is_same else _hits(alignments, gold.possible, reread)
    )


def _hits(
    alignments: Alignments, wanted: Alignments, reread: Callable[[Alignments], Alignments] | None
) -> Int64s:
    """Return the number of links of every sentence pair that are wanted, int64 [n]."""
    hits = np.zeros(len(alignments), np.int64)
    for first in range(0, len(alignments), PAIRS_AT_ONCE):
        pairs = slice(first, first + PAIRS_AT_ONCE)
        part, others = alignments[pairs], wanted[pairs]
        is_hit = occurs_in(part, others if reread is None else reread(others))
        hits[pairs] = np.bincount(part.pair[is_hit], minlength=len(part))
    return hits
