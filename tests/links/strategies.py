"""Hypothesis strategies for sets of links, and helpers that construct gold."""

from __future__ import annotations

from hypothesis import strategies as st

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold

LINK_SETS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5) | st.integers(500, 1100)), max_size=12)
TEXTS = st.lists(LINK_SETS, max_size=6)
"""Texts as one set of links for each sentence pair."""

TEXT_PAIRS = st.lists(st.tuples(LINK_SETS, LINK_SETS), max_size=6)
"""Texts with two sets of links for each sentence pair."""

_SMALL_SETS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)
SCORED_TEXTS = st.lists(st.tuples(_SMALL_SETS, _SMALL_SETS, _SMALL_SETS), max_size=5)
"""Texts with links, sure links and further possible links of each sentence pair."""

# Permutations, so that no shift or exchange of source and target resembles the original.
TRUTH = [[(0, 2), (1, 0), (2, 3), (3, 1)], [(0, 1), (1, 2), (2, 0)], [(0, 3), (1, 0), (2, 4), (3, 2), (4, 1)]]


def gold_of(sure, possible=None):
    """Return gold from lists of sure links and, by default, no further possible links."""
    return Gold(Alignments.from_lists(sure), Alignments.from_lists(possible or sure))


def moved(lists, shift=0, exchange=False):
    """Return links with shifted positions, and with source and target exchanged if ``exchange`` is set."""
    return [
        [(j + shift, i + shift) if exchange else (i + shift, j + shift) for i, j in links] for links in lists
    ]
