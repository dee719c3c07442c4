"""Links for tests of projection."""

from __future__ import annotations

from hypothesis import strategies as st

from aligner.annotations.word_links import WordLinks
from aligner.links.link_tokens import LINKS
from aligner.links.linked_pairs import LinkedPair

LENGTHS = st.tuples(st.integers(0, 6), st.integers(0, 6))


def identity(length):
    """Return the links of each word with itself."""
    return WordLinks(LINKS.parse(" ".join(f"{k}-{k}" for k in range(length))), length)


def links_of(text, target_length):
    """Return links from text, such as "0-0 1-2"."""
    return WordLinks(LINKS.parse(text), target_length)


def with_probabilities(links, target_length):
    """Return links from a list of (i, j, probability)."""
    cells = [(i, j) for i, j, _ in links]
    return WordLinks(LinkedPair(cells, cells, [p for *_, p in links]), target_length)


def link_lines(source_length, target_length):
    """Return the strategy of the links of a sentence pair, with probabilities in sixteenths."""
    if not source_length or not target_length:
        return st.just([])
    cell = st.tuples(st.integers(0, source_length - 1), st.integers(0, target_length - 1))
    weights = st.dictionaries(cell, st.integers(1, 16), max_size=10)
    return weights.map(lambda links: [(i, j, weight / 16) for (i, j), weight in links.items()])
