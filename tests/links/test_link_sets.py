"""Tests of operations on sets of links, against Python's sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from aligner.links.alignments import Alignments
from aligner.links.link_sets import check_positions, intersection, occurs_in, reaching, union
from tests.links.strategies import TEXT_PAIRS


@given(TEXT_PAIRS)
def test_operations_match_python_sets(lists):
    first, second = (Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1))
    assert list(intersection(first, second)) == [sorted(a & b) for a, b in lists]
    assert list(union(first, second)) == [sorted(a | b) for a, b in lists]
    assert occurs_in(first, second).tolist() == [link in b for a, b in lists for link in sorted(a)]


def test_links_that_reach_a_threshold():
    links = Alignments.from_links(3, [0, 0, 2], [0, 1, 5], [1, 0, 5], [0.2, 0.35, 0.3])
    assert list(reaching(links, 0.2)) == list(links)
    assert list(reaching(links, 0.3)) == [[(1, 0)], [], [(5, 5)]]


def test_positions_inside_their_pairs_pass():
    links = Alignments.from_lists([[(0, 0)], [], [(1, 3)]])
    check_positions(links, (np.array([1, 0, 2]), None), "links:")
    check_positions(Alignments.from_lists([[], []]), (np.zeros(2, int), np.zeros(2, int)), "links:")
